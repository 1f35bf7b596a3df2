"""Tests two findings of Nomoto (2018) on what the page of `citewhy experiment linkage` keeps: the binary
network above the triplet network, and shared words above embeddings. New runs of the experiment test both.

    python benchmarks/linkage_findings.py docs/linkage/result.json

The page's JSON has each cluster's mean over seeds, and the spread of the seeds. The interval of a difference
is that of a paired t-test over clusters, with the variance of the mean over seeds added as if the seeds of
both systems differed in opposite directions: its variance is never smaller than with clusters and seeds as
drawn at random (`citewhy_lab.experiments.significance.crossed`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

PAIRS = (
    ("CCS/binary, entropy", "CCS/binary, triplet"),
    ("CCS/binary, triplet", "CCS/embedding, triplet"),
    ("CCS/binary, triplet", "CCS/word2vec, triplet"),
    ("baseline/BDOT", "CCS/embedding, triplet"),
    ("baseline/BDOT", "CCS/word2vec, triplet"),
)


def difference(page: Mapping[str, Any], first: str, second: str) -> tuple[float, float]:
    """Returns first minus second in MRR, and half of the 95 % interval."""
    one, other = (page["systems"][name] for name in (first, second))
    gains = np.array([one["by_cluster"][name] - other["by_cluster"][name] for name in one["by_cluster"]])
    spreads = (_spread(page, first) + _spread(page, second)) ** 2 / max(one["seeds"], other["seeds"])
    error = (gains.var(ddof=1) / len(gains) + spreads) ** 0.5
    return float(gains.mean()), float(stats.t.ppf(0.975, len(gains) - 1) * error)


def _spread(page: Mapping[str, Any], system: str) -> float:
    """Returns the standard deviation of the MRR over seeds; 0 for what is not trained."""
    kind, _, name = system.partition("/")
    rows = next(
        table["rows"] for table in page["tables"] if f"({kind})" in table["title"] or kind == "baseline"
    )
    found = [row["± RR"] for row in rows if row.get("system") in (name, f"NN: {name}")]
    return float(found[0] or 0) if found else 0.0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("page", type=Path, help="result.json of the experiment")
    kept = json.loads(parser.parse_args().page.read_text(encoding="utf-8"))
    for pair in PAIRS:
        value, half = difference(kept, *pair)
        print(f"{pair[0]} − {pair[1]}: {value:+.3f} ({value - half:+.3f} to {value + half:+.3f})")
