"""The recipe of the linkage networks: folds, seeds, and that networks learn what they are taught."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sklearn")

from citewhy.base.records import Citance, FullText, Sentence  # noqa: E402
from citewhy_lab.evaluate.datasets.linkage import Cluster  # noqa: E402
from citewhy_lab.train.systems.linkage_networks.data import LinkageData  # noqa: E402
from citewhy_lab.train.systems.linkage_networks.recipe import (  # noqa: E402
    LinkageSettings,
    Network,
    choose_epochs,
    train,
    train_svr,
)

DIALS = LinkageSettings(epochs=30, citances=4, learning_rate=0.02)

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


def crossed(cluster: Cluster) -> Cluster:
    """Its citing sentences linked to the sentences that say nothing."""
    citances = (replace(each, target_sids=(6 + place,)) for place, each in enumerate(cluster.citances))
    return replace(cluster, citances=tuple(citances))


def hits(scores: np.ndarray) -> float:
    """Share of the citing sentences whose own target stands above all other sentences."""
    own = np.eye(*scores.shape, dtype=np.bool_)
    return float((scores[own] > np.where(own, -np.inf, scores).max(axis=1)).mean())


def scores_of(network: Network, clusters: list[Cluster], held_out: int | None) -> np.ndarray:
    linker = train(network, LinkageData(clusters), "TCS", held_out, DIALS)
    return linker([each.text for each in clusters[2].citances], clusters[2].text)


def test_targets_teach_which_words_tell() -> None:
    """Untrained, the words that say nothing win; trained on targets of other clusters, the telling word."""
    network = Network("binary", "triplet", start="counting")
    before = train(network, LinkageData(CLUSTERS), "TCS", 2, replace(DIALS, epochs=0))
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
        linker = train(Network("binary", "triplet"), LinkageData(clusters), "CCS", 2, DIALS)
        found.append(linker([each.text for each in CLUSTERS[2].citances], CLUSTERS[2].text))
    assert np.array_equal(found[0], found[1])


@pytest.mark.parametrize(
    "network",
    [
        Network("embedding", "triplet"),
        Network("word2vec", "triplet"),
        Network("supplied", "triplet", "sqrd"),
        Network("binary", "triplet", towers=True),
        Network("binary", "entropy"),
        Network("tfidf", "entropy", "sqrd"),
    ],
    ids=str,
)
def test_every_network_learns_what_it_is_taught(network: Network) -> None:
    """Each combination of the tables finds the target of every citing sentence that it was trained on; not so
    without training, or with the wrong sentences for targets. The same seed gives the same scores."""
    collection = LinkageData(CLUSTERS)
    one_each = np.eye(len(collection.vocabulary), dtype=np.float32)
    collection.vectors = {"word2vec": one_each, "supplied": one_each}
    wrong = LinkageData([crossed(each) for each in CLUSTERS])
    wrong.vectors = collection.vectors

    def scores(taught: LinkageData, epochs: int) -> np.ndarray:
        linker = train(network, taught, "TCS", None, replace(DIALS, epochs=epochs))
        if network.loss == "entropy":
            linker = replace(linker, by="output")
        return np.stack([linker([one.text for one in each.citances], each.text) for each in CLUSTERS])

    trained = scores(collection, 30)
    assert trained.shape == (3, 6, 12)
    assert np.mean([hits(each) for each in trained]) == 1
    assert np.mean([hits(each) for each in scores(collection, 0)]) < 1
    assert np.mean([hits(each) for each in scores(wrong, 30)]) < 0.5
    assert np.array_equal(trained, scores(collection, 30))


def test_epochs_are_chosen_without_the_held_out_cluster() -> None:
    """Where learning takes long, more epochs are chosen than the fewest; other links in the held-out cluster
    change nothing, as it is neither trained on nor judged."""
    clusters = [*CLUSTERS, cluster("D", unlike=True)]
    network = Network("binary", "triplet", start="counting")
    slow = replace(DIALS, epochs=20, learning_rate=0.004)
    chosen = choose_epochs(network, LinkageData(clusters), "TCS", 3, slow)
    assert 2 < chosen <= 20
    assert chosen % 2 == 0
    turned = LinkageData([*CLUSTERS, crossed(clusters[3])])
    assert choose_epochs(network, turned, "TCS", 3, slow) == chosen


def test_a_network_needs_its_vectors() -> None:
    """Without vectors, a network that reads them is not trained as one that learns its own."""
    with pytest.raises(KeyError, match="word2vec"):
        train(Network("word2vec", "triplet"), LinkageData(CLUSTERS), "TCS", None, DIALS)


def test_the_support_vector_regression_learns_the_same() -> None:
    """It finds the telling words of another cluster, too, and not so where the wrong sentences were meant."""
    texts = [each.text for each in CLUSTERS[2].citances]
    assert hits(train_svr(LinkageData(CLUSTERS), "TCS", held_out=2)(texts, CLUSTERS[2].text)) == 1
    wrong = LinkageData([crossed(each) for each in CLUSTERS])
    assert hits(train_svr(wrong, "TCS", held_out=2)(texts, CLUSTERS[2].text)) == 0
