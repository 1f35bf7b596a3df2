"""The training of the tagger's network, and its scores for paragraphs that it was not trained on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.ranking.classify.sequence import paragraph_of
from citewhy.ranking.classify.vectorizer import Vectorizer
from citewhy_lab.train.classifier.data import Data, Doubles, Parts, importance
from citewhy_lab.train.loop import Learner, Plan, train_network
from citewhy_lab.train.requirements import start_sha256
from citewhy_lab.train.schedules import linear
from citewhy_lab.train.systems.discourse.network import TaggerNetwork, Tokens
from citewhy_lab.train.systems.discourse.settings import Settings

__all__ = ["cross_validate", "fit", "paragraphs"]

Rows = NDArray[np.int64]


class TaggerLearner(Learner):
    """A batch is `settings.batch` paragraphs."""

    unit = "paragraphs"

    def __init__(
        self, network: TaggerNetwork, vectorizer: Vectorizer, tokens: Tokens, data: Data, settings: Settings
    ) -> None:
        encoder = [each for each in network.encoder.parameters() if each.requires_grad]
        groups = [
            {"params": encoder, "lr": settings.encoder_rate},
            {"params": network.paragraph.parameters(), "lr": settings.learning_rate},
        ]
        super().__init__(network, [torch.optim.AdamW(groups, weight_decay=settings.weight_decay)])
        self._given = _Given(vectorizer, tokens, data)
        self._paragraphs = paragraphs(data)
        self._truth = torch.from_numpy(data.truth.astype(np.float32))
        self._weights = torch.from_numpy(importance(data.truth, settings.balance).astype(np.float32))
        self._seed = settings.seed
        self.units_a_step = min(settings.batch, len(self._paragraphs))
        self.batches = -(-len(self._paragraphs) // settings.batch)
        """Of an epoch."""
        steps = settings.epochs * self.batches
        rates = (settings.encoder_rate, settings.learning_rate)
        self._rates = [linear(rate, steps, settings.warm_up) for rate in rates]

    def prepare(self, step: int) -> None:
        """Each group of parameters has a learning rate of its own."""
        for group, rate in zip(self.optimizers[0].param_groups, self._rates, strict=True):
            group["lr"] = rate(step)

    def loss(self, batch: int) -> Tensor:
        """Cross-entropy, with the weights of the examples."""
        epoch, place = divmod(batch, self.batches)
        order = np.random.default_rng([self._seed, epoch]).permutation(len(self._paragraphs))
        chosen = [self._paragraphs[each] for each in np.array_split(order, self.batches)[place].tolist()]
        likely = torch.log_softmax(torch.cat(self.network(*self._given(chosen))), dim=1)
        rows = np.concatenate(chosen)
        loss: Tensor = -(self._weights[rows] * (self._truth[rows] * likely).sum(dim=1)).mean()
        return loss


class _Given:
    """What the network is given for paragraphs of `data`."""

    def __init__(self, vectorizer: Vectorizer, tokens: Tokens, data: Data) -> None:
        self._columns = data.matrix(vectorizer)
        self._ids = tokens.ids([each.sentence.text for each in data.examples])

    def __call__(self, chosen: Sequence[Rows]) -> tuple[list[Tensor], list[list[list[int]]]]:
        columns = [torch.from_numpy(self._columns[each].toarray().astype(np.float32)) for each in chosen]
        return columns, [[self._ids[place] for place in each.tolist()] for each in chosen]


def fit(
    data: Data, start: Path, settings: Settings, progress: Progress, folder: Path | None = None
) -> tuple[TaggerNetwork, Vectorizer]:
    """The network after `settings.epochs` epochs, and its features. Checkpoints are in `folder`; None: there
    are none."""
    vectorizer = data.vectorizer(settings.features, settings.least, 0)
    torch.manual_seed(settings.seed)
    network = TaggerNetwork(start, vectorizer.columns, len(data.labels), settings)
    tokens = Tokens(start / "tokenizer.json", settings.tokens)
    learner = TaggerLearner(network, vectorizer, tokens, data, settings)
    plan = Plan.of_epochs(settings.epochs, learner.batches, settings.seed, clip=1.0)
    task: dict[str, Any] = {
        "settings": settings.document(),
        "examples": len(data.examples),
        "start": start_sha256(start),
    }
    train_network(learner, plan, progress, folder, task)
    network.eval()
    return network, vectorizer


def cross_validate(data: Data, start: Path, settings: Settings, parts: Parts, progress: Progress) -> Doubles:
    """Scores [n, L] of each example by a network trained without its group."""
    count = int(parts.max()) + 1
    scores = np.zeros((len(data.examples), len(data.labels)))
    for part in range(count):

        def tell_part(what: str, share: float | None, part: int = part) -> None:
            progress(f"part {part + 1} of {count}: {what}", share)

        tested = np.flatnonzero(parts == part)
        network, vectorizer = fit(data.take(np.flatnonzero(parts != part)), start, settings, tell_part)
        held = data.take(tested)
        given = _Given(vectorizer, Tokens(start / "tokenizer.json", settings.tokens), held)
        with torch.inference_mode():
            found = [network(*given([each]))[0] for each in paragraphs(held)]
        scores[tested] = torch.cat(found).numpy()
    return scores


def paragraphs(data: Data) -> list[Rows]:
    """The places of the examples of each paragraph, in its order. Raises QueryError unless all sentences of a
    paragraph follow each other."""
    found: list[Rows] = []
    place = 0
    while place < len(data.examples):
        texts, first = paragraph_of(data.examples[place].sentence)
        run = data.examples[place : place + len(texts)]
        places = [paragraph_of(each.sentence) for each in run]
        if first or places != [(texts, number) for number in range(len(texts))]:
            raise QueryError(
                "the tagger needs all sentences of each paragraph, in order",
                hint="give each sentence its paragraph and its place there",
            )
        found.append(np.arange(place, place + len(texts)))
        place += len(texts)
    return found
