"""The parts of a person's name: records have "First Last", most file formats "Last, First"."""

from __future__ import annotations

import re

from citewhy.base.records import Name

_SUFFIX = re.compile(r"(?:[JS]r|JR|SR)\.?|II|III|IV|PhD|Ph\.D\.")
"""Case-sensitive: Ii is a family name."""
_PARTICLES = frozenset(
    ("van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "du", "la", "le", "ten", "ter",
     "zu", "zur", "af", "bin", "ibn", "el", "al")
)  # fmt: skip


def parts(name: str) -> Name:
    """The parts of a name: those that are known (`Name`), or a guess from "First von Last Jr.".

    A guess takes the last word for the family name, without particles and suffix. A family name of several
    words without a particle counts as a middle name and a family name.

    >>> parts("Jan van der Berg").family, parts("Jan van der Berg").particle
    ('Berg', 'van der')
    """
    if isinstance(name, Name):
        return name
    words = name.replace(",", " ").split()
    suffix = words.pop() if len(words) > 1 and is_suffix(words[-1]) else ""
    family = words.pop() if words else ""
    start = len(words)
    while start > 0 and words[start - 1] in _PARTICLES:
        start -= 1
    return Name(" ".join(words[:start]), family, " ".join(words[start:]), suffix)


def is_suffix(word: str) -> bool:
    """Whether a part of a name is "Jr.", "III" or the like."""
    return _SUFFIX.fullmatch(word) is not None


def can_invert(name: str) -> bool:
    """Whether a name can be written as "Last, First": not if it is one whole, or has commas itself
    ("Amazon.com, Inc.")."""
    if isinstance(name, Name):
        return not name.is_literal
    head, comma, tail = name.partition(",")
    own_comma = comma and not (head.strip() and is_suffix(tail.strip()))
    return not own_comma and not is_suffix(parts(name).given)


def from_inverted(name: str) -> str:
    """Turns "Last, First" and "Last, First, Jr." into "First Last Jr."; other names stay as they are."""
    family, *rest = (part.strip() for part in name.split(","))
    if len(rest) == 1 and is_suffix(rest[0]):
        return f"{family} {rest[0]}"
    return " ".join(" ".join((*rest[:1], family, *rest[1:])).split())
