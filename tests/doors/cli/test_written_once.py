"""`citewhy suggest --write` twice: what the first one inserted is no reason to write more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]

REFS = (
    "@book{foucault1977,author={Foucault, Michel},"
    "title={Discipline and Punish: The Birth of the Prison},year={1977}}\n"
    "@book{kuhn1962,author={Kuhn, Thomas},title={The Structure of Scientific Revolutions},year={1962}}\n"
)
TEXT = "Power is exercised through discipline [Foucault 1977?].\n\nScience has paradigms [CITE].\n"
AGAIN = "Nothing to write: the draft is as the last --write left it; --choose asks about the rest.\n"


@pytest.fixture(autouse=True)
def draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A draft with two open places, of which one is certain, in the working folder."""
    (tmp_path / "refs.bib").write_text(REFS, encoding="utf-8")
    (tmp_path / "draft.md").write_text(TEXT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "draft.md"


def write(run: Run, *more: str) -> str:
    code, out, err = run("suggest", "draft.md", "--write", "--yes", *more)
    assert code == 0
    return out + err


def test_the_same_again(run: Run, draft: Path) -> None:
    """With the same wishes and nothing changed, one sentence says so; other wishes are another question."""
    assert "To write: 1" in write(run, "--at-least", "1")
    written = draft.read_text(encoding="utf-8")
    assert AGAIN in write(run, "--at-least", "1")
    assert draft.read_text(encoding="utf-8") == written
    assert "To write: 1" in write(run, "--at-least", "0")


@pytest.mark.parametrize("name", ["draft.md", "refs.bib"])
def test_after_a_change(run: Run, draft: Path, name: str) -> None:
    """What the author has changed since may be a reason to write more."""
    write(run, "--at-least", "1")
    with (draft.parent / name).open("a", encoding="utf-8") as file:
        file.write("\n\n")
    assert AGAIN not in write(run, "--at-least", "1")


def test_after_undo(run: Run, draft: Path) -> None:
    """What was taken back may be written again."""
    write(run, "--at-least", "1")
    run("suggest", "draft.md", "--undo")
    assert draft.read_text(encoding="utf-8") == TEXT
    assert "To write: 1" in write(run, "--at-least", "1")


def test_with_another_library(run: Run, toy: Path) -> None:
    """Papers of a library that was not asked before may be written."""
    words = "--pipeline", "bm25"
    write(run, *words)
    assert AGAIN in write(run, *words)
    run("add", toy / "refs.bib", "--library", "library", "--no-vectors")
    assert AGAIN not in write(run, *words, "--library", "library")
