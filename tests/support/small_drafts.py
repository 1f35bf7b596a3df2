"""Writes small finished drafts for tests, with the manifest that lists them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import orjson

from citewhy_lab.train.drafts import Use, use_of

WORDS = ("oaks", "elms", "firs", "pines", "birches", "willows")


def authors_of(use: Use, count: int) -> list[str]:
    """Names of authors whose drafts are used in this way."""
    return [name for name in (f"author{number}" for number in range(100)) if use_of(name) == use][:count]


PARAGRAPH = (
    "Trees are of many kinds, and many have been studied. There are oaks \\cite{oaks} and elms \\cite{elms}."
)
"""Whose first sentence cites nothing, and whose second one cites two papers."""


def write_drafts(folder: Path, authors: Sequence[str], more: Sequence[str] = ()) -> Path:
    """A draft of each author, which cites six papers twice. Returns the manifest. `more`: further paragraphs
    of each."""
    rows = []
    for author in authors:
        name = f"{author}+thesis"
        (folder / name).mkdir(parents=True)
        entries = [
            f"@article{{{word}, title={{A study of {word}}}, author={{Ann {word.title()}}}, year={{2001}}}}"
            for word in WORDS
        ]
        (folder / name / "refs.bib").write_text("\n".join(entries))
        sentences = [
            f"We {verb} {word} first \\cite{{{word}}}." for verb in ("saw", "count") for word in WORDS
        ]
        body = "\n\n".join([*sentences, *more])
        (folder / name / "main.tex").write_text(
            f"\\documentclass{{article}}\\title{{Trees of {author}}}\\begin{{document}}\n{body}\n"
            "\\bibliography{refs}\\end{document}\n"
        )
        rows.append({"name": name, "root": "main.tex", "bibs": ["refs.bib"]})
    manifest = folder / "manifest.jsonl"
    manifest.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return manifest
