"""A library whose journal is damaged loses its last commit: that is said, not hidden by a new index."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from small_library import paper

from citewhy.base.errors import LossWarning
from citewhy.base.records import Citation
from citewhy.papers.library.opening import FILE_NAME
from citewhy.papers.library.store import Library
from citewhy.search.index import find_engine, open_index
from citewhy.search.index.local.loss import described, recorded_loss
from citewhy.session.importing import add_files
from citewhy.session.session import Session


def cut(journal: bytes) -> bytes:
    return journal[:-100]


def flipped(journal: bytes) -> bytes:
    changed = bytearray(journal)
    changed[-100] ^= 4
    return bytes(changed)


def lose(folder: Path, aside: Path, damage: Callable[[bytes], bytes] = cut) -> None:
    """A library with two commits and an index of both, whose journal is damaged while a reader has kept it
    from being emptied."""
    with Library.open(aside, create=True) as library, Library.open(aside) as reader:
        library.add([paper("p1")])
        with reader.reading():
            assert reader.generation == 1
            library.add([paper(f"p{number}") for number in range(2, 9)])
            open_index(library)
            shutil.copytree(aside, folder)
    (folder / f"{FILE_NAME}-shm").unlink(missing_ok=True)
    journal = folder / f"{FILE_NAME}-wal"
    journal.write_bytes(damage(journal.read_bytes()))


@pytest.mark.parametrize("damage", [cut, flipped])
def test_a_lost_commit_is_reported(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    """Each opening names the papers that are gone; the index is made again; the next commit ends it."""
    lose(tmp_path / "library", tmp_path / "aside", damage)
    with Library.open(tmp_path / "library") as library:
        assert library.generation == 1
        assert find_engine().state(library)[0] == "ahead"
        for _ in range(2):
            with pytest.warns(LossWarning, match=r"it is at generation 1.*to 2.*lacks: 7 \(p2, p3"):
                open_index(library)
        assert find_engine().state(library)[0] == "current"
        loss = recorded_loss(library)
        assert loss is not None
        assert "add the files of these commits again" in described(loss)
        library.add([paper(f"p{number}") for number in range(2, 9)])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            open_index(library)
        assert recorded_loss(library) is None


def test_info_reports_it(tmp_path: Path) -> None:
    """`info` says so before anything else has opened the index."""
    lose(tmp_path / "library", tmp_path / "aside")
    with Session(tmp_path / "library") as session:
        found = session.info()
    assert found.index == "ahead"
    assert found.loss is not None
    assert "lost commits" in found.loss


def test_adding_other_files_reports_it(tmp_path: Path) -> None:
    """Adding reaches the lost generation again, with another commit; that does not hide the loss."""
    lose(tmp_path / "library", tmp_path / "aside")
    (tmp_path / "one.bib").write_text("@article{other, title={Something Else Entirely}, year={2020}}\n")
    with pytest.warns(LossWarning, match="lacks: 7"):
        add_files(tmp_path / "library", [tmp_path / "one.bib"], vectors=False)


def test_a_commit_without_papers(tmp_path: Path) -> None:
    """A lost commit of citations cannot be named, but is reported by its generation."""
    with Library.open(tmp_path, create=True) as library:
        library.add([paper("p1"), paper("p2")])
        before = (tmp_path / FILE_NAME).read_bytes()
        library.add([Citation("p1", "p2", "test")])
        open_index(library)
    (tmp_path / FILE_NAME).write_bytes(before)
    with (
        Library.open(tmp_path) as library,
        pytest.warns(LossWarning, match=r"at generation 1, .* to 2"),
    ):
        open_index(library)


def test_the_journal_is_empty_when_adding_has_ended(tmp_path: Path) -> None:
    """If nobody reads, a commit is in the library's file at once, even while others have it open."""
    with Library.open(tmp_path, create=True) as library, Library.open(tmp_path) as other:
        assert other.generation == 0
        library.add([paper("p1")])
        assert (tmp_path / f"{FILE_NAME}-wal").stat().st_size == 0
