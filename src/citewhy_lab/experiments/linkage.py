"""Citation linkage by neural networks: tables 1 to 6 and figure 7 of Nomoto (2018), on given clusters.

Nomoto, Resolving Citation Links With Neural Networks, Frontiers in Research Metrics and Analytics 3, 2018.
Each cluster is held out in turn; systems are trained on the others of its data set.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from citewhy.base.config import cache_folder
from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.progress import Progress
from citewhy.search.encode import CachedEncoder, Encoder, default_encoder
from citewhy_lab.evaluate.datasets.linkage import Cluster, benchmark_files, read_clusters
from citewhy_lab.evaluate.making import file_facts, made
from citewhy_lab.experiments.engine import Result, Setup, digest
from citewhy_lab.experiments.linkage_runs import (
    SUPERVISIONS,
    Columns,
    Group,
    LinkageLab,
    groups,
    split_citances,
)
from citewhy_lab.experiments.linkage_tables import pages
from citewhy_lab.train.kept import code_digest
from citewhy_lab.train.systems.linkage_networks.data import LinkageData
from citewhy_lab.train.systems.linkage_networks.recipe import LinkageSettings, Network

LEAST = 7
"""Minimum number of clusters for the regression: four features, an intercept, and a degree of freedom."""


@dataclass(frozen=True, slots=True)
class LinkageScale:
    """The size of the experiment."""

    seeds: int
    epochs: int
    """The largest number that inner folds choose from."""
    vector_size: int
    """Numbers of a vector that is learned from the clusters."""
    vector_epochs: int
    split: bool = False
    """Whether citances of several sentences are split in all tables, as in the source."""


SCALES = {
    "small": LinkageScale(5, 4, 20, 5),
    "full": LinkageScale(5, 8, 300, 5),
    "source": LinkageScale(5, 8, 300, 5, split=True),
}


def run(files: Sequence[Path], setup: Setup, progress: Progress) -> Result:
    """Reads the clusters, measures every system on each of them in turn, and makes the tables."""
    if len(files) != 1:
        raise InputError(
            f"the experiment linkage reads one file of citances, not {len(files)}",
            hint="the cited papers must be in the same folder: NAME.citances.jsonl and NAME.clusters.jsonl",
        )
    scale, report = SCALES[setup.scale], ImportReport()
    clusters = read_clusters(files[0], report)
    if len(clusters) < LEAST:
        raise InputError(f"{len(clusters)} clusters are too few, expected {LEAST} or more", path=files[0])
    sets = groups(clusters)
    parts = [Group(group.name, [split_citances(cluster) for cluster in group.clusters]) for group in sets]
    sets = parts if scale.split else sets
    # The same sentences are encoded whether citances are split or not.
    encoder = CachedEncoder(default_encoder())
    columns = measure(sets, _networks(setup.vectors is not None), BOTH, scale, setup, encoder, progress)
    few = {name: network for name, network in _networks(False).items() if name in SPLIT}
    split = measure(parts, few, (), scale, setup, encoder, progress)
    options = {"scale": setup.scale, **asdict(scale)}
    data = [*benchmark_files(files[0]), *([] if setup.vectors is None else [setup.vectors])]
    skipped = f"{report.skipped} citances and {report.warned} targets of the file could not be used."
    return pages(
        sets,
        columns,
        split,
        skipped if report.skipped or report.warned else "",
        made(data, None, None, options, setup.seed),
    )


def measure(
    sets: Sequence[Group],
    networks: Mapping[str, Network],
    both: Collection[str],
    scale: LinkageScale,
    setup: Setup,
    encoder: Encoder,
    progress: Progress,
) -> Columns:
    """Returns every system's ranking for every cluster. Networks in `both` are trained with both kinds of
    supervision, the others with CCS."""

    columns = Columns()
    for group in sets:
        data = LinkageData(group.clusters)
        if any(network.psi == "supplied" for network in networks.values()) and setup.vectors is not None:
            progress("reading word vectors", None)
            data.read_vectors(setup.vectors)
        if any(network.psi == "word2vec" for network in networks.values()):
            progress(f"{group.name}: training word vectors", None)
            data.learn_vectors(scale.vector_size, scale.vector_epochs, setup.seed)
        lab = LinkageLab(
            group,
            data,
            LinkageSettings(epochs=scale.epochs),
            range(setup.seed, setup.seed + scale.seeds),
            cache_folder() / "linkage",
            _facts(group.clusters, scale, setup),
            encoder,
            progress,
        )
        lab.baselines()
        lab.measure("SVR", None, SUPERVISIONS)
        for name, network in networks.items():
            lab.measure(name, network, SUPERVISIONS if name in both else SUPERVISIONS[:1])
        columns.join(lab.found)
    return columns


def _facts(clusters: Sequence[Cluster], scale: LinkageScale, setup: Setup) -> str:
    code = code_digest("citewhy_lab/train", "citewhy_lab/evaluate", "citewhy/text")
    vectors = None if setup.vectors is None else file_facts(setup.vectors)["sha256"]
    return digest(code, clusters, scale, vectors, setup.seed)


SPLIT = ("binary, entropy", "binary, triplet")
"""Networks that are also measured with citances split into sentences, with CCS."""

BOTH = (
    "binary, entropy",
    "binary, entropy, counting start",
    "binary, triplet",
    "binary, triplet, counting start",
    "tfidf, triplet",
    "embedding, triplet",
    "word2vec, triplet",
    "supplied vectors, triplet",
    "binary, triplet, two towers",
)
"""Networks that are trained with both kinds of supervision; the others are for table 4."""


def _networks(supplied: bool) -> dict[str, Network]:
    """Returns the one that reads vectors from a file only if there is one."""

    networks = {
        "binary, entropy": Network("binary", "entropy"),
        "binary, entropy, counting start": Network("binary", "entropy", start="counting"),
        "binary, triplet": Network("binary", "triplet"),
        "binary, triplet, counting start": Network("binary", "triplet", start="counting"),
        "tfidf, triplet": Network("tfidf", "triplet"),
        "embedding, triplet": Network("embedding", "triplet"),
        "word2vec, triplet": Network("word2vec", "triplet"),
        "supplied vectors, triplet": Network("supplied", "triplet"),
        "binary, triplet, two towers": Network("binary", "triplet", towers=True),
        "binary, entropy, sqrd": Network("binary", "entropy", "sqrd"),
        "tfidf, entropy": Network("tfidf", "entropy"),
        "tfidf, entropy, sqrd": Network("tfidf", "entropy", "sqrd"),
    }
    return {name: network for name, network in networks.items() if supplied or network.psi != "supplied"}
