"""Learning rates by step."""

from __future__ import annotations

import pytest

from citewhy_lab.train.loop import constant, cosine, inverse_square_root, linear, linear_in_turn


def test_a_constant_rate() -> None:
    """The same at every step."""
    assert [constant(0.3)(step) for step in (0, 7)] == [0.3, 0.3]


def test_a_rise_and_a_fall() -> None:
    """Ten steps, a fifth of them up: ½ and 1 of the peak, times 1 − step / 10."""
    rate = linear(2.0, 10, warm_up=0.2)
    assert [rate(step) for step in range(3)] == pytest.approx([0.5 * 2 * 1.0, 2 * 0.9, 2 * 0.8])
    assert rate(9) == pytest.approx(2 * 0.1)
    assert rate(10) == 0


def test_a_fall_alone() -> None:
    """Without a warm-up the first step has the whole rate."""
    assert [linear(1.0, 4)(step) for step in range(4)] == [1.0, 0.75, 0.5, 0.25]


def test_a_rise_and_a_cosine() -> None:
    """Two steps up: ½, 1; then half a cosine over six steps: after two (1 + cos 60°) / 2 = ¾, after three ½,
    after four ¼, at the end nothing. A longer rise than all steps never falls."""
    rate = cosine(2.0, 8, warm_up=2)
    assert [rate(step) for step in range(3)] == pytest.approx([1, 2, 2])
    assert [rate(step) for step in (4, 5, 6, 8)] == pytest.approx([1.5, 1, 0.5, 0])
    assert [cosine(1.0, 4, warm_up=9)(step) for step in range(4)] == [0.25, 0.5, 0.75, 1.0]


def test_a_rise_and_an_inverse_square_root() -> None:
    """Four steps up from .2 to 1: .2, .4, .6, .8; then √(4 / step): 1 at step 4, ½ at step 16."""
    rate = inverse_square_root(1.0, 4, 0.2)
    assert [rate(step) for step in range(5)] == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])
    assert rate(16) == pytest.approx(0.5)


def test_linear_in_turn() -> None:
    """Of ten steps two rise from zero; the third has the peak, and the rate falls by an eighth a step."""
    rate = linear_in_turn(2.0, 10, warm_up=0.2)
    assert [rate(step) for step in range(10)] == pytest.approx([0, 1, 2, 1.75, 1.5, 1.25, 1, 0.75, 0.5, 0.25])
    assert linear_in_turn(1.0, 4, 0.0)(0) == 1.0
