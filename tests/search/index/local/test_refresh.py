"""How the index follows a library: little for little, nothing for nothing, and back again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from small_library import PLAIN, cites, context, index_contents, make, paper, rebuilt

from citewhy.base.records import Alias, Paper
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy.search.index import open_index
from citewhy.search.index.local.refresh import refresh
from citewhy.search.index.local.snapshot import read_state
from citewhy.search.index.segments import ContextSegment, PaperSegment, alive_masks, name_hash
from citewhy.search.index.tables import Tables

FIRST = [paper(f"p{number}", f"Trees and banks {number}", "tree " * number) for number in range(40)]
WORDS = ["tree", "bank", "bird"]


def on_disk(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Inode, time and bytes of every file but the lock: what was written again differs."""
    return {
        str(file.relative_to(folder)): (file.stat().st_ino, file.stat().st_mtime_ns, file.read_bytes())
        for file in folder.rglob("*")
        if file.is_file() and file.name != ".lock"
    }


def weight(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.glob("*.npy"))


def test_little_for_little(tmp_path: Path) -> None:
    """One more paper and one more sentence are small segments; those of the many are not touched."""
    with make(
        tmp_path, [*FIRST, *(context(f"c{n}", "p1", f"p{n}", "As tree shows.") for n in range(40))]
    ) as library:
        open_index(library)
        root = tmp_path / "index"
        before = read_state(root)
        files = {name: on_disk(root / name) for name in (*before.papers, *before.contexts)}
        library.add([paper("new", "Birds"), context("c", "new", "p3", "Birds on TARGETCIT.")])
        open_index(library)
        after = read_state(root)
        assert {name: on_disk(root / name) for name in (*before.papers, *before.contexts)} == files
        for old, new, kind in (
            (before.papers, after.papers, PaperSegment),
            (before.contexts, after.contexts, ContextSegment),
        ):
            assert new[:-1] == old
            assert len(kind.load(root / new[-1]).numbers) == 1
            assert weight(root / new[-1]) < weight(root / new[0])


TWIN = paper("one", "Twin trees", doi="10.1/twin")
LATER: list[list[Record]] = [
    [paper("new", "Birds"), *cites("new p3", "p3 new", "new unknown")],
    [paper("unknown", "More birds"), context("late", "new", "absent", "Birds on TARGETCIT.")],
    [Alias("other", "p5"), *cites("other p6")],
    [paper("other", "A bird that is another one"), paper("absent", "Absent birds")],
    [paper("twin", TWIN.title, doi=TWIN.doi), *cites("twin p9", "p9 twin")],
    [paper("p8", "Another title", "birds", 1990), context("c1", "p1", "p8", "Other birds on TARGETCIT.")],
    [paper("third", TWIN.title, doi=TWIN.doi), *cites("third one")],
]
"""Each adds citations, or papers that change what cites what."""


def test_tables_follow_what_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Citations of papers that come later, of names that become papers, of papers that are merged, split and
    removed: the tables are those of an index made anew, without reading all citations again."""
    sentences = [context(f"c{n}", f"p{n}", f"p{n + 1}", "As tree shows.") for n in range(8)]
    with make(tmp_path, [*FIRST, TWIN, *sentences, *cites("p1 p7", "p2 p5", "p5 one", "one p5")]) as library:
        open_index(library)

        def changes() -> Iterator[object]:
            for records in LATER:
                yield library.add(records)
            yield library.split("twin")
            yield library.remove(["p3", "new"])
            yield library.add(LATER[0])

        for _ in changes():
            with monkeypatch.context() as within:
                within.setattr(Library, "numbered_citations", None)
                found = index_contents(open_index(library), WORDS)
            with rebuilt(library) as fresh:
                assert found == index_contents(fresh, WORDS)


@pytest.mark.parametrize("most", [0, 2])
def test_tables_of_much_that_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Where too much changes to tell of it, or to follow it, the tables are made anew."""
    monkeypatch.setattr("citewhy.papers.library.change._MOST_TOLD", most)
    monkeypatch.setattr("citewhy.search.index.local.refresh._MOST_EXTENDED", 2 - most)
    with make(tmp_path, [*FIRST, *cites("p1 p7", "p2 p5")]) as library:
        open_index(library)
        for pairs in (["p3 p4"], [f"p{n} p0" for n in range(1, 20)], ["p4 p5", "p7 p8"]):
            library.add(cites(*pairs))
            found = index_contents(open_index(library), WORDS)
            with rebuilt(library) as fresh:
                assert found == index_contents(fresh, WORDS)


def test_nothing_for_nothing(tmp_path: Path) -> None:
    """Refreshing again, opening again and adding what is there already write no file."""
    with make(tmp_path, FIRST) as library:
        open_index(library)
        before = on_disk(tmp_path / "index")
        told: list[str] = []
        refresh(library, lambda what, _share: told.append(what))
        open_index(library)
        library.add(FIRST)
        open_index(library)
        assert on_disk(tmp_path / "index") == before
        assert told == []


def test_no_segment_for_what_is_not_indexed(tmp_path: Path) -> None:
    """Citations alone change the tables, and no segment."""
    with make(tmp_path, FIRST) as library:
        open_index(library)
        before = read_state(tmp_path / "index")
        library.add([context("c", "p1", "unknown", "Nobody has TARGETCIT.")])
        open_index(library)
        after = read_state(tmp_path / "index")
    assert (after.papers, after.contexts) == (before.papers, ())
    assert after.tables != before.tables
    assert after.generation == 2


def test_progress(tmp_path: Path) -> None:
    """Shares never go back, and end with 1."""
    told: list[tuple[str, float]] = []
    with make(tmp_path, FIRST) as library:
        refresh(library, lambda what, share: told.append((what, share)))
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert told[0] == ("papers", 0.0)
    assert told[-1] == ("done", 1.0)


def test_an_empty_library(tmp_path: Path) -> None:
    """It has an index, too; and grows from it."""
    with Library.open(tmp_path, create=True) as library:
        index = open_index(library)
        assert (index.generation, index.tables.rows, index.text.size, index.contexts.size) == (0, 0, 0, 0)
        library.add(FIRST[:1])
        assert open_index(library).tables.paper_id(library.numbers(["p0"])["p0"]) == "p0"


def test_an_emptied_library(tmp_path: Path) -> None:
    """Where all papers went, none is left in any answer; later ones are found."""
    with make(tmp_path, [*FIRST, context("c", "p1", "p2", "tree bank")]) as library:
        open_index(library)
        library.remove([each.id for each in FIRST])
        index = open_index(library)
        assert index_contents(index, WORDS)["papers"] == {}
        assert not index.text.scores({"tree": 1.0}, PLAIN).any()
        library.add([paper("new", "Birds in a tree")])
        answers = index_contents(open_index(library), WORDS)
        with rebuilt(library) as fresh:
            assert answers == index_contents(fresh, WORDS)


@pytest.mark.filterwarnings("ignore:.*has lost commits")
def test_put_back(tmp_path: Path) -> None:
    """A library that was put back to an earlier state is not answered from what came after."""
    folder, backup = tmp_path / "library", tmp_path / "backup"
    with make(folder, FIRST):
        pass
    shutil.copytree(folder, backup)
    with Library.open(folder) as library:
        library.add([paper("later", "Birds")])
        open_index(library)
    shutil.copy(backup / "library.db", folder / "library.db")
    with Library.open(folder) as library:
        index = open_index(library)
        assert index.generation == 1
        assert "later" not in index_contents(index, WORDS)["papers"]
        assert not any(index_contents(index, WORDS)["text"]["bird"][1])
        library.add([paper("other", "Birds and bees")])
        with_other = index_contents(open_index(library), WORDS)
        assert "later" not in with_other["papers"]
        assert sum(map(bool, with_other["text"]["bird"][1])) == 1


@pytest.mark.filterwarnings("ignore:.*has lost commits")
@pytest.mark.parametrize("later", [0, 1, 2])
def test_put_back_and_gone_on(tmp_path: Path, later: int) -> None:
    """Nor is one that has since come to the same generation, or a later one, another way."""
    folder, backup = tmp_path / "library", tmp_path / "backup"
    with make(folder, FIRST) as library:
        library.add([paper("second", "Bees")])
    shutil.copytree(folder, backup)
    with Library.open(folder) as library:
        for name in ("later", "latest"):
            library.add([paper(name, "Birds")])
        open_index(library)
    shutil.copy(backup / "library.db", folder / "library.db")
    with Library.open(folder) as library:
        for place in range(1 + later):
            library.add([paper(f"other{place}", "Birds of another feather")])
        answers = index_contents(open_index(library), WORDS)
        with rebuilt(library) as fresh:
            assert answers == index_contents(fresh, WORDS)
        assert "later" not in answers["papers"]


@pytest.mark.filterwarnings("ignore:.*has lost commits")
def test_made_again(tmp_path: Path) -> None:
    """A new library in the place of one that was deleted is not answered from the old one's index."""
    with make(tmp_path, FIRST) as library:
        open_index(library)
    for file in tmp_path.glob("library.db*"):
        file.unlink()
    with Library.open(tmp_path, create=True) as library:
        assert index_contents(open_index(library), WORDS)["papers"] == {}
        library.add([paper("other", "Birds")])
        assert library.generation == 1
        assert list(index_contents(open_index(library), WORDS)["papers"]) == ["other"]


def test_a_copy_keeps_its_index(tmp_path: Path) -> None:
    """A copy of a whole library folder has an index that is its own: nothing is made again."""
    with make(tmp_path / "one", FIRST) as library:
        open_index(library)
    shutil.copytree(tmp_path / "one", tmp_path / "other")
    before = read_state(tmp_path / "other" / "index")
    with Library.open(tmp_path / "other") as library:
        open_index(library)
        assert read_state(tmp_path / "other" / "index") == before
        library.add([paper("new", "Birds")])
        open_index(library)
        after = read_state(tmp_path / "other" / "index")
        assert after.papers[:-1] == before.papers


def test_leftovers_are_swept(tmp_path: Path) -> None:
    """What a process that was killed left behind goes with the next change; nothing of ours goes with it."""
    with make(tmp_path, FIRST) as library:
        open_index(library)
        root = tmp_path / "index"
        for name in (".papers-dead.x1", "contexts-dead"):
            (root / name).mkdir()
            (root / name / "half.npy").write_bytes(b"half")
        (root / ".current.json.x2").write_bytes(b"half")
        library.add([paper("new", "Birds")])
        open_index(library)
        state = read_state(root)
        assert {each.name for each in root.iterdir()} == {*state.folders(), "current.json", ".lock"}


def test_years_that_are_none(tmp_path: Path) -> None:
    """A year that no calendar has is unknown to the index: it neither fails nor counts as early or late."""
    odd = [0, -1, -44, 40_000, 10**12]
    papers = [paper(f"p{place}", year=year) for place, year in enumerate(odd)]
    said_then = [context(f"c{place}", "p0", "p1", "tree", year) for place, year in enumerate(odd)]
    with make(tmp_path, [*papers, *said_then, paper("real", year=2001)]) as library:
        tables = open_index(library).tables
        rows = library.numbers([each.id for each in papers]).values()
        assert tables.years[list(rows)].tolist() == [0] * len(odd)
        assert tables.years[library.numbers(["real"])["real"]] == 2001
        assert not tables.context_years.any()


def test_files_hold_arrays_alone(tmp_path: Path) -> None:
    """No file of an index needs pickle to be read, and none holds an object."""
    with make(tmp_path, FIRST) as library:
        open_index(library)
        files = list((tmp_path / "index").rglob("*.npy"))
        assert len(files) > 40
        for file in files:
            assert not np.load(file, allow_pickle=False).dtype.hasobject


def test_tables_by_hand(tmp_path: Path) -> None:
    """Who cites whom, from citations and from sentences, each pair once; who wrote what; in which order."""
    records: list[Record] = [
        paper("b", authors=("Ann Lee", "Bo Li"), venue="Trees 1999", abstract="Text.", year=1999),
        paper("a", authors=("ann lee",), venue="Trees 2003", year=None),
        paper("c", authors=(), venue="Banks"),
        context("s1", "b", "a c", "Both TARGETCIT."),
        context("s2", "stranger", "a", "TARGETCIT.", 2004),
        context("s3", "a", "a", "We cite ourselves TARGETCIT."),
        *cites("b a", "b a", "a c", "c c", "c stranger"),
    ]
    with make(tmp_path, records) as library:
        tables = open_index(library).tables
        row = library.numbers("abc")
    pairs = set(zip(tables.citing.tolist(), tables.cited.tolist(), strict=True))
    assert pairs == {(row["b"], row["a"]), (row["b"], row["c"]), (row["a"], row["c"])}
    assert len(tables.citing) == 3
    assert tables.cited[tables.made_by(row["b"])].tolist() == sorted([row["a"], row["c"]])
    received = tables.by_cited[slice(*tables.cited_starts[row["c"] : row["c"] + 2])]
    assert sorted(tables.citing[received].tolist()) == sorted([row["a"], row["b"]])
    assert sorted(tables.papers_of("ANN LEE").tolist()) == sorted([row["a"], row["b"]])
    assert tables.papers_of("Bo Li").tolist() == [row["b"]]
    assert tables.papers_of("Nobody").tolist() == []
    assert tables.venues[row["a"]] == tables.venues[row["b"]] != tables.venues[row["c"]]
    assert np.argsort(tables.id_ranks[[row["a"], row["b"], row["c"]]]).tolist() == [0, 1, 2]
    assert tables.abstracts[[row["a"], row["b"], row["c"]]].tolist() == [False, True, False]
    sentences = [
        (int(tables.context_years[number]), int(tables.context_citing[number]))
        for number in dict.fromkeys(tables.pair_context.tolist())
    ]
    assert sorted(sentences) == sorted([(1999, row["b"]), (2004, tables.stranger("stranger")), (0, row["a"])])
    assert tables.stranger("stranger") == -2
    assert tables.stranger("a") == tables.stranger("") == -1
    assert len(tables.pair_context) == 4


def test_no_author_and_no_venue(tmp_path: Path) -> None:
    """Papers without people and places, alone in a library, share nothing."""
    with make(tmp_path, [paper("a"), paper("b")]) as library:
        tables = open_index(library).tables
        assert not tables.venues.any()
        assert len(tables.author_hashes) == 0
        assert tables.papers_of("").tolist() == []


def test_name_hash() -> None:
    """Case and accents aside, a name has one number, which is the same on every machine."""
    assert name_hash("Jan Šnajder") == name_hash("jan snajder") != name_hash("Jan Snajderova")
    assert name_hash("") == name_hash("")
    assert -(2**63) <= name_hash("\ud800 half a character") < 2**63


def test_alive_masks() -> None:
    """A document lives in the last segment that has it, unless it was removed everywhere."""
    segments = [np.array(each, dtype=np.int32) for each in ([1, 2, 5], [2, 7], [7], [9])]
    masks = alive_masks(segments, removed=[5])
    assert [None if mask is None else np.flatnonzero(~mask).tolist() for mask in masks] == [
        [2, 5],
        [7],
        None,
        None,
    ]
    assert alive_masks([], [3]) == []


def test_segments_saved_and_loaded(tmp_path: Path) -> None:
    """Segments and tables come back from the disk as they were, array by array, also without any paper."""
    papers = [(3, paper("é", "Trees", authors=("Ann Lee",), venue="Banks")), (8, Paper("b", "Banks"))]
    for some in (papers, []):
        segment = PaperSegment.build(some)
        segment.save(tmp_path / "papers")
        loaded = PaperSegment.load(tmp_path / "papers")
        for part in fields(segment.columns):
            before, after = getattr(segment.columns, part.name), getattr(loaded.columns, part.name)
            assert before.dtype == after.dtype
            assert np.array_equal(before, after), part.name
        tables = Tables.build([segment], [None], [(3, 8)] if some else [], [])
        tables.save(tmp_path / "tables")
        again = Tables.load(tmp_path / "tables")
        for part in fields(tables):
            before, after = getattr(tables, part.name), getattr(again, part.name)
            assert before.dtype == after.dtype
            assert np.array_equal(before, after), part.name
    assert Tables.build([PaperSegment.build(papers)], [None], [], []).paper_id(3) == "é"
