"""How well a network ranks the papers of validation paragraphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from citewhy.base.records import Paper
from citewhy.search.encode.texts import paper_text
from citewhy_lab.train.systems.qpcr.data import Example
from citewhy_lab.train.systems.qpcr.network import LastLayers
from citewhy_lab.train.systems.qpcr.queries import paragraph_text

__all__ = ["Validation", "r_precision"]


class Validation:
    """The paragraphs `held`, whose papers are searched in `pool`; it has all of their positives."""

    def __init__(self, held: Sequence[Example], papers: Mapping[str, Paper], pool: Sequence[str]) -> None:
        self.held, self.pool = held, sorted(pool)
        self._texts = [paper_text(papers[each]) for each in self.pool]

    def r_precision(self, network: LastLayers) -> float:
        """Averaged over paragraphs; the paper that a paragraph is from is no candidate."""
        papers = network.encode(self._texts, "paper")
        queries = network.encode([paragraph_text(each.query) for each in self.held], "query")
        place = {paper_id: number for number, paper_id in enumerate(self.pool)}
        scores = queries @ papers.T
        for row, each in enumerate(self.held):
            if each.query.citing_id in place:
                scores[row, place[each.query.citing_id]] = -torch.inf
        return r_precision(scores, [{place[paper] for paper in each.positives} for each in self.held])


def r_precision(scores: Tensor, relevant: Sequence[set[int]]) -> float:
    """The share of relevant papers among the first R, where R is their number; the mean over the queries.

    Shapes: scores [queries, papers]; `relevant` has the columns of each query's papers, at least one. Ties
    are broken by column.
    """
    found = []
    for row, columns in zip(scores, relevant, strict=True):
        first = torch.sort(row, descending=True, stable=True).indices[: len(columns)].tolist()
        found.append(len(columns.intersection(first)) / len(columns))
    return sum(found) / max(len(found), 1)
