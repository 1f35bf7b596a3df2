"""Whether the index on disk matches the library; nothing is written."""

from __future__ import annotations

from citewhy.artifact import read_manifest
from citewhy.errors import DamagedError
from citewhy.index.local.snapshot import read_state
from citewhy.library.store import Library
from citewhy.reports import IndexState

__all__ = ["index_state"]


def index_state(library: Library) -> IndexState:
    """``current``; or ``missing``, ``behind`` or ``damaged``, in which case the next query updates it."""
    root = library.folder / "index"
    if not root.exists():
        return "missing"
    try:
        state = read_state(root)
        for name in state.folders():
            read_manifest(root / name)
    except DamagedError:
        return "damaged"
    return "current" if state.generation == library.generation else "behind"
