"""The linkage networks: what their layers compute, and that nothing sparse becomes dense."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sklearn")

from citewhy.systems.linkage_networks.bags import Vocabulary, pair_features  # noqa: E402
from citewhy.systems.linkage_networks.networks import (  # noqa: E402
    BINARY_UNITS,
    EMBEDDING,
    BinaryNetwork,
    EmbeddedLayer,
    Joint,
    SparseLayer,
    TowerLayer,
    TripletNetwork,
)

VOCABULARY = Vocabulary(["a parser learns", "a parser of trees", "trees grow"])
FIRST = VOCABULARY.bags(["the parser learns", "trees"], "binary")
SECOND = VOCABULARY.bags(["trees and a parser", "nothing known"], "binary")


@pytest.mark.parametrize("joint", ["mul", "sqrd"])
def test_the_sparse_layer_is_a_product(joint: Joint) -> None:
    """From the words that are there alone comes what the dense product f(ψ(s), ψ(t)) W + b₁ would be."""
    torch.manual_seed(7)
    layer = SparseLayer(len(VOCABULARY), 4, joint)
    dense = torch.from_numpy(pair_features(FIRST, SECOND, joint).toarray())
    with torch.no_grad():
        layer.bias.fill_(0.25)
        assert torch.allclose(layer(FIRST, SECOND), dense @ layer.gathered + 0.25)


def test_gradients_are_sparse() -> None:
    """Only the word that the first pair shares is in the gradient; no matrix of the vocabulary's size."""
    network = TripletNetwork(SparseLayer(len(VOCABULARY), 4, "mul"))
    network.similarity(FIRST, SECOND).sum().backward()
    gradient = network.layer.gathered.grad
    assert gradient is not None
    gradient = gradient.coalesce()
    assert gradient.is_sparse
    assert gradient.indices().tolist() == [[VOCABULARY.words.index("parser")]]


def test_a_new_network_counts_shared_words() -> None:
    """Weights of G1 begin above zero and its biases at zero, so that only shared words count."""
    torch.manual_seed(7)
    network = BinaryNetwork(SparseLayer(len(VOCABULARY), BINARY_UNITS, "mul"))
    with torch.no_grad():
        one, none = network.similarity(FIRST, SECOND).tolist()
        (two,) = network.similarity(FIRST[[0]], FIRST[[0]]).tolist()
    assert 0 == none < one < two


def test_similarity_is_the_sum_of_rectified_units() -> None:
    """Units 2, -1 and 3 have the similarity 5: a negative unit counts as none."""

    layer = SparseLayer(len(VOCABULARY), 3, "mul")
    network = TripletNetwork(layer)
    with torch.no_grad():
        layer.gathered.zero_()
        layer.bias.copy_(torch.tensor([2.0, -1.0, 3.0]))
    assert network.similarity(FIRST, SECOND).tolist() == [5.0, 5.0]


def test_log_odds() -> None:
    """Units 2, −1 and 3 are rectified to 2, 0 and 3; "meant" reads the first and "not meant" the last:
    log-odds of 2 − 3."""
    layer = SparseLayer(len(VOCABULARY), 3, "mul")
    network = BinaryNetwork(layer)
    with torch.no_grad():
        layer.gathered.zero_()
        layer.bias.copy_(torch.tensor([2.0, -1.0, 3.0]))
        network.classes.weight.copy_(torch.tensor([[1.0, 5.0, 0.0], [0.0, 0.0, 1.0]]))
        torch.nn.init.zeros_(network.classes.bias)
        assert network.logits(FIRST, SECOND).tolist() == [[2.0, 3.0], [2.0, 3.0]]
        assert network.log_odds(FIRST, SECOND).tolist() == [-1.0, -1.0]


def test_vectors_that_are_given_are_kept() -> None:
    """word2vec's vectors get no gradient and set the width; without them, ten dimensions are learned."""
    vectors = np.ones((len(VOCABULARY), 3), dtype=np.float32)
    given = EmbeddedLayer(len(VOCABULARY), 4, "mul", vectors)
    assert (given.gathered.requires_grad, given.project.in_features) == (False, 3)
    own = EmbeddedLayer(len(VOCABULARY), 4, "mul")
    assert (own.gathered.requires_grad, own.project.in_features) == (True, EMBEDDING)


def test_embedded_features() -> None:
    """Words at 2 and 4, sentences at their means 3 and 2: the product is 6, the squared difference 1."""
    vocabulary = Vocabulary(["x1", "x2"])
    vectors = np.array([[2.0], [4.0]], dtype=np.float32)
    first, second = vocabulary.bags(["x1 x2"], "share"), vocabulary.bags(["x1"], "share")
    for joint, value in (("mul", 6.0), ("sqrd", 1.0)):
        layer = EmbeddedLayer(2, 1, joint, vectors)  # type: ignore[arg-type]
        with torch.no_grad():
            layer.project.weight.fill_(1.0)
            layer.project.bias.fill_(0.0)
        assert layer(first, second).item() == value


def test_towers() -> None:
    """The units of a pair are the products of what each sentence has; below zero they count as none."""
    layer = TowerLayer(2, 1)
    vocabulary = Vocabulary(["x1", "x2"])
    with torch.no_grad():
        layer.gathered.copy_(torch.tensor([[3.0], [-5.0]]))
    bags = vocabulary.bags(["x1", "x2"], "binary")
    assert layer(bags, bags[[0, 0]]).tolist() == [[9.0], [0.0]]
