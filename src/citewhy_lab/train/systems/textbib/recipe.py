"""Trains TEXTBIB, a reranker for citing sentences: Medić and Šnajder (2020, 2022), Medić (2023, chapters 4
and 5).

A context is compared with the candidates of a first stage by their texts, where the context is enhanced by
title and abstract of its paper, and by the candidates' authors and numbers of citations. The network is in
`network`, the loss in `train.losses`, the negatives in `train.sampling.negatives`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.base.records import Paper, Query
from citewhy.search.encode import default_encoder
from citewhy_lab.train.devices import choose_device
from citewhy_lab.train.loop import Plan, constant, linear, train_network
from citewhy_lab.train.losses import score_triplet
from citewhy_lab.train.recipe import DeviceName, Trained, checkpoints
from citewhy_lab.train.requirements import check_modules
from citewhy_lab.train.reranking.data import Prepared, RerankingData, ValidationQuestion, opened, prepared
from citewhy_lab.train.reranking.learner import RerankingLearner, Scores
from citewhy_lab.train.reranking.words import OTHER, TARGET, tokens
from citewhy_lab.train.sampling.citation_graph import CitationGraph
from citewhy_lab.train.sampling.negatives import Batch, Negatives, Triplets
from citewhy_lab.train.systems.textbib.network import Candidates, Reader, TextBib, Texts
from citewhy_lab.train.systems.textbib.served import Scorer, save
from citewhy_lab.train.systems.textbib.settings import TextBibInputs, TextBibSettings
from citewhy_lab.train.word_vectors import corpus_vectors, joined_vectors, read_word_vectors, vector_size


def train_textbib(
    inputs: TextBibInputs | RerankingData,
    settings: TextBibSettings,
    out: Path,
    progress: Progress,
    device: DeviceName = "auto",
) -> Trained:
    """Writes the model folder `out`, a reranker.

    A training that was begun for the same `out` with the same settings and data is resumed. Raises InputError
    for data that cannot be learned from, MissingExtraError without gensim, which reads word vectors,
    StorageError.
    """
    if inputs.vectors is not None:
        check_modules("gensim")
        settings = replace(settings, shape=replace(settings.shape, word=vector_size(inputs.vectors)))
    with opened(inputs, settings.depth, out, progress) as data:
        if isinstance(inputs, TextBibInputs):
            encoder = default_encoder() if inputs.vectors is None else None
            data = replace(data, vectors=inputs.vectors, encoder=encoder)
        return _train(data, settings, out, progress, device)


def _train(
    data: RerankingData, settings: TextBibSettings, out: Path, progress: Progress, device: DeviceName
) -> Trained:
    ready = prepared(data, settings, progress)
    graph = ready.graph
    triplets, queries = _triplets(data, ready, settings, out)
    questions = ready.asking.to_validate(data.val)

    progress("counting words and authors", None)
    newest = max(query.year or 0 for query in queries)
    papers = graph.papers[: graph.not_newer(newest)]
    reader = Reader.of(papers, [query.text for query in queries], settings.shape)
    torch.manual_seed(settings.seed)
    network = TextBib(len(reader.words), len(reader.authors), settings.shape, settings.dropout)
    words = network.encoder.embedding.weight
    _start(network, _word_vectors(reader, papers, queries, data, settings), settings)
    words.requires_grad_(settings.train_words)
    network.to(choose_device(device))

    facts: dict[str, Any] = {
        "settings": {**asdict(settings), "negatives": str(settings.negatives)},
        "data": {
            "papers": len(graph.papers),
            "contexts": len(queries),
            "pairs": len(triplets),
            "newest": newest,
            "missed": ready.asking.missed,
            "validated": len(questions),
            "words": len(reader.words),
            "authors": len(reader.authors),
            "vectors": _origin(data),
        },
    }
    learner = TextBibLearner(network, reader, graph, queries, triplets, questions, settings.margin, progress)
    history = train_network(learner, _plan(settings), progress, checkpoints(out), facts)
    return learner.finish(
        history,
        data,
        ready.known,
        settings,
        facts,
        settings.batches,
        lambda report: save(out, network.cpu(), reader, report),
    )


def _plan(settings: TextBibSettings) -> Plan:
    steps, peak = settings.epochs * settings.batches, settings.learning_rate
    return Plan.of_epochs(
        settings.epochs,
        settings.batches,
        settings.seed,
        validate_every=settings.validate_every,
        rate=linear(peak, steps) if settings.decay else constant(peak),
        clip=settings.clip,
    )


def _triplets(
    data: RerankingData, ready: Prepared, settings: TextBibSettings, out: Path
) -> tuple[Triplets, list[Query]]:
    """Batches of triplets, and the queries that they refer to. Raises InputError where there are none."""
    asked, queries = ready.asking.to_learn(data.train)
    held_out = (ready.graph.row(paper_id) for paper_id in ready.known.held_out if settings.held_out)
    negatives = Negatives(ready.graph, settings.negatives, [row for row in held_out if row is not None])
    if settings.enough is not None:
        strategy, least = settings.enough
        both = zip(asked, queries, strict=True)
        kept = [(one, query) for one, query in both if negatives.hard_count(strategy, one) >= least]
        asked, queries = [one for one, _ in kept], [query for _, query in kept]
    if not asked:
        raise InputError(
            "no context can be learned from",
            path=out,
            hint="give contexts whose cited papers are there, or the regime standard",
        )
    return Triplets(asked, negatives, settings.pairs, settings.seed), queries


def _word_vectors(
    reader: Reader,
    papers: Sequence[Paper],
    queries: Sequence[Query],
    data: RerankingData,
    settings: TextBibSettings,
) -> NDArray[np.float32]:
    """[words, settings.shape.word]; zeros for a word that has none."""
    size = settings.shape.word
    if data.vectors is not None:
        unknown = np.zeros((1, size), dtype=np.float32)
        return np.vstack([unknown, read_word_vectors(data.vectors, reader.words.names)])
    everything = (tokens(query.text, reader.shape.function_words) for query in queries)
    texts = [*map(reader.paper, papers), *map(reader.words, everything)]
    neighbours = corpus_vectors(texts, len(reader.words), size, settings.seed)
    if data.encoder is None:
        return neighbours
    encoded = data.encoder.encode(["", *reader.words.names], "paper")
    encoded[reader.words([TARGET, OTHER])] = 0  # names of ours, which no encoder knows
    return joined_vectors(neighbours, encoded, size)


def _start(network: TextBib, vectors: NDArray[np.float32], settings: TextBibSettings) -> None:
    """Fills the network's table of words; a word without a vector keeps a random one of similar length. With
    `published_start` vectors have the lengths that they are given, and the attention vector is drawn from
    N(0, 1)."""
    weight = network.encoder.embedding.weight
    there = np.linalg.norm(vectors, axis=1) > 0
    mean = max(float(np.linalg.norm(vectors[there], axis=1).mean()), 1e-9)
    usual = vectors.shape[1] ** 0.5
    known = torch.from_numpy(there)
    with torch.no_grad():
        if settings.published_start:
            weight *= mean / usual
            network.attention.v.weight.normal_()
        scale = 1.0 if settings.published_start else usual / mean
        weight[known] = torch.from_numpy(vectors[there] * np.float32(scale)).to(weight)


def _origin(data: RerankingData) -> str:
    """Says where the word vectors are from."""
    if data.vectors is not None:
        return data.vectors.name
    return "the papers" if data.encoder is None else f"the papers, {data.encoder.fingerprint}"


class TextBibLearner(RerankingLearner):
    """`network` is on its device; `triplets` refer to `queries` by number."""

    unit = "triplets"
    first_stage_weights = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
    """Most scores of the network are in [-1, 1]."""

    def __init__(
        self,
        network: TextBib,
        reader: Reader,
        graph: CitationGraph,
        queries: Sequence[Query],
        triplets: Triplets,
        questions: Sequence[ValidationQuestion],
        margin: float,
        progress: Progress,
    ) -> None:
        super().__init__(network, graph, questions, progress)
        self._network = network
        self._device = network.encoder.embedding.weight.device
        self._reader = reader
        self._texts = Texts(reader, queries, graph.papers)
        self._triplets = triplets
        self._margin = margin
        self.units_a_step = triplets.size

    def loss(self, batch: int) -> Tensor:
        """Returns the triplet loss of a batch."""
        return self.loss_of(self._triplets[batch])

    def loss_of(self, batch: Batch) -> Tensor:
        """Returns the triplet loss of a batch, in which each distinct paper is encoded once."""
        rows, positions = np.unique(batch.papers, return_inverse=True)
        tokens, authors = self._texts.papers(rows.tolist())
        pairs, width = batch.papers.shape
        candidates = Candidates(
            tokens=tokens,
            authors=authors,
            context=torch.arange(pairs).repeat_interleave(width),
            paper=torch.from_numpy(positions.reshape(-1)),
            cited=torch.from_numpy(self._cited(batch)).reshape(-1, 2),
        )
        contexts = self._texts.contexts(batch.contexts.tolist())
        scores = self._network(contexts.to(self._device), candidates.to(self._device)).final
        scores = scores.reshape(pairs, width)
        return score_triplet(scores[:, 0], scores[:, 1:], self._margin)

    def _cited(self, batch: Batch) -> NDArray[np.float32]:
        """[pairs, 1 + negatives, 2] ln(1 + citations), in all and recent, as of each context's year."""
        times = []
        for number, rows in zip(batch.contexts.tolist(), batch.papers, strict=True):
            year = self._texts.years[number]
            recent = self._graph.times_cited(year, max(year - self._network.shape.recent, 1))
            times.append(np.stack([self._graph.times_cited(year)[rows], recent[rows]], axis=1))
        counts: NDArray[np.float32] = np.log1p(np.stack(times)).astype(np.float32)
        return counts

    def _scoring(self) -> Scores:
        scorer, graph = Scorer(self._network, self._reader), self._graph

        def scores(question: ValidationQuestion) -> NDArray[np.float32]:
            papers = [graph.papers[row] for row in question.candidates]
            cited_in = [graph.cited_in(row, question.query.year or 0) for row in question.candidates]
            final: NDArray[np.float32] = scorer.scores(question.query, papers, cited_in).final.numpy()
            return final

        return scores
