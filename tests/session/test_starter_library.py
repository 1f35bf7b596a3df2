"""The library that answers when none was made yet."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from flipped import flip_a_record

from citewhy.base.config import CACHE_VARIABLE, LIBRARY_VARIABLE
from citewhy.base.errors import LibraryError, StorageError
from citewhy.base.records import Paper
from citewhy.papers.library.store import Library
from citewhy.search.index import open_index
from citewhy.session.starter import open_library, open_starter


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the starter library."""
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(CACHE_VARIABLE, str(cache))
        open_starter().close()
    return cache


@pytest.fixture
def cache(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that cache, which a test may damage."""
    folder = Path(shutil.copytree(made, tmp_path / "cache"))
    monkeypatch.setenv(CACHE_VARIABLE, str(folder))
    monkeypatch.setenv(LIBRARY_VARIABLE, str(tmp_path / "own"))
    return folder


def starter_folder(cache: Path) -> Path:
    (folder,) = cache.iterdir()
    return folder


def test_it_is_made_once(cache: Path) -> None:
    """The second call opens what the first one made; the index is there; nothing else is left behind."""
    folder = starter_folder(cache)
    before = (folder / "library.db").stat()
    with open_library() as library:
        assert library.folder == folder
        assert library.counts()["papers"] > 500
        assert open_index(library).generation == library.generation == 1
    after = (folder / "library.db").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert list(cache.iterdir()) == [folder]


def test_the_users_own_comes_first(cache: Path, tmp_path: Path) -> None:
    """As soon as something was added, the starter library is out of the way."""
    with Library.open(tmp_path / "own", create=True) as own:
        own.add([Paper("a", "A Title")])
    with open_library() as library:
        assert library.folder == tmp_path / "own"
        assert library.counts()["papers"] == 1


def test_a_named_library(cache: Path, tmp_path: Path) -> None:
    """A folder that is named is opened or refused; the starter library does not stand in for it."""
    with pytest.raises(LibraryError, match="there is no library in this folder"):
        open_library(tmp_path / "elsewhere")


@pytest.mark.parametrize("damage", ["flipped", "cut", "empty", "gone", "foreign"])
def test_a_damaged_one_is_made_again(cache: Path, damage: str) -> None:
    """It is a cache: nothing in it is worth a message that only asks to restore it."""
    file = starter_folder(cache) / "library.db"
    if damage == "flipped":
        flip_a_record(file)
    content = bytearray(file.read_bytes())
    if damage == "cut":
        del content[len(content) // 2 :]
    elif damage == "empty":
        content.clear()
    elif damage == "foreign":
        content[:] = b"no database at all" * 1000
    file.write_bytes(content)
    if damage == "gone":
        file.unlink()
    with open_starter() as library:
        library.verify()
        assert library.paper("arXiv:1706.03762").title == "Attention Is All You Need"
    assert len(list(cache.iterdir())) == 1


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the folder, and the variable that names another."""
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file" / "cache"))
    with pytest.raises(StorageError, match=CACHE_VARIABLE) as raised:
        open_starter()
    assert str(raised.value).startswith(str(tmp_path / "file" / "cache"))
