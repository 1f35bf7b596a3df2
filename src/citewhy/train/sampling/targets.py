"""Which sentences of the cited paper a linker learns to tell apart: two kinds of supervision.

Nomoto, Resolving Citation Links With Neural Networks, Frontiers in Research Metrics and Analytics 3, 2018,
sections 4 and 5. Both compare sentences by the number of words that they share; equal numbers keep the order
of the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["CONFUSERS", "NONE", "TRUE_RANKS", "Contrasts", "citance_centred", "target_centred"]

Ints = NDArray[np.int64]

CONFUSERS = 10
"""|R|: sentences most like a target that stand against it."""

TRUE_RANKS, FALSE_RANKS = (0, 10), (10, 20)
"""Ranks, from 0 and without the last, of what citance-centred supervision takes for true, and for false."""

NONE = -1
"""In the place of a sentence: the paper has no more."""


@dataclass(frozen=True, slots=True)
class Contrasts:
    """Each row: a citance, sentences that it means, sentences that it does not. Every true sentence is to
    stand above every false one of its row.

    `citances` [rows]; `true` [rows, p] and `false` [rows, n] are places in the paper, padded with NONE.
    """

    citances: Ints
    true: Ints
    false: Ints

    def __len__(self) -> int:
        return len(self.citances)


def target_centred(shared: NDArray[np.float32], targets: Sequence[Sequence[int]]) -> Contrasts:
    """TCS: a row for each citance and each of its targets, against the `CONFUSERS` sentences most like that
    target which are no target of the citance.

    shared [sentences, sentences]: words that two sentences of the paper have in common. `targets`: for each
    citance, places of the sentences that it was linked to by hand.
    """
    rows = [(citance, target) for citance, meant in enumerate(targets) for target in meant]
    false = np.full((len(rows), CONFUSERS), NONE, dtype=np.int64)
    for row, (citance, target) in enumerate(rows):
        others = np.setdiff1d(np.arange(len(shared)), targets[citance])
        nearest = others[np.argsort(-shared[target, others], kind="stable")][:CONFUSERS]
        false[row, : len(nearest)] = nearest
    pairs = np.array(rows, dtype=np.int64).reshape(-1, 2)
    return Contrasts(pairs[:, 0], pairs[:, 1:], false)


def citance_centred(shared: NDArray[np.float32]) -> Contrasts:
    """CCS: a row for each citance, in which the ten sentences that share most words with it are true, and
    the next ten are false. What people linked is not looked at.

    shared [citances, sentences]: words that a citance and a sentence have in common.
    """
    order = np.argsort(-shared, axis=1, kind="stable")
    return Contrasts(np.arange(len(shared)), _cut(order, *TRUE_RANKS), _cut(order, *FALSE_RANKS))


def _cut(order: NDArray[np.intp], first: int, last: int) -> Ints:
    """[rows, last - first] of the ranking, padded where it is shorter."""
    places = np.full((len(order), last - first), NONE, dtype=np.int64)
    found = order[:, first:last]
    places[:, : found.shape[1]] = found
    return places
