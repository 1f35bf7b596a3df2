"""Names of people, titles and venues as normalised keys that can be compared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from citewhy.base.records import Name
from citewhy.text.person import PARTICLES
from citewhy.text.tokens import STOP_WORDS, fold, words

_SUFFIXES = frozenset(
    f"{suffix}{dot}" for suffix in ("jr", "sr", "ii", "iii", "iv", "phd") for dot in ("", ".")
)
_NOT_OF_KEYS = re.compile(r"[^a-z0-9]+")
_UMLAUT = re.compile(r"(?<![aeiougq])([aou])e(?=[bcdfghj-np-tv-z])")
"""Two letters that may stand for an umlaut: not in Bauer, Rodriguez, Poe."""

_IN_BRACKETS = re.compile(r"\(([A-Z][\w&-]{1,9})\)")

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


def surname(name: str) -> str:
    """The folded family name of "First Last" or "Last, First", without particles.

    >>> surname("Jan van der Berg"), surname("Boyd-Graber, Jordan"), surname("Martin Luther King, Jr.")
    ('berg', 'boyd-graber', 'king')
    """
    head, comma, tail = name.partition(",")
    parts = fold(head).split()
    if comma and fold(tail).strip() not in _SUFFIXES:
        return " ".join([part for part in parts if part not in PARTICLES] or parts).strip(".,;")
    while len(parts) > 1 and parts[-1] in _SUFFIXES:
        parts.pop()
    return parts[-1].strip(".,;") if parts else ""


def said(name: str) -> tuple[str, ...]:
    """Returns the words, folded, with which a sentence may name somebody: the surname and, where the parts of
    the name are known, the first word of a compound one; of an organisation, its acronym, or its only word.

    >>> said(Name("Gabriel", "García Márquez")), said(Name.literal("World Health Organization"))
    (('marquez', 'garcia'), ('who',))
    """
    if isinstance(name, Name) and name.is_literal:
        return (acronym(name) or fold(name),)
    last = surname(name)
    if not isinstance(name, Name) or not (" " in name.family or name.suffix):
        return (last,)
    first = fold(name.family.split()[0])
    return (last,) if first == last else (last, first)


def citing_authors(authors: Sequence[str]) -> tuple[str, ...]:
    """Returns the authors by one of whom a work is cited: the first, and each organisation, for a work is
    known by the collaboration in whose name people wrote it, wherever that stands among them.

    >>> citing_authors((Name("Nora", "Woods"), Name("Ada", "Hill"), Name.literal("XYZ Collaboration")))
    ('Nora Woods', 'XYZ Collaboration')
    """
    others = (author for author in authors[1:] if isinstance(author, Name) and author.is_literal)
    return (*authors[:1], *others)


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
    """Returns the forms that a surname may have in a citation key: alone, with its particles or suffix, its
    first word alone, and with "u" for the "ue" of Mueller. Of a name whose parts are unknown, the name before
    it, too, which may be a part of the surname; of an organisation, the whole, its acronym, and its words.

    >>> key_surnames("Jan van der Berg"), key_surnames("Gabriel García Márquez")
    (('berg', 'vanderberg', 'van'), ('marquez', 'garciamarquez'))
    >>> key_surnames(Name.literal("World Health Organization"))
    ('worldhealthorganization', 'who', 'organization', 'world', 'health')
    """
    if isinstance(name, Name) and name.is_literal:
        words = significant_words(name)
        forms = ["".join(fold(name).split()), acronym(name), *words[-1:], *words[:-1]]
    elif isinstance(name, Name):
        forms = _of_parts(name)
    else:
        forms = _of_unknown_parts(name)
    surnames = dict.fromkeys(filter(None, map(key_form, forms)))
    return tuple(dict.fromkeys((*surnames, *map(without_umlauts, surnames))))


def _of_parts(name: Name) -> list[str]:
    particle, family = fold(name.particle).split(), fold(name.family).split()
    if name.dropping and not particle:
        particle = fold(name.dropping).split()
    suffix = fold(name.suffix)
    beginning = (particle or family[0].split("-"))[0]
    return [
        family[-1],
        "".join((*particle, *family)),
        "".join(family),
        *((*family[:1], "".join((*particle, *family[:1]))) if len(family) > 1 else ()),
        *((f"{family[-1]}{suffix}",) if suffix else ()),
        beginning,
    ]


def _of_unknown_parts(name: str) -> list[str]:
    parts = fold(name).replace(",", " ").split() or [""]
    last = len(parts) - 1
    while last > 0 and parts[last] in _SUFFIXES:
        last -= 1
    first = last
    while first > 0 and parts[first - 1] in PARTICLES:
        first -= 1
    beginning = "" if first == last else parts[first]
    if "-" in parts[last]:
        beginning = beginning or parts[last].partition("-")[0]
    if first == last > 1:  # a surname of two words, or a middle name
        first -= 1
    family = surname(name) if "," in name else parts[last]
    return [family, "".join(parts[first : last + 1]), "".join(parts[last:]), beginning]


def significant_words(organisation: str) -> list[str]:
    """Returns the folded words of an organisation's name without articles and prepositions.

    >>> significant_words("The Bank of Towns")
    ['bank', 'towns']
    """
    return [word for word in words(latin(organisation)) if word not in STOP_WORDS and word not in PARTICLES]


def acronym(organisation: str) -> str:
    """Returns the initials of an organisation's name, folded: of its significant words, or what it has in
    brackets; empty for a name of one word.

    >>> acronym("International Civil Aviation Organization"), acronym("Fire Brigade (FB)"), acronym("Unesco")
    ('icao', 'fb', '')
    """
    if in_brackets := _IN_BRACKETS.search(organisation):
        return fold(in_brackets[1])
    significant = significant_words(organisation)
    return "".join(word[0] for word in significant) if len(significant) > 1 else ""


def without_umlauts(text: str) -> str:
    """Returns a folded text with one letter for each umlaut of German that is written with two.

    >>> without_umlauts("mueller"), without_umlauts("bauer")
    ('muller', 'bauer')
    """
    return _UMLAUT.sub(r"\1", text)


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
