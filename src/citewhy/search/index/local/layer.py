"""Opens the index of a layer: its changes and vectors are kept in its folder."""

from __future__ import annotations

from dataclasses import replace

from citewhy.base.artifact import one_writer
from citewhy.base.errors import DamagedError, LockedError
from citewhy.papers.library.store import Library
from citewhy.search.encode.encoder import Encoder
from citewhy.search.index.arrays import Ints32
from citewhy.search.index.engine import Encoded, Until
from citewhy.search.index.layers import Changes, LayeredParts, LayeredVectors, changes_of, extended
from citewhy.search.index.local.faiss_store import FaissStore
from citewhy.search.index.local.vectors import PAPERS, SENTENCES, Collection, VectorFolders, are_few
from citewhy.search.index.opened import Index
from citewhy.search.index.stores import VectorStore
from citewhy.search.index.unencoded import without_parts, without_vectors
from citewhy.search.index.vectors import DenseIndex

_STORE: type[VectorStore] = FaissStore
"""For the vectors of layers, whatever has those below."""


def open_layer(
    layer: Library,
    below: Index,
    encoder: Encoder | None = None,
    progress: Encoded | None = None,
    *,
    until: Until = "all",
) -> Index:
    """The index of a layer over the index `below` of the library on which it lies, in the state in which the
    layer was made.

    With `encoder`, by which the index below has vectors, it has vectors, too; texts of the layer that have
    none yet are encoded, which `progress` reports. It has none if the index below has none, or if those that
    are to be encoded first (`until`) do not suffice (`Engine.open`). Raises LockedError if the index below is
    of another state, StorageError if something needs to be written and cannot be.
    """
    if below.generation != layer.made_over:
        raise LockedError(
            "the library changed while another was laid over it", path=layer.path, hint="try again"
        )
    changes = _changes(layer, below)
    index = extended(below, changes, layer.generation)
    if encoder is None:
        return index
    of_papers, of_parts, of_sentences = below.paper_vectors, below.part_vectors, below.sentence_vectors
    if of_papers is None or of_parts is None or of_sentences is None or below.encoder != encoder.fingerprint:
        raise ValueError("the index below has no vectors of this encoder")
    folders = VectorFolders(layer, encoder, index, _STORE, layer.folder / "vectors", progress)
    new = _new(folders, changes) if until in ("none", "few") else 0
    if below.unencoded or not are_few(new, until):
        as_chosen = bool(below.unencoded) and below.as_chosen
        return without_vectors(index, encoder, below.unencoded + new, as_chosen=as_chosen)
    left_out = below.lacks_parts and below.as_chosen
    # First, since `_new` counts the others.
    parts = None if left_out else folders.parts_of_layer(changes.papers.numbers, until)
    links, tables = changes.links, index.tables

    def over(
        under: DenseIndex, collection: Collection, numbers: Ints32, removed: Ints32, rows: int
    ) -> LayeredVectors:
        codes = folders.of_layer(collection, numbers)
        return LayeredVectors.of(under.store, _STORE.build(codes), codes, numbers, removed, rows)

    papers = over(of_papers, PAPERS, changes.papers.numbers, links.removed_papers, tables.rows)
    sentences = over(
        *(of_sentences, SENTENCES, changes.contexts.numbers),
        *(links.removed_contexts, len(tables.context_years)),
    )
    index = replace(
        index,
        encoder=encoder.fingerprint,
        paper_vectors=DenseIndex(papers, layer.generation),
        sentence_vectors=DenseIndex(sentences, layer.generation),
    )
    if parts is None or below.lacks_parts:
        return without_parts(index, encoder, as_chosen=left_out)
    return replace(index, part_vectors=LayeredParts(of_parts, parts, papers.positions), lacks_parts=False)


def _new(folders: VectorFolders, changes: Changes) -> int:
    """The number of texts of a layer that have no vector yet."""
    contexts = folders.new_of_layer(SENTENCES, changes.contexts.numbers)
    return folders.new_of_layer(PAPERS, changes.papers.numbers) + contexts


def _changes(layer: Library, below: Index) -> Changes:
    folder = layer.folder / "index"
    try:
        return Changes.load(folder)
    except (DamagedError, OSError, ValueError):
        with one_writer(folder, "the index of a layer cannot be written"):
            changes = changes_of(layer, below)
            changes.save(folder)
        return changes
