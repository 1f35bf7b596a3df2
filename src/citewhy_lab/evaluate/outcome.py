"""The outcome of an evaluation: one record for all tasks, as JSON, as text, as Markdown, as a run, as a plot.

A task says what it measured: the fields that lead its JSON document, one or two columns of measures, and
sentences for people. The forms are made here, and only here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from typing import Any

from citewhy.base.artifact import replace_file
from citewhy.base.errors import QueryError
from citewhy.base.printable import printable, printable_json
from citewhy_lab.evaluate.bootstrap import intervals
from citewhy_lab.evaluate.compare import Difference, compare
from citewhy_lab.evaluate.measures import Scores
from citewhy_lab.evaluate.runs import Run, trec

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Column:
    """A measured system: a column of the table."""

    name: str
    measures: Mapping[str, float]
    intervals: Mapping[str, Interval]
    """95 %; a measure may have none."""
    scores: Sequence[Scores] = ()
    """The values by query that the measures are means of, for the comparison with another system."""
    kind: str = "system"
    """Says what the JSON document calls the name: ``pipeline``, ``linker``, ``model``, …; empty: it has no
    name there."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the JSON document; a dataclass becomes an object."""

    @classmethod
    def of(
        cls,
        name: str,
        scores: Sequence[Scores],
        seed: int,
        kind: str = "system",
        details: Mapping[str, Any] | None = None,
    ) -> Column:
        """Makes the column of the means of `scores`, which have different measures, with bootstrap
        intervals."""
        measures = {measure: value for some in scores for measure, value in some.means().items()}
        limits = {measure: pair for some in scores for measure, pair in intervals(some, seed).items()}
        return cls(name, measures, limits, scores, kind, details or {})

    def document(self) -> dict[str, Any]:
        """Returns the part of the JSON document that is about this system."""
        named = {self.kind: self.name} if self.kind else {}
        details = {
            name: asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
            for name, value in self.details.items()
        }
        return {**named, "measures": dict(self.measures), "intervals": dict(self.intervals), **details}


@dataclass(frozen=True, slots=True)
class Section:
    """Preformatted lines below the table."""

    title: str
    lines: Sequence[str]
    titled: bool = True
    """Whether the title is shown in the text, too, and not only in Markdown."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that an evaluation found."""

    task: str
    file: str
    head: Mapping[str, Any]
    """The fields that the JSON document has between the file and the measures."""
    system: Column
    seed: int
    baseline: Column | None = None
    """The system that it is compared with, on the same queries."""
    facts: Sequence[str] = ()
    """Sentences above the table: what was asked, and what counts."""
    costs: Sequence[str] = ()
    """Sentences below the table: intervals, time and memory."""
    notes: Sequence[str] = ()
    """Sentences on how the evaluation differs from the whole benchmark."""
    sections: Sequence[Section] = ()
    peak_rss_mb: float | None = None
    made: Mapping[str, Any] = field(default_factory=dict)
    """Provenance: data checksums, options, seed, versions."""
    tail: Mapping[str, Any] = field(default_factory=dict)
    """The fields that end the JSON document."""
    rankings: Run | None = None
    """The answers to the queries; None if the task ranks nothing."""
    draw: Callable[[], str] | None = None
    """Draws a diagram as SVG; None if there is none."""
    title: str = ""
    """The heading of text and Markdown; empty: task and file."""

    @property
    def heading(self) -> str:
        return self.title or f"{self.task}: {self.file}"

    def differences(self) -> dict[str, Difference]:
        """Compares the system with the baseline, measure by measure; returns nothing without a baseline."""
        if self.baseline is None:
            return {}
        pairs = zip(self.system.scores, self.baseline.scores, strict=True)
        return {
            name: difference
            for first, second in pairs
            for name, difference in compare(first, second, self.seed).items()
        }

    def document(self) -> dict[str, Any]:
        """Returns the JSON document; `docs/evaluation.md` explains its fields."""
        against: dict[str, Any] = {}
        if self.baseline is not None:
            against["baseline"] = self.baseline.document()
            against["difference"] = {
                name: asdict(difference) for name, difference in self.differences().items()
            }
        return {
            "task": self.task,
            **({} if "file" in self.head else {"file": self.file}),
            **self.head,
            **self.system.document(),
            **against,
            "peak_rss_mb": self.peak_rss_mb,
            "notes": list(self.notes),
            "made": dict(self.made),
            **self.tail,
        }

    def text(self) -> str:
        """Returns the form for a terminal of 80 columns, which have no room for the baseline's own
        intervals."""
        rows = self._rows(short=True)
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        table = [
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
            for row in rows
        ]
        sections = [
            line
            for section in self.sections
            for line in ("", *([section.title] if section.titled else []), *section.lines)
        ]
        lines = [self.heading, *self.facts, "", *table, "", *self.costs, *self.notes, *sections]
        return "\n".join(lines).rstrip()

    def markdown(self) -> str:
        """Returns a heading, the table, and sentences as a list."""
        head, *rows = self._rows()
        rule = ["---", *["---:"] * (len(head) - 1)]
        table = [
            "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (head, rule, *rows)
        ]
        sentences = [f"- {sentence}" for sentence in (*self.facts, *self.costs, *self.notes)]
        sections = [
            line
            for section in self.sections
            for line in (f"## {section.title}", "", "```text", *section.lines, "```", "")
        ]
        return "\n".join([f"# {self.heading}", "", *table, "", *sentences, "", *sections])

    def run(self) -> bytes:
        """Returns the system's rankings as a TREC run. Raises QueryError if the task ranks nothing."""
        if self.rankings is None:
            raise QueryError(f"the task {self.task} has no run: it ranks no papers", hint="omit --run")
        return trec(self.rankings, tag=self.system.name)

    def plot(self) -> str:
        """Returns a diagram as SVG. Raises QueryError if there is nothing to draw."""
        if self.draw is None:
            raise QueryError(f"the task {self.task} has no diagram", hint="omit --plot")
        return self.draw()

    def _rows(self, short: bool = False) -> list[list[str]]:
        """Returns the head of the table and a row for each measure; `short` cuts long names, and
        leaves out the baseline's intervals."""
        fitted = _fitted if short else str
        head = ["measure", fitted(self.system.name), "95 %"]
        rows = {
            name: [name, number(value), _shown(self.system.intervals.get(name))]
            for name, value in self.system.measures.items()
        }
        if self.baseline is not None:
            head += [fitted(self.baseline.name), *([] if short else ["95 %"]), "difference", "95 %", "p"]
            for name, difference in self.differences().items():
                own = [] if short else [_shown(self.baseline.intervals.get(name))]
                rows[name] += [number(self.baseline.measures[name]), *own, *_compared(difference)]
        return [head, *rows.values()]


def as_json(outcome: Outcome) -> str:
    """Returns the JSON document, indented."""
    return printable_json(outcome.document()).decode()


def save(outcome: Outcome, path: Path) -> tuple[Path, Path]:
    """Writes Markdown and JSON: ``table.md`` and ``table.json``, if `path` is either of them or neither.

    Returns both paths; raises StorageError.
    """
    stem = path.with_suffix("") if path.suffix in (".md", ".json") else path
    markdown, json = stem.with_name(stem.name + ".md"), stem.with_name(stem.name + ".json")
    replace_file(markdown, printable(outcome.markdown()).encode())
    replace_file(json, as_json(outcome).encode() + b"\n")
    return markdown, json


def number(value: float) -> str:
    """Returns three digits without the zero before the point: ``.413``."""
    return f"{value:.3f}".removeprefix("0")


def _fitted(name: str) -> str:
    return name if len(name) <= 10 else name[:9] + "…"


def _shown(interval: Interval | None) -> str:
    return "" if interval is None else "-".join(map(number, interval))


def _compared(difference: Difference) -> list[str]:
    low, high = difference.interval
    p = difference.p_randomisation
    return [
        _signed(difference.value),
        f"{_signed(low)} {_signed(high)}",
        "<.001" if p < 0.001 else number(p),
    ]


def _signed(value: float) -> str:
    return ("-" if round(value, 3) < 0 else "+") + number(abs(value))
