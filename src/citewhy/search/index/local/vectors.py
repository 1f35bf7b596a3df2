"""Vectors that follow the library: what is missing, behind or damaged is made again.

    vectors/
      cache.sqlite                  vectors by text and encoder (`vector_cache`)
      papers-<fingerprint>/         a vector store of an encoder's vectors; manifest.json has the generation
      sentences-<fingerprint>/      the same
      parts-<fingerprint>/          the parts of long abstracts (`index.vectors.PartVectors`)

The library is the truth, and texts whose vectors are in the cache are not encoded again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from citewhy.base.artifact import MANIFEST, folder_aside, one_writer, read_manifest, write_manifest
from citewhy.base.errors import DamagedError, ModelError, StorageError
from citewhy.models.numbers import require_numbers
from citewhy.papers.library.store import Library
from citewhy.search.encode.encoder import Encoder, TextKind, Vectors
from citewhy.search.encode.texts import context_text, paper_text, part_texts
from citewhy.search.index.arrays import Ints32, map_array, save_array, spread
from citewhy.search.index.engine import Encoded, Until
from citewhy.search.index.local.vector_cache import VectorCache, cached, vector_key
from citewhy.search.index.opened import Index
from citewhy.search.index.proved import Damage, Proofs, proofs
from citewhy.search.index.stores import VectorStore
from citewhy.search.index.vectors import DenseIndex, PartVectors, save_parts

CACHE = Path("vectors", "cache.sqlite")
"""The cache in the folder of a library; all engines share it."""

_FEW = 2_000
"""Papers and citing sentences that are encoded while a query waits: 5 to 20 seconds on two cores."""

_FEW_PARTS = 64
"""Parts of abstracts that are encoded while a query waits: in less than a second."""

_OF_LAYER = "vectors.npy"
_LAYOUT = 1
_ATTEMPTS = 5

_COMMITTED = 64
"""Number of texts after which vectors are saved; at most these are lost by an interruption."""

_COPIED = 4096
"""Vectors that are copied at once."""

_LENGTH_ERROR = 0.01
"""How far the length of a vector may be from 1; in half precision."""


@runtime_checkable
class ReadInBlocks(Protocol):
    """A kind of `VectorStore` that verifies what it reads of large files."""

    def load_proved(self, folder: Path, proofs: Proofs) -> VectorStore:
        """Opens what `save` wrote. Raises as `VectorStore.load`."""
        ...

    def later(self) -> set[str]:
        """The names of these files."""
        ...


class _ManyError(Exception):
    """More texts would have to be encoded than is wanted."""


class _Following(Protocol):
    """Is opened from a folder, and belongs to a generation of the library."""

    @property
    def generation(self) -> int:
        """The generation of the library."""
        ...

    @property
    def rows(self) -> int:
        """Number of papers or sentences, in use or not."""
        ...


_F = TypeVar("_F", bound=_Following)

_Save = Callable[[Path], None]
"""Writes the files into a folder."""

_Parts = tuple[NDArray[np.int64], NDArray[np.float16], dict[int, str]]


@dataclass(frozen=True, slots=True)
class Collection:
    """A kind of texts of a library that is encoded."""

    name: str
    kind: TextKind
    rows: Callable[[Index], int]
    texts: Callable[[Library, int], dict[int, str]]
    """Texts by number, of what changed after a generation."""
    removed: Callable[[Library, int], list[int]]
    """Numbers that were removed after a generation."""


PAPERS = Collection(
    name="papers",
    kind="paper",
    rows=lambda index: index.tables.rows,
    texts=lambda library, since: {
        number: paper_text(paper) for number, paper in library.numbered_papers(since=since)
    },
    removed=lambda library, since: library.removed_numbers(since),
)
SENTENCES = Collection(
    name="sentences",
    kind="query",  # encoded as queries, since they are compared with queries
    rows=lambda index: len(index.tables.context_years),
    texts=lambda library, since: {
        number: context_text(context) for number, context in library.numbered_contexts(since=since)
    },
    removed=lambda library, since: library.removed_contexts(since),
)


def are_few(texts: int, until: Until = "few") -> bool:
    """Whether so many papers and citing sentences are encoded while a query waits (`until`)."""
    return texts <= {"none": 0, "few": _FEW}.get(until, texts)


@dataclass(frozen=True, slots=True)
class _OfLayer:
    """Holds the vectors [n, d] of a layer."""

    vectors: NDArray[np.float16]
    generation: int

    @property
    def rows(self) -> int:
        return len(self.vectors)


class VectorFolders:
    """The vectors of an encoder in folders, at the generation of an index and with its rows.

    New and changed texts are encoded first. Methods raise StorageError if something needs to be written and
    cannot be.
    """

    def __init__(
        self,
        library: Library,
        encoder: Encoder,
        index: Index,
        store: type[VectorStore],
        root: Path,
        progress: Encoded | None = None,
    ) -> None:
        """`root` has the folders, each with one `store` or with parts."""
        self._library = library
        self._encoder = encoder
        self._index = index
        self._store = store
        self._root = root
        self._progress = progress

    def new(self, collection: Collection) -> int:
        """The number of texts of a collection of which its folder has no vector; some may be in the cache."""
        since = _kept_generation(self._folder(collection.name), self._library)
        return len(collection.texts(self._library, since)) if since else collection.rows(self._index)

    def new_of_layer(self, collection: Collection, numbers: Ints32) -> int:
        """The same of what a layer changed in a collection: `numbers`."""
        return 0 if _kept_generation(self._folder(collection.name), self._library) else len(numbers)

    def dense(self, collection: Collection) -> DenseIndex:
        """The vectors of a collection."""
        library, rows = self._library, collection.rows(self._index)

        def make(held: DenseIndex | None, since: int) -> _Save:
            codes = np.zeros((rows, self._encoder.dimensions), dtype=np.float16)
            if held is not None:
                for start in range(0, min(held.rows, rows), _COPIED):
                    some = np.arange(start, min(start + _COPIED, held.rows, rows))
                    codes[some] = held.vectors(some)
                codes[[number for number in collection.removed(library, since) if number < rows]] = 0
            for numbers, vectors in self._encoded(collection.texts(library, since), collection.kind):
                inside = numbers < rows
                codes[numbers[inside]] = vectors[inside]
            return self._store.build(codes).save

        store = self._store
        in_blocks = store if isinstance(store, ReadInBlocks) else None

        def load(folder: Path, generation: int, proofs: Proofs) -> DenseIndex:
            loaded = in_blocks.load_proved(folder, proofs) if in_blocks else store.load(folder)
            return DenseIndex(loaded, generation)

        return self._follow(collection.name, rows, load, make, in_blocks.later() if in_blocks else set())

    def parts(self, until: Until = "all") -> PartVectors | None:
        """The vectors of the parts of long abstracts; None if many would have to be encoded, and that is not
        wanted (`until`)."""
        library, dimensions, rows = self._library, self._encoder.dimensions, self._index.tables.rows

        def make(held: PartVectors | None, since: int) -> _Parts:
            changed = {
                number: texts
                for number, paper in library.numbered_papers(since=since)
                if number < rows and ((texts := part_texts(paper)) or since)
            }
            counts = np.zeros(rows, dtype=np.int64)
            if held is not None:
                shared = min(held.rows, rows)
                counts[:shared] = held.counts[:shared]
                counts[[number for number in library.removed_numbers(since) if number < rows]] = 0
            kept = np.flatnonzero(counts)
            kept = kept[~np.isin(kept, list(changed))]
            counts[list(changed)] = [len(texts) for texts in changed.values()]
            starts = np.concatenate([[0], np.cumsum(counts)])
            codes = np.zeros((starts[-1], dimensions), dtype=np.float16)
            if held is not None:
                codes[spread(starts[kept], starts[kept + 1])[1]] = held.codes(kept)[1]
            fresh = {
                int(starts[number]) + part: text
                for number, texts in changed.items()
                for part, text in enumerate(texts)
            }
            return starts, codes, fresh

        return self._parts(rows, make, until)

    def kept_parts(self) -> PartVectors | None:
        """The vectors of parts, if its folder has those of all papers; nothing is encoded or written."""
        index, later = self._index, PartVectors.later()
        held = _loaded(self._folder("parts"), self._library, self._load_parts, later, index.damage)
        whole = held is not None and (held.generation, held.rows) == (index.generation, index.tables.rows)
        return held if whole else None

    def of_layer(self, collection: Collection, numbers: Ints32) -> NDArray[np.float16]:
        """[n, d] the vectors of what a layer changed in a collection: `numbers`, ascending."""
        library = self._library

        def make(_held: _OfLayer | None, _since: int) -> _Save:
            codes = np.zeros((len(numbers), self._encoder.dimensions), dtype=np.float16)
            texts = collection.texts(library, library.made_over)
            for some, vectors in self._encoded(texts, collection.kind):
                codes[np.searchsorted(numbers, some)] = vectors
            return lambda folder: save_array(folder / _OF_LAYER, codes)

        def load(folder: Path, generation: int, _proofs: Proofs) -> _OfLayer:
            return _OfLayer(map_array(folder / _OF_LAYER), generation)

        return self._follow(collection.name, len(numbers), load, make).vectors

    def parts_of_layer(self, numbers: Ints32, until: Until = "all") -> PartVectors | None:
        """The vectors of the parts of the papers that a layer changed, which have these `numbers`; None as
        of `parts`."""
        library = self._library

        def make(_held: PartVectors | None, _since: int) -> _Parts:
            papers = library.numbered_papers(since=library.made_over)
            texts = [part_texts(paper) for _, paper in papers]
            starts = np.concatenate([[0], np.cumsum([len(some) for some in texts], dtype=np.int64)])
            codes = np.zeros((starts[-1], self._encoder.dimensions), dtype=np.float16)
            return starts, codes, dict(enumerate(text for some in texts for text in some))

        return self._parts(len(numbers), make, until)

    def _parts(
        self, rows: int, make: Callable[[PartVectors | None, int], _Parts], until: Until
    ) -> PartVectors | None:
        """The vectors of parts, for which `make` gives what `_follow` asks for: where those of each row
        start, the vectors that are known, and the texts of the others."""

        def encoded(held: PartVectors | None, since: int) -> _Save:
            starts, codes, fresh = make(held, since)
            most = {"all": None, "none": 0}.get(until, _FEW_PARTS)
            for numbers, vectors in self._encoded(fresh, "paper", most):
                codes[numbers] = vectors
            return lambda folder: save_parts(folder, starts, codes)

        with contextlib.suppress(_ManyError):
            return self._follow("parts", rows, self._load_parts, encoded, PartVectors.later())
        return None

    def _load_parts(self, folder: Path, generation: int, proofs: Proofs) -> PartVectors:
        return PartVectors(folder, generation, self._encoder.dimensions, proofs)

    def _follow(
        self,
        name: str,
        rows: int,
        load: Callable[[Path, int, Proofs], _F],
        make: Callable[[_F | None, int], _Save],
        later: Container[str] = (),
    ) -> _F:
        """Opens what the folder `name` has, at the generation of the index, with `rows`.

        `load` opens a folder, given its generation, and verifies what it reads of files in `later`, for which
        it is given proofs; RuntimeError, OSError or ValueError mean that it is
        damaged. Where it is not at that state, `make` is called with what there is, and its generation, or
        with None and 0; what it returns is called once nobody else writes.
        """
        index, library, folder = self._index, self._library, self._folder(name)
        for _ in range(_ATTEMPTS):
            held = _loaded(folder, library, load, later, index.damage)
            if held is not None and held.generation == index.generation and held.rows == rows:
                return held
            usable = held is not None and held.generation <= index.generation
            try:
                save = make(held, held.generation) if held is not None and usable else make(None, 0)
            except DamagedError:
                if (folder / MANIFEST).exists():  # the damage is not in what is held, which would have none
                    raise
                continue
            # Other processes may encode at the same time.
            with one_writer(folder.parent, "vectors cannot be kept"), folder_aside(folder) as aside:
                save(aside)
                write_manifest(
                    aside,
                    {
                        "layout": _LAYOUT,
                        "encoder": self._encoder.name,
                        "generation": index.generation,
                        "mark": library.mark_of(index.generation),
                    },
                )
        raise DamagedError("the vectors change faster than they can be read", path=folder, hint="try again")

    def _folder(self, name: str) -> Path:
        return _folder(self._root, name, self._encoder)

    def _encoded(
        self, texts: Mapping[int, str], kind: TextKind, most: int | None = None
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float16]]]:
        """Ascending numbers and vectors of `texts` in batches. Each text is encoded once: what is in the
        cache is taken from there. Raises _ManyError if more than `most` are not there."""
        if most is not None and _unencoded(texts.values(), kind, self._encoder, self._library) > most:
            raise _ManyError
        encoder, progress, total = self._encoder, self._progress or (lambda _done, _total: None), len(texts)
        numbers, done = sorted(texts), 0
        if texts:
            progress(done, total)
        with VectorCache(self._library.folder / CACHE, encoder.dimensions) as cache:
            for start in range(0, total, _COMMITTED):
                some = numbers[start : start + _COMMITTED]
                keys = {number: vector_key(texts[number], encoder.fingerprint, kind) for number in some}
                known = cache.get(list(keys.values()))
                known |= self._known_below([key for key in keys.values() if key not in known])
                missing = {keys[number]: texts[number] for number in some if keys[number] not in known}
                if missing:
                    vectors = proved(encoder.encode([*missing.values()], kind), len(missing), encoder)
                    fresh = dict(zip(missing, vectors.astype(np.float16), strict=True))
                    cache.put(fresh)
                    known |= fresh
                done += len(some)
                progress(done, total)
                yield np.array(some, dtype=np.int64), np.stack([known[keys[number]] for number in some])

    def _known_below(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float16]]:
        """What the cache of the library below a layer has of `keys`."""
        below = self._library.below
        if below is None or not keys or not (below.folder / CACHE).exists():
            return {}
        try:
            with VectorCache(below.folder / CACHE, self._encoder.dimensions) as cache:
                return cache.get(keys)
        except StorageError:  # a folder that cannot be written; the texts are encoded again
            return {}


def unencoded(library: Library, encoder: Encoder, root: Path, collection: Collection) -> int:
    """The number of texts of a collection of which neither its folder in `root` nor the cache has a
    vector."""
    since = _kept_generation(_folder(root, collection.name, encoder), library)
    return _unencoded(collection.texts(library, since).values(), collection.kind, encoder, library)


def _unencoded(texts: Iterable[str], kind: TextKind, encoder: Encoder, library: Library) -> int:
    """The number of texts that the cache has no vector of."""
    keys = {vector_key(text, encoder.fingerprint, kind) for text in texts}
    return len(keys) - cached(library.folder / CACHE, list(keys), encoder.dimensions)


def _kept_generation(folder: Path, library: Library) -> int:
    """The generation of the library of which a folder has the vectors; 0 if of none."""
    try:
        facts = read_manifest(folder, verify=False)
        return int(facts["generation"]) if _is_of(facts, library) else 0
    except (DamagedError, KeyError):
        return 0


def _folder(root: Path, name: str, encoder: Encoder) -> Path:
    return root / f"{name}-{encoder.fingerprint}"


def _loaded(
    folder: Path,
    library: Library,
    load: Callable[[Path, int, Proofs], _F],
    later: Container[str],
    damage: Damage,
) -> _F | None:
    """None if there is no intact one of this library."""
    try:
        facts = read_manifest(folder, later=later)
        of_files = proofs(folder, facts, damage)
        return load(folder, facts["generation"], of_files) if _is_of(facts, library) else None
    except (DamagedError, KeyError, OSError, RuntimeError, ValueError):  # faiss raises only RuntimeError
        return None


def _is_of(facts: Mapping[str, Any], library: Library) -> bool:
    """Whether the manifest of a folder is of the current layout and of this library. Raises KeyError."""
    mark = library.mark_of(facts["generation"])
    return bool(facts["layout"] == _LAYOUT and facts["mark"] == mark)


def proved(vectors: Vectors, count: int, encoder: Encoder) -> Vectors:
    """The vectors, if each has length 1, or 0 for a text without words. Raises ModelError."""
    require_numbers(vectors, (count, encoder.dimensions), f"the encoder {encoder.name}")
    lengths = np.linalg.norm(vectors.astype(np.float32), axis=1)
    wrong = ~((np.abs(lengths - 1.0) <= _LENGTH_ERROR) | (lengths == 0.0))
    if wrong.any():
        raise ModelError(
            f"the encoder {encoder.name} made a vector of length {lengths[wrong][0]:g}, expected 1",
            hint="use another encoder, or repair this one",
        )
    return vectors
