"""TEXTBIB: how fast it learns beside a plain loop, and how fast it reads a thousand candidates again.

    python benchmarks/textbib.py [--data DIR] [--json] [--out FILE]

- Triplets a second: batches as the recipe draws them (300 triplets; each distinct text is read once), beside
  the same network, loss and step over one triplet after another, as the formula is written.
- Rerank for one sentence: a thousand papers that have an abstract, the most that there is to read.

The network has the recipe's sizes and has learned nothing: time does not depend on the weights. Without torch
(the extra `lab`) nothing is measured. Speed is reported, not enforced; where other programs are running,
trust the ratio, not the seconds.
"""

from __future__ import annotations

import importlib.util
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import orjson

from citewhy.base.config import DEFAULT_SEED
from citewhy.base.records import Context, Paper, Query
from citewhy_lab.evaluate.making import file_facts, software
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.sampling.citation_graph import CitationGraph, edges
from citewhy_lab.train.sampling.mixes import Mix
from citewhy_lab.train.sampling.negatives import Asked, Batch, Negatives, Triplets
from citewhy_lab.train.systems.textbib.settings import TextBibSettings, TextBibShape
from common import Line, document, ratio, table
from common import parser as shared_parser

if TYPE_CHECKING:
    from citewhy_lab.train.systems.textbib.recipe import TextBibLearner
    from citewhy_lab.train.systems.textbib.served import Opened

RERANK_S, RATIO = 2.0, 3.0

PAIRS, CANDIDATES, CONTEXTS = 30, 1000, 500
STEPS = 4
ONE_BY_ONE = 10
"""Triplets of the plain loop that are timed: a batch of them takes minutes."""

REPEATED = 5

Samples = dict[str, list[float]]


def main() -> None:
    parser = shared_parser(__doc__, "data", "json", "out")
    arguments = parser.parse_args()
    if importlib.util.find_spec("torch") is None:
        print("TEXTBIB was not measured: it needs the optional part, pip install 'citewhy[lab]'")
        return
    collection = Collection(arguments.data)
    samples: Samples = {}
    opened, learner, triplets = prepare(collection)
    lines = [*measure_training(learner, triplets, samples), *measure_rerank(collection, opened, samples)]
    making = {
        "command": "python benchmarks/textbib.py",
        **software(),
        "machine": {"cores": os.cpu_count(), "load": list(os.getloadavg())},
        "data": [file_facts(path) for path in collection.files.values()],
    }
    written = orjson.dumps(document(lines, samples, making), option=orjson.OPT_INDENT_2)
    if arguments.out:
        arguments.out.write_bytes(written + b"\n")
    print(written.decode() if arguments.json else table(lines))


def prepare(collection: Collection) -> tuple[Opened, TextBibLearner, Triplets]:
    """Returns a network of the recipe's sizes, and batches with a thousand papers at random as the first
    stage's."""
    from citewhy_lab.train.systems.textbib.network import Reader, TextBib
    from citewhy_lab.train.systems.textbib.recipe import TextBibLearner
    from citewhy_lab.train.systems.textbib.served import Opened

    papers = list(collection.papers.values())
    contexts = [each for each in collection.contexts if each.year is not None][-CONTEXTS:]
    graph = CitationGraph(papers, edges(collection.citations, contexts), collection.canonical)
    long = [row for row, paper in enumerate(graph.papers) if paper.abstract]
    rng = np.random.default_rng(DEFAULT_SEED)
    asked = [
        Asked(context.citing_id, context.year or 0, right, right, rng.choice(long, CANDIDATES, replace=False))
        for context in contexts
        if (right := [row for one in context.cited_ids if (row := graph.row(one)) is not None])
    ]
    triplets = Triplets(asked, Negatives(graph, Mix.named("prefiltered")), PAIRS, DEFAULT_SEED)
    reader = Reader.of(papers, [each.text for each in contexts], TextBibShape())
    recipe = TextBibSettings()
    network = TextBib(len(reader.words), len(reader.authors), reader.shape, recipe.dropout)
    network.encoder.embedding.weight.requires_grad_(recipe.train_words)
    queries = [_query(each, collection) for each in contexts]
    learner = TextBibLearner(network, reader, graph, queries, triplets, [], recipe.margin, lambda *_: None)
    return Opened(network, reader, chosen_weights=()), learner, triplets


def measure_training(learner: TextBibLearner, triplets: Triplets, samples: Samples) -> list[Line]:
    """Returns seconds a triplet, gradients and the step included."""
    batches = [triplets[step] for step in range(STEPS + 1)]
    _learn(learner, batches[0], step=True)  # what is loaded with the first
    samples["a triplet in batches"] = [
        seconds(partial(_learn, learner, batch, step=True)) / triplets.size for batch in batches[1:]
    ]
    alone = [_alone(batches[0], place) for place in range(ONE_BY_ONE)]
    samples["a triplet alone"] = [seconds(partial(_learn, learner, one, step=False)) for one in alone]
    times = ratio(samples["a triplet alone"], samples["a triplet in batches"])
    each = statistics.median(samples["a triplet in batches"])
    return [
        Line("learning", 1 / each, "triplets/s"),
        Line("  times a loop over single triplets", times, "×", RATIO, least=True),
    ]


def measure_rerank(collection: Collection, opened: Opened, samples: Samples) -> list[Line]:
    """Returns seconds for a thousand candidates; each time by a scorer that has read nothing yet."""
    from citewhy_lab.train.systems.textbib.served import Scorer

    papers = [paper for paper in collection.papers.values() if paper.abstract][:CANDIDATES]
    query = _query(collection.contexts[0], collection)
    cited: list[np.ndarray[tuple[int], np.dtype[np.int16]]] = [np.zeros(0, dtype=np.int16)] * len(papers)
    scorers = [Scorer(opened.network, opened.reader) for _ in range(REPEATED)]
    samples["rerank"] = [seconds(partial(scorer.scores, query, papers, cited)) for scorer in scorers]
    return [Line("a thousand candidates", statistics.median(samples["rerank"]), "s", RERANK_S)]


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _learn(learner: TextBibLearner, batch: Batch, step: bool) -> None:
    """Computes the gradients of a batch, and makes a step of the optimizer."""
    from citewhy_lab.train.loop import update

    learner.network.train()
    learner.loss_of(batch).backward()
    if step:
        update(learner, clip=1.0)


def _alone(batch: Batch, place: int) -> Batch:
    """Returns the first triplet of the pair at `place`."""
    return Batch(batch.contexts[place : place + 1], batch.papers[place : place + 1, :2])


def _query(context: Context, collection: Collection) -> Query:
    citing = collection.papers.get(collection.canonical(context.citing_id), Paper(context.citing_id, ""))
    return Query("local", context.text, citing.title, citing.abstract, year=context.year)


if __name__ == "__main__":
    main()
