"""The exceptions of CiteWhy. The command line prints them as one line and exits with status 2."""

from __future__ import annotations

import os


class CiteWhyError(Exception):
    """Base class of all errors that CiteWhy raises.

    `problem` says what was found and what was expected, `hint` what to do about it, `path` and `line` (from
    1) where it was found. `str(error)` is one line: ``path:line: problem; hint``.
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
    """An input file or value is not what its format requires."""


class TooLargeError(InputError):
    """An input exceeds a documented limit (length of a line, size of a file, depth of nesting)."""


class NoPapersError(InputError):
    """A file of a known layout that holds no papers: a search that found nothing, an error message."""


class UnforeseenError(InputError):
    """A reader failed on a file in a way that nobody foresaw (`unforeseen.reading`). Other files are read."""


class QueryError(CiteWhyError):
    """A request that cannot be answered: an unknown paper id, an empty text, an unknown measure."""


class EditConflictError(CiteWhyError):
    """A draft was changed between reading it and writing the edit."""


class LibraryError(CiteWhyError):
    """A library folder cannot be used."""


class LockedError(LibraryError):
    """Another process is writing to the library."""


class DamagedError(LibraryError):
    """Stored data (papers, an index, a model) fails its checks and is not used."""


class VersionError(LibraryError):
    """The folder was written by another version of CiteWhy, in a layout that this version cannot read."""


class StorageError(LibraryError):
    """The operating system refused to read or write: no space, no permission, no such folder."""


class NetworkError(CiteWhyError):
    """A service on the network does not answer, or refuses to. Only `citewhy enrich` uses the network, and an
    index in a server that the user names."""


class ModelError(CiteWhyError):
    """A model folder cannot be used."""


class WrongKindError(ModelError):
    """A folder contains a model of another kind than expected, or no model."""


class ModelVersionError(ModelError):
    """A model follows another version of the contract for its kind than this version of CiteWhy."""


class MissingExtraError(CiteWhyError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs an optional dependency", hint=f"install it with: pip install 'citewhy[{extra}]'"
        )
        self.extra = extra


class LossWarning(UserWarning):
    """A library has lost commits that were acknowledged: its journal was damaged, or an older copy of it was
    restored. The command line prints it on standard error."""
