"""What a completion, a hover and an action show of a paper."""

from __future__ import annotations

from collections.abc import Sequence

from citewhy.answers.completing import Completion
from citewhy.base.records import Manuscript, Paper, Suggestion
from citewhy.doors.present.as_text import authors, sure
from citewhy.doors.present.lines import located

_ABSTRACT = 1200
"""Characters of an abstract that are shown."""


def detail(paper: Paper) -> str:
    """One line: authors, year and title."""
    facts = [authors(paper), "" if paper.year is None else str(paper.year), paper.title]
    return ". ".join(fact for fact in facts if fact)


def filter_text(completion: Completion) -> str:
    """What editors compare with the letters that are typed: what matched comes first."""
    paper = completion.paper
    words = [completion.matched, completion.key, *paper.authors, str(paper.year or ""), paper.title]
    return " ".join(word for word in words if word)


def about(paper: Paper, suggestion: Suggestion | None = None, manuscript: Manuscript | None = None) -> str:
    """A paper in Markdown: what it is, why it is suggested, the passage, the abstract, and where the draft
    cites it."""
    head = [f"**{escaped(paper.title or paper.id)}**"]
    facts = [authors(paper), "" if paper.year is None else str(paper.year), paper.venue]
    head.append(escaped(". ".join(fact for fact in facts if fact)))
    parts = ["  \n".join(line for line in head if line)]
    if suggestion is not None:
        probability = suggestion.probability
        lines = [f"{probability:.0%} sure"] if probability is not None and sure(suggestion) != "key" else []
        lines += [reason.text for reason in suggestion.reasons]
        parts.append("\n".join(f"- {escaped(line)}" for line in lines))
        parts += [f"> {escaped(passage.text)}" for passage in suggestion.passages[:1]]
    if paper.abstract:
        parts.append(escaped(paper.abstract[:_ABSTRACT] + ("…" if len(paper.abstract) > _ABSTRACT else "")))
    if paper.doi:
        parts.append(f"<https://doi.org/{paper.doi}>")
    return "\n\n".join(part for part in parts if part)


def cited_at(manuscript: Manuscript, key: str) -> str:
    """Where a draft cites a key, in Markdown; empty if nowhere."""
    places = [marker.place for marker in manuscript.markers if key in marker.keys]
    if not places:
        return ""
    shown = ", ".join(located(place) for place in places[:5])
    more = f" and {len(places) - 5} more" if len(places) > 5 else ""
    return f"Cited at {escaped(shown)}{more}."


def listed(suggestions: Sequence[Suggestion]) -> str:
    """The first suggestions for a place, in Markdown."""
    lines = []
    for number, suggestion in enumerate(suggestions, 1):
        how = f", {suggestion.probability:.0%} sure" if suggestion.probability is not None else ""
        lines.append(f"{number}. `{suggestion.key}`{how}: {escaped(detail(suggestion.paper))}")
    return "\n".join(lines)


def escaped(text: str) -> str:
    """The text with the signs of Markdown and HTML as they are."""
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>#|~" else sign for sign in " ".join(text.split()))
