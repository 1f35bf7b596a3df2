"""Options that several commands share, and the output of commands that measure."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citewhy.config import DEFAULT_K, DEFAULT_SEED, YEARS
from citewhy.errors import QueryError, StorageError

if TYPE_CHECKING:
    from citewhy.evaluate.outcome import Outcome
    from citewhy.records import Paper

__all__ = [
    "Number",
    "Outputs",
    "as_json",
    "baseline",
    "count",
    "encoder",
    "exports",
    "follow_outside",
    "library",
    "linker",
    "manifest",
    "new_folder",
    "outputs",
    "pipeline",
    "quiet",
    "ranker",
    "ranking",
    "seed",
    "until",
    "write_export",
    "year",
]

_FILE = click.Path(path_type=Path)


class Number(click.FloatRange):
    """The type of options that take a number: a finite one, within a range. NaN is in any range of click."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


library = click.option("--library", type=_FILE, metavar="DIR", help="Library folder; default: your own.")
pipeline = click.option(
    "--pipeline", default="full", show_default=True, metavar="NAME", help="bm25, dense, hybrid or full."
)
encoder = click.option(
    "--encoder", type=_FILE, metavar="DIR", help="Use this trained encoder instead of the built-in one."
)
follow_outside = click.option(
    "--follow-outside",
    is_flag=True,
    help="Also read files outside of the draft's project that it names.",
)
ranker = click.option(
    "--ranker", type=_FILE, metavar="DIR", help="Use this trained ranker instead of the built-in one."
)
linker = click.option(
    "--linker", type=_FILE, metavar="DIR", help="Use this trained linker instead of the built-in one."
)
intent = click.option(
    "--intent",
    type=click.Choice(["background", "method", "result"]),
    help="Put papers first that are cited as background, as a method, or for their results.",
)
new_folder = click.option(
    "--out", type=_FILE, metavar="DIR", required=True, help="Folder to create; it must not exist yet."
)
_RANKING = (
    click.option(
        "--first-stage",
        "first_stages",
        type=_FILE,
        multiple=True,
        metavar="DIR",
        help="Also take candidates from this trained model; may be repeated.",
    ),
    click.option(
        "--reranker",
        "rerankers",
        type=_FILE,
        multiple=True,
        metavar="DIR",
        help="Rerank the top candidates with this trained model; may be repeated.",
    ),
    click.option(
        "--first-stage-weight",
        type=Number(0),
        metavar="W",
        help="Weight of the order before --reranker in the final score; default: as chosen in training.",
    ),
)
baseline = click.option(
    "--baseline", metavar="NAME|RUN", help="Compare with this pipeline, or with a TREC run file."
)
quiet = click.option("--quiet", is_flag=True, help="Show no progress bar.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")

_EXPORTS = (
    click.option("--bibtex", is_flag=True, help="Print the papers as BibTeX."),
    click.option("--ris", is_flag=True, help="Print the papers as RIS."),
    click.option("--csl", is_flag=True, help="Print the papers as CSL-JSON."),
)

_OUTPUTS = (
    click.option(
        "--run", "run_file", type=_FILE, metavar="FILE", help="Write the rankings to FILE as a TREC run."
    ),
    click.option(
        "--out",
        type=_FILE,
        metavar="FILE",
        help="Write the table to FILE: Markdown, and JSON beside it.",
    ),
    click.option(
        "--plot",
        type=_FILE,
        metavar="FILE.svg",
        help="Plot how well the probabilities are calibrated; needs citewhy[plots].",
    ),
    click.option("--json", "as_document", is_flag=True, help="Print one JSON document and nothing else."),
)

Command = Callable[..., None]


def count(help_text: str, default: int = DEFAULT_K) -> Callable[[Command], Command]:
    """The option `-k`, how many to print, with the help text `help_text`."""
    return click.option(
        "-k", "count", type=click.IntRange(min=1), default=default, show_default=True, help=help_text
    )


def manifest(command: Command) -> Command:
    """The argument MANIFEST, which lists finished drafts, and the option `--documents`, where they are."""
    folder = click.option(
        "--documents",
        type=_FILE,
        required=True,
        metavar="DIR",
        help="Folder with one subfolder per draft.",
    )
    return click.argument("manifest", type=_FILE)(folder(command))


def seed(help_text: str) -> Callable[[Command], Command]:
    """The option `--seed`, with the help text `help_text`."""
    return click.option("--seed", type=int, default=DEFAULT_SEED, show_default=True, help=help_text)


def until(help_text: str) -> Callable[[Command], Command]:
    """The option `--until`, the last year of the training data, with the help text `help_text`."""
    years = click.IntRange(*YEARS)
    return click.option(
        "--until", type=years, default=2010, show_default=True, metavar="YEAR", help=help_text
    )


def device(command: Command) -> Command:
    """The option `--device`, on which a network is trained."""
    choice = click.Choice(["auto", "cpu", "cuda"])
    help_ = "Where to train; auto: on a GPU if torch finds one."
    return click.option("--device", type=choice, default="auto", show_default=True, help=help_)(command)


def year(help_text: str) -> Callable[[Command], Command]:
    """The option `--as-of`, with the help text `help_text`."""
    return click.option("--as-of", "year", type=click.IntRange(*YEARS), metavar="YEAR", help=help_text)


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where the results of a measurement are written."""

    run_file: Path | None
    out: Path | None
    plot: Path | None
    as_document: bool

    def check(self) -> None:
        """Checks, before minutes of work, that the results can be written. Raises StorageError if a folder is
        missing, and MissingExtraError if plots are not available."""
        for path in (self.run_file, self.out, self.plot):
            if path is not None and not path.parent.is_dir():
                hint = "create it, or choose another file"
                raise StorageError("there is no such folder", path=path.parent, hint=hint)
        if self.plot is not None:
            from citewhy.evaluate.plots import check_plots

            check_plots()

    def write(self, outcome: Outcome) -> None:
        """Prints and writes the results. Printing comes first, so that a full disk does not lose the
        numbers."""
        from citewhy.artifact import replace_file
        from citewhy.evaluate.outcome import as_json, save

        click.echo(as_json(outcome) if self.as_document else outcome.text())
        if self.run_file is not None:
            replace_file(self.run_file, outcome.run())
        if self.out is not None:
            save(outcome, self.out)
        if self.plot is not None:
            replace_file(self.plot, outcome.plot().encode())


def exports(command: Command) -> Command:
    """The options `--bibtex`, `--ris` and `--csl`, passed to the command as one argument `export`: the name
    of the one that is given, or None. Two of them, or one with `--json`, are an error."""

    @functools.wraps(command)
    def decorated(*args: Any, bibtex: bool, ris: bool, csl: bool, **given: Any) -> None:
        forms = {"bibtex": bibtex, "ris": ris, "csl": csl, "json": given["as_json"]}
        chosen = [name for name, on in forms.items() if on]
        export = next((name for name in chosen if name != "json"), None)
        if export and len(chosen) > 1:
            others = " and ".join(f"--{name}" for name in chosen if name != export)
            raise QueryError(f"--{export} prints nothing else", hint=f"omit {others}")
        command(*args, export=export, **given)

    for option in reversed(_EXPORTS):
        decorated = option(decorated)
    return decorated


def write_export(export: str, papers: Sequence[tuple[str, Paper]]) -> None:
    """Prints papers, each with the key or id that it has in the export, as ``bibtex``, ``ris`` or ``csl``."""
    from citewhy.present import as_bibtex, as_csl, as_ris

    write = {"bibtex": as_bibtex.entries, "ris": as_ris.entries, "csl": as_csl.entries}[export]
    click.echo(write(replace(paper, id=key) for key, paper in papers), nl=False)


def ranking(command: Command) -> Command:
    """The options `--first-stage`, `--reranker` and `--first-stage-weight`."""
    for option in reversed(_RANKING):
        command = option(command)
    return command


def outputs(command: Command) -> Command:
    """The options `--run`, `--out`, `--plot` and `--json`, passed to the command as one argument
    `outputs`."""

    @functools.wraps(command)
    def decorated(
        *args: Any,
        run_file: Path | None,
        out: Path | None,
        plot: Path | None,
        as_document: bool,
        **given: Any,
    ) -> None:
        command(*args, outputs=Outputs(run_file, out, plot, as_document), **given)

    for option in reversed(_OUTPUTS):
        decorated = option(decorated)
    return decorated
