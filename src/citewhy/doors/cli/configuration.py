"""`citewhy.toml`: what holds where the command line does not say.

It lies beside a draft, or in the user's configuration folder; the former comes first. Its keys are those of
`KEYS`; others are errors.
"""

from __future__ import annotations

import contextlib
import functools
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from citewhy.base.config import LIBRARY_VARIABLE
from citewhy.base.errors import CiteWhyError, InputError
from citewhy.session.starter import library_folder
from citewhy.session.syncing import small_changes, sync_files

__all__ = ["FILE_NAME", "KEYS", "Configured", "configured", "read_configuration", "user_file"]

FILE_NAME = "citewhy.toml"

Command = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Key:
    """A key of the file."""

    parameter: str
    """The parameter of the commands that it sets; empty: none."""
    expected: str
    """The values that it takes, for people."""
    check: Callable[[Any], bool]


def _is_number(value: Any, low: float, high: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high


KEYS: Mapping[str, Key] = {
    "libraries": Key(
        "library",
        "a list of library folders, relative to the file",
        lambda value: (
            isinstance(value, list) and bool(value) and all(isinstance(name, str) and name for name in value)
        ),
    ),
    "k": Key(
        "count", "a number of papers, from 1", lambda value: _is_number(value, 1, 10_000) and value % 1 == 0
    ),
    "at-least": Key("at_least", "a probability from 0 to 1", lambda value: _is_number(value, 0, 1)),
    "follow": Key("", "true or false", lambda value: isinstance(value, bool)),
}


_NO_KEYS = {"language": "omit it: languages are told by the text and by each title"}
"""What may be expected and is no key, and why."""


@dataclass(frozen=True, slots=True)
class Configured:
    """A value, and the file that has it."""

    value: Any
    file: Path


def user_file() -> Path:
    """Returns the file in the user's configuration folder, whether it exists or not."""
    import platformdirs  # imported here, because most calls end without it

    return Path(platformdirs.user_config_dir("citewhy")) / FILE_NAME


def read_configuration(folder: Path) -> dict[str, Configured]:
    """Returns what holds in a folder, by key: of the file there, or else of the user's.

    Raises InputError for a file that is not TOML, an unknown key, and a value that a key does not take.
    """
    values: dict[str, Configured] = {}
    for file in (user_file(), folder / FILE_NAME):
        if file.is_file():
            values.update((key, Configured(value, file)) for key, value in _read(file).items())
    return values


def _read(file: Path) -> dict[str, Any]:
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"it cannot be read: {error}", path=file, hint="correct it as TOML") from error
    for key, value in document.items():
        if key not in KEYS:
            hint = _NO_KEYS.get(key) or f"choose from: {', '.join(KEYS)}"
            raise InputError(f"there is no key {key!r}", path=file, hint=hint)
        if not KEYS[key].check(value):
            raise InputError(
                f"{key} is {value!r}, expected {KEYS[key].expected}", path=file, hint="correct it"
            )
    if "libraries" in document:
        document["libraries"] = [
            name if name == "starter" else str(file.parent / Path(name).expanduser())
            for name in document["libraries"]
        ]
    return document


def configured(command: Command) -> Command:
    """Lets a command take from the configuration what the command line does not give.

    The file beside its argument `draft`, or the first of its `drafts`, counts or, without a draft, that in
    the current folder. The variable
    for the library comes before the configuration. Raises as `read_configuration`.
    """

    @functools.wraps(command)
    def decorated(**given: Any) -> None:
        context = click.get_current_context()
        draft = given.get("draft") or next(iter(given.get("drafts") or ()), None)
        values = read_configuration(Path(draft).parent if draft else Path())
        for key, setting in values.items():
            name = KEYS[key].parameter
            if (
                name not in given
                or context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT
            ):
                continue
            if key == "libraries" and os.environ.get(LIBRARY_VARIABLE):
                continue
            if key == "at-least" and not (given.get("write") or given.get("choose")):
                continue  # it is about what is written
            given[name] = tuple(map(Path, setting.value)) if key == "libraries" else setting.value
        if "library" in given and values.get("follow") == Configured(True, user_file()):
            _follow(given["library"])
        command(**given)

    return decorated


def _follow(library: Path | tuple[Path, ...] | None) -> None:
    """Reads again what has changed of small files from which the libraries were read, as `citewhy sync` does.
    Only for the user's own file: one that lies beside a draft may be somebody else's. What cannot be read, or
    is not the user's, stays as it is: the answer says that it has changed."""
    named = (library,) if isinstance(library, Path) else library or (None,)
    for folder in filter(None, map(library_folder, named)):
        with contextlib.suppress(CiteWhyError):
            if changed := small_changes(folder):
                sync_files(folder, vectors=False)  # the query encodes what is new, or answers before
                click.echo(f"citewhy: read again: {', '.join(changed)}", err=True)
