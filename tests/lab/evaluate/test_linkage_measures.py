"""Ranks of the first true sentence, averages over citances and clusters, CL-SciSumm's overlap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewhy.base.records import Citance, FullText, Sentence
from citewhy_lab.evaluate.datasets.linkage import Cluster
from citewhy_lab.evaluate.linkage import (
    RADII,
    Matrix,
    Scorer,
    average,
    judge,
    judge_all,
    overlap_f1,
    rank_of_first,
    widened,
)


def cluster(name: str, sentences: int, targets: Sequence[tuple[int, ...]]) -> Cluster:
    text = FullText(name, tuple(Sentence(sid, "", f"s{sid}") for sid in range(1, sentences + 1)))
    return Cluster(
        text, tuple(Citance(f"{name}_{n}", "Q", name, "c", sids) for n, sids in enumerate(targets))
    )


def fixed(*rows: Sequence[float]) -> Scorer:
    return lambda citances, text: numpy.array(rows, dtype=numpy.float32)


FIVE = cluster("A", 5, [(5,), (1, 2)])
"""Sentences 1 to 5; the first citance means the last, the second the first two."""

JUDGED = judge(fixed([5, 4, 3, 2, 1], [1, 2, 3, 4, 5]), FIVE)


def test_ranks_of_the_first_target() -> None:
    """The last of five is fifth, widened by one it is met at the fourth, by five at once."""
    assert {radius: JUDGED.ranks[radius].tolist() for radius in (0, 1, 3, 5)} == {
        0: [5, 4],
        1: [4, 3],
        3: [2, 1],
        5: [1, 1],
    }


def test_equal_scores_keep_the_order_of_the_paper_or_turn_it_round() -> None:
    """With one score for all, the last sentence is fifth, and first the other way round."""
    flat = fixed([0] * 5, [0] * 5)
    assert judge(flat, FIVE).ranks[0].tolist() == [5, 1]
    assert judge(flat, FIVE, ties="last").ranks[0].tolist() == [1, 4]


def test_two_averages() -> None:
    """Clusters of two and one citances: (1/5 + 1/4 + 1) / 3 over citances, (.225 + 1) / 2 over clusters."""
    other = judge(fixed([1, 0]), cluster("B", 2, [(1,)]))
    micro, macro = average([JUDGED, other], "citances"), average([JUDGED, other], "clusters")
    assert micro.query_ids == macro.query_ids == ("A", "B")
    assert micro.means()["RR"] == pytest.approx(1.45 / 3)
    assert macro.means()["RR"] == pytest.approx(0.6125)


def test_overlap() -> None:
    """First two: {1, 2} against {5} and {5, 4} against {1, 2}: nothing. First four: 0 + 1 of 8 named, 3
    meant, so that F1 is 2 / 11."""
    assert overlap_f1([JUDGED], 2) == (0, 0, 0)
    assert overlap_f1([JUDGED], 4) == pytest.approx((1 / 8, 1 / 3, 2 / 11))


def test_wrong_scores_are_refused() -> None:
    """A scorer that answers in another shape, or with what cannot be ordered, is not repaired."""
    for bad in (fixed([1, 2]), fixed([1, 2, 3, 4, float("nan")], [1, 2, 3, 4, 5])):
        with pytest.raises(ValueError, match="cluster A"):
            judge(bad, FIVE)


@st.composite
def marked(draw: st.DrawFn) -> tuple[numpy.ndarray, numpy.ndarray]:
    width = draw(st.integers(1, 12))
    row = draw(st.lists(st.booleans(), min_size=width, max_size=width).filter(any))
    return numpy.array([row]), numpy.array([draw(st.permutations(range(width)))])


@given(marked(), st.integers(0, 15))
def test_widened_as_by_definition(case: tuple[numpy.ndarray, numpy.ndarray], radius: int) -> None:
    """A sentence is in where some target is at most `radius` away; the rank is that of the first such."""
    targets, ranking = case
    true = numpy.flatnonzero(targets[0])
    near = [min(abs(place - true)) <= radius for place in range(targets.shape[1])]
    assert widened(targets, radius)[0].tolist() == near
    first = next(rank for rank, place in enumerate(ranking[0], start=1) if near[place])
    assert rank_of_first(ranking, widened(targets, radius)).tolist() == [first]


def test_a_wider_target_is_never_ranked_lower() -> None:
    """Measures rise with the radius, whatever the scores."""

    def noise(citances: Sequence[str], text: FullText) -> Matrix:
        return numpy.random.default_rng(7).random((len(citances), len(text.sentences)), dtype=numpy.float32)

    means = list(
        average(judge_all(noise, [FIVE, cluster("C", 30, [(12,), (7,)])]), "citances").means().values()
    )
    assert len(means) == len(RADII)
    assert means == sorted(means)
