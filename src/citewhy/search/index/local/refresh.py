"""Updates the index: what changed in the library is indexed, the rest is kept."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from citewhy.base.artifact import LOCK, UNFINISHED, clear, one_writer
from citewhy.base.records import Context, Paper
from citewhy.papers.library.store import Library
from citewhy.search.index.engine import Steps
from citewhy.search.index.layers import changes_since, extended_tables
from citewhy.search.index.local.loss import follows, loss_of, warn_of_loss
from citewhy.search.index.local.snapshot import (
    CURRENT,
    State,
    trusted_state,
    write_state,
)
from citewhy.search.index.segments import ContextSegment, PaperSegment, alive_masks
from citewhy.search.index.tables import Tables

_MOST_SEGMENTS = 6
"""Above this number, all but the largest segment are merged."""

_BATCH = 50_000
"""Papers, or citing sentences, that are indexed at once: their words take about 300 MB."""

_MOST_EXTENDED = 1000
_SHARE_EXTENDED = 8
"""So many papers, and this part of all papers, may change for the tables not to be made anew."""

_Record = TypeVar("_Record", Paper, Context)
_Segment = TypeVar("_Segment", PaperSegment, ContextSegment)


def refresh(library: Library, progress: Steps | None = None, *, distrusted: State | None = None) -> None:
    """Updates the index to the state of the library. What did not change is not indexed again, unless the
    index is in the state `distrusted`, which could not be loaded: then everything is."""
    progress = progress or (lambda _what, _share: None)
    root = library.folder / "index"
    with one_writer(root, "the index cannot be written"), library.reading():
        state, generation = trusted_state(root), library.generation
        loss = None
        if not follows(state, library) or state == distrusted:
            loss = state.loss if follows(state, library) else loss_of(state, library)
            warn_of_loss(loss, library)
            state = State()
        elif state.generation == generation:
            return
        progress("papers", 0.0)
        papers, removed_papers, new_papers = _follow(
            root,
            state.papers,
            PaperSegment,
            library.numbered_papers,
            state.generation,
            {*state.removed_papers, *library.removed_numbers(state.generation)},
        )
        progress("citing sentences", 0.7)
        contexts, removed_contexts, new_contexts = _follow(
            root,
            state.contexts,
            ContextSegment,
            library.numbered_contexts,
            state.generation,
            {*state.removed_contexts, *library.removed_contexts(state.generation)},
        )
        progress("citations", 0.9)
        tables = _extended(root, state, library, new_papers, new_contexts)
        if tables is None:
            tables = _made(root, papers, removed_papers, library)
        state = State(
            generation=generation,
            mark=library.mark_of(generation),
            papers=papers,
            contexts=contexts,
            removed_papers=removed_papers,
            removed_contexts=removed_contexts,
            tables=_written(root, tables),
            loss=loss,
        )
        write_state(root, state)
        _sweep(root, state)
        progress("done", 1.0)


def _follow(
    root: Path,
    names: Sequence[str],
    kind: type[_Segment],
    read: Callable[..., Iterable[tuple[int, _Record]]],
    since: int,
    removed: set[int],
) -> tuple[tuple[str, ...], tuple[int, ...], _Segment]:
    """Adds a segment for what changed after generation `since`, and returns it, too; merges small segments if
    there are many."""
    fresh: list[str] = _save(root, kind, read(since=since))
    names = [*names, *fresh]
    segments = {name: kind.load(root / name) for name in names}
    new: _Segment = segments[fresh[0]] if fresh else kind.build(())
    removed -= set(new.numbers.tolist())
    if len(names) > _MOST_SEGMENTS:
        largest = max(names, key=lambda name: len(segments[name].numbers))
        small: NDArray[np.int32] = np.unique(
            np.concatenate([segments[name].numbers for name in names if name != largest])
        )
        names = [largest, *_save(root, kind, read(numbers=small.tolist()))]
    return tuple(names), tuple(sorted(removed)), new


def _save(
    root: Path,
    kind: type[_Segment],
    records: Iterable[tuple[int, Any]],
) -> list[str]:
    """The name of a new segment in a list; an empty list if there are no records.

    Many records are indexed in batches, which are merged on disk: their number does not change how much
    memory that takes.
    """
    names: list[str] = []
    coming = iter(records)
    while len((segment := kind.build(itertools.islice(coming, _BATCH))).numbers):
        names.append(_new_name(kind))
        segment.save(root / names[-1])
    if len(names) < 2:
        return names
    merged = _new_name(kind)
    kind.merge([root / name for name in names], root / merged)
    for name in names:
        clear(root / name)
    return [merged]


def _new_name(kind: type[_Segment]) -> str:
    return f"{kind.prefix}-{uuid.uuid4().hex[:12]}"


def _extended(
    root: Path, state: State, library: Library, papers: PaperSegment, contexts: ContextSegment
) -> Tables | None:
    """The tables of `state` with what changed since, `papers` and `contexts` among it; None if there are no
    tables, or if making them anew takes less."""
    if not state.tables:
        return None
    before = Tables.load(root / state.tables)
    most = max(_MOST_EXTENDED, before.rows // _SHARE_EXTENDED)
    changes = changes_since(library, before, state.generation, papers, contexts, most)
    return None if changes is None else extended_tables(before, changes)


def _made(root: Path, papers: Sequence[str], removed: Sequence[int], library: Library) -> Tables:
    segments = [PaperSegment.load(root / name) for name in papers]
    links = list(library.context_links())
    foreign = [sentence for sentence, citing, _, _ in links if citing < 0]
    return Tables.build(
        segments,
        alive_masks([segment.numbers for segment in segments], removed),
        library.numbered_citations(),
        links,
        {number: context.citing_id for number, context in library.numbered_contexts(numbers=foreign)},
    )


def _written(root: Path, tables: Tables) -> str:
    name = f"{Tables.prefix}-{uuid.uuid4().hex[:12]}"
    tables.save(root / name)
    return name


def _sweep(root: Path, state: State) -> None:
    """Removes what `current.json` does not name. Processes keep what they have mapped."""
    kept = {CURRENT, LOCK, UNFINISHED, *state.folders()}
    for leftover in root.iterdir():
        if leftover.name not in kept:
            clear(leftover)
