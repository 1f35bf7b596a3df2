"""A session and other processes that change its library."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hash_encoder import HashEncoder
from small_library import make, make_toy, paper, unsynced

from citewhy.base.config import CACHE_VARIABLE, LIBRARY_VARIABLE
from citewhy.base.errors import LibraryError, LockedError
from citewhy.papers.library.store import Library
from citewhy.search.index import open_index
from citewhy.session.session import Session

ZEBRAS = "Zebras have stripes."


def elsewhere(code: str) -> None:
    """Runs code in another process."""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)


@pytest.fixture
def folder(toy: Path, tmp_path: Path) -> Path:
    with unsynced(), make_toy(tmp_path / "library", toy) as made:
        return made.folder


def first(session: Session, text: str = ZEBRAS) -> str:
    """Id of the first suggestion; empty where there is none."""
    found = session.suggest(text, 1)
    return found[0].paper.id if found else ""


@pytest.mark.parametrize("pipeline", ["bm25", "full"])
def test_what_another_process_adds_is_found(folder: Path, tmp_path: Path, pipeline: str) -> None:
    """Without opening the session again, with its index or without; so is what it removes."""
    (tmp_path / "zebra.jsonl").write_text('{"id": "zebra", "title": "Stripes of zebras", "year": 2001}\n')
    with Session(folder, pipeline=pipeline, encoder=HashEncoder()) as session:  # type: ignore[arg-type]
        assert first(session) != "zebra"
        before = session.recommender()
        assert session.recommender() is before
        elsewhere(
            "from citewhy import Session\n"
            f"Session({str(folder)!r}).add([{str(tmp_path / 'zebra.jsonl')!r}], vectors=False)"
        )
        assert first(session) == "zebra"
        assert session.paper("zebra").year == 2001
        elsewhere(f"from citewhy import Library\nLibrary.open({str(folder)!r}).remove(['zebra'])")
        assert first(session) != "zebra"


def test_passages_follow(folder: Path) -> None:
    """Without any recommender, too."""
    with Session(folder) as session:
        assert session.passages("P02-1040", "n-grams").passages
        with Library.open(folder) as library:
            library.add([paper("zebra", "Stripes", "Stripes are seen on zebras.")])
        assert session.passages("zebra", ZEBRAS).passages


def test_a_writer_at_work_is_in_nobodys_way(folder: Path) -> None:
    """While another process writes, and before it commits, questions have the answers of before."""
    writer = sqlite3.connect(folder / "library.db", isolation_level=None)
    with contextlib.closing(writer), Session(folder, pipeline="bm25") as session:
        before = session.suggest("BLEU scores")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM papers")
        assert session.suggest("BLEU scores") == before
        assert session.paper("P02-1040")
        assert session.info().papers == 13
        writer.execute("ROLLBACK")


def test_many_ask_while_another_writes(folder: Path) -> None:
    """Nobody fails and nobody is given half a state: what a paper is said to be, it is."""
    with Session(folder, encoder=HashEncoder()) as session, Library.open(folder) as writer:

        def ask(_: int) -> list[str]:
            found = session.suggest(ZEBRAS, 3, threshold=0.0)
            return [each.paper.title for each in found if each.paper.id.startswith("zebra")]

        with ThreadPoolExecutor(4) as pool:
            answers = pool.map(ask, range(60))
            for number in range(6):
                writer.add([paper(f"zebra{number}", f"Stripes of zebras, part {number}")])
                writer.remove([f"zebra{number - 1}"] if number else [])
            told = {title for titles in answers for title in titles}
        assert told <= {f"Stripes of zebras, part {number}" for number in range(6)}
        assert ask(0) == ["Stripes of zebras, part 5"]


def test_a_library_that_cannot_be_reopened_yet(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the new state is locked, questions are answered from the old one, until it is free."""
    with Session(folder, pipeline="bm25") as session:
        assert first(session) != "zebra"
        with Library.open(folder) as writer:
            writer.add([paper("zebra", "Stripes of zebras")])

        def locked(*_: object) -> None:
            raise LockedError("another process is writing to the library")

        with monkeypatch.context() as patch:
            patch.setattr("citewhy.search.index.local.engine.LocalEngine.open", locked)
            assert first(session) != "zebra"
            assert first(session) != "zebra"
        assert first(session) == "zebra"


def test_an_error_that_stays_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that was removed does not go on answering."""
    with Session(folder, pipeline="bm25") as session:
        session.suggest(ZEBRAS)
        shutil.rmtree(folder)
        with pytest.raises(LibraryError, match="there is no library in this folder"):
            session.suggest(ZEBRAS)


def test_a_library_that_was_made_again(folder: Path, tmp_path: Path) -> None:
    """Another file in its place is another library, even of the same generation."""
    with Session(folder, pipeline="bm25") as session:
        generation = session.info().generation
        assert first(session, "BLEU scores") == "P02-1040"
        with unsynced(), make(tmp_path / "other", [paper("a", "Stripes of zebras")]) as other:
            for number in range(generation - other.generation):
                other.add([paper(f"more {number}")])
            assert other.generation == generation
        shutil.rmtree(folder)
        (tmp_path / "other").rename(folder)
        assert first(session) == "a"
        assert first(session, "BLEU scores") == ""


def test_from_the_starter_library_to_ones_own(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The starter library answers until papers are added, and then it does not."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setenv(LIBRARY_VARIABLE, str(tmp_path / "own"))
    with Session(pipeline="bm25") as session:
        assert session.info().starter
        assert first(session, "attention without recurrence") == "arXiv:1706.03762"
        session.add([toy / "papers.jsonl"], vectors=False)
        assert not session.info().starter
        assert session.folder == tmp_path / "own"
        assert first(session, "BLEU scores of translation") == "P02-1040"


def test_nothing_is_opened_again_without_need(folder: Path) -> None:
    """A question about an unchanged library reads two rows, and opens nothing."""
    encoder = HashEncoder()
    with Session(folder, encoder=encoder) as session:
        session.suggest(ZEBRAS)
        batches, recommender = len(encoder.batches), session.recommender()
        with Library.open(folder) as other:
            open_index(other)
        for _ in range(3):
            session.suggest(ZEBRAS)
        assert (len(encoder.batches), session.recommender()) == (batches, recommender)
