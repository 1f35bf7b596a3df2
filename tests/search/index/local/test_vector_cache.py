"""The cache of vectors: what is put in comes out, and what is no cache is begun anew."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from citewhy.base.errors import DamagedError, StorageError
from citewhy.search.index.local import vector_cache
from citewhy.search.index.local.vector_cache import VectorCache, damaged_rows, vector_key

D = 8

KEYS = [vector_key(f"text {number}", "encoder") for number in range(1200)]
VECTORS = np.random.default_rng(7).normal(size=(len(KEYS), D)).astype(np.float16)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vectors" / "cache.sqlite"


def fill(path: Path) -> None:
    with VectorCache(path, D) as cache:
        cache.put(dict(zip(KEYS, VECTORS, strict=True)))


def held(path: Path) -> int:
    """How many of all vectors come out, each as it was put in."""
    with VectorCache(path, D) as cache:
        found = cache.get(KEYS)
    for key, vector in found.items():
        assert np.array_equal(vector, VECTORS[KEYS.index(key)])
    return len(found)


def test_what_is_put_in_comes_out(path: Path) -> None:
    """To the last bit, also when it is opened again, however many are asked for at once; nothing else."""
    fill(path)
    assert held(path) == len(KEYS)
    with VectorCache(path, D) as cache:
        assert cache.get([vector_key("text 1", "another"), vector_key("text -1", "encoder")]) == {}
        assert cache.get([]) == {}
        assert cache.get(KEYS[:1] * 2).keys() == {KEYS[0]}


def test_the_later_of_two(path: Path) -> None:
    """A key that is put in twice has its later vector."""
    fill(path)
    with VectorCache(path, D) as cache:
        cache.put({KEYS[0]: VECTORS[1]})
        assert np.array_equal(cache.get(KEYS[:1])[KEYS[0]], VECTORS[1])


def test_keys() -> None:
    """Text and encoder decide together; half a character, which no file can hold, has a key as well."""
    texts, encoders = ["", "a", "ab", "\ud800"], ["e", "f"]
    keys = {vector_key(text, encoder) for text in texts for encoder in encoders}
    assert len(keys) == len(texts) * len(encoders)
    assert {len(key) for key in keys} == {16}
    assert vector_key("a", "e") == vector_key("a", "e")


def test_vectors_of_another_width(path: Path) -> None:
    """A vector that cannot be this encoder's is not given out."""
    fill(path)
    with VectorCache(path, D + 1) as cache:
        assert cache.get(KEYS) == {}


def test_a_flipped_bit(path: Path) -> None:
    """A bit that flips in a vector, in its checksum or its key costs this vector; no other is given."""
    fill(path)
    for place, (key, byte) in enumerate([(KEYS[3], 2), (KEYS[4], 2 * D + 1)]):
        with sqlite3.connect(path) as db:
            (code,) = db.execute("SELECT code FROM vectors WHERE key = ?", (key,)).fetchone()
            changed = bytearray(code)
            changed[byte] ^= 0x40
            db.execute("UPDATE vectors SET code = ? WHERE key = ?", (bytes(changed), key))
        db.close()
        assert held(path) == len(KEYS) - 1 - place
        assert damaged_rows(path) == 1 + place
    with sqlite3.connect(path) as db:
        db.execute("UPDATE vectors SET key = ? WHERE key = ?", (b"another key 1234", KEYS[5]))
    db.close()
    with VectorCache(path, D) as cache:
        assert cache.get([b"another key 1234"]) == {}
        cache.put({KEYS[3]: VECTORS[3]})
    assert held(path) == len(KEYS) - 2


def test_an_unreadable_cache_is_damaged(path: Path) -> None:
    """A file that is no cache is said to be damaged; one that is missing or whole is not."""
    assert damaged_rows(path) == 0
    fill(path)
    assert damaged_rows(path) == 0
    no_database(path)
    with pytest.raises(DamagedError, match="cache of vectors"):
        damaged_rows(path)


def no_database(path: Path) -> None:
    path.write_bytes(b"no database at all " * 500)


def another_table(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE vectors (name TEXT)")
    db.close()


def rotten_inside(path: Path) -> None:
    """The first pages are whole: opening finds nothing, asking does."""
    content = bytearray(path.read_bytes())
    content[8192:] = b"\xff" * (len(content) - 8192)
    path.write_bytes(content)


def cut_short(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


@pytest.mark.parametrize("damage", [no_database, another_table, rotten_inside, cut_short])
def test_damage(path: Path, damage: Callable[[Path], None]) -> None:
    """A file that is no cache, or no longer, holds nothing, takes new vectors, and keeps them."""
    fill(path)
    damage(path)
    assert held(path) == 0
    fill(path)
    assert held(path) == len(KEYS)


def test_damage_that_shows_while_writing(path: Path) -> None:
    """What is put in is there afterwards."""
    fill(path)
    rotten_inside(path)
    fill(path)
    assert held(path) == len(KEYS)


def test_a_cache_in_use_is_not_thrown_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where another process keeps it locked, that is said; what it holds stays."""
    fill(path)
    other = sqlite3.connect(path, isolation_level=None)
    monkeypatch.setattr(vector_cache, "_LOCK_TIMEOUT", 0.01)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StorageError, match=r"cache\.sqlite: vectors cannot be saved: database is locked"):
        VectorCache(path, D)
    other.execute("ROLLBACK")
    other.close()
    assert held(path) == len(KEYS)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """Where a file stands in the way the error says so, and what to do."""
    (tmp_path / "vectors").write_text("in the way")
    with pytest.raises(StorageError, match="needs a folder of this name"):
        VectorCache(tmp_path / "vectors" / "cache.sqlite", D)


PROCESS = """
import sys, time
from pathlib import Path
import numpy as np
from citewhy.search.index.local.vector_cache import VectorCache
number, path, start = int(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
print("ready", flush=True)
while not start.exists():
    time.sleep(0.0001)
for place in range(20):
    with VectorCache(path, 8) as cache:
        cache.put({bytes([number, place]): np.full(8, number, np.float16)})
"""


def test_processes_that_begin_together(path: Path, tmp_path: Path) -> None:
    """Each makes the file if it is the first; none fails, and none loses what another put in."""
    start = tmp_path / "start"
    command = [sys.executable, "-c", PROCESS]
    running = [
        subprocess.Popen([*command, str(number), str(path), str(start)], stdout=subprocess.PIPE)
        for number in range(3)
    ]
    for process in running:
        assert process.stdout is not None
        process.stdout.readline()
    start.touch()
    for process in running:
        process.communicate()
        assert process.returncode == 0
    with VectorCache(path, D) as cache:
        assert len(cache.get([bytes([number, place]) for number in range(3) for place in range(20)])) == 60
