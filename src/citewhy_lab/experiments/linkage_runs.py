"""The data sets and the systems of the experiment `linkage`: each cluster is judged by systems that were
trained on the other clusters of its data set.

Nomoto (2018, section 4) has three data sets of ten clusters. The releases of CL-SciSumm have them under other
names: the pilot corpus of TAC 2014 became the training set of 2016 (it has the cluster C90-2039 of the
source's figure 4), Development-Set-Apr8 kept its name, and the data of the shared task at BIRNDL 2016 is the
test set of that year.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from citewhy.base.progress import Progress
from citewhy.base.records import Citance
from citewhy.ranking.linkage.baselines import BASELINES, by_meaning
from citewhy.search.encode import Encoder
from citewhy.text.sentences import split
from citewhy_lab.evaluate.datasets.linkage import Cluster
from citewhy_lab.evaluate.linkage import Judged, Scorer, judge, judge_all, judge_ranking
from citewhy_lab.experiments.engine import Arrays, Lab, digest, kept
from citewhy_lab.train.systems.linkage_networks.data import LinkageData
from citewhy_lab.train.systems.linkage_networks.recipe import (
    LinkageSettings,
    Network,
    choose_epochs,
    train,
    train_svr,
)
from citewhy_lab.train.systems.linkage_networks.settings import Supervision

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
    """They stand under their supervision."""
    by_output: defaultdict[str, dict[str, Runs]] = field(default_factory=lambda: defaultdict(dict))
    """Holds by supervision: binary networks, ranked by their own output instead of G1."""
    untrained: dict[str, Runs] = field(default_factory=dict)
    """Networks with their first weights, ranked by G1."""
    epochs: defaultdict[str, dict[str, list[int]]] = field(default_factory=lambda: defaultdict(dict))
    """Tells by supervision what was chosen for each cluster."""

    def join(self, other: Columns) -> None:
        """Adds the clusters of another data set."""
        for mine, its in ((self.baselines, other.baselines), (self.ties_last, other.ties_last)):
            for name, system in its.items():
                mine[name] = [*mine.get(name, []), *system]
        for own, added in (
            (self.untrained, other.untrained),
            *((self.learned[supervision], other.learned[supervision]) for supervision in SUPERVISIONS),
            *((self.by_output[supervision], other.by_output[supervision]) for supervision in SUPERVISIONS),
        ):
            for name, runs in added.items():
                before = own.get(name, [[] for _ in runs])
                own[name] = [[*one, *more] for one, more in zip(before, runs, strict=True)]
        for supervision in SUPERVISIONS:
            for name, chosen in other.epochs[supervision].items():
                self.epochs[supervision][name] = [*self.epochs[supervision].get(name, []), *chosen]


@dataclass(frozen=True, slots=True)
class LinkageTrial:
    """A network and its supervision; None: the support vector regression."""

    network: Network | None
    supervision: Supervision


class LinkageLab(Lab[LinkageTrial, Arrays]):
    """Measures systems on one data set, each cluster by systems that were trained on the others."""

    def __init__(
        self,
        group: Group,
        data: LinkageData,
        settings: LinkageSettings,
        seeds: Sequence[int],
        folder: Path,
        facts: str,
        encoder: Encoder,
        progress: Progress,
    ) -> None:
        """`facts` hash what rankings depend on beside trial and seed; `encoder` is for the baseline by
        meaning."""
        super().__init__(seeds, folder, progress)
        self.group, self.clusters = group, group.clusters
        self._data, self._settings, self._facts, self._encoder = data, settings, facts, encoder
        self.found = Columns()

    def baselines(self) -> None:
        """Measures the linkers that learn nothing."""
        linkers: dict[str, Scorer] = {"TFIDF": self._data.tf_idf, "BDOT": BASELINES["bdot"]}
        linkers |= {"Jaccard": BASELINES["jaccard"], "BM25": BASELINES["bm25"]}
        linkers["TFIDF, cosine"] = partial(self._data.tf_idf, unit=True)
        linkers["TFIDF of the paper"] = BASELINES["tfidf"]
        linkers["sentence encoder"] = by_meaning(self._encoder)
        for name, linker in linkers.items():
            self.progress(f"{self.group.name}: {name}", None)
            self.found.baselines[name] = judge_all(linker, self.clusters)
            if name in MANY_TIES:
                self.found.ties_last[name] = judge_all(linker, self.clusters, "last")

    def measure(self, name: str, network: Network | None, supervisions: Sequence[Supervision]) -> None:
        """Measures a system, trained with each kind of supervision and each seed, and untrained."""
        for supervision in supervisions:
            trial = LinkageTrial(network, supervision)
            runs = self.runs(trial)
            self.found.learned[supervision][name] = [self._judged(run, "G1") for run in runs]
            if network is None:
                continue
            self.found.epochs[supervision][name] = self._epochs(trial)
            self.found.untrained[name] = [self._judged(run, "untrained") for run in runs]
            if network.loss == "entropy":
                self.found.by_output[supervision][name] = [self._judged(run, "output") for run in runs]

    def is_trained(self, system: LinkageTrial) -> bool:
        return system.network is not None

    def named(self, system: LinkageTrial, seed: int) -> str:
        return digest(self._facts, system, seed, self._epochs(system))

    def ask(self, system: LinkageTrial, seed: int) -> Arrays:
        """Ranks the sentences of each cluster, by ``STATE/CLUSTER``."""
        rankings = {}
        for held, cluster in enumerate(self.clusters):
            for state, linker in self._linkers(system, seed, held):
                rankings[f"{state}/{held}"] = judge(linker, cluster).ranking
            self._say(f"{_what(system)}, seed {seed}", held)
        return rankings

    def answers(self, arrays: Arrays) -> Arrays:
        return arrays

    def _linkers(self, system: LinkageTrial, seed: int, held: int) -> Iterator[tuple[str, Scorer]]:
        """Trains a system on all clusters but `held`; a network of classes is also ranked by its output."""

        network, supervision = system.network, system.supervision
        if network is None:
            yield "G1", train_svr(self._data, supervision, held)
            return
        for state, epochs in (("untrained", 0), ("G1", self._epochs(system)[held])):
            settings = replace(self._settings, epochs=epochs, seed=seed)
            linker = train(network, self._data, supervision, held, settings)
            yield state, linker
        if network.loss == "entropy":
            yield "output", replace(linker, by="output")

    def _epochs(self, system: LinkageTrial) -> list[int]:
        """Returns the number of epochs for each cluster, chosen on inner folds with the first seed."""
        network = system.network
        if network is None:
            return []

        def choose() -> Arrays:

            settings, epochs = replace(self._settings, seed=self.seeds[0]), []
            for held in range(len(self.clusters)):
                epochs.append(choose_epochs(network, self._data, system.supervision, held, settings))
                self._say(f"{_what(system)}, epochs", held)
            return {"epochs": np.array(epochs)}

        path = self.folder / f"{digest(self._facts, system, 'epochs')}.npz"
        chosen: list[int] = kept(path, choose)["epochs"].tolist()
        return chosen

    def _judged(self, arrays: Arrays, state: str) -> System:
        return [
            judge_ranking(arrays[f"{state}/{held}"].astype(np.int64), cluster)
            for held, cluster in enumerate(self.clusters)
        ]

    def _say(self, what: str, held: int) -> None:
        done, count = held + 1, len(self.clusters)
        self.progress(f"{self.group.name}, {what}: {done} of {count} clusters", done / count)


def _what(system: LinkageTrial) -> str:
    network = system.network
    kind = "SVR" if network is None else f"{network.psi}, {network.loss}, {network.joint}"
    return f"{system.supervision}, {kind}"
