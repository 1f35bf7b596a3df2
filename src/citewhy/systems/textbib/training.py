"""The training loop of TEXTBIB: steps, validations every few epochs, the best weights kept."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from citewhy.progress import Tell
from citewhy.rank.reranking import interpolated
from citewhy.records import Query
from citewhy.systems.textbib.network import Candidates, TextBib
from citewhy.systems.textbib.reading import Reader
from citewhy.systems.textbib.scorer import Scorer
from citewhy.systems.textbib.texts import Texts
from citewhy.train.checkpoint import Checkpoint, load_newest, restore, save, state
from citewhy.train.losses import score_triplet
from citewhy.train.sampling.citation_graph import CitationGraph
from citewhy.train.sampling.triplets import Batch, Triplets

__all__ = ["FIRST_STAGE_WEIGHTS", "Dials", "Question", "TextBibTrainer", "Validation"]

FIRST_STAGE_WEIGHTS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)
"""Those among which validation chooses; most scores are in [-1, 1]."""

_RECENT = 25
"""Steps over which the loss that is told is averaged."""


@dataclass(frozen=True, slots=True)
class Dials:
    """Of the loop; `recipes.textbib.TextBibSettings` says what they mean."""

    epochs: int
    batches: int
    validate_every: int
    margin: float
    learning_rate: float
    clip: float
    seed: int


@dataclass(frozen=True, slots=True)
class Question:
    """A validation context: `found` are rows of the first stage's candidates, `right` of the right ones."""

    query: Query
    found: Sequence[int]
    right: Sequence[int]


@dataclass(frozen=True, slots=True)
class Validation:
    epoch: int
    mrr: float
    """Mean over pairs of a context and a cited paper; 0 for one that the first stage missed."""


class TextBibTrainer:
    """Trains `network` in place; checkpoints lie in `folder`, and `task` is written into them.

    An interruption at any time costs the steps since the last epoch. Continued on the same machine, with the
    same number of threads, the result is the same to the bit.
    """

    def __init__(
        self,
        network: TextBib,
        reader: Reader,
        graph: CitationGraph,
        queries: Sequence[Query],
        triplets: Triplets,
        questions: Sequence[Question],
        dials: Dials,
        folder: Path,
        task: Mapping[str, Any],
        tell: Tell,
    ) -> None:
        self._network = network
        self._reader = reader
        self._graph = graph
        self._texts = Texts(reader, queries, graph.papers)
        self._triplets = triplets
        self._questions = questions
        self._dials = dials
        self._folder = folder
        self._task = task
        self._tell = tell
        self._parameters: dict[str, Tensor] = dict(network.named_parameters())
        self._optimizer = torch.optim.Adam(self._parameters.values(), lr=dials.learning_rate, fused=True)
        self._losses: list[float] = []
        self._best: dict[str, Tensor] = {}
        self.validations: list[Validation] = []

    def run(self) -> list[float]:
        """All steps that are not done yet; leaves `network` with the weights that did best. Returns the loss
        of every step."""
        self._continue()
        begun, first = time.monotonic(), len(self._losses)
        for step in range(first, self._dials.epochs * self._dials.batches):
            self._losses.append(self._step(step))
            epoch, within = divmod(step + 1, self._dials.batches)
            self._say(step + 1, (time.monotonic() - begun) / (step + 1 - first))
            if not within:
                if epoch % self._dials.validate_every == 0 or epoch == self._dials.epochs:
                    self._validate(epoch)
                    begun, first = time.monotonic(), step + 1  # validating is no step
                self._save()
        self._network.load_state_dict(self._best)
        return self._losses

    def _step(self, step: int) -> float:
        torch.manual_seed(np.random.SeedSequence([self._dials.seed, step]).generate_state(1)[0].item())
        for group in self._optimizer.param_groups:
            group["lr"] = self._dials.learning_rate * (1 - step / (self._dials.epochs * self._dials.batches))
        return self.learn(self._triplets[step])

    def learn(self, batch: Batch, last: bool = True) -> float:
        """Gradients of a batch, and, unless more is to come before it (`last`), a step. Returns the loss."""
        self._network.train()
        loss = self.loss(batch)
        loss.backward()
        if last:
            torch.nn.utils.clip_grad_norm_(self._parameters.values(), self._dials.clip)
            self._optimizer.step()
            self._optimizer.zero_grad()
        return float(loss.item())

    def loss(self, batch: Batch) -> Tensor:
        """Of a batch; each distinct paper of it is read once."""
        rows, place = np.unique(batch.papers, return_inverse=True)
        tokens, authors = self._texts.papers(rows.tolist())
        pairs, width = batch.papers.shape
        candidates = Candidates(
            tokens=tokens,
            authors=authors,
            context=torch.arange(pairs).repeat_interleave(width),
            paper=torch.from_numpy(place.reshape(-1)),
            cited=torch.from_numpy(self._cited(batch)).reshape(-1, 2),
        )
        scores = self._network(self._texts.contexts(batch.contexts.tolist()), candidates).final
        scores = scores.reshape(pairs, width)
        return score_triplet(scores[:, 0], scores[:, 1:], self._dials.margin)

    def _cited(self, batch: Batch) -> NDArray[np.float32]:
        """[pairs, 1 + negatives, 2] as of each context's year."""
        found = []
        for place, rows in zip(batch.contexts.tolist(), batch.papers, strict=True):
            year = self._texts.years[place]
            recent = self._graph.times_cited(year, max(year - self._network.shape.recent, 1))
            found.append(np.stack([self._graph.times_cited(year)[rows], recent[rows]], axis=1))
        counts: NDArray[np.float32] = np.log1p(np.stack(found)).astype(np.float32)
        return counts

    def first_stage_weight(self) -> tuple[float, float]:
        """What the order of the first stage is worth beside the network's scores, and the MRR with it: the
        best of `FIRST_STAGE_WEIGHTS` on the validation contexts; of equal ones, the smallest."""
        found = self._mrr(FIRST_STAGE_WEIGHTS, "weighing the first stage")
        best = max(range(len(found)), key=lambda place: (found[place], -place))
        return FIRST_STAGE_WEIGHTS[best], found[best]

    def _validate(self, epoch: int) -> None:
        (mrr,) = self._mrr([0.0], f"validating after epoch {epoch}")
        if not self._best or mrr > max(each.mrr for each in self.validations):
            self._best = {name: value.detach().clone() for name, value in self._parameters.items()}
        self.validations.append(Validation(epoch, mrr))
        self._tell(f"epoch {epoch}: MRR {mrr:.4f} on {len(self._questions)} contexts", None)

    def _mrr(self, weights: Sequence[float], what: str) -> list[float]:
        """For each weight of the first stage."""
        scorer = Scorer(self._network, self._reader)
        reciprocal: list[list[float]] = [[] for _ in weights]
        for done, question in enumerate(self._questions):
            if not set(question.right) & set(question.found):
                for each in reciprocal:
                    each += [0.0] * len(question.right)
                continue
            scores = _scores(scorer, self._graph, question)
            for each, weight in zip(reciprocal, weights, strict=True):
                joined = interpolated(scores, weight)
                each += _reciprocal_ranks(joined, self._graph, question)
            self._tell(what, (done + 1) / len(self._questions))
        return [float(np.mean(each)) if each else 0.0 for each in reciprocal]

    def _say(self, done: int, seconds: float) -> None:
        whole = self._dials.epochs * self._dials.batches
        triplets = self._triplets.size / max(seconds, 1e-9)
        self._tell(
            f"step {done} of {whole}: loss {np.mean(self._losses[-_RECENT:]):.4f}, "
            f"{triplets:,.0f} triplets/s, {(whole - done) * seconds / 60:.0f} min left",
            done / whole,
        )

    def _save(self) -> None:
        tensors = state(self._parameters, self._optimizer)
        tensors |= {f"best/{name}": value for name, value in self._best.items()}
        told = [[each.epoch, each.mrr] for each in self.validations]
        tensors["validations"] = torch.tensor(told, dtype=torch.float64).reshape(-1, 2)
        save(self._folder, Checkpoint(len(self._losses), self._task, self._losses, tensors))

    def _continue(self) -> None:
        found = load_newest(self._folder, self._task)
        if found is None:
            return
        restore(self._parameters, self._optimizer, found.tensors)
        self._best = {
            name.removeprefix("best/"): value
            for name, value in found.tensors.items()
            if name.startswith("best/")
        }
        self.validations = [
            Validation(int(epoch), mrr) for epoch, mrr in found.tensors["validations"].tolist()
        ]
        self._losses = found.losses


def _scores(scorer: Scorer, graph: CitationGraph, question: Question) -> NDArray[np.float32]:
    """[n] of what the first stage found."""
    papers = [graph.papers[row] for row in question.found]
    cited_in = [graph.cited_in(row, question.query.year or 0) for row in question.found]
    scores: NDArray[np.float32] = scorer.scores(question.query, papers, cited_in).final.numpy()
    return scores


def _reciprocal_ranks(scores: NDArray[np.float32], graph: CitationGraph, question: Question) -> list[float]:
    """One for each right paper: 1 over its own rank among the candidates, ties broken by paper id."""
    ids = [graph.papers[row].id for row in question.found]
    order = sorted(range(len(ids)), key=lambda place: (-scores[place], ids[place]))
    rank = {question.found[place]: rank for rank, place in enumerate(order, 1)}
    return [1 / rank[row] if row in rank else 0.0 for row in question.right]
