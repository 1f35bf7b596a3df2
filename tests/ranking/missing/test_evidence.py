"""What speaks for a work: counts worked out by hand in a small graph of citations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from small_library import cites, make, paper

from citewhy.base.records import Query
from citewhy.papers.library.store import Library
from citewhy.ranking.missing.considering import Considered
from citewhy.ranking.missing.evidence import EVIDENCE, Evidence, evidence
from citewhy.ranking.recommender import Recommender

PAPERS = [
    paper("known1", "Parsing Trees with Charts", "Charts parse trees.", 2000, authors=("Ann Lee",)),
    paper("known2", "Parsing Graphs with Charts", "Charts parse graphs.", 2001, authors=("Ann Lee",)),
    paper("root", "Charts for Parsing", "Charts were introduced.", 1995, authors=("Ann Lee", "Bo Li")),
    paper("beside", "Beams for Parsing", "Beams parse trees faster than charts.", 2002),
    paper("builds", "Fast Charts for Trees", "Charts for trees are fast.", 2003),
    paper("survey", "A Survey of Parsing with Charts", "Charts, beams and trees.", 2004),
    paper("later", "Parsing Trees with Charts Again", "Charts parse trees again.", 2006),
    paper("mine", "Parsing Trees with Words", "Words parse trees.", 2003, authors=("Di Own",)),
]
CITATIONS = cites(
    "known1 root",
    "known2 root",
    "builds known1",
    "survey known1",
    "survey known2",
    "survey beside",
    "later mine",
)
QUERY = Query(
    "global",
    title="Parsing Trees with Charts and Beams",
    abstract="We parse trees with charts.",
    authors=("Di Own",),
    known_ids=("known1", "known2"),
    year=2005,
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with make(tmp_path_factory.mktemp("missing") / "library", [*PAPERS, *CITATIONS]) as opened:
        yield opened


@pytest.fixture(scope="module")
def recommender(library: Library) -> Recommender:
    return Recommender(library)


def found(recommender: Recommender, query: Query = QUERY) -> tuple[list[str], Evidence]:
    answer = recommender.begun(query, 100)
    ids = answer.scoped.index.ids(answer.ranked.rows)
    return ids, evidence(recommender.library, answer.scoped, answer.ranked)


def test_references_that_cite_a_work(recommender: Recommender) -> None:
    """Both known papers cite `root`; `builds` cites one of them; nobody cites a known paper twice."""
    ids, of = found(recommender)
    assert dict(zip(ids, of.cited_by.tolist(), strict=True))["root"] == 2
    cites_known = dict(zip(ids, of.cites.tolist(), strict=True))
    assert cites_known["builds"] == 1
    assert cites_known["survey"] == 2
    assert cites_known["beside"] == 0


def test_references_that_are_cited_together_with_a_work(recommender: Recommender) -> None:
    """The survey cites `beside` with both known papers."""
    ids, of = found(recommender)
    beside = dict(zip(ids, of.beside.tolist(), strict=True))
    assert (beside["beside"], beside["root"]) == (2, 0)


def test_what_appears_later_does_not_count(recommender: Recommender) -> None:
    """In 2004, the survey of that year is no evidence."""
    ids, of = found(recommender, Query("global", title=QUERY.title, known_ids=QUERY.known_ids, year=2004))
    beside = dict(zip(ids, of.beside.tolist(), strict=True))
    assert beside.get("beside", 0) == 0
    assert "later" not in ids


def test_every_column_is_a_number(recommender: Recommender) -> None:
    """Also without known papers, and where nothing is found."""
    for query in (QUERY, Query("global", title="Trees"), Query("global", title="xyzzy")):
        ids, of = found(recommender, query)
        assert of.table.shape == (len(ids), len(EVIDENCE))
        assert np.isfinite(of.table).all()


def test_own_works_are_marked(recommender: Recommender) -> None:
    ids, of = found(recommender)
    own = dict(zip(ids, of.table[:, EVIDENCE.index("by_own")].tolist(), strict=True))
    assert [name for name, value in own.items() if value] == ["mine"]


def test_first_authors_among_those_of_the_references(recommender: Recommender) -> None:
    """Ann Lee wrote both."""
    ids, of = found(recommender)
    column = of.table[:, EVIDENCE.index("by_known")]
    assert dict(zip(ids, np.expm1(column).round(3).tolist(), strict=True))["root"] == 2


def test_works_are_considered_in_the_order_of_their_probabilities(recommender: Recommender) -> None:
    considered: Considered = recommender.considered(QUERY)
    assert (np.diff(considered.probabilities) <= 0).all()
    assert not {"known1", "known2"} & set(considered.ids)


def test_reasons_say_what_can_be_looked_up(recommender: Recommender) -> None:
    considered = recommender.considered(QUERY)
    (one,) = considered.suggestions([considered.ids.index("root")])
    assert one.reasons[0].text == "cited by 2 of your references"
    (one,) = considered.suggestions([considered.ids.index("beside")])
    assert "cited together with 2 of your references" in [reason.text for reason in one.reasons]


def test_what_was_taken_back_is_not_proposed(tmp_path: Path) -> None:
    """As its title says, or as a notice does."""
    gone = paper("gone", "RETRACTED: Charts for Parsing Trees and Beams", "Charts parse trees.", 2003)
    with make(tmp_path / "library", [*PAPERS, gone]) as library:
        considered = Recommender(library).considered(QUERY)
        assert "gone" in considered.ids
        found = considered.suggestions(range(len(considered.ids)))
    assert "gone" not in [one.paper.id for one in found]


def test_a_ranking_without_probabilities_keeps_its_order(library: Library) -> None:
    plain = Recommender(library, "bm25")
    considered = plain.considered(QUERY)
    assert considered.ids == plain.rank(QUERY, 300).ids
    assert not len(considered.probabilities)
