"""What an import read, what it left out, and why."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from citewhy.errors import InputError

__all__ = ["KEPT_PROBLEMS", "MANY_NAMES", "OTHERS", "ImportReport", "Problem"]

KEPT_PROBLEMS = 20
"""Problems of each sort that are kept for people to read; all are counted."""

MANY_NAMES = 500
"""Names of fields that are counted one by one for a format; further ones are counted together, as OTHERS."""

OTHERS = "(other fields)"


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

    `read` counts the records of the files by kind (``papers``, ``aliases``, ``contexts``, ``citations``,
    ``full texts``), those among them that were *refused* and those that were only *repeated* as well.
    A record that is *skipped* is not in the result; one that is *warned* about is, without the part that was
    wrong. With `strict`, the first skip raises InputError instead; warnings never raise.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.read: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        """Skipped records by kind; `formats.read` and the library fill it."""
        self.repeated: Counter[str] = Counter()
        """Records by kind that said again what their own file had said before."""
        self.skipped = 0
        self.warned = 0
        self.again = 0
        """Repetitions, whatever their kind."""
        self.skips: list[Problem] = []
        """The first skipped records, at most KEPT_PROBLEMS."""
        self.warnings: list[Problem] = []
        """The first warnings, at most KEPT_PROBLEMS."""
        self.not_kept: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """Fields that were seen and that no record holds: name of the format → field → records with it."""

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

    @property
    def room(self) -> bool:
        """Whether another warning would be kept, or only counted."""
        return len(self.warnings) < KEPT_PROBLEMS

    def repeat(self, path: str | os.PathLike[str], line: int | None, why: str) -> None:
        """Notes a record that its file holds already."""
        self.again += 1
        self.warn(path, line, why)

    def leave(self, source: str, names: Iterable[str], count: int = 1) -> None:
        """Counts fields of `count` records of the format `source` that are not kept, each name once."""
        for name in names:
            seen = self.not_kept[source]
            seen[name if name in seen or len(seen) < MANY_NAMES else OTHERS] += count

    def absorb(self, other: ImportReport, names: dict[str, str] | None = None) -> None:
        """Adds what `other` holds; `names` gives paths another name ("standard input")."""
        for mine, theirs in (
            (self.read, other.read),
            (self.refused, other.refused),
            (self.repeated, other.repeated),
        ):
            mine.update(theirs)
        for source, counts in other.not_kept.items():
            for name, count in counts.items():
                self.leave(source, [name], count)
        self.skipped += other.skipped
        self.warned += other.warned
        self.again += other.again
        for problems, more in ((self.skips, other.skips), (self.warnings, other.warnings)):
            room = KEPT_PROBLEMS - len(problems)
            problems.extend(replace(one, path=(names or {}).get(one.path, one.path)) for one in more[:room])
