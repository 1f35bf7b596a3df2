"""The loss of the encoder, worked out by hand."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch", reason="needs the extra train")

from citewhy.train.contrastive import info_nce  # noqa: E402


def test_by_hand() -> None:
    """Two queries, two answers, one hard negative; similarities (1, 0, 0.6) and (0, 1, 0.8) at temperature 1.

    Forward: −log(e¹ / (e¹ + e⁰ + e^0.6)) and −log(e¹ / (e⁰ + e¹ + e^0.8)), averaged. Backward, without the
    negative: −log(e¹ / (e¹ + e⁰)) twice, with weight one half.
    """
    vectors = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    papers = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    loss = info_nce(vectors, papers, torch.zeros(2, 3, dtype=torch.bool), 1.0)
    forward = (math.log(math.e + 1 + math.exp(0.6)) + math.log(math.e + 1 + math.exp(0.8))) / 2 - 1
    backward = math.log(math.e + 1) - 1
    assert float(loss) == pytest.approx(forward + 0.5 * backward, abs=1e-6)


def test_forbidden_pairs_do_not_count() -> None:
    """What is masked is as if it were not there, forwards and backwards; nothing flows back through it."""
    vectors = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    papers = torch.tensor([[0.8, 0.6], [1.0, 0.0], [0.6, 0.8]], requires_grad=True)
    mask = torch.tensor([[False, True, True], [False, False, False]])
    loss = info_nce(vectors, papers, mask, 0.5)
    second = math.log(math.exp(1.2) + math.exp(0) + math.exp(1.6)) - 0
    backward_first = math.log(math.exp(1.6) + math.exp(1.2)) - 1.6
    assert float(loss.detach()) == pytest.approx((0 + second) / 2 + 0.5 * (backward_first + 0) / 2, abs=1e-6)
    loss.backward()
    assert bool(torch.isfinite(papers.grad).all())
    assert float(papers.grad[1, 0]) == pytest.approx(0.0, abs=1e-7)  # the masked query is [1, 0]


def test_temperature() -> None:
    """Half the temperature, twice the differences: a right answer that is ahead counts as surer."""
    vectors = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    papers = torch.tensor([[0.8, 0.6], [0.6, 0.8]])
    mask = torch.zeros(2, 2, dtype=torch.bool)
    warm, cold = (float(info_nce(vectors, papers, mask, each)) for each in (0.1, 0.05))
    assert warm == pytest.approx(1.5 * math.log(1 + math.exp(-2)), abs=1e-6)
    assert cold == pytest.approx(1.5 * math.log(1 + math.exp(-4)), abs=1e-6)
