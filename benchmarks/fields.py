"""How the default ranking does in other fields, with an author's own bibliography: BM25, hybrid, default.

    python benchmarks/fields.py --documents DIR --out FILE.json [--manifest FILE] [--libraries DIR]
        [--places N]

The documents are those of held-out authors (`train.drafts.use_of`): no model has learned
from them. Each gets a library of its own bibliography, and its citations are hidden in turn, as `citewhy
backtest` does it (near-duplicates of the sentence are left out); of long documents, N places are drawn. R@10
and the reciprocal rank are averaged over the judgements of a document, then over documents, with intervals by
bootstrap over documents. `benchmarks/results.py` makes a page of FILE.
"""

from __future__ import annotations

import random
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from citewhy.base.config import DEFAULT_SEED
from citewhy.papers.library.store import Library
from citewhy.ranking.rank.ranker import Pipeline
from citewhy.ranking.recommender import Recommender
from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from citewhy_lab.evaluate.compare import compare
from citewhy_lab.evaluate.datasets.topics import Topic
from citewhy_lab.evaluate.measures import Scores
from citewhy_lab.train.drafts import Draft, open_library, read_manifest, topics_of, use_of
from common import parser as shared_parser

PIPELINES: tuple[Pipeline, ...] = ("bm25", "hybrid", "full")
DEPTH = 1000
SIGNIFICANT = 0.05


MEASURES: Mapping[str, Callable[[float], float]] = {
    "R@10": lambda rank: rank <= 10,
    "RR": lambda rank: 1 / rank,
}


def rank_in(ids: Sequence[str], paper_id: str) -> float:
    """Returns the rank from 1; infinite for a paper that was not found."""
    return ids.index(paper_id) + 1.0 if paper_id in ids else np.inf


def scores(questions: Sequence[str], ranks: Sequence[float]) -> Scores:
    """Sums the measures of `ranks` of right papers, each with its question: answers of one question are not
    independent."""
    names = list(dict.fromkeys(questions))
    number = {name: at for at, name in enumerate(names)}
    at = np.array([number[question] for question in questions])
    return Scores(
        tuple(names),
        np.bincount(at).astype(float),
        {
            name: np.bincount(at, weights=[float(of(rank)) for rank in ranks]).astype(float)
            for name, of in MEASURES.items()
        },
    )


@dataclass(frozen=True)
class Answer:
    """One right paper of one place."""

    ranks: Mapping[str, float]
    """By pipeline; infinite where it was not found."""
    elsewhere: int
    """Other places of the draft that cite it, as far as the question may know of them."""
    place: str


def answers(library: Library, draft: Draft, most: int) -> list[Answer]:
    """Asks all pipelines on the same places of a draft."""
    topics = topics_of(draft, library)
    if len(topics) > most:
        topics = random.Random(draft.name).sample(topics, most)
    recommenders = {pipeline: Recommender(library, pipeline) for pipeline in PIPELINES}
    ids = {
        pipeline: [recommender.rank(topic.query, DEPTH).ids for topic in topics]
        for pipeline, recommender in recommenders.items()
    }
    return [
        Answer(
            {name: rank_in(ranked[at], paper_id) for name, ranked in ids.items()},
            _elsewhere(topic, paper_id),
            topic.query.id,
        )
        for at, topic in enumerate(topics)
        for paper_id in topic.relevant
    ]


def _elsewhere(topic: Topic, paper_id: str) -> int:
    draft = topic.query.draft
    return 0 if draft is None else sum(paper_id in citation.paper_ids for citation in draft.citations)


def means(found: Sequence[Answer]) -> dict[str, dict[str, float]]:
    """Measures by pipeline, over answers."""
    return {
        pipeline: {
            name: float(np.mean([of(each.ranks[pipeline]) for each in found]))
            for name, of in MEASURES.items()
        }
        for pipeline in PIPELINES
    }


def behind(found: Sequence[Answer]) -> list[str]:
    """Returns which of BM25 and hybrid are significantly better than the default, by either measure."""
    places = [each.place for each in found]
    measured = {pipeline: scores(places, [each.ranks[pipeline] for each in found]) for pipeline in PIPELINES}
    worse = []
    for other in PIPELINES[:-1]:
        for name, found_difference in compare(measured["full"], measured[other], DEFAULT_SEED).items():
            if found_difference.value < 0 and found_difference.p_randomisation < SIGNIFICANT:
                worse.append(f"{other} {name}")
    return worse


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Computes means over documents with intervals, and how many times those of the others the default's
    are."""
    told: dict[str, Any] = {}
    for name in MEASURES:
        table = {
            pipeline: np.array([row["measures"][pipeline][name] for row in rows]) for pipeline in PIPELINES
        }
        ones = np.ones(len(rows))
        drawn = {pipeline: resampled_means(table[pipeline], ones, DEFAULT_SEED) for pipeline in PIPELINES}
        told[name] = {
            pipeline: {"mean": float(table[pipeline].mean()), "interval": interval(drawn[pipeline])}
            for pipeline in PIPELINES
        }
        told[name]["times"] = {
            other: {
                "value": float(table["full"].mean() / table[other].mean()),
                "interval": interval(drawn["full"] / drawn[other]),
            }
            for other in PIPELINES[:-1]
        }
    return told


def grouped(pairs: Iterable[tuple[str, Sequence[Answer]]]) -> dict[str, Any]:
    """Measures over all answers of a group."""
    groups: dict[str, list[Answer]] = defaultdict(list)
    for name, found in pairs:
        groups[name] += found
    return {name: {"answers": len(found), **means(found)} for name, found in sorted(groups.items())}


def size_group(papers: int) -> str:
    return (
        "up to 150 papers"
        if papers <= 150
        else "151 to 400 papers"
        if papers <= 400
        else "more than 400 papers"
    )


def elsewhere_group(times: int) -> str:
    return (
        "cited nowhere else"
        if not times
        else "once"
        if times == 1
        else "2 to 4 times"
        if times < 5
        else "5 times or more"
    )


def main() -> None:
    parser = shared_parser(__doc__, "documents!", "manifest", "libraries", "out!")
    parser.add_argument("--places", type=int, default=40, help="places of a document")
    given = parser.parse_args()
    areas = {row["name"]: row["area"] for row in map(orjson.loads, given.manifest.read_bytes().splitlines())}
    drafts = [
        each for each in read_manifest(given.manifest, given.documents) if use_of(each.author) == "measuring"
    ]
    rows, found = [], []
    with tempfile.TemporaryDirectory() as folder:
        for draft in drafts:
            with open_library(draft, (given.libraries or Path(folder)) / draft.name) as library:
                of_draft = answers(library, draft, given.places)
                papers = library.counts()["papers"]
            row = {"area": areas[draft.name], "papers": papers, "answers": len(of_draft)}
            rows.append(row | {"measures": means(of_draft), "behind": behind(of_draft)})
            found.append(of_draft)
            print(
                f"{draft.name[:40]:40}",
                *(f"{m['R@10']:.3f}/{m['RR']:.3f}" for m in means(of_draft).values()),
                flush=True,
            )
    pooled = [(elsewhere_group(each.elsewhere), [each]) for of_draft in found for each in of_draft]
    document = {
        "documents": len(rows),
        "places": given.places,
        "summary": summary(rows),
        "behind": [row["area"] for row in rows if row["behind"]],
        "by_area": grouped((row["area"], each) for row, each in zip(rows, found, strict=True)),
        "by_papers": grouped(
            (size_group(row["papers"]), each) for row, each in zip(rows, found, strict=True)
        ),
        "by_elsewhere": grouped(pooled),
        "rows": rows,
    }
    given.out.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY))
    print(orjson.dumps(document["summary"], option=orjson.OPT_INDENT_2).decode())


if __name__ == "__main__":
    main()
