"""The exception tree. The library raises these; the command line prints them as one line and exits with 2."""

from __future__ import annotations

import os

__all__ = [
    "CiteWhyError",
    "DamagedError",
    "EditConflictError",
    "InputError",
    "LibraryError",
    "LockedError",
    "MissingExtraError",
    "ModelError",
    "ModelVersionError",
    "QueryError",
    "StorageError",
    "TooLargeError",
    "VersionError",
    "WrongKindError",
]


class CiteWhyError(Exception):
    """Base of everything that CiteWhy raises on purpose.

    `problem` says what was found and what was expected; `hint` what to do next; `path` and `line` (from 1)
    where. `str(error)` is one line: ``path:line: problem; hint``.
    """

    def __init__(
        self,
        problem: str,
        *,
        path: str | os.PathLike[str] | None = None,
        line: int | None = None,
        hint: str | None = None,
    ) -> None:
        self.problem = problem
        self.path = None if path is None else os.fspath(path)
        self.line = line
        self.hint = hint
        super().__init__(problem)

    def __str__(self) -> str:
        where = "" if self.path is None else f"{self.path}: "
        if self.path is not None and self.line is not None:
            where = f"{self.path}:{self.line}: "
        text = where + self.problem + ("" if self.hint is None else f"; {self.hint}")
        return " ".join(text.split())


class InputError(CiteWhyError):
    """A file or a value from outside is not what its format says."""


class TooLargeError(InputError):
    """Input over a documented limit (a line, a file, a nesting depth)."""


class QueryError(CiteWhyError):
    """A request that cannot be answered: an unknown paper id, an empty text, an unknown measure."""


class EditConflictError(CiteWhyError):
    """A draft changed on disk between reading it and writing the edit."""


class LibraryError(CiteWhyError):
    """A library folder cannot be used."""


class LockedError(LibraryError):
    """Another process is writing to the library."""


class DamagedError(LibraryError):
    """What is stored (papers, an index, a model) fails its own checks; nothing is guessed from it."""


class VersionError(LibraryError):
    """The folder was written by a newer CiteWhy, in a layout that this one does not know."""


class StorageError(LibraryError):
    """The operating system refused: no space, no permission, no such folder."""


class ModelError(CiteWhyError):
    """A model folder cannot be used."""


class WrongKindError(ModelError):
    """A folder holds a model of another kind than is expected, or no model."""


class ModelVersionError(ModelError):
    """A model follows another version of its kind's contract than this CiteWhy does."""


class MissingExtraError(CiteWhyError):
    """An optional part is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs an optional part", hint=f"install it with: pip install 'citewhy[{extra}]'"
        )
        self.extra = extra
