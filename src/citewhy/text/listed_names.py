"""Names of people and organisations as fields of records list them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from citewhy.base.records import Name
from citewhy.text.person import from_inverted, is_company, is_suffix
from citewhy.text.tidy import tidy

_OF_ORGANISATIONS = re.compile(
    r"\b(?:universit\w+|institut\w*|organi[sz]ations?|organi[sz]acion|organisation|associations?|committees?"
    r"|commissions?|consortium|collaborations?|societ(?:y|ies)|foundation|ministr(?:y|ies)|ministerio|department"
    r"|agency|council|federation|centers?|centres?|laborator(?:y|ies)|network|groups?|team|initiative|alliance"
    r"|bureau|corporation|museum|academy|congress|parliament|government|nations|investigators"
    r"|programme|authority|administration|hospital|inc\.|ltd|llc|gmbh)(?!\w)",
    re.IGNORECASE,
)
"""Words that names of organisations have, and those of people do not have beside others."""
_JOINED = re.compile(r" (?:of|for|the|and|&|für|et|des) ")
"""Words between others that no family name has."""
_INITIALS = re.compile(r"(?:[^\W\d_]\.?[ -]?){1,4}")
_SMALL = re.compile(r"[^\W\d_]{2,}|[^\W\d_]{1,2}['’]")
"""A particle between names, unlike an initial that a program made small."""
_NOBODY = frozenset({"et al", "et al.", "others", "and others", "...", "…", "anonymous", "[anonymous]"})
_SEPARATED = re.compile(r"\s*[;|]\s*|\s+(?:and|&)\s+")


def person(text: str) -> str:
    """The name in "von Last, First, Jr." with its parts, or an organisation as a whole; a name in reading
    order stays text, as its parts are unknown. Empty for "et al.".

    >>> person("van der Berg, Jan").family, person("World Health Organization").is_literal
    ('Berg', True)
    """
    text = tidy(text)
    if text.lower() in _NOBODY:
        return ""
    family, *rest = [part.strip() for part in text.split(",")]
    rest = [part for part in rest if part]
    if not family:
        return " ".join(rest)
    if _is_organisation(family, rest, text):
        return Name.literal(text.rstrip(" ,"))
    if not rest:
        return family
    if len(rest) > 2:
        return from_inverted(text)
    given, suffix = rest if len(rest) == 2 else ("", rest[0]) if is_suffix(rest[0]) else (rest[0], "")
    return named(given, family, suffix)


def named(given: str, family: str, suffix: str = "") -> Name:
    """A name whose small words before the family name are its particle, and after the given name one that
    falls away."""
    particle = dropping = ""
    if family and family[0].islower() and " " in family:
        words = family.split()
        small = next((n for n, word in enumerate(words) if not word[0].islower()), len(words) - 1)
        particle, family = " ".join(words[:small]), " ".join(words[small:])
    if " " in given and given[-1].islower() and not given[0].islower():
        words = given.split()
        while len(words) > 1 and _SMALL.fullmatch(words[-1]) and words[-1].islower():
            dropping = f"{words.pop()} {dropping}".strip()
        given = " ".join(words)
    return Name(given, family, particle, suffix, dropping)


def _is_organisation(family: str, rest: list[str], text: str) -> bool:
    if not rest:
        return text.endswith(",") or (" " in family and _marks_organisation(family))
    if is_company(rest[-1]):
        return True
    initials = rest[0].isupper() and _INITIALS.fullmatch(rest[0])
    return " " in family and not initials and _marks_organisation(family)


def _marks_organisation(text: str) -> bool:
    return _OF_ORGANISATIONS.search(text) is not None or _JOINED.search(text) is not None


def persons(texts: Iterable[str]) -> tuple[str, ...]:
    """The names of several fields, each of which has one name, or a list with semicolons, "and" or commas."""
    return tuple([name for text in texts for name in _persons_in(text)])


@functools.lru_cache(maxsize=10_000)  # most people of a library have written more than one of its papers
def _persons_in(text: str) -> tuple[str, ...]:
    return tuple([name for one in _one_by_one(text) if (name := person(one))])


def _one_by_one(text: str) -> list[str]:
    """The names of a list, as they are written."""
    commas = text.count(",")
    if ";" not in text and "|" not in text and " and " not in text and " & " not in text and commas < 3:
        return [text]
    names = [one for one in _SEPARATED.split(text) if one]
    if ";" not in text and "|" not in text and not all("," in one for one in names):
        names = [text]  # an organisation, or one name
    return [name for one in names for name in _between_commas(one)]


def _between_commas(text: str) -> list[str]:
    pieces = [piece for piece in map(str.strip, text.split(",")) if piece]
    if len(pieces) < 4 or _marks_organisation(pieces[0]):
        return [text]
    if all(" " in piece for piece in pieces):
        return pieces
    if len(pieces) % 2 == 0:
        return [f"{last}, {first}" for last, first in zip(pieces[::2], pieces[1::2], strict=True)]
    return [text]


# Lists of one field -----------------------------------------------------------------------------------

_FEW_INITIALS = re.compile(r"(?:[^\W\d_]\.?[ -]?){1,4}")
_BETWEEN = re.compile(r"(?<!\s)\s+(?:and|&)\s+|(?:(?<!\s)\s+)?[;|]\s*")


def people(text: str) -> tuple[str, ...]:
    """Names as "First Last", from a list with semicolons, bars, "and", or commas.

    >>> people("Lee, Ann; Roe, Bo"), people("Lee A., Roe B.C."), people("Ann Lee, Bo Roe and Cy Doe")
    (('Ann Lee', 'Bo Roe'), ('A. Lee', 'B.C. Roe'), ('Ann Lee', 'Bo Roe', 'Cy Doe'))
    """
    text = tidy(text).rstrip(" ;,|")
    if not text:
        return ()
    names: list[str] = []
    for part in _BETWEEN.split(text):
        names += _in_reading_order(part.strip(" ,"))
    return tuple([tidy(name) for name in names if name and name.lower() not in _NOBODY])


def _in_reading_order(part: str) -> list[str]:
    """One name, or several that are separated by commas."""
    pieces = [piece.strip() for piece in part.split(",") if piece.strip()]
    if len(pieces) <= 1:
        return [turned(part)]
    if len(pieces) == 2 and pieces[0][0].islower():  # "van der Berg, Jan Piet"
        return [from_inverted(part)]
    if len(pieces) == 2 and (" " not in pieces[0] or _all_initials(pieces[1]) or is_suffix(pieces[1])):
        return [from_inverted(part)]
    if all(" " in piece for piece in pieces):
        return [turned(piece) for piece in pieces]
    if len(pieces) == 3 and is_suffix(pieces[1]):
        return [f"{pieces[2]} {pieces[0]} {pieces[1]}"]
    if len(pieces) <= 3:
        return [from_inverted(part)]
    return [turned(piece) for piece in pieces]


def turned(name: str) -> str:
    """ "Lee AB" as "AB Lee": a family name followed only by initials. Other names are unchanged."""
    family, _, initials = name.rpartition(" ")
    if family and _all_initials(initials) and not _all_initials(family) and initials == initials.upper():
        return f"{initials} {family}"
    return name


def _all_initials(text: str) -> bool:
    letters = sum(character.isalpha() for character in text)
    return letters <= 4 and _FEW_INITIALS.fullmatch(text) is not None and text == text.upper()
