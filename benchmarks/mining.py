"""How long mining of training instances takes, on the citations of a collection and on larger random graphs.

python benchmarks/mining.py --data ../shared/data --plot mining.svg
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from citewhy.base.artifact import replace_file
from citewhy_lab.evaluate.plots import curves, svg
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.systems.aspects.graph import IntentGraph
from citewhy_lab.train.systems.aspects.instances import Instances
from citewhy_lab.train.systems.aspects.mining import by_aspect, by_citations, hybrid
from common import parser as shared_parser

STRATEGIES: dict[str, Callable[[IntentGraph, np.random.Generator], Instances]] = {
    "SPECTER (undirected)": by_citations,
    "SciAspect, L1": lambda graph, rng: by_aspect(graph, rng, in_all=False),
    "SciAspect, L2": lambda graph, rng: by_aspect(graph, rng, 1, 3, 3, level=2, in_all=False),
    "hybrid": lambda graph, rng: hybrid(graph, rng, in_all=False),
}

SIZES = (100_000, 200_000, 400_000, 800_000, 1_600_000)
"""Citations of the random graphs, a tenth as many papers; each paper cites earlier ones, often the same."""


def random_graph(citations: int, rng: np.random.Generator) -> IntentGraph:
    papers = citations // 10
    citing = rng.integers(1, papers, citations)
    cited = (citing * rng.random(citations) ** 2).astype(int)  # old papers are cited more often
    intents = rng.choice([0, 1, 2, 4], citations)
    ids = [str(number) for number in range(papers)]
    edges = zip(citing.tolist(), cited.tolist(), intents.tolist(), strict=True)
    return IntentGraph(ids, ((ids[one], ids[other], bits) for one, other, bits in edges))


def timed(graph: IntentGraph) -> Iterator[tuple[str, float, int]]:
    for name, mine in STRATEGIES.items():
        fresh = IntentGraph.__new__(IntentGraph)  # without what was computed for the strategy before
        fresh.ids, fresh.references = graph.ids, graph.references
        started = time.process_time()
        found = mine(fresh, np.random.default_rng(0))
        yield name, time.process_time() - started, len(found)


def main() -> None:
    parser = shared_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a collection, as citewhy train reads it")
    parser.add_argument("--plot", type=Path, help="an SVG of seconds by citations")
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    collection = Collection(given.data)
    canonical = collection.canonical
    started = time.process_time()
    edges = [
        (canonical(citation.citing_id), canonical(citation.cited_id), 0) for citation in collection.citations
    ]
    intents = rng.choice([0, 1, 2, 4], len(edges)).tolist()
    graph = IntentGraph(
        sorted(collection.papers), ((a, b, i) for (a, b, _), i in zip(edges, intents, strict=True))
    )
    print(f"{given.data.name}: {len(graph.references.neighbours):,} citations, drawn intents")
    print(f"  graph  {time.process_time() - started:.2f} s")
    for name, seconds, count in timed(graph):
        print(f"  {name:22} {seconds:6.2f} s  {count:9,} instances")
    lines: dict[str, list[tuple[float, float]]] = {}
    for size in SIZES:
        graph = random_graph(size, rng)
        for name, seconds, _ in timed(graph):
            lines.setdefault(name, []).append((size, seconds))
        print(
            f"{size:,} citations: " + ", ".join(f"{name} {line[-1][1]:.2f} s" for name, line in lines.items())
        )
    if given.plot is not None:
        most = max(seconds for line in lines.values() for _, seconds in line)
        shares = {name: [(x, seconds / most) for x, seconds in line] for name, line in lines.items()}
        figure = curves(shares, "Mining of training instances", "citations", f"share of {most:.1f} seconds")
        replace_file(given.plot, svg(figure).encode())


if __name__ == "__main__":
    main()
