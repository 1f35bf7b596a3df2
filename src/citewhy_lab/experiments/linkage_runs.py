"""The systems of the experiment `linkage`, measured: each cluster is judged by systems that were trained on
the other clusters of its data set."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from citewhy.base.progress import Progress
from citewhy.ranking.linkage.baselines import BASELINES, by_meaning
from citewhy.search.encode import Encoder
from citewhy_lab.evaluate.datasets.linkage import Cluster
from citewhy_lab.evaluate.linkage import Judged, Scorer, judge, judge_all, judge_ranking
from citewhy_lab.experiments.linkage_data import Group
from citewhy_lab.experiments.remembered import Arrays, digest, remembered

if TYPE_CHECKING:
    from citewhy_lab.train.systems.linkage_networks.data import LinkageData, Supervision
    from citewhy_lab.train.systems.linkage_networks.recipe import LinkageSettings, Network

__all__ = ["SUPERVISIONS", "Columns", "Runs", "System", "Work"]

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
            for place, cluster in enumerate(self.clusters):
                linker = train_svr(self.data, supervision, place)
                rankings[f"G1/{place}"] = judge(linker, cluster).ranking
                self._say(f"{supervision}, SVR", place)
            return rankings

        for supervision in SUPERVISIONS:
            arrays = self._remembered(("SVR", supervision), partial(make, supervision))
            self.found.learned[supervision]["SVR"] = [self._judged(arrays, "G1")]

    def network(self, name: str, network: Network, supervisions: Sequence[Supervision]) -> None:
        """Trained with each kind of supervision and each seed, and untrained."""
        for supervision in supervisions:
            self._network(name, network, supervision)

    def _network(self, name: str, network: Network, supervision: Supervision) -> None:
        what = f"{supervision}, {name}"
        choose = partial(self._chosen, what, network, supervision)
        epochs = self._remembered((network, supervision, "epochs"), choose)["epochs"].tolist()
        runs = []
        for seed in self.seeds:
            make = partial(self._trained, what, network, supervision, seed, epochs)
            runs.append(self._remembered((network, supervision, seed, epochs), make))
        self.found.epochs[supervision][name] = epochs
        self.found.learned[supervision][name] = [self._judged(run, "G1") for run in runs]
        if network.loss == "entropy":
            self.found.by_output[supervision][name] = [self._judged(run, "output") for run in runs]
        self.found.untrained[name] = [self._judged(run, "untrained") for run in runs]

    def _chosen(self, what: str, network: Network, supervision: Supervision) -> Arrays:
        """The number of epochs for each cluster, on inner folds with the first seed."""
        from citewhy_lab.train.systems.linkage_networks.recipe import choose_epochs

        settings, epochs = replace(self.settings, seed=self.seeds[0]), []
        for place in range(len(self.clusters)):
            epochs.append(choose_epochs(network, self.data, supervision, place, settings))
            self._say(f"{what}, epochs", place)
        return {"epochs": np.array(epochs)}

    def _trained(
        self, what: str, network: Network, supervision: Supervision, seed: int, epochs: Sequence[int]
    ) -> Arrays:
        from citewhy_lab.train.systems.linkage_networks.recipe import train

        rankings = {}
        for place, cluster in enumerate(self.clusters):
            for state, count in (("untrained", 0), ("G1", epochs[place])):
                settings = replace(self.settings, epochs=count, seed=seed)
                linker = train(network, self.data, supervision, place, settings)
                rankings[f"{state}/{place}"] = judge(linker, cluster).ranking
            if network.loss == "entropy":
                rankings[f"output/{place}"] = judge(replace(linker, by="output"), cluster).ranking
            self._say(f"{what}, seed {seed}", place)
        return rankings

    def _remembered(self, what: object, make: Callable[[], Arrays]) -> Arrays:
        return remembered(self.folder / f"{digest(self.facts, what)}.npz", make)

    def _judged(self, arrays: Arrays, state: str) -> System:
        return [
            judge_ranking(arrays[f"{state}/{place}"].astype(np.int64), cluster)
            for place, cluster in enumerate(self.clusters)
        ]

    def _say(self, what: str, place: int) -> None:
        done, of = place + 1, len(self.clusters)
        self.progress(f"{self.group.name}, {what}: {done} of {of} clusters", done / of)
