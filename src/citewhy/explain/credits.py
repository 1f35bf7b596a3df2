"""Primary sources: a passage that cites another paper for the claim tells whom to cite instead."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator

from citewhy.index.engine import Index
from citewhy.library.store import Library
from citewhy.records import Paper, Passage
from citewhy.text.author_year import Group
from citewhy.text.markers import Resolver, find
from citewhy.text.tokens import stems

__all__ = ["Credits"]

_YEARS_KEPT = 20


class Credits:
    """Resolves the citations printed in passages to papers of `library`, with its `index`. Thread-safe."""

    def __init__(self, library: Library, index: Index) -> None:
        self._library = library
        self._index = index
        self._resolvers: dict[int, Resolver] = {}
        self._lock = threading.Lock()

    def of(
        self, passage: Passage, claim: str, year: int | None = None, without: Collection[str] = ()
    ) -> list[Paper]:
        """The papers that the passage credits with the claim, in the order of the passage.

        A citation covers the words since the previous citation, and at least one of these must be in the
        claim. Only citations that match a single paper are resolved. `year`: ignore newer papers; `without`:
        ids that are excluded, as is the passage's own paper.
        """
        asked = set(stems(claim))
        found: dict[str, Paper] = {}
        for words, group in _credited(passage.text):
            if group.year is None or (year is not None and group.year > year):
                continue
            if asked.isdisjoint(stems(words)):
                continue
            paper = self._resolver(group.year).resolve(group)
            if paper is not None and paper.id != passage.paper_id and paper.id not in without:
                found.setdefault(paper.id, paper)
        return list(found.values())

    def _resolver(self, year: int) -> Resolver:
        """A resolver for the papers of one year."""
        with self._lock:
            if year not in self._resolvers:
                papers = self._library.papers(self._index.ids(self._index.papers(year)))
                if len(self._resolvers) >= _YEARS_KEPT:
                    del self._resolvers[next(iter(self._resolvers))]
                self._resolvers[year] = Resolver(papers.values())
            return self._resolvers[year]


def _credited(text: str) -> Iterator[tuple[str, Group]]:
    """Each printed citation by author and year with the words before it, or if there are none, after it."""
    markers = find(text)
    for number, marker in enumerate(markers):
        before = text[markers[number - 1].end if number else 0 : marker.start]
        following = markers[number + 1].start if number + 1 < len(markers) else len(text)
        words = before if len(stems(before)) > 1 and not marker.in_text else text[marker.end : following]
        for group in marker.groups:
            yield words, group
