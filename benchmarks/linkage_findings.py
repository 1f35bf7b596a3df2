"""Tests findings of Nomoto (2018) with exact targets, on what the page of `citewhy experiment linkage` keeps:
those that its list did not have yet when the page was made. New runs of the experiment test all of them, with
wider targets, too.

    python benchmarks/linkage_findings.py docs/linkage/result.json --citances linkage.dev.citances.jsonl.gz

With the citances, also what each data set loses with TCS, and the regression of table 6 with a sentence
counted as a target once, and as often as it is meant.

The page's JSON has each cluster's mean over seeds, and the spread of the seeds. The interval of a difference
is that of a paired t-test over clusters, with the variance of the mean over seeds added as if the seeds of
both systems differed in opposite directions: its variance is never smaller than with clusters and seeds as
drawn at random (`citewhy_lab.experiments.significance.crossed`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from citewhy.base.import_report import ImportReport
from citewhy_lab.evaluate.datasets.linkage import Cluster, read_clusters
from citewhy_lab.experiments.linkage_runs import Group, groups
from citewhy_lab.experiments.significance import crossed, regression

PAIRS = (
    ("CCS/binary, entropy", "CCS/binary, triplet"),
    ("CCS/binary, triplet", "CCS/embedding, triplet"),
    ("CCS/binary, triplet", "CCS/word2vec, triplet"),
    *((f"CCS/binary, {loss}", "CCS/SVR") for loss in ("entropy", "triplet")),
    ("CCS/binary, triplet", "baseline/TFIDF"),
    ("baseline/BDOT", "baseline/TFIDF"),
    ("TCS/binary, triplet", "TCS/tfidf, triplet"),
    *((f"TCS/binary, {loss}", "baseline/BDOT") for loss in ("entropy", "triplet")),
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


def of_the_sets(page: Mapping[str, Any], sets: Sequence[Group]) -> Iterator[str]:
    """Yields TCS minus CCS for each data set, with an interval over its clusters alone."""
    for name in ("binary, entropy", "binary, triplet"):
        tcs, ccs = (page["systems"][f"{supervision}/{name}"]["by_cluster"] for supervision in ("TCS", "CCS"))
        for group in sets:
            gain = crossed(np.array([[tcs[cluster.id] - ccs[cluster.id]] for cluster in group.clusters]))
            yield f"{name}, {group.name}, TCS − CCS: {gain.value:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})"


def regressed(page: Mapping[str, Any], clusters: Sequence[Cluster]) -> Iterator[str]:
    """Yields the p of each feature of a cluster, for both ways to count targets."""
    kept = page["systems"]["CCS/binary, entropy"]["by_cluster"]
    outcome = np.array([kept[cluster.id] for cluster in clusters])
    for what, counted in (("once", set[int]), ("as often as it is meant", list[int])):
        features = {
            "|RP|": [len(cluster.text.sentences) for cluster in clusters],
            "#CPs": [len({citance.citing_id for citance in cluster.citances}) for cluster in clusters],
            "|T|": [
                len(counted(sid for citance in cluster.citances for sid in citance.target_sids))
                for cluster in clusters
            ],
            "|C|": [len(cluster.citances) for cluster in clusters],
        }
        found = regression(outcome, {name: np.array(values, float) for name, values in features.items()})
        told = ", ".join(f"{each.name} {each.p:.3f}" for each in found.coefficients)
        yield f"table 6, n = ±0, a target counted {what}: p of {told}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("page", type=Path, help="result.json of the experiment")
    parser.add_argument("--citances", type=Path, help="the citances of the page")
    options = parser.parse_args()
    page = json.loads(options.page.read_text(encoding="utf-8"))
    for pair in PAIRS:
        value, half = difference(page, *pair)
        print(f"{pair[0]} − {pair[1]}: {value:+.3f} ({value - half:+.3f} to {value + half:+.3f})")
    if options.citances is not None:
        clusters = read_clusters(options.citances, ImportReport())
        for line in (*of_the_sets(page, groups(clusters)), *regressed(page, clusters)):
            print(line)


if __name__ == "__main__":
    main()
