"""Options that several commands share."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from citewhy.base.config import DEFAULT_K, YEARS
from citewhy.base.errors import QueryError
from citewhy.base.reports import TO_ENCODE
from citewhy.doors.present.exported import exported

if TYPE_CHECKING:
    from citewhy.answers.options import ExportFormat
    from citewhy.base.records import Paper
    from citewhy.base.reports import ToEncode

_FILE = click.Path(path_type=Path)


class Number(click.FloatRange):
    """The type of options that take a number: a finite one, within a range. NaN is in any range of click."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


library = click.option("--library", type=_FILE, metavar="DIR", help="Library folder; default: your own.")
libraries = click.option(
    "--library",
    type=_FILE,
    multiple=True,
    metavar="DIR",
    help="Library folder; default: your own. Several, by repeating it, answer as one.",
)
pipeline = click.option(
    "--pipeline", default="full", show_default=True, metavar="NAME", help="bm25, dense, hybrid or full."
)
index = click.option(
    "--index",
    "engine",
    metavar="ADDRESS",
    help="Let a Milvus server search, as milvus://localhost:19530/papers; default: local files.",
)
encoder = click.option(
    "--encoder", type=_FILE, metavar="DIR", help="Use this trained encoder instead of the built-in one."
)
device = click.option(
    "--device",
    type=click.Choice(["cpu", "cuda"]),
    default="cpu",
    show_default=True,
    help="Where texts are encoded; cuda: a graphics card, by onnxruntime-gpu.",
)
texts = click.option(
    "--encode",
    type=click.Choice(TO_ENCODE[1:]),
    help="What is encoded: papers and citing sentences, or also all parts of abstracts; default: what was "
    "chosen for the library; of files, full.",
)
_encode = click.option(
    "--encode",
    type=click.Choice(TO_ENCODE),
    help="What has vectors from now on: nothing, papers and citing sentences, or also all parts of "
    "abstracts; kept with the library, at first full.",
)
_no_vectors = click.option(
    "--no-vectors", is_flag=True, help="Leave encoding to the next query, or `citewhy sync`."
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
verbose = click.option(
    *("-v", "--verbose"), is_flag=True, help="Show whole sentences, all reasons, and all problems of DRAFT."
)
quiet = click.option("--quiet", is_flag=True, help="Show no progress bar.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")

_EXPORTS = (
    click.option("--bibtex", is_flag=True, help="Print the papers as BibTeX."),
    click.option("--ris", is_flag=True, help="Print the papers as RIS."),
    click.option("--csl", is_flag=True, help="Print the papers as CSL-JSON."),
)

_OF_MODELS = frozenset(
    (
        "pipeline",
        "encoder",
        "ranker",
        "linker",
        "first_stages",
        "rerankers",
        "first_stage_weight",
    )
)


class ForAuthors(click.Command):
    """A command whose help lists what authors need before what people need who train models."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows: dict[str, list[tuple[str, str]]] = {"Options": [], "For people who train models": []}
        for option in self.get_params(ctx):
            if not isinstance(option, click.Option):  # an argument stands in the usage
                continue
            group = "For people who train models" if option.name in _OF_MODELS else "Options"
            if record := option.get_help_record(ctx):
                rows[group].append(record)
        for group, records in rows.items():
            with formatter.section(group):
                formatter.write_dl(records)


Command = Callable[..., None]


def vectors(command: Command) -> Command:
    """The options `--encode` and `--no-vectors`, passed to the command as one argument `vectors`: what is to
    be encoded from now on, or whether anything is encoded now. Both are an error."""

    @functools.wraps(command)
    def decorated(*args: Any, encode: ToEncode | None, no_vectors: bool, **given: Any) -> None:
        if encode and no_vectors:
            raise QueryError(f"--encode {encode} begins to encode", hint="omit --no-vectors")
        command(*args, vectors=encode or not no_vectors, **given)

    return cast("Command", _encode(_no_vectors(decorated)))


def count(help_text: str, default: int = DEFAULT_K) -> Callable[[Command], Command]:
    """The option `-k`, how many to print, with the help text `help_text`."""
    return click.option(
        "-k", "count", type=click.IntRange(min=1), default=default, show_default=True, help=help_text
    )


def year(help_text: str) -> Callable[[Command], Command]:
    """The option `--as-of`, with the help text `help_text`."""
    return click.option("--as-of", "year", type=click.IntRange(*YEARS), metavar="YEAR", help=help_text)


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
    click.echo(exported(cast("ExportFormat", export), papers), nl=False)


def ranking(command: Command) -> Command:
    """The options `--first-stage`, `--reranker` and `--first-stage-weight`."""
    for option in reversed(_RANKING):
        command = option(command)
    return command
