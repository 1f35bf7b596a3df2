"""Names of people, titles and venues as normalised keys that can be compared."""

from __future__ import annotations

import re

from citewhy.text.tokens import fold, words

__all__ = ["author_key", "surname", "title_key", "venue_key"]

_SUFFIX = re.compile(r"^(jr|sr|ii|iii|iv|phd)\.?$")
_VENUE_NOISE = re.compile(
    r"""\w*\d\w*  # years, volumes, "40th"
    |(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-?\w+)?
    |first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\w+teenth|\w+tieth
    |annual|proceedings|volume|long|short|papers?|main|conference|of|the|on|in|and|for|at""",
    re.VERBOSE,
)
"""Words that distinguish one year's volume of a venue from the next, and words without information."""

_VENUE_WORD = re.compile(r"[\w-]+")

_PARTICLES = frozenset(
    {
        "van",
        "von",
        "der",
        "den",
        "de",
        "del",
        "della",
        "di",
        "da",
        "dos",
        "du",
        "la",
        "le",
        "ten",
        "ter",
        "el",
        "al",
        "bin",
        "ibn",
    }
)


def surname(name: str) -> str:
    """The folded family name of "First Last" or "Last, First", without particles.

    >>> surname("Jan van der Berg"), surname("Boyd-Graber, Jordan"), surname("Martin Luther King, Jr.")
    ('berg', 'boyd-graber', 'king')
    """
    head, comma, tail = name.partition(",")
    if comma and not _SUFFIX.match(fold(tail).strip()):
        parts = fold(head).split()
    else:
        parts = fold(head).split()
        while len(parts) > 1 and _SUFFIX.match(parts[-1]):
            parts.pop()
        parts = parts[-1:]
    kept = [part for part in parts if part not in _PARTICLES] or parts
    return " ".join(kept).strip(".,;")


def author_key(name: str) -> str:
    """A key for a person: folded surname and first initial, such as ``manning_c``."""
    head, comma, tail = name.partition(",")
    first = fold(tail if comma else head).split()
    return f"{surname(name)}_{first[0][:1] if first else ''}"


def title_key(title: str) -> str:
    """A key for a title: its folded words; empty if it has no Latin letter or digit."""
    return " ".join(words(title))


def venue_key(venue: str) -> str:
    """A key for a venue, the same for all its years: folded words without years, ordinals and function words.

    >>> venue_key("Proceedings of the 40th Annual Meeting of the Association for Computational Linguistics")
    'meeting association computational linguistics'
    """
    return " ".join(word for word in _VENUE_WORD.findall(fold(venue)) if not _VENUE_NOISE.fullmatch(word))
