"""Training pairs for citation linkage, by two kinds of supervision.

Nomoto, Resolving Citation Links With Neural Networks, Frontiers in Research Metrics and Analytics 3, 2018,
sections 4 and 5. Both compare sentences by the number of words that they share; ties keep the order of the
paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["CONFUSERS", "NONE", "TRUE_RANKS", "Contrasts", "citance_centred", "target_centred"]

Ints = NDArray[np.int64]

CONFUSERS = 10
"""|R|: the sentences most similar to a target, which are its negatives."""

TRUE_RANKS, FALSE_RANKS = (0, 10), (10, 20)
"""Ranks from 0, the last excluded, of the true and of the false sentences of citance-centred supervision."""

NONE = -1
"""Pads rows of papers with too few sentences."""


@dataclass(frozen=True, slots=True)
class Contrasts:
    """Each row: a citing sentence, true and false sentences for it. Every true sentence should be ranked
    above every false one of its row.

    `citances` [rows]; `true` [rows, p] and `false` [rows, n] are places in the paper, padded with NONE.
    """

    citances: Ints
    true: Ints
    false: Ints

    def __len__(self) -> int:
        return len(self.citances)


def target_centred(shared: NDArray[np.float32], targets: Sequence[Sequence[int]]) -> Contrasts:
    """TCS: a row for each citing sentence and each of its targets, with the `CONFUSERS` sentences most
    similar to that target as false ones; other targets are not among them.

    shared [sentences, sentences]: numbers of words that two sentences of the paper have in common. `targets`:
    for each citing sentence, places of the sentences that it was linked to by hand.
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
    """CCS: a row for each citing sentence, in which the ten sentences that share most words with it are true,
    and the next ten false. The links by hand are not used.

    shared [citances, sentences]: numbers of words that a citing sentence and a sentence have in common.
    """
    order = np.argsort(-shared, axis=1, kind="stable")
    return Contrasts(np.arange(len(shared)), _cut(order, *TRUE_RANKS), _cut(order, *FALSE_RANKS))


def _cut(order: NDArray[np.intp], first: int, last: int) -> Ints:
    """[rows, last - first] of the ranking, padded where it is shorter."""
    places = np.full((len(order), last - first), NONE, dtype=np.int64)
    found = order[:, first:last]
    places[:, : found.shape[1]] = found
    return places
