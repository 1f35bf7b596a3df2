"""Primary sources: a passage that cites another paper for the claim tells whom to cite instead."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from citewhy.base.records import Paper, Passage, Suggestion
from citewhy.papers.library.store import Library
from citewhy.search.index import Index
from citewhy.search.rules import Scope
from citewhy.text.author_year import Group
from citewhy.text.markers import Resolver, find, forms_of
from citewhy.text.tokens import stems

_KEPT = 1000
"""Names of first authors, with years, of which the papers are kept."""

_MOST = 2
"""Maximum number of credited papers in one list of suggestions."""

Crediting = Mapping[str, tuple[Suggestion, Passage]]
"""Maps the id of a credited paper to the suggestion whose passage credits it, and this passage."""


class Credits:
    """Resolves the citations printed in passages to papers of `library`, with its `index`. Thread-safe."""

    def __init__(self, library: Library, index: Index) -> None:
        self._library = library
        self._index = index
        self._resolvers: dict[tuple[int | None, tuple[str, ...]], Resolver] = {}
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
        papers: dict[str, Paper] = {}
        credited = [(words, group) for words, group in _credited(passage.text) if group.year]
        years = np.array([group.year for _, group in credited], dtype=np.int64)
        in_time = Scope(year=year).published(years)
        for (words, group), is_in_time in zip(credited, in_time.tolist(), strict=True):
            if not is_in_time or asked.isdisjoint(stems(words)):
                continue
            paper = self._resolver(group).resolve(group)
            if paper is not None and paper.id != passage.paper_id and paper.id not in without:
                papers.setdefault(paper.id, paper)
        return list(papers.values())

    def _resolver(self, group: Group) -> Resolver:
        """A resolver for the papers of a year by the first authors that a citation may name."""
        year, forms = group.year, tuple(forms_of(group))
        with self._lock:
            if (year, forms) not in self._resolvers:
                index = self._index
                named = (index.named("first author", forms), index.named("printed author", forms))
                rows = np.unique(np.concatenate(named))
                papers = self._library.papers(index.ids(rows[index.tables.years[rows] == year]))
                if len(self._resolvers) >= _KEPT:
                    del self._resolvers[next(iter(self._resolvers))]
                self._resolvers[year, forms] = Resolver(papers.values())
            return self._resolvers[year, forms]


def credits_of(suggestions: Sequence[Suggestion]) -> Crediting:
    """The papers that the passages of suggestions credit with the claim, and that are not suggested
    themselves; the first ones."""
    suggested = {suggestion.paper.id for suggestion in suggestions}
    credited: dict[str, tuple[Suggestion, Passage]] = {}
    for suggestion in suggestions:
        for passage in suggestion.passages:
            for paper_id in passage.credits:
                if paper_id not in suggested and len(credited) < _MOST:
                    credited.setdefault(paper_id, (suggestion, passage))
    return credited


def among_crediting(
    suggestions: Sequence[Suggestion], more: Sequence[Suggestion], crediting: Crediting
) -> list[Suggestion]:
    """The suggestions `found`, each followed by those of `more` that its passages credit."""
    behind: dict[str, list[Suggestion]] = {}
    for suggestion in more:
        # Scores compare suggestions of one list: a credited paper has that of the one that credits it.
        first, _ = crediting[suggestion.paper.id]
        behind.setdefault(first.paper.id, []).append(replace(suggestion, score=first.score))
    return [one for suggestion in suggestions for one in (suggestion, *behind.get(suggestion.paper.id, ()))]


def _credited(text: str) -> Iterator[tuple[str, Group]]:
    """Each printed citation by author and year with the words before it, or if there are none, after it."""
    markers = find(text)
    for number, marker in enumerate(markers):
        before = text[markers[number - 1].end if number else 0 : marker.start]
        following = markers[number + 1].start if number + 1 < len(markers) else len(text)
        words = before if len(stems(before)) > 1 and not marker.in_text else text[marker.end : following]
        for group in marker.groups:
            yield words, group
