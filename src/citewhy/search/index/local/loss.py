"""Commits that the library has lost, as its index shows.

SQLite detects a damaged end of its journal and ignores it, with the commits that are in it: the library
opens as it was before them, without an error. But its index has followed them. An index that is ahead of its
library is therefore not just replaced: what it has and the library does not is reported.
"""

from __future__ import annotations

import warnings

from citewhy.base.errors import DamagedError, LossWarning
from citewhy.papers.library.store import Library
from citewhy.search.index.local.snapshot import Loss, State, read_state
from citewhy.search.index.tables import Tables

_SHOWN = 5


def follows(state: State, library: Library) -> bool:
    """Whether the index belongs to this library; not if the library has been restored or recreated, or has
    lost commits since."""
    return state.mark is not None and state.mark == library.mark_of(state.generation)


def loss_of(state: State, library: Library) -> Loss | None:
    """Says what the library has lost of what the index in `state` was made from; None if nothing, or if that
    cannot be told."""
    if state.mark is None or follows(state, library):
        return None
    ids = _ids(library, state)
    known = library.numbers(ids)
    lost = [paper_id for paper_id in ids if paper_id not in known]
    generation = library.generation
    if not lost and state.generation <= generation:
        return None
    return Loss(state.generation, generation, len(lost), tuple(lost[:_SHOWN]))


def recorded_loss(library: Library) -> Loss | None:
    """The loss that the index on disk shows, or that it has recorded."""
    try:
        state = read_state(library.folder / "index")
    except DamagedError:
        return None
    if not follows(state, library):
        return loss_of(state, library)
    return state.loss if state.generation == library.generation else None


def described(loss: Loss) -> str:
    """One sentence: what is lost and what to do."""
    papers = ""
    if loss.papers:
        shown = ", ".join(loss.ids) + (", …" if loss.papers > len(loss.ids) else "")
        papers = f", with papers that the library lacks: {loss.papers:,} ({shown})"
    return (
        f"the library has lost commits: it is at generation {loss.found}, but its index had followed it to "
        f"{loss.generation}{papers}; its journal (library.db-wal) was damaged, or an older library.db was "
        "restored: add the files of these commits again"
    )


def warn_of_loss(loss: Loss | None, library: Library) -> None:
    """Issues a LossWarning if there is a loss."""
    if loss is not None:
        warnings.warn(f"{library.path}: {described(loss)}", LossWarning, stacklevel=1)


def _ids(library: Library, state: State) -> list[str]:
    """The ids of the papers in an index; none if it is damaged."""
    try:
        tables = Tables.load(library.folder / "index" / state.tables)
        return tables.paper_ids(tables.alive.nonzero()[0])
    except (OSError, ValueError, EOFError, IndexError):
        return []
