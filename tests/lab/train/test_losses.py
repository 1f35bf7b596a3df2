"""Losses: worked out by hand, against a plain reference in float64, and stable at the edges."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra lab")

from citewhy_lab.train.losses import (  # noqa: E402
    MultiPositive,
    hybrid,
    info_nce,
    multi_positive_contrastive,
    multi_positive_triplet,
    n_pairs,
    pairwise_hinge,
    quadruplet,
    score_triplet,
    triplet_margin,
    two_class_cross_entropy,
)

Array = np.ndarray[Any, Any]


def rows(*values: list[float]) -> Any:
    return torch.tensor(values, dtype=torch.float64)


def drawn(seed: int, *shape: int) -> Any:
    """Numbers that no margin is met by exactly."""
    return torch.from_numpy(np.random.default_rng(seed).normal(size=shape))


def unit(values: Any) -> Any:
    return values / values.norm(dim=1, keepdim=True)


# By hand ----------------------------------------------------------------------------------------------------


def test_triplet_margin_by_hand() -> None:
    """Distances 5 and 13 (3-4-5 and 5-12-13 triangles): 5 − 13 + 10 is 2; the other way 13 − 5 + 10 is 18."""
    anchors, near, far = rows([0, 0], [0, 0]), rows([3, 4], [5, 12]), rows([5, 12], [3, 4])
    assert triplet_margin(anchors, near, far, 10.0).item() == (2 + 18) / 2


def test_quadruplet_by_hand() -> None:
    """Query 0, positives 3 and 7, negative 5, margin 1: 3 − 5 + 1 < 0 and 7 − 5 + 1 = 3 to the query;
    4 − 2 + 1 = 3 twice between the positives."""
    loss = quadruplet(rows([0.0]), rows([3.0]), rows([7.0]), rows([5.0]), 1.0)
    assert loss.item() == 0 + 3 + 3 + 3


def test_score_triplet_by_hand() -> None:
    """0 − 2 + 1 is none, 2 − 2 + 1 is 1: the mean is one half."""
    assert score_triplet(torch.tensor([2.0]), torch.tensor([[0.0, 2.0]]), 1.0).item() == 0.5


def test_score_triplet_of_two_contexts() -> None:
    """Margin 0.2: a negative 0.1 behind costs 0.1, one 0.3 ahead 0.5, one 0.2 behind nothing, nor one 0.9."""
    negative = torch.tensor([[0.4, 0.8], [-0.2, -0.9]])
    loss = score_triplet(torch.tensor([0.5, 0.0]), negative, 0.2)
    assert loss.item() == pytest.approx((0.1 + 0.5) / 4)


def test_pairwise_hinge_by_hand() -> None:
    """Positives 3 and 1 against negative 1: 1 − 3 + 1 is none, 1 − 1 + 1 is 1. The second row is absent."""
    positive, negative = torch.tensor([[3.0, 1.0], [0.0, 0.0]]), torch.tensor([[1.0], [9.0]])
    present = torch.tensor([[[True], [True]], [[False], [False]]])
    assert pairwise_hinge(positive, negative, present, 1.0).item() == 0.5
    assert pairwise_hinge(positive, negative, torch.zeros_like(present), 1.0).item() == 0


def test_info_nce_by_hand() -> None:
    """Two queries, two answers, one hard negative; similarities (1, 0, 0.6) and (0, 1, 0.8) at temperature 1.

    Forward: −log(e¹ / (e¹ + e⁰ + e^0.6)) and −log(e¹ / (e⁰ + e¹ + e^0.8)), averaged. Backward, without the
    negative: −log(e¹ / (e¹ + e⁰)) twice, with weight one half.
    """
    loss = info_nce(torch.eye(2), rows([1, 0], [0, 1], [0.6, 0.8]).float(), no_pairs(2, 3), 1.0)
    forward = (math.log(math.e + 1 + math.exp(0.6)) + math.log(math.e + 1 + math.exp(0.8))) / 2 - 1
    assert loss.item() == pytest.approx(forward + 0.5 * (math.log(math.e + 1) - 1), abs=1e-6)


def test_info_nce_forbidden_pairs() -> None:
    """What is forbidden is as if it were not there, forwards and backwards; nothing flows back through it."""
    papers = torch.tensor([[0.8, 0.6], [1.0, 0.0], [0.6, 0.8]], requires_grad=True)
    forbidden = torch.tensor([[False, True, True], [False, False, False]])
    loss = info_nce(torch.eye(2), papers, forbidden, 0.5)
    second = math.log(math.exp(1.2) + math.exp(0) + math.exp(1.6)) - 0
    backward_first = math.log(math.exp(1.6) + math.exp(1.2)) - 1.6
    assert loss.item() == pytest.approx((0 + second) / 2 + 0.5 * (backward_first + 0) / 2, abs=1e-6)
    loss.backward()
    assert bool(torch.isfinite(papers.grad).all())
    assert float(papers.grad[1, 0]) == pytest.approx(0.0, abs=1e-7)  # the forbidden query is [1, 0]


def test_info_nce_temperature() -> None:
    """Half the temperature, twice the differences: an answer that is ahead counts as more certain."""
    papers = torch.tensor([[0.8, 0.6], [0.6, 0.8]])
    warm, cold = (float(info_nce(torch.eye(2), papers, no_pairs(2, 2), each)) for each in (0.1, 0.05))
    assert warm == pytest.approx(1.5 * math.log(1 + math.exp(-2)), abs=1e-6)
    assert cold == pytest.approx(1.5 * math.log(1 + math.exp(-4)), abs=1e-6)


def test_n_pairs_by_hand() -> None:
    """Scores ln 3 against 0 and 0 at temperature 1: −log 3/5. At temperature ½ it is −log 9/11."""
    positive, negative = rows([math.log(3)])[0], rows([0, 0])
    assert n_pairs(positive, negative, 1.0).item() == pytest.approx(math.log(5 / 3))
    assert n_pairs(positive, negative, 0.5).item() == pytest.approx(math.log(11 / 9))


def test_multi_positive_contrastive_by_hand() -> None:
    """Scores ln 1, ln 2, ln 3, the last two positive: −(log 2/6 + log 3/6) / 2; an anchor without a positive
    does not count, and a forbidden candidate is not in the sum: −(log 2/5 + log 3/5) / 2. What is both
    positive and forbidden is positive."""
    scores = torch.log(rows([1, 2, 3], [5, 5, 5]))
    positive = torch.tensor([[False, True, True], [False, False, False]])
    loss = multi_positive_contrastive(scores, positive, 1.0)
    assert loss.item() == pytest.approx((math.log(3) + math.log(2)) / 2)
    forbidden = torch.tensor([[True, False, False], [False, False, False]])
    without = multi_positive_contrastive(scores, positive, 1.0, forbidden)
    assert without.item() == pytest.approx((math.log(5 / 2) + math.log(5 / 3)) / 2)
    both = torch.tensor([[True, False, True], [False, False, False]])
    assert multi_positive_contrastive(scores, positive, 1.0, both).item() == without.item()
    assert multi_positive_contrastive(scores, torch.zeros_like(positive), 1.0).item() == 0


def test_multi_positive_triplets_by_hand() -> None:
    """On a line: manuscript 0, target 2, positives 3 and 1, negative 5. s and t against n: 2 − 5 = −3, in
    equation 4 once for each positive; of the positives c, ‖c − t‖ − ‖c − n‖ is 1 − 2 and 1 − 4 there,
    ‖s − c‖ − ‖s − n‖ in equation 5 is 3 − 5 and 1 − 5, and in equation 6 besides ‖t − c‖ − ‖t − n‖ twice
    1 − 3. Without positives the first term remains once."""
    given = rows([0.0]), rows([2.0]), rows([3.0], [1.0])[None]
    negatives = rows([5.0])[None]
    expected: dict[MultiPositive, list[int]] = {
        "mpt-tgt": [-3, -3, -1, -3],
        "mpt-src": [-3, -2, -4],
        "mpt-src-tgt": [-3, -2, -4, -2, -2],
    }
    for objective, exponents in expected.items():
        for present, powers in ((True, exponents), (False, [-3])):
            there = torch.full((1, 2), present)
            loss = multi_positive_triplet(objective, *given, there, negatives)
            assert loss.item() == pytest.approx(math.log(1 + sum(map(math.exp, powers))))


def test_two_class_cross_entropy_by_hand() -> None:
    """Softmax of (ln 3, 0) is (3/4, 1/4): the mean of −ln 3/4 (positive) and −ln 1/4 (negative)."""
    logits = torch.tensor([[math.log(3), 0.0], [math.log(3), 0.0]])
    loss = two_class_cross_entropy(logits, torch.tensor([True, False]))
    assert loss.item() == pytest.approx((math.log(4 / 3) + math.log(4)) / 2)


# What they have to do with each other -----------------------------------------------------------------------


def test_one_positive_makes_pairwise_hinge_a_triplet() -> None:
    """With one positive and nothing absent, both losses are one."""
    positive, negative = torch.tensor([0.3, -1.0]), torch.tensor([[0.1, 2.0], [0.4, -3.0]])
    present = torch.ones(2, 1, 2, dtype=torch.bool)
    assert pairwise_hinge(positive[:, None], negative, present, 0.5) == score_triplet(positive, negative, 0.5)


def test_one_positive_makes_the_contrastive_loss_n_pairs() -> None:
    """And n_pairs is InfoNCE forwards, where the negatives are the other papers of the batch."""
    queries, papers = unit(drawn(1, 4, 3)), unit(drawn(2, 4, 3))
    scores, own = queries @ papers.T, torch.eye(4, dtype=torch.bool)
    others = scores[~own].reshape(4, 3)
    expected = n_pairs(scores.diagonal(), others, 0.1)
    assert multi_positive_contrastive(scores, own, 0.1).item() == pytest.approx(expected.item())
    assert info_nce(queries, papers, no_pairs(4, 4), 0.1, backward=0).item() == pytest.approx(expected.item())


def test_contrastive_losses_at_the_temperature_of_one_hundredth_by_hand() -> None:
    """Cosines .10, .11 and .12 at τ = .01 are the exponents 10, 11, 12. One positive (.11): 11 − ln(e¹⁰ + e¹¹
    + e¹²) = −(1 + ln(1 + e⁻¹ + e⁻²)); two (.11 and .12): the mean of that and of −ln(1 + e⁻¹ + e⁻²)."""
    scores = rows([0.10, 0.11, 0.12])
    rest = math.log(1 + math.exp(-1) + math.exp(-2))
    one = multi_positive_contrastive(scores, torch.tensor([[False, True, False]]), 0.01)
    two = multi_positive_contrastive(scores, torch.tensor([[False, True, True]]), 0.01)
    assert one.item() == pytest.approx(1 + rest)
    assert n_pairs(scores[:, 1], scores[:, [0, 2]], 0.01).item() == pytest.approx(1 + rest)
    assert two.item() == pytest.approx(0.5 + rest)


def test_hybrid_by_hand() -> None:
    """.7 of 10 and .3 of 20 are 13; at the ends it is one of the two, and the other has no gradient."""
    global_, local = (torch.tensor(each, requires_grad=True) for each in (10.0, 20.0))
    assert hybrid(global_, local, 0.7).item() == pytest.approx(13)
    hybrid(global_, local, 1.0).backward()
    assert (global_.grad.item(), local.grad.item()) == (1, 0)


# Against a plain reference, in float64 ----------------------------------------------------------------------


def hinge(value: float) -> float:
    return max(0.0, value)


def apart(one: Array, other: Array) -> float:
    return math.sqrt(sum((x - y) ** 2 for x, y in zip(one, other, strict=True)))


def plain_triplet(a: Array, p: Array, n: Array) -> float:
    return float(
        np.mean(
            [hinge(apart(*each[:2]) - apart(each[0], each[2]) + 0.7) for each in zip(a, p, n, strict=True)]
        )
    )


def plain_quadruplet(q: Array, one: Array, two: Array, n: Array) -> float:
    losses = []
    for a, p1, p2, m in zip(q, one, two, n, strict=True):
        query = sum(hinge(apart(a, p) - apart(a, m) + 0.7) for p in (p1, p2))
        losses.append(query + sum(hinge(apart(p1, p2) - apart(p, m) + 0.7) for p in (p1, p2)))
    return float(np.mean(losses))


def plain_contrastive(scores: Array, positive: Array, forbidden: Array) -> float:
    losses = []
    for row, right, out in zip(scores, positive, forbidden, strict=True):
        total = sum(math.exp(s / 0.2) for s, o in zip(row, out, strict=True) if not o)
        losses.append(
            np.mean([-math.log(math.exp(s / 0.2) / total) for s, p in zip(row, right, strict=True) if p])
        )
    return float(np.mean(losses))


def plain_info_nce(queries: Array, papers: Array, forbidden: Array) -> float:
    each = np.exp(queries @ papers.T / 0.2) * ~forbidden
    own = np.diagonal(each)
    count = len(queries)
    forward = -np.log(own / each.sum(axis=1)).mean()
    return float(forward - 0.5 * np.log(own / each[:, :count].sum(axis=0)).mean())


POSITIVE = torch.tensor([[True, False, False, True], [False, True, False, False]])
FORBIDDEN = torch.tensor([[False, True, False, False], [False, False, False, False]])
PAIRS = torch.tensor([[False, True, False], [False, False, True]])


@pytest.mark.parametrize(
    ("loss", "reference", "tensors"),
    [
        (
            lambda a, p, n: triplet_margin(a, p, n, 0.7),
            plain_triplet,
            [drawn(3, 5, 4), drawn(4, 5, 4), drawn(5, 5, 4)],
        ),
        (
            lambda a, p, q, n: quadruplet(a, p, q, n, 0.7),
            plain_quadruplet,
            [drawn(6, 5, 4), drawn(7, 5, 4), drawn(8, 5, 4), drawn(9, 5, 4)],
        ),
        (
            lambda s: multi_positive_contrastive(s, POSITIVE, 0.2, FORBIDDEN),
            lambda s: plain_contrastive(s, POSITIVE.numpy(), FORBIDDEN.numpy()),
            [drawn(10, 2, 4)],
        ),
        (
            lambda s: n_pairs(s[:, 0], s[:, 1:], 0.2),
            lambda s: plain_contrastive(s, np.eye(3, 5, dtype=bool)[[0, 0, 0]], np.zeros((3, 5), dtype=bool)),
            [drawn(11, 3, 5)],
        ),
        (
            lambda q, p: info_nce(q, p, PAIRS, 0.2),
            lambda q, p: plain_info_nce(q, p, PAIRS.numpy()),
            [unit(drawn(12, 2, 4)), unit(drawn(13, 3, 4))],
        ),
    ],
    ids=["triplet", "quadruplet", "multi-positive", "n-pairs", "info-nce"],
)
def test_against_a_plain_reference(
    loss: Callable[..., Any], reference: Callable[..., float], tensors: list[Any]
) -> None:
    """The formula as it is written, term after term, gives the same; gradients are those of differences; and
    32 bits are enough."""
    wanted = reference(*(each.numpy() for each in tensors))
    assert loss(*tensors).item() == pytest.approx(wanted, rel=1e-12)
    assert loss(*(each.float() for each in tensors)).item() == pytest.approx(wanted, rel=1e-5)
    assert torch.autograd.gradcheck(loss, [each.clone().requires_grad_() for each in tensors])


def test_cosines_at_the_temperature_of_one_hundredth() -> None:
    """Exponents of ±100, in 32 bits: value and gradient are those of float64, in which exp does not overflow
    there, whichever candidates are positives; with them, the hybrid of two."""
    drawn64 = torch.from_numpy(np.random.default_rng(14).uniform(-1, 1, size=(6, 9)))
    positive = torch.from_numpy(np.random.default_rng(15).random((6, 9)) < 0.3)
    positive[:, 0] = True

    def losses(scores: Any) -> Any:
        general = multi_positive_contrastive(scores, positive, 0.01)
        return hybrid(general, n_pairs(scores[:, 0], scores[:, 1:], 0.01), 0.7)

    plain = 0.0
    for exact, row in zip(drawn64.numpy(), positive.numpy(), strict=True):
        likely = exact / 0.01 - math.log(sum(math.exp(each / 0.01) for each in exact))
        plain += 0.7 * -likely[row].mean() / 6 + 0.3 * -likely[0] / 6
    found = {}
    for dtype in (torch.float64, torch.float32):
        scores = drawn64.to(dtype, copy=True).requires_grad_()
        (loss := losses(scores)).backward()
        found[dtype] = (loss.item(), scores.grad.double())
    assert found[torch.float64][0] == pytest.approx(plain, rel=1e-12)
    assert found[torch.float32][0] == pytest.approx(plain, rel=1e-5)
    assert torch.allclose(found[torch.float32][1], found[torch.float64][1], rtol=1e-3, atol=1e-3)


# At the edges -----------------------------------------------------------------------------------------------


def no_pairs(count: int, papers: int) -> Any:
    return torch.zeros(count, papers, dtype=torch.bool)


def test_the_same_vector_has_a_gradient() -> None:
    """At distance 0 the root has no slope: the gradient is 0 there, and finite everywhere."""
    same = torch.zeros(1, 3, requires_grad=True)
    for loss in (
        triplet_margin(same, torch.zeros(1, 3), torch.zeros(1, 3), 1.0),
        quadruplet(same, torch.zeros(1, 3), torch.zeros(1, 3), torch.zeros(1, 3), 1.0),
    ):
        loss.backward()
        assert same.grad.tolist() == [[0, 0, 0]]


def test_large_scores_do_not_overflow() -> None:
    """Scores of a thousand at a temperature of 0.01 are beyond what exp can hold: the losses and their
    gradients are finite."""
    scores = torch.tensor([[1000.0, -1000.0, 999.0]], requires_grad=True)
    own, none = torch.tensor([[True, False, False]]), torch.zeros(1, 3, dtype=torch.bool)
    wrong = torch.tensor([[False, True, False]])
    found = [
        n_pairs(scores[:, 0], scores[:, 1:], 0.01),
        multi_positive_contrastive(scores, own, 0.01),
        multi_positive_contrastive(scores, wrong, 0.01, own),
        info_nce(scores, torch.eye(3)[[0]], none[:, :1], 0.01),
        two_class_cross_entropy(scores[:, :2], torch.tensor([False])),
    ]
    assert [each.item() for each in found] == [0, 0, pytest.approx(199_900), 0, 2000]
    torch.stack(found).sum().backward()
    assert bool(torch.isfinite(scores.grad).all())


# Several positives ------------------------------------------------------------------------------------------


def plain_multi_positive(
    objective: str, source: Array, target: Array, positives: Array, negatives: Array
) -> float:
    """Equations 4 to 6 of Zhang and Ma (2021) for one example, term by term, in float64."""

    def far(one: Array, other: Array) -> float:
        return float(np.sqrt(((one - other) ** 2).sum()))

    total = 1.0
    for negative in negatives:
        first = math.exp(far(source, target) - far(source, negative))
        if objective == "mpt-tgt" and len(positives):
            for positive in positives:
                total += first + math.exp(far(positive, target) - far(positive, negative))
            continue
        total += first
        if objective == "mpt-tgt":
            continue
        for positive in positives:
            total += math.exp(far(source, positive) - far(source, negative))
            if objective == "mpt-src-tgt":
                total += math.exp(far(target, positive) - far(target, negative))
    return math.log(total)


@pytest.mark.parametrize("objective", get_args(MultiPositive))
def test_multi_positive_triplets_are_the_formulas(objective: MultiPositive) -> None:
    """With none, some and all positives present, the mean over the examples equals the plain reference."""
    sources, targets = drawn(1, 4, 6), drawn(2, 4, 6)
    positives, negatives = drawn(3, 4, 3, 6), drawn(4, 4, 5, 6)
    present = torch.tensor([[True] * 3, [True, False, True], [False] * 3, [False, True, False]])
    found = multi_positive_triplet(objective, sources, targets, positives, present, negatives).item()
    expected = [
        plain_multi_positive(
            objective,
            sources[each].numpy(),
            targets[each].numpy(),
            positives[each][present[each]].numpy(),
            negatives[each].numpy(),
        )
        for each in range(4)
    ]
    assert found == pytest.approx(float(np.mean(expected)), abs=1e-6)


@pytest.mark.parametrize("objective", get_args(MultiPositive))
@pytest.mark.parametrize("size", [0.0, 1.0, 1e4])
def test_multi_positive_triplets_have_finite_gradients(objective: MultiPositive, size: float) -> None:
    """At distances of 0, where the root has no derivative, and of 1e4, where exp overflows."""
    shapes = ((2, 3), (2, 3), (2, 2, 3), (2, 4, 3))
    given = [(drawn(each, *shape) * size).float().requires_grad_() for each, shape in enumerate(shapes)]
    present = torch.ones(2, 2, dtype=torch.bool)
    loss = multi_positive_triplet(objective, given[0], given[1], given[2], present, given[3])
    loss.backward()
    assert math.isfinite(loss.item())
    assert all(bool(torch.isfinite(each.grad).all()) for each in given)


def test_multi_positive_triplets_at_large_distances() -> None:
    """A negative at distance 0 and a target at 1e4: the loss is that difference, not infinity."""
    source, negative = torch.zeros(1, 2), torch.zeros(1, 1, 2)
    target = torch.tensor([[1e4, 0.0]])
    none = torch.zeros(1, 1, dtype=torch.bool)
    loss = multi_positive_triplet("mpt-src-tgt", source, target, torch.zeros(1, 1, 2), none, negative)
    assert loss.item() == pytest.approx(1e4)
