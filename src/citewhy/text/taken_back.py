"""Titles of papers that were taken back, as publishers mark them."""

from __future__ import annotations

import re
from typing import Literal

TAKEN_BACK = frozenset(("retracted", "withdrawn"))
"""Kinds of notices, and of reasons, which say that a paper no longer stands."""

_MARK = re.compile(
    r"\W{0,3}(?P<what>retracted|withdrawn)(?:\s+(?:article|paper|chapter))?\s*[:\])–—-]\s*", re.IGNORECASE
)


def mark_in(title: str) -> Literal["retracted", "withdrawn", ""]:
    """What a publisher wrote before the title of a paper that was taken back; empty for all others.

    >>> mark_in("RETRACTED ARTICLE: Moss on Walls"), mark_in("Retracted papers: a survey")
    ('retracted', '')
    """
    match = _MARK.match(title)
    if match is None:
        return ""
    return "retracted" if match["what"].lower() == "retracted" else "withdrawn"


def without_mark(title: str) -> str:
    """A title without the word that it was taken back.

    >>> without_mark("RETRACTED ARTICLE: Moss on Walls"), without_mark("Retracted papers: a survey")
    ('Moss on Walls', 'Retracted papers: a survey')
    """
    match = _MARK.match(title)
    return title[match.end() :] if match else title
