"""What an import read, what it left out, and why."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass

from citewhy.errors import InputError

__all__ = ["KEPT_PROBLEMS", "ImportReport", "Problem"]

KEPT_PROBLEMS = 20
"""Problems of each sort that are kept for people to read; all are counted."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with one record; `line` counts from 1, None where a format has no lines."""

    path: str
    line: int | None
    why: str

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        return " ".join(f"{where}: {self.why}".split())


class ImportReport:
    """Counts and problems of an import. One report may serve many files.

    `read` counts records by kind (``papers``, ``aliases``, ``contexts``, ``citations``, ``full texts``).
    A record that is *skipped* is not in the result; one that is *warned* about is, without the part that was
    wrong. With `strict`, the first skip raises InputError instead; warnings never raise.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.read: Counter[str] = Counter()
        self.skipped = 0
        self.warned = 0
        self.skips: list[Problem] = []
        """The first skipped records, at most KEPT_PROBLEMS."""
        self.warnings: list[Problem] = []
        """The first warnings, at most KEPT_PROBLEMS."""

    def skip(self, path: str | os.PathLike[str], line: int | None, why: str) -> None:
        """Notes a record that is left out. Raises InputError where the import is strict."""
        if self.strict:
            raise InputError(why, path=path, line=line, hint="correct it, or skip it: without --strict")
        self.skipped += 1
        if len(self.skips) < KEPT_PROBLEMS:
            self.skips.append(Problem(os.fspath(path), line, why))

    def warn(self, path: str | os.PathLike[str], line: int | None, why: str) -> None:
        """Notes a record that is kept without the part that was wrong."""
        self.warned += 1
        if len(self.warnings) < KEPT_PROBLEMS:
            self.warnings.append(Problem(os.fspath(path), line, why))
