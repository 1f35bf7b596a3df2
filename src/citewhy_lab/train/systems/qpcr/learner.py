"""QPCR in the training loop: the loss of some paragraphs, and how well it ranks those of others."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import torch
from torch import Tensor

from citewhy.base.records import Paper, Query
from citewhy.search.encode.texts import paper_text
from citewhy_lab.train.loop import Learner
from citewhy_lab.train.losses import quadruplet, triplet_margin
from citewhy_lab.train.systems.qpcr.data import Example, quadruplets
from citewhy_lab.train.systems.qpcr.encoder import paragraph_text, whole_text
from citewhy_lab.train.systems.qpcr.network import LastLayers
from citewhy_lab.train.systems.qpcr.settings import NEAREST, QpcrSettings

__all__ = ["QpcrLearner", "Validation", "r_precision"]


class Validation:
    """The paragraphs `held`, whose papers are searched in `pool`; it has all of their positives."""

    def __init__(self, held: Sequence[Example], papers: Mapping[str, Paper], pool: Sequence[str]) -> None:
        self.held, self.pool = held, sorted(pool)
        self._texts = [paper_text(papers[each]) for each in self.pool]

    def r_precision(self, network: LastLayers) -> float:
        """The mean R-precision over paragraphs; the paper that a paragraph is from is no candidate."""
        papers = network.encode(self._texts, "paper")
        queries = network.encode([paragraph_text(each.query) for each in self.held], "query")
        column = {paper_id: number for number, paper_id in enumerate(self.pool)}
        scores = queries @ papers.T
        for row, each in enumerate(self.held):
            if each.query.citing_id in column:
                scores[row, column[each.query.citing_id]] = -torch.inf
        return r_precision(scores, [{column[paper] for paper in each.positives} for each in self.held])


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


class _Batch(NamedTuple):
    """Quadruplets, as rows of `queries` and of `papers`."""

    queries: list[str]
    papers: list[str]
    query: list[int]
    first: list[int]
    second: list[int]
    negative: list[int]


class QpcrLearner(Learner):
    """Trained on `taught`; validated by R-precision.

    `taught` has quadruplets for each paragraph, drawn once with the seed of the settings.
    """

    unit = "paragraphs"

    def __init__(
        self,
        network: LastLayers,
        taught: Sequence[Example],
        validation: Validation,
        papers: Mapping[str, Paper],
        everything: Sequence[str],
        settings: QpcrSettings,
    ) -> None:
        optimizer = torch.optim.AdamW(
            network.layers.parameters(),
            settings.learning_rate,
            betas=(settings.first_moment, 0.999),
            weight_decay=settings.weight_decay,
        )
        super().__init__(network, [optimizer])
        self._last = network
        self._settings = settings
        self._texts = {paper_id: paper_text(paper) for paper_id, paper in papers.items()}
        self._taught, self._validation = taught, validation
        near = self._nearest(everything, papers) if settings.nearest else [()] * len(taught)
        self._drawn = [
            quadruplets(
                each, everything, random.Random(f"{settings.seed} {each.query.id}"), found, settings.nearest
            )
            for each, found in zip(taught, near, strict=True)
        ]
        self.batches = -(-len(taught) // settings.paragraphs)
        """Batches of an epoch."""
        self.units_a_step = min(settings.paragraphs, len(taught))

    def loss(self, batch: int) -> Tensor:
        """Each text is encoded once, however many quadruplets it is in."""
        rows = self._batch(batch)
        queries = self._last(rows.queries, "query")[rows.query]
        papers = self._last(rows.papers, "paper")
        first, second, negatives = papers[rows.first], papers[rows.second], papers[rows.negative]
        if self._settings.variant == "qpcr":
            return quadruplet(queries, first, second, negatives, self._settings.margin)
        return triplet_margin(queries, first, negatives, self._settings.margin)

    def validate(self) -> float:
        """The R-precision on the validation paragraphs."""
        return self._validation.r_precision(self._last)

    def _nearest(self, everything: Sequence[str], papers: Mapping[str, Paper]) -> list[tuple[str, ...]]:
        """For each paragraph, the `NEAREST` of `everything` that the network ranks first, but those that its
        paper cites, and newer ones."""
        vectors = self._last.encode([self._texts[each] for each in everything], "paper")
        found = []
        for example, query in zip(
            self._taught,
            self._last.encode([self._form(each.query) for each in self._taught], "query"),
            strict=True,
        ):
            latest = example.query.year or math.inf
            order = torch.sort(vectors @ query, descending=True, stable=True).indices.tolist()
            usable = (
                everything[row]
                for row in order
                if everything[row] not in example.references and everything[row] not in example.positives
                if (papers[everything[row]].year or 0) <= latest
            )
            found.append(tuple(islice(usable, NEAREST)))
        return found

    def _form(self, query: Query) -> str:
        """The text of a query as it is read in training."""
        return (whole_text if self._settings.variant == "aclrw" else paragraph_text)(query)

    def _batch(self, batch: int) -> _Batch:
        epoch, number = divmod(batch, self.batches)
        order = list(range(len(self._taught)))
        random.Random(f"epoch {self._settings.seed} {epoch}").shuffle(order)
        size = self._settings.paragraphs
        found = _Batch([], [], [], [], [], [])
        at: dict[str, int] = {}

        def row(paper: str) -> int:
            if paper not in at:
                at[paper] = len(found.papers)
                found.papers.append(self._texts[paper])
            return at[paper]

        for chosen in order[number * size : (number + 1) * size]:
            found.queries.append(self._form(self._taught[chosen].query))
            for each in self._drawn[chosen]:
                found.query.append(len(found.queries) - 1)
                found.first.append(row(each.first))
                found.second.append(row(each.second))
                found.negative.append(row(each.negative))
        return found
