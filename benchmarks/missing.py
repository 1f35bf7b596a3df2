"""References of finished papers hidden, one in five: how well missing works are found.

    python benchmarks/missing.py train --library DIR --out FOLDER [--data DIR] [--seeds 11 12]
    python benchmarks/missing.py measure --library DIR [--data DIR] [--seeds 7 8 9] [--lag N] [--json]

The papers are those of `global` and `global_title`; the library has the papers, aliases, citing sentences and
citations of the data folder. What counts is asked as of the year of each paper. Works of its own authors are
neither proposed by any system nor looked for, as in a review. `train` grows the trees of `citewhy review
--missing` on the training part: once as it is, and of every third paper once more with evidence that ends
three years before, and without any, so that the trees know libraries without citations. Their threshold has
the best F2 on papers that they have not seen: what is missed counts twice as much as what is too much, since
a list of four works is soon read. `--keep` keeps the evidence in a file, from which trees are grown again.
`measure` compares them with `citewhy suggest --unit draft`, BM25, vectors, and both fused by their ranks;
intervals are of 95 %, by bootstrap over papers, and differences are paired.
"""

from __future__ import annotations

import argparse
import json
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.papers.library.store import Library
from citewhy.ranking.missing.considering import CONSIDERED
from citewhy.ranking.missing.evidence import EVIDENCE, evidence
from citewhy.ranking.missing.model import write_missing_trees
from citewhy.ranking.rank.ranker import Pipeline
from citewhy.ranking.recommender import Recommender
from citewhy_lab.evaluate.backtest.hiding import exclude_copies
from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from citewhy_lab.evaluate.datasets.global_ import topics
from citewhy_lab.evaluate.datasets.topics import Options, Topic
from citewhy_lab.evaluate.making import library_facts
from citewhy_lab.train.trees import lightgbm, trees
from common import DATA
from common import parser as shared_parser

KNOWN, K, FOLDS, SEED = 0.8, 10, 5, 7
LAGS = (0, 3, 100)
"""Years before a paper of which nothing is known; in the last, nothing is known at all."""
BETA = 2
ROUNDS = 150
PARAMETERS = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 15,
    "min_data_in_leaf": 80,
    "lambda_l2": 10,
    "feature_fraction": 0.6,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbosity": -1,
    "seed": SEED,
}
MISSING, NOW, AS_MANY = "missing", "full", "full, as many"
"""The last is that of today, ended where `missing` ends."""
PLAIN: tuple[Pipeline, ...] = ("bm25", "dense", "hybrid", "full")
"""The plain parts, and last what `suggest --unit draft` does."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """A paper of whose references some are hidden, and n candidates for them."""

    paper: str
    wanted: int
    """Number of hidden references by others than its authors."""
    table: NDArray[np.float32]
    """[n, len(EVIDENCE)]."""
    right: NDArray[np.bool_]
    """[n]."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What one system answers for one paper."""

    recall: float
    ndcg: float
    proposed: int
    """Number of works up to its own stop."""
    right: int
    """Number of these that were hidden."""


def questions(library: Library, data: Path, part: str, seed: int) -> Iterator[Topic]:
    for kind in ("global", "global_title"):
        file = data / f"{kind}.{part}.jsonl.gz"
        yield from exclude_copies(library, topics(file, library, Options(known=KNOWN, seed=seed)))


def own_works(recommender: Recommender, topic: Topic) -> set[str]:
    """The ids of the works of a paper's authors, by their names."""
    scoped = recommender.scoped(topic.query)
    rows = {row for name in topic.query.authors for row in scoped.view.papers_by(name).tolist()}
    return set(scoped.index.ids(np.array(sorted(rows), dtype=np.int64)))


def collected(library: Library, data: Path, part: str, seeds: Sequence[int]) -> list[Hidden]:
    """The evidence of all papers, and of every third once more for each of the `LAGS`."""
    full, found = Recommender(library), list[Hidden]()
    for seed, lag in ((seed, lag) for seed in seeds for lag in LAGS):
        started, recommender = time.monotonic(), Recommender(library, index=full.index)
        recommender._rules = replace(recommender._rules, lag=lag)
        for topic in questions(library, data, part, seed + lag):
            if lag and zlib.crc32(topic.query.id.encode()) % len(LAGS):
                continue
            own = own_works(recommender, topic)
            wanted = {library.canonical(one) for one in topic.relevant} - own
            answer = recommender.begun(topic.query, CONSIDERED)
            ranked = answer.ranked.best(CONSIDERED)
            of = evidence(library, answer.scoped, ranked)
            ids = answer.scoped.index.ids(ranked.rows)
            kept = np.array([one not in own for one in ids], dtype=np.bool_)
            right = np.array([one in wanted for one in ids], dtype=np.bool_)
            found.append(Hidden(topic.query.id, len(wanted), of.table[kept], right[kept]))
        print(f"seed {seed}, lag {lag}: {len(found)} papers, {time.monotonic() - started:.0f} s", flush=True)
    return found


# Training -------------------------------------------------------------------------------------------------


def grown(papers: Sequence[Hidden]) -> Any:
    table = np.concatenate([paper.table for paper in papers])
    right = np.concatenate([paper.right for paper in papers]).astype(int)
    data = lightgbm().Dataset(table, right, feature_name=list(EVIDENCE))
    return lightgbm().train(PARAMETERS, data, num_boost_round=ROUNDS)


def train(given: argparse.Namespace) -> None:
    with Library.open(given.library) as library:
        facts = library_facts(library)
        if given.keep is not None and given.keep.exists():
            papers = kept(given.keep)
        else:
            papers = collected(library, given.data, "train", given.seeds)
            if given.keep is not None:
                keep(given.keep, papers)
    folds = np.array([zlib.crc32(paper.paper.encode()) % FOLDS for paper in papers])
    chances: list[NDArray[np.float64]] = [np.zeros(0)] * len(papers)
    for fold in range(FOLDS):
        booster = grown([paper for paper, other in zip(papers, folds, strict=True) if other != fold])
        for number in np.flatnonzero(folds == fold).tolist():
            chances[number] = booster.predict(papers[number].table, num_threads=1)
    threshold, f2 = best_threshold(papers, chances)
    before = [-np.arange(len(paper.right), dtype=np.float64) for paper in papers]
    figures = {
        "papers": len(papers),
        "R@10": cross_fitted(papers, chances),
        "R@10 of the ranker": cross_fitted(papers, before),
        "F2 at the threshold": round(f2, 4),
    }
    made = {
        "command": "python benchmarks/missing.py train",
        "seed": SEED,
        "seeds of hiding": list(given.seeds),
        "library": facts,
        "cross_fitted": figures,
    }
    booster = grown(papers)
    name = f"citewhy missing works ({len(papers)} papers)"
    write_missing_trees(given.out, name, trees(booster), threshold, made)
    print(json.dumps(figures | {"threshold": threshold}, indent=2))


def keep(file: Path, papers: Sequence[Hidden]) -> None:
    np.savez(
        file,
        names=np.array([paper.paper for paper in papers]),
        wanted=np.array([paper.wanted for paper in papers]),
        sizes=np.array([len(paper.right) for paper in papers]),
        table=np.concatenate([paper.table for paper in papers]),
        right=np.concatenate([paper.right for paper in papers]),
    )


def kept(file: Path) -> list[Hidden]:
    with np.load(file) as all_of:
        ends = np.cumsum(all_of["sizes"])[:-1]
        tables, right = np.split(all_of["table"], ends), np.split(all_of["right"], ends)
        facts = zip(all_of["names"].tolist(), all_of["wanted"].tolist(), tables, right, strict=True)
        return [Hidden(*one) for one in facts]


def cross_fitted(papers: Sequence[Hidden], scores: Sequence[NDArray[np.float64]]) -> float:
    every = [
        answered(paper.right[np.argsort(-score, kind="stable")], paper.wanted, 0).recall
        for paper, score in zip(papers, scores, strict=True)
        if paper.wanted
    ]
    return round(float(np.mean(every)), 4)


def best_threshold(papers: Sequence[Hidden], chances: Sequence[NDArray[np.float64]]) -> tuple[float, float]:
    """The threshold with the largest F2 of what is proposed, over all papers together."""
    wanted = sum(paper.wanted for paper in papers)
    every, right = np.concatenate(chances), np.concatenate([paper.right for paper in papers])
    order = np.argsort(-every, kind="stable")
    hits, proposed = np.cumsum(right[order]), np.arange(1, len(order) + 1)
    measure = (1 + BETA**2) * hits / (proposed + BETA**2 * wanted)
    best = int(measure.argmax())
    return round(float(every[order][best]), 4), float(measure[best])


# Measuring ------------------------------------------------------------------------------------------------


def answered(right: NDArray[np.bool_], wanted: int, stop: int) -> Answered:
    """The measures of a ranking of which `right` [n] are hidden references, and which ends after `stop`."""
    first = right[:K]
    gains = 1 / np.log2(np.arange(2, K + 2))
    ideal = gains[: min(wanted, K)].sum()
    return Answered(
        float(first.sum()) / wanted,
        float(gains[: len(first)][first].sum() / ideal),
        stop,
        int(right[:stop].sum()),
    )


def measure(given: argparse.Namespace) -> None:
    found: dict[str, dict[str, list[Answered]]] = {name: {} for name in (*PLAIN, AS_MANY, MISSING)}
    with Library.open(given.library) as library:
        systems = {name: Recommender(library, name) for name in PLAIN}
        for recommender in systems.values():
            recommender._rules = replace(recommender._rules, lag=given.lag)
        full = systems["full"]
        for seed in given.seeds:
            for topic in questions(library, given.data, given.part, seed):
                own = own_works(full, topic)
                wanted = {library.canonical(one) for one in topic.relevant} - own
                if not wanted:
                    continue

                def told(name: str, ids: Sequence[str], stop: int, topic: Topic = topic) -> None:
                    right = np.array([one in wanted for one in ids], dtype=np.bool_)  # noqa: B023
                    one = answered(right, len(wanted), stop)  # noqa: B023
                    found[name].setdefault(topic.query.id, []).append(one)

                for name, recommender in systems.items():
                    ids = [one for one in recommender.rank(topic.query, 100).ids if one not in own]
                    told(name, ids, min(K, len(ids)))
                considered = full.considered(topic.query)
                pairs = [
                    (one, chance)
                    for one, chance in zip(considered.ids, considered.probabilities.tolist(), strict=True)
                    if one not in own
                ]
                stop = sum(chance >= considered.threshold for _, chance in pairs)
                told(AS_MANY, [one for one in full.rank(topic.query, 300).ids if one not in own], stop)
                told(MISSING, [one for one, _ in pairs], stop)
            print(f"seed {seed}: {len(found[NOW])} papers", flush=True)
    document = {name: told_of(answers, found[NOW]) for name, answers in found.items()}
    print(json.dumps(document, indent=2) if given.json else table(document))


def told_of(answers: dict[str, list[Answered]], now: dict[str, list[Answered]]) -> dict[str, Any]:
    told: dict[str, Any] = {"papers": len(answers), "questions": sum(map(len, answers.values()))}
    for name, field in (("R@10", "recall"), ("nDCG@10", "ndcg")):
        told |= ratio(name, sums(answers, field), sums(now, field), counts(answers), counts(now))
    told |= ratio(
        "precision",
        *(sums(one, "right") for one in (answers, now)),
        *(sums(one, "proposed") for one in (answers, now)),
    )
    told["proposed"] = round(float(sums(answers, "proposed").sum() / counts(answers).sum()), 2)
    told["empty"] = round(float(np.mean([one.proposed == 0 for some in answers.values() for one in some])), 3)
    return told


def sums(answers: dict[str, list[Answered]], field: str) -> NDArray[np.float64]:
    """[papers] over the seeds."""
    return np.array([float(sum(getattr(one, field) for one in some)) for some in answers.values()])


def counts(answers: dict[str, list[Answered]]) -> NDArray[np.float64]:
    return np.array([float(len(some)) for some in answers.values()])


def ratio(
    name: str,
    ours: NDArray[np.float64],
    now: NDArray[np.float64],
    of_ours: NDArray[np.float64],
    of_now: NDArray[np.float64],
) -> dict[str, Any]:
    """A measure with its interval, and its difference from that of today, paired by papers."""
    mine, its = resampled_means(ours, of_ours, SEED), resampled_means(now, of_now, SEED)
    value = ours.sum() / of_ours.sum()
    return {
        name: [round(float(value), 4), *(round(one, 4) for one in interval(mine))],
        f"{name}, difference": [
            round(float(value - now.sum() / of_now.sum()), 4),
            *(round(one, 4) for one in interval(mine - its)),
        ],
    }


def table(document: dict[str, dict[str, Any]]) -> str:
    names = ("R@10", "nDCG@10", "precision")
    lines = [f"| | {' | '.join(names)} | proposed |", "| --- | ---: | ---: | ---: | ---: |"]
    for system, told in document.items():
        cells = [_cell(told[name], told[f"{name}, difference"]) for name in names]
        lines.append(f"| {system} | {' | '.join(cells)} | {told['proposed']} |")
    return "\n".join(lines)


def _cell(value: Sequence[float], difference: Sequence[float]) -> str:
    mine, low, high = (f"{one:.3f}" for one in value)
    apart, least, most = (f"{one:+.3f}" for one in difference)
    return f"{mine} ({low}–{high}); {apart} ({least} to {most})"


def main() -> None:
    parser = shared_parser(__doc__, "library!", "json", "out")
    parser.add_argument("do", choices=["train", "measure"])
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the collections")
    parser.add_argument("--seeds", type=int, nargs="+", help="seeds of hiding")
    parser.add_argument("--keep", type=Path, help="file in which evidence is kept")
    parser.add_argument("--lag", type=int, default=0, help="years before a paper of which nothing is known")
    parser.add_argument("--part", default="val", help="part of the data that is measured")
    given = parser.parse_args()
    given.seeds = given.seeds or ([11] if given.do == "train" else [7, 8, 9])
    (train if given.do == "train" else measure)(given)


if __name__ == "__main__":
    main()
