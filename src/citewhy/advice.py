"""From a draft to answers, unit by unit."""

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
    soon as it is found.

    `year` None: the draft's own, else everything is known; `threshold` as for `Recommender.suggest`.
    """
    questions = DraftQuestions.of(recommender.library, manuscript, year, recommender.index)
    keys = _Keys(manuscript, questions)
    for unit in units_of(manuscript, units):
        found = suggest_by_key(recommender, questions.query(unit), unit.undefined, k, threshold)
        yield replace(unit, suggestions=tuple(map(keys.named, found)))


class _Keys:
    """The key of each suggested paper: the draft's own, defined or not, or a new one that the draft does not
    use; the same wherever the paper is suggested."""

    def __init__(self, manuscript: Manuscript, questions: DraftQuestions) -> None:
        self._keys = {paper_id: key for key, paper_id in reversed(list(questions.papers.items()))}
        self._taken = {reference.key for reference in manuscript.references} | _cited(manuscript)

    def named(self, suggestion: Suggestion) -> Suggestion:
        paper = suggestion.paper
        if paper.id not in self._keys:
            self._keys[paper.id] = suggestion.for_key or new_key(paper, self._taken)
            self._taken.add(self._keys[paper.id])
        return replace(suggestion, key=self._keys[paper.id])


def _cited(manuscript: Manuscript) -> set[str]:
    """All keys that the text has, defined or not."""
    return {
        key
        for paragraph in manuscript.paragraphs
        for sentence in paragraph.sentences
        for marker in sentence.markers
        for key in marker.keys
    }
