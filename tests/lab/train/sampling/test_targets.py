"""Target-centred and citance-centred supervision: what is true, what is false."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewhy_lab.train.systems.linkage_networks.data import CONFUSERS, NONE, citance_centred, target_centred


def test_four_sentences() -> None:
    """The example of the source: of {a, b, c, d} with the target b, the others stand against b; the most
    similar first, and of equals the first in the paper."""
    shared = np.array([[5, 1, 0, 0], [1, 4, 2, 1], [0, 2, 6, 0], [0, 1, 0, 3]], dtype=np.float32)
    found = target_centred(shared, [[1]])
    assert (found.citances.tolist(), found.true.tolist()) == ([0], [[1]])
    assert found.false[0, :3].tolist() == [2, 0, 3]
    assert set(found.false[0, 3:].tolist()) == {NONE}


def test_first_ten_against_the_next() -> None:
    """Of 25 sentences with rising overlap, the last ten are true, the ten before them false."""
    found = citance_centred(np.arange(25, dtype=np.float32)[None])
    assert found.true.tolist() == [list(range(24, 14, -1))]
    assert found.false.tolist() == [list(range(14, 4, -1))]


def test_a_short_paper() -> None:
    """Twelve sentences: ten are true, two are false, the rest is not there."""
    found = citance_centred(np.zeros((1, 12), dtype=np.float32))
    assert found.true.tolist() == [list(range(10))]
    assert found.false.tolist() == [[10, 11] + [NONE] * 8]


@st.composite
def papers(draw: st.DrawFn) -> tuple[np.ndarray, list[list[int]]]:
    sentences, words = draw(st.integers(1, 30)), 6
    bits = draw(st.lists(st.integers(0, 2**words - 1), min_size=sentences, max_size=sentences))
    bag = np.array([[number >> word & 1 for word in range(words)] for number in bits], dtype=np.float32)
    place = st.integers(0, sentences - 1)
    targets = draw(st.lists(st.lists(place, min_size=1, max_size=4, unique=True), min_size=1, max_size=4))
    return bag @ bag.T, targets


@given(papers())
def test_target_centred(paper: tuple[np.ndarray, list[list[int]]]) -> None:
    """A row a target. What is false is no target of the citance, comes once, and as many as there are up to
    ten; nothing that was left out is more like the target."""
    shared, targets = paper
    found = target_centred(shared, targets)
    assert [(int(c), int(t)) for c, (t,) in zip(found.citances, found.true, strict=True)] == [
        (citance, target) for citance, meant in enumerate(targets) for target in meant
    ]
    for citance, (target,), row in zip(found.citances, found.true, found.false, strict=True):
        false = [int(place) for place in row if place != NONE]
        others = set(range(len(shared))) - set(targets[citance])
        assert len(set(false)) == len(false) == min(CONFUSERS, len(others))
        assert set(false) <= others
        left_out = others - set(false)
        if left_out:
            assert min(shared[target, false]) >= max(shared[target, list(left_out)])


@given(papers())
def test_citance_centred(paper: tuple[np.ndarray, list[list[int]]]) -> None:
    """No sentence is both; every true one shares at least as many words as every false one, and that at
    least as many as any that is neither."""
    shared, _ = paper
    found = citance_centred(shared)
    assert found.citances.tolist() == list(range(len(shared)))
    for overlap, first, second in zip(shared, found.true, found.false, strict=True):
        true, false = [p for p in first if p != NONE], [p for p in second if p != NONE]
        assert len(true) == min(10, len(shared))
        assert len(false) == min(10, len(shared) - len(true))
        assert len({*true, *false}) == len(true) + len(false)
        if false:
            assert min(overlap[true]) >= max(overlap[false])
        rest = sorted(set(range(len(shared))) - {*true, *false})
        if rest:
            assert min(overlap[false]) >= max(overlap[rest])


@pytest.mark.parametrize("sentences", [1, 5])
def test_a_citance_that_means_everything(sentences: int) -> None:
    """Where every sentence is a target, nothing is false: rows of NONE, and no error."""
    found = target_centred(np.ones((sentences, sentences), dtype=np.float32), [list(range(sentences))])
    assert (found.false == NONE).all()
    assert len(found) == sentences
