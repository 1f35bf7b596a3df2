"""The report on an evaluation: JSON document, table for a terminal, Markdown, and diagram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from citewhy.base.errors import QueryError
from citewhy_lab.evaluate.calibration import FIRST, Calibration
from citewhy_lab.evaluate.compare import Difference
from citewhy_lab.evaluate.measures import Average
from citewhy_lab.evaluate.plots import reliability_diagram, svg
from citewhy_lab.evaluate.ranking import Column
from citewhy_lab.evaluate.runs import trec

__all__ = ["Report"]

_BAR = 34
"""Characters of a full bar."""


@dataclass(frozen=True, slots=True)
class Report:
    """The complete report on one evaluation."""

    task: str
    file: str
    queries: int
    judgements: int
    average: Average
    not_in_library: int
    """Judgements whose paper is not in the library: missed before anything is ranked."""
    pool_kind: str
    depth: int
    system: Column
    baseline: Column | None = None
    difference: Mapping[str, Difference] = field(default_factory=dict)
    peak_rss_mb: float | None = None
    notes: Sequence[str] = ()
    """Sentences for people on how the evaluation differs from the whole benchmark."""
    made: Mapping[str, Any] = field(default_factory=dict)
    """Provenance: data checksums, options, seed, versions."""

    def document(self) -> dict[str, Any]:
        """The JSON document; `docs/evaluation.md` explains its fields."""
        head = {
            "task": self.task,
            "file": self.file,
            "queries": self.queries,
            "judgements": self.judgements,
            "average": self.average,
            "not_in_library": self.not_in_library,
            "pool": self.system.answers.pool,
            "pool_kind": self.pool_kind,
            "depth": self.depth,
        }
        against = {}
        if self.baseline is not None:
            against = {
                "baseline": _column(self.baseline),
                "difference": {name: asdict(difference) for name, difference in self.difference.items()},
            }
        tail = {"peak_rss_mb": self.peak_rss_mb, "notes": list(self.notes), "made": dict(self.made)}
        return {**head, **_column(self.system), **against, **tail}

    def text(self) -> str:
        """For a terminal of 80 columns, which have no room for the baseline's own intervals."""
        rows = _rows(self, short=True)
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        table = [
            "  ".join(
                cell.ljust(width) if number == 0 else cell.rjust(width) for number, (cell, width) in cells
            ).rstrip()
            for cells in (list(enumerate(zip(row, widths, strict=True))) for row in rows)
        ]
        section = _calibration(self.system.calibration)
        return "\n".join(
            [
                _title(self),
                *_facts(self),
                "",
                *table,
                "",
                *_costs(self),
                *self.notes,
                *(["", "Calibration", *section] if section else []),
            ]
        )

    def markdown(self) -> str:
        rows = _rows(self)
        rule = ["---", *["---:"] * (len(rows[0]) - 1)]
        table = [
            "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
            for row in (rows[0], rule, *rows[1:])
        ]
        notes = [f"- {note}" for note in (*_facts(self), *_costs(self), *self.notes)]
        section = _calibration(self.system.calibration)
        fenced = ["## Calibration", "", "```text", *section, "```", ""] if section else []
        return "\n".join([f"# {_title(self)}", "", *table, "", *notes, "", *fenced])

    def run(self) -> bytes:
        """The measured pipeline's rankings, as a TREC run."""
        return trec(self.system.answers.run, tag=self.system.name)

    def plot(self) -> str:
        """The reliability diagram of the measured pipeline as SVG. Raises QueryError if it has no
        probabilities."""
        if self.system.calibration is None:
            raise QueryError(
                f"{self.system.name} gives no probabilities, so that there is nothing to plot",
                hint="measure the pipeline full, or omit --plot",
            )
        return svg(reliability_diagram(self.system.calibration, f"{_title(self)}, {self.system.name}"))


def _column(column: Column) -> dict[str, Any]:
    return {
        "pipeline": column.name,
        "measures": column.scores.means(),
        "intervals": column.intervals,
        "seconds_per_query": {"p50": column.seconds(50), "p95": column.seconds(95)},
        "calibration": None if column.calibration is None else asdict(column.calibration),
    }


def _title(report: Report) -> str:
    return f"{report.task}: {report.file}"


def _facts(report: Report) -> list[str]:
    each = "each judgement" if report.average == "judgements" else "each query"
    facts = [
        f"{report.queries:,} queries, {report.judgements:,} judgements; {each} counts once",
        f"pool: {report.system.answers.pool:,} papers ({report.pool_kind}), ranked {report.depth:,} deep",
    ]
    if report.not_in_library:
        facts.append(
            f"{report.not_in_library:,} judgements are of papers that the library does not have: missed"
        )
    return facts


def _costs(report: Report) -> list[str]:
    costs = [f"intervals: 95 %, bootstrap over queries{'; p: randomisation test' if report.baseline else ''}"]
    median, high = report.system.seconds(50), report.system.seconds(95)
    if median is not None and high is not None:
        memory = "" if report.peak_rss_mb is None else f"; peak memory {report.peak_rss_mb:,.0f} MB"
        costs.append(f"{median * 1000:,.1f} ms a query, 95 % below {high * 1000:,.1f} ms{memory}")
    return costs


def _rows(report: Report, short: bool = False) -> list[list[str]]:
    means = report.system.scores.means()
    head, rows = ["measure", _short(report.system.name), "95 %"], {}
    for name, value in means.items():
        rows[name] = [name, _number(value), _interval(report.system.intervals[name])]
    if report.baseline is not None:
        head += [_short(report.baseline.name), *([] if short else ["95 %"]), "difference", "95 %", "p"]
        others = report.baseline.scores.means()
        for name, row in rows.items():
            own = [] if short else [_interval(report.baseline.intervals[name])]
            row += [_number(others[name]), *own, *_differs(report.difference[name])]
    return [head, *rows.values()]


def _calibration(found: Calibration | None) -> list[str]:
    """The reliability diagram in characters, and the effect of thresholds; empty without probabilities."""
    if found is None:
        return []
    return [
        f"ECE {_number(found.ece)}, Brier {_number(found.brier)}"
        f" (first {FIRST} candidates of each query: {found.pairs:,})",
        "",
        "probability     count   mean  right  # share right, | mean probability",
        *(
            f"{f'{each.low:.1f}-{each.high:.1f}':11}  {each.count:8,}  {_number(each.mean):>5}"
            f"  {_number(each.right):>5}  {_bar(each.mean, each.right)}".rstrip()
            for each in found.bins
        ),
        "",
        "silent below   answered   first right   right in first 5",
        *(
            f"{_number(each.threshold):>12}   {each.answered:8.1%}   {_share(each.first_right):>11}"
            f"   {_share(each.five_right):>16}"
            for each in found.silence
        ),
    ]


def _bar(mean: float, right: float) -> str:
    letters = list(("#" * round(right * _BAR)).ljust(_BAR + 1))
    letters[round(mean * _BAR)] = "|"
    return "".join(letters)


def _share(value: float | None) -> str:
    return "–" if value is None else _number(value)


def _short(name: str) -> str:
    return name if len(name) <= 10 else name[:9] + "…"


def _differs(difference: Difference) -> list[str]:
    low, high = difference.interval
    p = difference.p_randomisation
    return [
        _signed(difference.value),
        f"{_signed(low)} {_signed(high)}",
        "<.001" if p < 0.001 else _number(p),
    ]


def _number(value: float) -> str:
    """Three digits without the zero before the point: ``.413``."""
    return f"{value:.3f}".removeprefix("0")


def _signed(value: float) -> str:
    return ("-" if round(value, 3) < 0 else "+") + _number(abs(value))


def _interval(interval: tuple[float, float]) -> str:
    return f"{_number(interval[0])}-{_number(interval[1])}"
