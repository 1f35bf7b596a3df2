"""Which candidates the last step of ranking orders, and where it leaves the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from last_step_tables import table

from citewhy.ranking.rank import ranker as ranking
from citewhy.ranking.rank.calibration import Calibration
from citewhy.ranking.rank.features import FEATURES
from citewhy.ranking.rank.last_step import REGIMES, LastStep
from citewhy.ranking.rank.last_step_features import LAST_STEP_FEATURES, _claims
from citewhy.ranking.rank.ranked import Ranked
from citewhy.ranking.rank.ranker import Ranker
from citewhy.search.index import Hits
from citewhy.search.retrieve.naming import Uses

NOBODY = np.zeros(0, dtype=np.int64)


def ranked(size: int) -> Ranked:
    """Rows 0, 1, … in this order, with scores that fall by 1."""
    return Ranked.by_score(Hits(np.arange(size), -np.arange(size, dtype=np.float32)))


def question(listed: list[int], cited: Sequence[int] = (), **named: Any) -> Any:
    """A scoped query of a draft that lists the papers in the rows `listed`, and cites those in the rows
    `cited`."""
    nobody: dict[str, Any] = {"introduced": NOBODY, "first_authors": NOBODY}
    return SimpleNamespace(
        query=SimpleNamespace(kind="local"),
        cited_in_draft={f"paper {row}": row for row in (*listed, *cited)},
        cited_elsewhere=np.array(cited, dtype=np.int64),
        named=SimpleNamespace(**nobody | named),
        index=SimpleNamespace(id_ranks=lambda rows: rows),
    )


@pytest.fixture
def without_features(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of the last step with the rank of a candidate and nothing else."""
    monkeypatch.setattr(
        ranking, "last_step_features", lambda _, base: table(base_rank=(-base.scores).tolist())
    )


class Backwards:
    """A last step that gives the first candidate the lowest score, and all of them negative ones."""

    def scores(self, seen: np.ndarray[Any, np.dtype[np.float32]]) -> np.ndarray[Any, np.dtype[np.float32]]:
        return seen[:, LAST_STEP_FEATURES.index("base_rank")] - np.float32(5000)

    def probabilities(self, seen: np.ndarray[Any, Any], scores: np.ndarray[Any, Any], kind: str) -> Any:
        return np.full(len(seen), 0.5)

    def competing(self, seen: np.ndarray[Any, Any], scores: np.ndarray[Any, Any], kind: str) -> Any:
        return np.full(len(seen), 0.25)


def order(size: int, asked: Any) -> Ranked:
    model: Any = Backwards()
    return Ranker()._last_step(asked, ranked(size), model)


@pytest.mark.usefixtures("without_features")
def test_the_last_step_orders_what_the_draft_and_the_sentence_name() -> None:
    """The first 300 candidates, and further ones that the draft cites or the sentence names; 600 in all."""
    named: Any = {"introduced": np.array([950]), "first_authors": np.array([951])}
    found = order(1000, question([400, 500], **named))
    assert found.rows[:304].tolist() == [951, 950, 500, 400, *range(299, -1, -1)]
    many = order(1000, question([*range(350, 1000)]))
    assert many.rows[:600].tolist() == [*range(649, 349, -1), *range(299, -1, -1)]


@pytest.mark.usefixtures("without_features")
def test_what_the_text_cites_is_seen_behind_hundreds_that_are_only_listed() -> None:
    """A bibliography of 1,000 entries, of which the text cites the last ones; the sentence names another."""
    found = order(1000, question([*range(990)], [*range(990, 1000)], first_authors=np.array([980])))
    assert found.rows[:11].tolist() == [*range(999, 989, -1), 980]
    assert found.rows[11:600].tolist() == [*range(588, -1, -1)]
    all_cited = order(1000, question([], [*range(1000)]))
    assert all_cited.rows.tolist() == [*range(999, -1, -1)]


@pytest.mark.usefixtures("without_features")
def test_what_words_or_vectors_put_first_is_seen() -> None:
    """Wherever the steps before have put it; what shares nothing with the question is not."""
    model: Any = Backwards()
    features = np.zeros((1000, len(FEATURES)), dtype=np.float32)
    features[900, FEATURES.index("text")] = 1
    features[950, FEATURES.index("cosine")] = 0.5
    found = Ranker()._last_step(question([]), replace(ranked(1000), table=features), model)
    assert found.rows[:302].tolist() == [950, 900, *range(299, -1, -1)]


@pytest.mark.usefixtures("without_features")
def test_what_the_last_step_has_not_seen_stays_behind() -> None:
    """In the order that it had, with the same distances, improbable, and without features."""
    found = order(400, question([]))
    assert found.rows.tolist() == [*range(299, -1, -1), *range(300, 400)]
    assert np.diff(found.scores[300:]).tolist() == [-1] * 99
    assert found.scores[300] < found.scores[299] < 0
    assert found.probabilities.tolist() == [0.5] * 300 + [0] * 100
    assert found.alone.tolist() == [0.25] * 300 + [0] * 100
    assert found.take([2, 399]).alone.tolist() == [0.25, 0]
    assert found.last_table is not None
    assert np.isnan(found.last_table).all(axis=1).tolist() == [False] * 300 + [True] * 100


def test_all_are_improbable_where_nothing_is_familiar() -> None:
    """The same scores have lower probabilities in a library with nothing on the subject."""
    model = LastStep.of(
        LAST_STEP_FEATURES,
        {world: [[[-1, 0, 0, 0, 0.0]]] for world in REGIMES},
        {world: {"slope": 1.0, "decline": 2.0, "none": 0.0} for world in REGIMES},
        dict.fromkeys(REGIMES, Calibration(1.0, 0.0)),
    )
    scores = np.array([np.log(4), 0], dtype=np.float32)
    for kind in ("local", "paragraph"):
        near, middle, far = (
            model.probabilities(table(cosine=[cosine, 0]), scores, kind) for cosine in (0.9, 0.4, 0.1)
        )
        assert near.min() > 0.1
        assert middle.tolist() == pytest.approx((near / 2).tolist())
        assert far.max() < 1e-4


def test_a_name_counts_by_its_later_uses_up_to_a_limit() -> None:
    """ln(1 + uses) / 6, and never more than a whole claim."""
    assert [name_used(later) for later in (0, 19, 402, 10_000)] == pytest.approx(
        [0, 0.4993, 0.9998, 1], abs=1e-4
    )


def name_used(later: int) -> float:
    """The feature of a paper that introduced a name which `later` papers use."""
    name = SimpleNamespace(
        marked=True,
        before=False,
        standings=lambda index, view, rows: np.ones(len(rows), dtype=np.float32),
        uses=lambda view, bm25: Uses(earlier=0, later=later),
    )
    asked: Any = SimpleNamespace(
        named=SimpleNamespace(systems=[name]), index=None, view=None, parameters=SimpleNamespace(text=None)
    )
    return float(_claims(asked, np.array([7]))["name_used"][0])
