"""Trains MP-BERT4CR (Zhang and Ma 2021): manuscripts and papers are read sentence by sentence, and candidates
are ranked by the cosine of their documents' vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.base.records import Context, FullText
from citewhy.search.encode import default_encoder
from citewhy_lab.train.collection import KnownPapers
from citewhy_lab.train.devices import choose_device
from citewhy_lab.train.recipe import DeviceName, Trained, checkpoints
from citewhy_lab.train.reranking.data import Prepared, Questions, RerankingData, opened, prepared
from citewhy_lab.train.sampling.citation_graph import CitationGraph
from citewhy_lab.train.sampling.co_citations import CitedTogether
from citewhy_lab.train.systems.mpbert4cr.network import Reader, ReadyVectors, Vocabulary
from citewhy_lab.train.systems.mpbert4cr.served import save
from citewhy_lab.train.systems.mpbert4cr.settings import MpBertInputs, MpBertSettings
from citewhy_lab.train.systems.mpbert4cr.texts import (
    Example,
    History,
    Manuscripts,
    Papers,
    examples_of,
    read_full_texts,
)
from citewhy_lab.train.systems.mpbert4cr.training import Corpus, documents_of, fine_tune, pretrain


def train_mpbert4cr(
    inputs: MpBertInputs | RerankingData,
    settings: MpBertSettings,
    out: Path,
    progress: Progress,
    device: DeviceName = "auto",
) -> Trained:
    """Writes the model folder `out`, a reranker. With an encoder in the data, its sentence vectors replace
    the lower level of the network.

    A training that was begun for the same `out` with the same settings and data is resumed. Raises InputError
    for data that cannot be learned from, StorageError.
    """
    with opened(inputs, settings.depth, out, progress) as data:
        if isinstance(inputs, MpBertInputs):
            encoder = default_encoder() if inputs.sentence_encoder == "built-in" else None
            data = replace(data, full_texts=read_full_texts(inputs.full_texts), encoder=encoder)
        if data.encoder is not None:
            settings = replace(settings, shape=replace(settings.shape, inputs=data.encoder.dimensions))
        return _train(data, settings, out, progress, device)


def _train(
    data: RerankingData, settings: MpBertSettings, out: Path, progress: Progress, device: DeviceName
) -> Trained:
    ready = prepared(data, settings, progress)
    texts = {ready.known.canonical(key): text for key, text in data.full_texts.items()}
    corpus = _corpus(data, ready, texts, settings, out)
    progress("counting words", None)
    newest = max(each.year for each in corpus.examples)
    documents = _documents(ready, texts, newest)
    citing = (each.query.text for each in corpus.examples)
    vocabulary = Vocabulary.of([*(each for text in documents for each in text), *citing], settings.shape)
    reader: Reader = ReadyVectors(data.encoder, settings.shape) if data.encoder else vocabulary
    facts: dict[str, Any] = {
        "settings": asdict(settings),
        "sampled": asdict(settings.sampled),
        "dynamic": settings.dynamic,
        "seed": settings.seed,
        "encoder": data.encoder.fingerprint if data.encoder else None,
        "data": {
            "papers": len(corpus.graph.papers),
            "full texts": len(texts),
            "documents": len(documents),
            "contexts": len({each.query.id for each in corpus.examples}),
            "pairs": len(corpus.examples),
            "newest": newest,
            "validated": len(corpus.questions or ()),
            "words": len(vocabulary),
        },
    }
    where, folder = choose_device(device), checkpoints(out)
    encoder, losses = pretrain(
        documents, reader, vocabulary, settings, where, progress, folder / "pretraining", facts
    )
    learner, history = fine_tune(
        encoder, corpus, reader, len(vocabulary), settings, progress, folder / "fine-tuning", facts
    )
    return learner.finish(
        history,
        data,
        ready.known,
        settings,
        {**facts, "pretraining losses": [round(loss, 5) for loss in losses]},
        learner.batches,
        lambda report: save(out, learner.mpbert.cpu(), vocabulary, report),
    )


def _corpus(
    data: RerankingData,
    ready: Prepared,
    texts: Mapping[str, FullText],
    settings: MpBertSettings,
    out: Path,
) -> Corpus:
    """Collects what is fine-tuned on; `texts` by canonical id. Raises InputError where there is nothing."""
    known, graph = ready.known, ready.graph
    examples, history = _examples(data.train, known, graph, ready.asking, settings)
    if not examples:
        raise InputError(
            "no context can be learned from",
            path=out,
            hint="give contexts of known years, and the papers that they cite",
        )
    papers = Papers(lambda paper_id: texts.get(known.canonical(paper_id)), settings.sampled)
    return Corpus(
        graph,
        examples,
        history,
        Manuscripts(texts),
        lambda row: papers(graph.papers[row]),
        ready.asking.to_validate(data.val),
    )


def _documents(ready: Prepared, texts: Mapping[str, FullText], newest: int) -> list[list[str]]:
    """The documents of pre-training: of papers up to the year `newest`."""
    papers = ready.graph.papers[: ready.graph.not_newer(newest)]
    until = {ready.known.canonical(paper.id): paper for paper in papers}
    return documents_of(
        (paper for key, paper in until.items() if key not in texts),
        {key: text for key, text in texts.items() if key in until},
    )


def _examples(
    contexts: Sequence[Context],
    known: KnownPapers,
    graph: CitationGraph,
    asking: Questions,
    settings: MpBertSettings,
) -> tuple[list[Example], History]:
    """Makes examples and their history. Cited papers that count are known, not newer than the sentence and,
    if so set, not held out: these are neither targets nor positives nor negatives."""
    examples: list[Example] = []
    together = []
    for context in contexts:
        query, cited = asking.question(context)
        if settings.held_out:
            cited = [row for row in cited if known.canonical(graph.papers[row].id) not in known.held_out]
        if not cited or query.year is None:
            continue
        together.append(CitedTogether(tuple(sorted(set(cited))), query.year))
        examples += examples_of(query, cited)
    cited_once = sorted({row for each in together for row in each.cited})
    return examples, History(together, cited_once, settings.seed)
