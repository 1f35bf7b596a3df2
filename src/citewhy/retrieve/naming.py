"""Finds papers that a sentence names, by their authors or by the name of a system or data set that they
introduce."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewhy.index.arrays import Rows
from citewhy.index.engine import Index
from citewhy.text.system_names import names_in
from citewhy.text.tokens import fold

__all__ = ["Named", "capitalised", "named_in"]

_MARKER = re.compile(r"\b(?:TARGETCIT|OTHERCIT)\b")
_WORD = re.compile(r"[^\W\d_][\w'’\-]*")
_YEAR = re.compile(r"\b(1[89]\d\d|20\d\d)\b")

_BEFORE = 5
"""Number of words before a citation among which the name of its author is searched."""


@dataclass(frozen=True, slots=True)
class Named:
    """The papers that a sentence names, as rows in ascending order."""

    first_authors: Rows
    """Papers whose first author's surname is a word of the sentence."""
    authors: Rows
    """Papers with any author whose surname is a word of the sentence."""
    authors_before: Rows
    """Papers whose first author's surname is among the few words before the open citation."""
    introduced: Rows
    """Papers whose title or abstract introduces a name that is a word of the sentence."""
    years: frozenset[int]


def named_in(index: Index, text: str) -> Named:
    """The papers that the sentence `text` names. ``TARGETCIT`` in it marks the open citation."""
    before = text.partition("TARGETCIT")[0] if "TARGETCIT" in text else ""
    plain = _MARKER.sub(" ", text)
    names = capitalised(plain)
    return Named(
        first_authors=index.named("first author", names),
        authors=index.named("author", names),
        authors_before=index.named("first author", capitalised(" ".join(before.split()[-_BEFORE:]))),
        introduced=index.named("introduced", names_in(plain)),
        years=frozenset(map(int, _YEAR.findall(plain))),
    )


def capitalised(text: str) -> list[str]:
    """Words that may be surnames, in folded form (`text.tokens.fold`), without possessive endings."""
    found = dict.fromkeys(
        fold(re.sub(r"['’]s$", "", word))
        for word in _WORD.findall(text)
        if word[0].isupper() and len(word) > 1
    )
    return list(found)
