"""Trains MP-BERT4CR (Zhang and Ma 2021): manuscripts and papers are read sentence by sentence, and candidates
are ranked by the cosine of their documents' vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.base.records import Context, FullText
from citewhy.models import check_new
from citewhy_lab.train.collection import KnownPapers
from citewhy_lab.train.reranking.data import Questions, RerankingData
from citewhy_lab.train.sampling.citation_graph import CitationGraph, edges
from citewhy_lab.train.sampling.co_citations import CitedTogether
from citewhy_lab.train.scratch import checkpoints
from citewhy_lab.train.systems.mpbert4cr.data import Example, History, examples_of
from citewhy_lab.train.systems.mpbert4cr.settings import Settings
from citewhy_lab.train.systems.mpbert4cr.texts import Manuscripts, Papers

if TYPE_CHECKING:
    from citewhy_lab.train.devices import DeviceName

__all__ = ["train_mpbert4cr"]


def train_mpbert4cr(
    data: RerankingData,
    full_texts: Mapping[str, FullText],
    settings: Settings,
    out: Path,
    progress: Progress,
    device: DeviceName = "auto",
) -> dict[str, Any]:
    """Writes the model folder `out`, a reranker, and returns its report. `full_texts` by paper id, of any
    papers. With an encoder in the data, its sentence vectors replace the lower level of the network.

    A training that was begun for the same `out` with the same settings and data is resumed. Raises InputError
    for data that cannot be learned from or an `out` that exists, MissingExtraError without torch,
    StorageError.
    """
    from citewhy_lab.train.requirements import check_modules

    check_modules("torch", "safetensors")
    from citewhy_lab.train import processes
    from citewhy_lab.train.devices import choose_device
    from citewhy_lab.train.reranking.learner import report_of
    from citewhy_lab.train.systems.mpbert4cr.folder import save
    from citewhy_lab.train.systems.mpbert4cr.reading import Reader, ReadyVectors, Vocabulary
    from citewhy_lab.train.systems.mpbert4cr.training import Corpus, documents_of, fine_tune, pretrain

    check_new(out)
    if data.encoder is not None:
        settings = replace(settings, shape=replace(settings.shape, inputs=data.encoder.dimensions))
    known = KnownPapers(data.papers, data.aliases)
    texts = {known.canonical(key): text for key, text in full_texts.items()}
    graph = CitationGraph(list(known.all.values()), edges(data.citations, data.train), known.canonical)
    given = Questions(known, graph, data.first_stage, settings, progress)
    examples, history = _examples(data.train, known, graph, given, settings)
    if not examples:
        raise InputError(
            "no context can be learned from",
            path=out,
            hint="give contexts of known years, and the papers that they cite",
        )
    papers = Papers(lambda paper_id: texts.get(known.canonical(paper_id)), settings.sampled)
    questions = given.to_validate(data.val)
    corpus = Corpus(
        graph,
        examples,
        history,
        Manuscripts(texts),
        lambda row: papers(graph.papers[row]),
        questions,
    )

    progress("counting words", None)
    newest = max(each.year for each in examples)
    until = {known.canonical(each.id): each for each in graph.papers[: graph.not_newer(newest)]}
    documents = documents_of(
        (each for key, each in until.items() if key not in texts),
        {key: text for key, text in texts.items() if key in until},
    )
    citing = (each.query.text for each in examples)
    vocabulary = Vocabulary.of([*(each for text in documents for each in text), *citing], settings.shape)
    reader: Reader = ReadyVectors(data.encoder, settings.shape) if data.encoder else vocabulary
    facts: dict[str, Any] = {
        "settings": asdict(settings),
        "sampled": asdict(settings.sampled),
        "dynamic": settings.dynamic,
        "seed": settings.seed,
        "encoder": data.encoder.fingerprint if data.encoder else None,
        "data": {
            "papers": len(graph.papers),
            "full texts": len(texts),
            "documents": len(documents),
            "contexts": len({each.query.id for each in examples}),
            "pairs": len(examples),
            "newest": newest,
            "validated": len(questions),
            "words": len(vocabulary),
        },
    }
    where, folder = choose_device(device), checkpoints(out)
    encoder, losses = pretrain(
        documents, reader, vocabulary, settings, where, progress, folder / "pretraining", facts
    )
    learner, found = fine_tune(
        encoder, corpus, reader, len(vocabulary), settings, progress, folder / "fine-tuning", facts
    )
    weights = learner.weights_of(data, known, settings)
    progress("writing the model", None)
    report = report_of(facts, found, weights, learner.batches)
    report["pretraining losses"] = [round(loss, 5) for loss in losses]
    if processes.is_first():
        save(out, learner.network.cpu(), vocabulary, report)
    return report


def _examples(
    contexts: Sequence[Context],
    known: KnownPapers,
    graph: CitationGraph,
    given: Questions,
    settings: Settings,
) -> tuple[list[Example], History]:
    """What is cited are known papers, not newer than the sentence and, if so set, not held out: these are
    neither targets nor positives nor negatives."""
    examples: list[Example] = []
    together = []
    for context in contexts:
        query, cited = given.question(context)
        if settings.held_out:
            cited = [row for row in cited if known.canonical(graph.papers[row].id) not in known.held_out]
        if not cited or query.year is None:
            continue
        together.append(CitedTogether(tuple(sorted(set(cited))), query.year))
        examples += examples_of(query, cited)
    cited_once = sorted({row for each in together for row in each.cited})
    return examples, History(together, cited_once, settings.seed)
