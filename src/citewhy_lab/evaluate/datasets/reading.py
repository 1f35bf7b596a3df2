"""Files of a data set: found by name, read as records of one kind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Alias, Citation, Context, Paper
from citewhy.papers.formats import read

_SUFFIXES = ("", ".gz", ".zst")

R = TypeVar("R", Paper, Alias, Citation, Context)


def find(folder: Path, *names: str) -> Path | None:
    """Returns the first file in `folder` with one of `names`, plain or compressed."""
    paths = (folder / f"{name}{suffix}" for name in names for suffix in _SUFFIXES)
    return next((path for path in paths if path.is_file()), None)


def need(folder: Path, *names: str) -> Path:
    """Returns the first of `names` that is there. Raises InputError if all are missing."""
    path = find(folder, *names)
    if path is None:
        raise InputError(
            f"the folder has no {' or '.join(names)}",
            path=folder,
            hint="docs/local.md lists the required files",
        )
    return path


def records(path: Path, kind: type[R], damage: Counter[str]) -> Iterator[R]:
    """Returns the records of a file.

    Skipped records are counted in `damage`. Raises InputError for a file that cannot be read, and for records
    of another kind.
    """
    report = ImportReport()
    for record in read(path, report):
        if not isinstance(record, kind):
            raise InputError(f"expected {_plural(kind)}, found {_plural(type(record))}", path=path)
        yield record
    if report.skipped:
        name = re.sub("[.](gz|zst)$", "", path.name)
        damage[f"records of {name} that cannot be read, left out"] += report.skipped


def _plural(kind: type) -> str:
    """Returns the plural of a kind of records, for messages: ``papers``, ``aliases``."""
    name = kind.__name__.lower()
    return f"{name}es" if name.endswith("s") else f"{name}s"
