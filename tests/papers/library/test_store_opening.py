"""What can be opened as a library, and what is said where it cannot."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from pathlib import Path

import pytest
from library_world import batch, everything

from citewhy.base.errors import DamagedError, LibraryError, LockedError, StorageError, VersionError
from citewhy.papers.library import database, opening
from citewhy.papers.library.store import Library


def make(folder: Path) -> Path:
    """A library of one batch; returns its file."""
    with Library.open(folder, create=True) as library:
        library.add(batch(0))
    return folder / "library.db"


def test_a_library_is_one_file_at_rest(tmp_path: Path) -> None:
    """When nobody has it open, the folder can be copied: no journal, no leftovers of its making."""
    make(tmp_path / "deep" / "library")
    assert [file.name for file in (tmp_path / "deep" / "library").iterdir()] == ["library.db"]


@pytest.mark.parametrize("folder", ["missing", "empty"])
def test_no_library(tmp_path: Path, folder: str) -> None:
    """Without `create`, nothing is made, and the error says how to make one."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(
        LibraryError, match=r"there is no library in this folder; create one with: citewhy add"
    ) as caught:
        Library.open(tmp_path / folder)
    assert caught.value.path == str(tmp_path / folder)
    assert [path.name for path in tmp_path.rglob("*")] == ["empty"]


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    """A path that is a file is refused, and the file stays."""
    file = tmp_path / "refs.bib"
    file.write_text("@misc{a}")
    with pytest.raises(StorageError, match="cannot use this folder"):
        Library.open(file, create=True)
    assert file.read_text() == "@misc{a}"


def test_another_program_database(tmp_path: Path) -> None:
    """A SQLite file that is not ours is refused and not touched."""
    file = tmp_path / "library.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE notes (text)")
    connection.close()
    before = file.read_bytes()
    with pytest.raises(LibraryError, match="not a CiteWhy library"):
        Library.open(tmp_path, create=True)
    assert file.read_bytes() == before


def test_a_newer_layout(tmp_path: Path) -> None:
    """A library of a version to come is refused with both versions named, and not touched."""
    file = make(tmp_path)
    connection = sqlite3.connect(file)
    connection.execute(f"PRAGMA user_version = {opening.SCHEMA_VERSION + 1}")
    connection.close()
    before = file.read_bytes()
    with pytest.raises(VersionError, match="has format version 5, but this CiteWhy supports only 4; update"):
        Library.open(tmp_path, create=True)
    assert file.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"not a database, whatever its name says" * 100])
def test_a_file_that_is_no_database(tmp_path: Path, content: bytes) -> None:
    """An emptied or overwritten file is damage: a new library is not made in its place."""
    file = make(tmp_path)
    file.write_bytes(content)
    with pytest.raises(DamagedError):
        Library.open(tmp_path, create=True)
    assert file.read_bytes() == content


def test_a_journal_without_its_file(tmp_path: Path) -> None:
    """Where only the journal is left, a new library is not made beside it: it would be mixed into it."""
    (tmp_path / "library.db-wal").write_bytes(b"left over")
    with pytest.raises(DamagedError, match="the library's file is missing"):
        Library.open(tmp_path, create=True)


def test_an_old_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system library that is too old is named before anything is made."""
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 7, 15))
    with pytest.raises(LibraryError, match="or newer is required"):
        Library.open(tmp_path, create=True)
    assert not list(tmp_path.iterdir())


def test_a_locked_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another process writes, a writer waits, then says so; readers are not disturbed."""
    file = make(tmp_path)
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with Library.open(tmp_path) as library:
        before = everything(library)
        with pytest.raises(LockedError, match="another process is writing"):
            library.add(batch(1))
        assert everything(library) == before
        other.execute("ROLLBACK")
        other.close()
        assert library.add(batch(1)).changed


def test_writing_while_reading_is_refused(tmp_path: Path) -> None:
    """A library that is being read through cannot change under its reader."""
    make(tmp_path)
    with Library.open(tmp_path) as library:
        papers = library.numbered_papers()
        assert isinstance(papers, Generator)
        next(papers)
        with pytest.raises(LibraryError, match="finish reading"):
            library.add(batch(1))
        papers.close()
        assert library.add(batch(1)).changed


def test_names_with_signs(tmp_path: Path) -> None:
    """A folder's name may hold what means something in a file address."""
    folder = tmp_path / "50% of what? #1 & more ü"
    make(folder)
    with Library.open(folder) as library:
        assert library.generation == 1


def test_everything_is_closed_after_a_refusal(tmp_path: Path) -> None:
    """A file that could not be opened as a library can be removed or replaced at once."""
    file = make(tmp_path)
    good = file.read_bytes()
    file.write_bytes(bytes(4096))
    with pytest.raises(DamagedError):
        Library.open(tmp_path)
    file.write_bytes(good)
    with Library.open(tmp_path) as library:
        library.verify()
