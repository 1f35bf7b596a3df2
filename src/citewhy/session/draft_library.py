"""The library of a draft: the entries of its bibliography, indexed like any library, in the user's cache.

    drafts/<draft>-<content>/            a library; `used` in it says when it was last opened
    drafts/<draft>-<content>-<state>/    a layer over a state of another library

Each is made once for each content of the bibliography. When an entry changes, another one is made, which
takes the vectors of the one before: only what changed is encoded.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import operator
import shutil
import sqlite3
import tempfile
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from citewhy.base.config import cache_folder
from citewhy.base.errors import StorageError
from citewhy.base.records import Manuscript, Paper, Reference
from citewhy.papers.formats.report import ImportReport
from citewhy.papers.library.codec import paper_data
from citewhy.papers.library.opening import SCHEMA_VERSION
from citewhy.papers.library.store import Library
from citewhy.search.index import Engine, open_layer
from citewhy.search.index.local.vectors import CACHE
from citewhy.session.kept import Open, kept_library
from citewhy.session.models import Models
from citewhy.session.opened import Opened, OpenedLayer

_FOLDER = "drafts"
_USED = "used"
_WHAT = "the library of the draft's bibliography"

_UNUSED_DAYS = 60.0
"""Days after which a library that nobody opened is removed."""

_REPLACED_DAYS = 1.0
"""The same for one that another content of the same bibliography has replaced; another process may still
have it open."""

_ABANDONED_DAYS = 1.0
"""The same for what a process left behind that was killed while it made a library."""

_DAY = 86_400.0

_MOST_OPEN = 4
"""Libraries of drafts that a session keeps open."""


def entries_of(manuscripts: Sequence[Manuscript]) -> list[Paper]:
    """The entries with a title of the bibliographies of drafts, with their keys as ids; where drafts have
    different entries of one key, the later ones have a number behind it."""
    entries: dict[str, Paper] = {}
    for manuscript in manuscripts:
        for reference in manuscript.references:
            if not reference.paper.title:
                continue
            names = itertools.chain(
                [reference.key], (f"{reference.key}-{number}" for number in itertools.count(2))
            )
            for name in names:
                paper = replace(reference.paper, id=name)
                if entries.setdefault(name, paper) == paper:
                    break
    return list(entries.values())


class DraftLibraries:
    """The libraries of drafts that a session has open: the last few. Thread-safe."""

    def __init__(self, models: Models, engine: Engine) -> None:
        self._models = models
        self._engine = engine
        self._opened: OrderedDict[tuple[str, Opened | None], Opened] = OrderedDict()
        self._read: tuple[list[tuple[Reference, ...]], tuple[list[Paper], str]] = ([], ([], ""))
        """The bibliographies that were asked for last, with their entries and the checksum of these."""
        self._lock = threading.Lock()

    def of(self, manuscripts: Sequence[Manuscript], below: Opened | None = None) -> Opened | None:
        """The library of the drafts' bibliographies, over the library `below` if one is given, with its
        index, models and recommenders; None if they have no entry with a title."""
        with self._lock:
            entries, content = self._bibliography(manuscripts)
            if not entries:
                return None
            opened = self._opened.pop((content, below), None)
            if opened is None:
                files = dict.fromkeys(
                    PurePath(file).name for manuscript in manuscripts for file in manuscript.bibliographies
                )
                opened = self._open(entries, f"{_name(manuscripts)}-{content}", below, ", ".join(files))
            self._opened[content, below] = opened
            while len(self._opened) > _MOST_OPEN:
                self._opened.popitem(last=False)  # closed when no answer uses it any more
            return opened

    def _bibliography(self, manuscripts: Sequence[Manuscript]) -> tuple[list[Paper], str]:
        """The entries of the drafts, and their checksum; those of the drafts that were asked for last are
        kept, since an editor asks again and again."""
        bibliographies = [manuscript.references for manuscript in manuscripts]
        known, read = self._read
        if len(known) != len(bibliographies) or any(map(operator.is_not, known, bibliographies)):
            entries = entries_of(manuscripts)
            self._read = bibliographies, (read := (entries, _content(entries)))
        return read

    def _open(self, entries: Sequence[Paper], name: str, below: Opened | None, bibliographies: str) -> Opened:
        def fill(library: Library) -> None:
            library.add(entries, ImportReport(), "the bibliography")
            if below is None:
                self._engine.refresh(library)
            else:
                open_layer(library, below.index())

        if below is None:
            library = _library(name, fill, Library.open)
            return Opened(library, self._models, self._engine, name=bibliographies)
        under = below.library
        library = _library(
            f"{name}-{under.mark_of(under.generation):x}", fill, functools.partial(Library.over, under)
        )
        return OpenedLayer(library, below, name=f"{bibliographies}, {below.name}")

    def release(self) -> None:
        """Forgets index, models and recommenders of the libraries, which stay open."""
        with self._lock:
            for opened in self._opened.values():
                opened.release()

    def close(self) -> None:
        """Closes the libraries. No thread may be using them."""
        with self._lock:
            for opened in self._opened.values():
                opened.library.close()
            self._opened.clear()


def _library(name: str, fill: Callable[[Library], None], open_library: Open) -> Library:
    """The library in the folder `name` of the user's cache, with the vectors of earlier contents; where that
    cannot be written, in a temporary folder that is removed with the library."""
    root = cache_folder() / _FOLDER
    folder = root / name
    before = _newest(root, folder)

    def filled(library: Library) -> None:
        fill(library)
        if before is not None:
            _copy_vectors(before, library.folder)

    made = not folder.exists()
    try:
        library = kept_library(folder, filled, _WHAT, open_library)
        _set_used(folder)
    except StorageError:
        held = tempfile.TemporaryDirectory(prefix="citewhy-", ignore_cleanup_errors=True)
        library = kept_library(Path(held.name) / "library", filled, _WHAT, open_library)
        weakref.finalize(library, held.cleanup)
        return library
    if made:
        _remove_unused(root, folder)
    return library


def _name(manuscripts: Sequence[Manuscript]) -> str:
    """A name for the drafts, the same whatever they contain."""
    paths = "\0".join(str(Path(manuscript.path).absolute()) for manuscript in manuscripts)
    return hashlib.blake2b(paths.encode(errors="surrogatepass"), digest_size=6).hexdigest()


def _content(entries: Sequence[Paper]) -> str:
    """A checksum of all that a library of `entries` depends on."""
    checksum = hashlib.blake2b(str(SCHEMA_VERSION).encode(), digest_size=8)
    for paper in entries:
        source = "" if paper.source is None else paper.source.text
        for part in (
            paper.id.encode(errors="surrogatepass"),
            paper_data(replace(paper, source=None)),
            source.encode(errors="surrogatepass"),
        ):
            checksum.update(len(part).to_bytes(4, "little") + part)
    return checksum.hexdigest()


# The folders of one draft, and of others --------------------------------------------------------------------


def _newest(root: Path, besides: Path) -> Path | None:
    """The library of the same draft that was last used, with another content of its bibliography."""
    others = [folder for folder in _folders(root) if _is_of_same_draft(folder, besides)]
    return max(others, key=_last_used, default=None)


def _is_of_same_draft(one: Path, other: Path) -> bool:
    return one != other and one.name.partition("-")[0] == other.name.partition("-")[0]


def _folders(root: Path) -> Iterator[Path]:
    with contextlib.suppress(OSError):
        yield from root.iterdir()


def _last_used(folder: Path) -> float:
    """Seconds since the epoch."""
    for path in (folder / _USED, folder):
        with contextlib.suppress(OSError):
            return path.stat().st_mtime
    return 0.0


def _set_used(folder: Path) -> None:
    with contextlib.suppress(OSError):  # a folder that cannot be written is never removed by this user
        (folder / _USED).touch()


def _remove_unused(root: Path, kept: Path) -> None:
    """Removes libraries that were not opened for long, sooner those of an earlier content of this draft."""
    now = time.time()
    for folder in _folders(root):
        days = _UNUSED_DAYS
        if _is_of_same_draft(folder, kept):
            days = _REPLACED_DAYS
        elif folder.name.startswith("."):
            days = _ABANDONED_DAYS
        if folder != kept and now - _last_used(folder) > days * _DAY:
            shutil.rmtree(folder, ignore_errors=True)


def _copy_vectors(before: Path, folder: Path) -> None:
    """Copies the vectors of texts that were encoded for another content, so that only the rest is."""
    if not (before / CACHE).exists():
        return
    target = folder / CACHE
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with (
            contextlib.closing(
                sqlite3.connect(f"{(before / CACHE).absolute().as_uri()}?mode=ro", uri=True)
            ) as old,
            contextlib.closing(sqlite3.connect(target)) as new,
        ):
            old.backup(new)
    except sqlite3.Error:  # they are encoded again
        target.unlink(missing_ok=True)
