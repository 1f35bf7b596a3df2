"""Options that several commands of the laboratory share, and the output of commands that measure."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citewhy.base.errors import StorageError

if TYPE_CHECKING:
    from citewhy_lab.evaluate.outcome import Outcome

_FILE = click.Path(path_type=Path)

Command = Callable[..., None]

baseline = click.option(
    "--baseline", metavar="NAME|RUN", help="Compare with this pipeline, or with a TREC run file."
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


@dataclass(frozen=True, slots=True)
class Outputs:
    """Says where the results of a measurement are written."""

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
            from citewhy_lab.evaluate.plots import check_plots

            check_plots()

    def write(self, outcome: Outcome) -> None:
        """Prints and writes the results. Printing comes first, so that a full disk does not lose the
        numbers."""
        from citewhy.base.artifact import replace_file
        from citewhy_lab.evaluate.outcome import as_json, save

        click.echo(as_json(outcome) if self.as_document else outcome.text())
        if self.run_file is not None:
            replace_file(self.run_file, outcome.run())
        if self.out is not None:
            save(outcome, self.out)
        if self.plot is not None:
            replace_file(self.plot, outcome.plot().encode())


def outputs(command: Command) -> Command:
    """Adds the options `--run`, `--out`, `--plot` and `--json`, passed to the command as one argument
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
