"""Large bibliographies are parsed once, and what is kept of them is never in the way."""

from pathlib import Path

import pytest

from citewhy.base.records import Paper, Place, Reference
from citewhy.drafts import parsed_bibliographies
from citewhy.drafts.parsed_bibliographies import Parsed, folder, parsed

TEXT = "@article{reed, title = {Reeds}}\n"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITEWHY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Parser:
    """Counts how often it parses."""

    def __init__(self, title: str = "Reeds") -> None:
        paper = Paper("reed", title, authors=("Ann Marsh",), year=1990)
        reference = Reference("reed", paper, Place("r.bib", 0, 31, 1))
        self.result = Parsed([reference], ["r.bib:1: odd"], {"x": "{X}"})
        self.calls = 0

    def __call__(self) -> Parsed:
        self.calls += 1
        return self.result

    def ask(self, text: str = TEXT, name: str = "r.bib", least: int = 1) -> Parsed:
        return parsed(name, text, {}, self, least)


def test_the_same_text_is_parsed_once() -> None:
    """The second time entries, problems and macros come from the cache, and are the same."""
    parser = Parser()
    assert parser.ask() == parser.result
    assert parser.ask() == parser.result
    assert parser.calls == 1


def test_another_text_or_file_or_code_is_parsed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed bibliography, one of another name, and another version of the parser are parsed."""
    parser = Parser()
    parser.ask()
    parser.ask(TEXT + "%")
    parser.ask(name="s.bib")
    monkeypatch.setattr(parsed_bibliographies, "_newest_code", lambda: 1)
    parser.ask()
    assert parser.calls == 4


def test_a_small_bibliography_is_not_kept() -> None:
    """What is parsed in a moment leaves no file."""
    parser = Parser()
    parser.ask(least=1_000)
    assert not folder().exists()


@pytest.mark.parametrize("damage", [b"", b"citewhy bibliography 1\n", None])
def test_a_damaged_file_is_ignored_and_replaced(damage: bytes | None) -> None:
    """An empty, a short, and a changed file count as none."""
    parser = Parser()
    parser.ask()
    (kept,) = folder().iterdir()
    content = kept.read_bytes()
    kept.write_bytes(content.replace(b"Reeds", b"Weeds") if damage is None else damage)
    assert parser.ask() == parser.result
    assert parser.calls == 2
    assert kept.read_bytes() == content


def test_a_folder_that_cannot_be_written_is_ignored(cache: Path) -> None:
    """Where the user's cache is a file, everything is parsed, without an error."""
    cache.write_text("no folder")
    parser = Parser()
    assert parser.ask() == parser.ask() == parser.result
    assert parser.calls == 2


def test_the_oldest_goes_where_there_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is kept has at most `MOST_BYTES`."""
    parser = Parser()
    parser.ask()
    (kept,) = folder().iterdir()
    monkeypatch.setattr(parsed_bibliographies, "MOST_BYTES", 5 * kept.stat().st_size // 2)
    for number in range(4):
        parser.ask(f"{TEXT}{number}")
    assert sum(file.stat().st_size for file in folder().iterdir()) <= parsed_bibliographies.MOST_BYTES
    calls = parser.calls
    parser.ask(f"{TEXT}3")
    assert parser.calls == calls
