"""A library follows the files from which it was read."""

from __future__ import annotations

import gzip
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from citewhy.base.errors import LibraryError, QueryError
from citewhy.base.records import Citation, Paper
from citewhy.base.reports import SyncReport
from citewhy.papers.library.store import Library
from citewhy.session.importing import add_files
from citewhy.session.session import Session
from citewhy.session.syncing import sync_files

LEE = "@misc{lee2001, author = {Lee, Ann}, title = {On the slow growth of banks}, year = 2001}\n"
KIM = "@misc{kim2002, author = {Kim, A.}, title = {A theory of rivers and dams}, year = 2002}\n"
ROE = "@misc{roe1999, author = {Roe, Bo}, title = {Trees of old rivers}, year = 1999}\n"
DRAFT = """\\documentclass{article}\\title{Charts for Trees}\\begin{document}
Banks grow slowly in most of the world \\cite{lee2001}. Dams hold rivers back \\cite{kim2002}.
\\bibliography{own}\\end{document}
"""
STORED = Path(__file__).parents[1] / "papers" / "library" / "stored" / "library-0.1.db.gz"
SAMPLES = Path(__file__).parents[1] / "papers" / "formats" / "samples"

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file, which looks changed even if it is written at the same moment."""
    times = iter(range(1_000_000_000, 2_000_000_000))

    def written(name: str, *text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(text), encoding="utf-8")
        os.utime(path, (moment := next(times), moment))
        return path

    return written


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "library"


def add(folder: Path, *paths: Path) -> None:
    add_files(folder, paths, vectors=False)


def sync(folder: Path, *, dry_run: bool = False) -> SyncReport:
    return sync_files(folder, dry_run=dry_run, vectors=False)


def papers(folder: Path) -> dict[str, Paper]:
    """All papers by canonical id, of a library that passes all checks."""
    with Library.open(folder) as library:
        library.verify()
        return {paper.id: paper for _, paper in library.numbered_papers()}


def test_what_is_new_changed_and_gone(write: Write, folder: Path) -> None:
    """One commit; and then there is nothing to do."""
    bib = write("refs.bib", LEE, KIM)
    add(folder, bib)
    write("refs.bib", LEE.replace("2001}", "2003}"), ROE)
    report = sync(folder)
    assert (report.sources, report.changed, report.missing) == (1, (str(bib),), ())
    assert report.removed == {"kim2002": "A theory of rivers and dams"}
    assert report.added is not None
    assert (report.added.new, report.added.updated) == ({"papers": 1}, {"papers": 1})
    assert (report.added.papers_before, report.added.papers_after) == (2, 2)
    assert {name: paper.year for name, paper in papers(folder).items()} == {"lee2001": 2003, "roe1999": 1999}
    again = sync(folder)
    assert (again.changed, again.added, dict(again.removed)) == ((), None, {})
    with Library.open(folder) as library:
        assert library.generation == 2


def test_a_dry_run_changes_nothing(write: Write, folder: Path) -> None:
    """It tells what would be done, and the library has the same bytes."""
    add(folder, write("refs.bib", LEE, KIM))
    write("refs.bib", LEE, ROE)
    before = (folder / "library.db").read_bytes()
    dry = sync(folder, dry_run=True)
    assert dry.dry_run
    assert (folder / "library.db").read_bytes() == before
    wet = sync(folder)
    assert (dry.removed, dry.changed, dry.sources) == (wet.removed, wet.changed, wet.sources)
    assert dry.added is not None
    assert wet.added is not None
    assert (dry.added.new, dry.added.papers_after) == (wet.added.new, wet.added.papers_after)
    assert papers(folder).keys() == {"lee2001", "roe1999"}


def test_what_another_source_has_stays(write: Write, folder: Path) -> None:
    """Until it has vanished from the last one."""
    add(folder, write("one.bib", LEE, KIM), write("two.bib", KIM, ROE))
    write("one.bib", LEE)
    assert dict(sync(folder).removed) == {}
    write("two.bib", ROE)
    assert sync(folder).removed.keys() == {"kim2002"}
    assert papers(folder).keys() == {"lee2001", "roe1999"}


def test_a_removal_is_undone_by_adding_again(write: Write, folder: Path) -> None:
    bib = write("refs.bib", LEE, KIM)
    add(folder, bib)
    before = papers(folder)
    write("refs.bib", LEE)
    sync(folder)
    write("refs.bib", LEE, KIM)
    add(folder, bib)
    assert papers(folder) == before
    write("refs.bib", LEE)
    assert sync(folder).removed.keys() == {"kim2002"}


def test_adding_again_removes_nothing(write: Write, folder: Path) -> None:
    """But what vanished meanwhile is removed by the next synchronization."""
    bib = write("refs.bib", LEE, KIM)
    add(folder, bib)
    write("refs.bib", LEE)
    add(folder, bib)
    assert papers(folder).keys() == {"lee2001", "kim2002"}
    assert sync(folder).removed.keys() == {"kim2002"}
    assert sync(folder).added is None


def test_a_missing_file_loses_nothing(write: Write, folder: Path) -> None:
    """Nor does one that is empty, or no bibliography any more; others are read all the same."""
    one, two = write("one.bib", LEE), write("two.bib", KIM)
    add(folder, one, two)
    one.unlink()
    write("two.bib", KIM, ROE)
    report = sync(folder)
    assert report.missing == (str(one),)
    assert papers(folder).keys() == {"lee2001", "kim2002", "roe1999"}
    for text in ("", "no papers here at all"):
        write("two.bib", text)
        added = sync(folder).added
        assert added is not None
        assert len(added.files_refused) == 1
        assert papers(folder).keys() == {"lee2001", "kim2002", "roe1999"}
    write("two.bib", KIM)
    write("one.bib", LEE)
    report = sync(folder)
    assert report.missing == ()
    assert papers(folder).keys() == {"lee2001", "kim2002"}


def test_what_came_from_a_pipe_stays(
    write: Write, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(folder, write("refs.bib", LEE, KIM))
    piped = os.open(write("piped.bib", KIM, ROE), os.O_RDONLY)
    kept = os.dup(0)
    try:
        os.dup2(piped, 0)
        add(folder, Path("-"))
    finally:
        os.dup2(kept, 0)
        os.close(kept)
        os.close(piped)
    write("refs.bib", LEE)
    report = sync(folder)
    assert (report.sources, dict(report.removed)) == (1, {})
    assert papers(folder).keys() == {"lee2001", "kim2002", "roe1999"}


def test_records_without_a_file_stay(write: Write, folder: Path) -> None:
    """A service gave an abstract, which goes with its paper, and a paper, which stays."""
    add(folder, write("refs.bib", LEE, KIM))
    with Library.open(folder) as library:
        library.add(
            [Paper("kim2002", "A theory of rivers and dams", "Rivers are dammed.", ("A. Kim",), 2002)]
        )
        library.add([Paper("W1", "Unknown to the bibliography")])
    write("refs.bib", LEE)
    sync(folder)
    assert papers(folder).keys() == {"lee2001", "W1"}


def test_another_key(write: Write, folder: Path) -> None:
    """The paper stays with what was known of it, under the new key; the old one is another name."""
    add(folder, write("refs.bib", LEE, KIM))
    abstract = "Banks grow slowly."
    with Library.open(folder) as library:
        library.add(
            [
                Paper("lee2001", "On the slow growth of banks", abstract, ("Ann Lee",), 2001),
                Citation("kim2002", "lee2001", "test"),
            ]
        )
    write("refs.bib", LEE.replace("lee2001", "leeBanks"), KIM)
    report = sync(folder)
    assert (dict(report.removed), dict(report.renamed)) == ({}, {"lee2001": "leeBanks"})
    found = papers(folder)
    assert found.keys() == {"leeBanks", "kim2002"}
    assert found["leeBanks"].abstract == abstract
    with Library.open(folder) as library:
        assert library.canonical("lee2001") == "leeBanks"
        assert library.counts()["citations_waiting"] == 0
    write("refs.bib", LEE.replace("lee2001", "leeThird"), KIM)
    assert dict(sync(folder).renamed) == {"leeBanks": "leeThird"}
    with Library.open(folder) as library:
        assert {library.canonical(name) for name in ("lee2001", "leeBanks")} == {"leeThird"}
    write("refs.bib", LEE, KIM)  # the old key again
    sync(folder)
    assert papers(folder).keys() == {"lee2001", "kim2002"}
    write("refs.bib", KIM)
    assert sync(folder).removed.keys() == {"lee2001"}


def test_a_key_of_a_merged_record(write: Write, folder: Path) -> None:
    """Of two files with one paper under two keys, either may lose it; the canonical id is then the other."""
    add(folder, write("one.bib", LEE, KIM), write("two.bib", LEE.replace("lee2001", "Lee"), ROE))
    assert len(papers(folder)) == 3
    write("one.bib", KIM)
    assert dict(sync(folder).removed) == {}
    assert papers(folder).keys() == {"Lee", "kim2002", "roe1999"}
    write("two.bib", ROE)
    assert sync(folder).removed.keys() == {"Lee"}
    assert papers(folder).keys() == {"kim2002", "roe1999"}


def test_another_paper_under_an_old_key(write: Write, folder: Path) -> None:
    """It takes the place of the old one, unless another file has that."""
    add(folder, write("refs.bib", LEE, KIM))
    write("refs.bib", LEE, ROE.replace("roe1999", "kim2002"))
    sync(folder)
    assert papers(folder)["kim2002"].title == "Trees of old rivers"
    add(folder, write("other.bib", LEE))
    write("refs.bib", KIM.replace("kim2002", "lee2001"))
    sync(folder)
    titles = {name: paper.title for name, paper in papers(folder).items()}
    assert titles == {
        "lee2001": "On the slow growth of banks",
        "lee2001#2": "A theory of rivers and dams",
    }


def test_folders(write: Write, folder: Path, tmp_path: Path) -> None:
    """New files are found, also in new folders inside; a file that vanished is missing."""
    one = write("refs/one.bib", LEE)
    add(folder, tmp_path / "refs")
    two = write("refs/deep/two.bib", KIM)
    report = sync(folder)
    assert report.changed == (str(two),)
    assert sync(folder).added is None
    one.unlink()
    write("refs/deep/two.bib", KIM, ROE)
    report = sync(folder)
    assert (report.missing, report.changed) == ((str(one),), (str(two),))
    assert papers(folder).keys() == {"lee2001", "kim2002", "roe1999"}


def test_own_drafts(write: Write, folder: Path, tmp_path: Path) -> None:
    """A draft is read again when its bibliography changes; what it cites stays, and so does the draft."""
    add(folder, write("refs.bib", LEE, ROE))
    write("draft/own.bib", LEE, KIM)
    root = write("draft/main.tex", DRAFT)
    add(folder, root)
    assert sync(folder).added is None
    write("refs.bib", ROE)
    assert dict(sync(folder).removed) == {}
    write("draft/own.bib", LEE)
    report = sync(folder)
    assert report.changed == (str(root),)
    assert report.removed.keys() == {"kim2002"}
    assert papers(folder).keys() == {"lee2001", "roe1999", "own:charts-for-trees"}
    root.unlink()
    assert str(root) in sync(folder).missing
    assert "own:charts-for-trees" in papers(folder)


def test_a_draft_in_a_folder(write: Write, folder: Path, tmp_path: Path) -> None:
    """Its bibliography is not taken for a new file."""
    write("draft/own.bib", LEE, KIM)
    root = write("draft/main.tex", DRAFT)
    add(folder, tmp_path / "draft")
    assert sync(folder).added is None
    write("draft/main.tex", DRAFT.replace("Dams hold", "All dams hold"))
    report = sync(folder)
    assert report.changed == (str(root),)
    assert report.added is not None
    assert report.added.withdrawn["contexts"] == 1
    assert papers(folder).keys() == {"lee2001", "kim2002", "own:charts-for-trees"}


def test_touched_files_are_not_read(write: Write, folder: Path) -> None:
    """The content counts; afterwards the new time is remembered."""
    bib = write("refs.bib", LEE)
    add(folder, bib)
    os.utime(bib, (5, 5))
    assert sync(folder).added is None
    with Library.open(folder) as library:
        (origin,) = library.origins()
        assert origin.mtime == 5 * 10**9
        assert library.generation == 1


def test_a_library_of_version_0_1(write: Write, folder: Path) -> None:
    """It remembers nothing, keeps what is in it, and follows what is added from now on."""
    folder.mkdir()
    (folder / "library.db").write_bytes(gzip.decompress(STORED.read_bytes()))
    report = sync(folder)
    assert (report.sources, report.added) == (0, None)
    before = papers(folder).keys()
    bib = write("refs.bib", LEE, "@misc{P02-1040, title = {Bleu: a Method for Automatic Evaluation}}")
    add(folder, bib)
    write("refs.bib", KIM)
    assert sync(folder).removed.keys() == {"lee2001"}
    assert papers(folder).keys() == {*before, "kim2002"}


def zotero(path: Path, more: str = "") -> Path:
    """The database, after a change."""
    connection = sqlite3.connect(path)
    with connection:
        connection.executescript(more or (SAMPLES / "zotero.sql").read_text(encoding="utf-8"))
    connection.close()
    return path


def test_zotero(folder: Path, tmp_path: Path) -> None:
    """An item moved to the bin vanishes, and comes back from it."""
    path = zotero(tmp_path / "zotero.sqlite")
    add(folder, path)
    before = papers(folder)
    zotero(path, "INSERT INTO deletedItems (itemID) VALUES (1);")
    assert list(sync(folder).removed.values()) == ["Moss on Northern Walls: A Survey of Shade"]
    zotero(path, "DELETE FROM deletedItems WHERE itemID = 1;")
    sync(folder)
    assert papers(folder) == before


def test_the_journal_of_zotero_counts(folder: Path, tmp_path: Path) -> None:
    """What an open Zotero has written may only be in the journal beside the database."""
    path = zotero(tmp_path / "zotero.sqlite")
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        add(folder, path)
        looks = path.stat()
        connection.execute("INSERT INTO deletedItems (itemID) VALUES (1)")
        assert (path.stat().st_size, path.stat().st_mtime_ns) == (looks.st_size, looks.st_mtime_ns)
        assert len(sync(folder).removed) == 1
    finally:
        connection.close()


def test_better_bibtex(write: Write, folder: Path) -> None:
    """An automatic export in which citation keys were made anew. A court decision without authors, which no
    rule can recognise under another key, is removed and added."""
    text = (SAMPLES / "better_bibtex.json").read_text(encoding="utf-8")
    export = write("export.json", text)
    add(folder, export)
    keys = [name for name in papers(folder) if text.count(f'"{name}"') == 1]
    assert keys
    new = text
    for key in keys:
        new = new.replace(f'"{key}"', f'"{key}New"')
    write("export.json", new)
    report = sync(folder)
    assert dict(report.removed) == {"wall1999": "Wall v. Moss"}
    assert dict(report.renamed) == {key: f"{key}New" for key in keys if key != "wall1999"}
    assert papers(folder).keys() == {f"{key}New" for key in keys}


def test_an_answer_says_what_has_changed(
    write: Write, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the command that helps, until it has been run; nothing is said of a missing file."""
    monkeypatch.setenv("CITEWHY_LIBRARY", str(tmp_path / "mine"))
    one, two = write("one.bib", LEE), write("two.bib", KIM)
    with Session(folder, create=True, pipeline="bm25") as session:
        session.add([one, two], vectors=False)
        assert session.suggest("Banks grow slowly.").remarks == ()
        write("one.bib", LEE, ROE)
        command = f"run: citewhy sync --library {folder}"
        (remark,) = session.suggest("Banks grow slowly.").remarks
        assert remark == f"one.bib has changed since it was added; {command}"
        write("two.bib", KIM, KIM)
        (remark,) = session.suggest("Banks grow slowly.").remarks
        assert remark == f"one.bib and 1 other source have changed since they were added; {command}"
        session.sync(vectors=False)
        two.unlink()
        assert session.suggest("Banks grow slowly.").remarks == ()
        write("one.bib", LEE)
        draft = session.open_draft({"draft.md": "Banks grow slowly [@]."})
        assert draft.remarks == (f"one.bib has changed since it was added; {command}",)
    monkeypatch.setenv("CITEWHY_LIBRARY", str(folder))
    with Session(pipeline="bm25") as session:
        (remark,) = session.suggest("Banks grow slowly.").remarks
        assert remark == "one.bib has changed since it was added; run: citewhy sync"


def test_a_session(write: Write, folder: Path, tmp_path: Path) -> None:
    """It answers from the new state; the starter library has no sources, and no library is an error."""
    bib = write("refs.bib", LEE, KIM)
    with Session(folder, create=True, pipeline="bm25") as session:
        session.add([bib], vectors=False)
        assert session.find("theory of dams").papers[0].id == "kim2002"
        write("refs.bib", LEE, ROE)
        assert session.sync(vectors=False).removed.keys() == {"kim2002"}
        assert session.find("old rivers").papers[0].id == "roe1999"
        assert session.library.canonical("kim2002") is None
    with Session("starter") as session, pytest.raises(QueryError, match="cannot be changed"):
        session.sync()
    with pytest.raises(LibraryError):
        sync(tmp_path / "nowhere")


SYNCER = """
import sys
from pathlib import Path
from citewhy.session.syncing import sync_files
print("ready", flush=True)
sync_files(Path(sys.argv[1]), vectors=False)
"""


def kill_while_syncing(write: Write, folder: Path, points: int) -> None:
    """After each kill the library is the old one or the new one, and the next synchronization makes the
    new one, which knows the same sources."""
    chance = random.Random(5)
    bibs = [write("one.bib", LEE, KIM), write("two.bib", ROE)]
    add(folder, *bibs)
    states = [
        [LEE.replace("lee2001", "leeBanks"), _many(0, 400)],
        [LEE, KIM, _many(200, 600)],
    ]
    sync(folder)
    for point in range(points):
        before = papers(folder)
        write("one.bib", *states[point % 2])
        syncer = subprocess.Popen([sys.executable, "-c", SYNCER, folder], stdout=subprocess.PIPE)
        assert syncer.stdout is not None
        assert syncer.stdout.readline() == b"ready\n"
        time.sleep(chance.random() * 0.3)
        syncer.send_signal(signal.SIGKILL)
        syncer.communicate()
        killed = papers(folder)
        sync(folder)
        after = papers(folder)
        assert killed in (before, after)
        assert after.keys() == {*re.findall(r"@misc{(\w+),", "".join(states[point % 2])), "roe1999"}
        with Library.open(folder) as library:
            assert [origin.path for origin in library.origins()] == list(map(str, bibs))
        assert sync(folder).added is None


def test_two_at_once(write: Write, folder: Path) -> None:
    """Processes that synchronize one library at the same time all succeed, and leave what one would."""
    add(folder, write("one.bib", LEE, KIM), write("two.bib", ROE))
    write("one.bib", LEE, _many(0, 200))
    command = [sys.executable, "-c", SYNCER, str(folder)]
    syncers = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
    for syncer in syncers:
        _, problems = syncer.communicate()
        assert syncer.returncode == 0, problems.decode()
    assert papers(folder).keys() == {"lee2001", "roe1999", *(f"entry{number}" for number in range(200))}
    assert sync(folder).added is None


def _many(first: int, last: int) -> str:
    return "".join(
        f"@misc{{entry{number}, title = {{A note on the {number}th of all wonders}}, year = 2000}}\n"
        for number in range(first, last)
    )


def test_killed(write: Write, folder: Path) -> None:
    kill_while_syncing(write, folder, points=3)


@pytest.mark.full
def test_killed_in_full(write: Write, folder: Path) -> None:
    """As above, fifty times."""
    kill_while_syncing(write, folder, points=50)
