"""Fits the weights of `retrieve/fuse.py` on training contexts and training papers: `assets/fusion.json`.

    python benchmarks/fit_fusion.py --library DIR [--data DIR] [--out FILE]

For each query the right papers are known; the weights maximise the likelihood of a right paper among the
screened candidates (conditional logit, L2). Queries are asked twice: as they are, and in a world where the
papers of one of `FOLDS` random groups have never been cited, so that the model learns what speaks for a paper
that is new. `NEW_WEIGHT` balances the two. Only queries of the years `YEARS` take part, each as of its own
year; validation data is not touched.

A library without citing sentences has weights of its own (`SILENT`), fitted as if there were none. They leave
out what depends on how completely the library knows who cites whom: a reference list knows nothing
of it, and a small collection of classics makes everybody famous.
"""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray
from scipy.optimize import minimize

from citewhy.artifact import checksum
from citewhy.config import DEFAULT_SEED
from citewhy.corpus.store import Library
from citewhy.datasets.global_ import topics as global_topics
from citewhy.datasets.local import topics as local_topics
from citewhy.datasets.topics import Options, Topic
from citewhy.index import Index, open_index
from citewhy.records import Query
from citewhy.retrieve.fuse import FEATURES, NOT_SAID, SILENT
from citewhy.retrieve.retriever import Retriever, Rows
from citewhy.retrieve.rules import Rules

YEARS = range(2011, 2012)
FOLDS = 10
NEW_WEIGHT = {"local": 0.44, "local+known": 0.44, "global": 0.05, "global+known": 0.05}
PENALTY = 1e-3
NEIGHBOURS = ("cocited", "cocited_sum", "coupled", "linked")
DAMPING = 0.3
"""Share of the fitted weights of `NEIGHBOURS` that a sentence of a draft takes, beside the weights for words.
The training graph names only references that are in the collection, and so makes them better witnesses than a
real reference list is: on real drafts the fitted weights rank worse than none, and a third of them well."""
NEGATIVES = 300
"""Candidates kept for a query beside the right ones, at random."""


@dataclass(frozen=True, slots=True)
class Group:
    """One query's candidates."""

    table: NDArray[np.float32]
    right: NDArray[np.bool_]
    weight: float


def silent(index: Index) -> Index:
    """The index of a library without citing sentences; its citations are still there."""
    none = np.zeros(0, dtype=np.int32)
    return replace(index, tables=replace(index.tables, pair_context=none, pair_cited=none))


def group(
    index: Index,
    library: Library,
    rules: Rules,
    query: Query,
    relevant: Sequence[int],
    weight: float,
    unused: Collection[str],
) -> Group | None:
    """None where no right paper is among the candidates: the model has nothing to choose.

    The features that are `unused` are 0 for all.
    """
    numbers = library.numbers([query.citing_id, *query.known_ids])
    rows = Rows(numbers.get(query.citing_id, -1), tuple(numbers[i] for i in query.known_ids if i in numbers))
    chosen, table, _ = Retriever(index, rules, weighing={}).table(
        query, rows, rules.candidates(query.year, rows.barred(query.kind))
    )
    right = np.isin(chosen, relevant)
    if not right.any():
        return None
    rng = np.random.default_rng(len(chosen))
    keep = right.copy()
    keep[rng.permutation(len(chosen))[:NEGATIVES]] = True
    # The best wrong ones decide; they stay.
    leading = [FEATURES.index(name) for name in ("text", "title", "sentence", "sentences", "feedback")]
    keep[np.argsort(-table[:, leading].sum(axis=1))[:NEGATIVES]] = True
    table[:, [FEATURES.index(name) for name in unused]] = 0
    return Group(table[keep], right[keep], weight)


def groups(
    library: Library,
    index: Index,
    topics: Sequence[Topic],
    new_weight: float,
    unused: Collection[str] = (),
) -> Iterator[Group]:
    """Every topic as it is, and once more with its right papers uncited."""
    relevant = {topic.query.id: sorted(library.numbers(topic.relevant).values()) for topic in topics}
    rules = Rules(index.tables)
    for topic in topics:
        if found := group(index, library, rules, topic.query, relevant[topic.query.id], 1.0, unused):
            yield found
    everything = sorted({row for rows in relevant.values() for row in rows})
    random.Random(DEFAULT_SEED).shuffle(everything)
    for fold in range(FOLDS):
        hidden = set(everything[fold::FOLDS])
        rules = Rules(index.tables, hidden=hidden)
        for topic in topics:
            asked = [row for row in relevant[topic.query.id] if row in hidden]
            if asked and (found := group(index, library, rules, topic.query, asked, new_weight, unused)):
                yield found


def fit(data: Sequence[Group]) -> tuple[dict[str, float], float]:
    """Weights by feature, and the mean log-likelihood of a right paper."""
    table = np.concatenate([each.table for each in data]).astype(np.float64)
    right = np.concatenate([each.right for each in data])
    sizes = np.array([len(each.right) for each in data])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    owner = np.repeat(np.arange(len(data)), sizes)
    share = right / np.add.reduceat(right.astype(float), starts)[owner]
    importance = np.array([each.weight for each in data])
    spread = table.std(axis=0)
    used = spread > 1e-9
    scaled = (table[:, used] - table[:, used].mean(axis=0)) / spread[used]

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = scaled @ weights
        best = np.maximum.reduceat(scores, starts)
        chances = np.exp(scores - best[owner])
        total = np.add.reduceat(chances, starts)
        log_likelihood = np.add.reduceat(scores * share, starts) - best - np.log(total)
        slope = scaled.T @ ((share - chances / total[owner]) * importance[owner])
        mean = importance.sum()
        return (
            -float((log_likelihood * importance).sum() / mean + 0) + PENALTY * float(weights @ weights),
            -slope / mean + 2 * PENALTY * weights,
        )

    found = minimize(loss, np.zeros(int(used.sum())), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    weights = np.zeros(len(FEATURES))
    weights[used] = found.x / spread[used]
    return {name: round(float(w), 5) for name, w in zip(FEATURES, weights, strict=True)}, -float(found.fun)


def with_known(library: Library, index: Index, topics: Sequence[Topic], seed: int) -> list[Topic]:
    """The same queries, their papers' other references known (a random share of them, at least one)."""
    rng = random.Random(seed)
    told = []
    for topic in topics:
        row = library.numbers([topic.query.citing_id]).get(topic.query.citing_id)
        right = set(library.numbers(topic.relevant).values())
        cited = [] if row is None else index.tables.cited[index.tables.made_by(row)].tolist()
        others = sorted({index.tables.paper_id(other) for other in cited if other not in right})
        if others:
            known = tuple(rng.sample(others, rng.randint(1, len(others))))
            told.append(Topic(replace(topic.query, known_ids=known), topic.relevant))
    return told


def in_years(topics: Sequence[Topic]) -> list[Topic]:
    return [topic for topic in topics if topic.query.year in YEARS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    shared = Path(os.environ.get("CITEWHY_DATA", Path(__file__).parents[2] / "shared" / "data"))
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=shared)
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).parents[1] / "src/citewhy/assets/fusion.json"
    )
    arguments = parser.parse_args()
    with Library.open(arguments.library) as library:
        document = fitted(library, arguments.data)
    arguments.out.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n")


def fitted(library: Library, data: Path) -> dict[str, Any]:
    """What `fusion.json` holds: weights by query kind, and how they were made."""
    index = open_index(library)
    contexts = data / "contexts.train.jsonl.gz"
    wholes = [data / "global.train.jsonl.gz", data / "global_title.train.jsonl.gz"]
    local = in_years(local_topics(contexts, library, Options()))
    whole = [topic for path in wholes for topic in in_years(global_topics(path, library, Options()))]
    half = [topic for path in wholes for topic in in_years(global_topics(path, library, Options(known=0.5)))]
    sets = {
        "local": local,
        "local+known": with_known(library, index, local, DEFAULT_SEED),
        "global": whole,
        "global+known": half,
    }
    weights, facts = {}, {}
    for name, topics in [*sets.items(), *((f"{name}{SILENT}", topics) for name, topics in sets.items())]:
        if name.endswith(SILENT):
            found = list(groups(library, silent(index), topics, 1.0, NOT_SAID))
        else:
            found = list(groups(library, index, topics, NEW_WEIGHT[name]))
        weights[name], quality = fit(found)
        if name.startswith("local+known"):
            words = weights[name.replace("+known", "")]
            weights[name] = words | {each: round(DAMPING * weights[name][each], 5) for each in NEIGHBOURS}
        facts[name] = {"queries": len(topics), "groups": len(found), "log_likelihood": round(quality, 4)}
        print(name, facts[name])
    return {
        "weights": weights,
        "making": {
            "command": "python benchmarks/fit_fusion.py",
            "years": [YEARS.start, YEARS.stop - 1],
            "folds": FOLDS,
            "new_weight": NEW_WEIGHT,
            "damping": DAMPING,
            "penalty": PENALTY,
            "seed": DEFAULT_SEED,
            "fits": facts,
            "data_crc32": {path.name: checksum(path) for path in [contexts, *wholes]},
        },
    }


if __name__ == "__main__":
    main()
