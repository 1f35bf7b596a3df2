"""From a draft to answers, unit by unit, and from chosen answers to an edit of the draft."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from citewhy.manuscript.edit.fill import add_entries, fill
from citewhy.manuscript.edit.patch import Edit, Patch
from citewhy.manuscript.files import DISK, DraftFiles
from citewhy.manuscript.keys import new_key
from citewhy.pipeline import Recommender
from citewhy.present.as_bibtex import entry
from citewhy.questions import DraftQuestions, units_of
from citewhy.records import Advice, Manuscript, Marker, Paper, Place, Query, Reason, Suggestion, Unit

__all__ = ["Chosen", "advise", "first_choices", "patch"]

Chosen = tuple[Marker, Sequence[Suggestion]]
"""A citation, and the papers that it is to cite."""

_KEY_PARTS = re.compile(r"[^\W\d_]+|\d+")


# Answers --------------------------------------------------------------------------------------------------


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
        found = _by_key(recommender, questions.query(unit), unit.undefined, k, threshold)
        yield replace(unit, suggestions=tuple(map(keys.named, found)))


class _Keys:
    """The key of each suggested paper: the draft's own, or a new one, the same wherever it is suggested."""

    def __init__(self, manuscript: Manuscript, questions: DraftQuestions) -> None:
        self._keys = {paper_id: key for key, paper_id in reversed(list(questions.papers.items()))}
        self._taken = {reference.key for reference in manuscript.references}

    def named(self, suggestion: Suggestion) -> Suggestion:
        paper = suggestion.paper
        if paper.id not in self._keys:
            self._keys[paper.id] = new_key(paper, self._taken)
            self._taken.add(self._keys[paper.id])
        return replace(suggestion, key=self._keys[paper.id])


def _by_key(
    recommender: Recommender, query: Query, undefined: Sequence[str], k: int, threshold: float | None
) -> list[Suggestion]:
    """Suggestions; a paper that an undefined key describes, as ``papineni2002`` does, comes first."""
    if not undefined:
        return recommender.suggest(query, k, threshold=threshold)
    meant: dict[str, str] = {}

    def choose(ids: Sequence[str]) -> list[str]:
        papers = recommender.library.papers(ids)
        for paper_id in ids:
            for key in undefined:
                if paper_id in papers and _reads_like(key, papers[paper_id]):
                    meant[paper_id] = key
        return list(meant)[:k]

    found = recommender.suggest(query, k, first=choose, threshold=threshold)
    return [
        replace(each, reasons=(_key_reason(meant[each.paper.id]), *each.reasons))
        if each.paper.id in meant
        else each
        for each in found
    ]


def _key_reason(key: str) -> Reason:
    return Reason("key", f"your undefined key “{key}” matches its first author and year", 1.0)


def _reads_like(key: str, paper: Paper) -> bool:
    """Does the key hold the first author's surname and the year?"""
    if not paper.authors or paper.year is None:
        return False
    name = new_key(Paper("", "", authors=paper.authors[:1]), ())
    parts = [part.casefold() for part in _KEY_PARTS.findall(key)]
    years = {str(paper.year), f"{paper.year % 100:02d}"}
    return any(part.startswith(name) for part in parts) and not years.isdisjoint(parts)


# Edits ----------------------------------------------------------------------------------------------------


def first_choices(found: Iterable[Advice]) -> list[Chosen]:
    """The first suggestion for each citation that an edit can fill; no paper twice in one sentence.

    A key with a year, as in ``smith2019``, names a paper: it gives way only to one that it reads like.
    """
    chosen: list[Chosen] = []
    cited: set[tuple[Place, str]] = set()
    for advice in found:
        marker, sentence = advice.marker, advice.sentence
        if marker is None or sentence is None or marker.slot is None:
            continue
        fresh = [each for each in advice.suggestions if (sentence.place, each.paper.id) not in cited]
        if any(_names_a_paper(key) for key in advice.undefined):
            fresh = [each for each in fresh if any(reason.kind == "key" for reason in each.reasons)]
        if fresh:
            chosen.append((marker, (fresh[0],)))
            cited.add((sentence.place, fresh[0].paper.id))
    return chosen


def _names_a_paper(key: str) -> bool:
    return any(part.isdigit() and len(part) in (2, 4) for part in _KEY_PARTS.findall(key))


def patch(manuscript: Manuscript, chosen: Iterable[Chosen], files: DraftFiles = DISK) -> Patch:
    """The edit that cites the chosen papers: keys into the markers, new entries into the bibliography.
    `files`: where the draft is."""
    defined = {reference.key for reference in manuscript.references}
    edits: list[Edit] = []
    entries: dict[str, str] = {}
    for marker, suggestions in chosen:
        edits.append(fill(manuscript, marker, [suggestion.key for suggestion in suggestions], files))
        for suggestion in suggestions:
            if suggestion.key not in defined:
                entries.setdefault(
                    suggestion.key, entry(replace(suggestion.paper, abstract=""), suggestion.key)
                )
    edits.extend(add_entries(manuscript, list(entries.values()), files))
    return Patch(edits, manuscript.path, files)
