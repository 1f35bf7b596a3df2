"""What three readings of the source of the linkage networks change (Nomoto 2018).

    python benchmarks/linkage_readings.py linkage.dev.citances.jsonl.gz

Vectors of words that are random and stay so, against those that are learned with the network; negatives of a
target among which no target of the cluster is, against those without the citance's own; word2vec of the
training clusters alone, against that of the whole data set. Each cluster is held out in turn within its data
set; MRR with exact targets, three seeds, two epochs, word2vec with 20 dimensions; intervals take clusters and
seeds as drawn at random. Three processor minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewhy.base.import_report import ImportReport
from citewhy_lab.evaluate.datasets.linkage import Cluster, read_clusters
from citewhy_lab.evaluate.linkage import judge
from citewhy_lab.experiments.engine import shown
from citewhy_lab.experiments.linkage_runs import Group, groups
from citewhy_lab.experiments.significance import crossed
from citewhy_lab.train.systems.linkage_networks import data as networks
from citewhy_lab.train.systems.linkage_networks.data import Contrasts, LinkageData
from citewhy_lab.train.systems.linkage_networks.recipe import EMBEDDING, LinkageSettings, Network, train
from citewhy_lab.train.systems.linkage_networks.settings import VECTOR_EPOCHS, Supervision

SEEDS = (7, 8, 9)

DIMENSIONS = 20

Prepare = Callable[[LinkageData, Group, int, int], None]
"""Puts vectors into the data, for a held-out cluster and a seed."""


class NoTargets(LinkageData):
    """No target of the cluster is a negative."""

    def _contrasts(self, cluster: Cluster, supervision: Supervision) -> Contrasts:
        sentences = self.vocabulary.bags([sentence.text for sentence in cluster.text.sentences], "binary")
        shared = networks.overlaps(sentences, sentences)
        numbers = {sentence.sid: number for number, sentence in enumerate(cluster.text.sentences)}
        meant = [[numbers[sid] for sid in citance.target_sids] for citance in cluster.citances]
        rows = np.array([(row, target) for row, targets in enumerate(meant) for target in targets])
        others = np.setdiff1d(np.arange(len(shared)), rows[:, 1])
        nearest = np.argsort(-shared[np.ix_(rows[:, 1], others)], axis=1, kind="stable")
        false = np.full((len(rows), networks.CONFUSERS), networks.NONE, dtype=np.int64)
        found = others[nearest[:, : networks.CONFUSERS]]
        false[:, : found.shape[1]] = found
        return Contrasts(rows[:, 0], rows[:, 1:], false)


def at_random(data: LinkageData, _group: Group, _held: int, seed: int) -> None:
    shape = len(data.vocabulary), EMBEDDING
    data.vectors["supplied"] = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def of_all(data: LinkageData, _group: Group, _held: int, _seed: int) -> None:
    if "word2vec" not in data.vectors:
        data.learn_vectors(DIMENSIONS, VECTOR_EPOCHS, SEEDS[0])


def of_the_others(data: LinkageData, group: Group, held: int, seed: int) -> None:
    if seed != SEEDS[0]:
        return  # as for the first seed
    others = [cluster for number, cluster in enumerate(group.clusters) if number != held]
    texts = [sentence.text for cluster in others for sentence in cluster.text.sentences]
    texts += [citance.text for cluster in others for citance in cluster.citances]
    data.vectors["word2vec"] = networks.learned_vectors(
        texts, data.vocabulary.words, DIMENSIONS, VECTOR_EPOCHS, SEEDS[0]
    )


def measured(
    sets: Sequence[Group],
    network: Network,
    supervision: Supervision,
    prepare: Prepare = lambda *_: None,
    kind: type[LinkageData] = LinkageData,
) -> NDArray[np.float64]:
    """[clusters, seeds] mean reciprocal ranks."""
    rows = []
    for group in sets:
        data = kind(group.clusters)
        for held, cluster in enumerate(group.clusters):
            row = []
            for seed in SEEDS:
                prepare(data, group, held, seed)
                linker = train(network, data, supervision, held, LinkageSettings(seed=seed))
                row.append(judge(linker, cluster).reciprocal_ranks(0).mean())
            rows.append(row)
    return np.array(rows)


def say(name: str, first: NDArray[np.float64], second: NDArray[np.float64]) -> None:
    gain = crossed(first - second)
    figures = (first.mean(), second.mean(), gain.value, gain.low, gain.high)
    print(f"| {name} | {' | '.join(shown(float(figure)) for figure in figures)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("citances", type=Path)
    sets = groups(read_clusters(parser.parse_args().citances, ImportReport()))
    print("| | first | second | difference | low | high |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    embedding, fixed, learned = (Network(psi, "triplet") for psi in ("embedding", "supplied", "word2vec"))
    supervisions: tuple[Supervision, ...] = ("CCS", "TCS")
    for supervision in supervisions:
        first = measured(sets, fixed, supervision, at_random)
        say(f"random, not learned, {supervision}", first, measured(sets, embedding, supervision))
    for network in (Network("binary", "entropy"), Network("binary", "triplet")):
        first = measured(sets, network, "TCS", kind=NoTargets)
        say(f"no target as a negative, {network.loss}, TCS", first, measured(sets, network, "TCS"))
    for supervision in supervisions:
        first = measured(sets, learned, supervision, of_the_others)
        second = measured(sets, learned, supervision, of_all)
        say(f"word2vec without the held-out, {supervision}", first, second)


if __name__ == "__main__":
    main()
