"""What connects proposed papers with those of a citation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hash_encoder import HashEncoder
from small_library import cites, make, paper, unsynced

from citewhy.base.records import DraftCitation, DraftEvidence, Query, Reason, Suggestion
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy.ranking.explain.together import distinct_works, with_proposed
from citewhy.search.index import open_index
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.search.rules import QueryRows, Rules

RECORDS: list[Record] = [
    *(paper(name, f"Title of {name}") for name in "abc"),
    *(paper(f"w{number}", year=2005) for number in range(3)),
    *cites("w0 a", "w0 b", "w1 a", "w1 b", "w2 b", "w2 c"),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with unsynced(), make(tmp_path_factory.mktemp("library"), RECORDS) as made:
        yield made


def reasons(library: Library, members: str, proposed: str, draft: DraftEvidence | None = None) -> list[str]:
    """The first reason of b and of c."""
    index = open_index(library, HashEncoder())
    rows = dict(zip("abc", index.rows(list("abc")).tolist(), strict=True))
    query = Query("set", "text", draft=draft, member_ids=tuple(members))
    own = QueryRows(members=tuple(rows[each] for each in members))
    scoped = ScopedQuery(query, own, index, Rules(), HashEncoder())
    old = (Reason("cocited", "of the draft"), Reason("words", "matches"))
    found = [Suggestion(library.paper(each), 1.0, old) for each in "bc"]
    told = with_proposed(library, scoped, found, [rows[each] for each in proposed])
    assert [each.paper.id for each in told if each.proposed] == sorted(proposed)
    return [each.reasons[0].text for each in told]


def test_papers_that_cite_both(library: Library) -> None:
    """Two papers cite a and b; none cites a and c, which keeps its reasons."""
    with_b, with_c = reasons(library, "a", "b")
    assert with_b == "cited together with “Title of a” in 2 papers"
    assert with_c == "of the draft"


def test_a_proposed_paper_counts_like_a_member(library: Library) -> None:
    """c is proposed after b, with which one paper cites it."""
    assert reasons(library, "a", "bc")[1] == "cited together with “Title of b” in 1 paper"
    assert reasons(library, "a", "b")[1] == "of the draft"


def test_the_draft_comes_first(library: Library) -> None:
    """What the author did elsewhere says more than what others did."""
    beside = DraftCitation("Both.", ("a", "b"), order=0, paragraph=0, line=12)
    draft = DraftEvidence((beside,), order=1, paragraph=1)
    assert reasons(library, "a", "", draft)[0] == "you cite it together with “Title of a” in line 12"
    there = DraftEvidence((replace(beside, file="intro.tex"),), order=1, paragraph=1)
    told = "you cite it together with “Title of a” in line 12 of intro.tex"
    assert reasons(library, "a", "", there)[0] == told


def test_a_work_is_proposed_once(tmp_path: Path) -> None:
    """The library has a work as a book and as an issue of a journal: short titles of two venues are two
    papers to it. Beside a member, neither is proposed again; papers without authors are not compared."""
    records: list[Record] = [
        paper("book", "Dependency Parsing", authors=("Ann Lee",), year=2009, venue="Publisher"),
        paper("issue", "Dependency parsing", authors=("A. Lee",), year=2009, venue="Lectures"),
        paper("other", "Dependency Parsing", authors=("Bo Li",), year=2009),
        *(paper(name, "Notes", authors=()) for name in ("x", "y")),
    ]
    with unsynced(), make(tmp_path, records) as made:
        index = open_index(made, HashEncoder())
        rows = {name: int(index.rows([name])[0]) for name in ("book", "issue", "other", "x", "y")}
        assert len(set(rows.values())) == 5

        def kept(names: str, *members: str) -> list[str]:
            asked = QueryRows(members=tuple(rows[each] for each in members))
            scoped = ScopedQuery(Query("set", "text"), asked, index, Rules(), HashEncoder())
            found = distinct_works(made, scoped, [rows[each] for each in names.split()])
            return [name for row in found for name in rows if rows[name] == row]

        assert kept("issue other book x y") == ["issue", "other", "x", "y"]
        assert kept("issue other", "book") == ["other"]
        assert kept("issue") == ["issue"]


def test_nothing_found(library: Library) -> None:
    """No suggestion, no reason."""
    index = open_index(library, HashEncoder())
    scoped = ScopedQuery(Query("set", "text"), QueryRows(), index, Rules(), HashEncoder())
    assert with_proposed(library, scoped, [], np.zeros(0, dtype=np.int64).tolist()) == []
