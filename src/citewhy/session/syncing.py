"""Reads again what has changed of the files from which a library was read."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from citewhy.base.progress import Progress, silent
from citewhy.base.reports import SyncReport, ToEncode
from citewhy.drafts.finished import FinishedDrafts, find_drafts
from citewhy.papers.formats.files import Files, find
from citewhy.papers.library.sources import DRAFT, FOLDER, WIDE_DRAFT, Follow, Origin
from citewhy.papers.library.store import Library
from citewhy.search.encode import Encoder
from citewhy.search.index import Engine, choose, find_engine
from citewhy.session.encoding import encode
from citewhy.session.importing import import_sources, sources_in
from citewhy.session.origins import folders, has_changed, is_as_it_was, now, origins

__all__ = ["small_changes", "sync_files"]

_SMALL = 2_000_000
"""Bytes of changed files that are read again before a query, if that is wanted: in about a second."""


def small_changes(folder: Path) -> list[str]:
    """The names of the files and folders from which the library in `folder` was read and that have changed
    since; none if what is to be read is too large to be read before a query. Raises as `Library.open`."""
    with Library.open(folder) as library:
        sources = library.origins()
    changed = [origin for origin in sources if has_changed(origin)]
    known = {origin.path for origin in sources}
    size = 0
    for path in (path for origin in changed for path in _to_read(origin, known)):
        with contextlib.suppress(OSError):  # it has just vanished
            size += path.stat().st_size
    return [Path(origin.path).name for origin in changed] if size <= _SMALL else []


def _to_read(origin: Origin, known: Collection[str]) -> list[Path]:
    """The files of a source that has changed; of a folder, those that have appeared in it."""
    if origin.format != FOLDER:
        return [Path(part.path) for part in (origin, *origin.parts)]
    with find([origin.path]) as files:
        return [file.path for file in files.known if str(file.path.resolve()) not in known]


def sync_files(
    folder: Path,
    engine: Engine | None = None,
    encoder: Encoder | None = None,
    *,
    dry_run: bool = False,
    vectors: bool | ToEncode = True,
    progress: Progress = silent,
) -> SyncReport:
    """Reads again those files that have changed since they were added to the library in `folder`, and new
    ones in folders that were added, in one commit.

    New papers are added, and others updated, as by `importing.add_files`; papers that a file no longer has
    are removed, unless another source has them, they are the owner's own writings, or they were also added
    without a file. A paper that has got another key keeps the old one as a name. Of files that are missing
    or cannot be read, nothing is removed. Then texts that have no vectors yet are encoded (`vectors`), as
    by `importing.add_files`. With `dry_run`, all of this is only found out. Raises LibraryError if there is
    no library.
    """
    with Library.open(folder) as library:
        known = library.origins()
        if isinstance(vectors, str) and not dry_run:
            choose(folder, vectors)
    changes = _changes(known)
    added = result = None
    drafts = _drafts(changes)
    others = [Path(origin.path) for origin in known if origin.format not in (*_DRAFTS, FOLDER)]
    with find([*filter(Path.is_file, others), *drafts.others], drafts.files()) as files:
        again = {origin.path for origin in changes.again}
        seen = {file.path for origin in known for file in (origin, *origin.parts)}
        sources = [
            source
            for source in sources_in(drafts, files)
            if (path := str(source.path.resolve())) in again or path not in seen
        ]
        if sources or drafts.refused or files.refused or changes.touched or changes.folders_changed:
            names = {source.name for source in sources}
            plan = Follow(
                {name: origin for name, origin in _origins(drafts, files, changes).items() if name in names},
                [*changes.touched, *folders(changes.folders)],
                sync=True,
                keep=not dry_run,
            )
            added, result = import_sources(
                folder,
                drafts,
                files,
                sources,
                plan,
                vectors=vectors,
                encoder=encoder,
                engine=engine,
                progress=progress,
            )
        elif vectors and not dry_run:
            with Library.open(folder) as library:
                encode(library, find_engine(engine), encoder, progress, vectors)
    read_again = added is not None and bool(added.files or added.files_refused)
    return SyncReport(
        library=str(folder),
        dry_run=dry_run,
        sources=len(known),
        changed=added.files if added else (),
        missing=changes.missing,
        removed=dict(result.vanished) if result else {},
        renamed=dict(result.renamed) if result else {},
        added=added if read_again else None,
    )


_DRAFTS = (DRAFT, WIDE_DRAFT)


def _drafts(changes: _Changes) -> FinishedDrafts:
    """The drafts that have changed, each with what was read of it before, and those in folders."""
    narrow, wide = (
        [Path(origin.path) for origin in changes.again if origin.format == form] for form in _DRAFTS
    )
    inside = find_drafts([*narrow, *changes.folders])
    outside = find_drafts(wide, follow_outside=True)
    taken = {Path(draft.path).resolve() for draft in outside.drafts}
    return FinishedDrafts(
        (*(draft for draft in inside.drafts if Path(draft.path).resolve() not in taken), *outside.drafts),
        (*inside.refused, *outside.refused),
        (*inside.others, *outside.others),
    )


def _origins(drafts: FinishedDrafts, files: Files, changes: _Changes) -> dict[str, Origin]:
    wide = {origin.path for origin in changes.again if origin.format == WIDE_DRAFT}
    by_name = origins(drafts, files)
    return {
        name: replace(origin, format=WIDE_DRAFT) if origin.path in wide else origin
        for name, origin in by_name.items()
    }


@dataclass(frozen=True, slots=True)
class _Changes:
    again: list[Origin]
    """Files and drafts with another content."""
    touched: list[Origin]
    """Those of which only the time has changed, as they are now."""
    folders: list[Path]
    """All folders that are there: files may have appeared anywhere in them."""
    folders_changed: bool
    missing: tuple[str, ...]


def _changes(known: Iterable[Origin]) -> _Changes:
    again: list[Origin] = []
    touched: list[Origin] = []
    watched: list[Path] = []
    folders_changed = False
    missing: list[str] = []
    for origin in known:
        changed = has_changed(origin)
        if changed is None:
            missing.append(origin.path)
        elif origin.format == FOLDER:
            watched.append(Path(origin.path))
            folders_changed |= changed
        elif changed:
            fresh = None
            with contextlib.suppress(OSError):  # a file that has vanished since
                fresh = _as_it_is(origin)
            if fresh is not None and is_as_it_was(origin):
                touched.append(fresh)
            else:
                again.append(origin)
    return _Changes(again, touched, watched, folders_changed, tuple(missing))


def _as_it_is(origin: Origin) -> Origin:
    parts = tuple(now(Path(part.path), part.format) for part in origin.parts)
    return replace(now(Path(origin.path), origin.format), parts=parts)
