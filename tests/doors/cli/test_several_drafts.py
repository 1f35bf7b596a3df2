"""`citewhy suggest` with several drafts, or a folder of chapters: one after the other, one summary."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

Run = Callable[..., tuple[int, str, str]]

REFS = (
    "@book{foucault1977,author={Foucault, Michel},"
    "title={Discipline and Punish: The Birth of the Prison},year={1977}}\n"
    "@book{kuhn1962,author={Kuhn, Thomas},title={The Structure of Scientific Revolutions},year={1962}}\n"
)
FILES = {
    "refs.bib": REFS,
    "ch1.md": "Power is exercised through discipline [Foucault 1977?].\n",
    "ch2.md": "Science has paradigms [Kuhn 1962?].\n\nPrisons are old [@foucault77].\n",
    "ch10.md": "Nothing is open here.\n",
    "README.md": "These are chapters.\n",
}


@pytest.fixture(autouse=True)
def chapters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with chapters and a bibliography, which is the working folder."""
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_text(encoding="utf-8") for name in FILES}


def test_a_folder_of_chapters(run: Run) -> None:
    """Each is answered below its name, chapter 2 before chapter 10; the last lines count all of them."""
    code, out, err = run("suggest", ".")
    assert code == 0
    assert err.count("refs.bib in the same folder is used") == 3
    heads = [line for line in out.splitlines() if line.startswith("ch")]
    assert [head.partition(":")[0] for head in heads] == ["ch1.md", "ch2.md", "ch10.md"]
    assert "ch2.md: 2 open citations" in out
    assert "ch10.md: no open citations" in out
    assert "3 drafts: 3 open citations; 3 with a likely paper; 1 key that no" in out


def test_for_programs(run: Run) -> None:
    """One JSON document has those of all drafts; an export has each paper once."""
    code, out, _ = run("suggest", "ch1.md", "ch2.md", "--json")
    assert code == 0
    documents = orjson.loads(out)["drafts"]
    assert [one["draft"] for one in documents] == ["ch1.md", "ch2.md"]
    assert [len(one["places"]) for one in documents] == [1, 2]
    _, out, _ = run("suggest", "ch1.md", "ch2.md", "--only", "mine", "--bibtex")
    assert out.count("@book{foucault1977") == 1


def test_one_that_cannot_be_read(run: Run) -> None:
    """The others are answered, and the exit code says that something was wrong."""
    code, out, err = run("suggest", "gone.md", "ch1.md", "refs.bib", "ch2.md")
    assert code == 2
    assert [line.split(": ")[1] for line in err.splitlines()][:2] == ["gone.md", "refs.bib"]
    assert "2 drafts: 3 open citations" in out


def test_parts_of_another(run: Run, chapters: Path) -> None:
    """Of `*.tex`, the parts of a root are answered with it, not once more."""
    root = "\\documentclass{book}\\begin{document}\\input{one}\\bibliography{refs}\\end{document}\n"
    (chapters / "thesis.tex").write_text(root, encoding="utf-8")
    (chapters / "one.tex").write_text("Power is exercised through discipline \\cite{}.\n", encoding="utf-8")
    code, out, err = run("suggest", "one.tex", "thesis.tex", "ch1.md")
    assert code == 0
    assert "citewhy: one.tex is answered with thesis.tex, which includes it\n" in err
    assert "2 drafts: 2 open citations" in out


def test_write_and_undo(run: Run, chapters: Path) -> None:
    """Each draft is written, and says what was done; one command takes all of it back."""
    code, _, err = run("suggest", ".", "--write", "--yes")
    assert code == 0
    assert err.splitlines()[-3:] == [
        "ch1.md: 1 written, 0 left open",
        "ch2.md: 2 written, 0 left open",
        "ch10.md: 0 written, 0 left open",
    ]
    assert contents(chapters)["ch1.md"] == "Power is exercised through discipline [@foucault1977].\n"
    code, out, err = run("suggest", "--undo", ".")
    assert code == 0
    assert out.count("restored") == 2
    assert "nothing to undo for ch10.md" in err
    assert contents(chapters) == FILES
    code, out, err = run("suggest", "--undo", ".")
    assert (code, out, err) == (2, "", "citewhy: nothing to undo for ch1.md\n")


def test_choose_and_stop(run: Run, chapters: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who stops in one draft is not asked about those after it; what was chosen is written."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n1\ns\ny\n"))
    (chapters / "ch3.md").write_text("Old prisons [CITE].\n", encoding="utf-8")
    code, _, err = run("suggest", "--choose", "--yes", "ch1.md", "ch2.md", "ch3.md")
    assert code == 0
    assert err.splitlines()[-3:] == [
        "ch1.md: 1 written, 0 left open",
        "ch2.md: 1 written, 1 left open",
        "ch3.md: not asked about any more",
    ]
    assert "[@kuhn1962]" in contents(chapters)["ch2.md"]
