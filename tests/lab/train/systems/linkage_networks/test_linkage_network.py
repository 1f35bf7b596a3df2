"""The linkage networks: what their layers compute, and that nothing sparse becomes dense."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sklearn")

from citewhy_lab.train.systems.linkage_networks.data import Vocabulary, pair_features  # noqa: E402
from citewhy_lab.train.systems.linkage_networks.recipe import (  # noqa: E402
    BINARY_UNITS,
    EMBEDDING,
    BinaryNetwork,
    EmbeddedLayer,
    FixedSlotsLayer,
    SparseLayer,
    TowerLayer,
    TripletNetwork,
)
from citewhy_lab.train.systems.linkage_networks.settings import Joint  # noqa: E402

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
    layer = SparseLayer(len(VOCABULARY), 4, "mul", "counting")
    TripletNetwork(layer).similarity(FIRST, SECOND).sum().backward()
    gradient = layer.gathered.grad
    assert gradient is not None
    gradient = gradient.coalesce()
    assert gradient.is_sparse
    assert gradient.indices().tolist() == [[VOCABULARY.words.index("parser")]]


def test_a_new_network_counts_shared_words() -> None:
    """With the counting start, weights of G1 begin above zero and its biases at zero, so that only shared
    words count."""
    torch.manual_seed(7)
    network = BinaryNetwork(SparseLayer(len(VOCABULARY), BINARY_UNITS, "mul", "counting"))
    with torch.no_grad():
        one, none = network.similarity(FIRST, SECOND).tolist()
        (two,) = network.similarity(FIRST[[0]], FIRST[[0]]).tolist()
    assert 0 == none < one < two


def test_a_neutral_start() -> None:
    """By default, weights begin on both sides of zero, up to √(6 / (inputs + outputs)): 3 words and 3 units
    have the bound 1; with 2 slots for each word, the inputs are 6, and with 2 units the bound is √(6 / 8)."""
    torch.manual_seed(7)
    weights = SparseLayer(3, 3, "mul").gathered
    assert -1 <= weights.min() < 0 < weights.max() <= 1
    many = torch.cat([SparseLayer(3, 3, "mul").gathered for _ in range(200)])
    assert (many.max().item(), many.min().item()) == pytest.approx((1, -1), abs=0.02)
    vectors = np.array([[1, 0], [0, 1], [0, 0]], dtype=np.float32)  # one number of each slot is seen
    slots = torch.cat([FixedSlotsLayer(3, 2, "mul", vectors).begun[:2] for _ in range(200)])
    assert (slots.max().item(), slots.min().item()) == pytest.approx((0.866, -0.866), abs=0.02)
    learned = torch.cat([EmbeddedLayer(1, 2, "mul").gathered for _ in range(200)])  # 10 inputs, 2 units
    assert (learned.max().item(), learned.min().item()) == pytest.approx((0.707, -0.707), abs=0.02)


def test_the_share_of_pairs_that_are_meant() -> None:
    """One of eleven: before it reads anything, the log-odds are ln (1/11) − ln (10/11) = −ln 10."""
    network = BinaryNetwork(SparseLayer(len(VOCABULARY), 3, "mul"), meant=1 / 11)
    nothing = VOCABULARY.bags(["unknown"], "binary")
    assert network.log_odds(nothing, nothing).item() == pytest.approx(-np.log(10), abs=1e-5)


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


def test_vectors_are_learned_with_the_network() -> None:
    """Ten numbers for each word, and a slot of ten rows of W for each: both have sparse gradients."""
    layer = EmbeddedLayer(len(VOCABULARY), 4, "mul")
    assert layer.vectors.shape == (len(VOCABULARY), EMBEDDING)
    assert layer.gathered.shape == (len(VOCABULARY), EMBEDDING * 4)
    TripletNetwork(layer).similarity(FIRST, SECOND).sum().backward()
    assert all(each.grad is not None and each.grad.is_sparse for each in layer.sparse())
    assert {id(each) for each in layer.sparse()} == {id(layer.vectors), id(layer.gathered)}


def test_each_word_keeps_its_slot() -> None:
    """Words with the vectors (2, 1, 0, …) and (3, 1, 0, …). "x1 x2" and "x1" share x1: the product is its
    squares 4 and 1 in the slots of x1 alone, the squared difference those of x2 alone, 9 and 1. Slots of x1
    weigh 1 and 10, those of x2 100 and 1000, with a bias of ½: 4 + 10 + ½ and 900 + 1000 + ½. "x1 x2" shares
    both words with itself, and each adds what it added alone: 14 + 1900 + ½, or nothing but ½. A mean of
    vectors would mix both words."""
    vocabulary = Vocabulary(["x1", "x2"])
    first, second = vocabulary.bags(["x1 x2"] * 2, "binary"), vocabulary.bags(["x1", "x1 x2"], "binary")
    for joint, values in (("mul", [14.5, 1914.5]), ("sqrd", [1900.5, 0.5])):
        layer = EmbeddedLayer(2, 1, joint)  # type: ignore[arg-type]
        with torch.no_grad():
            layer.vectors.zero_()
            layer.vectors[:, :2] = torch.tensor([[2.0, 1.0], [3.0, 1.0]])
            layer.gathered[:, :2] = torch.tensor([[1.0, 10.0], [100.0, 1000.0]])
            layer.bias.fill_(0.5)
        assert layer(first, second).ravel().tolist() == values


def test_slots_of_several_units() -> None:
    """W is [words · size, units], units last: slots 1 and 2 of the only word weigh 1 and 3 for the first
    unit, 2 and 4 for the second; its vector (1, 2, 0, …) has the squares 1 and 4: 1 + 12 and 2 + 16."""
    layer = EmbeddedLayer(1, 2, "mul")
    with torch.no_grad():
        layer.vectors.zero_()
        layer.vectors[0, :2] = torch.tensor([1.0, 2.0])
        layer.gathered[0, :4] = torch.tensor([1.0, 2.0, 3.0, 4.0])
    bag = Vocabulary(["x1"]).bags(["x1"], "binary")
    assert layer(bag, bag).tolist() == [[13.0, 18.0]]


def test_fixed_slots_begin_as_what_a_word_adds() -> None:
    """The word (1, 2) with the slots 1 to 4 of above adds 13 and 18; where Δ is 1 and 2, Σe² = 5 times that
    comes on top: 18 and 28."""
    layer = FixedSlotsLayer(1, 2, "mul", np.array([[1.0, 2.0]], dtype=np.float32))
    with torch.no_grad():
        layer.begun.copy_(torch.tensor([[13.0, 18.0]]))
        layer.learned.copy_(torch.tensor([[1.0, 2.0]]))
    bag = Vocabulary(["x1"]).bags(["x1"], "binary")
    assert layer(bag, bag).tolist() == [[18.0, 28.0]]


@pytest.mark.parametrize("joint", ["mul", "sqrd"])
def test_fixed_slots_learn_what_the_whole_matrix_would(joint: Joint) -> None:
    """Thirty steps of Adam on W [words · size, units] itself, written out, and on `FixedSlotsLayer`, from the
    same beginning and with the same targets, give the same units."""
    torch.manual_seed(7)
    size, units = 3, 4
    vectors = torch.rand(len(VOCABULARY), size) + 0.5
    vectors[0] = 0  # a word without a vector
    layer = FixedSlotsLayer(len(VOCABULARY), units, joint, vectors.numpy())
    w = torch.randn(len(VOCABULARY), size, units, requires_grad=True)
    with torch.no_grad():
        layer.begun.copy_(torch.einsum("ws,wsk->wk", vectors**2, w))
    first, second = (VOCABULARY.bags(texts, "binary") for texts in (["a parser of trees"] * 2, ["trees", ""]))
    f = torch.from_numpy(pair_features(first, second, joint).toarray())
    targets = torch.tensor([[1.0, 2.0, -1.0, 0.0], [0.5, -2.0, 1.0, 3.0]])

    whole = torch.optim.Adam([w], 0.05)
    small = torch.optim.SparseAdam(layer.sparse(), 0.05)
    for _ in range(30):
        whole.zero_grad()
        written_out = torch.einsum("pw,ws,wsk->pk", f, vectors**2, w)
        ((written_out - targets) ** 2).sum().backward()
        whole.step()
        small.zero_grad()
        ((layer(first, second) - targets) ** 2).sum().backward()
        small.step()
    written_out = torch.einsum("pw,ws,wsk->pk", f, vectors**2, w)
    assert torch.allclose(layer(first, second), written_out, atol=1e-3)
    begun = torch.einsum("pw,wk->pk", f, layer.begun)
    assert not torch.allclose(written_out, begun, atol=0.1)  # something was learned


def test_towers() -> None:
    """The units of a pair are the products of what each sentence has; below zero they count as none."""
    layer = TowerLayer(2, 1)
    vocabulary = Vocabulary(["x1", "x2"])
    with torch.no_grad():
        layer.gathered.copy_(torch.tensor([[3.0], [-5.0]]))
    bags = vocabulary.bags(["x1", "x2"], "binary")
    assert layer(bags, bags[[0, 0]]).tolist() == [[9.0], [0.0]]
