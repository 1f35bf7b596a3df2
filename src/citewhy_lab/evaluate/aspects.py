"""Scores and reports of the task `aspects`: rankings of a few papers for one aspect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy
from numpy.typing import NDArray

from citewhy.base.errors import QueryError
from citewhy_lab.evaluate.bootstrap import intervals
from citewhy_lab.evaluate.compare import Difference, compare
from citewhy_lab.evaluate.measures import Doubles, Scores
from citewhy_lab.evaluate.pages import markdown_page, text_page
from citewhy_lab.evaluate.runs import Ranking, trec

__all__ = ["AspectReport", "Judged", "Measured", "average_precision", "pairs_in_order"]


@dataclass(frozen=True, slots=True)
class Judged:
    """A system's answer to one question."""

    query_id: str
    aspect: str
    """Of the question: an intent, or a facet."""
    values: Mapping[str, float]
    """By measure; the same measures for all questions."""
    ranking: Sequence[str] = ()
    """The candidates, best first."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A system's answers to all questions."""

    name: str
    judged: Sequence[Judged]

    def scores(self, aspect: str = "") -> Scores:
        """Those of one aspect, or of all; each question counts once."""
        chosen = [each for each in self.judged if aspect in ("", each.aspect)]
        names = list(chosen[0].values) if chosen else []
        sums: dict[str, Doubles] = {
            name: numpy.array([each.values[name] for each in chosen], dtype=numpy.float64) for name in names
        }
        return Scores(tuple(each.query_id for each in chosen), numpy.ones(len(chosen)), sums)


def pairs_in_order(relevant: NDArray[Any], others: NDArray[Any]) -> float:
    """The share of the pairs of a relevant paper and another one in which the relevant one has the higher
    score; equal scores count half. `relevant` [r] and `others` [o] are the scores, neither empty."""
    difference = relevant[:, None] - others[None, :]
    return float((difference > 0).mean() + (difference == 0).mean() / 2)


def average_precision(relevant: NDArray[Any], others: NDArray[Any]) -> float:
    """Average precision of the ranking by the scores; at equal scores, the other papers come first."""
    best_first = numpy.sort(relevant)[::-1]
    hits = numpy.arange(1, len(best_first) + 1)
    ahead = (others[None, :] >= best_first[:, None]).sum(axis=1)
    return float((hits / (hits + ahead)).mean())


@dataclass(frozen=True, slots=True)
class AspectReport:
    """The complete report on an evaluation of the task `aspects`."""

    file: str
    aspects: Sequence[str]
    """In the order of the rows of the table."""
    system: Measured
    seed: int
    baseline: Measured | None = None
    notes: Sequence[str] = ()
    made: Mapping[str, Any] = field(default_factory=dict)
    peak_rss_mb: float | None = None

    def document(self) -> dict[str, Any]:
        """The JSON document; `docs/evaluation.md` explains its fields."""
        counts = {name: len(self.system.scores(name).query_ids) for name in self.aspects}
        against = {}
        if self.baseline is not None:
            against = {
                "baseline": self._column(self.baseline),
                "difference": {name: asdict(found) for name, found in self._differences().items()},
            }
        return {
            "task": "aspects",
            "file": self.file,
            "queries": len(self.system.judged),
            "by_aspect": counts,
            "average": "queries",
            **self._column(self.system),
            **against,
            "peak_rss_mb": self.peak_rss_mb,
            "notes": list(self.notes),
            "made": dict(self.made),
        }

    def text(self) -> str:
        """For a terminal of 80 columns."""
        return text_page(self._title(), self._facts(), self._rows(), self.notes)

    def markdown(self) -> str:
        """A heading, a table and notes."""
        return markdown_page(self._title(), self._facts(), self._rows(), self.notes)

    def run(self) -> bytes:
        """The candidates of each question; scores are minus the rank."""
        found = {
            each.query_id: Ranking(
                tuple(each.ranking), [-float(rank + 1) for rank in range(len(each.ranking))]
            )
            for each in self.system.judged
            if each.ranking
        }
        if not found:
            raise QueryError("nothing was ranked")
        return trec(found, self.system.name)

    def plot(self) -> str:
        raise QueryError("the task aspects has no diagram", hint="omit --plot")

    def _column(self, measured: Measured) -> dict[str, Any]:
        measures: dict[str, float] = {}
        limits: dict[str, tuple[float, float]] = {}
        for aspect in (*self.aspects, ""):
            scores = measured.scores(aspect)
            if scores.query_ids:
                end = f"/{aspect}" if aspect else ""
                measures |= {f"{name}{end}": value for name, value in scores.means().items()}
                limits |= {f"{name}{end}": found for name, found in intervals(scores, self.seed).items()}
        return {"system": measured.name, "measures": measures, "intervals": limits}

    def _differences(self) -> dict[str, Difference]:
        assert self.baseline is not None
        found: dict[str, Difference] = {}
        for aspect in (*self.aspects, ""):
            first, second = self.system.scores(aspect), self.baseline.scores(aspect)
            if first.query_ids:
                end = f"/{aspect}" if aspect else ""
                found |= {f"{name}{end}": each for name, each in compare(first, second, self.seed).items()}
        return found

    def _title(self) -> str:
        return f"aspects: {self.file}"

    def _facts(self) -> list[str]:
        counts = self.document()["by_aspect"]
        each = ", ".join(f"{name} {count:,}" for name, count in counts.items())
        return [
            f"{len(self.system.judged):,} questions ({each}); each counts once",
            "intervals: 95 %, bootstrap over questions; p: randomisation test",
        ]

    def _rows(self) -> list[list[str]]:
        """Header and a row for each measure: value and interval; with a baseline also its value, difference,
        p."""
        document = self.document()
        head = ["measure", self.system.name, "95 %"]
        rows = [
            [name, _number(value), "-".join(map(_number, document["intervals"][name]))]
            for name, value in document["measures"].items()
        ]
        if self.baseline is not None:
            head += [self.baseline.name, "difference", "p"]
            for row, (name, found) in zip(rows, self._differences().items(), strict=True):
                p = found.p_randomisation
                value = document["baseline"]["measures"][name]
                row += [_number(value), f"{found.value:+.3f}", "<.001" if p < 0.001 else _number(p)]
        return [head, *rows]


def _number(value: float) -> str:
    """``.413``"""
    return f"{value:.3f}".removeprefix("0")
