"""Finds the papers in a library that are the draft itself: the published paper, a preprint, an earlier
version.

Only titles and abstracts are compared, because drafts are often anonymous, and author names are hard to read
from tables. Taking another paper for the draft costs one candidate; missing the draft would make it the first
suggestion for its own sentences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from citewhy.base.records import Manuscript, Paper
from citewhy.papers.library.store import Library
from citewhy.search.index import Index
from citewhy.search.index.fields import BM25
from citewhy.search.rules import Scope
from citewhy.text.alike import near_duplicates, same_title, title_stems
from citewhy.text.markers import OTHER, TARGET
from citewhy.text.names import title_key
from citewhy.text.tokens import stems
from citewhy.text.traits import SHORT_TITLE

_LONG_TITLE = 4
"""Minimum number of words (without stop words) of a title for which a nearly identical title means the same
document in any year; for shorter titles, the years may differ by at most one."""

_ALIKE_ABSTRACTS = 0.6
"""Minimum Jaccard similarity of the stems of two abstracts of the same document."""

_ABSTRACT = 20
"""Minimum number of stems of an abstract that is compared."""

_COMPARED = 100
"""Number of papers whose titles are compared with the draft's: the best by BM25."""

_PLAIN = BM25(k1=1.2, b=0.75)


class SameDocument:
    """Decides whether a paper is the same document as a draft."""

    def __init__(self, manuscript: Manuscript) -> None:
        self._titles = [(title_stems(title), title_key(title)) for title in _titles(manuscript)]
        self._abstract = frozenset(stems(manuscript.abstract))
        self._year = manuscript.year

    def __call__(self, paper: Paper) -> bool:
        """True if the titles share three quarters of their words, or if they share a word and the abstracts
        are nearly the same. The title of a chapter's book is one of the draft's."""
        title, key = title_stems(paper.title), title_key(paper.title)
        alike = [(own, own_key) for own, own_key in self._titles if same_title(own, title)]
        if alike:
            told = any(
                len(own) >= _LONG_TITLE or (own_key == key and len(key.split()) >= SHORT_TITLE)
                for own, own_key in alike
            )
            return paper.own or told or self._same_time(paper)
        apart = all(own.isdisjoint(title) for own, _ in self._titles)
        if not paper.abstract or len(self._abstract) < _ABSTRACT or apart:
            return False
        abstract = frozenset(stems(paper.abstract))
        return len(self._abstract & abstract) >= _ALIKE_ABSTRACTS * len(self._abstract | abstract)

    def _same_time(self, paper: Paper) -> bool:
        return paper.year is None or self._year is None or abs(paper.year - self._year) <= 1


def _titles(manuscript: Manuscript) -> list[str]:
    return [title for title in (manuscript.title, manuscript.book_title) if title]


def find_copies(
    library: Library, index: Index, manuscript: Manuscript, cited: Collection[str]
) -> tuple[str, ...]:
    """The ids of the papers that are the draft, or the book of which it is a chapter, most similar title
    first. Papers that the draft cites (`cited`) are other documents."""
    is_same = SameDocument(manuscript)
    copies: dict[str, None] = {}
    for title in _titles(manuscript):
        if terms := dict.fromkeys(stems(title), 1.0):
            hits = index.view(Scope()).search("title", terms, _PLAIN, _COMPARED)
            ids = [paper_id for paper_id in index.ids(hits.rows) if paper_id not in cited]
            papers = library.papers(ids)
            copies |= {one: None for one in ids if one in papers and is_same(papers[one])}
    return tuple(copies)


class CopiedSentences:
    """Finds own writings that contain a near-duplicate of a given sentence.

    An evaluation must not find the answer to a query in a copy of the query's own sentence, as in a thesis
    chapter that is also a paper, or an introduction that was used again.
    """

    def __init__(self, library: Library) -> None:
        self._sentences: Sequence[tuple[str, str]] = [
            (writing, text.replace(TARGET, " ").replace(OTHER, " "))
            for writing, text in library.sentences_of_writings()
        ]
        self._by_stem: dict[str, list[int]] = defaultdict(list)
        for number, (_, text) in enumerate(self._sentences):
            for stem in frozenset(stems(text)):
                self._by_stem[stem].append(number)

    def with_copies(self, text: str) -> Iterator[str]:
        """The sorted ids of the writings that have a near-duplicate of the sentence `text`."""
        sentence = text.replace(TARGET, " ").replace(OTHER, " ")
        near = {number for stem in frozenset(stems(sentence)) for number in self._by_stem.get(stem, ())}
        writings: set[str] = set()
        for number in sorted(near):
            writing, other = self._sentences[number]
            if writing not in writings and near_duplicates(sentence, other):
                writings.add(writing)
        yield from sorted(writings)
