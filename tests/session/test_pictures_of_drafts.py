"""Papers in a plane."""

from __future__ import annotations

import numpy as np

from citewhy.session.pictures import layout


def test_what_is_near_lies_near() -> None:
    """Of two groups, each paper lies nearer to those of its own."""
    near = np.full((12, 12), 0.05)
    near[:6, :6] = near[6:, 6:] = 0.8
    np.fill_diagonal(near, 1.0)
    plane = layout(near)
    for number in range(12):
        own = np.arange(12) // 6 == number // 6
        distances = np.sqrt(((plane - plane[number]) ** 2).sum(axis=1))
        assert distances[own].sum() / 5 < distances[~own].mean()


def test_everything_has_room() -> None:
    """Papers that nothing tells apart lie apart; one alone lies in the middle; and a map is the same each
    time."""
    same = layout(np.ones((40, 40)))
    apart = np.sqrt(((same[:, None] - same[None]) ** 2).sum(axis=2)) + np.eye(40)
    assert apart.min() > 0.02
    assert layout(np.ones((1, 1))).tolist() == [[0.5, 0.5]]
    assert layout(np.ones((0, 0))).shape == (0, 2)
    assert np.array_equal(same, layout(np.ones((40, 40))))
