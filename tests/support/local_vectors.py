"""Opens the vectors of the local engine one collection at a time."""

from __future__ import annotations

from citewhy.papers.library.store import Library
from citewhy.search.encode import Encoder
from citewhy.search.index import Encoded, Index
from citewhy.search.index.local.faiss_store import FaissStore
from citewhy.search.index.local.vectors import PAPERS, Collection, VectorFolders
from citewhy.search.index.vectors import DenseIndex


def folders(
    library: Library, encoder: Encoder, index: Index, progress: Encoded | None = None
) -> VectorFolders:
    """The folders of an encoder, which follow the library up to `index`."""
    return VectorFolders(library, encoder, index, FaissStore, library.folder / "vectors", progress)


def open_dense(
    library: Library,
    encoder: Encoder,
    index: Index,
    collection: Collection = PAPERS,
    progress: Encoded | None = None,
) -> DenseIndex:
    """The vectors of a collection at the generation of `index`."""
    return folders(library, encoder, index, progress).dense(collection)
