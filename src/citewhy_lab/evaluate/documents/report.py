"""The report on benchmarks of paper embeddings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from citewhy.base.errors import QueryError
from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from citewhy_lab.evaluate.documents.scoring import Score
from citewhy_lab.evaluate.pages import markdown_page, text_page

__all__ = ["DocumentsReport"]


@dataclass(frozen=True, slots=True)
class DocumentsReport:
    """An `Outcome`: figures in [0, 1] by task and measure."""

    benchmark: str
    file: str
    system: str
    scores: Sequence[Score]
    seed: int
    notes: Sequence[str] = ()
    made: Mapping[str, Any] = field(default_factory=dict)
    peak_rss_mb: float | None = None

    def document(self) -> dict[str, Any]:
        """The JSON document; `docs/evaluation.md` explains its fields."""
        return {
            "task": "documents",
            "benchmark": self.benchmark,
            "file": self.file,
            "system": self.system,
            "measures": {_name(score): score.value for score in self.scores},
            "intervals": self._intervals(),
            "queries": {_name(score): len(score.queries) for score in self.scores if score.queries},
            "peak_rss_mb": self.peak_rss_mb,
            "notes": list(self.notes),
            "made": dict(self.made),
        }

    def text(self) -> str:
        """For a terminal of 80 columns."""
        return text_page(f"{self.benchmark}: {self.file}", (), self._rows(), self.notes)

    def markdown(self) -> str:
        """A heading, a table and notes."""
        return markdown_page(f"{self.benchmark}: {self.file}", (), self._rows(), self.notes)

    def run(self) -> bytes:
        raise QueryError(
            "the task documents has no run", hint="omit --run; --write-embeddings writes vectors"
        )

    def plot(self) -> str:
        raise QueryError("the task documents has no diagram", hint="omit --plot")

    def _intervals(self) -> dict[str, tuple[float, float]]:
        found = {}
        for score in self.scores:
            if score.queries:
                sums = np.array(score.queries)
                found[_name(score)] = interval(resampled_means(sums, np.ones(len(sums)), self.seed))
        return found

    def _rows(self) -> list[list[str]]:
        intervals = self._intervals()
        rows = [["task", "measure", self.system, "95 %"]]
        for score in self.scores:
            limits = intervals.get(_name(score))
            shown = "" if limits is None else "-".join(map(_number, limits))
            rows.append([score.task, score.measure, _number(score.value), shown])
        return rows


def _name(score: Score) -> str:
    return f"{score.measure}/{score.task}"


def _number(value: float) -> str:
    """``.413``"""
    return f"{value:.3f}".replace("0.", ".", 1)
