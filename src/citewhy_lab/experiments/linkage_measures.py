"""Means, spreads and differences of the systems of the experiment `linkage`."""

from __future__ import annotations

from statistics import stdev

import numpy as np
from numpy.typing import NDArray

from citewhy_lab.evaluate.linkage import average, measure_name
from citewhy_lab.evaluate.significance import Difference, crossed
from citewhy_lab.experiments.linkage_runs import Runs

__all__ = ["by_cluster", "difference", "mean", "spread"]

Doubles = NDArray[np.float64]


def by_cluster(runs: Runs, radius: int = 0) -> Doubles:
    """[clusters, seeds] mean reciprocal ranks."""
    name = measure_name(radius)
    return np.stack([average(system, "clusters").sums[name] for system in runs], axis=1)


def mean(runs: Runs, radius: int = 0) -> float:
    """MRR over clusters, as in the source, and over seeds."""
    return float(by_cluster(runs, radius).mean())


def spread(runs: Runs) -> float | None:
    """Standard deviation of the MRR over seeds; None for one run."""
    return stdev(by_cluster(runs).mean(axis=0).tolist()) if len(runs) > 1 else None


def difference(first: Runs, second: Runs, radius: int = 0) -> Difference:
    """First minus second, with the same clusters and seeds; what has one run has the same for all seeds."""
    return crossed(by_cluster(first, radius) - by_cluster(second, radius))
