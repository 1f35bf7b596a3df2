"""`LocalEngine`: indexes in local files, with a vector store of choice."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

from citewhy.base.artifact import clear, is_own, read_manifest
from citewhy.base.errors import DamagedError
from citewhy.base.reports import IndexState
from citewhy.papers.library.store import Library
from citewhy.search.encode.encoder import Encoder
from citewhy.search.index.chosen import chosen
from citewhy.search.index.engine import Encoded, Steps, Until
from citewhy.search.index.local.faiss_store import FaissStore
from citewhy.search.index.local.loss import described, follows, recorded_loss, warn_of_loss
from citewhy.search.index.local.refresh import refresh
from citewhy.search.index.local.snapshot import load, prove, read_state
from citewhy.search.index.local.vector_cache import damaged_rows
from citewhy.search.index.local.vectors import CACHE, PAPERS, SENTENCES, VectorFolders, are_few, unencoded
from citewhy.search.index.opened import Index
from citewhy.search.index.stores import VectorStore
from citewhy.search.index.unencoded import without_parts, without_vectors

_ATTEMPTS = 5
"""Another process may replace what is being read."""

_LOOKS = 3
"""The same, where nothing is written."""

_WORST_FIRST: tuple[IndexState, ...] = ("damaged", "behind", "ahead", "current")
_FIRST_OF_ALL: tuple[IndexState, ...] = ("damaged", "current", "behind", "ahead")
"""The states of an encoder's folders, of which the worst counts; and those of several encoders, of which one
that is current suffices."""


class LocalEngine:
    """An `Engine`. It keeps words and citations in the folder ``index`` of a library, and vectors beside it.

    `name` distinguishes engines with different vector stores, which keep their vectors in different folders.
    """

    def __init__(self, name: str = "local", store: type[VectorStore] = FaissStore) -> None:
        self._vectors = "vectors" if name == "local" else f"vectors-{name}"
        self._store = store

    def open(
        self,
        library: Library,
        encoder: Encoder | None = None,
        progress: Encoded | None = None,
        *,
        until: Until = "all",
    ) -> Index:
        """Opens an index as `Engine.open`."""
        index = _opened(library)
        if encoder is None:
            return index
        root, choice = library.folder / self._vectors, chosen(library.folder)
        folders = VectorFolders(library, encoder, index, self._store, root, progress)
        until = "none" if choice == "words-only" else until
        new = folders.new(PAPERS) + folders.new(SENTENCES) if until in ("none", "few") else 0
        if not are_few(new, until):
            return without_vectors(index, encoder, new, as_chosen=choice == "words-only")
        # First, since `new` counts the others.
        parts = folders.parts(until) if choice == "full" else folders.kept_parts()
        papers, sentences = folders.dense(PAPERS), folders.dense(SENTENCES)
        index = replace(
            index,
            encoder=encoder.fingerprint,
            paper_vectors=papers,
            sentence_vectors=sentences,
            part_vectors=parts,
        )
        return index if parts is not None else without_parts(index, encoder, as_chosen=choice != "full")

    def refresh(self, library: Library, progress: Steps | None = None) -> None:
        """Updates the index as `Engine.refresh`. What did not change is not indexed again."""
        refresh(library, progress)

    def state(self, library: Library) -> tuple[IndexState, IndexState]:
        """The states of the index and of the vectors.

        The index is ``current``; or ``missing``, ``behind``, ``ahead`` (`loss`) or ``damaged``, in which case
        the next query updates it. The vectors are ``current`` if those of one encoder are, with those of
        parts if these are to be encoded; ``damaged`` also if a row of their cache is, which is then made
        again when it is needed.
        """
        return _index_state(library), self._vectors_state(library)

    def unencoded(self, library: Library, encoder: Encoder) -> int:
        """Counts as `Engine.unencoded`; what is in the cache counts as encoded."""
        root = library.folder / self._vectors
        return sum(unencoded(library, encoder, root, texts) for texts in (PAPERS, SENTENCES))

    def loss(self, library: Library) -> str | None:
        """The commits that the library has lost as the index shows (`local.loss`)."""
        loss = recorded_loss(library)
        return None if loss is None else described(loss)

    def remove(self, library: Library) -> None:
        """Removes the index and the vectors, but not their cache, which costs most to make again. Other
        processes keep what they have opened."""
        index, vectors = library.folder / "index", library.folder / self._vectors
        if is_own(index):
            clear(index)
        for folder in vectors.glob("*-*") if is_own(vectors) else ():
            clear(folder)

    def beside(self) -> LocalEngine:
        """Itself: each library has its own folder."""
        return self

    def _vectors_state(self, library: Library) -> IndexState:
        states: list[IndexState] = []
        for papers in sorted((library.folder / self._vectors).glob("papers-*")):
            parts = papers.with_name(papers.name.replace("papers", "parts", 1))
            folders = [_folder_state(papers, library)]
            if chosen(library.folder) == "full":
                folders.append(_folder_state(parts, library) if parts.exists() else "behind")
            states.append(min(folders, key=_WORST_FIRST.index))
        try:
            if damaged_rows(library.folder / CACHE):
                return "damaged"
        except DamagedError:
            return "damaged"
        return next((state for state in _FIRST_OF_ALL if state in states), "missing")


def _opened(library: Library) -> Index:
    """The index without vectors."""
    root, wanted = library.folder / "index", library.generation
    for attempt in range(_ATTEMPTS):
        state = None
        try:
            state = read_state(root)
            if state.generation >= wanted and follows(state, library):
                index = load(root, state)
                warn_of_loss(state.loss, library)
                return index
        except DamagedError:
            # Also if another process has just replaced the segments that `current.json` named.
            if attempt == _ATTEMPTS - 1:
                raise
            refresh(library, distrusted=state)
            continue
        refresh(library)
    raise DamagedError("the library changes faster than it can be indexed", path=root, hint="try again")


def _index_state(library: Library) -> IndexState:
    root = library.folder / "index"
    if not root.exists():
        return "missing"
    for _ in range(_LOOKS):
        with contextlib.suppress(DamagedError):
            state = read_state(root)
            prove(root, state)
            load(root, state)
            if not follows(state, library):
                return "ahead"
            return "current" if state.generation == library.generation else "behind"
    return "damaged"


def _folder_state(folder: Path, library: Library) -> IndexState:
    for _ in range(_LOOKS):
        with contextlib.suppress(DamagedError, KeyError):
            facts = read_manifest(folder)
            if facts["mark"] != library.mark_of(facts["generation"]):
                return "ahead"
            return "current" if facts["generation"] == library.generation else "behind"
    return "damaged"
