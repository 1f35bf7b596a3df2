"""Names of systems, data sets and measures: "GloVe", "BERT", "SQuAD".

A title introduces a name before a colon ("GloVe: Global Vectors …") or in brackets ("Bilingual Evaluation
Understudy (BLEU)"); an abstract introduces one with "called", "named", "we present" and their like. Names are
compared without case, as whole words: "SemBLEU" is not "BLEU".
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from citewhy.text.tokens import STOP_WORDS

MOST_NAMES = 8
"""Names that one paper can introduce."""

_LONGEST = 40

_BEFORE_COLON = re.compile(r"^\s*[\"“'‘]?([^\s:]+)[\"”'’]?\s*[:–—]\s")
_IN_BRACKETS = re.compile(r"\(\s*([^\s()]{2,40})\s*\)")
_INTRODUCED = re.compile(
    r"\b(?:called|named|dubbed|termed|coined|introduces?|presents?|proposes?|describes?|releases?)\s+(?:the\s+|an?\s+)?"
    r"[\"“'‘]?([A-Z][\w+\-./@]*|[a-z]+[A-Z][\w+\-]*)"
)
_WORD = re.compile(r"[^\W_][\w+\-./@]*")


def introduced_names(title: str, abstract: str = "", titled: Iterable[str] | None = None) -> tuple[str, ...]:
    """The names that a paper with this title and abstract introduces, folded, at most `MOST_NAMES`, those
    of the title first. `titled`: those of the title (`title_names`), where they are known.

    >>> introduced_names("GloVe: Global Vectors for Word Representation")
    ('glove',)
    >>> introduced_names("A Survey of Parsing", "We present SuperParse, a parser.")
    ('superparse',)
    """
    names = dict.fromkeys(title_names(title) if titled is None else titled)
    for match in _INTRODUCED.finditer(abstract):
        if is_marked(match[1]):
            names[_folded(match[1])] = None
    return _usable(names)


def title_names(title: str) -> tuple[str, ...]:
    """The names that the title alone introduces, folded."""
    names: dict[str, None] = {}
    head = _BEFORE_COLON.match(title)
    if head and _looks_like_a_name(head[1]):
        names[_folded(head[1])] = None
    for match in _IN_BRACKETS.finditer(title):
        if _looks_like_a_name(match[1]):
            names[_folded(match[1])] = None
    return _usable(names)


def spellings(sentence: str) -> dict[str, str]:
    """Finds words of a sentence that may be names: those with a capital letter or a digit within, function
    words aside. Maps each, folded and in reading order, to how it is first written."""
    written: dict[str, str] = {}
    for word in _words(sentence):
        if _may_be_named(word):
            written.setdefault(_folded(word), word)
    return written


def is_marked(word: str) -> bool:
    """A second capital, or a digit: in running text a first capital alone is the start of any noun."""
    return sum(letter.isupper() for letter in word) > 1 or any(letter.isdigit() for letter in word)


def marked_names(sentence: str) -> list[str]:
    """The `spellings` of a sentence that only names have (`is_marked`), but none that begins with a digit:
    numbers and measures.

    >>> marked_names("In the 2000s, GloVe and BERT had 300-d vectors.")
    ['GloVe', 'BERT']
    """
    return [name for name in spellings(sentence).values() if is_marked(name) and name[0].isalpha()]


def _usable(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name in names if 2 <= len(name) <= _LONGEST and name not in STOP_WORDS)[:MOST_NAMES]


def _words(text: str) -> Iterable[str]:
    return (match[0].rstrip(".-/") for match in _WORD.finditer(text))


def _folded(name: str) -> str:
    return name.strip(".,;:\"“”'‘’").casefold()


def _looks_like_a_name(word: str) -> bool:
    """Says whether a word is a name. In a title every word may begin with a capital: a name there has another
    sign, or stands before a colon."""
    return any(letter.isalpha() for letter in word) and not word.islower()


def _may_be_named(word: str) -> bool:
    marked = any(letter.isupper() for letter in word) or any(map(str.isdigit, word))
    return marked and len(word) > 1 and _folded(word) not in STOP_WORDS
