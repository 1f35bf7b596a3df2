"""The training of the network: the loss of a batch of all heads, and averaged weights."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from citewhy_lab.train.loop import Learner, Plan
from citewhy_lab.train.systems.intent.data import Labelled
from citewhy_lab.train.systems.intent.network import IntentNetwork, Tokens, padded
from citewhy_lab.train.systems.intent.settings import IntentSettings

_SORTED = 20
"""Number of batches whose sentences are sorted by length, so that a batch needs little padding."""

_LABEL_WEIGHTS: Mapping[str, float] = {"Background": 0.6, "Extends": 2.0, "Motivation": 2.0, "Future": 2.0}
"""Weights of labels: the commonest counts for less, rare ones for more."""


class IntentLearner(Learner):
    """Trains on examples of all heads at once; an example has a loss only of its own head."""

    unit = "sentences"

    def __init__(
        self,
        network: IntentNetwork,
        tokens: Tokens,
        examples: Sequence[Labelled],
        labels: Mapping[str, Sequence[str]],
        settings: IntentSettings,
    ) -> None:
        trained = [each for each in network.parameters() if each.requires_grad]
        optimizer = torch.optim.AdamW(trained, settings.learning_rate, weight_decay=settings.weight_decay)
        super().__init__(network, [optimizer])
        repeated = settings.repeat_functions
        repeats = [repeated if (each.head, each.weight) == ("function", 1) else 1 for each in examples]
        self._order = [position for position, count in enumerate(repeats) for _ in range(count)]
        self._readings = [tokens.reading(each.example.sentence) for each in examples]
        self._truth = torch.from_numpy(np.stack([truth(each, labels) for each in examples]))
        self._sizes = [len(names) for names in labels.values()]
        self._settings = settings
        self._trained, self._average = trained, list[Tensor]()
        self.units_a_step = settings.batch
        self.batches = math.ceil(len(self._order) / settings.batch)
        """Batches of an epoch."""

    def loss(self, batch: int) -> Tensor:
        """Mean cross-entropy; several true labels share an example."""
        epoch, position = divmod(batch, self.batches)
        chosen = self._epoch(epoch)[position]
        scores = self.network(*padded([self._readings[each] for each in chosen]))
        heads = [functional.log_softmax(part, 1) for part in scores.split(self._sizes, 1)]
        return -(self._truth[chosen] * torch.cat(heads, 1)).sum() / len(chosen)

    def prepare(self, step: int) -> None:
        """Follows the weights after the step before."""
        if step:
            self._follow()

    def state(self) -> dict[str, Tensor]:
        return {str(position): each for position, each in enumerate(self._average)}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        self._average = [state[str(position)].clone() for position in range(len(state))]

    def take_average(self) -> None:
        """After the last step: gives the network the averaged weights."""
        self._follow()
        with torch.no_grad():
            for weights, mean in zip(self._trained, self._average, strict=True):
                weights.copy_(mean)

    def _follow(self) -> None:
        with torch.no_grad():
            if not self._average:
                self._average = [each.detach().clone() for each in self._trained]
            for mean, weights in zip(self._average, self._trained, strict=True):
                mean.lerp_(weights, 1 - self._settings.average)

    def _length(self, place: int) -> int:
        return len(self._readings[place].ids)

    def _epoch(self, epoch: int) -> list[list[int]]:
        """Places of the examples, by batch."""
        random = np.random.default_rng([self._settings.seed, epoch])
        order, size = random.permutation(self._order).tolist(), self._settings.batch
        batches: list[list[int]] = []
        for first in range(0, len(order), size * _SORTED):
            near = sorted(order[first : first + size * _SORTED], key=self._length)
            parts = [near[start : start + size] for start in range(0, len(near), size)]
            batches += [parts[position] for position in random.permutation(len(parts)).tolist()]
        return batches


def plan(learner: IntentLearner, epochs: int, settings: IntentSettings) -> Plan:
    """The learning rate rises for `settings.warm_up` steps, then falls linearly."""
    steps = epochs * learner.batches
    return Plan(
        steps,
        settings.seed,
        rate=lambda step: (
            settings.learning_rate * min(1.0, (step + 1) / settings.warm_up) * max(0.02, 1 - step / steps)
        ),
        clip=1.0,
        checkpoint_every=50,
    )


def truth(each: Labelled, labels: Mapping[str, Sequence[str]]) -> np.ndarray[Any, Any]:
    """[all labels] the weights of its labels; 0 for the labels of other heads."""
    weight = each.weight * _LABEL_WEIGHTS.get(each.example.labels[0], 1.0) / len(each.example.labels)
    right = [
        weight * (head == each.head and name in each.example.labels)
        for head, names in labels.items()
        for name in names
    ]
    return np.array(right, dtype=np.float32)
