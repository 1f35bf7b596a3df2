"""Makes small LaTeX drafts for tests."""

from __future__ import annotations

from pathlib import Path

from citewhy.base.records import DraftSentence, Manuscript, Marker
from citewhy.drafts import read

BIB = """
@inproceedings{bleu, title={BLEU}, author={Papineni, Kishore}, year=2002}
@inproceedings{rouge, title={ROUGE}, author={Lin, Chin-Yew}, year=2004}
@article{Meteor-05, title={METEOR}, author={Banerjee, Satanjeev}, year=2005}
"""


def write(folder: Path, body: str, *, preamble: str = "", **files: str) -> Path:
    """Writes a draft with `body`, `BIB` as ``refs.bib``, and other files by name (``_`` for the dot)."""
    (folder / "refs.bib").write_text(BIB, encoding="utf-8")
    for name, text in files.items():
        stem, _, suffix = name.rpartition("_")
        path = folder / f"{stem.replace('__', '/')}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    root = folder / "draft.tex"
    text = (
        f"\\documentclass{{article}}\n{preamble}\n\\begin{{document}}\n{body}\n"
        "\\bibliography{refs}\n\\end{document}\n"
    )
    root.write_text(text, encoding="utf-8", newline="")
    return root


def make(folder: Path, body: str, *, preamble: str = "", **files: str) -> Manuscript:
    """Writes a draft, and reads it."""
    return read(write(folder, body, preamble=preamble, **files))


def sentences(manuscript: Manuscript) -> list[DraftSentence]:
    return [sentence for paragraph in manuscript.paragraphs for sentence in paragraph.sentences]


def texts(manuscript: Manuscript) -> list[str]:
    return [sentence.text for sentence in sentences(manuscript)]


def markers(manuscript: Manuscript) -> list[Marker]:
    return list(manuscript.markers)


def cut(marker_file: str, start: int, end: int) -> str:
    """The characters of a file from `start` to `end`, as in `records.Place`."""
    from citewhy.text.source import decode

    return decode(Path(marker_file).read_bytes())[0][start:end]


def placed(marker: Marker) -> str:
    return cut(marker.place.file, marker.place.start, marker.place.end)


def slotted(marker: Marker) -> str | None:
    return None if marker.slot is None else cut(marker.slot.file, marker.slot.start, marker.slot.end)
