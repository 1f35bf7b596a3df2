"""The models in the training loop: the batch of each step, and its loss."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from citewhy.base.records import Paper
from citewhy.search.encode.texts import paper_text
from citewhy_lab.train.loop import Learner
from citewhy_lab.train.losses import hybrid, multi_positive_contrastive, n_pairs, triplet_margin
from citewhy_lab.train.systems.aspects.graph import Rows
from citewhy_lab.train.systems.aspects.instances import NONE, Instances
from citewhy_lab.train.systems.aspects.model import AspectModel
from citewhy_lab.train.systems.aspects.settings import Settings

__all__ = ["AspectLearner", "contrast"]

EPSILON = 1e-8
"""Of AdamW (section 4.4)."""

Mine = Callable[[np.random.Generator], Instances]


class AspectLearner(Learner):
    """`mine` makes the instances of an epoch; `papers` are in the order of its rows."""

    unit = "instances"

    def __init__(
        self, model: AspectModel, mine: Mine, papers: Sequence[Paper], settings: Settings, processes: int = 1
    ) -> None:
        parameters = list(model.network.parameters())
        optimizer = torch.optim.AdamW(
            parameters, lr=settings.learning_rate, eps=EPSILON, weight_decay=settings.weight_decay
        )
        super().__init__(model.network, [optimizer])
        self._model = model
        self._mine = mine
        self._papers = papers
        self._settings = settings
        self.units_a_step = settings.batch * processes
        self.size = len(self._epoch(0))

    def loss(self, batch: int) -> Tensor:
        instances = self.batch(batch)
        asked = np.setdiff1d(instances.papers, [NONE])
        embeddings = self._model.vectors([paper_text(self._papers[row]) for row in asked.tolist()])

        def placed(rows: Rows) -> Tensor:
            return torch.from_numpy(np.where(rows == NONE, NONE, np.searchsorted(asked, rows)))

        return self._loss(embeddings, instances, placed)

    def batch(self, number: int) -> Instances:
        """The instances of a batch, from 0: of an order that is drawn anew for each epoch."""
        first = number * self._settings.batch
        places = range(first, first + self._settings.batch)
        parts = [self._epoch(each // self.size).take(np.array([each % self.size])) for each in places]
        return Instances.joined(parts)

    @functools.lru_cache(maxsize=2)  # noqa: B019 # a batch is of one epoch, or at the border of two
    def _epoch(self, number: int) -> Instances:
        rng = np.random.default_rng([self._settings.seed, number])
        found = self._mine(rng)
        return found.take(rng.permutation(len(found)))

    def _loss(self, embeddings: Tensor, instances: Instances, placed: Callable[[Rows], Tensor]) -> Tensor:
        settings = self._settings
        anchors = placed(instances.anchors)
        positives = placed(instances.positives)
        near = placed(np.concatenate([instances.hard, instances.easy], axis=1))
        local = self._in_aspects(embeddings, instances.aspects) if settings.aspects else embeddings
        if settings.loss != "hybrid":
            return contrast(local, anchors, positives, near, settings, settings.loss)
        far = placed(instances.distant)
        return hybrid(
            contrast(embeddings, anchors, positives, far, settings, "contrastive"),
            contrast(local, anchors, positives, near, settings, "contrastive"),
            settings.alpha,
        )

    def _in_aspects(self, embeddings: Tensor, aspects: Sequence[str]) -> Tensor:
        """[u, d] → [b, u, d]: all papers of the batch in the aspect of each instance."""
        place = [self._model.network.aspects.index(aspect) for aspect in aspects]
        return self._model.network.projected(embeddings).transpose(0, 1)[place]


def contrast(
    embeddings: Tensor, anchors: Tensor, positives: Tensor, negatives: Tensor, settings: Settings, loss: str
) -> Tensor:
    """The loss of a batch. embeddings [u, d], or [b, u, d] where each instance has its own; anchors [b],
    positives [b, p] and negatives [b, n] are places among the u, padded with NONE.

    Similarity is the cosine, distance is Euclidean between embeddings as they are. The triplets of an
    instance are its first positive with its first negative, its second with its second, and so on; its
    shorter list begins again. The loss of a batch without a triplet is 0.
    """
    rows = torch.arange(len(anchors))[:, None]

    def chosen(places: Tensor) -> Tensor:  # [b, k] → [b, k, d]
        places = places.clamp(min=0)
        return embeddings[places] if embeddings.ndim == 2 else embeddings[rows, places]

    if loss == "triplet":
        one, other = _paired(positives, negatives)
        there = one != NONE
        if not there.any():
            return embeddings.sum() * 0
        first = chosen(anchors[:, None]).expand(-1, one.shape[1], -1)
        return triplet_margin(first[there], chosen(one)[there], chosen(other)[there], settings.margin)
    places = torch.cat([positives, negatives], dim=1)
    unit = functional.normalize(chosen(places), dim=-1)
    scores = (functional.normalize(chosen(anchors[:, None]), dim=-1) * unit).sum(-1)  # [b, p + n]
    missing = (places == NONE).to(scores.device)
    if loss == "n-pairs":
        return n_pairs(
            scores[:, 0], scores[:, 1:].masked_fill(missing[:, 1:], -torch.inf), settings.temperature
        )
    positive = torch.zeros_like(missing)
    positive[:, : positives.shape[1]] = ~missing[:, : positives.shape[1]]
    return multi_positive_contrastive(scores, positive, settings.temperature, missing)


def _paired(positives: Tensor, negatives: Tensor) -> tuple[Tensor, Tensor]:
    """[b, max(p, n)] each: the positives and the negatives of the triplets of each instance, as many as its
    longer list has, then NONE. An instance that lacks positives or negatives has none."""
    width = max(positives.shape[1], negatives.shape[1])
    counts = torch.stack([(places != NONE).sum(dim=1) for places in (positives, negatives)], dim=1)
    triplets = torch.where(counts.amin(dim=1) > 0, counts.amax(dim=1), 0)
    there = torch.arange(width) < triplets[:, None]
    one, other = (_repeated(places, width).masked_fill(~there, NONE) for places in (positives, negatives))
    return one, other


def _repeated(places: Tensor, width: int) -> Tensor:
    """[b, width] the places of each row that are not NONE, in order, again and again."""
    padded = functional.pad(places, (0, width - places.shape[1]), value=NONE)
    there = padded != NONE
    first = padded.gather(1, there.int().argsort(dim=1, descending=True, stable=True))
    return first.gather(1, torch.arange(width) % there.sum(dim=1, keepdim=True).clamp(min=1))
