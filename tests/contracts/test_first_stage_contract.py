"""Contract of all first stages (`citewhy.search.retrieve.first_stage.FirstStage`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast, get_args

import numpy as np
import pytest
from model_makers import in_threads, made, of_kind
from small_library import cites, context, make, paper, unsynced
from small_questions import Questions

from citewhy.base.records import DraftCitation, DraftEvidence, Query, QueryKind
from citewhy.models import open_model
from citewhy.papers.formats import Record
from citewhy.search.index import Hits
from citewhy.search.retrieve.candidates import candidates
from citewhy.search.retrieve.first_stage import FirstStage, Treatment
from citewhy.search.retrieve.stages import FIRST_STAGES
from citewhy.search.rules import Rules

BUILT_IN = {stage.name: stage for stage in FIRST_STAGES}

PAPERS: list[Record] = [
    paper("chart", "Chart Parsing of Trees", "Built bottom up.", 1995, authors=("Ann Lee",), venue="Trees"),
    paper("bank", "A Bank of Trees", "Sentences with trees.", 1996, authors=("Bo Li",)),
    paper("stat", "Statistical Parsing", "", 2000, authors=("Ann Lee", "Bo Li"), venue="Trees"),
    paper("lex", "Lexical Parsing", "Words choose trees.", 2001, authors=("Cy Ma",)),
    paper("asks", "Parsing Trees Again", "We parse trees.", 2003, authors=("Dee Ray",)),
    paper("late", "Neural Parsing of Trees", "By networks.", 2005, authors=("Ann Lee",)),
    paper("undated", "Parsing, a Report", "Trees.", None),
]
EARLY: list[Record] = [
    context("e1", "stat", "chart bank", "Parsed with a chart TARGETCIT over a bank TARGETCIT."),
    context("e2", "lex", "stat", "Statistical parsing TARGETCIT came first."),
    *cites("stat chart", "lex chart", "lex bank"),
]
LATE: list[Record] = [
    context("l1", "late", "lex undated", "A chart of trees TARGETCIT TARGETCIT."),
    context("l2", "asks", "undated", "Statistical chart parsing of trees TARGETCIT."),
    *cites("late undated", "asks undated", "asks bank", "late stat"),
]


def queries() -> list[Query]:
    """Queries of each kind, with all fields and with as few as possible."""
    elsewhere = DraftCitation("Lee parses with a chart", ("chart",), order=0, paragraph=0)
    whole = Query(
        "local",
        "Lee shows statistical parsing of trees with a chart",
        title="Parsing Again",
        abstract="We parse trees.",
        authors=("Dee Ray", "Ann Lee"),
        known_ids=("chart", "lex"),
        year=2003,
        citing_id="asks",
        draft=DraftEvidence((elsewhere,), order=1, paragraph=1, bibliography=("chart", "late")),
    )
    kinds: tuple[QueryKind, ...] = get_args(QueryKind)
    full = [replace(whole, kind=kind) for kind in kinds]
    return [
        *full,
        replace(full[-1], member_ids=("bank",)),
        *(Query(kind) for kind in kinds),
        Query("local", "zebra"),
    ]


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Questions]:
    with unsynced(), make(tmp_path_factory.mktemp("library"), [*PAPERS, *EARLY, *LATE]) as library:
        yield Questions(library)


@pytest.fixture(scope="module", params=[*BUILT_IN, *of_kind("first-stage")])
def stage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> FirstStage:
    if request.param in BUILT_IN:
        return BUILT_IN[request.param]
    folder = made(request.param, tmp_path_factory.mktemp("models"))
    return cast("FirstStage", open_model(folder, "first-stage"))


def exact_hits(questions: Questions, hits: Hits) -> list[tuple[str, str]]:
    """Ids and exact scores."""
    scores = [score.hex() for score in hits.scores.tolist()]
    return list(zip(questions.ids(hits.rows), scores, strict=True))


def test_what_it_says_of_itself(stage: FirstStage) -> None:
    """It has a name and a treatment."""
    assert stage.name.strip()
    assert stage.treatment in get_args(Treatment)


def test_names_are_different() -> None:
    """The built-in first stages have different names."""
    assert len(BUILT_IN) == len(FIRST_STAGES)


def test_hits(questions: Questions, stage: FirstStage) -> None:
    """Hits are distinct papers in the library, with finite, descending scores; ties in order of ids."""
    for query in queries():
        hits = stage.candidates(questions.scoped(query))
        assert hits.rows.dtype == np.dtype(np.int64)
        assert hits.scores.dtype == np.dtype(np.float32)
        assert hits.rows.shape == hits.scores.shape
        assert np.isfinite(hits.scores).all()
        assert len(set(hits.rows.tolist())) == len(hits.rows)
        assert all(questions.index.knows(row) for row in hits.rows.tolist())
        pairs = list(zip((-hits.scores).tolist(), questions.ids(hits.rows), strict=True))
        assert pairs == sorted(pairs)


def test_the_built_in_ones_find_something(questions: Questions) -> None:
    """The built-in first stages find papers for most of the queries with all fields."""
    for stage in FIRST_STAGES:
        found = [len(stage.candidates(questions.scoped(query)).rows) > 0 for query in queries()[:5]]
        assert sum(found) >= 3, stage.name


def test_only_what_the_scope_admits_comes_through(questions: Questions, stage: FirstStage) -> None:
    """Newer papers, the citing paper and the members of a set are never candidates, whatever a stage
    finds."""
    for query in queries():
        rows = candidates(questions.scoped(query), [stage]).rows
        forbidden = {query.citing_id, *query.member_ids} | ({"late"} if query.year else set())
        assert not forbidden & {*questions.ids(rows)}


def test_the_future_says_nothing(tmp_path: Path, questions: Questions, stage: FirstStage) -> None:
    """Citations and sentences from the query's year or later, or by the citing paper, change nothing in the
    results among candidates, bitwise."""
    with unsynced(), make(tmp_path, [*PAPERS, *EARLY]) as library:
        before = Questions(library)
        for query in queries()[:5]:
            found = []
            for each in (questions, before):
                scoped = each.scoped(query)
                hits = stage.candidates(scoped)
                kept = scoped.view.admits(hits.rows)
                found.append(exact_hits(each, Hits(hits.rows[kept], hits.scores[kept])))
            assert found[0] == found[1]


def test_less_may_be_known(questions: Questions, stage: FirstStage) -> None:
    """If citations or all citing sentences are hidden, there is no error, and no paper that only they
    support."""
    hidden = frozenset(questions.library.numbers(["chart", "stat"]).values())
    for rules in (Rules(hidden=hidden), Rules(contexts=False), Rules(lag=10), Rules("abstract")):
        for query in queries():
            rows = candidates(questions.scoped(query, rules), [stage]).rows
            assert rules.pool == "all" or "stat" not in questions.ids(rows)


def test_the_same_again_and_for_many(questions: Questions, stage: FirstStage) -> None:
    """Repeated calls, and eight threads that share the stage, give the same results."""
    all_queries = queries()
    alone = [exact_hits(questions, stage.candidates(questions.scoped(query))) for query in all_queries]

    def same(place: int) -> bool:
        return exact_hits(questions, stage.candidates(questions.scoped(all_queries[place]))) == alone[place]

    assert all(in_threads(same, [*range(len(all_queries))] * 3))


def test_an_empty_library(tmp_path: Path, stage: FirstStage) -> None:
    """In an empty library nothing is found."""
    with unsynced(), make(tmp_path, []) as library:
        empty = Questions(library)
        for query in queries():
            assert len(stage.candidates(empty.scoped(query)).rows) == 0
