"""What the candidates of a query say of each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from small_library import make, paper, unsynced
from small_questions import Questions

from citewhy.base.records import Query
from citewhy.ranking.rank.features import FEATURES
from citewhy.ranking.rank.last_step_features import (
    BEST,
    FOLLOWING_YEARS,
    LAST_STEP_FEATURES,
    SIMILAR,
    SIMILAR_FEATURES,
    BaseOrder,
    best_cosines,
    followed,
    last_step_features,
)
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.search.rules import QueryRows, Rules, Scope

NEAR, FAR = SIMILAR + 0.01, SIMILAR - 0.01


def ratio(cosines: list[float], own: int, others: list[int], asked: int | None = None) -> float:
    """Of one paper, for a query of the year `asked`."""
    table, years = np.array([cosines], dtype=np.float32), np.array(others)
    return float(followed(table, np.array([own]), years, Scope(year=asked).early(years))[0])


def test_what_followed_a_paper() -> None:
    """Two later papers and one earlier one resemble it: ln(3 / 2)."""
    found = ratio([NEAR, NEAR, NEAR, FAR, FAR, FAR, FAR], 2000, [2001, 2002, 1999, 2001, 2001, 1990, 2003])
    assert found == pytest.approx(np.log(3 / 2))


def test_which_years_count() -> None:
    """The four years after it, all before it, and neither its own nor unknown ones."""
    assert ratio([NEAR], 2000, [2000 + FOLLOWING_YEARS]) == pytest.approx(np.log(2))
    assert ratio([NEAR], 2000, [2000 + FOLLOWING_YEARS + 1]) == 0
    assert ratio([NEAR], 2000, [1950]) == pytest.approx(-np.log(2))
    assert ratio([NEAR], 2000, [2000]) == ratio([NEAR], 2000, [0]) == 0
    assert ratio([NEAR, NEAR], 0, [2001, 1990]) == 0


def test_what_could_not_be_known_does_not_count() -> None:
    """What appears in the year of the query and later."""
    assert ratio([NEAR, NEAR], 2000, [2002, 2003], asked=2003) == pytest.approx(np.log(2))
    assert ratio([NEAR, NEAR], 2000, [2002, 2003], asked=2002) == 0


def test_nothing_to_compare_with() -> None:
    nobody, early = np.zeros(0, np.int64), np.zeros(0, np.bool_)
    assert followed(np.zeros((2, 0), np.float32), np.array([1, 2]), nobody, early).tolist() == [0, 0]
    assert best_cosines(np.zeros((0, 0), np.float32), np.zeros(0, np.float32)).tolist() == []


def test_the_best_count_by_their_scores() -> None:
    """With equal scores the plain mean; with a large lead, the cosine with the first; those behind the first
    `BEST` do not count."""
    cosines = np.array([[0.2, 0.6], [1.0, 0.0]], dtype=np.float32)
    assert best_cosines(cosines, np.zeros(2, np.float32)).tolist() == pytest.approx([0.4, 0.5])
    assert best_cosines(cosines, np.array([0, -50], np.float32)).tolist() == pytest.approx([0.2, 1.0])
    many = np.concatenate([np.full((1, BEST), 0.3), np.full((1, 9), 0.9)], axis=1).astype(np.float32)
    assert best_cosines(many, np.zeros(BEST + 9, np.float32)).tolist() == pytest.approx([0.3])


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Questions]:
    records = [
        paper("first", "Lanterns with shutters", "We build lanterns with shutters.", year=1998),
        paper("cited", "Lanterns with shutters", "We build lanterns with shutters.", year=1998),
        paper("then", "Lanterns with shutters again", "We build lanterns with shutters.", year=2000),
        paper("dogs", "Dogs", "Dogs bark.", year=1999),
    ]
    with unsynced(), make(tmp_path_factory.mktemp("library"), records) as library:
        yield Questions(library)


def columns(asked: Questions, year: int, lag: int = 0) -> tuple[list[float], list[float]]:
    """Both features of the papers "first", "cited", "then" and "dogs", in descending order of scores."""
    query = Query("local", "lanterns with shutters", year=year)
    scoped = ScopedQuery(query, QueryRows(), asked.index, Rules(lag=lag), asked.encoder)
    rows = asked.index.rows(["first", "cited", "then", "dogs"])
    seen = np.zeros((len(rows), len(FEATURES)), dtype=np.float32)
    seen[1, FEATURES.index("cited")] = 1
    scores = np.array([0, -1, -50, -60], dtype=np.float32)
    table = last_step_features(scoped, BaseOrder(rows, scores, np.zeros(4), seen))
    ratios, cosines = (table[:, LAST_STEP_FEATURES.index(each)].tolist() for each in SIMILAR_FEATURES)
    return ratios, cosines


def test_what_followed_a_paper_counts_while_nobody_has_cited_it(asked: Questions) -> None:
    """As of the year of the query: "then" follows two papers, of which one has been cited."""
    assert columns(asked, 2001)[0] == pytest.approx([np.log(2), 0, -np.log(3), 0])
    assert columns(asked, 2000)[0] == pytest.approx([0, 0, -np.log(3), 0])
    assert columns(asked, 2002, lag=2)[0] == pytest.approx([0, 0, -np.log(3), 0])


def test_only_the_first_candidates_are_compared_with(
    asked: Questions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citewhy.ranking.rank.last_step_features._COMPARED", 2)
    assert columns(asked, 2001)[0] == pytest.approx([0, 0, -np.log(3), 0])


def test_the_best_are_the_first(asked: Questions) -> None:
    """Nearly all weight is on the two papers on lanterns."""
    rows = asked.index.rows(["first", "cited", "then", "dogs"])
    near = asked.index.view(Scope()).paper_cosines(rows, rows[:2])
    expected = near @ np.exp([0, -1]) / np.exp([0, -1]).sum()
    assert columns(asked, 2001)[1] == pytest.approx(expected.tolist(), abs=1e-5)


def test_equal_papers_have_equal_values() -> None:
    """Wherever they stand among the others."""
    cosines = np.tile(np.random.default_rng(1).random(BEST).astype(np.float32), (303, 1))
    scores = np.linspace(1, 0, BEST).astype(np.float32)
    assert len(np.unique(best_cosines(cosines, scores))) == 1
