"""Suggests papers for each unit of a draft."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from citewhy.manuscript.keys import new_key
from citewhy.own_entries import OwnEntries, among
from citewhy.pipeline import Recommender
from citewhy.questions import DraftQuestions, units_of
from citewhy.records import Advice, Manuscript, Only, Query, Suggestion, Unit
from citewhy.undefined_keys import suggest_by_key

__all__ = ["advise"]


def advise(
    recommender: Recommender,
    manuscript: Manuscript,
    k: int,
    year: int | None = None,
    threshold: float | None = None,
    units: Sequence[Unit] = ("place",),
    only: Only | None = None,
) -> Iterator[Advice]:
    """The best `k` papers for each of the draft's `units` (`questions.units_of`), in reading order, each as
    soon as it is ready.

    `year` None: the year of the draft, if it has one, otherwise no limit. `threshold` as for
    `Recommender.suggest`. `only`: papers that the draft's bibliography has (``mine``), or others (``new``).
    """
    questions = DraftQuestions.of(recommender.library, manuscript, year, recommender.index)
    keys = _Keys(manuscript, questions)
    entries = OwnEntries.of(manuscript, questions.papers)
    for unit in units_of(manuscript, units):
        query = questions.query(unit)
        if only == "mine":
            found = _of_bibliography(recommender, query, set(questions.papers.values()), k)
        else:
            if only == "new":
                query = replace(query, excluded_ids=(*query.excluded_ids, *questions.papers.values()))
            found = suggest_by_key(recommender, query, unit.undefined, k, threshold)
        found = list(map(keys.with_key, found))
        own = [] if only == "new" else entries.fitting(unit, query)
        yield replace(unit, suggestions=tuple(among(found, own, k)))


def _of_bibliography(
    recommender: Recommender, query: Query, mine: Collection[str], k: int
) -> list[Suggestion]:
    """The best `k` papers of the draft's own bibliography, however improbable."""

    def choose(ids: Sequence[str]) -> list[str]:
        return [each for each in ids if each in mine][:k]

    return [each for each in recommender.suggest(query, k, first=choose) if each.paper.id in mine]


class _Keys:
    """Assigns each suggested paper a citation key: that of the draft, even if undefined there, or a new key
    that the draft does not use. A paper has the same key wherever it is suggested."""

    def __init__(self, manuscript: Manuscript, questions: DraftQuestions) -> None:
        self._defined = {reference.key for reference in manuscript.references}
        self._keys = {paper_id: key for key, paper_id in reversed(list(questions.papers.items()))}
        self._taken = self._defined | _cited(manuscript)

    def with_key(self, suggestion: Suggestion) -> Suggestion:
        paper = suggestion.paper
        if paper.id not in self._keys:
            self._keys[paper.id] = suggestion.for_key or new_key(paper, self._taken)
            self._taken.add(self._keys[paper.id])
        key = self._keys[paper.id]
        return replace(suggestion, key=key, in_bibliography=key in self._defined)


def _cited(manuscript: Manuscript) -> set[str]:
    """All keys in the text, defined or undefined."""
    return {
        key
        for paragraph in manuscript.paragraphs
        for sentence in paragraph.sentences
        for marker in sentence.markers
        for key in marker.keys
    }
