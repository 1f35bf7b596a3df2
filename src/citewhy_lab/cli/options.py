"""Options that several commands of the laboratory share, those that are made of the fields of a dataclass
(`evaluate.parameters.Option`), and the output of commands that measure."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from citewhy.base.errors import StorageError
from citewhy.doors.cli import options
from citewhy_lab.evaluate.parameters import Option, Parameter, parameters
from citewhy_lab.train.recipe import DeviceName, Recipe

if TYPE_CHECKING:
    from citewhy_lab.evaluate.outcome import Outcome

_FILE = click.Path(path_type=Path)

Command = Callable[..., None]

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


# Options made of fields ----------------------------------------------------------------------------------


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def settings_of(declared: type) -> Decorator:
    """Makes options and arguments of the fields of the dataclass `declared`, which are passed to the command
    as one argument `settings`."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def filled(*args: Any, **given: Any) -> None:
            values = {parameter.name: given.pop(parameter.name) for parameter in parameters(declared)}
            command(*args, settings=declared(**with_defaults(parameters(declared), values)), **given)

        decorated: Command = filled
        for parameter in reversed(parameters(declared)):
            decorated = option_of(parameter, parameter.default)(decorated)
        return decorated

    return decorate


def with_defaults(declared: Iterable[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the values of the fields; one that is None was not given, and has a default that is hidden."""
    return {
        parameter.name: parameter.default if given[parameter.name] is None else given[parameter.name]
        for parameter in declared
    }


def options_of(recipe: Recipe) -> list[Decorator]:
    """Options and arguments for the inputs of a recipe, the folder to create, the preset and the settings, in
    this order. What is not given is None, False or empty, but for defaults that the help shows."""
    decorators: list[Decorator] = [
        option_of(parameter, parameter.default) for parameter in parameters(recipe.inputs)
    ]
    decorators.append(options.new_folder)
    if recipe.preset is not None:
        choices = tuple(recipe.presets)
        preset = Parameter("preset", recipe.preset, str, False, choices[0], choices)
        decorators.append(option_of(preset, MISSING if recipe.preset.argument else choices[0]))
    presets = list(recipe.presets.values())
    for parameter in parameters(recipe.settings):
        values = [parameter.value(preset) for preset in presets] or [parameter.default]
        decorators.append(
            option_of(parameter, None if any(value != values[0] for value in values) else values[0])
        )
    if recipe.on_devices:
        where = Option("Where to train; auto: on a GPU if torch finds one.")
        decorators.append(
            option_of(Parameter("device", where, str, False, "auto", get_args(DeviceName)), "auto")
        )
    return [*decorators, options.quiet]


def option_of(parameter: Parameter, default: Any) -> Decorator:
    """Makes the option or the argument of a field; `default` is `MISSING` where a value must be given."""
    option, required = parameter.option, default is MISSING
    given: dict[str, Any] = {"metavar": option.metavar or None, "required": required}
    if option.argument:
        count = -1 if parameter.several else 1
        return click.argument(parameter.name, nargs=count, type=_type(parameter), **given)
    name = option.name or f"--{parameter.name.replace('_', '-')}"
    if parameter.item is bool:
        return click.option(name, parameter.name, is_flag=True, help=option.help)
    shown = default if option.shown is None else option.shown
    if not required and shown is not None and shown not in ("", ()):
        given |= {"default": shown, "show_default": True}
    return click.option(
        name, parameter.name, multiple=parameter.several, type=_type(parameter), help=option.help, **given
    )


def _type(parameter: Parameter) -> Any:
    """Numbers outside of their range, and texts that are none of the choices, are errors of usage, except
    where the help lists the choices itself: then the recipe says which there are."""
    option, path = parameter.option, click.Path(path_type=Path)
    if parameter.item is Path:
        return path
    if isinstance(parameter.item, tuple):
        return tuple(path for _ in parameter.item)
    if parameter.item is float:
        low = option.least if option.above is None else option.above
        high = option.most if option.below is None else option.below
        return options.Number(low, high, min_open=option.above is not None, max_open=option.below is not None)
    if parameter.item is int:
        low, high = (None if limit is None else int(limit) for limit in (option.least, option.most))
        return int if low is None and high is None else click.IntRange(low, high)
    return click.Choice(parameter.choices) if parameter.choices and not option.metavar else str


def given_values(recipe: Recipe, values: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yields the values that were given, by field: a flag that was set is the opposite of the field's
    default."""
    flags = {
        parameter.name: not parameter.default
        for part in (recipe.inputs, recipe.settings)
        for parameter in parameters(part)
        if parameter.item is bool
    }
    for name, value in values.items():
        if name in flags and value:
            yield name, flags[name]
        elif name not in flags and value not in (None, ()):
            yield name, value
