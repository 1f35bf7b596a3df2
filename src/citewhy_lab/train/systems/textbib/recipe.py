"""TEXTBIB, a reranker for citing sentences: Medić and Šnajder (2020, 2022), Medić (2023, chapters 4 and 5).

A context is compared with the candidates of a first stage by their texts, where the context is enhanced by
title and abstract of its paper, and by the candidates' authors and numbers of citations. The network is in
`network`, the loss in `train.losses`, the negatives in `train.sampling.negatives`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.base.records import Paper, Query
from citewhy.models import check_new
from citewhy_lab.train.collection import KnownPapers
from citewhy_lab.train.reranking.data import Questions, RerankingData
from citewhy_lab.train.sampling.citation_graph import CitationGraph, edges
from citewhy_lab.train.sampling.negatives import Asked, Negatives
from citewhy_lab.train.sampling.triplets import Triplets
from citewhy_lab.train.scratch import checkpoints
from citewhy_lab.train.systems.textbib.settings import TextBibSettings

if TYPE_CHECKING:
    from torch import Tensor

    from citewhy_lab.train.devices import DeviceName
    from citewhy_lab.train.systems.textbib.reading import Reader

__all__ = ["train_textbib"]


def train_textbib(
    data: RerankingData, settings: TextBibSettings, out: Path, progress: Progress, device: DeviceName = "auto"
) -> dict[str, Any]:
    """Writes the model folder `out`, a reranker, and returns its report.

    A training that was begun for the same `out` with the same settings and data is resumed. Raises InputError
    for data that cannot be learned from or an `out` that exists, MissingExtraError without torch,
    StorageError.
    """
    from citewhy_lab.train.requirements import check_modules

    check_modules("torch", "safetensors", "scipy", *(["gensim"] if data.vectors else []))
    import torch

    from citewhy_lab.train import processes
    from citewhy_lab.train.devices import choose_device
    from citewhy_lab.train.loop import Plan, train_network
    from citewhy_lab.train.reranking.learner import report_of
    from citewhy_lab.train.schedules import constant, linear
    from citewhy_lab.train.systems.textbib.folder import save
    from citewhy_lab.train.systems.textbib.learner import TextBibLearner
    from citewhy_lab.train.systems.textbib.network import TextBib
    from citewhy_lab.train.systems.textbib.reading import Reader
    from citewhy_lab.train.word_vectors import vector_size

    check_new(out)
    if data.vectors is not None:
        shape = replace(settings.shape, word=vector_size(data.vectors))
        settings = replace(settings, shape=shape)
    known = KnownPapers(data.papers, data.aliases)
    graph = CitationGraph(list(known.all.values()), edges(data.citations, data.train), known.canonical)
    given = Questions(known, graph, data.first_stage, settings, progress)
    asked, queries = given.to_learn(data.train)
    never = (
        [row for each in known.held_out if (row := graph.row(each)) is not None] if settings.held_out else []
    )
    negatives = Negatives(graph, settings.negatives, never)
    if settings.enough is not None:
        strategy, least = settings.enough
        kept = [at for at, each in enumerate(asked) if negatives.hard_count(strategy, each) >= least]
        asked, queries = [asked[at] for at in kept], [queries[at] for at in kept]
    triplets = _triplets(asked, negatives, settings, out)
    questions = given.to_validate(data.val)

    progress("counting words and authors", None)
    newest = max(query.year or 0 for query in queries)
    seen = graph.papers[: graph.not_newer(newest)]
    reader = Reader.of(seen, [query.text for query in queries], settings.shape)
    torch.manual_seed(settings.seed)
    network = TextBib(len(reader.words), len(reader.authors), settings.shape, settings.dropout)
    words = network.encoder.embedding.weight
    _start_words(words, _word_vectors(reader, seen, queries, data, settings))
    words.requires_grad_(settings.train_words)
    network.to(choose_device(device))

    facts: dict[str, Any] = {
        "settings": {**asdict(settings), "negatives": str(settings.negatives)},
        "data": {
            "papers": len(graph.papers),
            "contexts": len(asked),
            "pairs": len(triplets),
            "newest": newest,
            "missed": given.missed,
            "validated": len(questions),
            "words": len(reader.words),
            "authors": len(reader.authors),
            "vectors": _origin(data),
        },
    }
    steps = settings.epochs * settings.batches
    plan = Plan.of_epochs(
        settings.epochs,
        settings.batches,
        settings.seed,
        validate_every=settings.validate_every,
        rate=linear(settings.learning_rate, steps) if settings.decay else constant(settings.learning_rate),
        clip=settings.clip,
    )
    learner = TextBibLearner(network, reader, graph, queries, triplets, questions, settings.margin, progress)
    history = train_network(learner, plan, progress, checkpoints(out), facts)
    weights = learner.weights_of(data, known, settings)
    progress("writing the model", None)
    report = report_of(facts, history, weights, settings.batches)
    if processes.is_first():
        save(out, network.cpu(), reader, report)
    return report


def _triplets(asked: Sequence[Asked], negatives: Negatives, settings: TextBibSettings, out: Path) -> Triplets:
    if not asked:
        raise InputError(
            "no context can be learned from",
            path=out,
            hint="give contexts whose cited papers are there, or the regime standard",
        )
    return Triplets(asked, negatives, settings.pairs, settings.seed)


def _word_vectors(
    reader: Reader,
    papers: Sequence[Paper],
    queries: Sequence[Query],
    data: RerankingData,
    settings: TextBibSettings,
) -> NDArray[np.float32]:
    """[words, settings.shape.word]; zeros for a word that has none."""
    from citewhy_lab.train.reranking.words import OTHER, TARGET, tokens
    from citewhy_lab.train.systems.textbib.corpus_vectors import corpus_vectors, joined_vectors
    from citewhy_lab.train.word_vectors import read_word_vectors

    size = settings.shape.word
    if data.vectors is not None:
        unknown = np.zeros((1, size), dtype=np.float32)
        return np.vstack([unknown, read_word_vectors(data.vectors, reader.words.names)])
    everything = (tokens(each.text, reader.shape.function_words) for each in queries)
    texts = [*map(reader.paper, papers), *map(reader.words, everything)]
    neighbours = corpus_vectors(texts, len(reader.words), size, settings.seed)
    if data.encoder is None:
        return neighbours
    encoded = data.encoder.encode(["", *reader.words.names], "paper")
    encoded[reader.words([TARGET, OTHER])] = 0  # names of ours, which no encoder knows
    return joined_vectors(neighbours, encoded, size)


def _start_words(weight: Tensor, vectors: NDArray[np.float32]) -> None:
    """Fills the network's table; a word without a vector keeps a random one of similar length."""
    import torch

    there = np.linalg.norm(vectors, axis=1) > 0
    mean = float(np.linalg.norm(vectors[there], axis=1).mean())
    scaled = vectors[there] / max(mean, 1e-9) * vectors.shape[1] ** 0.5
    with torch.no_grad():
        weight[torch.from_numpy(there)] = torch.from_numpy(scaled)


def _origin(data: RerankingData) -> str:
    """Where the word vectors are from."""
    if data.vectors is not None:
        return data.vectors.name
    return "the papers" if data.encoder is None else f"the papers, {data.encoder.fingerprint}"
