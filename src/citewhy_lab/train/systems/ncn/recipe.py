"""Trains NCN (Ebesu and Fang 2017): the title of a cited paper is generated from the citing sentence and the
authors of both papers, and candidates are ranked by the probability of their titles."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.models import check_new
from citewhy_lab.train.collection import KnownPapers
from citewhy_lab.train.reranking.data import Questions, RerankingData
from citewhy_lab.train.sampling.citation_graph import CitationGraph, edges
from citewhy_lab.train.sampling.triplets import Pairs
from citewhy_lab.train.scratch import checkpoints
from citewhy_lab.train.systems.ncn.settings import NcnSettings

if TYPE_CHECKING:
    from citewhy_lab.train.devices import DeviceName

__all__ = ["train_ncn"]


def train_ncn(
    data: RerankingData, settings: NcnSettings, out: Path, progress: Progress, device: DeviceName = "auto"
) -> dict[str, Any]:
    """Writes the model folder `out`, a reranker, and returns its report. Vectors and encoder of the data are
    not used.

    A training that was begun for the same `out` with the same settings and data is resumed. Raises InputError
    for data that cannot be learned from or an `out` that exists, MissingExtraError without torch,
    StorageError.
    """
    from citewhy_lab.train.requirements import check_modules

    check_modules("torch", "safetensors")
    import torch

    from citewhy_lab.train import processes
    from citewhy_lab.train.devices import choose_device
    from citewhy_lab.train.loop import Plan, train_network
    from citewhy_lab.train.reranking.learner import report_of
    from citewhy_lab.train.schedules import constant
    from citewhy_lab.train.systems.ncn.folder import save
    from citewhy_lab.train.systems.ncn.learner import NcnLearner
    from citewhy_lab.train.systems.ncn.network import Ncn
    from citewhy_lab.train.systems.ncn.reading import Reader

    check_new(out)
    known = KnownPapers(data.papers, data.aliases)
    graph = CitationGraph(list(known.all.values()), edges(data.citations, data.train), known.canonical)
    given = Questions(known, graph, data.first_stage, settings, progress)
    asked, queries = given.to_learn(data.train)
    if not asked:
        raise InputError(
            "no context can be learned from",
            path=out,
            hint="give contexts whose cited papers are there, or the regime standard",
        )
    pairs = Pairs(asked, settings.pairs, settings.seed)
    questions = given.to_validate(data.val)

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
            "missed": given.missed,
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
    weights = learner.weights_of(data, known, settings)
    progress("writing the model", None)
    report = report_of(facts, history, weights, settings.batches)
    if processes.is_first():
        save(out, network.cpu(), reader, report)
    return report
