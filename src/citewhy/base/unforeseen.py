"""One guard around every file that somebody gives: what a reader did not foresee concerns that file alone."""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from citewhy.base.errors import CiteWhyError, UnforeseenError

_Path = str | os.PathLike[str]
_P = ParamSpec("_P")
_R = TypeVar("_R")


@contextlib.contextmanager
def reading(path: _Path) -> Iterator[None]:
    """Errors in the block that no reader foresees become an UnforeseenError about the file, which says where
    in the code it was."""
    try:
        yield
    except CiteWhyError:
        raise
    except MemoryError as error:
        raise UnforeseenError(
            "there is not enough memory to read it",
            path=path,
            hint="close programs, or divide the file",
        ) from error
    except Exception as error:  # whatever a reader has overlooked
        raise UnforeseenError(
            f"it cannot be read, by a mistake of CiteWhy ({_what(error)})",
            path=path,
            hint="please report this line, with the file if you may",
        ) from error


def of_file(read: Callable[Concatenate[_Path, _P], _R]) -> Callable[Concatenate[_Path, _P], _R]:
    """A reader of the file that is its first argument, within `reading`; a generator until its end."""
    if inspect.isgeneratorfunction(read):

        @functools.wraps(read)
        def records(path: _Path, /, *args: _P.args, **options: _P.kwargs) -> Iterator[Any]:
            with reading(path):
                yield from read(path, *args, **options)

        return cast("Callable[Concatenate[_Path, _P], _R]", records)

    @functools.wraps(read)
    def record(path: _Path, /, *args: _P.args, **options: _P.kwargs) -> _R:
        with reading(path):
            return read(path, *args, **options)

    return record


def _what(error: Exception) -> str:
    """The error, and the last place in a package where it was."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    said = f": {error}" if str(error) else ""
    return f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}{said[:200]}"
