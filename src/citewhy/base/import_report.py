"""Reports of imports: what was read, what was skipped, and why."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from citewhy.base.errors import InputError

__all__ = ["KEPT_PROBLEMS", "MANY_NAMES", "OTHERS", "ImportReport", "Problem"]

KEPT_PROBLEMS = 20
"""Problems of each sort that are kept; all are counted."""

MANY_NAMES = 500
"""Names of fields that are counted individually for a format; further ones are counted together, as
OTHERS."""

OTHERS = "(other fields)"


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem with a record; `line` counts from 1, and is None for formats without lines."""

    path: str
    line: int | None
    why: str

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        return " ".join(f"{where}: {self.why}".split())


class ImportReport:
    """Counts and problems of an import; one report can cover many files.

    `read` counts the records of the files by kind (``papers``, ``aliases``, ``contexts``, ``citations``,
    ``full texts``), including *refused* and *repeated* ones. A *skipped* record is not in the result; one
    that is *warned* about is, without the invalid part. If `strict`, the first skip raises InputError;
    warnings never raise.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.read: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        """Skipped records by kind; counted by `formats.read` and the library."""
        self.repeated: Counter[str] = Counter()
        """Records by kind that repeat an earlier record of their file."""
        self.skipped = 0
        self.warned = 0
        self.again = 0
        """Number of repetitions of any kind."""
        self.skips: list[Problem] = []
        """The first skipped records, at most KEPT_PROBLEMS."""
        self.warnings: list[Problem] = []
        """The first warnings, at most KEPT_PROBLEMS."""
        self.not_kept: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """Fields that no record contains: name of the format → field → number of records with it."""

    def skip(self, path: str | os.PathLike[str], line: int | None, why: str) -> None:
        """Notes a record that is skipped. Raises InputError if the import is strict."""
        if self.strict:
            raise InputError(
                why, path=path, line=line, hint="correct the record, or omit --strict to skip it"
            )
        self.skipped += 1
        if len(self.skips) < KEPT_PROBLEMS:
            self.skips.append(Problem(os.fspath(path), line, why))

    def warn(self, path: str | os.PathLike[str], line: int | None, why: str) -> None:
        """Notes a record that is kept without an invalid part."""
        self.warned += 1
        if len(self.warnings) < KEPT_PROBLEMS:
            self.warnings.append(Problem(os.fspath(path), line, why))

    @property
    def room(self) -> bool:
        """Whether another warning would be kept rather than only counted."""
        return len(self.warnings) < KEPT_PROBLEMS

    @property
    def room_for_skips(self) -> bool:
        """Whether another skipped record would be kept rather than only counted."""
        return len(self.skips) < KEPT_PROBLEMS

    def repeat(self, path: str | os.PathLike[str], line: int | None, why: str) -> None:
        """Notes a record that repeats an earlier one of its file."""
        self.again += 1
        self.warn(path, line, why)

    def leave(self, source: str, names: Iterable[str], count: int = 1) -> None:
        """Counts fields of `count` records of the format `source` that are not kept, each name once."""
        for name in names:
            seen = self.not_kept[source]
            seen[name if name in seen or len(seen) < MANY_NAMES else OTHERS] += count

    def absorb(self, other: ImportReport, names: dict[str, str] | None = None) -> None:
        """Adds the counts and problems of `other`; `names` gives paths other names ("standard input")."""
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
