"""Words that a library does not have, as it may spell them: its own words and surnames are the dictionary."""

from __future__ import annotations

import itertools
import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import OSA

from citewhy.answers.resolve.words import papers_with, spelled_otherwise
from citewhy.base.records import Paper
from citewhy.papers.library.store import Library
from citewhy.search.index import Index
from citewhy.search.index.arrays import Rows, common
from citewhy.search.index.segments import NameField
from citewhy.text.names import key_form, latin
from citewhy.text.tokens import STOP_WORDS, fold, stems, words

_TOKEN = re.compile(r"[^\W\d_][\w'’-]*")
_LETTERS = re.compile(r"[^\W\d_]+")
_YEAR = re.compile(r"(?<!\d)(?:1[6-9]\d\d|20\d\d)(?!\d)")

_SHORTEST, _LONG = 4, 6
"""Letters of a word in which one letter may be wrong, and two."""

_LONGEST_NAME = 10
"""Letters of a surname in which two may be wrong; every letter more takes a tenth of a second longer."""

_LONGEST_FULL_NAME = 60
"""Characters above which nothing is looked up as the name of a person."""

_LONGEST = 30
"""Letters above which nothing is a word that somebody types."""

_STEMS_COMPARED, _PAPERS_READ = 40, 400
"""Maximum numbers of stems that may be that of a word, and of papers that are read for their spelling."""

_PAPERS_OF_AUTHORS = 3000
"""Maximum number of papers whose authors are asked for a first name."""

_ALTERNATIVES = 2

_IN_NAMES = f"{string.ascii_lowercase}-øł"
"""What may be wrong or missing in a folded surname."""

_NAMES: tuple[NameField, ...] = ("author", "key author", "introduced", "titled")


@dataclass(frozen=True, slots=True)
class _Spelling:
    """A word of the library that may have been meant."""

    word: str
    edits: int
    """Letters that were missing, superfluous, wrong, or exchanged with the next."""
    papers: Rows
    """The papers that have it."""
    is_name: bool


class Speller:
    """Corrects the words of a text that a library does not have. Words that it has stay as they are."""

    def __init__(self, library: Library, index: Index) -> None:
        self._library = library
        self._index = index

    def corrected(self, text: str, papers: Sequence[Paper]) -> list[str]:
        """The text as the library may spell it, the likeliest first; empty if it has all words, or none that
        is nearly the same. `papers` were found by the text as it is: their words are known, too."""
        pieces = [(match, self._knows(match[0])) for match in _LETTERS.finditer(text)]
        unknown = [match for match, is_known in pieces if not is_known]
        if not unknown:
            return []
        known = [match[0] for match, is_known in pieces if is_known]
        said = self._words_of(papers) | self._in_full_names([match for match, _ in pieces], text)
        if not said.issuperset(fold(match[0]) for match in unknown):
            said |= self._words_of(self._papers_by(known))
        beside = self._beside(known, _YEAR.findall(text))
        spelled = [
            (match, spellings)
            for match in unknown
            if fold(match[0]) not in said and (spellings := self._spellings(match[0], beside))
        ]
        if not spelled:
            return []
        best = _replaced(text, [(match, spellings[0]) for match, spellings in spelled])
        (match, spellings), *others = spelled
        return [best] if others else [best, *(_replaced(text, [(match, other)]) for other in spellings[1:])]

    def _knows(self, word: str) -> bool:
        """Whether the library has a word, or there is no telling."""
        folded = fold(word)
        if not _SHORTEST <= len(folded) <= _LONGEST or folded in STOP_WORDS or not latin(folded).isascii():
            return True
        terms = stems(word)
        if terms and all(self._index.text.document_frequencies(terms)):
            return True
        forms = [folded, key_form(word), *spelled_otherwise(word)]
        return any(self._index.known_names(by, forms) for by in _NAMES)

    def _papers_by(self, names: Iterable[str]) -> list[Paper]:
        """Papers by people with one of these surnames, who may have first names that no index has."""
        rows = self._index.named("author", [fold(name) for name in names])[:_PAPERS_OF_AUTHORS]
        return list(self._library.papers(self._index.ids(rows)).values())

    def _in_full_names(self, pieces: Sequence[re.Match[str]], text: str) -> set[str]:
        """The words of the text that are the whole name of an author: the index has whole names, so that no
        paper is read."""
        said: set[str] = set()
        for first, last in itertools.combinations(pieces, 2):
            name = text[first.start() : last.end()]
            if len(name) <= _LONGEST_FULL_NAME and len(self._index.tables.papers_of(name)):
                said.update(map(fold, _LETTERS.findall(name)))
        return said

    @staticmethod
    def _words_of(papers: Iterable[Paper]) -> set[str]:
        """The words of names of people and venues."""
        return {
            fold(word)
            for paper in papers
            for text in (*paper.authors, paper.venue)
            for word in _LETTERS.findall(text)
        }

    def _beside(self, known: Iterable[str], years: Iterable[str]) -> Rows | None:
        """The papers that have all the other words of the text, or were published in its year; None if it has
        no other words."""
        rows = [papers_with(self._index, word) for word in known if stems(word)]
        rows += [self._index.papers(int(year)) for year in years]
        return common(rows) if rows else None

    # Candidates -------------------------------------------------------------------------------------------

    def _spellings(self, word: str, beside: Rows | None) -> list[str]:
        """The words that a word may stand for, the likeliest first: with the fewest edits, then in papers
        with the other words, then surnames for a word with a capital, then those of the most papers."""
        capital = word[:1].isupper()

        def order(spelling: _Spelling) -> tuple[int, bool, bool]:
            together = beside is not None and bool(np.isin(spelling.papers, beside).any())
            return spelling.edits, not together, spelling.is_name != capital

        allowed = 1 if len(word) < _LONG else 2
        folded = latin(fold(word))
        once = _edited([folded])
        candidates = [*self._near_words(folded, allowed), *self._names(once, 1)]
        nearest = min((spelling.edits for spelling in candidates), default=None)
        if 1 < allowed < len(word) <= _LONGEST_NAME and (nearest is None or (capital and nearest > 1)):
            candidates += self._names(_edited(once), 2)
        candidates.sort(key=lambda spelling: (order(spelling), -len(spelling.papers), spelling.word))
        equal = [spelling for spelling in candidates if order(spelling) == order(candidates[0])]
        written = [self._written(spelling, word) for spelling in equal]
        return list(dict.fromkeys(written))[: 1 + _ALTERNATIVES]

    def _near_words(self, word: str, allowed: int) -> Iterator[_Spelling]:
        """Words of titles and abstracts. The index has their stems; how they are spelled, papers tell."""
        terms = self._near_stems(word, allowed)
        for term in terms:
            rows = papers_with(self._index, term, stemmed=True)
            read = rows[: max(_PAPERS_READ // len(terms), 1)]
            spelled = Counter(
                other
                for paper in self._library.papers(self._index.ids(read)).values()
                for other in words(f"{paper.title} {paper.abstract}")
                if stems(other) == [term]
            )
            edits, _, best = min((OSA.distance(word, other), -spelled[other], other) for other in spelled)
            if edits <= allowed:
                yield _Spelling(best, edits, rows, False)

    def _near_stems(self, word: str, allowed: int) -> list[str]:
        """The stems that are nearly a beginning of a word, the nearest first."""
        terms, having = self._index.text.vocabulary
        beginnings = [word[:end] for end in range(max(len(word) // 2, _SHORTEST - 1), len(word) + 1)]
        edits = process.cdist(
            beginnings, terms, scorer=OSA.distance, score_cutoff=allowed, dtype=np.uint8
        ).min(axis=0, initial=allowed + 1)
        near = np.flatnonzero(edits <= allowed)
        unlike = np.array([abs(len(word) - len(terms[place])) for place in near.tolist()], dtype=np.int64)
        order = np.lexsort((-having[near], unlike, edits[near]))[:_STEMS_COMPARED]
        return [terms[place] for place in near[order].tolist()]

    def _names(self, edited: Sequence[str], edits: int) -> list[_Spelling]:
        """Surnames. The index has their hashes alone, so that all that may have been meant is looked up."""
        return [
            _Spelling(name, edits, self._index.named("author", [name]), True)
            for name in self._index.known_names("author", edited)
        ]

    def _written(self, spelling: _Spelling, word: str) -> str:
        """The spelling with the capitals of the word, and of a surname with its accents."""
        if word.islower():
            return spelling.word
        if spelling.is_name:
            papers = self._library.papers(self._index.ids(spelling.papers[:1])).values()
            names = [name for paper in papers for author in paper.authors for name in _TOKEN.findall(author)]
            return next((name for name in names if fold(name) == spelling.word), spelling.word.title())
        return spelling.word.upper() if word.isupper() else spelling.word.capitalize()


def _replaced(text: str, spelled: Sequence[tuple[re.Match[str], str]]) -> str:
    for match, word in reversed(spelled):
        text = f"{text[: match.start()]}{word}{text[match.end() :]}"
    return text


def _edited(names: Iterable[str]) -> list[str]:
    """All that is written by one edit in one of the names."""
    edited: set[str] = set()
    for name in names:
        for place in range(len(name) + 1):
            before, after = name[:place], name[place:]
            edited.update([f"{before}{letter}{after}" for letter in _IN_NAMES])
            if after:
                edited.add(f"{before}{after[1:]}")
                edited.update([f"{before}{letter}{after[1:]}" for letter in _IN_NAMES])
            if len(after) > 1:
                edited.add(f"{before}{after[1]}{after[0]}{after[2:]}")
    return list(edited)
