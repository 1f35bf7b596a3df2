"""Measures of classifiers. If an example has several true labels, any of them is a correct answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["accuracy", "f1_by_label", "macro_f1"]


def f1_by_label(answers: Sequence[str], truth: Sequence[Sequence[str]]) -> Mapping[str, float]:
    """F1 of each label that is true of an example, in alphabetical order.

    A wrong answer is a miss of all true labels: with one true label each, this is the usual F1. An answer
    with a label that no example has counts only as a miss of the true ones.
    """
    labels = sorted({label for each in truth for label in each})
    pairs = list(zip(answers, truth, strict=True))
    found: dict[str, float] = {}
    for label in labels:
        hits = sum(answer == label and label in each for answer, each in pairs)
        real = sum(label in each and (answer == label or answer not in each) for answer, each in pairs)
        named = sum(answer == label for answer in answers)
        found[label] = 2 * hits / (named + real) if named + real else 0.0
    return found


def macro_f1(answers: Sequence[str], truth: Sequence[Sequence[str]]) -> float:
    """The mean of `f1_by_label`: rare labels count as much as common ones. 0 without examples."""
    found = f1_by_label(answers, truth)
    return sum(found.values()) / max(len(found), 1)


def accuracy(answers: Sequence[str], truth: Sequence[Sequence[str]]) -> float:
    """The share of correct answers. 0 without examples."""
    hits = sum(answer in each for answer, each in zip(answers, truth, strict=True))
    return hits / max(len(answers), 1)
