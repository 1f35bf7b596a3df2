"""The report on a classifier of sentences: F1 by label, macro-F1, accuracy, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from citewhy.base.errors import QueryError
from citewhy_lab.evaluate.bootstrap import RESAMPLES, interval
from citewhy_lab.evaluate.pages import markdown_page, text_page
from citewhy_lab.evaluate.plots import dot_plot, svg

__all__ = ["LabelReport", "label_measures"]

Counts = NDArray[numpy.float64]


def label_measures(counts: Counts, labels: Sequence[str]) -> dict[str, float]:
    """Macro-F1, accuracy, and the F1 of each label, from `counts` [true label, answer]. A label that neither
    occurs nor is answered has F1 0 and is left out of the macro average."""
    hits, true, named = numpy.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
    f1 = 2 * hits / numpy.maximum(true + named, 1e-12)
    there = true + named > 0
    return {
        "macro-F1": float(f1[there].mean()) if there.any() else 0.0,
        "accuracy": float(hits.sum() / max(counts.sum(), 1e-12)),
        **{f"F1/{label}": float(value) for label, value in zip(labels, f1, strict=True)},
    }


@dataclass(frozen=True, slots=False)
class LabelReport:
    """The answers of a classifier for n sentences, with the true labels and the groups (papers) that they
    belong to. Intervals are those of a bootstrap over groups."""

    task: str
    file: str
    model: str
    labels: Sequence[str]
    answers: Sequence[str]
    truth: Sequence[str]
    groups: Sequence[str]
    seed: int
    seconds: float = 0.0
    """Wall time of all answers."""
    peak_rss_mb: float | None = None
    notes: Sequence[str] = ()
    made: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def counts(self) -> Counts:
        """[groups, true label, answer]"""
        place = {label: number for number, label in enumerate(self.labels)}
        group = {name: number for number, name in enumerate(dict.fromkeys(self.groups))}
        found = numpy.zeros((len(group), len(place), len(place)))
        for name, true, answer in zip(self.groups, self.truth, self.answers, strict=True):
            found[group[name], place[true], place[answer]] += 1
        return found

    def document(self) -> dict[str, Any]:
        """The JSON document; `docs/evaluation.md` explains its fields."""
        return {
            "task": self.task,
            "file": self.file,
            "model": self.model,
            "queries": len(self.truth),
            "groups": len(self.counts),
            "measures": label_measures(self.counts.sum(axis=0), self.labels),
            "intervals": self._intervals(),
            "confusion": {
                label: dict(zip(self.labels, row, strict=True))
                for label, row in zip(self.labels, self.counts.sum(axis=0).astype(int).tolist(), strict=True)
            },
            "seconds_per_query": {"mean": self.seconds / max(len(self.truth), 1)},
            "peak_rss_mb": self.peak_rss_mb,
            "notes": list(self.notes),
            "made": dict(self.made),
        }

    def text(self) -> str:
        """For a terminal of 80 columns."""
        return text_page(f"{self.task}: {self.file}", self._facts(), self._rows(), self.notes)

    def markdown(self) -> str:
        """A heading, a table and notes."""
        return markdown_page(f"{self.task}: {self.file}", self._facts(), self._rows(), self.notes)

    def run(self) -> bytes:
        """Raises QueryError."""
        raise QueryError(f"the task {self.task} ranks no papers", hint="leave --run out")

    def plot(self) -> str:
        """Precision, recall and F1 of each label."""
        counts = self.counts.sum(axis=0)
        hits, true, named = numpy.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
        shares = [hits / numpy.maximum(total, 1) for total in (named, true, (named + true) / 2)]
        rows = [
            (self.task, label, [float(share[place]) for share in shares])
            for place, label in enumerate(self.labels)
        ]
        return svg(dot_plot(f"{self.task}: {self.file}", ("precision", "recall", "F1"), rows))

    def _intervals(self) -> dict[str, tuple[float, float]]:
        random = numpy.random.default_rng(self.seed)
        groups = len(self.counts)
        drawn = random.multinomial(groups, numpy.full(groups, 1 / groups), size=RESAMPLES)
        resampled = numpy.tensordot(drawn.astype(numpy.float64), self.counts, axes=1)
        each = [label_measures(counts, self.labels) for counts in resampled]
        return {name: interval(numpy.array([found[name] for found in each])) for name in each[0]}

    def _facts(self) -> list[str]:
        return [
            f"{len(self.truth):,} sentences of {len(self.counts):,} papers; {self.model}",
            "intervals: 95 %, bootstrap over papers",
        ]

    def _rows(self) -> list[list[str]]:
        document = self.document()
        rows = [
            [name, _number(value), "-".join(map(_number, document["intervals"][name]))]
            for name, value in document["measures"].items()
        ]
        return [["measure", "value", "95 %"], *rows]


def _number(value: float) -> str:
    """``.413``"""
    return f"{value:.3f}".removeprefix("0")
