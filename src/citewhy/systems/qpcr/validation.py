"""How well a network ranks the papers of validation paragraphs; weights between start and training."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from citewhy.encode.texts import paper_text
from citewhy.records import Paper
from citewhy.systems.qpcr.data import Example
from citewhy.systems.qpcr.network import LastLayers
from citewhy.systems.qpcr.queries import paragraph_text

__all__ = ["SHARES", "Quality", "Validation", "between", "quality"]

SHARES = (0.25, 0.5, 0.75, 1.0)
"""Shares of the trained weights that `between` tries."""


class Quality(NamedTuple):
    """The measures of the source, each from 0 to 1, averaged over paragraphs."""

    r_precision: float
    """The share of relevant papers among the first R, where R is their number."""
    recall_5: float
    recall_10: float
    reciprocal_rank: float
    """Of the first relevant paper."""

    @property
    def mean(self) -> float:
        """Of all four."""
        return sum(self) / len(self)


class Validation:
    """The paragraphs `held`, whose papers are searched in `pool`; it has all of their positives."""

    def __init__(self, held: Sequence[Example], papers: Mapping[str, Paper], pool: Sequence[str]) -> None:
        self.held, self.pool = held, sorted(pool)
        self._texts = [paper_text(papers[each]) for each in self.pool]

    def measure(self, network: LastLayers) -> Quality:
        """The paper that a paragraph is from is no candidate."""
        papers = network.encode(self._texts, "paper")
        queries = network.encode([paragraph_text(each.query) for each in self.held], "query")
        place = {paper_id: number for number, paper_id in enumerate(self.pool)}
        scores = queries @ papers.T
        for row, each in enumerate(self.held):
            if each.query.citing_id in place:
                scores[row, place[each.query.citing_id]] = -torch.inf
        return quality(scores, [{place[paper] for paper in each.positives} for each in self.held])


def quality(scores: Tensor, relevant: Sequence[set[int]]) -> Quality:
    """Shapes: scores [queries, papers]; `relevant` has the columns of each query's papers, at least one. Ties
    are broken by column."""
    found = []
    for row, columns in zip(scores, relevant, strict=True):
        order = torch.sort(row, descending=True, stable=True).indices.tolist()
        ranks = sorted(rank for rank, column in enumerate(order, start=1) if column in columns)
        shares = (sum(rank <= most for rank in ranks) / len(ranks) for most in (len(ranks), 5, 10))
        found.append((*shares, 1 / ranks[0]))
    return Quality(*(sum(column) / len(found) for column in zip(*found, strict=True)))


def between(
    network: LastLayers, start: Mapping[str, NDArray[np.float32]], judged: Callable[[], float]
) -> dict[float, float]:
    """Gives `network` the weights start + share · (trained − start), with the one of `SHARES` that `judged`
    finds best, the smallest of equally good ones; `start` has the weights before training. Returns what was
    found for each share.

    A network between start and trained weights may keep what training loses (Wortsman et al. 2022, robust
    fine-tuning of zero-shot models, section 3).
    """
    trained = network.weights()

    def put(share: float) -> None:
        network.put(
            {name: start[name] + np.float32(share) * (trained[name] - start[name]) for name in trained}
        )

    found = {}
    for share in SHARES:
        put(share)
        found[share] = judged()
    put(max(found, key=lambda share: (found[share], -share)))
    return found
