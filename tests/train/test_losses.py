"""Losses, worked out by hand."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch")

from citewhy.train.losses import score_triplet, sentence_triplets, two_class_entropy  # noqa: E402


def test_score_triplet() -> None:
    """Distances to the margin of 1: 0 - 2 + 1 is none, 2 - 2 + 1 is 1; their mean is one half."""
    assert score_triplet(torch.tensor([2.0]), torch.tensor([[0.0, 2.0]]), 1.0).item() == 0.5


def test_every_pair_of_a_sentence_counts_once() -> None:
    """Right 3 and 1 against wrong 1: 1 - 3 + 1 is none, 1 - 1 + 1 is 1. The second row is not there."""
    right, wrong = torch.tensor([[3.0, 1.0], [0.0, 0.0]]), torch.tensor([[1.0], [9.0]])
    there = torch.tensor([[[True], [True]], [[False], [False]]])
    assert sentence_triplets(right, wrong, there, 1.0).item() == 0.5
    assert sentence_triplets(right, wrong, torch.zeros_like(there), 1.0).item() == 0


def test_one_right_answer_is_the_usual_triplet() -> None:
    """With one true sentence and nothing missing, both losses are one."""
    right, wrong = torch.tensor([0.3, -1.0]), torch.tensor([[0.1, 2.0], [0.4, -3.0]])
    there = torch.ones(2, 1, 2, dtype=torch.bool)
    assert sentence_triplets(right[:, None], wrong, there, 0.5) == score_triplet(right, wrong, 0.5)


def test_two_class_entropy() -> None:
    """Softmax of (ln 3, 0) is (3/4, 1/4): the mean of -ln 3/4 for a true sentence and -ln 1/4 for another."""
    logits = torch.tensor([[math.log(3), 0.0], [math.log(3), 0.0]])
    found = two_class_entropy(logits, torch.tensor([True, False])).item()
    assert found == pytest.approx((math.log(4 / 3) + math.log(4)) / 2)
