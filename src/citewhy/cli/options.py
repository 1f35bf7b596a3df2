"""Options that verbs share, and what every verb that measures does with its outcome."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citewhy.config import DEFAULT_SEED, YEARS
from citewhy.errors import StorageError

if TYPE_CHECKING:
    from citewhy.evaluate.outcome import Outcome

__all__ = [
    "Outputs",
    "baseline",
    "encoder",
    "library",
    "outputs",
    "pipeline",
    "quiet",
    "reranker",
    "seed",
    "until",
]

_FILE = click.Path(path_type=Path)

library = click.option("--library", type=_FILE, help="Library folder; default: the user's own.")
pipeline = click.option("--pipeline", default="full", show_default=True, help="bm25, dense, hybrid or full.")
encoder = click.option(
    "--encoder", type=_FILE, metavar="DIR", help="Compare meanings by this trained encoder."
)
_RERANKER = (
    click.option(
        "--reranker",
        type=_FILE,
        metavar="DIR",
        help="Read the first candidates again, by this trained model.",
    ),
    click.option(
        "--first-stage-weight",
        type=click.FloatRange(0),
        metavar="W",
        help="What the order before --reranker counts beside it; default: as chosen in training.",
    ),
)
baseline = click.option(
    "--baseline", metavar="NAME|RUN", help="A pipeline, or a TREC run file, to compare with."
)
quiet = click.option("--quiet", is_flag=True, help="No progress bar.")

_OUTPUTS = (
    click.option("--run", "run_file", type=_FILE, help="Write the rankings here, as a TREC run."),
    click.option("--out", type=_FILE, help="Write the table here: Markdown, with JSON beside it."),
    click.option(
        "--plot",
        type=_FILE,
        metavar="FILE.svg",
        help="Draw here how often probabilities are right; needs citewhy[plots].",
    ),
    click.option(
        "--json", "as_document", is_flag=True, help="One JSON document on standard output, nothing else."
    ),
)

Command = Callable[..., None]


def seed(what_for: str) -> Callable[[Command], Command]:
    """`--seed`; `what_for` is its help."""
    return click.option("--seed", type=int, default=DEFAULT_SEED, show_default=True, help=what_for)


def until(what_for: str) -> Callable[[Command], Command]:
    """`--until`, the last year that a recipe learns from; `what_for` is its help."""
    years = click.IntRange(*YEARS)
    return click.option("--until", type=years, default=2010, show_default=True, metavar="YEAR", help=what_for)


def device(command: Command) -> Command:
    """`--device`, which a network is trained on."""
    choice = click.Choice(["auto", "cpu", "cuda"])
    help_ = "Where to train; auto: on a GPU if torch finds one."
    return click.option("--device", type=choice, default="auto", show_default=True, help=help_)(command)


@dataclass(frozen=True, slots=True)
class Outputs:
    """The forms in which a verb that measures was asked for its outcome."""

    run_file: Path | None
    out: Path | None
    plot: Path | None
    as_document: bool

    def check(self) -> None:
        """Raises StorageError for a file that could not be written after minutes of work, and
        MissingExtraError for a plot that could not be drawn."""
        for path in (self.run_file, self.out, self.plot):
            if path is not None and not path.parent.is_dir():
                hint = "make it, or name another file"
                raise StorageError("there is no such folder", path=path.parent, hint=hint)
        if self.plot is not None:
            from citewhy.evaluate.plots import check_plots

            check_plots()

    def write(self, outcome: Outcome) -> None:
        """Prints first: a full disk must not cost the numbers."""
        from citewhy.artifact import replace_file
        from citewhy.evaluate.outcome import as_json, save

        click.echo(as_json(outcome) if self.as_document else outcome.text())
        if self.run_file is not None:
            replace_file(self.run_file, outcome.run())
        if self.out is not None:
            save(outcome, self.out)
        if self.plot is not None:
            replace_file(self.plot, outcome.plot().encode())


def reranker(command: Command) -> Command:
    """`--reranker` and `--first-stage-weight`."""
    for option in reversed(_RERANKER):
        command = option(command)
    return command


def outputs(command: Command) -> Command:
    """`--run`, `--out`, `--plot` and `--json`, handed to the command as one `Outputs` of this name."""

    @functools.wraps(command)
    def told(
        *args: Any,
        run_file: Path | None,
        out: Path | None,
        plot: Path | None,
        as_document: bool,
        **given: Any,
    ) -> None:
        command(*args, outputs=Outputs(run_file, out, plot, as_document), **given)

    for option in reversed(_OUTPUTS):
        told = option(told)
    return told
