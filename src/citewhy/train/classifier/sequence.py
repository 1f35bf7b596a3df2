"""A recurrent network over the sentences of paragraphs, trained in the loop, written as ONNX.

Each sentence's features go through a layer of rectified units; a bidirectional LSTM reads these in the order
of the paragraph; the scores of a sentence are a linear function of both.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_sequence, unpack_sequence

from citewhy.classify.onnx import INPUT, OUTPUT
from citewhy.classify.sequence import NETWORK, paragraph_of
from citewhy.classify.vectorizer import Vectorizer
from citewhy.errors import QueryError
from citewhy.progress import Tell
from citewhy.train.classifier.data import Data, Doubles, Parts, importance
from citewhy.train.classifier.settings import ClassifierSettings
from citewhy.train.loop import Learner, Plan, train_network
from citewhy.train.schedules import linear

__all__ = ["SentenceSequence", "cross_validate_sequence", "fit_sequence", "write_sequence"]

_OPSET = 17
_WARM_UP = 0.05


class SentenceSequence(nn.Module):  # type: ignore[misc, unused-ignore]
    """The features [t, width] of the sentences of each paragraph → their scores [t, labels]."""

    def __init__(self, width: int, labels: int, settings: ClassifierSettings) -> None:
        super().__init__()
        hidden, units = settings.hidden, settings.units
        self.first = nn.Linear(width, hidden)
        self.dropout = nn.Dropout(settings.dropout)
        self.recurrent = nn.LSTM(hidden, units, bidirectional=True)
        self.last = nn.Linear(hidden + 2 * units, labels)

    def forward(self, paragraphs: Sequence[Tensor]) -> list[Tensor]:
        hidden = [self.dropout(torch.relu(self.first(each))) for each in paragraphs]
        read = unpack_sequence(self.recurrent(pack_sequence(hidden, enforce_sorted=False))[0])
        return [
            self.last(self.dropout(torch.cat([one, other], dim=1)))
            for one, other in zip(read, hidden, strict=True)
        ]


class _One(nn.Module):  # type: ignore[misc, unused-ignore]
    """The same for a single paragraph, in the form that is exported."""

    def __init__(self, network: SentenceSequence) -> None:
        super().__init__()
        self.network = network

    def forward(self, features: Tensor) -> Tensor:
        hidden = torch.relu(self.network.first(features))
        read = self.network.recurrent(hidden[:, None])[0][:, 0]
        scores: Tensor = self.network.last(torch.cat([read, hidden], dim=1))
        return scores


class SequenceLearner(Learner):
    """A batch is `settings.batch` paragraphs."""

    unit = "paragraphs"

    def __init__(
        self, network: SentenceSequence, vectorizer: Vectorizer, data: Data, settings: ClassifierSettings
    ) -> None:
        optimizer = torch.optim.AdamW(
            network.parameters(), settings.learning_rate, weight_decay=settings.weight_decay
        )
        super().__init__(network, [optimizer])
        self._sequence = network
        self._rows = data.matrix(vectorizer)
        self._paragraphs = paragraphs(data)
        self._truth = torch.from_numpy(data.truth.astype(np.float32))
        weights = importance(data.truth, settings.balance)
        self._weights = torch.from_numpy(weights.astype(np.float32))
        self._seed = settings.seed
        self.units_a_step = min(settings.batch, len(self._paragraphs))
        self.batches = -(-len(self._paragraphs) // settings.batch)
        """Of an epoch."""

    def loss(self, batch: int) -> Tensor:
        """Cross-entropy, with the weights of the examples."""
        epoch, place = divmod(batch, self.batches)
        order = np.random.default_rng([self._seed, epoch]).permutation(len(self._paragraphs))
        chosen = [self._paragraphs[each] for each in np.array_split(order, self.batches)[place].tolist()]
        scores = torch.cat(self._sequence(_features(self._rows, chosen)))
        rows = np.concatenate(chosen)
        likely = torch.log_softmax(scores, dim=1)
        loss: Tensor = -(self._weights[rows] * (self._truth[rows] * likely).sum(dim=1)).mean()
        return loss


def paragraphs(data: Data) -> list[np.ndarray[Any, Any]]:
    """The places of the examples of each paragraph, in its order. Raises QueryError unless all sentences of a
    paragraph follow each other."""
    found: list[np.ndarray[Any, Any]] = []
    place = 0
    while place < len(data.examples):
        texts, first = paragraph_of(data.examples[place].sentence)
        run = data.examples[place : place + len(texts)]
        places = [paragraph_of(each.sentence) for each in run]
        if first or places != [(texts, number) for number in range(len(texts))]:
            raise QueryError(
                "a sequence model needs all sentences of each paragraph, in order",
                hint="train with --model linear or network",
            )
        found.append(np.arange(place, place + len(texts)))
        place += len(texts)
    return found


def fit_sequence(
    data: Data, settings: ClassifierSettings, tell: Tell, folder: Path | None = None
) -> tuple[SentenceSequence, Vectorizer]:
    """The network after `settings.epochs` epochs, with a learning rate that falls to zero. Checkpoints are in
    `folder`; None: there are none."""
    vectorizer = data.vectorizer(settings.features, settings.least, settings.buckets)
    torch.manual_seed(settings.seed)
    network = SentenceSequence(vectorizer.width, len(data.labels), settings)
    learner = SequenceLearner(network, vectorizer, data, settings)
    plan = Plan.of_epochs(
        settings.epochs,
        learner.batches,
        settings.seed,
        rate=linear(settings.learning_rate, settings.epochs * learner.batches, _WARM_UP),
        clip=1.0,
    )
    task = {"settings": settings.document(), "examples": len(data.examples)}
    train_network(learner, plan, tell, folder, task)
    return network.eval(), vectorizer


def cross_validate_sequence(data: Data, settings: ClassifierSettings, parts: Parts, tell: Tell) -> Doubles:
    """Scores [n, L] of each example by a network trained without its group."""
    count = int(parts.max()) + 1
    scores = np.zeros((len(data.examples), len(data.labels)))
    for part in range(count):

        def tell_part(what: str, share: float | None, part: int = part) -> None:
            tell(f"part {part + 1} of {count}: {what}", share)

        tested = np.flatnonzero(parts == part)
        network, vectorizer = fit_sequence(data.take(np.flatnonzero(parts != part)), settings, tell_part)
        held = data.take(tested)
        with torch.no_grad():
            found = torch.cat(network(_features(held.matrix(vectorizer), paragraphs(held))))
        scores[tested] = found.numpy()
    return scores


def write_sequence(folder: Path, network: SentenceSequence) -> None:
    """Writes `NETWORK` in `folder`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the older exporter, which LSTMs need, announces its end
        torch.onnx.export(
            _One(network).eval(),
            (torch.zeros(3, network.first.in_features),),
            str(folder / NETWORK),
            input_names=[INPUT],
            output_names=[OUTPUT],
            dynamic_axes={INPUT: {0: "t"}, OUTPUT: {0: "t"}},
            opset_version=_OPSET,
            dynamo=False,
        )


def _features(rows: Any, chosen: Sequence[Any]) -> list[Tensor]:
    return [torch.from_numpy(rows[each].toarray().astype(np.float32)) for each in chosen]
