"""Measures of classifiers. If an example has several true labels, any of them is a correct answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy
from numpy.typing import NDArray

from citewhy_lab.evaluate.bootstrap import LEVEL, RESAMPLES, interval

Counts = NDArray[numpy.float64]


def f1_by_label(answers: Sequence[str], truth: Sequence[Sequence[str]]) -> Mapping[str, float]:
    """Computes the F1 of each label that is true of an example, in alphabetical order.

    A wrong answer is a miss of all true labels: with one true label each, this is the usual F1. An answer
    with a label that no example has counts only as a miss of the true ones.
    """
    labels = sorted({label for true_labels in truth for label in true_labels})
    pairs = list(zip(answers, truth, strict=True))
    f1: dict[str, float] = {}
    for label in labels:
        hits = sum(answer == label and label in true_labels for answer, true_labels in pairs)
        real = sum(
            label in true_labels and (answer == label or answer not in true_labels)
            for answer, true_labels in pairs
        )
        named = sum(answer == label for answer in answers)
        f1[label] = 2 * hits / (named + real) if named + real else 0.0
    return f1


def macro_f1(answers: Sequence[str], truth: Sequence[Sequence[str]]) -> float:
    """Averages `f1_by_label`: rare labels count as much as common ones. 0 without examples."""
    f1 = f1_by_label(answers, truth)
    return sum(f1.values()) / max(len(f1), 1)


def accuracy(answers: Sequence[str], truth: Sequence[Sequence[str]]) -> float:
    """Computes the share of correct answers; 0 without examples."""
    hits = sum(answer in true_labels for answer, true_labels in zip(answers, truth, strict=True))
    return hits / max(len(answers), 1)


def interval_of_f1(answers: Sequence[str], truth: Sequence[str], seed: int) -> tuple[float, float]:
    """Estimates the 95 % interval of macro-F1 by a percentile bootstrap over examples. Labels that a resample
    lacks are not averaged."""
    names = sorted({*answers, *truth})
    answered, true = (numpy.array([names.index(label) for label in labels]) for labels in (answers, truth))
    labels = sorted({names.index(label) for label in truth})
    random = numpy.random.default_rng(seed)
    values: list[float] = []
    for _ in range(RESAMPLES):
        drawn = random.integers(0, len(answered), len(answered))
        values.append(_macro_f1(answered[drawn], true[drawn], labels))
    low, high = numpy.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _macro_f1(answered: NDArray[numpy.int64], true: NDArray[numpy.int64], labels: Sequence[int]) -> float:
    scores = []
    for label in labels:
        hits = int(((answered == label) & (true == label)).sum())
        total = int((answered == label).sum() + (true == label).sum())
        if (true == label).any():
            scores.append(2 * hits / total)
    return sum(scores) / len(scores)


# Labels of sentences that come in groups ------------------------------------------------------------------


def label_counts(
    answers: Sequence[str], truth: Sequence[str], groups: Sequence[str], labels: Sequence[str]
) -> Counts:
    """Counts [groups, true label, answer] the answers; `groups` are the papers that the sentences are of."""
    column = {label: number for number, label in enumerate(labels)}
    row = {name: number for number, name in enumerate(dict.fromkeys(groups))}
    counts = numpy.zeros((len(row), len(column), len(column)))
    for name, true, answer in zip(groups, truth, answers, strict=True):
        counts[row[name], column[true], column[answer]] += 1
    return counts


def label_measures(counts: Counts, labels: Sequence[str]) -> dict[str, float]:
    """Computes macro-F1, accuracy, and the F1 of each label, from `counts` [true label, answer]. A label that
    neither occurs nor is answered has F1 0 and is left out of the macro average."""
    hits, true, named = numpy.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
    f1 = 2 * hits / numpy.maximum(true + named, 1e-12)
    used = true + named > 0
    return {
        "macro-F1": float(f1[used].mean()) if used.any() else 0.0,
        "accuracy": float(hits.sum() / max(counts.sum(), 1e-12)),
        **{f"F1/{label}": float(value) for label, value in zip(labels, f1, strict=True)},
    }


def label_intervals(counts: Counts, labels: Sequence[str], seed: int) -> dict[str, tuple[float, float]]:
    """Estimates the 95 % interval of each of the `label_measures`, by a bootstrap over the groups of `counts`
    [groups, true label, answer]."""
    random = numpy.random.default_rng(seed)
    groups = len(counts)
    drawn = random.multinomial(groups, numpy.full(groups, 1 / groups), size=RESAMPLES)
    resampled = numpy.tensordot(drawn.astype(numpy.float64), counts, axes=1)
    samples = [label_measures(sample, labels) for sample in resampled]
    return {name: interval(numpy.array([sample[name] for sample in samples])) for name in samples[0]}
