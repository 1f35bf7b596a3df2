"""The result of an experiment: tables, plots, sentences; as Markdown and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from citewhy.base.artifact import replace_file
from citewhy.base.errors import StorageError

__all__ = ["Cell", "Result", "Table", "shown"]

Cell = str | int | float | None
"""Floats are measures and shown with three digits; None stands for missing values."""


@dataclass(frozen=True, slots=True)
class Table:
    """`rows` have a cell for each of `columns`; the first column names the row."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()
    """Sentences below the table: what was counted, and how."""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.title}: {len(row)} cells for {len(self.columns)} columns: {row[0]}")

    def document(self) -> dict[str, Any]:
        names = _names(self.columns)
        rows = [dict(zip(names, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows, "notes": list(self.notes)}

    def markdown(self) -> str:
        rule = ["---", *["---:"] * (len(self.columns) - 1)]
        lines = [self.columns, rule, *([shown(cell) for cell in row] for row in self.rows)]
        table = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]
        notes = ["", *self.notes] if self.notes else []
        return "\n".join([f"## {self.title}", "", *table, *notes, ""])


@dataclass(frozen=True, slots=True)
class Result:
    """The complete result of one experiment."""

    title: str
    summary: Sequence[str]
    """Paragraphs before the tables: questions and findings."""
    tables: Sequence[Table]
    plots: Mapping[str, str] = field(default_factory=dict)
    """Name, without an ending → SVG; shown after the tables."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Figures for programs: the data behind the tables."""
    made: Mapping[str, Any] = field(default_factory=dict)
    """Data checksums, options, seed, versions."""

    def document(self, name: str) -> dict[str, Any]:
        return {
            "experiment": name,
            "title": self.title,
            "summary": list(self.summary),
            "tables": [table.document() for table in self.tables],
            **self.facts,
            "made": dict(self.made),
        }

    def markdown(self, name: str) -> str:
        summary = [line for paragraph in self.summary for line in (paragraph, "")]
        plots = [line for plot in self.plots for line in (f"![{plot}]({name}/{plot}.svg)", "")]
        tables = [table.markdown() for table in self.tables]
        return "\n".join([f"# {self.title}", "", *summary, *tables, *plots]).rstrip() + "\n"

    def json(self, name: str) -> str:
        return orjson.dumps(self.document(name), option=orjson.OPT_INDENT_2).decode()

    def save(self, name: str, folder: Path) -> Path:
        """Writes ``NAME.md``, and beside it ``NAME/result.json`` and a ``NAME/….svg`` a plot. Returns the
        path of the first; raises StorageError."""
        beside = folder / name
        try:
            beside.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot be made ({error.strerror or error})", path=beside) from error
        for plot, drawing in self.plots.items():
            replace_file(beside / f"{plot}.svg", drawing.encode())
        replace_file(beside / "result.json", self.json(name).encode() + b"\n")
        page = folder / f"{name}.md"
        replace_file(page, self.markdown(name).encode())
        return page


def _names(columns: Sequence[str]) -> list[str]:
    """A name for each column. One that repeats, such as ``±``, is named after the measure before
    it (``R@10 ±``)."""
    counts = Counter(columns)
    names, measure = [], ""
    for column in columns:
        if counts[column] == 1:
            measure = column
        names.append(column if counts[column] == 1 else f"{measure} {column}")
    return names


def shown(cell: Cell) -> str:
    """``.413`` for a measure, ``<.001`` for one that is positive and rounds to nothing, ``–`` for None."""
    if cell is None:
        return "–"
    if not isinstance(cell, float):
        return str(cell)
    if 0 < cell < 0.0005:
        return "<.001"
    sign = "-" if round(cell, 3) < 0 else ""
    return sign + f"{abs(cell):.3f}".removeprefix("0")
