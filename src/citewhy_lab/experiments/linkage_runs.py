"""The data sets and the systems of the experiment `linkage`: each cluster is judged by systems that were
trained on the other clusters of its data set.

Nomoto (2018, section 4) has three data sets of ten clusters. The releases of CL-SciSumm have them under other
names: the pilot corpus of TAC 2014 became the training set of 2016 (it has the cluster C90-2039 of the
source's figure 4), Development-Set-Apr8 kept its name, and the data of the shared task at BIRNDL 2016 is the
test set of that year.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from citewhy.base.progress import Progress
from citewhy.base.records import Citance
from citewhy.ranking.linkage.baselines import BASELINES, by_meaning
from citewhy.search.encode import Encoder
from citewhy.text.sentences import split
from citewhy_lab.evaluate.datasets.linkage import Cluster
from citewhy_lab.evaluate.linkage import Judged, Scorer, judge, judge_all, judge_ranking
from citewhy_lab.experiments.engine import Arrays, digest, kept

if TYPE_CHECKING:
    from citewhy_lab.train.systems.linkage_networks.data import LinkageData, Supervision
    from citewhy_lab.train.systems.linkage_networks.recipe import LinkageSettings, Network

# Data -----------------------------------------------------------------------------------------------------

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
    """Returns the data sets in the order of the source, others after them; a single one of all clusters if a
    release has fewer than `FEWEST`."""
    names = list(SOURCE_NAMES)
    releases = sorted(
        {cluster.release for cluster in clusters},
        key=lambda name: (names.index(name) if name in names else len(names), name),
    )
    sets = [
        Group(SOURCE_NAMES.get(name, name), [cluster for cluster in clusters if cluster.release == name])
        for name in releases
    ]
    if min(len(group.clusters) for group in sets) < FEWEST:
        return [Group("all clusters", list(clusters))]
    return sets


def split_citances(cluster: Cluster) -> Cluster:
    """Makes each sentence of a citing passage a citing sentence with the targets of the whole, as the
    source pairs sentences (section 5)."""
    parts: list[Citance] = []
    for citance in cluster.citances:
        sentences = split(citance.text) or [citance.text]
        parts += [
            replace(citance, id=f"{citance.id}.{number}", text=text)
            for number, text in enumerate(sentences, 1)
        ]
    return replace(cluster, citances=tuple(parts))


# Systems --------------------------------------------------------------------------------------------------

System = Sequence[Judged]
"""Rankings of one system, one for each cluster."""

Runs = Sequence[System]
"""The same system, trained with several seeds; what has no seed has one."""

MANY_TIES = ("BDOT", "Jaccard", "TFIDF")
"""Baselines that are measured with ties in both orders."""

SUPERVISIONS: tuple[Supervision, ...] = ("CCS", "TCS")


@dataclass
class Columns:
    """Name of a system → its rankings, in the same order of clusters."""

    baselines: dict[str, System] = field(default_factory=dict)
    ties_last: dict[str, System] = field(default_factory=dict)
    """Baselines that count words, with ties in the opposite order."""
    learned: defaultdict[str, dict[str, Runs]] = field(default_factory=lambda: defaultdict(dict))
    """By supervision."""
    by_output: defaultdict[str, dict[str, Runs]] = field(default_factory=lambda: defaultdict(dict))
    """By supervision: binary networks, ranked by their own output instead of G1."""
    untrained: dict[str, Runs] = field(default_factory=dict)
    """Networks with their first weights, ranked by G1."""
    epochs: defaultdict[str, dict[str, list[int]]] = field(default_factory=lambda: defaultdict(dict))
    """By supervision: what was chosen for each cluster."""

    def join(self, other: Columns) -> None:
        """Adds the clusters of another data set."""
        for mine, its in ((self.baselines, other.baselines), (self.ties_last, other.ties_last)):
            for name, system in its.items():
                mine[name] = [*mine.get(name, []), *system]
        for own, added in (
            (self.untrained, other.untrained),
            *((self.learned[each], other.learned[each]) for each in SUPERVISIONS),
            *((self.by_output[each], other.by_output[each]) for each in SUPERVISIONS),
        ):
            for name, runs in added.items():
                before = own.get(name, [[] for _ in runs])
                own[name] = [[*one, *more] for one, more in zip(before, runs, strict=True)]
        for supervision in SUPERVISIONS:
            for name, chosen in other.epochs[supervision].items():
                self.epochs[supervision][name] = [*self.epochs[supervision].get(name, []), *chosen]


@dataclass
class Work:
    """The measurements on one data set."""

    group: Group
    data: LinkageData
    settings: LinkageSettings
    seeds: Sequence[int]
    folder: Path
    """Where rankings are kept."""
    facts: str
    """Digest of what they depend on beside the network and the seed."""
    encoder: Encoder
    """Of the baseline by meaning."""
    progress: Progress
    found: Columns = field(default_factory=Columns)

    @property
    def clusters(self) -> Sequence[Cluster]:
        return self.group.clusters

    def baselines(self) -> None:
        linkers: dict[str, Scorer] = {"TFIDF": self.data.tf_idf, "BDOT": BASELINES["bdot"]}
        linkers |= {"Jaccard": BASELINES["jaccard"], "BM25": BASELINES["bm25"]}
        linkers["TFIDF, cosine"] = partial(self.data.tf_idf, unit=True)
        linkers["TFIDF of the paper"] = BASELINES["tfidf"]
        linkers["sentence encoder"] = by_meaning(self.encoder)
        for name, linker in linkers.items():
            self.progress(f"{self.group.name}: {name}", None)
            self.found.baselines[name] = judge_all(linker, self.clusters)
            if name in MANY_TIES:
                self.found.ties_last[name] = judge_all(linker, self.clusters, "last")

    def svr(self) -> None:
        from citewhy_lab.train.systems.linkage_networks.recipe import train_svr

        def make(supervision: Supervision) -> Arrays:
            rankings = {}
            for held, cluster in enumerate(self.clusters):
                linker = train_svr(self.data, supervision, held)
                rankings[f"G1/{held}"] = judge(linker, cluster).ranking
                self._say(f"{supervision}, SVR", held)
            return rankings

        for supervision in SUPERVISIONS:
            arrays = self._kept(("SVR", supervision), partial(make, supervision))
            self.found.learned[supervision]["SVR"] = [self._judged(arrays, "G1")]

    def network(self, name: str, network: Network, supervisions: Sequence[Supervision]) -> None:
        """Measures a network, trained with each kind of supervision and each seed, and untrained."""
        for supervision in supervisions:
            self._network(name, network, supervision)

    def _network(self, name: str, network: Network, supervision: Supervision) -> None:
        what = f"{supervision}, {name}"
        choose = partial(self._chosen, what, network, supervision)
        epochs = self._kept((network, supervision, "epochs"), choose)["epochs"].tolist()
        runs = []
        for seed in self.seeds:
            make = partial(self._trained, what, network, supervision, seed, epochs)
            runs.append(self._kept((network, supervision, seed, epochs), make))
        self.found.epochs[supervision][name] = epochs
        self.found.learned[supervision][name] = [self._judged(run, "G1") for run in runs]
        if network.loss == "entropy":
            self.found.by_output[supervision][name] = [self._judged(run, "output") for run in runs]
        self.found.untrained[name] = [self._judged(run, "untrained") for run in runs]

    def _chosen(self, what: str, network: Network, supervision: Supervision) -> Arrays:
        """Returns the number of epochs for each cluster, on inner folds with the first seed."""
        from citewhy_lab.train.systems.linkage_networks.recipe import choose_epochs

        settings, epochs = replace(self.settings, seed=self.seeds[0]), []
        for held in range(len(self.clusters)):
            epochs.append(choose_epochs(network, self.data, supervision, held, settings))
            self._say(f"{what}, epochs", held)
        return {"epochs": np.array(epochs)}

    def _trained(
        self, what: str, network: Network, supervision: Supervision, seed: int, epochs: Sequence[int]
    ) -> Arrays:
        from citewhy_lab.train.systems.linkage_networks.recipe import train

        rankings = {}
        for held, cluster in enumerate(self.clusters):
            for state, count in (("untrained", 0), ("G1", epochs[held])):
                settings = replace(self.settings, epochs=count, seed=seed)
                linker = train(network, self.data, supervision, held, settings)
                rankings[f"{state}/{held}"] = judge(linker, cluster).ranking
            if network.loss == "entropy":
                rankings[f"output/{held}"] = judge(replace(linker, by="output"), cluster).ranking
            self._say(f"{what}, seed {seed}", held)
        return rankings

    def _kept(self, what: object, make: Callable[[], Arrays]) -> Arrays:
        return kept(self.folder / f"{digest(self.facts, what)}.npz", make)

    def _judged(self, arrays: Arrays, state: str) -> System:
        return [
            judge_ranking(arrays[f"{state}/{held}"].astype(np.int64), cluster)
            for held, cluster in enumerate(self.clusters)
        ]

    def _say(self, what: str, held: int) -> None:
        done, count = held + 1, len(self.clusters)
        self.progress(f"{self.group.name}, {what}: {done} of {count} clusters", done / count)
