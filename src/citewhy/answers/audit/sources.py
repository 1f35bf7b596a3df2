"""Where an audit looks for the papers of entries: a library with its index, or the papers of files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np

from citewhy.answers.audit import people
from citewhy.answers.audit.fields import published
from citewhy.answers.audit.titles import plain_words
from citewhy.base.records import Paper
from citewhy.papers.formats.fields import arxiv_numbers
from citewhy.papers.library.store import Library
from citewhy.search.index import Index
from citewhy.search.index.fields import BM25
from citewhy.search.index.segments import name_hash
from citewhy.search.rules import Scope
from citewhy.text.names import key_surnames, venue_key
from citewhy.text.tokens import stems

__all__ = ["LibraryPapers", "ListedPapers", "Papers", "numbers_of"]

_PLAIN = BM25(k1=1.2, b=0.75)
_BY_TITLE = 8
"""Papers whose titles are compared with that of an entry: the best by its words."""
_BY_AUTHOR = 60
"""Papers of a first author that are looked at, of the years around."""
_LIKELY = 0.2
"""Share of the best paper's likeness to a title that others need to be looked at."""
_BESIDE = 200
"""Papers of a venue that are looked at for how its DOIs begin."""


class Papers(Protocol):
    """Papers that are known, and how they are found."""

    def candidates(self, entries: Sequence[Paper]) -> list[list[Paper]]:
        """The papers that each entry may be: with its DOI, its number at arXiv, or a similar title."""

    def by(self, first_author: str, year: int | None) -> list[Paper]:
        """Papers of a first author, those of the years around."""

    def of_venue(self, venue: str) -> list[Paper]:
        """Some of the papers of a venue, of whatever year."""


def numbers_of(paper: Paper) -> tuple[str, ...]:
    """The numbers at arXiv that a record gives anywhere."""
    known = published(paper).arxiv
    return tuple(dict.fromkeys((*arxiv_numbers(paper), *([known] if known else ()))))


class LibraryPapers:
    """The papers of a library, found by its index."""

    def __init__(self, library: Library, index: Index) -> None:
        self._library = library
        self._index = index
        self._view = index.view(Scope())

    def candidates(self, entries: Sequence[Paper]) -> list[list[Paper]]:
        found: list[list[str]] = []
        for entry, same in zip(entries, self._library.find_all(entries), strict=True):
            ids = (
                [*([same] if same else ()), *self._library.with_doi(entry.doi)] if entry.doi else [same or ""]
            )
            if numbers := numbers_of(entry):
                ids += self._index.ids(self._index.named("arxiv", numbers))
            terms = dict.fromkeys(stems(entry.title), 1.0)
            if terms:
                ids += self._index.ids(self._view.search("title", terms, _PLAIN, _BY_TITLE).rows)
            found.append(list(dict.fromkeys(filter(None, ids))))
        papers = self._library.papers({paper_id for ids in found for paper_id in ids})
        return [[papers[paper_id] for paper_id in ids if paper_id in papers] for ids in found]

    def by(self, first_author: str, year: int | None) -> list[Paper]:
        rows = self._index.named("key author", key_surnames(first_author))
        if year is not None and len(rows):
            near = np.abs(self._index.tables.years[rows].astype(np.int64) - year) <= 2
            rows = rows[near]
        return list(self._library.papers(self._index.ids(rows[:_BY_AUTHOR])).values())

    def of_venue(self, venue: str) -> list[Paper]:
        key = venue_key(venue)
        return list(self._of_venue(key)) if key else []

    @lru_cache(maxsize=64)  # noqa: B019 # lives as long as an audit
    def _of_venue(self, key: str) -> tuple[Paper, ...]:
        tables = self._index.tables
        hashed = name_hash(key)
        place = int(np.searchsorted(tables.venue_hashes, hashed))
        if place == len(tables.venue_hashes) or tables.venue_hashes[place] != hashed:
            return ()
        rows = self._index.papers()
        rows = rows[tables.venues[rows] == 1 + place]
        step = max(1, len(rows) // _BESIDE)
        return tuple(self._library.papers(self._index.ids(rows[::step][:_BESIDE])).values())


class ListedPapers:
    """Papers that are held in memory, as files have them."""

    def __init__(self, papers: Iterable[Paper]) -> None:
        self._papers = list(papers)
        self._by_number: dict[str, list[int]] = defaultdict(list)
        by_word: dict[str, list[int]] = defaultdict(list)
        self._by_author: dict[str, list[int]] = defaultdict(list)
        self._by_venue: dict[str, list[int]] = defaultdict(list)
        for number, paper in enumerate(self._papers):
            for name in (*filter(None, [paper.doi]), *numbers_of(paper)):
                self._by_number[name].append(number)
            for word in dict.fromkeys(plain_words(paper.title)):
                by_word[word].append(number)
            for name in key_surnames(paper.authors[0]) if paper.authors else ():
                self._by_author[name].append(number)
            self._by_venue[venue_key(paper.venue)].append(number)
        self._by_word = {word: np.array(places) for word, places in by_word.items()}
        lengths = [len(plain_words(paper.title)) for paper in self._papers]
        self._share_of_word = np.maximum(1, lengths) ** -0.5

    def candidates(self, entries: Sequence[Paper]) -> list[list[Paper]]:
        return [self._of(entry) for entry in entries]

    def _of(self, entry: Paper) -> list[Paper]:
        numbers = [
            place for name in (entry.doi, *numbers_of(entry)) for place in self._by_number.get(name, ())
        ]
        shares = np.zeros(len(self._papers))
        for word in set(plain_words(entry.title)):
            if (having := self._by_word.get(word)) is not None:
                shares[having] += len(having) ** -0.5
        shares *= self._share_of_word
        likely = np.flatnonzero((shares >= _LIKELY * shares.max(initial=0)) & (shares > 0))
        best = likely[np.lexsort((likely, -shares[likely]))][:_BY_TITLE].tolist()
        return [self._papers[place] for place in dict.fromkeys((*numbers, *best))]

    def by(self, first_author: str, year: int | None) -> list[Paper]:
        places = dict.fromkeys(
            place for name in key_surnames(first_author) for place in self._by_author.get(name, ())
        )
        papers = [self._papers[place] for place in places]
        return [
            paper for paper in papers if year is None or paper.year is None or abs(paper.year - year) <= 2
        ]

    def of_venue(self, venue: str) -> list[Paper]:
        key = venue_key(venue)
        return [self._papers[place] for place in self._by_venue[key][:_BESIDE]] if key else []


def by_exactly(papers: Papers, entry: Paper) -> list[Paper]:
    """The papers by exactly the authors of an entry, of the years around."""
    if len(entry.authors) < 2:
        return []
    return [
        paper
        for paper in papers.by(entry.authors[0], entry.year)
        if people.compare(entry.authors, paper.authors).kind == "same"
        and len(paper.authors) == len(entry.authors)
    ]
