"""Says of suggested papers that they were retracted, withdrawn or doubted after they appeared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citewhy.base.records import Notice, NoticeKind, Paper, Reason, Suggestion
from citewhy.papers.library.notices import standing
from citewhy.papers.library.store import Library
from citewhy.text.taken_back import TAKEN_BACK, mark_in

_SAID: dict[NoticeKind, str] = {
    "retracted": "was retracted",
    "withdrawn": "was withdrawn",
    "concern": "was doubted by its publisher",
}


def with_notices(library: Library, suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """The suggestions, with what the library knows of papers that were taken back or doubted, behind the
    first reason: as a reason of the kind of the notice, without weight. Corrections are not mentioned."""
    found = library.notices([suggestion.paper for suggestion in suggestions])
    return [
        _with(suggestion, said) if (said := _said(suggestion.paper, notices)) else suggestion
        for suggestion, notices in zip(suggestions, found, strict=True)
    ]


def not_taken_back(library: Library, suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """The suggestions `with_notices`, without those that were retracted or withdrawn."""
    noticed = with_notices(library, suggestions)
    return [one for one in noticed if TAKEN_BACK.isdisjoint(reason.kind for reason in one.reasons)]


def _with(suggestion: Suggestion, said: Reason) -> Suggestion:
    first, *others = suggestion.reasons
    return replace(suggestion, reasons=(first, said, *others))


def _said(paper: Paper, notices: Sequence[Notice]) -> Reason | None:
    stand = standing(notices)
    for kind, text in _SAID.items():
        if notice := stand.get(kind):
            sure = "" if notice.is_by_number else "as title and year say"
            facts = ", ".join(filter(None, [notice.facts, sure]))
            return Reason(kind, f"{text}: {facts}" if facts else text)
    if marked := mark_in(paper.title):
        return Reason(marked, f"{_SAID[marked]}, as its title says")
    return None
