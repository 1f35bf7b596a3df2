"""Whether the index and the vectors on disk match the library; nothing is written."""

from __future__ import annotations

import contextlib
from pathlib import Path

from citewhy.base.artifact import read_manifest
from citewhy.base.errors import DamagedError
from citewhy.base.reports import IndexState
from citewhy.papers.library.store import Library
from citewhy.search.index.local.loss import follows
from citewhy.search.index.local.snapshot import load, read_state
from citewhy.search.index.local.vector_cache import damaged_rows

__all__ = ["index_state", "vectors_state"]

_ATTEMPTS = 3
"""Another process may replace what is being read."""


def index_state(library: Library) -> IndexState:
    """``current``; or ``missing``, ``behind``, ``ahead`` (`loss`) or ``damaged``, in which case the next
    query updates it. Not within `library.reading()`: what others commit meanwhile would look like a loss."""
    root = library.folder / "index"
    if not root.exists():
        return "missing"
    for _ in range(_ATTEMPTS):
        with contextlib.suppress(DamagedError):
            state = read_state(root)
            load(root, state)
            if not follows(state, library):
                return "ahead"
            return "current" if state.generation == library.generation else "behind"
    return "damaged"


def vectors_state(library: Library) -> IndexState:
    """As `index_state`, for the vectors of papers and their parts: ``current`` if those of one encoder are.
    ``damaged`` if a folder, or a row of the cache, is; it is then not used, and made again when needed."""
    root = library.folder / "vectors"
    worst_first: tuple[IndexState, ...] = ("damaged", "behind", "ahead", "current")
    states = []
    for papers in sorted(root.glob("papers-*")):
        parts = papers.with_name(papers.name.replace("papers", "parts", 1))
        both = _of_folder(papers, library), _of_folder(parts, library) if parts.exists() else "behind"
        states.append(min(both, key=worst_first.index))
    try:
        if damaged_rows(root / "cache.sqlite"):
            return "damaged"
    except DamagedError:
        return "damaged"
    telling: tuple[IndexState, ...] = ("damaged", "current", "behind", "ahead")
    return next((each for each in telling if each in states), "missing")


def _of_folder(folder: Path, library: Library) -> IndexState:
    for _ in range(_ATTEMPTS):
        with contextlib.suppress(DamagedError, KeyError):
            facts = read_manifest(folder)
            if facts["mark"] != library.mark_of(facts["generation"]):
                return "ahead"
            return "current" if facts["generation"] == library.generation else "behind"
    return "damaged"
