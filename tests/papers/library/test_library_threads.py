"""One open library, asked by many threads at once."""

from __future__ import annotations

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from small_library import make, paper

from citewhy.papers.library.store import Library

PAPERS = [paper(f"p{number}", f"Title {number}", year=1990 + number) for number in range(20)]


def test_threads_read_at_once(tmp_path: Path) -> None:
    """Each thread is given what a single one is, inside of a block of reading as well."""

    def read(number: int) -> tuple[str, int]:
        with library.reading():
            return library.paper(f"p{number % 20}").title, library.generation

    with make(tmp_path, PAPERS) as library, ThreadPoolExecutor(8) as pool:
        assert list(pool.map(read, range(400))) == [(f"Title {number % 20}", 1) for number in range(400)]


def test_a_block_of_reading_is_a_threads_own(tmp_path: Path) -> None:
    """While one thread holds on to a state, another one writes, and the first still sees its state."""
    with make(tmp_path, PAPERS) as library:
        with library.reading():
            assert library.generation == 1
            with ThreadPoolExecutor(1) as other:
                other.submit(library.add, [paper("new")]).result()
                assert other.submit(lambda: library.generation).result() == 2
            assert library.generation == 1
            assert library.canonical("new") is None
        assert library.canonical("new") == "new"


def test_closing_closes_the_connections_of_all_threads(tmp_path: Path) -> None:
    """Of those that ended, and of those that live: SQLite removes its journal with the last connection."""
    library = make(tmp_path, PAPERS)
    for _ in range(3):
        thread = threading.Thread(target=library.paper, args=("p1",))
        thread.start()
        thread.join()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(library.paper, "p1").result()
        library.close()
        with pytest.raises(sqlite3.ProgrammingError):
            pool.submit(library.paper, "p1").result()
        assert [each.name for each in tmp_path.iterdir()] == ["library.db"]


def test_a_closed_library_opens_no_connection(tmp_path: Path) -> None:
    """A thread that asks for the first time after the library was closed is refused."""
    make(tmp_path, PAPERS).close()
    library = Library.open(tmp_path)
    library.close()
    with ThreadPoolExecutor(1) as pool, pytest.raises(sqlite3.ProgrammingError):
        pool.submit(library.paper, "p1").result()
