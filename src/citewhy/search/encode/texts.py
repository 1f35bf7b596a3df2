"""The input texts of encoders: one form for queries and one for papers, wherever vectors are made.

A sentence precedes the title of its paper, since truncation removes the end, which matters least. Nothing but
the abstract itself tells whether a paper has one.
"""

from __future__ import annotations

import re

from citewhy.base.records import Context, Paper, Query
from citewhy.text.sentences import split

_MARKERS = re.compile(r"\b(?:TARGETCIT|OTHERCIT)\b")

_LONGEST = 2000
"""Characters that are used; more than any sentence encoder reads."""

_PART_WORDS = 60
"""With a title, what the built-in encoder reads of a paper."""

_MOST_PARTS = 8


def query_text(query: Query) -> str:
    """A sentence followed by its paper's title; for a whole paper, title and abstract."""
    if query.kind == "global":
        return _text(query.title, query.abstract)
    return _tidy(f"{_MARKERS.sub(' ', query.text)} {query.title}")


def context_text(context: Context) -> str:
    """A citing sentence without its markers: `query_text` without a title."""
    return _tidy(_MARKERS.sub(" ", context.text))


def paper_text(paper: Paper) -> str:
    """Title and abstract."""
    return _text(paper.title, paper.abstract)


def part_texts(paper: Paper) -> list[str]:
    """The title with each part of an abstract of several: whole sentences, up to 60 words (unless one
    sentence has more), at most eight parts. Empty for an abstract of one part, which `paper_text` has."""
    parts: list[list[str]] = [[]]
    words = 0
    for sentence in split(paper.abstract):
        length = len(sentence.split())
        if parts[-1] and words + length > _PART_WORDS:
            parts.append([])
            words = 0
        parts[-1].append(sentence)
        words += length
    if len(parts) == 1:
        return []
    return [_text(paper.title, " ".join(part)) for part in parts[:_MOST_PARTS]]


def _text(title: str, abstract: str) -> str:
    return _tidy(f"{title}. {abstract}" if abstract else title)


def _tidy(text: str) -> str:
    # Tokenizers reject lone surrogates, which damaged files contain.
    whole = text[:_LONGEST].encode("utf-8", "replace").decode("utf-8")
    return " ".join(whole.split())
