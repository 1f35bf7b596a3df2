"""How the default ranking does in other fields, with an author's own bibliography: BM25, hybrid, default.

    python benchmarks/fields.py --documents DIR [--manifest FILE] [--libraries DIR] [--places N] [--out
    FILE.json]

The documents are those of held-out authors (`systems.ranker.drafts.held_out_author`): no model has learned
from them. Each gets a library of its own bibliography, and its citations are hidden in turn, as `citewhy
backtest` does it; of long documents, N places are drawn. R@10 and the reciprocal rank are means over
documents, intervals by bootstrap over them.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
from pathlib import Path

import numpy as np
import orjson

from citewhy.config import DEFAULT_SEED
from citewhy.evaluate.backtest.hiding import hide_citations
from citewhy.evaluate.datasets.topics import Topic
from citewhy.formats import read as read_records
from citewhy.formats.report import ImportReport
from citewhy.library.store import Library
from citewhy.manuscript import read
from citewhy.pipeline import Recommender
from citewhy.rank.ranker import Pipeline
from citewhy.systems.ranker.drafts import YEAR, Draft, held_out_author, read_manifest

ROOT = Path(__file__).parents[1]
PIPELINES: tuple[Pipeline, ...] = ("bm25", "hybrid", "full")
DEPTH = 1000
DRAWN = 1000


def open_own(draft: Draft, folder: Path) -> Library:
    """The library of a draft's bibliography, made in `folder` unless it is there."""
    library = Library.open(folder, create=True)
    if not library.generation:
        report = ImportReport()
        library.add_all([(str(each), read_records(each, report)) for each in draft.bibliographies], report)
    return library


def measures(recommender: Recommender, topics: list[Topic]) -> tuple[float, float]:
    """R@10 and reciprocal rank, averaged over judgements; what is not found counts as missed."""
    ranks = []
    for topic in topics:
        ids = recommender.rank(topic.query, DEPTH).ids
        ranks += [ids.index(each) + 1 if each in ids else np.inf for each in topic.relevant]
    found = np.array(ranks)
    return float(np.mean(found <= 10)), float(np.mean(1 / found))


def interval(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[float, float]:
    """95 % of the means of documents that are drawn again."""
    rng = np.random.default_rng(DEFAULT_SEED)
    means = rng.choice(values, (DRAWN, len(values))).mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    shared = Path(os.environ.get("CITEWHY_DATA", ROOT.parent / "shared" / "data"))
    parser.add_argument("--documents", type=Path, required=True, help="folder of the unpacked documents")
    parser.add_argument("--manifest", type=Path, default=shared / "external" / "documents.manifest.jsonl")
    parser.add_argument("--libraries", type=Path, help="folder in which libraries are kept")
    parser.add_argument("--places", type=int, default=40, help="places of a document")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    drafts = [each for each in read_manifest(given.manifest, given.documents) if held_out_author(each.author)]
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for draft in drafts:
            with open_own(draft, (given.libraries or Path(folder)) / draft.name) as library:
                topics = list(hide_citations(library, [read(draft.root)], YEAR)[0].topics)
                if len(topics) > given.places:
                    topics = random.Random(draft.name).sample(topics, given.places)
                rows[draft.name] = {
                    pipeline: measures(Recommender(library, pipeline), topics) for pipeline in PIPELINES
                }
            print(draft.name, *(f"{r:.3f}/{rr:.3f}" for r, rr in rows[draft.name].values()), flush=True)
    summary = {}
    for pipeline in PIPELINES:
        table = np.array([row[pipeline] for row in rows.values()])
        summary[pipeline] = {
            name: {"mean": float(table[:, at].mean()), "interval": interval(table[:, at])}
            for at, name in enumerate(("R@10", "RR"))
        }
        print(f"{pipeline:8}", orjson.dumps(summary[pipeline]).decode())
    if given.out:
        document = {"documents": len(rows), "places": given.places, "summary": summary, "by_document": rows}
        given.out.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2))


if __name__ == "__main__":
    main()
