"""Names of people, titles and venues as normalised keys that can be compared."""

from __future__ import annotations

import re
from functools import lru_cache

from citewhy.text.tokens import fold, words

_SUFFIX = re.compile(r"^(jr|sr|ii|iii|iv|phd)\.?$")
_NOT_OF_KEYS = re.compile(r"[^a-z0-9]+")
_VENUE_NOISE = re.compile(
    r"""(?=[^\W\d]*\d)\w+  # years, volumes, "40th"
    |(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-?\w+)?
    |first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\w+teenth|\w+tieth
    |annual|proceedings|volume|long|short|papers?|main|conference|of|the|on|in|and|for|at""",
    re.VERBOSE,
)
"""Words that distinguish one year's volume of a venue from the next, and words without information."""

_VENUE_WORD = re.compile(r"[\w-]+")

_UNDECOMPOSED = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
)
"""Latin letters that Unicode does not decompose into a base letter and an accent."""

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


def key_form(text: str) -> str:
    """A name or a word as citation keys write it: lower-case ASCII letters and digits only.

    >>> key_form("Boyd-Graber"), key_form("Søgaard")
    ('boydgraber', 'sogaard')
    """
    if text.isascii() and text.isalnum():  # most names
        return text.lower()
    return _NOT_OF_KEYS.sub("", latin(text))


def latin(text: str) -> str:
    """The folded text with plain letters for those that have no accent to remove: ``sogaard`` for Søgaard."""
    folded = fold(text)
    return folded if folded.isascii() else folded.translate(_UNDECOMPOSED)


def key_surnames(name: str) -> tuple[str, ...]:
    """The forms that the surname in "First Last" may have in a citation key: alone, with its particles or
    suffix, with the name before it, which may be a part of the surname, and its first word alone.

    >>> key_surnames("Jan van der Berg"), key_surnames("Gabriel García Márquez")
    (('berg', 'vanderberg', 'van'), ('marquez', 'garciamarquez'))
    """
    parts = fold(name).replace(",", " ").split() or [""]
    last = len(parts) - 1
    while last > 0 and _SUFFIX.match(parts[last]):
        last -= 1
    first = last
    while first > 0 and parts[first - 1] in _PARTICLES:
        first -= 1
    beginning = "" if first == last else parts[first]
    if "-" in parts[last]:
        beginning = beginning or parts[last].partition("-")[0]
    if first == last > 1:  # a surname of two words, or a middle name
        first -= 1
    family = surname(name) if "," in name else parts[last]
    forms = (family, "".join(parts[first : last + 1]), "".join(parts[last:]), beginning)
    return tuple(dict.fromkeys(filter(None, map(key_form, forms))))


def title_key(title: str) -> str:
    """A key for a title: its folded words; empty if it has no Latin letter or digit."""
    return " ".join(words(title))


@lru_cache(maxsize=4096)  # many papers of one venue follow each other
def venue_key(venue: str) -> str:
    """A key for a venue, the same for all its years: folded words without years, ordinals and function words.

    >>> venue_key("Proceedings of the 40th Annual Meeting of the Association for Computational Linguistics")
    'meeting association computational linguistics'
    """
    return " ".join(word for word in _VENUE_WORD.findall(fold(venue)) if not _VENUE_NOISE.fullmatch(word))
