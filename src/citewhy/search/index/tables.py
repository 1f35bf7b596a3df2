"""Papers and citations as arrays, merged from all segments, and the citation graph.

A row is a paper's number in the library, or a citing sentence's; unused rows are not alive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from citewhy.base.artifact import folder_aside, write_manifest
from citewhy.search.index.arrays import Ints32, map_array, offsets, save_array, sorted_pairs, spread
from citewhy.search.index.segments import PaperSegment, id_hash, known_year, name_hash


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
        sentences = list(contexts)
        rows = 1 + max((row for row, *_ in sentences), default=-1)
        context_years = np.zeros(rows, dtype=np.int16)
        context_citing = np.full(rows, -1, dtype=np.int32)
        pairs: set[tuple[int, int]] = set()
        edges = set(citations)
        for row, citing, year, cited in sentences:
            context_years[row] = known_year(year)
            context_citing[row] = citing
            pairs.update((row, paper) for paper in cited)
            if citing >= 0:
                edges.update((citing, paper) for paper in cited)
        hashes = {row: id_hash(name) for row, name in (strangers or {}).items()}
        stranger_hashes = np.array(sorted(set(hashes.values())), dtype=np.int64)
        for row, name in hashes.items():
            context_citing[row] = _stranger(stranger_hashes, name)
        citing_cited = sorted_pairs(edge for edge in edges if edge[0] != edge[1])
        context_cited = sorted_pairs(pairs)
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
    names: list[bytes] = [b""] * rows
    authors: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)] * rows
    known_as: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)] * rows
    for segment, mask in zip(segments, alive, strict=True):
        columns = segment.columns
        positions = np.arange(len(segment.numbers)) if mask is None else np.flatnonzero(mask[segment.numbers])
        numbers = segment.numbers[positions]
        living[numbers] = True
        years[numbers] = columns.years[positions]
        abstracts[numbers] = columns.abstracts[positions]
        venue_hashes[numbers] = columns.venues[positions]
        blob = columns.ids.tobytes()
        id_starts = columns.id_starts.tolist()
        author_starts = columns.author_starts.tolist()
        name_starts = columns.name_starts.tolist()
        for row, position in zip(numbers.tolist(), positions.tolist(), strict=True):
            names[row] = blob[id_starts[position] : id_starts[position + 1]]
            authors[row] = columns.authors[author_starts[position] : author_starts[position + 1]]
            known_as[row] = columns.names[name_starts[position] : name_starts[position + 1]]
    id_ranks = np.empty(rows, dtype=np.int32)
    id_ranks[sorted(range(rows), key=names.__getitem__)] = np.arange(rows, dtype=np.int32)
    known_venues = np.unique(venue_hashes[venue_hashes != 0])
    all_authors = np.concatenate([np.zeros(0, dtype=np.int64), *authors])
    author_hashes, author_numbers = np.unique(all_authors, return_inverse=True)
    name_hashes, name_numbers = np.unique(
        np.concatenate([np.zeros(0, dtype=np.int64), *known_as]), return_inverse=True
    )
    by_name = np.argsort(name_numbers, kind="stable")
    named = np.repeat(np.arange(rows, dtype=np.int32), [len(names) for names in known_as])
    per_paper = [len(names) for names in authors]
    by_author = np.argsort(author_numbers, kind="stable")
    return {
        "alive": living,
        "years": years,
        "abstracts": abstracts,
        "venues": np.where(venue_hashes != 0, 1 + np.searchsorted(known_venues, venue_hashes), 0).astype(
            np.int32
        ),
        "venue_hashes": known_venues,
        "id_ranks": id_ranks,
        "ids": np.frombuffer(b"".join(names), dtype=np.uint8),
        "id_starts": offsets([len(name) for name in names]),
        "authors": author_numbers.astype(np.int32),
        "author_starts": offsets(per_paper),
        "author_hashes": author_hashes,
        "author_papers": np.repeat(np.arange(rows, dtype=np.int32), per_paper)[by_author],
        "author_paper_starts": _starts(author_numbers, len(author_hashes)),
        "name_hashes": name_hashes,
        "name_papers": named[by_name],
        "name_paper_starts": _starts(name_numbers, len(name_hashes)),
    }


def _starts(rows: NDArray[np.integer[Any]], n: int) -> NDArray[np.int64]:
    return offsets(np.bincount(rows, minlength=n))
