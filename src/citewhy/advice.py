"""Suggests papers for each unit of a draft."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from citewhy.manuscript.keys import new_key
from citewhy.pipeline import Recommender
from citewhy.questions import DraftQuestions, units_of
from citewhy.records import Advice, Manuscript, Suggestion, Unit
from citewhy.undefined_keys import suggest_by_key

__all__ = ["advise"]


def advise(
    recommender: Recommender,
    manuscript: Manuscript,
    k: int,
    year: int | None = None,
    threshold: float | None = None,
    units: Sequence[Unit] = ("place",),
) -> Iterator[Advice]:
    """The best `k` papers for each of the draft's `units` (`questions.units_of`), in reading order, each as
    soon as it is ready.

    `year` None: the year of the draft, if it has one, otherwise no limit. `threshold` as for
    `Recommender.suggest`.
    """
    questions = DraftQuestions.of(recommender.library, manuscript, year, recommender.index)
    keys = _Keys(manuscript, questions)
    for unit in units_of(manuscript, units):
        found = suggest_by_key(recommender, questions.query(unit), unit.undefined, k, threshold)
        yield replace(unit, suggestions=tuple(map(keys.with_key, found)))


class _Keys:
    """Assigns each suggested paper a citation key: that of the draft, even if undefined there, or a new key
    that the draft does not use. A paper has the same key wherever it is suggested."""

    def __init__(self, manuscript: Manuscript, questions: DraftQuestions) -> None:
        self._keys = {paper_id: key for key, paper_id in reversed(list(questions.papers.items()))}
        self._taken = {reference.key for reference in manuscript.references} | _cited(manuscript)

    def with_key(self, suggestion: Suggestion) -> Suggestion:
        paper = suggestion.paper
        if paper.id not in self._keys:
            self._keys[paper.id] = suggestion.for_key or new_key(paper, self._taken)
            self._taken.add(self._keys[paper.id])
        return replace(suggestion, key=self._keys[paper.id])


def _cited(manuscript: Manuscript) -> set[str]:
    """All keys in the text, defined or undefined."""
    return {
        key
        for paragraph in manuscript.paragraphs
        for sentence in paragraph.sentences
        for marker in sentence.markers
        for key in marker.keys
    }
