"""The sources of a library: the files and folders that were added, and which records each of them holds.

What was read from a pipe has no source, and is held for good (`schema.UNKNOWN_SOURCE`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from citewhy.papers.library.change import Change
from citewhy.papers.library.checked import pieces
from citewhy.papers.library.database import Database
from citewhy.papers.library.removing import remove_records
from citewhy.papers.library.schema import HOLDINGS, SOURCES, UNKNOWN_SOURCE, Holding, SourceRow, has
from citewhy.papers.library.staging import Staging

__all__ = ["DRAFT", "FOLDER", "WIDE_DRAFT", "Follow", "Origin", "follow", "only_in", "origins_of"]

_IDS_AT_ONCE = 500

FOLDER, DRAFT, WIDE_DRAFT = "folder", "draft", "draft with files outside of its project"
"""In place of the format of a file."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A file or folder, as it was when it was read. Of a draft, `parts` are the files beside its root."""

    path: str
    """Absolute."""
    format: str
    size: int
    mtime: int
    checksum: str
    """Empty: what is in the library of it is not what the file has."""
    parts: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class Follow:
    """What an import remembers of its sources."""

    origins: Mapping[str, Origin] = field(default_factory=dict)
    """By the names of the staged sources; the others are not files."""
    others: Sequence[Origin] = ()
    """Folders, and files that need not be read since only their time has changed."""
    sync: bool = False
    """Whether the library loses what the sources no longer have."""
    keep: bool = True
    """If false, all is undone at the end."""


def origins_of(db: Database) -> list[Origin]:
    """The sources in the order in which they were added."""
    if not has(db, SOURCES):
        return []
    rows = list(SOURCES.own_rows(db))
    parts: defaultdict[int, list[SourceRow]] = defaultdict(list)
    for row in rows:
        if row.root != row.number:
            parts[row.root].append(row)
    return [_origin(row, tuple(map(_origin, parts[row.number]))) for row in rows if row.root == row.number]


def _origin(row: SourceRow, parts: tuple[Origin, ...] = ()) -> Origin:
    return Origin(row.path, row.format, row.size, row.mtime, row.checksum, parts)


def only_in(db: Database, origins: Iterable[Origin]) -> set[str]:
    """The ids of the records that the sources hold, and no others."""
    paths = {origin.path for origin in origins}
    numbers = {row.number for row in _roots(db) if row.path in paths}
    ids = {holding.id for holding in HOLDINGS.where(db, "source", sorted(numbers))}
    return ids - {
        holding.id for holding in HOLDINGS.where(db, "id", sorted(ids)) if holding.source not in numbers
    }


def follow(change: Change, staging: Staging, plan: Follow) -> None:
    """Remembers which records were read from which source; with `plan.sync`, removes those that were and are
    not any more, unless another source holds them."""
    db = change.db
    numbers = {row.path: row.number for row in _roots(db)}
    vanished: set[str] = set()
    for other in plan.others:
        _remember(db, numbers, other)
    for name in dict.fromkeys(staging.sources):
        if name in staging.refused:
            continue
        origin = plan.origins.get(name)
        number = UNKNOWN_SOURCE if origin is None else _remember(db, numbers, origin)
        gone = [] if origin is None else _gone(db, number, staging, name)
        _hold(db, number, staging.placed(name))
        if gone and plan.sync:
            HOLDINGS.remove(db, ((number, paper_id) for paper_id in gone))
            vanished.update(gone)
        elif (
            gone and origin is not None
        ):  # added again: nothing is removed, but the next synchronization reads it once more
            _remember(db, numbers, replace(origin, size=-1, checksum=""))
    if vanished:
        held = {holding.id for holding in HOLDINGS.where(db, "id", sorted(vanished))}
        remove_records(change, vanished - held)


def _roots(db: Database) -> list[SourceRow]:
    return [row for row in SOURCES.all(db) if row.root == row.number]


def _gone(db: Database, source: int, staging: Staging, name: str) -> list[str]:
    """The ids of the records that a source held and does not any more."""
    gone: list[str] = []
    for some in pieces(HOLDINGS.where(db, "source", [source]), _IDS_AT_ONCE):
        held = {holding.id for holding in some}
        gone += held - staging.placed_among(name, held)
    return sorted(gone)


def _hold(db: Database, source: int, ids: Iterable[str]) -> None:
    """Stores that a source holds the records."""
    for some in pieces(ids, _IDS_AT_ONCE):
        known = HOLDINGS.known(db, "id", some, f"source = {source}", sure=False)
        HOLDINGS.insert(db, (Holding(source, paper_id) for paper_id in some if paper_id not in known))


def _remember(db: Database, numbers: dict[str, int], origin: Origin) -> int:
    """Stores a source as it is now, and returns its number."""
    last = db.row("SELECT coalesce(max(number), 0) FROM sources")
    free = 1 + (0 if last is None else int(last[0]))
    number = numbers.setdefault(origin.path, free)
    rows = [_row(number, number, origin)]
    rows += [_row(own, number, part) for own, part in enumerate(origin.parts, max(free, number + 1))]
    SOURCES.delete(db, "root", [number])
    SOURCES.insert(db, rows)
    return number


def _row(number: int, root: int, origin: Origin) -> SourceRow:
    return SourceRow(number, origin.path, origin.format, root, origin.size, origin.mtime, origin.checksum)
