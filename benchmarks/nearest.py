"""Vectors by codes, beside exact search: time, and the share of the nearest that is found.

    python benchmarks/nearest.py STAND_IN LIBRARY [--data DIR] [--count 100] [--json]

LIBRARY has the vectors of the encoder in STAND_IN (`benchmarks/scaling.py`). Its papers are put into an exact
store and into one with codes, and are asked for by citing sentences: among all papers, and among those of two
earlier years and before. Times are of one processor.
"""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from citewhy.papers.library.store import Library
from citewhy.search.index import open_index
from citewhy.search.index.local.faiss_store import FaissStore
from common import parser
from stand_in import StandIn

YEARS = (None, 2012, 2005, 1990)
DEPTHS = (100, 500)
_COPIED = 65_536


def measured(library: Path, encoder: StandIn, texts: list[str]) -> list[dict[str, Any]]:
    """Asks both stores for each of the `texts`, within each filter."""
    with Library.open(library) as opened:
        index = open_index(opened, encoder)
        vectors, tables = index.paper_vectors, index.tables
        assert vectors is not None
        halved = np.zeros((vectors.rows, encoder.dimensions), dtype=np.float16)
        for start in range(0, len(halved), _COPIED):
            some = np.arange(start, min(start + _COPIED, len(halved)))
            halved[some] = vectors.vectors(some)
    exact = FaissStore.build(halved, most_exact=len(halved))
    begun = time.process_time()
    coded = FaissStore.build(halved, most_exact=0)
    built = time.process_time() - begun
    queries = encoder.encode(texts, "query")
    rows = []
    for year in YEARS:
        allowed = tables.alive if year is None else tables.alive & (tables.years <= year)
        row: dict[str, Any] = {
            "papers": len(halved),
            "until": year or "all",
            "allowed": float(allowed.mean()),
        }
        found: dict[str, list[np.ndarray[Any, Any]]] = {}
        for name, store in (("exact", exact), ("codes", coded)):
            begun = time.process_time()
            found[name] = [store.search(query, max(DEPTHS), allowed)[0] for query in queries]
            row[f"{name}, ms"] = 1e3 * (time.process_time() - begun) / len(queries)
        for depth in DEPTHS:
            pairs = zip(found["codes"], found["exact"], strict=True)
            shared = [len(np.intersect1d(one[:depth], own[:depth])) / depth for one, own in pairs]
            row[f"recall@{depth}"] = float(np.mean(shared))
        rows.append(row | {"build s": built})
    return rows


def main() -> None:
    arguments = parser(__doc__, "data", "json")
    arguments.add_argument("stand_in", type=Path)
    arguments.add_argument("library", type=Path)
    arguments.add_argument("--count", type=int, default=100)
    chosen = arguments.parse_args()
    with gzip.open(chosen.data / "contexts.val.jsonl.gz") as lines:
        texts = [json.loads(line)["text"] for _, line in zip(range(chosen.count), lines, strict=False)]
    rows = measured(chosen.library, StandIn(chosen.stand_in), texts)
    if chosen.json:
        print(json.dumps(rows))
        return
    print("| " + " | ".join(rows[0]) + " |\n|" + " ---: |" * len(rows[0]))
    for row in rows:
        cells = (f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row.values())
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
