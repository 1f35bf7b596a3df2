"""Reads citation keys as people and programs write them: ``och2003minimum``, ``devlin-etal-2018-bert``,
``Hu:Zhai:Eidelman-2014``, ``penningtonGloveGlobalVectors2014``, ``DBLP:conf/acl/PapineniRWZ02``, ``BERT``."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from citewhy.base.records import Paper
from citewhy.text.names import key_form
from citewhy.text.tokens import stems

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
"""Pieces of a key: changes between capitals and small letters separate them, and so do digits."""

_LONG_YEAR = re.compile(r"1[6-9]\d\d|20\d\d")
_FIRST_SHORT_YEAR = 40
"""Years of two digits from here on are in the last century."""

_AFTER_YEAR = re.compile(r"[a-h]")
"""The letter that tells apart papers of the same author and year: ``koehn2003b``."""

_TWO_DIGITS = re.compile(r"\d\d")
_WORD = re.compile(r"[^\W\d_]{3,}")

_LONGEST = 300
"""Characters of a key that are read."""

_UMLAUT = re.compile("[aou]e")
"""How umlauts of German are written without their dots: ``schuetze``."""

JOINED = 4
"""Maximum number of pieces that may stand for one name or word together, as in ``van-der-Maaten-Smith``."""

_SHORTEST_PREFIX = 3
"""Minimum number of letters of a surname that is not separated from the next word."""

_ALIKE_SHOWN, _ALIKE = 2, 0.8
"""Keys that an undefined one may have been meant for, and their minimum similarity, as of `difflib`."""


@dataclass(frozen=True, slots=True)
class KeyParts:
    """Says what a key consists of."""

    words: tuple[str, ...]
    """Pieces of letters in their order, in lower case."""
    capitals: frozenset[int]
    """Indices of the pieces that are written in capital letters only: initials, acronyms."""
    years: frozenset[int]
    """The years that it may mean; empty if it has none."""

    def joined(self) -> Iterator[str]:
        """Yields the pieces, and those that may stand for one name or word together."""
        for first in range(len(self.words)):
            for last in range(first + 1, min(first + JOINED, len(self.words)) + 1):
                yield "".join(self.words[first:last])

    def surnames(self) -> Iterator[str]:
        """Yields what may be the surname of the first author, in the form of keys: one or several pieces."""
        yield from self.joined()
        for word in self.words:
            if _UMLAUT.search(word):
                yield _UMLAUT.sub(lambda digraph: digraph[0][0], word)

    def beginnings(self) -> Iterator[str]:
        """Yields what may be that surname with other words directly behind it."""
        for word in self.words[:1]:
            yield from (word[:end] for end in range(_SHORTEST_PREFIX, len(word)))


def key_parts(key: str) -> KeyParts:
    """The parts of a citation key.

    >>> parts = key_parts("devlin-etal-2018-bert")
    >>> parts.words, sorted(parts.years)
    (('devlin', 'etal', 'bert'), [2018])
    >>> key_parts("HuZEB14").words, sorted(key_parts("HuZEB14").years)
    (('hu', 'zeb'), [2014])
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", key[:_LONGEST]) if not unicodedata.combining(c))
    pieces = _PART.findall(plain)
    words: list[str] = []
    capitals: set[int] = set()
    years: set[int] = set()
    after_year = False
    for piece in pieces:
        if piece.isdigit():
            piece_years = _year(piece)
            years.update(piece_years)
            after_year = bool(piece_years)
            continue
        if not (after_year and _AFTER_YEAR.fullmatch(piece)):
            if piece.isupper():
                capitals.add(len(words))
            words.append(key_form(piece))
        after_year = False
    return KeyParts(tuple(words), frozenset(capitals), frozenset(years))


def describes(key: str, paper: Paper) -> bool:
    """Whether a key without a year shares a word with a paper's title or abstract.

    >>> describes("skip-gram-sampling", Paper("p", "Negative sampling"))
    True
    """
    if _TWO_DIGITS.search(key):
        return False
    return not set(stems(f"{paper.title} {paper.abstract}")).isdisjoint(stems(" ".join(_WORD.findall(key))))


def alike_keys(key: str, defined: Iterable[str]) -> list[str]:
    """The keys of a bibliography that an undefined key is nearly written as, the nearest first.

    >>> alike_keys("francois_2015", ["darwin_origin_1859", "francois_how_2015"])
    ['francois_how_2015']
    """
    forms = {key_form(known): known for known in defined}
    return [forms[form] for form in difflib.get_close_matches(key_form(key), forms, _ALIKE_SHOWN, _ALIKE)]


def _year(digits: str) -> tuple[int, ...]:
    if _LONG_YEAR.fullmatch(digits):
        return (int(digits),)
    if len(digits) != 2:
        return ()
    year = int(digits)
    return (1900 + year if year >= _FIRST_SHORT_YEAR else 2000 + year,)
