"""Quality of cross-validated scores, and the scaling that makes them probabilities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.ranking.classify.scaling import Scaling
from citewhy_lab.evaluate.classification import accuracy, f1_by_label, macro_f1
from citewhy_lab.train.classifier.data import Data, Doubles, Parts

_SHIFT_PENALTY = 1e-4
"""Penalty of the squared shifts, which decides if the examples do not."""


def cross_entropy(scores: Doubles, truth: Doubles) -> tuple[float, Doubles]:
    """The mean over examples of −log softmax(scores)_label, with `truth` [n, L], rows that sum to 1; and its
    slopes [n, L] by the `scores` [n, L]."""
    scaled = scores - scores.max(axis=1, keepdims=True)
    likely = scaled - np.log(np.exp(scaled).sum(axis=1, keepdims=True))
    return -float((truth * likely).sum()) / len(truth), (np.exp(likely) - truth) / len(truth)


def fit_scaling(scores: Doubles, truth: Doubles) -> Scaling:
    """The slope and the shifts with the greatest likelihood of `truth` [n, L], rows that sum to 1, given
    `scores` [n, L]."""
    from scipy.optimize import minimize

    def loss(parameters: Doubles) -> tuple[float, Doubles]:
        slope, shift = np.exp(parameters[0]), parameters[1:]
        value, wrong = cross_entropy(slope * scores + shift, truth)
        value += _SHIFT_PENALTY * float(shift @ shift)
        of_shift = wrong.sum(axis=0) + 2 * _SHIFT_PENALTY * shift
        return value, np.concatenate([[slope * float((wrong * scores).sum())], of_shift])

    fitted = minimize(loss, np.zeros(1 + truth.shape[1]), jac=True, method="L-BFGS-B").x
    return Scaling(round(float(np.exp(fitted[0])), 5), [round(each, 5) for each in fitted[1:].tolist()])


def quality(data: Data, scores: Doubles, parts: Parts) -> Mapping[str, Any]:
    """Quality of the answers and of the probabilities; those of a fold are scaled by the other folds."""
    truth, answers = data.true_labels, data.answers(scores)
    chances = np.zeros_like(scores)
    for part in np.unique(parts).tolist():
        tested = parts == part
        chances[tested] = fit_scaling(scores[~tested], data.truth[~tested])(scores[tested])
    probable = data.answers(chances)
    commonest, _ = Counter(label for each in truth for label in each).most_common(1)[0]
    hits = np.array([answer in each for answer, each in zip(probable, truth, strict=True)])
    likely = (data.truth * np.log(np.maximum(chances, 1e-12))).sum(axis=1)
    return {
        "folds": int(parts.max()) + 1,
        "macro-F1": round(macro_f1(answers, truth), 4),
        "F1": {label: round(value, 4) for label, value in f1_by_label(answers, truth).items()},
        "accuracy": round(accuracy(answers, truth), 4),
        "commonest label": {
            "macro-F1": round(macro_f1([commonest] * len(truth), truth), 4),
            "accuracy": round(accuracy([commonest] * len(truth), truth), 4),
        },
        "probabilities": {
            "accuracy": round(float(hits.mean()), 4),
            "log loss": round(-float(likely.mean()), 4),
            "calibration error": round(calibration_error(chances.max(axis=1), hits), 4),
        },
    }


def calibration_error(chances: Doubles, hits: NDArray[np.bool_]) -> float:
    """Expected calibration error (Guo et al. 2017) of answers [n] with probabilities `chances` [n]: in ten
    bins of equal width, the distance of the mean probability from the share that is right, weighted by the
    number of answers."""
    bins = np.minimum((chances * 10).astype(np.int64), 9)
    error = 0.0
    for number in np.unique(bins).tolist():
        inside = bins == number
        error += float(inside.mean()) * abs(float(hits[inside].mean()) - float(chances[inside].mean()))
    return error


def summary(facts: Mapping[str, Any]) -> Iterator[str]:
    """The cross-validated quality of a classifier whose manifest has `facts`, in lines for people."""
    measured = facts["cross_validated"]
    counts = ", ".join(f"{label} {count:,}" for label, count in facts["labels"].items())
    always = measured["commonest label"]["macro-F1"]
    yield f"examples   {facts['examples']:,} in {facts['groups']:,} groups: {counts}"
    folds = f"{measured['macro-F1']:.3f}, {measured['folds']} folds"
    yield f"macro-F1   {folds}; always the commonest label: {always:.3f}"
    for label, f1 in measured["F1"].items():
        yield f"  {label:20} {f1:.3f}"
    chances = measured["probabilities"]
    yield f"accuracy   {measured['accuracy']:.3f}; of the most probable label {chances['accuracy']:.3f}"
    yield f"           its probability is off by {chances['calibration error']:.3f} on average (ECE)"
