"""The recipe of the linkage networks: folds, seeds, and that networks learn what they are taught."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("scipy")

from citewhy.evaluate.datasets.linkage import Cluster  # noqa: E402
from citewhy.records import Citance, FullText, Sentence  # noqa: E402
from citewhy.systems.linkage_networks.recipe import Collection, Dials, Network, train, train_svm  # noqa: E402

DIALS = Dials(epochs=30, citances=4, learning_rate=0.02)

WORDS = ("parser", "trees", "corpus", "tagger", "model", "grammar")


def cluster(name: str, unlike: bool) -> Cluster:
    """Six sentences of a telling word, and six of two words that say nothing. Each citing sentence has a
    telling word and both others, so that sentences without news share more words with it than its target."""
    texts = [f"{word} {name}{place}" for place, word in enumerate(WORDS)]
    texts += [f"method results {name}{place}" for place in range(6)]
    text = FullText(name, tuple(Sentence(sid, "", each) for sid, each in enumerate(texts)))
    citances = [
        Citance(f"{name}_{place}", "Q", name, f"{word} {'method results' * unlike}", (place,))
        for place, word in enumerate(WORDS)
    ]
    return Cluster(text, tuple(citances))


CLUSTERS = [cluster(name, unlike=True) for name in ("A", "B", "C")]


def hits(scores: np.ndarray) -> float:
    """Share of the citing sentences whose own target is first."""
    return float((scores.argmax(axis=1) == np.arange(len(WORDS))).mean())


def scores_of(network: Network, clusters: list[Cluster], held_out: int | None) -> np.ndarray:
    linker = train(network, Collection(clusters), "TCS", held_out, DIALS)
    return linker([each.text for each in clusters[2].citances], clusters[2].text)


def test_targets_teach_which_words_tell() -> None:
    """Untrained, the words that say nothing win; trained on targets of other clusters, the telling word."""
    network = Network("binary", "triplet")
    before = train(network, Collection(CLUSTERS), "TCS", 2, replace(DIALS, epochs=0))
    assert hits(before([each.text for each in CLUSTERS[2].citances], CLUSTERS[2].text)) == 0
    assert hits(scores_of(network, CLUSTERS, held_out=2)) == 1


def test_what_is_held_out_teaches_nothing() -> None:
    """Other links in the held-out cluster leave its scores as they are, to the bit; without holding it out
    they do not."""
    turned = replace(
        CLUSTERS[2],
        citances=tuple(replace(each, target_sids=(11 - n,)) for n, each in enumerate(CLUSTERS[2].citances)),
    )
    network = Network("binary", "triplet")
    first = scores_of(network, CLUSTERS, held_out=2)
    assert np.array_equal(first, scores_of(network, [*CLUSTERS[:2], turned], held_out=2))
    open_ = scores_of(network, CLUSTERS, held_out=None)
    assert not np.array_equal(open_, scores_of(network, [*CLUSTERS[:2], turned], held_out=None))


def test_citance_centred_supervision_does_not_look_at_links() -> None:
    """CCS gives the same linker whatever was linked by hand."""
    turned = [
        replace(each, citances=tuple(replace(one, target_sids=(0,)) for one in each.citances))
        for each in CLUSTERS
    ]
    found = []
    for clusters in (CLUSTERS, turned):
        linker = train(Network("binary", "triplet"), Collection(clusters), "CCS", 2, DIALS)
        found.append(linker([each.text for each in CLUSTERS[2].citances], CLUSTERS[2].text))
    assert np.array_equal(found[0], found[1])


@pytest.mark.parametrize(
    "network",
    [
        Network("embedding", "triplet"),
        Network("word2vec", "triplet"),
        Network("binary", "triplet", towers=True),
        Network("binary", "entropy"),
        Network("tfidf", "entropy", "sqrd"),
    ],
)
def test_every_network_learns_what_it_is_taught(network: Network) -> None:
    """Each combination of the tables puts the targets further above the sentences that stand against them
    than it did untrained; the same seed gives the same scores."""
    collection = Collection(CLUSTERS)
    collection.learn_vectors(size=8, epochs=1, seed=7)
    texts = [each.text for each in CLUSTERS[0].citances]

    def scores(epochs: int) -> np.ndarray:
        linker = train(network, collection, "TCS", None, replace(DIALS, epochs=epochs))
        by: Any = "output" if network.loss == "entropy" else "G1"  # what its loss is about
        return replace(linker, by=by)(texts, CLUSTERS[0].text)

    def lead(found: np.ndarray) -> float:
        """By how much targets are above the others, in standard deviations."""
        targets = np.eye(len(texts), found.shape[1], dtype=bool)
        return float((found[targets].mean() - found[~targets].mean()) / found.std())

    trained = scores(30)
    assert trained.shape == (6, 12)
    assert lead(trained) > lead(scores(0)) + 0.5
    assert np.array_equal(trained, scores(30))


def test_the_ranking_svm_learns_the_same() -> None:
    """It finds the telling words, too, and gives words that it never met no weight."""
    collection = Collection(CLUSTERS)
    linker = train_svm(collection, "TCS", held_out=2)
    assert hits(linker([each.text for each in CLUSTERS[2].citances], CLUSTERS[2].text)) == 1
    assert linker.weights[collection.vocabulary.numbers("C3")].tolist() == [0]
