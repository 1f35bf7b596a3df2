"""Citation linkage by neural networks: tables 1 to 6 and figure 7 of Nomoto (2018), on given clusters.

Nomoto, Resolving Citation Links With Neural Networks, Frontiers in Research Metrics and Analytics 3, 2018.
Each cluster is held out in turn; systems are trained on all others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from citewhy.encode import default_encoder
from citewhy.errors import InputError
from citewhy.evaluate.datasets.linkage import Cluster, benchmark_files, read_clusters
from citewhy.evaluate.linkage import Judged, Scorer, judge, judge_all
from citewhy.evaluate.making import made
from citewhy.evaluate.plots import check_plots
from citewhy.experiments import Experiment, Setup
from citewhy.experiments.linkage_tables import Columns, pages
from citewhy.experiments.result import Result
from citewhy.formats.report import ImportReport
from citewhy.linkage.baselines import BASELINES, by_meaning
from citewhy.progress import Tell
from citewhy.train.requirements import check_modules

if TYPE_CHECKING:
    from citewhy.systems.linkage_networks.data import LinkageData, Supervision
    from citewhy.systems.linkage_networks.recipe import LinkageSettings, Network

__all__ = ["EXPERIMENT", "run"]

LEAST = 7
"""Minimum number of clusters for the regression: four features, an intercept, and a degree of freedom."""


MANY_TIES = ("BDOT", "Jaccard", "TFIDF")
"""Baselines that are measured with ties in both orders."""


@dataclass(frozen=True, slots=True)
class _Scale:
    """The size of the experiment."""

    clusters: int | None
    epochs: int
    vector_size: int
    vector_epochs: int
    meaning: bool
    """Whether the built-in encoder takes part."""


SCALES = {
    "small": _Scale(LEAST, 1, 20, 1, False),
    "full": _Scale(None, 2, 300, 5, True),
}


def run(files: Sequence[Path], setup: Setup, tell: Tell) -> Result:
    """Reads the clusters, measures every system on each of them in turn, and makes the tables."""
    check_modules("torch", "scipy", "sklearn", "gensim")
    check_plots()
    if len(files) != 1:
        raise InputError(
            f"the experiment linkage reads one file of citances, not {len(files)}",
            hint="the cited papers must be in the same folder: NAME.citances.jsonl and NAME.clusters.jsonl",
        )
    scale, report = SCALES[setup.scale], ImportReport()
    clusters = read_clusters(files[0], report)[: scale.clusters]
    if len(clusters) < LEAST:
        raise InputError(f"{len(clusters)} clusters are too few, expected {LEAST} or more", path=files[0])
    columns = measure(clusters, scale, setup, tell)
    options = {"scale": setup.scale, **asdict(scale)}
    data = [*benchmark_files(files[0]), *([] if setup.vectors is None else [setup.vectors])]
    skipped = f"{report.skipped} citances and {report.warned} targets of the file could not be used."
    return pages(
        clusters,
        columns,
        skipped if report.skipped or report.warned else "",
        made(data, None, None, options, setup.seed),
    )


def measure(clusters: Sequence[Cluster], scale: _Scale, setup: Setup, tell: Tell) -> Columns:
    """Every system's ranking for every cluster."""
    from citewhy.systems.linkage_networks.data import LinkageData
    from citewhy.systems.linkage_networks.recipe import LinkageSettings

    data = LinkageData(clusters)
    if setup.vectors is not None:
        tell("reading word vectors", None)
        data.read_vectors(setup.vectors)
    work = _Work(clusters, data, LinkageSettings(epochs=scale.epochs, seed=setup.seed), tell)
    work.baselines(scale.meaning)
    tell("training word vectors", None)
    data.learn_vectors(scale.vector_size, scale.vector_epochs, setup.seed)
    work.svr()
    work.networks(supplied=setup.vectors is not None)
    return work.found


@dataclass
class _Work:
    """The measurements so far."""

    clusters: Sequence[Cluster]
    data: LinkageData
    settings: LinkageSettings
    tell: Tell
    found: Columns = field(default_factory=Columns)

    def baselines(self, meaning: bool) -> None:
        linkers: dict[str, Scorer] = {"TFIDF": self.data.tf_idf, "BDOT": BASELINES["bdot"]}
        linkers |= {"Jaccard": BASELINES["jaccard"], "BM25": BASELINES["bm25"]}
        linkers["TFIDF of the paper"] = BASELINES["tfidf"]
        if meaning:
            linkers["sentence encoder"] = by_meaning(default_encoder())
        for name, linker in linkers.items():
            self.tell(name, None)
            self.found.baselines[name] = judge_all(linker, self.clusters)
            if name in MANY_TIES:
                self.found.ties_last[name] = judge_all(linker, self.clusters, "last")

    def svr(self) -> None:
        from citewhy.systems.linkage_networks.recipe import train_svr

        for supervision in _SUPERVISIONS:
            linker = functools.partial(train_svr, self.data, supervision)
            self.found.learned[supervision]["SVR"] = self._held_out(f"{supervision}, SVR", linker)

    def networks(self, supplied: bool) -> None:
        """All networks; the one that reads vectors from a file only if there is one."""
        for name, network in _networks().items():
            for supervision in _SUPERVISIONS:
                if (supervision == "CCS" or name in BOTH) and (supplied or network.psi != "supplied"):
                    self._network(name, network, supervision)

    def _network(self, name: str, network: Network, supervision: Supervision) -> None:
        from citewhy.systems.linkage_networks.recipe import train

        by_output: list[Judged] = []

        def linker(place: int) -> Scorer:
            trained = train(network, self.data, supervision, place, self.settings)
            if network.loss == "entropy":
                by_output.append(judge(replace(trained, by="output"), self.clusters[place]))
            return trained

        self.found.learned[supervision][name] = self._held_out(f"{supervision}, {name}", linker)
        if by_output:
            self.found.by_output[supervision][name] = by_output

    def _held_out(self, what: str, linker: Callable[[int], Scorer]) -> list[Judged]:
        """Each cluster, judged by a linker trained on the others."""
        judged = []
        for place, cluster in enumerate(self.clusters):
            judged.append(judge(linker(place), cluster))
            self.tell(
                f"{what}: {place + 1} of {len(self.clusters)} clusters", (place + 1) / len(self.clusters)
            )
        return judged


_SUPERVISIONS: tuple[Supervision, ...] = ("CCS", "TCS")

BOTH = (
    "binary, entropy",
    "binary, triplet",
    "tfidf, triplet",
    "embedding, triplet",
    "word2vec, triplet",
    "supplied vectors, triplet",
    "binary, triplet, two towers",
)
"""Networks that are trained with both kinds of supervision; the others are for table 4."""


def _networks() -> dict[str, Network]:
    from citewhy.systems.linkage_networks.recipe import Network

    return {
        "binary, entropy": Network("binary", "entropy"),
        "binary, triplet": Network("binary", "triplet"),
        "tfidf, triplet": Network("tfidf", "triplet"),
        "embedding, triplet": Network("embedding", "triplet"),
        "word2vec, triplet": Network("word2vec", "triplet"),
        "supplied vectors, triplet": Network("supplied", "triplet"),
        "binary, triplet, two towers": Network("binary", "triplet", towers=True),
        "binary, entropy, sqrd": Network("binary", "entropy", "sqrd"),
        "tfidf, entropy": Network("tfidf", "entropy"),
        "tfidf, entropy, sqrd": Network("tfidf", "entropy", "sqrd"),
    }


EXPERIMENT = Experiment("citing sentences with their targets; the cited papers in the same folder", run)
