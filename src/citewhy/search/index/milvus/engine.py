"""`MilvusEngine`: the indexes of one library, whose searches a Milvus server answers."""

from __future__ import annotations

from dataclasses import replace

from citewhy.base.artifact import one_writer
from citewhy.base.errors import DamagedError, StorageError
from citewhy.base.reports import IndexState
from citewhy.papers.library.store import Library
from citewhy.search.encode.encoder import Encoder
from citewhy.search.index.engine import Encoded, Engine, Steps, Until
from citewhy.search.index.local.engine import LocalEngine
from citewhy.search.index.milvus.address import Address
from citewhy.search.index.milvus.collection import Collection, Stored
from citewhy.search.index.milvus.loading import Content, contents_of, load
from citewhy.search.index.milvus.server import Server
from citewhy.search.index.milvus.stores import SearchedByServer
from citewhy.search.index.milvus.view import SearchedWords, ServedIndex
from citewhy.search.index.milvus.words import DRIFT
from citewhy.search.index.opened import Index
from citewhy.search.index.vectors import DenseIndex

_LOCKED = "milvus"
"""The folder in a library in which one process at a time is the one that loads."""

_ATTEMPTS = 5

_WORST_FIRST: tuple[IndexState, ...] = ("damaged", "missing", "behind", "ahead", "current")


class MilvusEngine:
    """An `Engine`. It keeps the vectors of papers and citing sentences, and the words of papers, in two
    collections of a server, for one library; and what is looked up in local files (`milvus/__init__`)."""

    def __init__(self, address: Address | str) -> None:
        """Connects when it is first needed. Raises QueryError for what is no address."""
        self._address = Address.of(address) if isinstance(address, str) else address
        self._local: Engine = LocalEngine()
        self._server = Server(self._address)
        name = self._address.collection
        self._papers = Collection(self._server, name)
        self._sentences = Collection(self._server, f"{name}_sentences")

    def open(
        self,
        library: Library,
        encoder: Encoder | None = None,
        progress: Encoded | None = None,
        *,
        until: Until = "all",
    ) -> Index:
        """Opens an index as `Engine.open`. One without vectors is the local one.

        Raises as `Server.call`; StorageError if the collection is of another library or encoder.
        """
        for _ in range(_ATTEMPTS):
            index = self._local.open(library, encoder, progress, until=until)
            if encoder is None or index.unencoded:
                return index
            served = self._served(library, index, encoder, progress)
            if served is not None:
                return served
        raise DamagedError(
            "the library changes faster than it can be loaded into Milvus",
            path=library.folder,
            hint="try again",
        )

    def refresh(self, library: Library, progress: Steps | None = None) -> None:
        """Updates what is local as `Engine.refresh`; the server is told by the next `open` with vectors."""
        self._local.refresh(library, progress)

    def state(self, library: Library) -> tuple[IndexState, IndexState]:
        """The states of the local index, and of the vectors, here and in the server: the worse counts. What
        was not loaded to the end is ``behind``."""
        index, vectors = self._local.state(library)
        return index, min((vectors, self._state(library)), key=_WORST_FIRST.index)

    def unencoded(self, library: Library, encoder: Encoder) -> int:
        """Counts as `Engine.unencoded`."""
        return self._local.unencoded(library, encoder)

    def loss(self, library: Library) -> str | None:
        """The commits that the library has lost, as the local index shows."""
        return self._local.loss(library)

    def remove(self, library: Library) -> None:
        """Removes the local index, and the collections if they are of this library."""
        self._local.remove(library)
        for collection in (self._papers, self._sentences):
            stored = collection.state()
            if stored is not None and stored.library == _identity(library):
                collection.drop()

    def beside(self) -> Engine:
        """The engine for other libraries (`Engine.beside`): the collections are of one library."""
        return self._local

    def _state(self, library: Library) -> IndexState:
        states: list[IndexState] = []
        for collection in (self._papers, self._sentences):
            stored = collection.state()
            if stored is None:
                return "missing"
            if stored.library != _identity(library) or stored.mark != library.mark_of(stored.generation):
                return "ahead"
            current = stored.complete and stored.generation == library.generation
            states.append("current" if current else "behind")
        return min(states, key=_WORST_FIRST.index)

    def _served(
        self, library: Library, index: Index, encoder: Encoder, progress: Encoded | None
    ) -> ServedIndex | None:
        """The index with the searches of the server, which is brought to its state; None if the library has
        gone on meanwhile."""
        sparse = self._papers.has_sparse_vectors
        wanted = Stored(
            library=_identity(library),
            generation=index.generation,
            mark=library.mark_of(index.generation) or 0,
            complete=True,
            encoder=encoder.fingerprint,
            dimensions=encoder.dimensions,
            k1=self._address.bm25.k1 if sparse else 0.0,
            b=self._address.bm25.b if sparse else 0.0,
        )
        stored = self._stored(wanted)
        if stored is None:
            with one_writer(library.folder / _LOCKED, "the loading of Milvus cannot be locked"):
                if library.generation != index.generation:
                    return None
                stored = self._stored(wanted) or self._loaded(index, wanted, sparse, progress)
        papers, sentences = contents_of(index, self._address.bm25, stored.words)
        words = (
            SearchedWords(self._papers, papers.served, self._address.bm25, stored.words, index.text)
            if stored.words
            else None
        )
        return ServedIndex.of(
            index,
            words,
            paper_vectors=_searched(index.generation, self._papers, papers),
            sentence_vectors=_searched(index.generation, self._sentences, sentences),
        )

    def _stored(self, wanted: Stored) -> Stored | None:
        """The state of the collections, if both are complete and as wanted. Raises StorageError if they are
        of another library or encoder."""
        states = [collection.state() for collection in (self._papers, self._sentences)]
        for stored in states:
            if stored is not None:
                self._require(stored, wanted)
        papers, sentences = states
        if papers is None or sentences is None:
            return None
        as_wanted = replace(wanted, words=papers.words, rows=papers.rows) == papers
        alike = replace(papers, words=0.0, k1=0.0, b=0.0, rows=sentences.rows) == sentences
        if not (as_wanted and alike):
            return None
        # A server that has lost rows since says so by their number.
        whole = (self._papers.count(), self._sentences.count()) == (papers.rows, sentences.rows)
        return papers if whole else None

    def _require(self, stored: Stored, wanted: Stored) -> None:
        if stored.library != wanted.library:
            raise StorageError(
                f"the collection {self._address} is of another library",
                hint="name another collection, which is then created, or remove this one from the server",
            )
        if (stored.encoder, stored.dimensions) != (wanted.encoder, wanted.dimensions):
            raise StorageError(
                f"the collection {self._address} has vectors of another encoder "
                f"({stored.dimensions} dimensions, {stored.encoder}; expected {wanted.dimensions}, "
                f"{wanted.encoder})",
                hint="name another collection, which is then created, or remove this one from the server",
            )

    def _loaded(self, index: Index, wanted: Stored, sparse: bool, progress: Encoded | None) -> Stored:
        """Loads both collections."""
        mean = self._mean_length(index, wanted) if sparse else 0.0
        papers, sentences = contents_of(index, self._address.bm25, mean)
        load(self._sentences, sentences, replace(wanted, k1=0.0, b=0.0), progress)
        load(self._papers, papers, replace(wanted, words=mean), progress)
        return replace(wanted, words=mean)

    def _mean_length(self, index: Index, wanted: Stored) -> float:
        """The mean length of texts for the sparse vectors: the one for which they have been made, unless it
        has changed much."""
        stored, mean = self._papers.state(), index.text.mean_length
        if stored is None or not stored.words or (stored.k1, stored.b) != (wanted.k1, wanted.b):
            return mean
        return stored.words if abs(mean / stored.words - 1) <= DRIFT else mean


def _identity(library: Library) -> str:
    """A name for the library, which a backup of it has, too."""
    return f"{library.mark_of(1) or 0:x}"


def _searched(generation: int, collection: Collection, content: Content) -> DenseIndex:
    return DenseIndex(SearchedByServer(collection, content.served, content.vectors), generation)
