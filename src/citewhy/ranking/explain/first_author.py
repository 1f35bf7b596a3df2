"""The first author of a paper, if a sentence names it, as a reason.

Ranking compares words: "Young children" and "King Lear" have the surnames of Young and King. What is said
must be so: where the word may as well be a part of another name, only the word is claimed; an ordinary word
that has its capital by its place is not mentioned.
"""

from __future__ import annotations

import re

from citewhy.base.records import Paper
from citewhy.text.markers import OTHER, TARGET
from citewhy.text.names import surname
from citewhy.text.ordinary_words import begins, ordinary_words
from citewhy.text.tokens import fold

_TOKEN = re.compile(r"[^\W\d_][\w'’\-]*|[^\w\s]")
_POSSESSIVE = re.compile(r"['’]s?$")
_CITATIONS = frozenset({TARGET, OTHER})
_JOINING = frozenset({"and", "&", "et"}) | _CITATIONS
"""Matches what follows a name: "Young and Lee", "Young et al.", and a citation."""


def first_author_in(text: str, paper: Paper, around: str = "") -> str:
    """Says that the sentence `text` names the first author of `paper`; or, where a sentence begins with this
    word or the word is a part of a longer name, that it has it. Empty if it has no such word with a capital,
    or the capital says nothing (`ordinary_words` of the text and what is `around` it).

    >>> lear = Paper("a", "Kings", authors=("John N. King", "Ann Lee"))
    >>> first_author_in("as King and Lee show", lear)
    'the sentence names its first author, John N. King'
    >>> first_author_in("the end of King Lear", lear)
    'the sentence has the word “King”, the surname of its first author, John N. King'
    """
    name = paper.authors[0] if paper.authors else ""
    first = surname(name) if name else ""
    if not first or first in ordinary_words(text, around):
        return ""
    others = frozenset(map(surname, paper.authors[1:]))
    tokens = _TOKEN.findall(text)
    written = ""
    for position, token in enumerate(tokens):
        if first not in _names(token):
            continue
        if _is_a_name(tokens, position, others):
            return f"the sentence names its first author, {name}"
        written = written or _POSSESSIVE.sub("", token)
    if not written:
        return ""
    return f"the sentence has the word “{written}”, the surname of its first author, {name}"


def _names(token: str) -> tuple[str, ...]:
    """The surnames, folded, that a word with a capital may be: itself, or each of "Benjamini-Hochberg"."""
    if not token[0].isupper() or token in _CITATIONS or len(token) < 2:
        return ()
    word = _POSSESSIVE.sub("", token)
    parts = word.split("-")
    several = parts if len(parts) > 1 and all(part[:1].isupper() for part in parts) else []
    return tuple(map(fold, (word, *several)))


def _is_a_name(tokens: list[str], position: int, others: frozenset[str]) -> bool:
    """Whether the word can hardly be anything but the name of a person."""
    following = tokens[position + 1] if position + 1 < len(tokens) else ""
    if following in _JOINING or _POSSESSIVE.search(tokens[position]):
        return True
    if begins(tokens, position):
        return False
    return not following[:1].isupper() or fold(_POSSESSIVE.sub("", following)) in others
