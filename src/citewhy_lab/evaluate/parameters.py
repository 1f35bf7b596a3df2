"""The parameters of what a command does: each is declared once, as a field of a dataclass.

A field that is annotated with an `Option` is an option of a command, too; type, default, legal range and
choices are those of the field. The fields that several commands have stand at the end.
"""

from __future__ import annotations

import functools
import operator
import types
import typing
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from citewhy.base.config import YEARS
from citewhy.base.errors import QueryError


@dataclass(frozen=True, slots=True)
class Option:
    """How a field is an option of the command line.

    A flag changes a field that is true or false to the opposite of its default.
    """

    help: str
    name: str = ""
    """The option, where its name is not that of the field."""
    metavar: str = ""
    """It stands for the value in the help; empty: the type, or the choices do."""
    least: float | None = None
    """The smallest legal value."""
    most: float | None = None
    """The largest legal value."""
    above: float | None = None
    """The legal values are greater than this."""
    below: float | None = None
    """The legal values are smaller than this."""
    choices: tuple[str, ...] = ()
    """The legal values; empty: those of the field's type."""
    read: Callable[[str], Any] | None = None
    """Makes the field's value from a text, for types other than numbers, texts and paths."""
    shown: str | None = None
    """The default as the help shows it; empty: it is not shown; None: as it is."""
    argument: bool = False
    """Whether it is an argument, which is given without a name."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A field with its option, as the command line and the checks read it."""

    name: str
    option: Option
    item: Any
    """The type of one value: bool, int, float, str, `Path`, or the pair ``(Path, Path)``."""
    several: bool
    """Whether the field is a tuple of values."""
    default: Any
    """`dataclasses.MISSING` where a value must be given."""
    choices: tuple[str, ...]
    part: str = ""
    """The field that holds it, itself a dataclass; empty: it is a field of the whole."""

    def value(self, whole: Any) -> Any:
        """Returns the value in an instance of the dataclass."""
        return getattr(getattr(whole, self.part) if self.part else whole, self.name)

    def check(self, value: Any) -> None:
        """Raises QueryError for a value that is not legal, where there are several for one of them, or for
        none if one must be given. The default is legal."""
        if self.several and self.default is MISSING and not value:
            raise QueryError(f"there are no {self._what}", hint="give one or more")
        for item in value if self.several else [value]:
            self._check_one(item)

    @property
    def _what(self) -> str:
        return self.name.replace("_", " ")

    def _check_one(self, value: Any) -> None:
        what = self._what
        if value is None or value == self.default:
            return
        if self.choices and value not in self.choices:
            raise QueryError(f"there is no {what} {value}", hint=f"choose from: {', '.join(self.choices)}")
        limits = (
            ("at least", self.option.least, operator.ge),
            ("at most", self.option.most, operator.le),
            ("more than", self.option.above, operator.gt),
            ("less than", self.option.below, operator.lt),
        )
        for words, limit, holds in limits:
            if limit is not None and not holds(value, limit):
                raise QueryError(f"the {what} is {value}", hint=f"give {words} {limit:g}")


@functools.cache
def parameters(declared: Any) -> tuple[Parameter, ...]:
    """Lists the fields of the dataclass `declared` that are options, in order, and those of the dataclasses
    in it."""
    hints = typing.get_type_hints(declared, include_extras=True)
    listed: list[Parameter] = []
    for field in fields(declared):
        hint = hints[field.name]
        if is_dataclass(hint) and isinstance(hint, type):
            listed += (replace(inside, part=field.name) for inside in parameters(hint))
        for option in (mark for mark in getattr(hint, "__metadata__", ()) if isinstance(mark, Option)):
            default = field.default if field.default_factory is MISSING else field.default_factory()
            item, several = _item(typing.get_args(hint)[0])
            choices = typing.get_args(item) if typing.get_origin(item) is Literal else ()
            kind = str if choices else item
            listed.append(Parameter(field.name, option, kind, several, default, option.choices or choices))
    return tuple(listed)


def _item(hint: Any) -> tuple[Any, bool]:
    """Returns the type of one value, and whether there may be several."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        (hint,) = (member for member in typing.get_args(hint) if member is not type(None))
    if typing.get_origin(hint) is tuple:
        inside = typing.get_args(hint)
        return (_item(inside[0])[0], True) if inside[-1] is ... else (inside, False)
    return hint, False


# Fields that several commands have -------------------------------------------------------------------------

LibraryFolder = Annotated[Path | None, Option("Library folder; default: your own.", metavar="DIR")]

PipelineName = Annotated[str, Option("bm25, dense, hybrid or full.", metavar="NAME")]

EncoderFolder = Annotated[
    Path | None, Option("Use this trained encoder instead of the built-in one.", metavar="DIR")
]

RankerFolder = Annotated[
    Path | None, Option("Use this trained ranker instead of the built-in one.", metavar="DIR")
]

Baseline = Annotated[
    str | None, Option("Compare with this pipeline, or with a TREC run file.", metavar="NAME|RUN")
]

FollowOutside = Annotated[bool, Option("Also read files outside of the draft's project that it names.")]


def year(help_text: str, name: str = "") -> Option:
    """Makes the option of a field that takes a year."""
    return Option(help_text, name=name, metavar="YEAR", least=YEARS[0], most=YEARS[1])


DraftsYear = Annotated[
    int | None,
    year(
        "Ignore papers published after YEAR; default: the year of each draft, or of the newest paper it"
        " cites.",
        "--as-of",
    ),
]
"""The year as of which finished drafts are asked; None: each as of its own."""
