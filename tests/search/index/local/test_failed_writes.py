"""What cannot be written is not sealed, what cannot be loaded is made again, and nobody waits without end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from hash_encoder import HashEncoder
from numpy.typing import NDArray
from small_library import index_contents, paper

from citewhy.base import artifact
from citewhy.base.artifact import MANIFEST, UNFINISHED, checksum, one_writer, read_manifest
from citewhy.base.errors import LockedError, ModelError, StorageError
from citewhy.papers.library.store import Library
from citewhy.search.index import open_index
from citewhy.search.index.arrays import map_array, save_array
from citewhy.search.index.local.engine import LocalEngine
from citewhy.search.index.local.faiss_store import FaissStore
from citewhy.search.index.local.snapshot import read_state

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")


@needs_full
@pytest.mark.parametrize("count", [1, 1_000_000])
def test_an_array_that_does_not_fit(count: int) -> None:
    """A full disk is an error, even if it is only noticed when the file is closed."""
    with pytest.raises(OSError, match="No space left"):
        save_array(FULL, np.arange(count))


@needs_full
@pytest.mark.parametrize("count", [1, 100_000])
def test_vectors_that_do_not_fit(tmp_path: Path, count: int) -> None:
    """The same for vectors, whose library reports it in its own way or not at all."""
    (tmp_path / "vectors.faiss").symlink_to(FULL)
    with pytest.raises(OSError, match="No space left"):
        FaissStore.build(np.ones((count, 4), dtype=np.float16)).save(tmp_path)


@pytest.mark.parametrize(
    "array", [np.arange(12, dtype=np.int32).reshape(3, 4), np.zeros(0, np.int64), np.array([b"ab", b"c"])]
)
def test_arrays_are_as_numpy_writes_them(tmp_path: Path, array: NDArray[Any]) -> None:
    """Byte for byte; and they are read back."""
    save_array(tmp_path / "ours.npy", array)
    np.save(tmp_path / "theirs.npy", array, allow_pickle=False)
    assert (tmp_path / "ours.npy").read_bytes() == (tmp_path / "theirs.npy").read_bytes()
    assert np.array_equal(map_array(tmp_path / "ours.npy"), array)


def test_vectors_are_read_back(tmp_path: Path) -> None:
    """As they were written."""
    vectors = np.eye(4, dtype=np.float16)
    FaissStore.build(vectors).save(tmp_path)
    assert np.array_equal(FaissStore.load(tmp_path).get(np.arange(4)), vectors)


def test_a_sealed_file_that_cannot_be_loaded(tmp_path: Path) -> None:
    """A short file with a checksum of its own counts as damage: the next query makes the index again."""
    with Library.open(tmp_path, create=True) as library:
        library.add([paper(f"p{number}") for number in range(5)])
        expected = index_contents(open_index(library), ["title"])
        folder = tmp_path / "index" / read_state(tmp_path / "index").papers[0]
        short = folder / "text.documents.npy"
        short.write_bytes(short.read_bytes()[:-3])
        manifest = orjson.loads((folder / MANIFEST).read_bytes())
        manifest["files"][short.name] |= {"bytes": short.stat().st_size, "crc32": checksum(short)}
        (folder / MANIFEST).write_bytes(orjson.dumps(manifest))
        read_manifest(folder)
        assert index_contents(open_index(library), ["title"]) == expected


HOLDER = """
import fcntl, sys
with open(sys.argv[1], "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_lock_that_is_not_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that holds the lock and is stopped keeps others waiting for a limited time only."""
    monkeypatch.setattr(artifact, "LOCK_SECONDS", 0.05)
    with Library.open(tmp_path / "library", create=True) as library:
        library.add([paper("p1")])
        lock = tmp_path / "library" / "index" / ".lock"
        lock.parent.mkdir()
        command = [sys.executable, "-c", HOLDER, str(lock)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            assert holder.stdout is not None
            holder.stdout.readline()
            with pytest.raises(LockedError, match="another process is updating this folder"):
                open_index(library)
            holder.communicate()
        open_index(library)


def test_leftovers_of_killed_processes(tmp_path: Path) -> None:
    """Who has the lock removes what others left unfinished, and nothing else."""
    folder = tmp_path / "index"
    with one_writer(folder, "test"):
        pass
    (folder / UNFINISHED / "papers-x").mkdir(parents=True)
    (folder / UNFINISHED / "papers-x" / "a.npy").write_text("half")
    (folder / UNFINISHED / "link").symlink_to(tmp_path)
    (folder / ".papers-x.0123456789abcdef").write_text("mine")
    (tmp_path / "mine").write_text("mine")
    with one_writer(folder, "test"):
        assert not any((folder / UNFINISHED).iterdir())
    assert {path.name for path in folder.iterdir()} == {".papers-x.0123456789abcdef", ".lock"}
    assert (tmp_path / "mine").exists()


@pytest.mark.parametrize("name", ["index", "vectors"])
@pytest.mark.parametrize("kind", ["folder", "file"])
def test_folders_of_the_author_are_not_taken(tmp_path: Path, name: str, kind: str) -> None:
    """A library may be made in the folder of a book with a chapter called index: it is refused, and kept."""
    chapter = tmp_path / name / "papers-of-mine" / "notes" if kind == "folder" else tmp_path / name
    chapter.parent.mkdir(parents=True, exist_ok=True)
    chapter.write_text("mine")
    with Library.open(tmp_path, create=True) as library:
        library.add([paper("p1")])
        for _ in range(2):
            with pytest.raises(StorageError, match="not one that it made"):
                open_index(library, HashEncoder())
        LocalEngine().remove(library)
    assert chapter.read_text() == "mine"


def test_a_link_in_place_of_the_index(tmp_path: Path) -> None:
    """The index is made again in its own place, and nothing changes where the link points to. The same for a
    folder in place of the file that says what is current."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "notes").write_text("mine")
    with Library.open(tmp_path / "library", create=True) as library:
        library.add([paper("p1")])
        for name in ("index", "vectors"):
            (library.folder / name).symlink_to(elsewhere)
        open_index(library, HashEncoder())
        current = library.folder / "index" / "current.json"
        for link in (False, True):
            current.unlink()
            if link:
                current.symlink_to(elsewhere)
            else:
                (current / "a").mkdir(parents=True)
            assert len(open_index(library).papers()) == 1
            assert current.is_file()
            assert not current.is_symlink()
    assert [path.name for path in elsewhere.iterdir()] == ["notes"]


class Crooked(HashEncoder):
    """An encoder whose vectors are `length` long."""

    def __init__(self, length: float) -> None:
        super().__init__()
        self._length = length

    def encode(self, texts, kind):  # type: ignore[no-untyped-def]
        return super().encode(texts, kind) * np.float32(self._length)


@pytest.mark.parametrize("length", [float("nan"), float("inf"), 0.5, 11_250.0])
def test_vectors_of_another_length(tmp_path: Path, length: float) -> None:
    """They are refused, and not cached."""
    with Library.open(tmp_path, create=True) as library, np.errstate(invalid="ignore"):
        library.add([paper("p1")])
        with pytest.raises(ModelError, match=r"made a vector of length|finite numbers of shape"):
            open_index(library, Crooked(length))
        open_index(library, HashEncoder())
