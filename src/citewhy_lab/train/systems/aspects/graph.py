"""The citation graph with the intents of its edges, as arrays.

Section 4.3 of Bansal (2023): a paper's references, its citations, and the references of its references, with
the intents of each citation. `Links` are the three neighbourhoods from which training instances are drawn.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citewhy_lab.train.systems.aspects.settings import ASPECTS, OTHER, Aspect

Rows = NDArray[np.int64]
"""Positions in `IntentGraph.ids`."""

Bits = NDArray[np.uint8]
"""Sets of aspects: bit i is `ASPECTS[i]`; 0 is an unknown intent."""


def bits(intents: Collection[str]) -> int:
    """Returns the set of `intents` as bits; what is not in `ASPECTS` is left out."""
    return sum(1 << position for position, aspect in enumerate(ASPECTS) if aspect in intents)


@dataclass(frozen=True, slots=True)
class Links:
    """Neighbours of every paper: those of row r are ``neighbours[starts[r]:starts[r + 1]]``, ascending, each
    once; `intents` are those of all links between the two."""

    starts: Rows
    """[papers + 1]"""
    neighbours: Rows
    intents: Bits

    @classmethod
    def of(cls, count: int, ends: tuple[Rows, Rows], intents: Bits) -> Links:
        """Sorts links (row, neighbour) that come in any order, and may repeat; there are `count` papers."""
        wide = len(ASPECTS)
        packed = (ends[0] * count + ends[1] << wide) | intents
        packed.sort()  # plain integers: many times as fast as sorting positions by a key
        pairs = packed >> wide
        first = np.flatnonzero(np.diff(pairs, prepend=-1))
        intents_of_links = (packed & (1 << wide) - 1).astype(np.uint8)
        joined = np.bitwise_or.reduceat(intents_of_links, first) if len(first) else intents_of_links
        keys = pairs[first]
        starts = np.searchsorted(keys, np.arange(count + 1) * count)
        return cls(starts, keys % count if count else keys, joined)

    @property
    def counts(self) -> Rows:
        """[papers] numbers of neighbours."""
        return np.diff(self.starts)

    @property
    def rows(self) -> Rows:
        """[links] the row that each neighbour belongs to."""
        return np.repeat(np.arange(len(self.starts) - 1), self.counts)

    @property
    def keys(self) -> Rows:
        """[links] row · papers + neighbour, ascending."""
        return self.rows * (len(self.starts) - 1) + self.neighbours

    def only(self, kept: NDArray[np.bool_]) -> Links:
        """Keeps the links for which `kept` [links] holds."""
        before = np.concatenate([[0], np.cumsum(kept)])
        return Links(before[self.starts], self.neighbours[kept], self.intents[kept])

    def without(self, others: Links) -> Links:
        """Keeps the links that are not in `others`, a graph of the same papers."""
        return self.only(~others.have(self.keys))

    def have(self, keys: Rows) -> NDArray[np.bool_]:
        """Tells which of `keys`, as those of the property `keys`, are links."""
        known = self.keys
        if not len(known):
            return np.zeros(np.shape(keys), dtype=np.bool_)
        is_link: NDArray[np.bool_] = known[np.minimum(np.searchsorted(known, keys), len(known) - 1)] == keys
        return is_link

    def of_aspect(self, aspect: Aspect) -> Links:
        """Returns links with this intent among theirs; of `OTHER`, those of no known intent."""
        return self.only(self.intents == 0 if aspect == OTHER else (self.intents & bits([aspect])) > 0)

    def of_another(self, aspect: Aspect) -> Links:
        """Returns links of a known intent, none of which is `aspect`; of `OTHER` there are none."""
        if aspect == OTHER:
            return self.only(np.zeros(len(self.intents), dtype=np.bool_))
        return self.only((self.intents > 0) & (self.intents & bits([aspect]) == 0))


class IntentGraph:
    """Papers `ids`, and the citations between them; a paper's citations of itself are left out."""

    def __init__(self, ids: Sequence[str], citations: Iterable[tuple[str, str, int]]) -> None:
        """`citations` are (citing id, cited id, intents as `bits`); several for an edge are joined."""
        self.ids = tuple(ids)
        position = {paper_id: row for row, paper_id in enumerate(self.ids)}
        known = [
            (position[citing], position[cited], intents)
            for citing, cited, intents in citations
            if citing in position and cited in position and citing != cited
        ]
        edges = np.array(known, dtype=np.int64).reshape(-1, 3)
        self.references = Links.of(len(self.ids), (edges[:, 0], edges[:, 1]), edges[:, 2].astype(np.uint8))
        """Papers that each paper cites."""

    def __len__(self) -> int:
        return len(self.ids)

    @functools.cached_property
    def linked(self) -> Links:
        """Papers that each paper cites, or is cited by: *level 1*."""
        cited, citing = self.references, self.references.rows
        ends = np.concatenate([citing, cited.neighbours]), np.concatenate([cited.neighbours, citing])
        return Links.of(len(self), ends, np.concatenate([cited.intents, cited.intents]))

    @functools.cached_property
    def second(self) -> Links:
        """References of each paper's references, without itself and what it is linked with: *level 2*. The
        intents are those of the second citation. Time and memory grow with the number of pairs of citations
        that follow each other: linear in citations while reference lists do not grow."""
        cited = self.references
        count = cited.counts[cited.neighbours]  # of each first citation: how many follow it
        first = np.repeat(np.arange(len(cited.neighbours)), count)
        within = np.arange(len(first)) - np.repeat(np.cumsum(count) - count, count)
        followed = cited.starts[cited.neighbours[first]] + within
        row, end = cited.rows[first], cited.neighbours[followed]
        other = row != end
        links = Links.of(len(self), (row[other], end[other]), cited.intents[followed][other])
        return links.without(self.linked)
