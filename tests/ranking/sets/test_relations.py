"""How candidates are related to papers of a citation: counted by hand, as of the year of the query."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from hash_encoder import HashEncoder
from small_library import cites, context, make, paper, unsynced

from citewhy.base.records import DraftCitation, DraftEvidence, Query
from citewhy.papers.formats import Record
from citewhy.ranking.sets.relations import RELATIONS, Relations
from citewhy.search.index import Index, open_index
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.search.rules import QueryRows, Rules

RECORDS: list[Record] = [
    *(paper(name, f"Title of {name}", year=year) for name, year in (("a", 2000), ("b", 2000), ("c", 2003))),
    *(paper(f"w{year}", f"Writer in {year}", year=year) for year in (2005, 2006, 2007)),
    *cites("w2005 a", "w2005 b", "w2006 a", "w2006 b", "w2007 a", "w2007 c", "c a"),
    context("s1", "w2005", "a b", "Both TARGETCIT.", 2005),
    context("s2", "w2006", "a", "One TARGETCIT.", 2006),
    context("s3", "w2007", "a c", "Later both TARGETCIT.", 2007),
]

DRAFT = DraftEvidence(
    citations=(
        DraftCitation("First.", ("a", "b"), order=0, paragraph=0),
        DraftCitation("Second.", ("c",), order=1, paragraph=0),
        DraftCitation("Third.", ("b",), order=2, paragraph=1),
    ),
    order=3,
    paragraph=2,
    bibliography=("a", "c", "b"),
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with unsynced(), make(tmp_path_factory.mktemp("library"), RECORDS) as library:
        yield open_index(library, HashEncoder())


def related(index: Index, one: str, other: str, year: int | None, draft: bool = False) -> dict[str, float]:
    query = Query("set", "text", year=year, draft=DRAFT if draft else None)
    scoped = ScopedQuery(query, QueryRows(), index, Rules(), HashEncoder())
    rows = index.rows(["a", "b", "c"])
    table = Relations(scoped, rows).to(int(index.rows([other])[0]))
    return dict(zip(RELATIONS, table[["a", "b", "c"].index(one)].tolist(), strict=True))


def test_cited_together_before_the_year(index: Index) -> None:
    """Until 2007, two papers cite a and b, and each of these is cited by these two; one of two sentences with
    a has b, which no other sentence has; a and b are of the same year, and do not cite each other."""
    found = related(index, "b", "a", 2007)
    assert found["papers"] == pytest.approx(math.log(3))
    assert found["papers_cosine"] == pytest.approx(2 / math.sqrt(2 * 3))  # c cites a, too
    assert found["sentences"] == pytest.approx(math.log(2))
    assert found["sentences_cosine"] == pytest.approx(1 / math.sqrt(2 * 1))
    assert (found["linked"], found["year"]) == (0, 1)


def test_what_is_later_does_not_count(index: Index) -> None:
    """What cites a and c appeared in 2007; that c cites a counts from 2004 on."""
    assert related(index, "c", "a", 2007)["papers"] == 0
    assert related(index, "c", "a", 2008)["papers"] == pytest.approx(math.log(2))
    assert related(index, "c", "a", 2008)["sentences"] == pytest.approx(math.log(2))
    assert related(index, "c", "a", 2003)["linked"] == 0
    assert related(index, "c", "a", 2004)["linked"] == 1
    assert related(index, "c", "a", 2008)["year"] == 1 / 4


def test_the_draft(index: Index) -> None:
    """a and b stand in one citation; that of c stands beside it, and that of b in another paragraph does not;
    in the bibliography a is two entries from b."""
    of_b, of_c = (related(index, each, "a", None, draft=True) for each in "bc")
    assert of_b["draft_together"] == pytest.approx(math.log(2))
    assert (of_b["draft_beside"], of_b["bibliography"]) == (0, 1 / 2)
    assert of_c["draft_together"] == 0
    assert of_c["draft_beside"] == pytest.approx(math.log(2))
    assert of_c["bibliography"] == 1
    assert np.array(list(related(index, "b", "a", None).values()))[-4:-1].tolist() == [0, 0, 0]


def test_no_candidates(index: Index) -> None:
    """Nothing is related to nothing."""
    scoped = ScopedQuery(Query("set", "text"), QueryRows(), index, Rules(), HashEncoder())
    none = np.zeros(0, dtype=np.int64)
    assert Relations(scoped, none).to(int(index.rows(["a"])[0])).shape == (0, len(RELATIONS))
