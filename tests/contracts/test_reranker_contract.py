"""What every reranker keeps to: `citewhy.rank.reranker.Reranker`."""

from __future__ import annotations

from pathlib import Path
from typing import cast, get_args

import numpy as np
import pytest
from model_makers import in_threads, made, of_kind

from citewhy.rank.opening import open_reranker
from citewhy.rank.reranker import CitedIn, Reranker
from citewhy.records import Paper, Query, QueryKind

PAPERS = [
    Paper("a", "A model of parsing", "We parse sentences with trees.", ("Ann Lee", "Bo Kim"), 2001),
    Paper("b", "Tagging", "", ("Cy Ray",), 2003),
    Paper("c", "", "An abstract without a title.", (), None),
    Paper("d", "Ü 机器翻译", "∑ " * 300, tuple(f"Author {n}" for n in range(40)), 1999),
    Paper("e", "", "", (), None),
]

CITED_IN: list[CitedIn] = [
    np.array(years, dtype=np.int16) for years in ([2002, 2004], [], [2003], [2000] * 50, [])
]

SENTENCE = "We parse sentences as in TARGETCIT , unlike OTHERCIT ."


@pytest.fixture(scope="module", params=of_kind("reranker"))
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(request.param, tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def reranker(folder: Path) -> Reranker:
    found = open_reranker(folder)
    assert found is not None
    return found


def queries(reranker: Reranker) -> list[Query]:
    """Of every kind that it answers: in full, and as bare as can be."""
    return [
        query
        for kind in sorted(reranker.kinds)
        for query in (
            Query(kind, SENTENCE, "Better parsing", "Our parser is better.", ("Di Fo",), year=2005),
            Query(kind, "no marker at all"),
            Query(kind),
        )
    ]


def test_what_it_says_of_itself(reranker: Reranker) -> None:
    """A name for people, kinds of queries that there are, and parameters in their range."""
    assert reranker.name.strip()
    assert reranker.kinds
    assert reranker.kinds <= set(get_args(QueryKind))
    assert reranker.depth >= 1
    assert 0 <= reranker.first_stage_weight < np.inf


def test_scores(reranker: Reranker) -> None:
    """One for each candidate, 32 bits, finite, whatever is missing in query and papers."""
    for query in queries(reranker):
        scores = reranker.scores(query, PAPERS, CITED_IN)
        assert scores.shape == (len(PAPERS),)
        assert scores.dtype == np.float32
        assert np.isfinite(scores).all()


def test_no_candidates(reranker: Reranker) -> None:
    """No candidates, no scores."""
    for query in queries(reranker):
        assert reranker.scores(query, [], []).shape == (0,)


def test_scores_follow_their_papers(reranker: Reranker) -> None:
    """In another order the candidates have the same scores, and so they do when asked again."""
    order = [3, 0, 4, 2, 1]
    for query in queries(reranker):
        scores = reranker.scores(query, PAPERS, CITED_IN)
        other = reranker.scores(query, [PAPERS[n] for n in order], [CITED_IN[n] for n in order])
        assert other == pytest.approx(scores[order], abs=1e-5)
        assert np.array_equal(reranker.scores(query, PAPERS, CITED_IN), scores)


def test_reasons(reranker: Reranker) -> None:
    """Never none, each a sentence with a finite weight, the weightiest first."""
    for query in queries(reranker):
        for paper, years in zip(PAPERS, CITED_IN, strict=True):
            reasons = reranker.reasons(query, paper, years)
            assert reasons
            assert all(reason.kind and reason.text.strip() for reason in reasons)
            weights = [reason.weight for reason in reasons]
            assert np.isfinite(weights).all()
            assert weights == sorted(weights, reverse=True)


def test_opened_twice(folder: Path, reranker: Reranker) -> None:
    """The same folder is the same reranker."""
    again = cast("Reranker", open_reranker(folder))
    for query in queries(reranker):
        assert np.array_equal(again.scores(query, PAPERS, CITED_IN), reranker.scores(query, PAPERS, CITED_IN))


def test_another_weight_of_the_first_stage(folder: Path, reranker: Reranker) -> None:
    """The caller may say what the first stage counts; nothing else changes."""
    other = cast("Reranker", open_reranker(folder, 0.5))
    assert other.first_stage_weight == 0.5
    assert (other.name, other.kinds, other.depth) == (reranker.name, reranker.kinds, reranker.depth)
    for query in queries(reranker):
        assert np.array_equal(other.scores(query, PAPERS, CITED_IN), reranker.scores(query, PAPERS, CITED_IN))


def test_many_threads(reranker: Reranker) -> None:
    """Eight threads get the scores that one gets."""
    asked = queries(reranker)
    alone = [reranker.scores(query, PAPERS, CITED_IN) for query in asked]

    def ask(time: int) -> bool:
        place = time % len(asked)
        return bool(np.array_equal(reranker.scores(asked[place], PAPERS, CITED_IN), alone[place]))

    assert all(in_threads(ask, range(24)))
