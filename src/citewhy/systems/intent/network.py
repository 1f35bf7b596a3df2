"""The network: the first layers of a BERT encoder, the mean state of all tokens beside that of the citation's
tokens, and a linear head for each set of labels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
import torch
from torch import Tensor, nn
from torch.nn import functional

from citewhy.classify.fine_tuned import targets
from citewhy.systems.intent.data import Labelled
from citewhy.systems.intent.settings import OTHER_TOKEN, TARGET_TOKEN, Settings
from citewhy.text.markers import OTHER, TARGET, mask
from citewhy.train.bert import open_bert
from citewhy.train.loop import Learner

__all__ = ["IntentLearner", "IntentNetwork", "Tokens", "scores"]

_SORTED = 20
"""Number of batches whose sentences are sorted by length, so that a batch needs little padding."""

_LABEL_WEIGHTS: Mapping[str, float] = {"Background": 0.6, "Extends": 2.0, "Motivation": 2.0, "Future": 2.0}
"""Weights of labels: the commonest counts for less, rare ones for more."""


class Tokens:
    """Sentences as token ids."""

    def __init__(self, file: Path, longest: int) -> None:
        reader: Any = tokenizers.Tokenizer
        self.tokenizer = reader.from_file(str(file))
        self.tokenizer.enable_truncation(longest)
        self.tokenizer.no_padding()
        self.target, self.other = map(self._number, (TARGET_TOKEN, OTHER_TOKEN))

    def _number(self, token: str) -> int:
        number: int = self.tokenizer.token_to_id(token)
        return number

    def ids(self, text: str) -> list[int]:
        marked = mask(text).replace(TARGET, TARGET_TOKEN).replace(OTHER, OTHER_TOKEN)
        ids: list[int] = self.tokenizer.encode(marked).ids
        return ids

    def batch(self, rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor, Tensor]:
        """Ids, mask and weights of the citation's tokens (`classify.fine_tuned.targets`), [n, t] each."""
        longest = max(map(len, rows))
        ids = np.zeros((len(rows), longest), dtype=np.int64)
        there = np.zeros((len(rows), longest), dtype=np.float32)
        weights = np.zeros((len(rows), longest), dtype=np.float32)
        for place, row in enumerate(rows):
            ids[place, : len(row)], there[place, : len(row)] = row, 1
            weights[place, : len(row)] = targets(np.array([row]), self.target, self.other)[0]
        return torch.from_numpy(ids), torch.from_numpy(there), torch.from_numpy(weights)


class IntentNetwork(nn.Module):  # type: ignore[misc, unused-ignore]
    """Token ids to the scores of all labels of all heads."""

    def __init__(self, start: Path, labels: int, settings: Settings) -> None:
        super().__init__()
        # Drawing the dropout of the attention took a tenth of the time.
        self.encoder: Any = open_bert(start, settings.layers, settings.layers - 1, settings.dropout, 0.0)
        self.head = nn.Linear(2 * self.encoder.config.hidden_size, labels)
        self._dropout = settings.dropout
        self._gain = settings.head_gain
        with torch.no_grad():  # the gain changes the learning rate of the head only (Adam has no scale)
            for weights in self.head.parameters():
                weights /= self._gain

    def forward(self, input_ids: Tensor, there: Tensor, weights: Tensor) -> Tensor:
        """[n, t] each → [n, labels]."""
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.training):
            states = self.encoder(input_ids=input_ids, attention_mask=there).last_hidden_state.float()
        means = (states * there.unsqueeze(-1)).sum(1) / there.sum(1, keepdim=True)
        cited = (states * weights.unsqueeze(-1)).sum(1)
        found = functional.dropout(torch.cat([means, cited], 1), self._dropout, self.training)
        scores: Tensor = self.head(found) * self._gain
        return scores

    def shift(self, columns: slice, shifts: np.ndarray[Any, Any]) -> None:
        """Adds `shifts` to the scores of the labels in `columns`."""
        with torch.no_grad():
            self.head.bias[columns] += torch.from_numpy(shifts.astype(np.float32)) / self._gain


class IntentLearner(Learner):
    """Trains on examples of all heads at once; an example has a loss only of its own head."""

    unit = "sentences"

    def __init__(
        self,
        network: IntentNetwork,
        tokens: Tokens,
        examples: Sequence[Labelled],
        labels: Mapping[str, Sequence[str]],
        settings: Settings,
    ) -> None:
        trained = [each for each in network.parameters() if each.requires_grad]
        optimizer = torch.optim.AdamW(trained, settings.learning_rate, weight_decay=settings.weight_decay)
        super().__init__(network, [optimizer])
        repeated = settings.repeat_functions
        repeats = [repeated if (each.head, each.weight) == ("function", 1) else 1 for each in examples]
        self._order = [place for place, count in enumerate(repeats) for _ in range(count)]
        self._rows = [tokens.ids(each.example.sentence.text) for each in examples]
        self._truth = torch.from_numpy(np.stack([truth(each, labels) for each in examples]))
        self._sizes = [len(names) for names in labels.values()]
        self._tokens, self._settings = tokens, settings
        self._trained, self._average = trained, list[Tensor]()
        self.units_a_step = settings.batch
        self.batches = math.ceil(len(self._order) / settings.batch)
        """Of an epoch."""

    def loss(self, batch: int) -> Tensor:
        """Mean cross-entropy; several true labels share an example."""
        epoch, place = divmod(batch, self.batches)
        chosen = self._epoch(epoch)[place]
        scores = self.network(*self._tokens.batch([self._rows[each] for each in chosen]))
        heads = [functional.log_softmax(part, 1) for part in scores.split(self._sizes, 1)]
        return -(self._truth[chosen] * torch.cat(heads, 1)).sum() / len(chosen)

    def prepare(self, step: int) -> None:
        """Follows the weights after the step before."""
        if step:
            self._follow()

    def state(self) -> dict[str, Tensor]:
        return {str(place): each for place, each in enumerate(self._average)}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        self._average = [state[str(place)].clone() for place in range(len(state))]

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

    def _epoch(self, epoch: int) -> list[list[int]]:
        """Places of the examples, by batch."""
        random = np.random.default_rng([self._settings.seed, epoch])
        order, size = random.permutation(self._order).tolist(), self._settings.batch
        found: list[list[int]] = []
        for first in range(0, len(order), size * _SORTED):
            near = sorted(order[first : first + size * _SORTED], key=lambda place: len(self._rows[place]))
            parts = [near[start : start + size] for start in range(0, len(near), size)]
            found += [parts[place] for place in random.permutation(len(parts)).tolist()]
        return found


def truth(each: Labelled, labels: Mapping[str, Sequence[str]]) -> np.ndarray[Any, Any]:
    """[all labels] the weights of its labels; 0 for the labels of other heads."""
    weight = each.weight * _LABEL_WEIGHTS.get(each.example.labels[0], 1.0) / len(each.example.labels)
    right = [
        weight * (head == each.head and name in each.example.labels)
        for head, names in labels.items()
        for name in names
    ]
    return np.array(right, dtype=np.float32)


def scores(network: IntentNetwork, tokens: Tokens, texts: Sequence[str]) -> np.ndarray[Any, Any]:
    """[n, all labels], in full precision."""
    network.eval()
    rows = [tokens.ids(text) for text in texts]
    with torch.inference_mode():
        return np.concatenate([network(*tokens.batch([row])).numpy() for row in rows]).astype(np.float64)
