"""`citewhy info`: what is in a library, and whether it is whole."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from flipped import flip_a_record

from citewhy.base.config import CACHE_VARIABLE, LIBRARY_VARIABLE
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Paper
from citewhy.doors.cli import main
from citewhy.papers.formats import read
from citewhy.papers.library.store import Library
from citewhy.search.index import find_engine

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def info(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `citewhy info` with arguments: exit code, standard output, standard error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["citewhy", "info", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out, printed.err

    return call


@pytest.fixture
def folder(toy: Path, tmp_path: Path) -> Path:
    """A library of the toy corpus, with an index."""
    names = ["papers.jsonl", "contexts.jsonl", "citations.tsv", "fulltext.jsonl", "paper_aliases.tsv"]
    with Library.open(tmp_path / "library", create=True) as library:
        library.add_all((name, read(toy / name, ImportReport())) for name in names)
        find_engine().refresh(library)
    return tmp_path / "library"


def test_for_programs(info: Run, folder: Path) -> None:
    """One document with every count."""
    code, out, err = info("--library", folder, "--json")
    assert (code, err) == (0, "")
    document = orjson.loads(out)
    size = document.pop("bytes")
    assert size == sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    assert document == {
        "library": str(folder),
        "starter": False,
        "generation": 1,
        "papers": 13,
        "own_writings": 0,
        "with_abstract": 13,
        "with_full_text": 3,
        "contexts": 14,
        "contexts_waiting": 0,
        "citations": 13,
        "citations_waiting": 4,
        "aliases": 1,
        "first_year": 1993,
        "last_year": 2020,
        "index": "current",
        "vectors": "missing",
        "unencoded": 27,
        "loss": None,
        "languages": {"en": 13},
        "encode": "full",
        "tuning": None,
    }


def test_for_people(info: Run, folder: Path) -> None:
    """The same in a few lines."""
    code, out, err = info("--library", folder)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert "papers       13, 1993 to 2020" in lines
    assert "citations    13 of one paper by another" in lines
    assert "             4 of them of papers that the library does not have" in lines
    assert "search       ready" in lines
    assert not any(word in out for word in ("generation", "index", "vectors", "contexts", "aliases"))
    assert max(map(len, lines[1:])) <= 80
    assert lines[-1] == "All records are intact."


def test_the_languages_of_titles_are_counted(info: Run, folder: Path) -> None:
    """If some are not English; what that means is said with it."""
    assert "\nlanguages" not in info("--library", folder)[1]
    titles = ["Zur Theorie der Moose", "Die Moose des Nordens und der Schatten", "Les mots et les mousses"]
    with Library.open(folder) as library:
        library.add([Paper(f"x{number}", title) for number, title in enumerate(titles)])
    lines = info("--library", folder)[1].splitlines()
    assert any(line.startswith("languages    13 in English, 2 in German, 1 in French: ") for line in lines)
    assert max(map(len, lines[1:])) <= 80
    counts = orjson.loads(info("--library", folder, "--json")[1])["languages"]
    assert counts == {"en": 13, "de": 2, "fr": 1}


def test_an_empty_library(info: Run, tmp_path: Path) -> None:
    """No papers, no years, no index: no error."""
    Library.open(tmp_path, create=True).close()
    code, out, err = info("--library", tmp_path)
    assert (code, err) == (0, "")
    assert "papers       0" in out.splitlines()
    assert "search       not prepared yet; the next answer prepares it" in out.splitlines()


@pytest.mark.parametrize("state", ["missing", "behind", "damaged"])
def test_the_state_of_the_index(info: Run, folder: Path, toy: Path, state: str) -> None:
    """An index that the next command will make again is named; it is not made here."""
    if state == "missing":
        shutil.rmtree(folder / "index")
    elif state == "behind":
        with Library.open(folder) as library:
            library.add(read(toy / "refs.bib", ImportReport()))
    else:
        largest = max((folder / "index").rglob("*.npy"), key=lambda file: file.stat().st_size)
        content = bytearray(largest.read_bytes())
        content[-1] ^= 1
        largest.write_bytes(content)
    for _ in range(2):
        code, out, _ = info("--library", folder, "--json")
        assert code == 0
        assert orjson.loads(out)["index"] == state
    told = {"missing": "not prepared yet", "behind": "papers were added", "damaged": "unfinished"}
    assert f"search       {told[state]}; the next answer " in info("--library", folder)[1]


def test_no_library(info: Run, tmp_path: Path) -> None:
    """Exit code 2 and one line that says how to make one."""
    code, out, err = info("--library", tmp_path / "missing")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(
        f"citewhy: {tmp_path / 'missing'}: there is no library in this folder; create one with: citewhy add"
    )


def test_the_starter_library(
    info: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a library of one's own it is the starter library that is told of, as `suggest` uses it, and
    named as such; with one it is not."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setenv(LIBRARY_VARIABLE, str(tmp_path / "own"))
    code, out, err = info()
    assert (code, err) == (0, "")
    assert out.startswith(f"Library      {tmp_path / 'cache' / 'starter-'}")
    told = f"the built-in starter library: nothing has been added to {tmp_path / 'own'} yet"
    assert told in " ".join(out.split())
    assert max(len(line) for line in out.splitlines() if str(tmp_path) not in line) <= 80
    assert all(line.split() == [str(tmp_path / "own")] for line in out.splitlines()[1:] if len(line) > 80)
    assert orjson.loads(info("--json")[1])["starter"]
    assert not (tmp_path / "own").exists()
    monkeypatch.setenv(LIBRARY_VARIABLE, str(folder))
    code, out, err = info()
    assert (code, err) == (0, "")
    assert out.startswith(f"Library      {folder}\npapers       13")


def test_a_damaged_library(info: Run, folder: Path) -> None:
    """A flipped bit in a record: exit code 2, the file, and what to do."""
    file = folder / "library.db"
    flip_a_record(file)
    code, out, err = info("--library", folder)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"citewhy: {file}: the library is damaged")
    assert err.endswith("; restore it from a backup, or add your files to a new library\n")
