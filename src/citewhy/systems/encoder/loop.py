"""The training loop: rounds of mining and steps; every so often a checkpoint, from which it goes on."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from citewhy.encode.texts import paper_text, query_text
from citewhy.progress import Tell
from citewhy.systems.encoder.batches import Batch, Batches
from citewhy.systems.encoder.data import Pair
from citewhy.systems.encoder.hard_negatives import Places, candidates, mine
from citewhy.systems.encoder.network import TextModel
from citewhy.systems.encoder.settings import TOKENS, Settings, Source
from citewhy.train.checkpoint import Checkpoint, load_newest, restore, save, state
from citewhy.train.collection import Collection
from citewhy.train.losses import info_nce

__all__ = ["Trainer"]

_RECENT = 25
"""Steps over which the loss that is told is averaged."""


class Trainer:
    """Trains `model` in place; checkpoints lie in `folder`, and `task` is written into them.

    An interruption at any time costs the steps since the last checkpoint. Continued on the same machine,
    with the same number of threads, the result is the same to the bit.
    """

    def __init__(
        self,
        model: TextModel,
        collection: Collection,
        pairs: Mapping[Source, Sequence[Pair]],
        settings: Settings,
        folder: Path,
        task: Mapping[str, Any],
        tell: Tell,
    ) -> None:
        self._model = model
        self._settings = settings
        self._folder = folder
        self._task = task
        self._tell = tell
        self._contexts = pairs.get("context", ())
        self._batches = Batches(pairs, settings)
        self._pool = candidates(collection, settings.until, settings.seed)
        self._papers = [collection.papers[paper_id] for paper_id in self._pool]
        self._negatives: Places | None = None
        self._parameters: dict[str, Tensor] = dict(model.network.named_parameters())
        self._optimizer = _optimizer(self._parameters, settings)
        self._losses: list[float] = []

    def run(self) -> list[float]:
        """All steps that are not done yet. Returns the losses of all steps, those before it included."""
        self._continue()
        self._model.network.train()
        begun, first = time.monotonic(), len(self._losses)
        for step in range(first, self._settings.steps):
            if step % self._settings.round_length() == 0:
                self._mine()
                begun, first = time.monotonic(), step  # mining is no step
            self._losses.append(self._step(step))
            self._say(step + 1, (time.monotonic() - begun) / (step + 1 - first))
            if (step + 1) % self._settings.checkpoint_every == 0 or step + 1 == self._settings.steps:
                self._save()
        return self._losses

    def _step(self, step: int) -> float:
        batch = self._batches[step]
        for group in self._optimizer.param_groups:
            group["lr"] = self._settings.rate(step)
        loss = self._loss(batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._parameters.values(), self._settings.clip)
        self._optimizer.step()
        self._optimizer.zero_grad()
        return float(loss.item())

    def _loss(self, batch: Batch) -> Tensor:
        queries = self._model.vectors(batch.queries, TOKENS[batch.reads_like])
        papers = self._model.vectors(batch.papers, TOKENS["paper"])
        return info_nce(queries, papers, torch.from_numpy(batch.forbidden), self._settings.temperature)

    def _mine(self) -> None:
        """Hard negatives of the citing sentences, by the model as it is now."""
        if not self._contexts or not self._pool:
            return
        papers = self._model.encode(
            [paper_text(paper) for paper in self._papers],
            TOKENS["paper"],
            lambda share: self._tell("reading papers for hard negatives", share),
        )
        queries = self._model.encode(
            [query_text(pair.query) for pair in self._contexts],
            TOKENS["query"],
            lambda share: self._tell("reading sentences for hard negatives", share),
        )
        years = [paper.year or 0 for paper in self._papers]  # candidates have a year
        self._use(mine(self._contexts, queries, self._pool, years, papers))

    def _use(self, negatives: Places) -> None:
        self._negatives = negatives
        self._batches.set_negatives(self._pool, self._papers, negatives)

    def _say(self, done: int, seconds: float) -> None:
        loss = float(np.mean(self._losses[-_RECENT:]))
        left = (self._settings.steps - done) * seconds / 60
        self._tell(
            f"step {done} of {self._settings.steps}: loss {loss:.3f}, {1 / max(seconds, 1e-9):.2f} steps/s, "
            f"{left:.0f} min left",
            done / self._settings.steps,
        )

    def _save(self) -> None:
        tensors = state(self._parameters, self._optimizer)
        if self._negatives is not None:
            tensors["negatives"] = torch.from_numpy(self._negatives)
        save(self._folder, Checkpoint(len(self._losses), self._task, self._losses, tensors))

    def _continue(self) -> None:
        found = load_newest(self._folder, self._task)
        if found is None:
            return
        restore(self._parameters, self._optimizer, found.tensors)
        if "negatives" in found.tensors:
            self._use(found.tensors["negatives"].numpy())
        self._losses = found.losses


def _optimizer(parameters: Mapping[str, Tensor], settings: Settings) -> torch.optim.AdamW:
    """AdamW; matrices decay, biases and the scales of norms do not."""
    matrices = [each for each in parameters.values() if each.ndim > 1]
    others = [each for each in parameters.values() if each.ndim <= 1]
    groups = [
        {"params": matrices, "weight_decay": settings.weight_decay},
        {"params": others, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=settings.learning_rate)
