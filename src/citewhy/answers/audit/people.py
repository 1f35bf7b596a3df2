"""Whether two lists of authors name the same people: initials, diacritics, transliterations, particles and
the order of a name's parts make no difference."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import OSA

from citewhy.base.records import Name
from citewhy.text.names import latin, without_umlauts
from citewhy.text.person import NOBODY, PARTICLES, is_organisation, is_suffix, parts

_WORD = re.compile(r"[^\W\d_]+")
_MARKS = re.compile(r"\\[A-Za-z]\s|[\\`'´’^~\"]|\s\d{4}$|(?<!\s)\s++and$")
"""Accents that were left over from TeX, apostrophes, DBLP's numbers of people of one name."""
_GARBLED = re.compile(r"�|\?\?")
"""Letters that a program could not read."""
_INVERTED = re.compile(r"(?=.*[^\W\d_][a-zß-ÿ])(.*)\s([A-Z]{1,3})")
"""A surname with initials behind it: ``McKenna A``."""
_REST = re.compile(r"(?:et\.?\s*al|al\.?,?\s*et)\b\.?", re.IGNORECASE)
_TRANSLITERATED = (
    ("shch", "sh"), ("sch", "sh"), ("tch", "ch"), ("kh", "h"), ("ts", "c"), ("tz", "c"), ("zh", "j"),
    ("ph", "f"), ("ks", "x"), ("ck", "k"), ("ae", "a"), ("oe", "o"), ("ue", "u"), ("ou", "u"), ("iy", "i"),
    ("yi", "i"),
    ("ii", "i"), ("y", "i"), ("j", "i"), ("w", "v"), ("q", "k"), ("dz", "z"),
)  # fmt: skip
"""Letters that are written in several ways when a name comes from another alphabet."""

_TYPING_ERROR = 1
_LONG = 6
"""Letters of a surname from which one wrong letter is a misspelling of it, not another name."""


class _Person(NamedTuple):
    family: frozenset[str]
    """The words of the surname."""
    words: frozenset[str]
    """All words of the name of two letters or more."""
    initials: frozenset[str]
    """The first letters of the words that may be given names."""
    together: str
    """All words of the name, particles as well, as one."""
    garbled: bool
    """Whether some of its letters could not be read."""


def shown(authors: Sequence[str], most: int = 4) -> str:
    """The names as a line shows them."""
    names = ", ".join(authors[:most])
    return f"{names} and {len(authors) - most} more" if len(authors) > most else names


@lru_cache(maxsize=16384)
def _plain(word: str) -> str:
    text = without_umlauts(word)
    for written, letter in _TRANSLITERATED:
        text = text.replace(written, letter)
    return re.sub(r"(.)\1", r"\1", text)


@lru_cache(maxsize=16384)
def _person(name: str) -> _Person:
    text = _read(str(name))
    family_text = (name.family if isinstance(name, Name) else "") or parts(text).family or text
    if inverted := _INVERTED.fullmatch(text):
        text = f"{' '.join(inverted[2])} {inverted[1]}"
        family_text = inverted[1]
    every = _words(text)
    family = _words(_read(family_text)) or every[-1:]
    given = [word for word in every if word not in family]
    initials = {word[0] for word in given}
    for word in given:  # "JD Lee", "Kyung-Hyun", "PhilipHS"
        if len(word) < 4:
            initials |= set(word)
    return _Person(
        frozenset(map(_plain, family)),
        frozenset(_plain(word) for word in every if len(word) > 1),
        frozenset(_plain(letter) for letter in initials),
        _plain("".join(_WORD.findall(latin(text)))),
        bool(_GARBLED.search(text)),
    )


def _read(text: str) -> str:
    """A name without what is none of its letters."""
    composed = unicodedata.normalize("NFC", _MARKS.sub("", text))
    return "".join(letter for letter in composed if not unicodedata.combining(letter))


def _words(text: str) -> list[str]:
    """The words of a name, folded, without suffix and without particles in small letters."""
    found = _WORD.findall(text)
    kept = [word for word in found if word not in PARTICLES and not is_suffix(word.upper())] or found
    return [word for whole in kept for word in _WORD.findall(latin(whole))]


def same_person(one: str, other: str) -> bool:
    """Whether two names may be one person's.

    >>> same_person("J. Müller", "Jürgen Mueller"), same_person("Wang Yining", "Yining Wang")
    (True, True)
    >>> same_person("Jan van der Berg", "J. Berg"), same_person("Ann Lee", "Bo Lee")
    (True, False)
    """
    return _same(_person(one), _person(other))


def _same(ours: _Person, theirs: _Person) -> bool:
    if (ours.words == theirs.words and ours.words) or ours.garbled or theirs.garbled:
        return True
    if ours.family & theirs.family:
        return not ours.initials or not theirs.initials or bool(ours.initials & theirs.initials)
    if (ours.family & theirs.words and theirs.family & ours.words) or len(ours.words & theirs.words) > 1:
        return True
    together = "".join(sorted(ours.words)), "".join(sorted(theirs.words))
    return bool(ours.words) and (together[0] == together[1] or ours.together == theirs.together)


def _misspelt(one: str, other: str) -> bool:
    """Whether two names differ by a letter of a long surname, or only in the initials of given names."""
    ours, theirs = _person(one), _person(other)
    if ours.family & theirs.family:
        return True
    return any(
        OSA.distance(mine, yours, score_cutoff=_TYPING_ERROR) <= _TYPING_ERROR
        for mine in ours.family
        for yours in theirs.family
        if min(len(mine), len(yours)) >= _LONG
    ) and bool(ours.initials & theirs.initials or not ours.initials or not theirs.initials)


class Agreement(NamedTuple):
    """How two lists of authors compare."""

    kind: str
    """``same``; ``none``: nothing in common; ``part``: one lists some of the other's people; ``order``;
    ``names``: some of the people are others; ``unclear``: a list is empty, or is of organisations."""
    shared: int = 0
    ours: tuple[str, ...] = ()
    """Names of the entry that are none of the library's."""
    theirs: tuple[str, ...] = ()


def compare(
    entry: Sequence[str], known: Sequence[str], *, rest: bool = False, known_rest: bool = False
) -> Agreement:
    """Compares the authors of an entry with those that are known; `rest` and `known_rest` say that a list
    goes on with others who are not named."""
    ours, our_rest = _people(entry)
    theirs, their_rest = _people(known)
    found = _compared(ours, theirs, rest or our_rest, known_rest or their_rest)
    if found.kind in ("part", "names") and len(once := _each_once(theirs)) < len(theirs):
        again = _compared(ours, once, rest or our_rest, known_rest or their_rest)
        found = again if again.kind == "same" else found
    return found


def _people(names: Sequence[str]) -> tuple[list[str], bool]:
    """The names of people, and whether something stands for others."""
    kept = [name for name in names if name.lower().strip() not in NOBODY]
    people = [name for name in kept if not _REST.fullmatch(name.strip())]
    return people, len(people) < len(kept)


def _each_once(names: Sequence[str]) -> list[str]:
    """The names without those of somebody who is named before."""
    return [
        name
        for number, name in enumerate(names)
        if not any(same_person(name, earlier) for earlier in names[:number])
    ]


def _compared(ours: Sequence[str], theirs: Sequence[str], rest: bool, known_rest: bool) -> Agreement:
    if not ours or not theirs or any(map(_is_group, (*ours, *theirs))):
        return Agreement("unclear")
    pairs = _matched(ours, theirs)
    alone = tuple(name for number, name in enumerate(ours) if number not in pairs)
    missing = tuple(name for number, name in enumerate(theirs) if number not in pairs.values())
    shared = len(pairs)
    if not shared:
        return Agreement("none", 0, alone, missing)
    if not alone and not missing:
        ordered = list(pairs.values()) == sorted(pairs.values())
        return Agreement("same" if ordered else "order", shared)
    if not alone:
        return Agreement("same" if rest else "part", shared, (), missing)
    if not missing:
        extra = min(number for number in range(len(ours)) if number not in pairs)
        return Agreement("same" if known_rest or extra >= shared else "names", shared, alone, ())
    if (rest and len(alone) == 0) or (known_rest and len(missing) == 0):
        return Agreement("same", shared)
    return Agreement("names", shared, alone, missing)


def _matched(ours: Sequence[str], theirs: Sequence[str]) -> dict[int, int]:
    """The place among `theirs` of each of `ours` that is there: at the same place if it can be."""
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    people = [_person(name) for name in theirs]
    for number, name in enumerate(ours):
        mine = _person(name)
        near = sorted(range(len(people)), key=lambda place: abs(place - number))
        place = next((place for place in near if place not in taken and _same(mine, people[place])), None)
        if place is not None:
            pairs[number] = place
            taken.add(place)
    return pairs


def misspelt_only(agreement: Agreement) -> bool:
    """Whether the names that differ are misspellings of each other, name by name."""
    pairs = list(zip(agreement.ours, agreement.theirs, strict=False))
    return len(agreement.ours) == len(agreement.theirs) and all(_misspelt(*pair) for pair in pairs)


def _is_group(name: str) -> bool:
    return (isinstance(name, Name) and name.is_literal and " " in name) or is_organisation(name)
