"""Papers and citations as arrays, merged from all segments, and the citation graph.

A row is a paper's number in the library, or a citing sentence's; unused rows are not alive.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from citewhy.base.artifact import folder_aside, write_manifest
from citewhy.search.index.arrays import Ints32, map_array, offsets, save_array, spread
from citewhy.search.index.segments import PaperColumns, PaperSegment, id_hash, known_year, name_hash


@dataclass(frozen=True, slots=True)
class Tables:
    """Holds papers and citations as arrays, with R rows of papers, E citations, C rows of citing sentences
    and P (sentence, cited paper) pairs."""

    alive: NDArray[np.bool_]
    """[R]."""
    years: NDArray[np.int16]
    """[R], 0 if unknown."""
    abstracts: NDArray[np.bool_]
    """[R]."""
    venues: Ints32
    """[R] from 1, 0 if unknown."""
    venue_hashes: NDArray[np.int64]
    """[V] ascending; the index of a venue's hash, plus 1, is its number."""
    id_ranks: Ints32
    """[R] rank of the paper's id in sorted order, by which ties are broken."""
    ids: NDArray[np.uint8]
    """UTF-8 bytes of the ids."""
    id_starts: NDArray[np.int64]
    """[R + 1]."""
    authors: Ints32
    """Author numbers from 0, grouped by paper."""
    author_starts: NDArray[np.int64]
    """[R + 1]."""
    author_hashes: NDArray[np.int64]
    """[A] ascending; the index of a name's hash is the author's number."""
    author_papers: Ints32
    """Rows of papers, grouped by author."""
    author_paper_starts: NDArray[np.int64]
    """[A + 1]."""
    name_hashes: NDArray[np.int64]
    """[N] ascending; hashes of the names by which papers are looked up (`segments.named_key`)."""
    name_papers: Ints32
    """Rows of papers, grouped by name."""
    name_paper_starts: NDArray[np.int64]
    """[N + 1]."""
    citing: Ints32
    """[E] citing paper, ascending; each citation once."""
    cited: Ints32
    """[E] cited paper."""
    citing_starts: NDArray[np.int64]
    """[R + 1] start of the citations that each paper makes."""
    by_cited: Ints32
    """[E] indices in `citing` and `cited`, in ascending order of the cited paper."""
    cited_starts: NDArray[np.int64]
    """[R + 1] start of the citations that each paper receives, in `by_cited`."""
    context_years: NDArray[np.int16]
    """[C], 0 if unknown."""
    context_citing: Ints32
    """[C] the paper that contains the sentence; if it is not in the library, `stranger` of its id."""
    stranger_hashes: NDArray[np.int64]
    """Ascending; hashes of the ids of papers that are not in the library, but of which it has sentences."""
    pair_context: Ints32
    """[P]."""
    pair_cited: Ints32
    """[P]."""

    prefix: ClassVar[str] = "tables"

    @classmethod
    def build(
        cls,
        segments: Sequence[PaperSegment],
        alive: Sequence[NDArray[np.bool_] | None],
        citations: Iterable[tuple[int, int]],
        contexts: Iterable[tuple[int, int, int, Sequence[int]]],
        strangers: Mapping[int, str] | None = None,
    ) -> Tables:
        """`citations`: (citing, cited) papers; `contexts`: (sentence, citing paper or -1, year or 0, cited
        papers); `strangers`: ids of the citing papers of sentences whose citing paper is -1."""
        papers = _join_columns(segments, alive)
        sentences, cited_in, pair_cited = _sentences(contexts)
        rows = int(sentences[:, 0].max(initial=-1)) + 1
        context_years = np.zeros(rows, dtype=np.int16)
        context_years[sentences[:, 0]] = [known_year(year) for year in sentences[:, 2].tolist()]
        context_citing = np.full(rows, -1, dtype=np.int32)
        context_citing[sentences[:, 0]] = sentences[:, 1]
        hashes = {row: id_hash(name) for row, name in (strangers or {}).items()}
        stranger_hashes = np.array(sorted(set(hashes.values())), dtype=np.int64)
        by_sentences = np.stack([context_citing[cited_in], pair_cited], axis=1)
        for row, name in hashes.items():
            context_citing[row] = _stranger(stranger_hashes, name)
        edges = np.concatenate([_pairs(citations), by_sentences[by_sentences[:, 0] >= 0]])
        citing_cited = _distinct(edges[edges[:, 0] != edges[:, 1]])
        context_cited = _distinct(np.stack([cited_in, pair_cited], axis=1))
        return cls(
            **papers,
            citing=citing_cited[:, 0].copy(),
            cited=citing_cited[:, 1].copy(),
            citing_starts=_starts(citing_cited[:, 0], len(papers["alive"])),
            by_cited=np.argsort(citing_cited[:, 1], kind="stable").astype(np.int32),
            cited_starts=_starts(citing_cited[:, 1], len(papers["alive"])),
            context_years=context_years,
            context_citing=context_citing,
            stranger_hashes=stranger_hashes,
            pair_context=context_cited[:, 0].copy(),
            pair_cited=context_cited[:, 1].copy(),
        )

    @property
    def rows(self) -> int:
        """Size of every array over papers."""
        return len(self.alive)

    def paper_id(self, row: int) -> str:
        return self.id_bytes(row).decode()

    def id_bytes(self, row: int) -> bytes:
        """A paper's id in UTF-8; the order of ids is that of these bytes."""
        return bytes(self.ids[self.id_starts[row] : self.id_starts[row + 1]])

    def paper_ids(self, rows: NDArray[np.integer[Any]]) -> list[str]:
        """Gives the ids of many rows at once."""
        starts, ends = self.id_starts[rows], self.id_starts[rows + 1]
        blob = self.ids[spread(starts, ends)[1]].tobytes()
        cuts = [0, *np.cumsum(ends - starts).tolist()]
        if blob.isascii():
            text = blob.decode()
            return [text[start:end] for start, end in pairwise(cuts)]
        return [blob[start:end].decode() for start, end in pairwise(cuts)]

    def papers_of(self, author: str) -> Ints32:
        """Rows of the papers of a person, by name."""
        name = name_hash(author)
        position = int(np.searchsorted(self.author_hashes, name))
        if position == len(self.author_hashes) or self.author_hashes[position] != name:
            return np.zeros(0, dtype=np.int32)
        return self.author_papers[self.author_paper_starts[position] : self.author_paper_starts[position + 1]]

    def named(self, key: int) -> Ints32:
        """Rows of the papers to which a name belongs, ascending, by its `segments.named_key`."""
        position = int(np.searchsorted(self.name_hashes, key))
        if position == len(self.name_hashes) or self.name_hashes[position] != key:
            return np.zeros(0, dtype=np.int32)
        return self.name_papers[self.name_paper_starts[position] : self.name_paper_starts[position + 1]]

    def stranger(self, paper_id: str) -> int:
        """A number below -1 for a paper that is not in the library, but of which it has sentences; otherwise
        -1."""
        return _stranger(self.stranger_hashes, id_hash(paper_id))

    def made_by(self, row: int) -> slice:
        """Indices in `citing` and `cited` of the citations that paper `row` makes."""
        return slice(int(self.citing_starts[row]), int(self.citing_starts[row + 1]))

    def save(self, folder: Path) -> None:
        with folder_aside(folder) as aside:
            for field in fields(self):
                save_array(aside / f"{field.name}.npy", getattr(self, field.name))
            write_manifest(aside, {"name": folder.name, "rows": self.rows})

    @classmethod
    def load(cls, folder: Path) -> Tables:
        arrays: dict[str, Any] = {
            field.name: map_array(folder / f"{field.name}.npy") for field in fields(cls)
        }
        return cls(**arrays)


def _stranger(hashes: NDArray[np.int64], wanted: int) -> int:
    position = int(np.searchsorted(hashes, wanted))
    return -2 - position if position < len(hashes) and hashes[position] == wanted else -1


def _join_columns(
    segments: Sequence[PaperSegment], alive: Sequence[NDArray[np.bool_] | None]
) -> dict[str, Any]:
    """The columns of the valid papers of all segments, each at its row."""
    rows = 1 + max((int(segment.numbers[-1]) for segment in segments if len(segment.numbers)), default=-1)
    years = np.zeros(rows, dtype=np.int16)
    living, abstracts = np.zeros(rows, dtype=np.bool_), np.zeros(rows, dtype=np.bool_)
    venue_hashes = np.zeros(rows, dtype=np.int64)
    parts: list[tuple[PaperColumns, Ints32, NDArray[np.int64]]] = []
    for segment, mask in zip(segments, alive, strict=True):
        columns = segment.columns
        positions = np.arange(len(segment.numbers)) if mask is None else np.flatnonzero(mask[segment.numbers])
        numbers = segment.numbers[positions]
        living[numbers] = True
        years[numbers] = columns.years[positions]
        abstracts[numbers] = columns.abstracts[positions]
        venue_hashes[numbers] = columns.venues[positions]
        parts.append((columns, numbers, positions))
    ids, id_starts = _grouped([(part.ids, part.id_starts, at, of) for part, at, of in parts], rows, np.uint8)
    known_venues = np.unique(venue_hashes[venue_hashes != 0])
    all_authors, author_starts = _grouped(
        [(part.authors, part.author_starts, at, of) for part, at, of in parts], rows, np.int64
    )
    author_hashes, author_numbers = np.unique(all_authors, return_inverse=True)
    all_names, name_starts = _grouped(
        [(part.names, part.name_starts, at, of) for part, at, of in parts], rows, np.int64
    )
    name_hashes, name_numbers = np.unique(all_names, return_inverse=True)
    by_name = np.argsort(name_numbers, kind="stable")
    named = np.repeat(np.arange(rows, dtype=np.int32), np.diff(name_starts))
    per_paper = np.diff(author_starts)
    by_author = np.argsort(author_numbers, kind="stable")
    return {
        "alive": living,
        "years": years,
        "abstracts": abstracts,
        "venues": np.where(venue_hashes != 0, 1 + np.searchsorted(known_venues, venue_hashes), 0).astype(
            np.int32
        ),
        "venue_hashes": known_venues,
        "id_ranks": _ranks(ids, id_starts),
        "ids": ids,
        "id_starts": id_starts,
        "authors": author_numbers.astype(np.int32),
        "author_starts": author_starts,
        "author_hashes": author_hashes,
        "author_papers": np.repeat(np.arange(rows, dtype=np.int32), per_paper)[by_author],
        "author_paper_starts": _starts(author_numbers, len(author_hashes)),
        "name_hashes": name_hashes,
        "name_papers": named[by_name],
        "name_paper_starts": _starts(name_numbers, len(name_hashes)),
    }


def _grouped(
    parts: Sequence[tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]],
    rows: int,
    dtype: type[np.generic],
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The values of each row, grouped, and [rows + 1] where each group starts: of parts with their values,
    the starts of their groups, and the rows that have the groups at some positions."""
    sizes = np.zeros(rows, dtype=np.int64)
    for _, starts, numbers, positions in parts:
        sizes[numbers] = np.diff(starts)[positions]
    groups = offsets(sizes)
    grouped = np.zeros(groups[-1], dtype=dtype)
    for values, starts, numbers, positions in parts:
        _, to = spread(groups[numbers], groups[numbers + 1])
        _, of = spread(starts[positions], starts[positions + 1])
        grouped[to] = values[of]
    return grouped, groups


def _ranks(ids: NDArray[np.uint8], starts: NDArray[np.int64]) -> Ints32:
    """[R] the rank of each row's id among all; the empty ids of rows without a paper come first."""
    blob, cuts = ids.tobytes(), starts.tolist()
    names = [blob[start:end] for start, end in pairwise(cuts)]
    ranks = np.empty(len(names), dtype=np.int32)
    ranks[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names), dtype=np.int32)
    return ranks


def _pairs(pairs: Iterable[tuple[int, int]]) -> Ints32:
    """[n, 2], without a tuple for each in memory."""
    return np.fromiter(chain.from_iterable(pairs), dtype=np.int32).reshape(-1, 2)


def _sentences(
    contexts: Iterable[tuple[int, int, int, Sequence[int]]],
) -> tuple[NDArray[np.int64], Ints32, Ints32]:
    """[C, 3] sentences with their citing papers and years; and for each paper that they cite, [P] the
    sentence and [P] the paper."""
    sentences, cited_in, pair_cited = array("q"), array("i"), array("i")
    for row, citing, year, cited in contexts:
        sentences.extend((row, citing, year))
        cited_in.extend([row] * len(cited))
        pair_cited.extend(cited)
    return (
        np.array(sentences, dtype=np.int64).reshape(-1, 3),
        np.array(cited_in, dtype=np.int32),
        np.array(pair_cited, dtype=np.int32),
    )


def _distinct(pairs: NDArray[np.integer[Any]]) -> Ints32:
    """[n, 2] the distinct pairs of numbers from 0, in their order."""
    keys = np.unique(pairs[:, 0].astype(np.int64) << 32 | pairs[:, 1])
    return np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1).astype(np.int32)


def _starts(rows: NDArray[np.integer[Any]], n: int) -> NDArray[np.int64]:
    return offsets(np.bincount(rows, minlength=n))
