"""A library where the system refuses: no space, no permission, no more open files."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import library_life
import pytest
from library_life import REFUSED, expected
from library_world import batch, everything

from citewhy.base.errors import StorageError
from citewhy.papers.library.store import Library
from citewhy.search.index import open_index

SEED = 7


def live(
    folder: Path, steps: int, *, file_size: int | None = None, spare_handles: int | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Makes steps 0, 1, … in a process of its own that the system gives no more than that."""
    life = [sys.executable, library_life.__file__, os.fspath(folder), str(SEED), "0", str(steps)]

    def limit() -> None:
        if file_size is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))

    handles = [] if spare_handles is None else [str(spare_handles)]
    return subprocess.run([*life, *handles], capture_output=True, preexec_fn=limit)


def assert_whole(folder: Path, said: bytes) -> None:
    """Every step that was said to be done is there, no half of another, and the next step can be made."""
    done = sum(line.isdigit() for line in said.split())
    with Library.open(folder, create=True) as library:
        assert library.generation == done
        assert {found.id: found for _, found in library.numbered_papers()} == expected(SEED, done)
        library.verify()
        library.add(batch(1000))
        assert library.generation == done + 1


def starve(folder: Path, sizes: list[int]) -> list[int]:
    """Lives under limits of file size; the exit status of each."""
    outcomes = []
    for size in sizes:
        place = folder / str(size)
        lived = live(place, 12, file_size=size)
        assert lived.returncode in (0, REFUSED), lived.stderr
        if lived.returncode:
            assert lived.stderr.startswith(b"StorageError: "), lived.stderr
            assert os.fspath(place).encode() in lived.stderr or b"records being read" in lived.stderr
        assert_whole(place, lived.stdout)
        outcomes.append(lived.returncode)
    return outcomes


def test_no_space(tmp_path: Path) -> None:
    """Wherever writing fails, it is a StorageError, what was done stays, and with space it goes on."""
    outcomes = starve(tmp_path, [0, 20_000, 40_000, 60_000, 80_000, 10_000_000])
    assert outcomes[:2] == [REFUSED] * 2
    assert outcomes[-1] == 0


@pytest.mark.full
def test_no_space_in_full(tmp_path: Path) -> None:
    """As above, at fifty sizes."""
    starve(tmp_path, list(range(0, 500_000, 10_000)))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB, where we may mount one."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", os.fspath(tmp_path)],
        capture_output=True,
        text=True,
    )
    if mounted.returncode:
        pytest.skip(f"cannot mount a small disk here: {mounted.stderr.strip()}")
    yield tmp_path
    subprocess.run(["umount", "--lazy", os.fspath(tmp_path)], check=True)  # files may be mapped


@pytest.mark.skipif(
    shutil.which("mount") is None or os.getuid() != 0, reason="only root can mount a small disk"
)
def test_a_full_disk(small_disk: Path) -> None:
    """A disk that fills up costs the import that did not fit, and nothing before it."""
    folder = small_disk / "library"
    with (  # noqa: PT012 (which one?)
        Library.open(folder, create=True) as library,
        pytest.raises(StorageError, match="what was committed before is safe"),
    ):
        for number in range(1000):
            library.add(batch(number))
    with Library.open(small_disk.parent / "twin", create=True) as twin:
        for each in range(number):
            twin.add(batch(each))
        before = everything(twin)
    with Library.open(folder) as library:
        assert everything(library) == before
        library.verify()
    shutil.move(folder, small_disk.parent / "larger")
    with Library.open(small_disk.parent / "larger") as library:
        library.add(batch(3000))
        library.verify()


@pytest.mark.skipif(
    shutil.which("mount") is None or os.getuid() != 0, reason="only root can mount a small disk"
)
def test_a_disk_without_a_free_byte(small_disk: Path) -> None:
    """What is committed is read, and a current index answers; adding is a StorageError."""
    folder = small_disk / "library"
    with Library.open(folder, create=True) as library:
        library.add(batch(0))
        before = everything(library)
        index = open_index(library)
        ids = index.ids(index.papers())
        del index
    with contextlib.suppress(OSError), (small_disk / "full").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    assert os.statvfs(small_disk).f_bavail == 0
    with Library.open(folder) as library:
        assert everything(library) == before
        index = open_index(library)
        assert index.ids(index.papers()) == ids
        del index  # its files are mapped
        with pytest.raises(StorageError):
            library.add(batch(1))
    with pytest.raises(StorageError):
        Library.open(folder, create=True)


def test_few_open_files(tmp_path: Path) -> None:
    """With too few file handles it is a StorageError, with enough it works; nothing in between."""
    outcomes = []
    for spare in range(8):
        place = tmp_path / str(spare)
        lived = live(place, 3, spare_handles=spare)
        assert lived.returncode in (0, REFUSED), lived.stderr
        assert lived.returncode == 0 or lived.stderr.startswith(b"StorageError: "), lived.stderr
        assert_whole(place, lived.stdout)
        outcomes.append(lived.returncode)
    assert outcomes == sorted(outcomes, reverse=True)
    assert set(outcomes) == {0, REFUSED}


READER = """
import os, sys
folder, user = sys.argv[1], int(sys.argv[2])
sys.path.insert(0, sys.argv[3])
from library_world import batch, everything
from citewhy.papers.library.store import Library
from citewhy.base.errors import StorageError
from citewhy.text.ordinary_words import is_ordinary
is_ordinary("word")  # read now, since another user may not reach the sources
if user:
    os.setuid(user)
with Library.open(folder) as library:
    print(len(everything(library)["papers"]))
    try:
        library.add(batch(9))
    except StorageError as error:
        print("refused", error)
try:
    Library.open(os.path.join(folder, "new"), create=True)
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
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755)
    shutil.rmtree(folder)


def test_a_read_only_folder(open_folder: Path) -> None:
    """A library that may not be written is read all the same; adding, and making one, are StorageErrors."""
    folder = open_folder / "library"
    with Library.open(folder, create=True) as library:
        library.add(batch(0))
    (folder / "library.db").chmod(0o444)
    folder.chmod(0o555)
    user = NOBODY if os.getuid() == 0 else 0  # root may write everywhere
    here = os.fspath(Path(__file__).parent)
    ran = subprocess.run(
        [sys.executable, "-c", READER, os.fspath(folder), str(user), here],
        capture_output=True,
        text=True,
        cwd="/",
    )
    if "PermissionError" in ran.stderr:
        pytest.skip("another user cannot reach the sources here")
    assert ran.returncode == 0, ran.stderr
    count, *refusals = ran.stdout.splitlines()
    assert count == "4"
    assert len(refusals) == 2
    assert all(refusal.startswith("refused ") and "permissions" in refusal for refusal in refusals)
    with Library.open(folder) as library:
        assert library.generation == 1


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    """What the file system will not name is refused by us, not by a traceback."""
    with pytest.raises(StorageError, match="cannot use this folder"):
        Library.open(tmp_path / ("x" * 300), create=True)
