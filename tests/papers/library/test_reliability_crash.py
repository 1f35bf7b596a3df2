"""A library whose writer is killed, watched by the system, or not alone."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import library_life
import pytest
from library_life import expected
from library_world import BATCH, batch, paper

from citewhy.base.records import Paper
from citewhy.papers.library.store import Library

LIFE = [sys.executable, library_life.__file__]


def papers(library: Library) -> dict[str, Paper]:
    return {found.id: found for _, found in library.numbered_papers()}


def kill_somewhere(folder: Path, seed: int, first: int, chance: random.Random) -> int:
    """Lets a process live for a few steps, kills it, and returns the steps that it said were done."""
    life = subprocess.Popen([*LIFE, str(folder), str(seed), str(first), "1000"], stdout=subprocess.PIPE)
    assert life.stdout is not None
    said = b""
    for _ in range(chance.randrange(6)):  # none: while it starts, or makes the library
        said += life.stdout.readline()
    time.sleep(chance.random() * chance.choice([0.002, 0.02, 0.2]))
    life.send_signal(signal.SIGKILL)
    said += life.stdout.read()
    life.stdout.close()
    assert life.wait() == -signal.SIGKILL
    done = [int(line) for line in said.split() if line.isdigit()]
    return max(done, default=first - 1) + 1


def live_and_die(folder: Path, seed: int, points: int) -> None:
    chance = random.Random(seed)
    done = 0
    for _ in range(points):
        done = max(done, kill_somewhere(folder, seed, done, chance))
        with Library.open(folder, create=True) as library:
            generation = library.generation
            assert done <= generation <= done + 1, "a step that was done is lost"
            assert papers(library) == expected(seed, generation), "a step is half done"
            library.verify()
        done = generation


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_killed(tmp_path: Path, seed: int) -> None:
    """After kill -9 at any moment the library opens, has every step that was done, and no half of another."""
    live_and_die(tmp_path / "library", seed, points=5)


@pytest.mark.full
@pytest.mark.parametrize("seed", [11, 12, 13])
def test_killed_in_full(tmp_path: Path, seed: int) -> None:
    """As above, fifty times each."""
    live_and_die(tmp_path / "library", seed, points=50)


_OPENED = re.compile(r'openat\(.*"([^"]*)".* = (\d+)$')
_CALL = re.compile(r"(\w+)\((\d+)[,)]")


def watch_syncs(folder: Path, log: Path, steps: int) -> tuple[int, int]:
    """Steps that a watched process said were done, and how many of them were synced before it said so."""
    calls = "trace=openat,write,pwrite64,fsync,fdatasync"
    watch = ["strace", "-f", "-qq", "-e", calls, "-e", "signal=none", "-o", str(log)]
    ran = subprocess.run([*watch, *LIFE, str(folder), "5", "0", str(steps)], capture_output=True, text=True)
    if ran.returncode and "ptrace" in ran.stderr:
        pytest.skip(f"strace may not watch processes here: {ran.stderr.strip()}")
    assert ran.returncode == 0, ran.stderr
    names: dict[str, str] = {}
    unsynced = written = False
    said = synced = 0
    for line in log.read_text(errors="replace").splitlines():
        if opened := _OPENED.search(line):
            names[opened[2]] = opened[1]
        elif call := _CALL.search(line):
            journal = names.get(call[2], "").endswith("library.db-wal")
            if journal and call[1] in ("pwrite64", "write"):
                unsynced = written = True
            elif journal and call[1] in ("fsync", "fdatasync"):
                unsynced = False
            elif call[1] == "write" and re.search(r'write\(1, "\d+\\n"', line):
                said += 1
                synced += written and not unsynced
                written = False
    return said, synced


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_synced_before_it_is_said(tmp_path: Path) -> None:
    """Between the last write to the journal and every "done" the journal is synced."""
    assert watch_syncs(tmp_path / "library", tmp_path / "calls", steps=10) == (10, 10)


@pytest.mark.full
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_synced_before_it_is_said_in_full(tmp_path: Path) -> None:
    """As above, a hundred times."""
    assert watch_syncs(tmp_path / "library", tmp_path / "calls", steps=100) == (100, 100)


ADDER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from library_world import batch
from citewhy.papers.library.store import Library
first, last = int(sys.argv[3]), int(sys.argv[4])
with Library.open(Path(sys.argv[2]), create=True) as library:
    for number in range(first, last):
        library.add(batch(number))
"""


def add_batches(folder: Path, first: int, last: int) -> subprocess.Popen[bytes]:
    here = os.fspath(Path(__file__).parent)
    return subprocess.Popen([sys.executable, "-c", ADDER, here, os.fspath(folder), str(first), str(last)])


def test_two_processes_add_at_once(tmp_path: Path) -> None:
    """Both make the library, both add, partly the same: nothing is lost, nothing is there twice."""
    folder = tmp_path / "library"
    adders = [add_batches(folder, 0, 20), add_batches(folder, 10, 30)]
    assert [adder.wait() for adder in adders] == [0, 0]
    with Library.open(folder) as library:
        assert papers(library) == {each.id: each for each in map(paper, range(30 * BATCH))}
        assert library.counts()["contexts"] == library.counts()["citations"] == 30 * BATCH
        assert library.generation == 30
        library.verify()


def test_readers_see_whole_commits(tmp_path: Path) -> None:
    """While another process adds, a reader is never refused and never sees half of a batch."""
    folder = tmp_path / "library"
    with Library.open(folder, create=True) as library:
        library.add(batch(0))
    adder = add_batches(folder, 1, 1_000_000)  # until it is killed
    seen: set[int] = set()
    try:
        with Library.open(folder) as library:
            while len(seen) < 10:
                with library.reading():
                    generation = library.generation
                    assert len(papers(library)) == generation * BATCH
                    assert len(list(library.numbered_contexts())) == generation * BATCH
                seen.add(generation)
                assert adder.poll() is None
    finally:
        adder.kill()
        adder.wait()
