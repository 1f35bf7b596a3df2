"""The data sets of the experiment `linkage`, and their clusters.

Nomoto (2018, section 4) has three data sets of ten clusters. The releases of CL-SciSumm have them under other
names: the pilot corpus of TAC 2014 became the training set of 2016 (it has the cluster C90-2039 of the
source's figure 4), Development-Set-Apr8 kept its name, and the data of the shared task at BIRNDL 2016 is the
test set of that year.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citewhy.base.records import Citance
from citewhy.text.sentences import split
from citewhy_lab.evaluate.datasets.linkage import Cluster

__all__ = ["FEWEST", "SOURCE_NAMES", "Group", "groups", "split_citances"]

SOURCE_NAMES = {
    "Training-Set-2016": "TAC2014",
    "Development-Set-Apr8": "DSA2016",
    "Test-Set-2016": "SRD2016",
}
"""Name of a release → what the source calls it."""

FEWEST = 3
"""Clusters of a data set: one is held out, and of the others one judges and one trains."""


@dataclass(frozen=True, slots=True)
class Group:
    """A data set: systems are trained on its other clusters."""

    name: str
    clusters: Sequence[Cluster]


def groups(clusters: Sequence[Cluster]) -> list[Group]:
    """The data sets in the order of the source, others after them; a single one of all clusters if a release
    has fewer than `FEWEST`."""
    releases = sorted({each.release for each in clusters}, key=lambda name: _place(name))
    found = [
        Group(SOURCE_NAMES.get(name, name), [each for each in clusters if each.release == name])
        for name in releases
    ]
    if min(len(each.clusters) for each in found) < FEWEST:
        return [Group("all clusters", list(clusters))]
    return found


def _place(release: str) -> tuple[int, str]:
    names = list(SOURCE_NAMES)
    return (names.index(release) if release in names else len(names), release)


def split_citances(cluster: Cluster) -> Cluster:
    """Each sentence of a citing passage becomes a citing sentence with the targets of the whole, as the
    source pairs sentences (section 5)."""
    parts: list[Citance] = []
    for each in cluster.citances:
        sentences = split(each.text) or [each.text]
        parts += [replace(each, id=f"{each.id}.{n}", text=text) for n, text in enumerate(sentences, 1)]
    return replace(cluster, citances=tuple(parts))
