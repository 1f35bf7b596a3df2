"""What people type first: each gets an answer, or a sentence with what was expected and what to do."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

Run = Callable[..., tuple[int, str, str]]

TEXT = "\\documentclass{article}\\begin{document}\n%s\n\\bibliography{refs}\n\\end{document}\n"
ROOT = "\\documentclass{book}\\begin{document}\\input{one}\\bibliography{refs}\\end{document}\n"
OPEN = TEXT % "Power is exercised through discipline \\cite{}."
REFS = (
    "@book{foucault1977,author={Foucault, Michel},"
    "title={Discipline and Punish: The Birth of the Prison},year={1977}}\n"
    "@book{kuhn1962,author={Kuhn, Thomas},title={The Structure of Scientific Revolutions},year={1962}}\n"
)

FILES: dict[str, str | bytes] = {
    "x.tex": OPEN,
    "refs.bib": REFS,
    "folder/x.tex": OPEN,
    "folder/refs.bib": REFS,
    "book/main.tex": ROOT,
    "book/one.tex": "Power is exercised through discipline \\cite{}.\n",
    "book/refs.bib": REFS,
    "alone/x.tex": OPEN.replace("\\bibliography{refs}\n", ""),
    "missing/x.tex": OPEN.replace("{refs}", "{nowhere}"),
    "typo.tex": TEXT % "Science has paradigms \\cite{kuhn62}.",
    "crlf.tex": b"\xef\xbb\xbf" + OPEN.replace("\n", "\r\n").encode(),
    "notes.txt": "Discipline is power [CITE].\n",
    "plain.txt": "There are no marks here.\n",
    "empty.tex": "",
    "empty.bib": "",
    "thesis.docx": "PK",
    "paper.pdf": "%PDF-1.4\n",
    "photo.png": b"\x89PNG\r\n\x1a\n\0\0",
    "latin.bib": b"@book{a,author={M\xfcller},title={Grundlagen der Physik},year={1990}}",
    "broken.bib": "@book{a,author={Miller},title={Ground of physics},year={1990}\n\n@book{b,title={Optics}}",
}


class Row(NamedTuple):
    """What is typed, and what has to be said."""

    typed: str
    code: int
    words: tuple[str, ...]
    never: str = "Traceback"


FILLED = ("1 open citation; 1 with a likely paper", "foucault1977")
NO_DRAFT = "which is not read as a draft; expected LaTeX"

ROWS = [
    Row("", 2, ("Usage: citewhy", "citewhy suggest DRAFT.tex")),
    Row("help", 0, ("Usage: citewhy", "suggest")),
    Row("sugest x.tex", 2, ("Did you mean 'suggest'?",)),
    Row("x.tex", 2, ("x.tex is no command", "citewhy suggest x.tex", "citewhy add x.tex")),
    Row("refs.bib", 2, ("refs.bib is no command", "citewhy add refs.bib")),
    Row("search Foucault", 2, ("Did you mean 'find'?",), "enrich"),
    Row("undo x.tex", 2, ("Did you mean 'suggest DRAFT --undo'?",)),
    Row("version", 2, ("Did you mean '--version'?",)),
    Row("suggest x.tex", 0, FILLED),
    Row("suggest", 2, ("give either a DRAFT or --text",)),
    Row("suggest -", 2, ("standard input is empty; pipe a text into it",)),
    Row("suggest - --write", 2, ("standard input cannot be written; save the text",)),
    Row("review -", 2, ("not read from standard input; save it",)),
    Row("suggest missing.tex", 2, ("missing.tex: no such file", "name its root file")),
    Row("suggest Power_is_discipline", 2, ("no such file", "citewhy suggest --text SENTENCE")),
    Row("suggest https://example.org/a", 2, ("nothing is downloaded",)),
    Row("suggest thesis.docx", 2, (NO_DRAFT, "pandoc thesis.docx -o thesis.md")),
    Row("suggest paper.pdf", 2, (NO_DRAFT, "give its source")),
    Row("suggest photo.png", 2, ("photo.png: not a text file", ".tex")),
    Row("suggest refs.bib", 2, (NO_DRAFT, "citewhy add refs.bib")),
    Row("suggest empty.tex", 2, ("the file is empty, expected a draft",)),
    Row("suggest folder", 0, FILLED),
    Row("suggest nothing", 2, ("nothing: a folder: no draft among the files",)),
    Row("suggest book/one.tex", 0, FILLED),
    Row("suggest crlf.tex", 0, FILLED),
    Row("suggest typo.tex", 0, ("not in the bibliography: kuhn62", "kuhn1962")),
    Row("suggest alone/x.tex", 0, ("the built-in starter library", "citewhy add FILE")),
    Row("suggest missing/x.tex", 0, ("nowhere",)),
    Row("suggest notes.txt", 0, ("the built-in starter library", "1 open citation")),
    Row("suggest plain.txt", 0, ("no open citations. Mark one with [CITE]", "citewhy review plain.txt")),
    Row("suggest x.tex -k 0", 2, ("'-k': 0 is not in the range",)),
    Row("suggest x.tex --at-least 2", 2, ("'--at-least': 2.0 is not in the range",)),
    Row("suggest x.tex --library nosuch", 2, ("there is no library in this folder", "citewhy add")),
    Row("suggest x.tex --undo", 2, ("nothing to undo for x.tex",)),
    Row("suggest x.tex --write", 1, ("nothing was changed",)),
    Row("suggest x.tex --choose", 0, ("Nothing to write", "you stopped before it: x.tex:2")),
    Row("review refs.bib", 2, (NO_DRAFT,)),
    Row("add x.tex --library new", 2, ("it has no citations; expected a finished draft",)),
    Row("add paper.pdf --library new", 2, ("the file is a PDF", "GROBID")),
    Row("add photo.png --library new", 2, ("the content is of no known format",)),
    Row("add nosuch.bib --library new", 2, ("there is no such file or folder; check the path",)),
    Row("add nothing --library new", 2, ("no file here has a known format",)),
    Row("add empty.bib --library new", 2, ("the file is empty; expected papers",)),
    Row("add latin.bib --no-vectors --library new", 0, ("read as", "cp1252", "save the file as UTF-8")),
    Row("add broken.bib --no-vectors --library new", 0, ("broken.bib:1: entry 'a'",)),
    Row("add . --no-vectors --library new", 0, ("Files of unknown format, not read", "PDFs, not read: 1")),
    Row("find", 2, ("give either a TEXT or --like",)),
    Row("find _", 2, ("the text is empty; give words",)),
    Row("find 10.1000/xyz", 1, ("no paper in the built-in starter library has the DOI 10.1000/xyz; add",)),
    Row("find doi:10.1000/xyz", 1, ("starter library has the DOI 10.1000/xyz; add your own",)),
    Row("find pmid:12345", 1, ("no paper in the built-in starter library has the number pmid:12345",)),
    Row("find isbn:978-0-262-03384-8", 1, ("has the number isbn:978-0-262-03384-8; add your own",)),
    Row("find Foucault", 1, ("nothing in the built-in starter library fits 'Foucault'; add your own",)),
    Row("find Papieni 2002", 0, ("Showing results for “Papineni 2002”.", "found in the built-in starter")),
    Row("find Papieni 2002 --exact", 1, ("nothing in the built-in starter library fits 'Papieni 2002'",)),
    Row("find --like papineni2002bleu --exact", 2, ("--exact is for a TEXT; omit it",)),
    Row("info", 0, ("starter library: nothing has been added", "citewhy add FILE")),
    Row("info --library nosuch", 2, ("there is no library in this folder",)),
    Row("remove nosuch", 2, ("the starter library cannot be changed", "citewhy add FILE")),
    Row("backtest x.tex", 2, ("no citations to hide", "citewhy suggest")),
]
"""An underscore is a space within an argument."""


@pytest.mark.parametrize("row", ROWS, ids=[row.typed for row in ROWS])
def test_first_thing(row: Row, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code and words are as expected; errors are one line, and nothing is changed."""
    (tmp_path / "nothing").mkdir()
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    code, out, err = run(*(argument.replace("_", " ") for argument in row.typed.split()))
    said = " ".join(f"{out} {err}".split())
    assert code == row.code, said
    for words in row.words:
        assert words in said
    assert row.never not in said
    if code == 2 and row.typed:
        assert (out, err.count("\n")) == ("", 1)
    for name, content in FILES.items():
        assert (tmp_path / name).read_bytes() == (content.encode() if isinstance(content, str) else content)
