"""An index that is damaged, whose writer is killed or starved, or that several processes want at once.

It is derived: whatever happens to it, the answers are those of an index made from the library anew.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import index_life
import orjson
import pytest
from index_life import REFUSED, WORDS, batch, digest
from small_library import exact, index_contents, paper, rebuilt

from citewhy.base.artifact import MANIFEST, read_manifest
from citewhy.base.errors import DamagedError, StorageError
from citewhy.base.records import Query
from citewhy.papers.library.store import Library
from citewhy.ranking.recommender import Recommender
from citewhy.search.index import open_index
from citewhy.search.index.local.snapshot import CURRENT, load, read_state

LIFE = [sys.executable, index_life.__file__]
BATCHES = 4
PAGE = 4096
DAMAGES = ["bit", "bits", "cut", "grown", "emptied", "gone", "zeroed page"]
QUERY = Query("local", "the error rate of a tree bank", known_ids=("p3",))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A library with an index in several segments, and its answers."""
    folder = tmp_path_factory.mktemp("whole")
    with Library.open(folder, create=True) as library:
        for number in range(BATCHES):
            library.add(batch(number))
            open_index(library)
        return folder, answers(library)


def answers(library: Library) -> dict[str, Any]:
    """What the index says, and what is recommended by it."""
    return {
        "index": index_contents(open_index(library), WORDS),
        "ranked": exact(Recommender(library).rank(QUERY, 50)),
    }


def damaged(content: bytes, kind: str, chance: random.Random) -> bytes | None:
    """A file's bytes after an accident; None where it is gone."""
    data = bytearray(content)
    if kind in ("bit", "bits"):
        for _ in range(1 if kind == "bit" else 32):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif kind == "cut":
        del data[chance.randrange(len(data)) :]
    elif kind == "grown":
        data += bytes(chance.randrange(1, 9))
    elif kind == "emptied":
        data.clear()
    elif kind == "zeroed page":
        page = chance.randrange(0, len(data), PAGE)
        data[page : page + PAGE] = bytes(len(data[page : page + PAGE]))
    return None if kind == "gone" else bytes(data)


def assert_healed(folder: Path, expected: dict[str, Any]) -> None:
    """The answers are right, and the index on disk is whole again, without leftovers."""
    with Library.open(folder) as library:
        assert answers(library) == expected
        root = folder / "index"
        state = read_state(root)
        assert state.generation == library.generation
        load(root, state)
        assert {each.name for each in root.iterdir()} == {*state.folders(), CURRENT, ".lock"}


def damage_one(
    whole: tuple[Path, dict[str, Any]], folder: Path, name: str, kind: str, chance: random.Random
) -> None:
    """One accident to one file of a copy of the library, and what comes of it."""
    source, expected = whole
    shutil.copytree(source, folder)
    victim = folder / "index" / name
    before = victim.read_bytes()
    after = damaged(before, kind, chance)
    if after is None:
        victim.unlink()
    else:
        victim.write_bytes(after)
    names = read_state(source / "index").folders()
    assert_healed(folder, expected)
    now = read_state(folder / "index").folders()
    if victim.suffix == ".npy" and after != before:
        assert not set(now) & set(names), "the damage was not found"
    shutil.rmtree(folder)


def files_of(folder: Path) -> list[str]:
    """All files of an index but the lock, by path."""
    root = folder / "index"
    return sorted(
        str(file.relative_to(root)) for file in root.rglob("*") if file.is_file() and file.name != ".lock"
    )


def cases(folder: Path, count: int, seed: int) -> list[tuple[str, str]]:
    """(file, kind of damage): every kind often, and one in five to a manifest or to `current.json`."""
    chance = random.Random(seed)
    files = files_of(folder)
    few = [name for name in files if name.endswith(".json")]
    return [
        (chance.choice(few if place % 5 == 0 else files), DAMAGES[place % len(DAMAGES)])
        for place in range(count)
    ]


@pytest.fixture
def unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for the disk: no power is cut here."""
    monkeypatch.setattr(os, "fsync", lambda _handle: None)


@pytest.mark.usefixtures("unsynced")
def test_damage(whole: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    """Thirty accidents to files of the index: each is found, healed, and never answered from."""
    for place, (name, kind) in enumerate(cases(whole[0], 30, seed=7)):
        damage_one(whole, tmp_path / "copy", name, kind, random.Random(place))


@pytest.mark.full
@pytest.mark.usefixtures("unsynced")
def test_damage_in_full(whole: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    """As above, three hundred times."""
    for place, (name, kind) in enumerate(cases(whole[0], 300, seed=8)):
        damage_one(whole, tmp_path / "copy", name, kind, random.Random(place))


@pytest.mark.full
@pytest.mark.usefixtures("unsynced")
def test_one_bit_in_every_file(whole: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    """One flipped bit in each file in turn is found and healed."""
    for place, name in enumerate(files_of(whole[0])):
        damage_one(whole, tmp_path / "copy", name, "bit", random.Random(place))


@pytest.mark.usefixtures("unsynced")
def test_one_bit_in_every_file_is_seen(whole: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    """A flipped bit in any array of the index fails its folder's checksums."""
    shutil.copytree(whole[0], tmp_path / "copy")
    root = tmp_path / "copy" / "index"
    for place, name in enumerate(files_of(tmp_path / "copy")):
        file = root / name
        if file.suffix != ".npy":
            continue
        content = file.read_bytes()
        file.write_bytes(damaged(content, "bit", random.Random(place)) or b"")
        with pytest.raises(DamagedError, match="changed since it was written"):
            read_manifest(file.parent)
        file.write_bytes(content)
        read_manifest(file.parent)


def _sealed(body: Any) -> bytes:
    return orjson.dumps({"layout": 1, "crc32": zlib.crc32(orjson.dumps(body)), "index": body})


CURRENTS = {
    "empty": b"",
    "garbage": bytes(range(256)),
    "no object": b"[1, 2]",
    "nothing": b"null",
    "half": b'{"layout": 1, "crc32": 12, "index": {"gen',
    "another sum": b'{"layout": 1, "crc32": 12, "index": {}}',
    "another layout": b'{"layout": 2, "crc32": 12, "index": {}}',
    "deep": b"[" * 100_000,
    "a list in its place": _sealed([]),
    "unknown fields": _sealed({"papers": [], "cake": 1}),
    "folders that are not there": _sealed(
        {"generation": BATCHES, "papers": ["papers-x"], "contexts": [], "tables": "tables-x"}
    ),
}


@pytest.mark.usefixtures("unsynced")
@pytest.mark.parametrize("name", CURRENTS)
def test_current_that_is_none(whole: tuple[Path, dict[str, Any]], tmp_path: Path, name: str) -> None:
    """Whatever stands in `current.json`, the index is made again."""
    shutil.copytree(whole[0], tmp_path / "copy")
    (tmp_path / "copy" / "index" / CURRENT).write_bytes(CURRENTS[name])
    assert_healed(tmp_path / "copy", whole[1])


@pytest.mark.usefixtures("unsynced")
def test_missing_parts(whole: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    """Without the folder, `current.json`, a segment, the tables or a manifest, the index is made again."""
    state = read_state(whole[0] / "index")
    parts = ["", CURRENT, state.papers[0], state.contexts[-1], state.tables, f"{state.papers[1]}/{MANIFEST}"]
    for place, part in enumerate(parts):
        copy = tmp_path / str(place)
        shutil.copytree(whole[0], copy)
        victim = copy / "index" / part
        if victim.is_dir():
            shutil.rmtree(victim)
        else:
            victim.unlink()
        assert_healed(copy, whole[1])


@pytest.mark.usefixtures("unsynced")
def test_folders_in_each_others_place(whole: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    """Segments with sound checksums, but under each other's names, are not taken for each other."""
    shutil.copytree(whole[0], tmp_path / "copy")
    root = tmp_path / "copy" / "index"
    one, other = read_state(root).papers[:2]
    (root / one).rename(root / "aside")
    (root / other).rename(root / one)
    (root / "aside").rename(root / other)
    assert_healed(tmp_path / "copy", whole[1])


@pytest.mark.usefixtures("unsynced")
def test_damage_while_behind(whole: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    """An index that is behind its library, and damaged: what is added to it is not built on the damage."""
    for place, (name, kind) in enumerate(cases(whole[0], 5, seed=9)):
        copy = tmp_path / str(place)
        shutil.copytree(whole[0], copy)
        victim = copy / "index" / name
        victim.write_bytes(damaged(victim.read_bytes(), kind, random.Random(place)) or b"")
        with Library.open(copy) as library:
            library.add(batch(BATCHES))
            found = digest(open_index(library))
            with rebuilt(library) as fresh:
                assert found == digest(fresh)


# Killed, starved, not alone ---------------------------------------------------------------------------------


def kill_somewhere(folder: Path, first: int, chance: random.Random) -> int:
    """Lets a process index for a while, kills it, and returns the batch that comes next."""
    life = subprocess.Popen([*LIFE, str(folder), "grow", str(first)], stdout=subprocess.PIPE)
    assert life.stdout is not None
    said_done = b""
    for _ in range(2 * chance.randrange(3) + 1):  # killed after the library grew, before the index did
        said_done += life.stdout.readline()
    time.sleep(chance.random() * chance.choice([0.01, 0.05, 0.3]))
    life.send_signal(signal.SIGKILL)
    said_done += life.stdout.read()
    life.stdout.close()
    assert life.wait() == -signal.SIGKILL
    added = [int(line.split()[1]) for line in said_done.splitlines() if line.startswith(b"added")]
    return max(added, default=first - 1) + 1


def live_and_die(folder: Path, seed: int, points: int) -> None:
    chance = random.Random(seed)
    first = 0
    for _ in range(points):
        first = kill_somewhere(folder, first, chance)
        with Library.open(folder) as library:
            found = digest(open_index(library))
            with rebuilt(library) as fresh:
                assert found == digest(fresh)


def test_killed(tmp_path: Path) -> None:
    """After kill -9 at any moment, the index that is found or finished answers as one made from nothing."""
    live_and_die(tmp_path / "library", seed=1, points=5)


@pytest.mark.full
def test_killed_in_full(tmp_path: Path) -> None:
    """As above, fifty times."""
    live_and_die(tmp_path / "library", seed=2, points=50)


def race(folder: Path, processes: int, rounds: int) -> None:
    """Processes that open an index which is behind, all at once; they agree with one made from nothing."""
    with Library.open(folder, create=True) as library:
        library.add(batch(0))
        racers = [
            subprocess.Popen([*LIFE, str(folder), "answer"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            for _ in range(processes)
        ]
        try:
            for racer in racers:
                assert racer.stdout is not None
                assert racer.stdout.readline() == b"ready\n"
            for number in range(1, rounds + 1):
                for racer in racers:
                    assert racer.stdin is not None
                    racer.stdin.write(b"go\n")
                    racer.stdin.flush()
                found = {racer.stdout.readline().decode().strip() for racer in racers if racer.stdout}
                with rebuilt(library) as fresh:
                    assert found == {digest(fresh)}
                library.add(batch(number))
        finally:
            for racer in racers:
                racer.communicate()
        assert [racer.returncode for racer in racers] == [0] * processes


def test_two_at_once(tmp_path: Path) -> None:
    """Two processes that find the index behind both get the right one."""
    race(tmp_path / "library", processes=2, rounds=4)


@pytest.mark.full
def test_four_at_once(tmp_path: Path) -> None:
    """So do four, fifty times."""
    race(tmp_path / "library", processes=4, rounds=50)


def test_reading_while_another_writes(tmp_path: Path) -> None:
    """An index is opened at any moment of another's writing, and is at least as new as the library was."""
    folder = tmp_path / "library"
    with Library.open(folder, create=True) as library:
        library.add(batch(0))
    writer = subprocess.Popen([*LIFE, str(folder), "grow", "1"], stdout=subprocess.DEVNULL)
    seen: set[int] = set()
    try:
        while len(seen) < 8:
            with Library.open(folder) as library:
                wanted = library.generation
                index = open_index(library)
                assert wanted <= index.generation <= library.generation
                assert len(index_contents(index, WORDS)["papers"]) >= 10 * wanted
                seen.add(index.generation)
            assert writer.poll() is None
    finally:
        writer.kill()
        writer.wait()


def test_no_space(tmp_path: Path) -> None:
    """Where writing fails it is a StorageError, the index is as it was; with space again it follows."""
    folder = tmp_path / "library"
    with Library.open(folder, create=True) as library:
        library.add(batch(0))
        open_index(library)
        before = read_state(folder / "index")
        library.add(batch(1))
    for size in (0, 200, 1000):

        def limit(size: int = size) -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        starved = subprocess.run(
            [*LIFE, str(folder), "answer"], input=b"go\n", capture_output=True, preexec_fn=limit
        )
        assert starved.returncode == REFUSED, starved.stderr
        # Of processes that fork, the client of Milvus may have told before.
        assert starved.stderr.splitlines()[-1].startswith(b"StorageError: "), starved.stderr
        assert read_state(folder / "index") == before
        load(folder / "index", before)
    with Library.open(folder) as library:
        found = digest(open_index(library))
        with rebuilt(library) as fresh:
            assert found == digest(fresh)
        assert not [each.name for each in (folder / "index").iterdir() if each.name.startswith(".papers")]


def test_a_file_in_the_folders_place(tmp_path: Path) -> None:
    """A file named `index` is not removed: it may be somebody's. The error names it."""
    with Library.open(tmp_path, create=True) as library:
        library.add([paper("p")])
        (tmp_path / "index").write_text("mine")
        with pytest.raises(StorageError, match="needs a folder of this name") as caught:
            open_index(library)
    assert caught.value.path == str(tmp_path / "index")
    assert (tmp_path / "index").read_text() == "mine"


READER = """
import mmap, os, sys
folder, user = sys.argv[1], int(sys.argv[2])
from small_library import index_contents
from index_life import WORDS, digest
from citewhy.papers.library.store import Library
from citewhy.base.errors import DamagedError, StorageError
from citewhy.search.index import open_index
if user:
    os.setuid(user)
with Library.open(folder) as library:
    try:
        print(digest(open_index(library)))
    except StorageError as error:
        print("refused", error)
"""
NOBODY = 65534


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users can reach, unlike those that pytest makes."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    for path in _with_all_inside(folder):
        path.chmod(0o755)
    shutil.rmtree(folder)


def _with_all_inside(folder: Path) -> Iterable[Path]:
    return [folder, *folder.rglob("*")]


def ask_as_a_guest(folder: Path) -> str:
    """What another user, who may read and not write, is told."""
    for path in _with_all_inside(folder):
        path.chmod(path.stat().st_mode & ~0o222)
    user = NOBODY if os.getuid() == 0 else 0  # root may write everywhere
    here = os.fspath(Path(index_life.__file__).parent)
    ran = subprocess.run(
        [sys.executable, "-c", READER, os.fspath(folder), str(user)],
        capture_output=True,
        text=True,
        cwd="/",
        env={**os.environ, "PYTHONPATH": here},
    )
    for path in _with_all_inside(folder):
        path.chmod(path.stat().st_mode | 0o200)
    if "PermissionError" in ran.stderr:
        pytest.skip("another user cannot reach the sources here")
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def test_a_read_only_folder(open_folder: Path) -> None:
    """An index that is up to date is read where nothing may be written; one that is behind is a StorageError
    that says so, never an old answer."""
    folder = open_folder / "library"
    with Library.open(folder, create=True) as library:
        library.add(batch(0))
        up_to_date = digest(open_index(library))
    assert ask_as_a_guest(folder) == up_to_date
    with Library.open(folder) as library:
        library.add(batch(1))
    told = ask_as_a_guest(folder)
    assert told.startswith(f"refused {folder / 'index'}: the index cannot be written")
    assert "permissions" in told
