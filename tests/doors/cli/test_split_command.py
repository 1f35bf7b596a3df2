"""`citewhy split`, and what `citewhy add` says of merges."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from citewhy.papers.library.store import Library
from citewhy.session.session import Session

Run = Callable[..., tuple[int, str, str]]

NOTES = """
@misc{lee2001, author = {Lee, Ann}, title = {On the slow growth of banks}, year = 2001}
@misc{leeNotes, author = {Lee, A.}, title = {On the slow Growth of Banks}, year = 2002}
@misc{roe1999, author = {Roe, Bo}, title = {Trees of old rivers}, year = 1999}
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A bibliography and a folder for a library."""
    (tmp_path / "refs.bib").write_text(NOTES, encoding="utf-8")
    return tmp_path / "refs.bib", tmp_path / "library"


def test_a_doubtful_merge_is_told_and_undone_for_good(run: Run, files: tuple[Path, Path]) -> None:
    """`add` names both ids and the titles; `split` makes two papers of them, and adding the file again does
    not join them."""
    bib, library = files
    out = run("add", bib, "--library", library, "--no-vectors")[1]
    assert "Matched with papers of the library under other ids: 1" in out
    assert "Doubtful among these: 1" in out
    assert "leeNotes = lee2001: On the slow Growth of Banks / On the slow growth of banks" in out
    assert "citewhy split ID" in out
    expected = "two papers now:\n  leeNotes: On the slow Growth of Banks\n  lee2001: On the slow growth of "
    assert run("split", "leeNotes", "--library", library) == (0, f"{expected}banks\n", "")
    document = orjson.loads(run("add", bib, "--library", library, "--no-vectors", "--json")[1])
    assert (document["changed"], document["merges"], document["papers_after"]) == (False, [], 3)
    answer = orjson.loads(run("find", "leeNotes", "--library", library, "--json")[1])
    assert "leeNotes" in str(answer)


def test_merges_and_splits_as_json(run: Run, files: tuple[Path, Path]) -> None:
    """Each merge with ids and titles, and both papers of a split."""
    bib, library = files
    document = orjson.loads(run("add", bib, "--library", library, "--no-vectors", "--json")[1])
    assert document["merged"] == 1
    assert document["merges"] == [
        {
            "id": "leeNotes",
            "title": "On the slow Growth of Banks",
            "into": "lee2001",
            "into_title": "On the slow growth of banks",
            "certain": False,
        }
    ]
    document = orjson.loads(run("split", "lee2001", "--library", library, "--json")[1])
    assert document == {
        "library": str(library),
        "papers": [
            {"id": "lee2001", "title": "On the slow growth of banks"},
            {"id": "leeNotes", "title": "On the slow Growth of Banks"},
        ],
    }


def test_what_was_not_merged_is_a_sentence(run: Run, files: tuple[Path, Path]) -> None:
    """So are an unknown id and the starter library; nothing changes."""
    bib, library = files
    run("add", bib, "--library", library, "--no-vectors")
    for name, problem in (
        ("roe1999", "was not merged with another paper"),
        ("nobody", "no paper with the id"),
    ):
        code, out, err = run("split", name, "--library", library)
        assert (code, out) == (2, "")
        assert problem in err
        assert err.count("\n") == 1
    with Library.open(library) as opened:
        assert opened.generation == 1
    assert "cannot be changed" in run("split", "P02-1040", "--library", "starter")[2]


def test_a_session_follows_its_split(files: tuple[Path, Path]) -> None:
    """The index has both papers at once."""
    bib, library = files
    with Session(library, create=True, pipeline="bm25") as session:
        session.add([bib], vectors=False)
        assert len(session.find("growth of banks").papers) == 1
        one, other = session.split("leeNotes")
        assert (one.id, one.year, other.id, other.year) == ("leeNotes", 2002, "lee2001", 2001)
        assert {paper.id for paper in session.find("growth of banks").papers} == {"leeNotes", "lee2001"}
