"""How the default ranking does in drafts that have only begun, beside its parts: BM25, dense, hybrid.

    python benchmarks/begun.py --documents DIR [--manifest FILE] [--libraries DIR] [--places N] [--number N]
        [--out FILE.json]

The documents are those of held-out authors (`train.drafts.use_of`), each with a library of its own
bibliography, as in `fields.py`. The same N places of each are asked three times: in the finished draft; with
all that is written behind the place hidden; and with the entries hidden, too, that nothing before it cites
(`evaluate.backtest.hiding.SoFar`). R@10 and the reciprocal rank are averaged over the judgements of a
document, then over documents, with 95 % intervals by bootstrap over documents; so are the differences to each
part.
"""

from __future__ import annotations

import random
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

import numpy as np
import orjson

from citewhy.base.config import DEFAULT_SEED
from citewhy.papers.library.store import Library
from citewhy.ranking.rank.ranker import Pipeline
from citewhy.ranking.recommender import Recommender
from citewhy_lab.evaluate.backtest.hiding import SoFar
from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from citewhy_lab.train.drafts import Draft, open_library, read_manifest, topics_of, use_of
from common import parser as shared_parser
from fields import DEPTH, MEASURES, rank_in

PARTS: tuple[Pipeline, ...] = ("bm25", "dense", "hybrid")
STATES: tuple[SoFar, ...] = get_args(SoFar)

Ranks = Mapping[SoFar, Mapping[Pipeline, Sequence[float]]]


def ranks(library: Library, draft: Draft, most: int) -> Ranks:
    """Asks every pipeline for the same places, in every state of the draft."""
    topics = {state: topics_of(draft, library, state) for state in STATES}
    places = sorted({topic.query.id for topic in topics["finished"]})
    chosen = set(random.Random(draft.name).sample(places, min(most, len(places))))
    recommenders = {pipeline: Recommender(library, pipeline) for pipeline in (*PARTS, "full")}
    found: dict[SoFar, dict[Pipeline, list[float]]] = {state: defaultdict(list) for state in STATES}
    for state in STATES:
        for topic in topics[state]:
            if topic.query.id in chosen:
                for pipeline, recommender in recommenders.items():
                    ids = recommender.rank(topic.query, DEPTH).ids
                    found[state][pipeline] += [rank_in(ids, paper_id) for paper_id in topic.relevant]
    return found


def measured(found: Ranks) -> dict[str, dict[str, dict[str, float]]]:
    """Measures by state and pipeline."""
    return {
        state: {
            pipeline: {name: float(np.mean(list(map(of, values)))) for name, of in MEASURES.items()}
            for pipeline, values in by_pipeline.items()
        }
        for state, by_pipeline in found.items()
    }


def told(values: Sequence[float]) -> str:
    """A mean over documents with its interval."""
    low, high = interval(resampled_means(np.array(values), np.ones(len(values)), DEFAULT_SEED))
    return f"{np.mean(values):+.3f} ({low:+.3f} to {high:+.3f})"


def report(rows: Sequence[Mapping[str, Mapping[str, Mapping[str, float]]]]) -> None:
    """Prints what was found by state, and the differences to the parts."""
    for state in STATES:
        for name in MEASURES:
            own = [row[state]["full"][name] for row in rows]
            print(f"{state:9} {name:5} default {told(own)}")
            for part in PARTS:
                others = [row[state][part][name] for row in rows]
                gains = [mine - its for mine, its in zip(own, others, strict=True)]
                below = sum(gain < 0 for gain in gains)
                print(f"    {part:7} {np.mean(others):.3f}; default {told(gains)}; below in {below}")


def main() -> None:
    parser = shared_parser(__doc__, "documents!", "manifest", "libraries", "out")
    parser.add_argument("--places", type=int, default=20, help="places of a document")
    parser.add_argument("--number", type=int, default=1000, help="documents")
    given = parser.parse_args()
    drafts = [
        each for each in read_manifest(given.manifest, given.documents) if use_of(each.author) == "measuring"
    ][: given.number]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for draft in drafts:
            with open_library(draft, (given.libraries or Path(folder)) / draft.name) as library:
                rows.append(measured(ranks(library, draft, given.places)))
            values = (f"{rows[-1][state][one]['R@10']:.3f}" for state in STATES for one in rows[-1][state])
            print(f"{draft.name[:32]:32}", *values, flush=True)
    report(rows)
    if given.out:
        given.out.write_bytes(orjson.dumps(rows, option=orjson.OPT_INDENT_2))


if __name__ == "__main__":
    main()
