"""The power fails while CiteWhy writes: afterwards everything is as before, or as it should become."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from harness import cases
from hash_encoder import HashEncoder
from local_service import service_that_knows
from power import Recording, recorded

from citewhy.base.errors import DamagedError, QueryError
from citewhy.base.records import Paper
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.edit.journal import undo
from citewhy.drafts.edit.patch import Patch
from citewhy.papers.library.store import Library
from citewhy.ranking.rank.tuning import Tuning, read_tuning, write_tuning
from citewhy.search.index import open_index
from citewhy.session.enrich.enriching import Enrichment
from citewhy.session.enrich.journal import Journal
from citewhy.session.enrich.services import SERVICES
from citewhy.session.importing import add_files


def texts(folder: Path) -> dict[str, bytes]:
    """The author's files, by name; nothing else may be left."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".citewhy" not in path.parts
    }


def patch(project: Path) -> Patch:
    """Two files are changed, in two folders, and one is new."""
    edits = [
        Edit(str(project / name), 0, 0, f"% {name}\n") for name in ("a.tex", "parts/b.tex", "references.bib")
    ]
    return Patch(edits, project / "a.tex")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A computer with a project on it, and the folder of the user's data."""
    (tmp_path / "disk" / "project" / "parts").mkdir(parents=True)
    for name in ("a.tex", "parts/b.tex"):
        (tmp_path / "disk" / "project" / name).write_text(f"The text of {name}.\n" * 20)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "disk" / "data"))
    return tmp_path / "disk"


def after_cuts(
    recording: Recording, what: str, folder: Path, check: Callable[[Path, bool, str], None]
) -> None:
    """Checks what is left after each cut: with the folder, whether everything had been done, and the case."""
    for case in cases(200, f"power cuts: {what}"):
        moment = recording.cut(random.Random(f"{what} {case}"), folder)
        check(folder, moment == len(recording.log), f"{what} {case}: cut at {moment} of {len(recording.log)}")
        shutil.rmtree(folder)


def restored(disk: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether there was an edit to undo."""
    monkeypatch.setenv("XDG_DATA_HOME", str(disk / "data"))
    try:
        undo(disk / "project" / "a.tex")
    except (QueryError, DamagedError):
        return False
    return True


def test_cuts_while_writing(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an edit that is reported everything is there, and it can be undone; of another nothing is there, or
    it can be undone."""
    before = texts(home / "project")
    edit = patch(home / "project")
    with recorded(home, monkeypatch) as recording:
        edit.apply()
    after = texts(home / "project")

    def check(disk: Path, done: bool, case: str) -> None:
        if done:
            assert texts(disk / "project") == after, case
        assert restored(disk, monkeypatch) or not done, case
        assert texts(disk / "project") == before, case

    after_cuts(recording, "write", tmp_path / "cut", check)


def test_cuts_while_undoing(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is undone is undone; and what is not yet can be undone again."""
    before = texts(home / "project")
    patch(home / "project").apply()
    with recorded(home, monkeypatch) as recording:
        undo(home / "project" / "a.tex")

    def check(disk: Path, done: bool, case: str) -> None:
        if done:
            assert texts(disk / "project") == before, case
        restored(disk, monkeypatch)
        assert texts(disk / "project") == before, case

    after_cuts(recording, "undo", tmp_path / "cut", check)


def test_cuts_while_adding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index answers for what the library has, and nothing unfinished is left after the next addition."""
    for name in ("old", "new", "last"):
        (tmp_path / f"{name}.bib").write_text(
            f"@book{{{name}, title={{Trees and {name} banks}}, year={{2001}}}}\n"
        )
    disk = tmp_path / "disk"
    add_files(disk / "library", [tmp_path / "old.bib"], encoder=HashEncoder())
    with recorded(disk, monkeypatch) as recording:
        add_files(disk / "library", [tmp_path / "new.bib"], encoder=HashEncoder())

    def check(cut: Path, done: bool, case: str) -> None:
        for added in ((), ("last",)):
            for name in added:
                add_files(cut / "library", [tmp_path / f"{name}.bib"], encoder=HashEncoder())
            with Library.open(cut / "library") as library:
                index = open_index(library, HashEncoder())
                ids = set(library.ids())
                assert {"old", *added} <= ids <= {"old", "new", *added}, case
                assert "new" in ids or not done, case
                assert set(index.ids(index.papers())) == ids, case
        left = {path.name for path in (cut / "library").rglob(".*")}
        assert left <= {".lock"}, case

    after_cuts(recording, "add", tmp_path / "cut", check)


def test_cuts_while_tuning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tuning is the old one or the new one."""
    disk, tunings = tmp_path / "disk", [Tuning(1, {}, None, {"fitted": number}) for number in range(2)]
    disk.mkdir()
    write_tuning(disk, tunings[0])
    with recorded(disk, monkeypatch) as recording:
        write_tuning(disk, tunings[1])

    def check(cut: Path, done: bool, case: str) -> None:
        assert read_tuning(cut) in tunings[done:], case

    after_cuts(recording, "tune", tmp_path / "cut", check)


@pytest.mark.parametrize("count", [5, 0], ids=["answers", "no answers"])
def test_cuts_while_enriching(count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is noted as asked is in the library, an enrichment that is reported is noted as a whole, and the
    same command asks for the rest; nothing unfinished is left after the next addition."""
    papers = tuple(
        Paper(f"p{number}", f"Trees and banks {number}", authors=("Ann Lee",), doi=f"10.1000/{number}")
        for number in range(6)
    )
    known = papers[:count]
    (tmp_path / "last.bib").write_text("@book{last, title={Trees and last banks}, year={2001}}\n")
    disk = tmp_path / "disk"
    with Library.open(disk / "library", create=True) as library:
        library.add(papers)
        open_index(library, HashEncoder())
    monkeypatch.setitem(SERVICES, "crossref", replace(SERVICES["crossref"], batch=1, pause=0.0))

    def run(folder: Path) -> None:
        Enrichment(folder, "crossref", ["abstract"], address=service.address).run(encoder=HashEncoder())

    def with_abstracts(folder: Path) -> set[str]:
        with Library.open(folder) as library:
            library.verify()
            index = open_index(library, HashEncoder())
            assert set(index.ids(index.papers())) == {paper.id for paper in papers}
            return {paper.id for paper in library.papers(library.ids()).values() if paper.abstract}

    def check(cut: Path, done: bool, case: str) -> None:
        folder = cut / "library"
        asked = {paper.id for paper in papers if Journal(folder).asked("crossref", paper.id)}
        assert asked & {paper.id for paper in known} <= with_abstracts(folder), case
        assert len(asked) == len(papers) or not done, case
        run(folder)
        assert with_abstracts(folder) == {paper.id for paper in known}, case
        add_files(folder, [tmp_path / "last.bib"], encoder=HashEncoder())
        assert {path.name for path in folder.rglob(".*")} <= {".lock"}, case

    with service_that_knows(known) as service:
        with recorded(disk, monkeypatch) as recording:
            run(disk / "library")
        after_cuts(recording, f"enrich, {count} answers", tmp_path / "cut", check)
