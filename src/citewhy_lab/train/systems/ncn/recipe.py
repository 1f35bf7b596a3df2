"""Trains NCN (Ebesu and Fang 2017): the title of a cited paper is generated from the citing sentence and the
authors of both papers, and candidates are ranked by the probability of their titles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.base.records import Query
from citewhy_lab.train.devices import choose_device
from citewhy_lab.train.loop import Plan, constant, train_network
from citewhy_lab.train.recipe import DeviceName, RerankerInputs, Trained, checkpoints
from citewhy_lab.train.reranking.data import RerankingData, ValidationQuestion, opened, prepared
from citewhy_lab.train.reranking.learner import RerankingLearner, Scores
from citewhy_lab.train.sampling.citation_graph import CitationGraph
from citewhy_lab.train.sampling.negatives import Pairs
from citewhy_lab.train.systems.ncn.network import Ncn, Reader, Scorer, save
from citewhy_lab.train.systems.ncn.settings import NcnSettings


def train_ncn(
    inputs: RerankerInputs | RerankingData,
    settings: NcnSettings,
    out: Path,
    progress: Progress,
    device: DeviceName = "auto",
) -> Trained:
    """Writes the model folder `out`, a reranker. Vectors and encoder of the data are not used.

    A training that was begun for the same `out` with the same settings and data is resumed. Raises InputError
    for data that cannot be learned from, StorageError.
    """
    with opened(inputs, settings.depth, out, progress) as data:
        return _train(data, settings, out, progress, device)


def _train(
    data: RerankingData, settings: NcnSettings, out: Path, progress: Progress, device: DeviceName
) -> Trained:
    ready = prepared(data, settings, progress)
    graph = ready.graph
    asked, queries = ready.asking.to_learn(data.train)
    if not asked:
        raise InputError(
            "no context can be learned from",
            path=out,
            hint="give contexts whose cited papers are there, or the regime standard",
        )
    pairs = Pairs(asked, settings.pairs, settings.seed)
    questions = ready.asking.to_validate(data.val)

    progress("counting words and authors", None)
    newest = max(query.year or 0 for query in queries)
    reader = Reader.of(graph.papers[: graph.not_newer(newest)], queries, settings.shape)
    torch.manual_seed(settings.seed)
    sizes = (len(reader.words), len(reader.titles), len(reader.authors))
    network = Ncn(*sizes, settings.shape, settings.dropout).to(choose_device(device))
    facts: dict[str, Any] = {
        "settings": asdict(settings),
        "data": {
            "papers": len(graph.papers),
            "contexts": len(asked),
            "pairs": len(pairs),
            "newest": newest,
            "missed": ready.asking.missed,
            "validated": len(questions),
            **dict(zip(("words", "title words", "authors"), sizes, strict=True)),
        },
    }
    plan = Plan.of_epochs(
        settings.epochs,
        settings.batches,
        settings.seed,
        validate_every=settings.validate_every,
        rate=constant(settings.learning_rate),
        clip=settings.clip,
    )
    learner = NcnLearner(network, reader, graph, queries, pairs, settings.pairs, questions, progress)
    history = train_network(learner, plan, progress, checkpoints(out), facts)
    return learner.finish(
        history,
        data,
        ready.known,
        settings,
        facts,
        settings.batches,
        lambda report: save(out, network.cpu(), reader, report),
    )


class NcnLearner(RerankingLearner):
    """`network` is on its device; `pairs` refer to `queries` by number."""

    unit = "pairs"
    first_stage_weights = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
    """A title's mean log-probability varies by some units."""

    def __init__(
        self,
        network: Ncn,
        reader: Reader,
        graph: CitationGraph,
        queries: Sequence[Query],
        pairs: Pairs,
        batch: int,
        questions: Sequence[ValidationQuestion],
        progress: Progress,
    ) -> None:
        super().__init__(network, graph, questions, progress)
        self._network = network
        self._device = network.embedding.weight.device
        self._reader = reader
        self._queries = queries
        self._pairs = pairs
        self.units_a_step = batch

    def loss(self, batch: int) -> Tensor:
        """Returns the mean over pairs of the mean over a title's words."""
        pairs = self._pairs[batch]
        contexts = self._reader.contexts([self._queries[number] for number, _ in pairs])
        papers = [self._graph.papers[row] for _, row in pairs]
        titles = self._reader.candidates(papers, torch.arange(len(pairs)))
        scores: Tensor = self._network.scores(contexts.to(self._device), titles.to(self._device))
        return -scores.mean()

    def _scoring(self) -> Scores:
        scorer, graph = Scorer(self._network, self._reader), self._graph

        def scores(question: ValidationQuestion) -> NDArray[np.float32]:
            return scorer.scores(question.query, [graph.papers[row] for row in question.candidates])

        return scores
