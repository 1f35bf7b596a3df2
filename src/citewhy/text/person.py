"""The parts of a person's name: "First Last" inside, "Last, First" in most foreign formats."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Name", "can_invert", "from_inverted", "is_suffix", "parts"]

_SUFFIX = re.compile(r"(?:[JS]r|JR|SR)\.?|II|III|IV|PhD|Ph\.D\.")
"""Case matters: Ii is a family name."""
_PARTICLES = frozenset(
    ("van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "du", "la", "le", "ten", "ter",
     "zu", "zur", "af", "bin", "ibn", "el", "al")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Name:
    """``Name("Jan", "Berg", particle="van der")``; the parts in reading order are the whole name."""

    given: str
    family: str
    particle: str = ""
    suffix: str = ""

    def __str__(self) -> str:
        return " ".join(" ".join((self.given, self.particle, self.family, self.suffix)).split())


def parts(name: str) -> Name:
    """Splits "First von Last Jr." at its last word, particles and suffix apart.

    A family name of several words without a particle cannot be told from a middle name: its last word counts.

    >>> parts("Jan van der Berg")
    Name(given='Jan', family='Berg', particle='van der', suffix='')
    """
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
    """Whether "Last, First" can say this name: not where it has commas of its own ("Amazon.com, Inc.")."""
    head, comma, tail = name.partition(",")
    own_comma = comma and not (head.strip() and is_suffix(tail.strip()))
    return not own_comma and not is_suffix(parts(name).given)


def from_inverted(name: str) -> str:
    """ "Last, First" or "Last, First, Jr." as "First Last Jr."; a name without a comma stays as it is."""
    family, *rest = (part.strip() for part in name.split(","))
    if len(rest) == 1 and is_suffix(rest[0]):
        return f"{family} {rest[0]}"
    return " ".join(" ".join((*rest[:1], family, *rest[1:])).split())
