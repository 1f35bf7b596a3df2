"""Features of the clusters of the experiment `linkage`, and what they say of a network: tables 1 and 6 of the
source."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import QueryError
from citewhy_lab.evaluate.datasets.linkage import Cluster
from citewhy_lab.evaluate.linkage import RADII
from citewhy_lab.evaluate.significance import regression
from citewhy_lab.experiments.linkage_data import SOURCE_NAMES, Group
from citewhy_lab.experiments.linkage_measures import by_cluster
from citewhy_lab.experiments.linkage_runs import Runs
from citewhy_lab.experiments.result import Cell, Table

__all__ = ["profiles", "regressions"]

Doubles = NDArray[np.float64]

_UNITS = {"|RP|": 100.0, "#CPs": 10.0, "|T|": 10.0, "|C|": 10.0}
FEATURES = tuple(_UNITS)


def profiles(sets: Sequence[Group]) -> Table:
    rows: list[Sequence[Cell]] = []
    for group in sets:
        features = _features(group.clusters)
        rows.append(
            (_named(group), len(group.clusters), *(f"{each.mean():.1f}" for each in features.values()))
        )
    heads = ("data set", "clusters", *(f"{name}, mean" for name in FEATURES))
    return Table("Table 1: the clusters", heads, rows)


def _named(group: Group) -> str:
    """By the source's name, and that of the release."""
    releases = [release for release, name in SOURCE_NAMES.items() if name == group.name]
    return f"{group.name} ({releases[0]})" if releases else group.name


def _features(clusters: Sequence[Cluster]) -> dict[str, Doubles]:
    """The explanatory features of table 6: numbers of sentences of the cited paper, of citing papers, of
    target sentences, of citances."""
    counts = {
        "|RP|": [len(each.text.sentences) for each in clusters],
        "#CPs": [len({citance.citing_id for citance in each.citances}) for each in clusters],
        "|T|": [len({sid for citance in each.citances for sid in citance.target_sids}) for each in clusters],
        "|C|": [len(each.citances) for each in clusters],
    }
    return {name: np.array(counts[name], dtype=np.float64) for name in FEATURES}


def regressions(clusters: Sequence[Cluster], runs: Runs, network: str) -> Table:
    features = {name: values / _UNITS[name] for name, values in _features(clusters).items()}
    rows: list[Sequence[Cell]] = []
    notes = [
        f"NN: {network}, CCS; a coefficient is the change of a cluster's MRR with one unit of the feature."
    ]
    for radius in RADII:
        try:
            found = regression(by_cluster(runs, radius).mean(axis=1), features)
        except QueryError as error:  # with few or similar clusters only this row is missing
            rows.append((f"n = ±{radius}", *[None] * (2 * len(features) + 1)))
            notes.append(f"n = ±{radius}: {error}.")
            continue
        cells = [cell for each in found.coefficients for cell in (each.value, each.p)]
        rows.append((f"n = ±{radius}", *cells, found.r_squared))
    heads = [head for name, unit in _UNITS.items() for head in (f"{name} / {unit:g}", "p")]
    # Each column needs a name of its own.
    heads = [f"p of {heads[at - 1].split(' ')[0]}" if head == "p" else head for at, head in enumerate(heads)]
    return Table("Table 6: MRR regressed on features of the cluster", ("radius", *heads, "R²"), rows, notes)
