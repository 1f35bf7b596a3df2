"""Lists of people in one string, with any common separator."""

from __future__ import annotations

import re

from citewhy.text.person import from_inverted, is_suffix
from citewhy.text.tidy import tidy

__all__ = ["people", "turned"]

_INITIALS = re.compile(r"(?:[^\W\d_]\.?[ -]?){1,4}")
_AND = re.compile(r"(?<!\s)\s+(?:and|&)\s+|(?:(?<!\s)\s+)?[;|]\s*")
_NOBODY = frozenset({"et al", "et al.", "others", "..."})


def people(text: str) -> tuple[str, ...]:
    """Names as "First Last", from a list with semicolons, bars, "and", or commas.

    >>> people("Lee, Ann; Roe, Bo"), people("Lee A., Roe B.C."), people("Ann Lee, Bo Roe and Cy Doe")
    (('Ann Lee', 'Bo Roe'), ('A. Lee', 'B.C. Roe'), ('Ann Lee', 'Bo Roe', 'Cy Doe'))
    """
    text = tidy(text).rstrip(" ;,|")
    if not text:
        return ()
    names: list[str] = []
    for part in _AND.split(text):
        names += _in_reading_order(part.strip(" ,"))
    return tuple([tidy(name) for name in names if name and name.lower() not in _NOBODY])


def _in_reading_order(part: str) -> list[str]:
    """One name, or several that are separated by commas."""
    pieces = [piece.strip() for piece in part.split(",") if piece.strip()]
    if len(pieces) <= 1:
        return [turned(part)]
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
    return letters <= 4 and _INITIALS.fullmatch(text) is not None and text == text.upper()
