"""What changes in an index, and the index of a layer: that of the library below, and what the layer changes.

A layer (`Library.over`) lies on one state of a library. Its index has the arrays of the index below, extended
by numpy when it is opened, and the same contents as an index of one library with everything, whatever engine
keeps the one below. What the layer changes is found out once (`changes_of`) and kept in its folder.

The tables of a library's own index follow it in the same way (`changes_since`, `extended_tables`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.artifact import folder_aside, read_manifest, write_manifest
from citewhy.base.errors import DamagedError
from citewhy.papers.library.store import Library
from citewhy.search.encode.encoder import Vectors
from citewhy.search.index.arrays import (
    Floats,
    Ints32,
    Rows,
    map_array,
    offsets,
    save_array,
    sorted_pairs,
    spread,
)
from citewhy.search.index.opened import Index
from citewhy.search.index.segments import (
    ContextSegment,
    PaperColumns,
    PaperSegment,
    id_hash,
    known_year,
)
from citewhy.search.index.stores import SearchedVectors
from citewhy.search.index.tables import Tables
from citewhy.search.index.vectors import Parts

_LAYOUT = 2
_PAPERS, _CONTEXTS, _LINKS = "papers", "contexts", "links"
_BITS = 32
"""Bits of the second of two numbers in a key for both."""


@dataclass(frozen=True, slots=True)
class Links:
    """What changes in citations and citing sentences, of which n are new or changed."""

    removed_papers: Ints32
    """Rows of papers that were removed or merged into others."""
    removed_contexts: Ints32
    """Rows of sentences that cite no paper any more."""
    edges: Ints32
    """[m, 2] citing and cited papers: all citations, or those that may be new."""
    all_edges: NDArray[np.bool_]
    """[1] whether these are all citations."""
    citing_anew: Ints32
    """Rows of papers all of whose citations are among these."""
    context_years: NDArray[np.int16]
    """[n] in the order of the segment of these sentences; 0 if unknown."""
    context_citing: Ints32
    """[n] the paper that contains the sentence; -1 if the library does not have it."""
    stranger_hashes: NDArray[np.int64]
    """[n] hash of the id of a paper that the library does not have; otherwise 0."""
    pairs: Ints32
    """[p, 2] sentences and the papers that they cite."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What changes in an index: what a layer changes in the one below, or what happened since."""

    papers: PaperSegment
    contexts: ContextSegment
    links: Links

    def save(self, folder: Path) -> None:
        """Writes them into a new `folder`."""
        self.papers.save(folder / _PAPERS)
        self.contexts.save(folder / _CONTEXTS)
        with folder_aside(folder / _LINKS) as aside:
            for field in fields(self.links):
                save_array(aside / f"{field.name}.npy", getattr(self.links, field.name))
            write_manifest(aside, {"layout": _LAYOUT})

    @classmethod
    def load(cls, folder: Path) -> Changes:
        """Opens what `save` wrote. Raises DamagedError, OSError or ValueError."""
        if read_manifest(folder / _LINKS).get("layout") != _LAYOUT:
            raise DamagedError("the index of a layer has another layout", path=folder)
        read_manifest(folder / _PAPERS)
        read_manifest(folder / _CONTEXTS)
        arrays: dict[str, Any] = {
            field.name: map_array(folder / _LINKS / f"{field.name}.npy") for field in fields(Links)
        }
        return cls(
            PaperSegment.load(folder / _PAPERS), ContextSegment.load(folder / _CONTEXTS), Links(**arrays)
        )


# What a layer changes -------------------------------------------------------------------------------------


def changes_of(layer: Library, below: Index) -> Changes:
    """What a layer changes in the index of the library below."""
    with layer.reading():
        since = layer.made_over
        papers = PaperSegment.build(layer.numbered_papers(since=since))
        sentences = list(layer.numbered_contexts(since=since))
        contexts = ContextSegment.build(sentences)
        removed_contexts = _numbers(layer.removed_contexts(since), len(below.tables.context_years))
        links = list(layer.context_links(since=since))
        pairs = [(number, cited) for number, _, _, cited_by in links for cited in cited_by]
        citing = {number: paper for number, paper, _, _ in links}
        everything = _loses_edges(below.tables, citing, pairs, removed_contexts) or layer.hides_citations()
        edges = set(layer.numbered_citations() if everything else layer.added_citations())
        linked = layer.context_links() if everything else links
        edges.update((paper, cited) for _, paper, _, all_cited in linked if paper >= 0 for cited in all_cited)
        removed = set(layer.removed_numbers(since)).difference(papers.numbers.tolist())
        strangers = [id_hash(context.citing_id) if citing[number] < 0 else 0 for number, context in sentences]
        return Changes(
            papers,
            contexts,
            Links(
                removed_papers=_numbers(removed, below.tables.rows),
                removed_contexts=removed_contexts,
                edges=sorted_pairs(edge for edge in edges if edge[0] != edge[1]),
                all_edges=np.array([everything]),
                citing_anew=np.zeros(0, dtype=np.int32),
                context_years=np.array([known_year(year) for _, _, year, _ in links], dtype=np.int16),
                context_citing=np.array([paper for _, paper, _, _ in links], dtype=np.int32),
                stranger_hashes=np.array(strangers, dtype=np.int64),
                pairs=sorted_pairs(set(pairs)),
            ),
        )


def changes_since(
    library: Library,
    tables: Tables,
    since: int,
    papers: PaperSegment,
    contexts: ContextSegment,
    most: int,
) -> Changes | None:
    """What changed after generation `since`, when the tables were made; `papers` and `contexts` are what is
    new or changed. None: more than `most` papers, or it is not told whose citations changed."""
    anew = None if len(papers.numbers) > most else library.citing_changed(since)
    if anew is None:
        return None
    removed_contexts = _numbers(library.removed_contexts(since), len(tables.context_citing))
    links = list(library.context_links(since=since))
    anew.update(citing for _, citing, _, _ in links)
    known = contexts.numbers[contexts.numbers < len(tables.context_citing)]
    anew.update(tables.context_citing[np.concatenate([known, removed_contexts])].tolist())
    anew = {number for number in anew if number >= 0}
    if len(anew) > most:
        return None
    foreign = [sentence for sentence, citing, _, _ in links if citing < 0]
    strangers = dict.fromkeys(contexts.numbers.tolist(), 0)
    strangers |= {
        number: id_hash(context.citing_id) for number, context in library.numbered_contexts(numbers=foreign)
    }
    removed = set(library.removed_numbers(since)).difference(papers.numbers.tolist())
    return Changes(
        papers,
        contexts,
        Links(
            removed_papers=_numbers(removed, tables.rows),
            removed_contexts=removed_contexts,
            edges=sorted_pairs(set(library.citations_of(anew))),
            all_edges=np.array([False]),
            citing_anew=_numbers(anew, tables.rows),
            context_years=np.array([known_year(year) for _, _, year, _ in links], dtype=np.int16),
            context_citing=np.array([citing for _, citing, _, _ in links], dtype=np.int32),
            stranger_hashes=np.array(list(strangers.values()), dtype=np.int64),
            pairs=sorted_pairs({(number, paper) for number, _, _, cited in links for paper in cited}),
        ),
    )


def _loses_edges(
    tables: Tables, citing: Mapping[int, int], pairs: Iterable[tuple[int, int]], removed: Ints32
) -> bool:
    """Whether a sentence below no longer says that its paper cites another one, so that the citation may have
    no evidence any more."""
    changed = np.isin(tables.pair_context, [*citing, *removed.tolist()])
    contexts, cited = tables.pair_context[changed], tables.pair_cited[changed]
    kept = set(pairs)
    return any(
        tables.context_citing[context] >= 0
        and ((context, paper) not in kept or citing[context] != tables.context_citing[context])
        for context, paper in zip(contexts.tolist(), cited.tolist(), strict=True)
    )


def _numbers(numbers: Iterable[int], rows: int) -> Ints32:
    """Those that the index has, ascending."""
    return np.array(sorted(number for number in set(numbers) if number < rows), dtype=np.int32)


# The index of a layer -------------------------------------------------------------------------------------


def extended(below: Index, changes: Changes, generation: int) -> Index:
    """The index of a layer, without vectors, from that of the library below."""
    papers, contexts, links = changes.papers, changes.contexts, changes.links
    tables = extended_tables(below.tables, changes)
    gone = links.removed_papers
    return replace(
        below,
        generation=generation,
        text=below.text.extended(papers.text, gone, tables.rows),
        title=below.title.extended(papers.title, gone, tables.rows),
        contexts=below.contexts.extended(contexts.text, links.removed_contexts, len(tables.context_years)),
        tables=tables,
        encoder=None,
        paper_vectors=None,
        part_vectors=None,
        sentence_vectors=None,
    )


def extended_tables(tables: Tables, changes: Changes) -> Tables:
    """The tables after the changes."""
    columns, numbers, links = changes.papers.columns, changes.papers.numbers, changes.links
    rows = max(tables.rows, int(numbers.max(initial=-1)) + 1)
    anew = np.zeros(rows, dtype=np.bool_)
    anew[numbers] = True
    anew[links.removed_papers] = True
    ids, id_starts = _replaced(tables.ids, tables.id_starts, anew, numbers, columns.ids, columns.id_starts)
    venue_hashes = _with(tables.venue_hashes, columns.venues[columns.venues != 0])
    venues = np.concatenate([[0], 1 + np.searchsorted(venue_hashes, tables.venue_hashes)])[tables.venues]
    new_venues = np.where(columns.venues != 0, 1 + np.searchsorted(venue_hashes, columns.venues), 0)
    author_hashes = _with(tables.author_hashes, columns.authors)
    authors, author_starts = _replaced(
        np.searchsorted(author_hashes, tables.author_hashes).astype(np.int32)[tables.authors],
        tables.author_starts,
        anew,
        numbers,
        np.searchsorted(author_hashes, columns.authors).astype(np.int32),
        columns.author_starts,
    )
    author_papers, author_paper_starts = _regrouped(
        tables.author_papers,
        np.repeat(np.searchsorted(author_hashes, tables.author_hashes), np.diff(tables.author_paper_starts)),
        anew,
        np.repeat(numbers, np.diff(columns.author_starts)),
        np.searchsorted(author_hashes, columns.authors),
        len(author_hashes),
    )
    name_hashes = _with(tables.name_hashes, columns.names)
    name_papers, name_paper_starts = _regrouped(
        tables.name_papers,
        np.repeat(np.searchsorted(name_hashes, tables.name_hashes), np.diff(tables.name_paper_starts)),
        anew,
        np.repeat(numbers, np.diff(columns.name_starts)),
        np.searchsorted(name_hashes, columns.names),
        len(name_hashes),
    )
    return Tables(
        alive=_overwritten(tables.alive, anew, numbers, True),
        years=_overwritten(tables.years, anew, numbers, columns.years),
        abstracts=_overwritten(tables.abstracts, anew, numbers, columns.abstracts),
        venues=_overwritten(venues.astype(np.int32), anew, numbers, new_venues),
        venue_hashes=venue_hashes,
        id_ranks=_id_ranks(tables, anew, numbers, columns, id_starts),
        ids=ids,
        id_starts=id_starts,
        authors=authors,
        author_starts=author_starts,
        author_hashes=author_hashes,
        author_papers=author_papers,
        author_paper_starts=author_paper_starts,
        name_hashes=name_hashes,
        name_papers=name_papers,
        name_paper_starts=name_paper_starts,
        **_citations(tables, links, rows),
        **_sentences(tables, changes),
    )


def _overwritten(
    values: NDArray[Any], anew: NDArray[np.bool_], numbers: Ints32, new: NDArray[Any] | bool
) -> NDArray[Any]:
    """[R] the values of rows: the `new` ones at `numbers`, zeros where a row is gone, others as they were."""
    result = np.zeros(len(anew), dtype=values.dtype)
    result[: len(values)] = values
    result[anew] = 0
    result[numbers] = new
    return result


def _replaced(
    values: NDArray[Any],
    starts: NDArray[np.int64],
    anew: NDArray[np.bool_],
    numbers: Ints32,
    new: NDArray[Any],
    new_starts: NDArray[np.int64],
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Values that are grouped by row, with their starts [R + 1]: the `new` ones at `numbers`, none where a
    row is gone, others as they were."""
    sizes = np.zeros(len(anew), dtype=np.int64)
    sizes[: len(starts) - 1] = np.diff(starts)
    sizes[anew] = 0
    sizes[numbers] = np.diff(new_starts)
    all_starts = offsets(sizes)
    result = np.empty(int(all_starts[-1]), dtype=values.dtype)
    # Between two changed rows, everything is copied at once.
    changed = np.flatnonzero(anew[: len(starts) - 1])
    for first, end in zip([0, *(changed + 1).tolist()], [*changed.tolist(), len(starts) - 1], strict=True):
        result[all_starts[first] : all_starts[end]] = values[starts[first] : starts[end]]
    result[spread(all_starts[numbers], all_starts[numbers + 1])[1]] = new
    return result, all_starts


def _regrouped(
    papers: Ints32,
    groups: NDArray[np.int64],
    anew: NDArray[np.bool_],
    new_papers: Ints32,
    new_groups: NDArray[np.int64],
    size: int,
) -> tuple[Ints32, NDArray[np.int64]]:
    """Rows of papers by group and row, and the starts of `size` groups: the rows that are not `anew`, and
    `new_papers`. Both come with their groups, the former in this order."""
    kept = ~anew[papers]
    keys = _keys(groups[kept], papers[kept])
    new_keys = np.sort(_keys(new_groups, new_papers))
    keys = np.insert(keys, np.searchsorted(keys, new_keys), new_keys)
    return _seconds(keys), offsets(np.bincount(_firsts(keys), minlength=size))


def _keys(firsts: NDArray[Any], seconds: NDArray[Any]) -> NDArray[np.int64]:
    """A number for each pair, in whose order the pairs are sorted."""
    keys: NDArray[np.int64] = (firsts.astype(np.int64) << _BITS) | seconds
    return keys


def _firsts(keys: NDArray[np.int64]) -> Ints32:
    return (keys >> _BITS).astype(np.int32)


def _seconds(keys: NDArray[np.int64]) -> Ints32:
    return (keys & ((1 << _BITS) - 1)).astype(np.int32)


def _id_ranks(
    tables: Tables,
    anew: NDArray[np.bool_],
    numbers: Ints32,
    columns: PaperColumns,
    id_starts: NDArray[np.int64],
) -> Ints32:
    """[R] ranks of the ids in sorted order; rows without an id come first, in their order."""
    order = np.empty(tables.rows, dtype=np.int64)
    order[tables.id_ranks] = np.arange(tables.rows)
    unused = np.diff(id_starts) == 0
    order = order[~anew[order] & ~unused[order]]
    blob, starts = columns.ids.tobytes(), columns.id_starts.tolist()
    new = sorted(
        (blob[start:end], int(row))
        for start, end, row in zip(starts[:-1], starts[1:], numbers.tolist(), strict=True)
    )
    places = [_place(tables, order, name) for name, _ in new]
    order = np.insert(order, places, [row for _, row in new]) if new else order
    ranks = np.empty(len(anew), dtype=np.int32)
    ranks[np.concatenate([np.flatnonzero(unused), order])] = np.arange(len(anew), dtype=np.int32)
    return ranks


def _place(tables: Tables, order: NDArray[np.int64], name: bytes) -> int:
    low, high = 0, len(order)
    while low < high:
        middle = (low + high) // 2
        if tables.id_bytes(int(order[middle])) < name:
            low = middle + 1
        else:
            high = middle
    return low


def _citations(tables: Tables, links: Links, rows: int) -> dict[str, Any]:
    citing, cited, gone = tables.citing, tables.cited, links.removed_papers
    lost = np.isin(citing, np.concatenate([gone, links.citing_anew])) | np.isin(cited, gone)
    new = links.edges
    if not (links.all_edges[0] or len(new) or lost.any()):
        added = np.full(rows - tables.rows, len(citing), dtype=np.int64)
        return {
            "citing": citing,
            "cited": cited,
            "by_cited": tables.by_cited,
            "citing_starts": np.concatenate([tables.citing_starts, added]),
            "cited_starts": np.concatenate([tables.cited_starts, added]),
        }
    keys = _keys(new[:, 0], new[:, 1])
    if not links.all_edges[0]:
        keys = _with(_keys(citing[~lost], cited[~lost]), keys)
    citing, cited = _firsts(keys), _seconds(keys)
    return {
        "citing": citing,
        "cited": cited,
        "by_cited": np.argsort(cited, kind="stable").astype(np.int32),
        "citing_starts": offsets(np.bincount(citing, minlength=rows)),
        "cited_starts": offsets(np.bincount(cited, minlength=rows)),
    }


def _sentences(tables: Tables, changes: Changes) -> dict[str, Any]:
    links, numbers = changes.links, changes.contexts.numbers
    size = max(len(tables.context_years), int(numbers.max(initial=-1)) + 1)
    anew = np.zeros(size, dtype=np.bool_)
    anew[numbers] = True
    anew[links.removed_contexts] = True
    strange = links.stranger_hashes != 0
    hashes = _with(tables.stranger_hashes, links.stranger_hashes[strange])
    citing = np.full(size, -1, dtype=np.int32)
    before = tables.context_citing.astype(np.int64)
    unknown = before < -1
    before[unknown] = -2 - np.searchsorted(hashes, tables.stranger_hashes[-2 - before[unknown]])
    citing[: len(before)] = before
    citing[anew] = -1
    citing[numbers] = np.where(
        strange, -2 - np.searchsorted(hashes, links.stranger_hashes), links.context_citing
    )
    kept = ~anew[tables.pair_context]
    keys = _keys(tables.pair_context[kept], tables.pair_cited[kept])
    new = _keys(links.pairs[:, 0], links.pairs[:, 1])
    keys = np.insert(keys, np.searchsorted(keys, new), new)
    return {
        "context_years": _overwritten(tables.context_years, anew, numbers, links.context_years),
        "context_citing": citing,
        "stranger_hashes": hashes,
        "pair_context": _firsts(keys),
        "pair_cited": _seconds(keys),
    }


def _with(numbers: NDArray[np.int64], new: NDArray[np.int64]) -> NDArray[np.int64]:
    """The ascending `numbers` with the `new` ones in their places, each once."""
    more = np.unique(new)
    places = np.searchsorted(numbers, more)
    known = places < len(numbers)
    known[known] = numbers[places[known]] == more[known]
    return np.insert(numbers, places[~known], more[~known])


# Vectors --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LayeredVectors:
    """The vectors of a layer over those of the library below: `SearchedVectors`, R in all."""

    below: SearchedVectors
    above: SearchedVectors
    """[n] those of the layer, in their order."""
    codes: NDArray[np.float16]
    """[n, d] the same, in memory."""
    numbers: Ints32
    """[n] rows of the vectors of the layer, ascending."""
    positions: Ints32
    """[R] where the vectors of the layer are among them, -1 for those below, -2 for rows without a vector."""

    @classmethod
    def of(
        cls,
        below: SearchedVectors,
        above: SearchedVectors,
        codes: NDArray[np.float16],
        numbers: Ints32,
        removed: Ints32,
        rows: int,
    ) -> LayeredVectors:
        """The `removed` rows have no vector any more. `rows` is R."""
        positions = np.full(rows, -2, dtype=np.int32)
        positions[: below.rows] = -1
        positions[removed] = -2
        positions[numbers] = np.arange(len(numbers))
        return cls(below, above, codes, numbers, positions)

    @property
    def rows(self) -> int:
        """The number R of vectors."""
        return len(self.positions)

    def search(self, query: Vectors, count: int, allowed: NDArray[np.bool_]) -> tuple[Rows, Floats]:
        """Searches both as `SearchedVectors` says."""
        end = self.below.rows
        under, products = self.below.search(query, count, allowed[:end] & (self.positions[:end] == -1))
        over, more = self.above.search(query, count, allowed[self.numbers])
        rows = np.concatenate([under, self.numbers[over]])
        products = np.concatenate([products, more])
        best = np.argsort(-products, kind="stable")[:count]
        return rows[best], products[best]

    def get(self, rows: NDArray[Any]) -> Vectors:
        """[n, d] the vectors of `rows` [n], in single precision."""
        positions = self.positions[rows]
        under = positions == -1
        under_vectors = self.below.get(rows[under])
        vectors = np.zeros((len(rows), under_vectors.shape[1]), dtype=np.float32)
        vectors[under] = under_vectors
        vectors[positions >= 0] = self.codes[positions[positions >= 0]]
        return vectors


@dataclass(frozen=True, slots=True)
class LayeredParts:
    """The vectors of the parts of the papers of a layer, over those below: `Parts`."""

    below: Parts
    above: Parts
    """Those of the papers of the layer, in their order."""
    positions: Ints32
    """[R] as in `LayeredVectors`."""

    def of(self, rows: Rows) -> tuple[NDArray[np.int64], Vectors]:
        """Gives the vectors as `Parts.of`."""
        positions = self.positions[rows].astype(np.int64)
        under, over = np.flatnonzero(positions == -1), np.flatnonzero(positions >= 0)
        owners, vectors = self.below.of(rows[under])
        more, others = self.above.of(positions[over])
        owners = np.concatenate([under[owners], over[more]])
        order = np.argsort(owners, kind="stable")
        return owners[order], np.concatenate([vectors, others])[order]
