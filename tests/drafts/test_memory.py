"""Drafts held in memory: read, filled and patched as those on disk, which nobody touches."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from latex_drafts import BIB, markers, texts

from citewhy.base.errors import InputError, QueryError, TooLargeError
from citewhy.base.records import Manuscript, Paper
from citewhy.drafts import read, read_draft, read_files
from citewhy.drafts.edit.citations import add_entries, fill
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.edit.patch import Patch
from citewhy.drafts.files import DISK, MemoryFiles

LATEX: dict[str, str | bytes] = {
    "paper.tex": "\\documentclass{article}\n\\usepackage{own}\n\\title{T}\n\\begin{document}\n"
    "\\input{sections/one}\n\\input{absent}\n"
    "Last \\citep{TODO}.\n\\bibliography{refs,gone}\n\\end{document}\n",
    "sections/one.tex": "We use \\ours{bleu}. \\subimport{deep/}{two}\n",
    "sections/deep/two.tex": "And \\cite{nobody} {\n",
    "own.sty": "\\newcommand{\\ours}[1]{\\citep{#1}}\n",
    "refs.bib": BIB + "@misc{broken, title = {\n",
}
MARKDOWN: dict[str, str | bytes] = {
    "text/draft.md": "---\ntitle: T\nbibliography: [../refs.bib, more.json, some.yaml, gone.bib]\n---\n\n"
    "We use [@bleu; @one; @two; @nobody]. And [@].\n",
    "refs.bib": BIB,
    "text/more.json": json.dumps([{"id": "one", "title": "One"}, {"title": "Nobody's"}]),
    "text/some.yaml": "references:\n- id: two\n  title: Two\n",
}
BESIDE: dict[str, str | bytes] = {
    "draft.md": "# T\n\nWe use [@bleu]. And [CITE].\n",
    "only.bib": BIB,
    "below/other.bib": BIB,
}
COMPILED: dict[str, str | bytes] = {
    "paper.tex": "\\documentclass{article}\\begin{document}A \\cite{lin04,TODO}."
    "\\bibliography{refs}\\end{document}",
    "paper.bbl": "\\begin{thebibliography}{1}\\bibitem{lin04} Lin, C.-Y. 2004. ROUGE.\\end{thebibliography}",
}
PLAIN: dict[str, str | bytes] = {
    "draft.txt": "A Title\n\nAs shown [1]. Others [CITE].\n\n"
    "References\n\n[1] A. Lee. 2002. A paper. In Proc.\n"
}
OLD: dict[str, str | bytes] = {"draft.tex": "Caf\xe9 \\cite{TODO}.".encode("latin-1"), "refs.bib": BIB}


def on_disk(folder: Path, files: dict[str, str | bytes], root: str) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder / root


def facts(manuscript: Manuscript, folder: str = "") -> Any:
    """All fields, paths relative to `folder`."""
    written = json.dumps(dataclasses.asdict(manuscript))
    return json.loads(written.replace(f"{folder}/", "") if folder else written)


@pytest.mark.parametrize(
    ("files", "root"),
    [
        (LATEX, "paper.tex"),
        (MARKDOWN, "text/draft.md"),
        (BESIDE, "draft.md"),
        (COMPILED, "paper.tex"),
        (PLAIN, "draft.txt"),
        (OLD, "draft.tex"),
    ],
)
def test_a_draft_is_the_same_in_memory_and_on_disk(
    tmp_path: Path, files: dict[str, str | bytes], root: str
) -> None:
    """Every field of the record, edits and diff included, differ in the folder's name and in nothing else."""
    path = on_disk(tmp_path, files, root)
    stored, held = read(path), read_files(files, root)
    assert facts(held) == facts(stored, str(tmp_path))
    assert any(marker.open for marker in markers(held))
    memory = MemoryFiles(files)
    patches = []
    for manuscript, where in ((stored, DISK), (held, memory)):
        edits = [fill(manuscript, m, ["new"], where) for m in markers(manuscript) if m.open]
        if files is not COMPILED:  # which has a reference list of its own
            edits += add_entries(manuscript, {"new": Paper("new", "New")}, where)
        patches.append(Patch(edits, manuscript.path, where, outside=True))  # "../refs.bib" is
    on, off = patches
    assert on.diff() == off.diff() != ""
    new_texts = {str(Path(name).relative_to(tmp_path)): text for name, text in on.texts().items()}
    assert off.texts() == new_texts
    assert read(path) == stored  # neither of them wrote anything


def test_a_patch_in_memory_gives_the_new_draft() -> None:
    """The texts of a patch, put over the files, are the draft with its citation."""
    files = dict(LATEX)
    memory = MemoryFiles(files)
    draft = read_files(files)
    last = markers(draft)[-1]
    edits = [fill(draft, last, ["new"], memory), *add_entries(draft, {"new": Paper("new", "New")}, memory)]
    patch = Patch(edits, draft.path, memory)
    assert set(patch.texts()) == {"paper.tex", "refs.bib"}
    new = read_files(files | patch.texts())
    assert (markers(new)[-1].keys, markers(new)[-1].open) == (("new",), False)
    with pytest.raises(QueryError, match="not on disk"):
        patch.apply()


def test_nothing_outside_of_memory_is_read(tmp_path: Path) -> None:
    """A file on disk that a draft in memory names by its full path does not exist for it."""
    secret = tmp_path / "secret.tex"
    secret.write_text("A secret.")
    (tmp_path / "refs.bib").write_text(BIB)
    draft = read_files({"a.tex": f"Text. \\input{{{secret}}} \\bibliography{{{tmp_path / 'refs'}}}"})
    assert texts(draft) == ["Text."]
    assert draft.references == ()
    assert len(draft.problems) == 2


def test_names_are_those_given() -> None:
    """A file is found under any way to write its path, and keeps the name under which it was given."""
    files: dict[str, str | bytes] = {
        "./main.tex": "\\input{./a/../b/part} \\cite{bleu} \\bibliography{refs}",
        "b//part.tex": "A part \\cite{TODO}.",
        "./refs.bib": BIB,
    }
    draft = read_files(files, "main.tex")
    assert draft.path == "./main.tex"
    assert draft.files == ("./main.tex", "b//part.tex")
    assert draft.bibliographies == ("./refs.bib",)
    edit = fill(draft, markers(draft)[0], ["new"], MemoryFiles(files))
    texts = Patch([edit], draft.path, MemoryFiles(files)).texts()
    assert texts == {"b//part.tex": "A part \\cite{new}."}


@pytest.mark.parametrize(
    ("files", "root"),
    [
        ({"anything": "Text."}, "anything"),
        ({"refs.bib": BIB, "draft.md": "Text."}, "draft.md"),
        ({"README.md": "Text.", "part.tex": "Text.", "refs.bib": BIB}, "part.tex"),
        ({"a.tex": "Text.", "b.tex": " % \\documentclass{x}\n\\documentclass[a]{b}"}, "b.tex"),
        ({"a.tex": "\\documentclass[b]{subfiles}", "b.tex": "\\documentclass{article}"}, "b.tex"),
        ({"notes.txt": "Text.", "refs.bib": BIB}, "notes.txt"),
    ],
)
def test_the_root_is_found(files: dict[str, str | bytes], root: str) -> None:
    """A document class tells the root; else it is the only file of its format, LaTeX first."""
    assert read_files(files).path == root


@pytest.mark.parametrize(
    ("files", "root", "problem"),
    [
        ({"a.tex": "A.", "b.tex": "B."}, None, "several files can be the draft's root: a.tex, b.tex"),
        ({"a.tex": "%\\documentclass{x}", "b.tex": "B."}, None, "several files"),
        ({"a.md": "A.", "b.md": "B."}, None, "name the root file"),
        ({"a.bib": "", "b.sty": ""}, None, "no draft among the files"),
        ({}, None, "no draft among the files"),
        ({"a.tex": "A."}, "b.tex", "b.tex: no such file, expected a draft; the files given are a.tex"),
        ({"a.tex": "A.", "./a.tex": "B."}, None, "./a.tex: the same file as 'a.tex'"),
        ({"a.tex": "A.\n\ud800"}, None, "a.tex:2: unpaired surrogate"),
        ({"a.tex": b"A\0"}, None, "a.tex:1: not a text file"),
        ({"a": b"A\0"}, None, "a: not a text file"),
    ],
)
def test_what_cannot_be_read(files: dict[str, str | bytes], root: str | None, problem: str) -> None:
    """Where no root can be told, or a content is no text, the error names the files."""
    with pytest.raises(InputError) as caught:
        read_files(files, root)
    assert problem in str(caught.value)


def test_files_in_memory_have_limits() -> None:
    """A text over the limit of its reader is refused as on disk."""
    with pytest.raises(TooLargeError, match="more than 32,000,000 bytes"):
        read_files({"a.tex": b"x" * 32_000_001})
    memory = MemoryFiles({"a.tex": "12345"})
    assert memory.read(memory.path("a.tex"), 5) == b"12345"
    with pytest.raises(TooLargeError):
        memory.read(memory.path("a.tex"), 4)


def test_any_files_can_be_read() -> None:
    """`read_draft` takes whatever has the methods of `DraftFiles`."""
    memory = MemoryFiles({"a.txt": "A title\n\nText [CITE]."})
    assert texts(read_draft(memory, memory.path("a.txt"))) == ["Text."]


def test_a_compressed_file_is_not_edited() -> None:
    """A compressed draft can be read, but an edit of it would destroy it."""
    import gzip

    files = {"a.tex": gzip.compress(b"Text \\cite{TODO}.")}
    memory = MemoryFiles(files)
    draft = read_files(files)
    (marker,) = markers(draft)
    with pytest.raises(InputError, match="compressed"):
        Patch([fill(draft, marker, ["new"], memory)], draft.path, memory)
    with pytest.raises(InputError, match="compressed"):
        Patch([Edit("a.tex", 0, 0, "x")], "a.tex", memory)
