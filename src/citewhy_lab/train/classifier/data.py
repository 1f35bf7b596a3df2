"""Labelled sentences, from a file of JSON lines; as arrays, with their weights, and the folds of a cross-
validation; the quality of its scores, and the scaling that makes them probabilities."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.base.records import SentenceInContext
from citewhy.ranking.classify.features import Features
from citewhy.ranking.classify.scaling import Scaling
from citewhy.ranking.classify.vectorizer import Vectorizer
from citewhy.search.encode.encoder import Encoder, Vectors
from citewhy.text.markers import TARGET
from citewhy_lab.evaluate.classification import accuracy, f1_by_label, macro_f1
from citewhy_lab.evaluate.datasets.lines import Line, every_object

Doubles = NDArray[np.float64]

Parts = NDArray[np.int64]
"""[n] the fold in which each example is tested."""


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence with its labels."""

    sentence: SentenceInContext
    labels: tuple[str, ...]
    """The true labels, at least one; several share the example's weight."""
    group: str
    """Examples of one group, such as the sentences of a paper, are in the same fold."""


@dataclass(frozen=True, slots=True)
class FieldNames:
    """Names of the fields of a row; empty if there is none."""

    text: str
    label: str
    group: str
    previous: str = ""
    next: str = ""
    section: str = ""
    position: str = ""
    citing: str = ""
    marker: str = ""
    """``[start, end]``, characters of the citation that the label is about: it becomes ``TARGETCIT``."""


@dataclass(frozen=True, slots=True)
class Data:
    """n examples with L labels."""

    examples: Sequence[Example]
    labels: tuple[str, ...]
    vectors: Vectors
    """[n, d] of the encoder; d is 0 without one. They are computed once for all models."""
    encoder: Encoder | None = None

    @classmethod
    def of(
        cls,
        examples: Sequence[Example],
        features: Features,
        labels: Sequence[str] = (),
        encoder: Encoder | None = None,
    ) -> Data:
        """Returns the examples with `labels` in the desired order; by default alphabetical."""
        names = tuple(labels) or tuple(sorted({label for example in examples for label in example.labels}))
        sentences = [example.sentence for example in examples]
        without_names = Vectorizer(features, (), idf=np.zeros(0, dtype=np.float32), encoder=encoder)
        return cls(examples, names, without_names.dense(sentences), encoder)

    @property
    def truth(self) -> Doubles:
        """[n, L] rows that sum to 1: true labels share an example."""
        rows = [[float(label in example.labels) for label in self.labels] for example in self.examples]
        truth: Doubles = np.array(rows).reshape(len(rows), len(self.labels))
        truth /= truth.sum(axis=1, keepdims=True)
        return truth

    @property
    def true_labels(self) -> list[tuple[str, ...]]:
        """[n] the labels of each example."""
        return [example.labels for example in self.examples]

    def answers(self, scores: Doubles) -> list[str]:
        """[n] the labels with the highest of `scores` [n, L]."""
        return [self.labels[label] for label in scores.argmax(axis=1).tolist()]

    def take(self, rows: NDArray[np.int64]) -> Data:
        """Returns the examples in `rows`."""
        chosen = [self.examples[row] for row in rows.tolist()]
        return Data(chosen, self.labels, self.vectors[rows], self.encoder)

    def vectorizer(self, features: Features, least: int, buckets: int) -> Vectorizer:
        """Returns a vectorizer fitted to these examples."""
        sentences = [example.sentence for example in self.examples]
        return Vectorizer.learn(features, sentences, least, buckets, self.encoder)

    def matrix(self, vectorizer: Vectorizer) -> Any:
        """[n, width] scipy's sparse matrix of all features."""
        from scipy import sparse

        rows = vectorizer.sparse(example.sentence for example in self.examples)
        shape = (len(self.examples), vectorizer.columns)
        named = sparse.csr_matrix((rows.values.astype(np.float64), rows.columns, rows.starts), shape=shape)
        if not self.vectors.shape[1]:
            return named
        return sparse.hstack([named, sparse.csr_matrix(self.vectors.astype(np.float64))], format="csr")


def importance(truth: Doubles, balance: float) -> Doubles:
    """[n] weights of the examples, of mean 1: one over the share of their labels, to the power `balance`."""
    shares = np.maximum(truth.mean(axis=0), 1e-6)
    weights: Doubles = truth @ shares**-balance
    weights /= weights.mean()
    return weights


def folds(data: Data, count: int, seed: int) -> Parts:
    """Folds 0 to `count` − 1 (fewer if there are fewer groups): examples of one group are in one fold, and
    labels are distributed evenly."""
    from sklearn.model_selection import StratifiedGroupKFold

    groups = [example.group for example in data.examples]
    first = [example.labels[0] for example in data.examples]
    splitter = StratifiedGroupKFold(min(count, len(set(groups))), shuffle=True, random_state=seed)
    parts = np.zeros(len(groups), dtype=np.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a label with fewer examples than parts
        for part, (_, tested) in enumerate(splitter.split(np.zeros(len(groups)), first, groups)):
            parts[tested] = part
    return parts


def of_folds(progress: Progress, parts: Parts) -> Iterator[tuple[int, Progress]]:
    """Yields the folds, each with a callback that says which it is."""
    count = int(parts.max()) + 1
    for part in range(count):

        def report(what: str, share: float | None, part: int = part) -> None:
            progress(f"part {part + 1} of {count}: {what}", share)

        yield part, report


# Reading ---------------------------------------------------------------------------------------------------


def read_examples(path: Path, names: FieldNames, only: Mapping[str, str] | None = None) -> list[Example]:
    """Returns the rows whose fields have the values in `only`; a row without a group is a group of its own.

    Raises InputError with file and line for a row that is not a JSON object, or has no text or no label (a
    string, or a list of strings), and for a file without such rows.
    """
    asked = dict(only or {})
    examples = [
        _example(line, names)
        for line in every_object(path)
        if all(str(line.fields.get(name, "")) == value for name, value in asked.items())
    ]
    if not examples:
        wanted = ", ".join(f"{name}={value}" for name, value in asked.items())
        raise InputError(f"no rows {f'with {wanted} ' if wanted else ''}are in this file", path=path)
    return examples


def _example(line: Line, names: FieldNames) -> Example:
    value = line.fields.get(names.label)
    labels = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else ()
    if not labels or not all(isinstance(label, str) and label for label in labels):
        raise line.error(f"no label in {names.label!r}", hint="a string, or a list of strings, is expected")
    text = _marked(line, line.text(names.text), names.marker)
    group = line.fields.get(names.group)
    return Example(
        SentenceInContext(
            text,
            _optional(line, names.previous),
            _optional(line, names.next),
            _optional(line, names.section),
            _position(line, names.position),
            _optional(line, names.citing),
        ),
        labels,
        f"line {line.number}" if group in (None, "") else str(group),
    )


def _marked(line: Line, text: str, name: str) -> str:
    value: Any = line.fields.get(name) if name else None
    if value is None:
        return text
    if (
        not isinstance(value, list)
        or [type(position) for position in value] != [int, int]
        or not 0 <= value[0] <= value[1] <= len(text)
    ):
        raise line.error(f"{name!r} is no place in the text", hint="give [start, end], counted from 0")
    return f"{text[: value[0]]} {TARGET} {text[value[1] :]}"


def _optional(line: Line, name: str) -> str:
    """Returns a text that may be missing, or null."""
    value: Any = line.fields.get(name, "") if name else ""
    if value is not None and not isinstance(value, str):
        raise line.error(f"{name!r} is no text", hint="give a string, or leave it out")
    return value or ""


def _position(line: Line, name: str) -> float | None:
    value: Any = line.fields.get(name) if name else None
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise line.error(f"{name!r} is no position", hint="give a share of the document, from 0 to 1")
    return float(value)


# Quality -------------------------------------------------------------------------------------------------


_SHIFT_PENALTY = 1e-4
"""Penalty of the squared shifts, which decides if the examples do not."""


def cross_entropy(scores: Doubles, truth: Doubles) -> tuple[float, Doubles]:
    """Returns the mean over examples of −log softmax(scores)_label, with `truth` [n, L], rows that sum to 1;
    and its slopes [n, L] by the `scores` [n, L]."""
    scaled = scores - scores.max(axis=1, keepdims=True)
    likely = scaled - np.log(np.exp(scaled).sum(axis=1, keepdims=True))
    return -float((truth * likely).sum()) / len(truth), (np.exp(likely) - truth) / len(truth)


def fit_scaling(scores: Doubles, truth: Doubles) -> Scaling:
    """Returns the slope and the shifts with the greatest likelihood of `truth` [n, L], rows that sum to 1,
    given `scores` [n, L]."""
    from scipy.optimize import minimize

    def loss(parameters: Doubles) -> tuple[float, Doubles]:
        slope, shift = np.exp(parameters[0]), parameters[1:]
        value, wrong = cross_entropy(slope * scores + shift, truth)
        value += _SHIFT_PENALTY * float(shift @ shift)
        of_shift = wrong.sum(axis=0) + 2 * _SHIFT_PENALTY * shift
        return value, np.concatenate([[slope * float((wrong * scores).sum())], of_shift])

    fitted = minimize(loss, np.zeros(1 + truth.shape[1]), jac=True, method="L-BFGS-B").x
    return Scaling(round(float(np.exp(fitted[0])), 5), [round(offset, 5) for offset in fitted[1:].tolist()])


def quality(data: Data, scores: Doubles, parts: Parts) -> Mapping[str, Any]:
    """Quality of the answers and of the probabilities; those of a fold are scaled by the other folds."""
    truth, answers = data.true_labels, data.answers(scores)
    chances = np.zeros_like(scores)
    for part in np.unique(parts).tolist():
        tested = parts == part
        chances[tested] = fit_scaling(scores[~tested], data.truth[~tested])(scores[tested])
    probable = data.answers(chances)
    commonest, _ = Counter(label for true_labels in truth for label in true_labels).most_common(1)[0]
    hits = np.array([answer in true_labels for answer, true_labels in zip(probable, truth, strict=True)])
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
    """Yields the cross-validated quality of a classifier whose manifest has `facts`, in lines for people."""
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
