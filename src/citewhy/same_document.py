"""Which papers of a library are a draft itself: in print, as a preprint, as an earlier version.

It goes by title and abstract alone: drafts are anonymous, and their authors stand in tables. One stranger
that is taken for the draft is one candidate less; the draft that is taken for a stranger would be the first
suggestion for its own sentences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from citewhy.index.engine import Index
from citewhy.index.fields import BM25
from citewhy.library.dedupe import SHORT_TITLE
from citewhy.library.store import Library
from citewhy.records import Manuscript, Paper
from citewhy.rules import Scope
from citewhy.text.alike import near_duplicates, same_title, title_stems
from citewhy.text.markers import OTHER, TARGET
from citewhy.text.names import title_key
from citewhy.text.tokens import stems

__all__ = ["SameDocument", "WritingsByWords", "find_copies"]

_TELLING = 4
"""Words of a title, stop words aside, from which one that is nearly the same names the same document in any
year; shorter ones do so for a year or two."""

_ALIKE_ABSTRACTS = 0.6
"""Shared part of all the stems of two abstracts from which they are one."""

_ABSTRACT = 20
"""Stems that an abstract has at least."""

_LOOKED_AT = 100
"""Papers whose titles are compared, of those that share the most words with the draft's."""

_PLAIN = BM25(k1=1.2, b=0.75)


class SameDocument:
    """Tells the papers that are one draft."""

    def __init__(self, manuscript: Manuscript) -> None:
        self._title = title_stems(manuscript.title)
        self._key = title_key(manuscript.title)
        self._abstract = frozenset(stems(manuscript.abstract))
        self._year = manuscript.year

    def __call__(self, paper: Paper) -> bool:
        """Titles that share three quarters of their words; or titles with something in common, and nearly the
        same abstract."""
        title = title_stems(paper.title)
        if same_title(self._title, title):
            equal = title_key(paper.title) == self._key and len(self._key.split()) >= SHORT_TITLE
            return paper.own or equal or len(self._title) >= _TELLING or self._same_time(paper)
        if not paper.abstract or len(self._abstract) < _ABSTRACT or self._title.isdisjoint(title):
            return False
        abstract = frozenset(stems(paper.abstract))
        return len(self._abstract & abstract) >= _ALIKE_ABSTRACTS * len(self._abstract | abstract)

    def _same_time(self, paper: Paper) -> bool:
        return paper.year is None or self._year is None or abs(paper.year - self._year) <= 1


def find_copies(
    library: Library, index: Index, manuscript: Manuscript, cited: Collection[str]
) -> tuple[str, ...]:
    """The ids of papers that are the draft, the most similar title first. A paper that the draft cites is
    another one."""
    terms = dict.fromkeys(stems(manuscript.title), 1.0)
    if not terms:
        return ()
    hits = index.view(Scope()).search("title", terms, _PLAIN, _LOOKED_AT)
    ids = [each for each in index.ids(hits.rows) if each not in cited]
    papers, is_same = library.papers(ids), SameDocument(manuscript)
    return tuple(each for each in ids if each in papers and is_same(papers[each]))


class WritingsByWords:
    """The citing sentences of the owner's writings: whose are nearly the same as a given one?

    A measurement that finds a sentence's answer in its own copy measures nothing: a chapter that is also a
    paper, an introduction that was used again.
    """

    def __init__(self, library: Library) -> None:
        self._said: Sequence[tuple[str, str]] = [
            (writing, text.replace(TARGET, " ").replace(OTHER, " "))
            for writing, text in library.writings_said()
        ]
        self._by_stem: dict[str, list[int]] = defaultdict(list)
        for number, (_, text) in enumerate(self._said):
            for stem in frozenset(stems(text)):
                self._by_stem[stem].append(number)

    def with_copies(self, text: str) -> Iterator[str]:
        """Ids of the writings that have a near-duplicate of a sentence, sorted."""
        sentence = text.replace(TARGET, " ").replace(OTHER, " ")
        near = {number for stem in frozenset(stems(sentence)) for number in self._by_stem.get(stem, ())}
        found: set[str] = set()
        for number in sorted(near):
            writing, said = self._said[number]
            if writing not in found and near_duplicates(sentence, said):
                found.add(writing)
        yield from sorted(found)
