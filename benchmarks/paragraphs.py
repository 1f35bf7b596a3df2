"""Papers for whole paragraphs in other fields, with an author's own bibliography: BM25, hybrid, default.

    python benchmarks/paragraphs.py --documents DIR --out FILE.json [--manifest FILE] [--libraries DIR]
        [--paragraphs N] [--encoder DIR …]

The documents are those of `fields.py`: by held-out authors, each with a library of its own bibliography. A
question is a paragraph of which the first sentence is known (`citewhy_lab.evaluate.backtest.hiding`);
of long documents, N are drawn. Beside the rankings, the set that is proposed is measured: its F1, its size,
and by how many papers that is off, beside the first n of BM25 and of the default, with the n that does best
on all of these paragraphs. Measures are averaged over the paragraphs of a document, then over documents, with
intervals by bootstrap over documents. Each --encoder (such as those of `citewhy train qpcr`) adds a column:
all papers ordered by its vectors. FILE is written after each document, and an interrupted run with the same
options goes on.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from citewhy.base.config import DEFAULT_SEED
from citewhy.drafts import read
from citewhy.papers.library.store import Library
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import open_encoder
from citewhy_lab.evaluate.backtest.hiding import paragraph_topics
from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from citewhy_lab.evaluate.datasets.paragraphs import TASK
from citewhy_lab.evaluate.datasets.topics import Topic
from citewhy_lab.evaluate.measures import score
from citewhy_lab.evaluate.runs import Ranking
from citewhy_lab.evaluate.serving import ranked_and_proposed
from citewhy_lab.evaluate.sets import f1
from citewhy_lab.train.drafts import YEAR, Draft, open_library, read_manifest, use_of
from common import parser as shared_parser
from fields import PIPELINES

DEPTH = 1000
FIXED = range(1, 11)
"""Numbers of papers in a set of a fixed size."""


def measured(library: Library, draft: Draft, most: int, encoders: Sequence[Path]) -> dict[str, Any]:
    """Measures of one document by system; empty without questions."""
    topics = paragraph_topics(library, read(draft.root), YEAR)
    if not topics:
        return {}
    if len(topics) > most:
        topics = random.Random(draft.name).sample(topics, most)
    systems = {pipeline: Recommender(library, pipeline) for pipeline in PIPELINES}
    found = {str(name): means(system, topics) for name, system in systems.items()}
    for folder in encoders:
        found[folder.name] = means(
            Recommender(library, "dense", models=ModelSet(encoder=open_encoder(folder))), topics
        )
    return {
        "paragraphs": len(topics),
        "cited": sum(len(t.relevant) for t in topics),
        "measures": found,
        "sets": sets(systems["full"], systems["bm25"], topics),
    }


def sets(full: Recommender, plain: Recommender, topics: Sequence[Topic]) -> dict[str, float]:
    """Computes means over the paragraphs of a document."""
    found = []
    for topic in topics:
        ranked, proposed = ranked_and_proposed(full, topic.query, DEPTH)
        words = plain.rank(topic.query, DEPTH).ids
        error = float(abs(len(proposed) - len(topic.relevant)))
        told = {"F1": f1(proposed, topic.relevant), "size": float(len(proposed)), "size error": error}
        for n in FIXED:
            told[f"default, first {n}"] = f1(ranked[:n], topic.relevant)
            told[f"bm25, first {n}"] = f1(words[:n], topic.relevant)
        found.append(told)
    return {name: float(np.mean([each[name] for each in found])) for name in found[0]}


def set_summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Computes means over documents with intervals; of the fixed numbers of papers, the best for each
    system."""
    values = {name: np.array([row["sets"][name] for row in rows]) for name in rows[0]["sets"]}
    best = {
        max((f"{system}, first {n}" for n in FIXED), key=lambda name: values[name].mean())
        for system in ("default", "bm25")
    }
    told = {name: each for name, each in values.items() if name in {"F1", "size", "size error", *best}}
    told |= {f"F1 minus {name}": values["F1"] - values[name] for name in sorted(best)}
    ones = np.ones(len(rows))
    return {
        name: {
            "mean": float(each.mean()),
            "interval": interval(resampled_means(each, ones, DEFAULT_SEED)),
        }
        for name, each in told.items()
    }


def means(system: Recommender, topics: Sequence[Topic]) -> dict[str, float]:
    run = {topic.query.id: Ranking.of(system.rank(topic.query, DEPTH)) for topic in topics}
    relevant = {each.query.id: each.relevant for each in topics}
    return score(run, relevant, TASK.measures, "queries").means()


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Computes means over documents with intervals, and the default minus each of the others."""
    told: dict[str, Any] = {}
    ones = np.ones(len(rows))
    for measure in TASK.measures:
        table = {
            name: np.array([row["measures"][name][measure] for row in rows]) for name in rows[0]["measures"]
        }
        told[measure] = {
            name: {
                "mean": float(values.mean()),
                "interval": interval(resampled_means(values, ones, DEFAULT_SEED)),
            }
            for name, values in table.items()
        }
        told[measure]["default minus"] = {
            name: {
                "mean": float((table["full"] - values).mean()),
                "interval": interval(resampled_means(table["full"] - values, ones, DEFAULT_SEED)),
            }
            for name, values in table.items()
            if name != "full"
        }
    return told


def main() -> None:
    parser = shared_parser(__doc__, "documents!", "manifest", "libraries")
    parser.add_argument("--paragraphs", type=int, default=20, metavar="N", help="of a document")
    parser.add_argument("--encoder", type=Path, action="append", default=[], metavar="DIR")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    areas = {row["name"]: row["area"] for row in map(orjson.loads, given.manifest.read_bytes().splitlines())}
    drafts = [
        each for each in read_manifest(given.manifest, given.documents) if use_of(each.author) == "measuring"
    ]
    options = {"paragraphs": given.paragraphs, "encoders": [each.name for each in given.encoder]}
    rows = earlier(given.out, options)
    done = {row["name"] for row in rows}
    with tempfile.TemporaryDirectory() as folder:
        for draft in drafts:
            if draft.name in done:
                continue
            with open_library(draft, (given.libraries or Path(folder)) / draft.name) as library:
                row = measured(library, draft, given.paragraphs, given.encoder)
                papers = library.counts()["papers"]
            rows.append({"name": draft.name, "area": areas[draft.name], "papers": papers, **row})
            write(given.out, options, rows)
            shown = (f"{m['Rprec']:.3f}/{m['RR']:.3f}" for m in row.get("measures", {}).values())
            print(f"{draft.name[:40]:40} {row.get('paragraphs', 0):3}", *shown, flush=True)
    print(given.out.read_text(encoding="utf-8").partition('"rows"')[0])


def earlier(out: Path, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns the documents of an interrupted run with the same options."""
    found = orjson.loads(out.read_bytes()) if out.exists() else {}
    rows: list[dict[str, Any]] = found["rows"] if found.get("options") == options else []
    return rows


def write(out: Path, options: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> None:
    asked = [row for row in rows if "measures" in row]
    document = {
        "options": options,
        "documents": len(asked),
        "paragraphs": sum(row["paragraphs"] for row in asked),
        "cited": sum(row["cited"] for row in asked),
        "summary": summary(asked) if asked else {},
        "sets": set_summary(asked) if asked else {},
        "rows": rows,
    }
    out.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY))


if __name__ == "__main__":
    main()
