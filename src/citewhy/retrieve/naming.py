"""Papers that a sentence names: by their authors, their year, or the name of what they introduce."""

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
"""Words before a citation among which its author is looked for."""


@dataclass(frozen=True, slots=True)
class Named:
    """Rows of papers, ascending."""

    first_authors: Rows
    """Whose first author's surname is a word of the sentence."""
    authors: Rows
    """The same for any author."""
    authors_before: Rows
    """Whose first author's surname stands just before the citation that is asked for."""
    introduced: Rows
    """Whose title or abstract introduces a name that is a word of the sentence."""
    years: frozenset[int]


def named_in(index: Index, text: str) -> Named:
    """`text`: the sentence, in which ``TARGETCIT`` may stand for the citation that is asked for."""
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
    """Words that may be surnames, folded; possessives without their ending."""
    found = dict.fromkeys(
        fold(re.sub(r"['’]s$", "", word))
        for word in _WORD.findall(text)
        if word[0].isupper() and len(word) > 1
    )
    return list(found)
