"""The encoder in the training loop: rounds of mining hard negatives, and the loss of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from citewhy.base.progress import Progress
from citewhy.search.encode.texts import paper_text, query_text
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.loop import Learner
from citewhy_lab.train.losses import info_nce
from citewhy_lab.train.systems.encoder.batches import Batches
from citewhy_lab.train.systems.encoder.data import Pair
from citewhy_lab.train.systems.encoder.hard_negatives import Places, candidates, mine
from citewhy_lab.train.systems.encoder.network import TextModel
from citewhy_lab.train.systems.encoder.settings import TOKENS, Settings, Source

__all__ = ["EncoderLearner"]


class EncoderLearner(Learner):
    """`model` is on its device. The learner's state are the hard negatives of the current round."""

    def __init__(
        self,
        model: TextModel,
        collection: Collection,
        pairs: Mapping[Source, Sequence[Pair]],
        settings: Settings,
        batches: Batches,
        progress: Progress,
    ) -> None:
        super().__init__(model.network, [_optimizer(model.network, settings)])
        self._model = model
        self._settings = settings
        self._tell = progress
        self._contexts = pairs.get("context", ())
        self._batches = batches
        self._pool = candidates(collection, settings.until, settings.seed)
        self._papers = [collection.papers[paper_id] for paper_id in self._pool]
        self._negatives: Places | None = None

    def loss(self, batch: int) -> Tensor:
        texts = self._batches[batch]
        queries = self._model.vectors(texts.queries, TOKENS[texts.reads_like])
        papers = self._model.vectors(texts.papers, TOKENS["paper"])
        forbidden = torch.from_numpy(texts.forbidden).to(queries.device)
        return info_nce(queries, papers, forbidden, self._settings.temperature)

    def prepare(self, step: int) -> None:
        """At the beginning of a round, mines hard negatives of the citing sentences by the current model."""
        if step % self._settings.round_length() or not self._contexts or not self._pool:
            return
        papers = self._model.encode(
            [paper_text(paper) for paper in self._papers],
            TOKENS["paper"],
            lambda share: self._tell("encoding papers for hard negatives", share),
        )
        queries = self._model.encode(
            [query_text(pair.query) for pair in self._contexts],
            TOKENS["query"],
            lambda share: self._tell("encoding sentences for hard negatives", share),
        )
        years = [paper.year or 0 for paper in self._papers]  # candidates have a year
        self._use(mine(self._contexts, queries, self._pool, years, papers))

    def state(self) -> dict[str, Tensor]:
        return {} if self._negatives is None else {"negatives": torch.from_numpy(self._negatives)}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        if "negatives" in state:
            self._use(state["negatives"].numpy())

    def _use(self, negatives: Places) -> None:
        self._negatives = negatives
        self._batches.set_negatives(self._pool, self._papers, negatives)


def _optimizer(network: torch.nn.Module, settings: Settings) -> torch.optim.AdamW:
    """AdamW; matrices decay, biases and the scales of norms do not."""
    parameters = list(network.parameters())
    matrices = [each for each in parameters if each.ndim > 1]
    others = [each for each in parameters if each.ndim <= 1]
    groups = [
        {"params": matrices, "weight_decay": settings.weight_decay},
        {"params": others, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=settings.learning_rate)
