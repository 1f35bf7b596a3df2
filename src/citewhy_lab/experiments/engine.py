"""All experiments have this in common: systems × measures × seeds, kept answers, tests, tables and pages.

An experiment reads data, trains systems with several seeds, measures each, and returns a `Result`: tables,
plots, sentences. Its `Lab` says what a system's answers depend on and how they are made; the lab keeps them,
so that an experiment of hours can be interrupted and goes on. Where two systems are compared, units
(questions, citing papers, clusters) and seeds are both taken as drawn at random (`significance.crossed`).
"""

from __future__ import annotations

import hashlib
import io
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, stdev
from typing import Annotated, Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from citewhy.base.artifact import replace_file
from citewhy.base.config import DEFAULT_SEED
from citewhy.base.errors import StorageError
from citewhy.base.printable import printable, printable_json
from citewhy.base.progress import Progress
from citewhy_lab.evaluate.parameters import Option
from citewhy_lab.experiments.significance import Difference, crossed
from citewhy_lab.train.recipe import DeviceName

Doubles = NDArray[np.float64]
Arrays = Mapping[str, NDArray[Any]]

ScaleName = Literal["small", "full", "source"]


@dataclass(frozen=True, slots=True)
class Setup:
    """The options of all experiments."""

    scale: Annotated[
        ScaleName,
        Option(
            "small: smaller networks and fewer contexts, for two cores; source: the source's own settings."
        ),
    ] = "full"
    """The pages describe the consequences of ``small``; ``source`` has sizes and settings of the source,
    where it or its authors' code gives them."""
    encoder: Annotated[
        Path | None,
        Option(
            "lcr-…, sets: use this trained encoder; documents-…, pcr…: start from this BERT folder.",
            metavar="DIR",
        ),
    ] = None
    vectors: Annotated[
        Path | None,
        Option(
            "Word vectors (word2vec or GloVe): for an additional network in linkage, for all rerankers.",
            metavar="FILE",
        ),
    ] = None
    """In a format that `train.word_vectors` reads."""
    device: Annotated[DeviceName, Option("Where to train; auto: on a GPU if torch finds one.")] = "auto"
    """Where rerankers are trained."""
    examples: Annotated[
        int, Option("pcr-analysis: show the rankings of N paragraphs side by side.", metavar="N", least=0)
    ] = 0
    seed: Annotated[int, Option("Random seed.")] = DEFAULT_SEED


TrainingSettings = TypeVar("TrainingSettings")


@dataclass(frozen=True, slots=True)
class Scale(Generic[TrainingSettings]):
    """The size of an experiment; None: everything that the data has."""

    settings: TrainingSettings
    taught: int | None = None
    """Number of training examples."""
    asked: int | None = None
    """Number of questions."""
    pool: int | None = None
    """Number of candidates, beside the relevant papers."""
    seeds: tuple[int, ...] = (1, 2, 3)


# Systems and their kept answers ---------------------------------------------------------------------------

System = TypeVar("System")
Answers = TypeVar("Answers")


def digest(*facts: object) -> str:
    """Hashes the `repr` of what a result depends on to 24 characters."""
    return hashlib.blake2b(repr(facts).encode(), digest_size=12).hexdigest()


def kept(path: Path, make: Callable[[], Arrays]) -> Arrays:
    """Reads the arrays in `path`, or makes them and writes them there. Raises StorageError."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        file = io.BytesIO()
        arrays: dict[str, Any] = dict(make())
        np.savez_compressed(file, **arrays)
        replace_file(path, file.getvalue())
    with np.load(path, allow_pickle=False) as arrays_of_file:
        return {name: arrays_of_file[name] for name in arrays_of_file.files}


class Lab(ABC, Generic[System, Answers]):
    """Asks the systems of an experiment, each trained with several seeds, and keeps the answers in a
    folder."""

    def __init__(self, seeds: Iterable[int], folder: Path, progress: Progress) -> None:
        self.seeds = tuple(seeds)
        self.folder = folder
        self.progress = progress
        self._read: dict[str, Answers] = {}

    @abstractmethod
    def named(self, system: System, seed: int) -> str:
        """Names the file of the kept answers, by all that they depend on."""

    @abstractmethod
    def ask(self, system: System, seed: int) -> Arrays:
        """Trains a system and asks it."""

    @abstractmethod
    def answers(self, arrays: Arrays) -> Answers:
        """Reads what `ask` returned."""

    def is_trained(self, system: System) -> bool:
        """Tells whether the answers of a system differ with the seed."""
        return True

    def runs(self, system: System) -> list[Answers]:
        """Returns the answers of a system for each seed; once, if it is not trained."""
        return [
            self.run(system, seed) for seed in (self.seeds if self.is_trained(system) else self.seeds[:1])
        ]

    def run(self, system: System, seed: int) -> Answers:
        """Returns the answers of a system that is trained with this seed, now or before."""
        name = self.named(system, seed)
        if name not in self._read:
            arrays = kept(self.folder / f"{name}.npz", lambda: self.ask(system, seed))
            self._read[name] = self.answers(arrays)
        return self._read[name]


# Means, spreads, comparisons ------------------------------------------------------------------------------


def mean_and_spread(values: Sequence[float]) -> list[Cell]:
    """Returns the mean over seeds and the standard deviation, which is None for one seed."""
    return [fmean(values), stdev(values) if len(values) > 1 else None]


def compared(first: Sequence[Doubles], second: Sequence[Doubles]) -> Difference:
    """Tests first minus second, [units] for each seed. A system that is not trained is the same for all
    seeds."""
    seeds = range(max(len(first), len(second)))
    columns = [first[seed % len(first)] - second[seed % len(second)] for seed in seeds]
    return crossed(np.array(columns).T)


def comparisons(
    differences: Mapping[str, Difference],
    note: str,
    title: str = "Comparisons",
    head: str = "first − second",
) -> Table:
    """Makes the table of differences by name, with their intervals and p."""
    rows: list[list[Cell]] = [
        [name, difference.value, difference.low, difference.high, difference.p]
        for name, difference in differences.items()
    ]
    return Table(title, [head, "difference", "low", "high", "p"], rows, [note])


def signed(difference: Difference) -> str:
    """Writes ``+.012 (-.003 to .027)``."""
    sign = "+" if difference.value >= 0 else ""
    return f"{sign}{shown(difference.value)} ({shown(difference.low)} to {shown(difference.high)})"


# Tables and pages -----------------------------------------------------------------------------------------

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
        """Returns the part of the JSON document that is about the table."""
        names = _names(self.columns)
        rows = [dict(zip(names, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows, "notes": list(self.notes)}

    def markdown(self) -> str:
        """Returns a heading, the table, and the notes."""
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
        return (
            "\n".join([f"# {self.title}", "", *summary, *tables, *plots, *_making(self.made)]).rstrip() + "\n"
        )

    def json(self, name: str) -> str:
        return printable_json(self.document(name)).decode()

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
        replace_file(page, printable(self.markdown(name)).encode())
        return page


def _making(made: Mapping[str, Any]) -> list[str]:
    """Writes the provenance as lines of Markdown; none where no command is known."""
    if "command" not in made:
        return []
    software = made.get("software", {})
    commit = software.get("commit") or "unknown (not run from a checkout)"
    options = ", ".join(f"{name} {_plain(value)}" for name, value in made.get("options", {}).items())
    data = [
        f"- {fact['file']}, {fact['bytes']:,} bytes, SHA-256 {fact['sha256'][:16]}…"
        for fact in made.get("data", ())
        if "file" in fact
    ]
    lines = [f"    {made['command']}", ""]
    lines += [f"Commit {commit}; seed {made.get('seed')}; {options}. {made['cost']}", "", *data]
    return ["## How it was made", "", *lines, ""]


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return "(" + ", ".join(f"{name} {_plain(part)}" for name, part in value.items()) + ")"
    return " ".join(map(_plain, value)) if isinstance(value, list | tuple) else str(value)


def _names(columns: Sequence[str]) -> list[str]:
    """Gives each column a name. One that repeats, such as ``±``, is named after the measure before
    it (``R@10 ±``)."""
    counts = Counter(columns)
    names, measure = [], ""
    for column in columns:
        if counts[column] == 1:
            measure = column
        names.append(column if counts[column] == 1 else f"{measure} {column}")
    return names


def shown(cell: Cell) -> str:
    """Writes ``.413`` for a measure, ``<.001`` for one that is positive and rounds to nothing, ``–`` for
    None."""
    if cell is None:
        return "–"
    if not isinstance(cell, float):
        return str(cell)
    if 0 < cell < 0.0005:
        return "<.001"
    sign = "-" if round(cell, 3) < 0 else ""
    return sign + f"{abs(cell):.3f}".removeprefix("0")
