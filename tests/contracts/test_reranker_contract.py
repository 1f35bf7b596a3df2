"""Contract of all rerankers (`citewhy.ranking.rank.reranker.Reranker`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast, get_args

import numpy as np
import pytest
from model_makers import in_threads, made, of_kind

from citewhy.base.records import FullText, Paper, Query, QueryKind, Sentence
from citewhy.ranking.rank.opening import open_reranker
from citewhy.ranking.rank.reranker import CitingYears, Need, Reranker, RerankRequest

PAPERS = [
    Paper("a", "A model of parsing", "We parse sentences with trees.", ("Ann Lee", "Bo Kim"), 2001),
    Paper("b", "Tagging", "", ("Cy Ray",), 2003),
    Paper("c", "", "An abstract without a title.", (), None),
    Paper("d", "Ü 机器翻译", "∑ " * 300, tuple(f"Author {n}" for n in range(40)), 1999),
    Paper("e", "", "", (), None),
]

YEARS: list[CitingYears] = [
    np.array(years, dtype=np.int16) for years in ([2002, 2004], [], [2003], [2000] * 50, [])
]

TEXTS = [
    FullText("a", (Sentence(0, "title", "A model of parsing"), Sentence(1, "1 Intro", "We parse."))),
    None,
]
TEXTS += [FullText("c", ()), None, None]

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
    """Queries of every kind that it answers, with all fields and with as few as possible."""
    return [
        query
        for kind in sorted(reranker.kinds)
        for query in (
            Query(kind, SENTENCE, "Better parsing", "Our parser is better.", ("Di Fo",), year=2005),
            Query(kind, "no marker at all"),
            Query(kind),
        )
    ]


def requests(reranker: Reranker, order: Sequence[int] = range(len(PAPERS))) -> list[RerankRequest]:
    """Requests for its queries with the papers in this order, with or without known papers."""
    papers, years = [PAPERS[place] for place in order], [YEARS[place] for place in order]
    texts = [TEXTS[place] for place in order] if "full texts" in reranker.needs else []
    return [
        RerankRequest(query, papers, years, texts, known if "known papers" in reranker.needs else [])
        for query in queries(reranker)
        for known in ([], [PAPERS[1], Paper("k", "Known", year=1990)])
    ]


def test_what_it_says_of_itself(reranker: Reranker) -> None:
    """It has a name, existing kinds of queries, and parameters within their range."""
    assert reranker.name.strip()
    assert reranker.kinds
    assert reranker.kinds <= set(get_args(QueryKind))
    assert reranker.needs <= set(get_args(Need))
    assert reranker.depth >= 1
    assert 0 <= reranker.first_stage_weight < np.inf


def test_scores(reranker: Reranker) -> None:
    """There is a finite score of 32 bits for each candidate, whatever is missing in query and papers."""
    for request in requests(reranker):
        scores = reranker.scores(request)
        assert scores.shape == (len(PAPERS),)
        assert scores.dtype == np.float32
        assert np.isfinite(scores).all()


def test_no_candidates(reranker: Reranker) -> None:
    """Without candidates there are no scores."""
    for request in requests(reranker, []):
        assert reranker.scores(request).shape == (0,)


def test_scores_follow_their_papers(reranker: Reranker) -> None:
    """The scores of candidates do not depend on their order, and are the same when repeated."""
    order = [3, 0, 4, 2, 1]
    for request, other in zip(requests(reranker), requests(reranker, order), strict=True):
        scores = reranker.scores(request)
        assert reranker.scores(other) == pytest.approx(scores[order], abs=1e-5)
        assert np.array_equal(reranker.scores(request), scores)


def test_reasons(reranker: Reranker) -> None:
    """There is at least one reason; each is a sentence with a finite weight, the largest first."""
    for request in requests(reranker):
        for place in range(len(PAPERS)):
            reasons = reranker.reasons(request, place)
            assert reasons
            assert all(reason.kind and reason.text.strip() for reason in reasons)
            weights = [reason.weight for reason in reasons]
            assert np.isfinite(weights).all()
            assert weights == sorted(weights, reverse=True)


def test_opened_twice(folder: Path, reranker: Reranker) -> None:
    """Opened twice, a folder gives the same reranker."""
    again = cast("Reranker", open_reranker(folder))
    for request in requests(reranker):
        assert np.array_equal(again.scores(request), reranker.scores(request))


def test_another_weight_of_the_first_stage(folder: Path, reranker: Reranker) -> None:
    """The caller may set the weight of the first stage; nothing else changes."""
    other = cast("Reranker", open_reranker(folder, 0.5))
    assert other.first_stage_weight == 0.5
    assert (other.name, other.kinds, other.depth) == (reranker.name, reranker.kinds, reranker.depth)
    assert other.needs == reranker.needs
    for request in requests(reranker):
        assert np.array_equal(other.scores(request), reranker.scores(request))


def test_many_threads(reranker: Reranker) -> None:
    """Eight threads get the same scores as one."""
    all_requests = requests(reranker)
    alone = [reranker.scores(request) for request in all_requests]

    def agrees(time: int) -> bool:
        place = time % len(all_requests)
        return bool(np.array_equal(reranker.scores(all_requests[place]), alone[place]))

    assert all(in_threads(agrees, range(24)))
