"""Names of people and organisations as fields of records list them."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator

from citewhy.base.records import Name
from citewhy.text.person import (
    NOBODY,
    inverted,
    is_initials,
    is_organisation,
    is_suffix,
    name_of,
    natural,
    of_pieces,
)
from citewhy.text.tidy import tidy

# Fields with one name or several -------------------------------------------------------------------------

_SEPARATED = re.compile(r"(?<!\s)\s*+(?:[;|]\s*+|(?<=\s)(?:and|&)\s++)")


def persons(texts: Iterable[str]) -> tuple[str, ...]:
    """The names of several fields, each of which has one name, or a list with semicolons, "and" or commas."""
    return tuple([name for text in texts for name in _persons_in(text)])


@functools.lru_cache(maxsize=10_000)  # most people of a library have written more than one of its papers
def _persons_in(text: str) -> tuple[str, ...]:
    return tuple([name for one in _one_by_one(text) if (name := name_of(one))])


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
    if len(pieces) < 4 or is_organisation(pieces[0]):
        return [text]
    if all(" " in piece for piece in pieces):
        return pieces
    if len(pieces) % 2 == 0:
        return [f"{last}, {first}" for last, first in zip(pieces[::2], pieces[1::2], strict=True)]
    return [text]


# Fields with a list --------------------------------------------------------------------------------------

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
    return tuple([name for name in names if name and name.lower() not in NOBODY])


def _in_reading_order(part: str) -> list[str]:
    """One name, or several that are separated by commas."""
    pieces = [piece.strip() for piece in part.split(",") if piece.strip()]
    if len(pieces) <= 1:
        return [turned(part)]
    first, second = pieces[:2]
    if len(pieces) == 2 and (
        first[0].islower() or " " not in first or is_initials(second) or is_suffix(second)
    ):
        return [name_of(part)]
    if all(" " in piece for piece in pieces):
        return [turned(piece) for piece in pieces]
    if len(pieces) <= 3:
        return [name_of(part)]
    return [turned(piece) for piece in pieces]


def turned(name: str) -> str:
    """ "Lee AB" as "AB Lee": a family name followed only by initials. Other names are unchanged."""
    family, _, initials = name.rpartition(" ")
    if family and is_initials(initials) and not is_initials(family):
        return inverted(family, initials)
    return name


# Lists of BibTeX -----------------------------------------------------------------------------------------

_BRACES = re.compile(r"(?<!\\)[{}]")
_AND = re.compile(r"(?<!\s)\s+and(?=\s)", re.IGNORECASE)
_SEPARATOR = re.compile(
    r"(?<!\\)[{}]|(?<!\s)\s+(?:(?P<and>and)|\\?&)(?=\s)|(?P<semicolon>;)|&\#?\w+;", re.IGNORECASE
)
"""Matches what may separate names, and what is skipped: braces, and entities of HTML with their
semicolons."""
_OF_NAMES_BY_PARTS = re.compile(r"\s*(family|given|prefix|suffix|useprefix)(?:-i)?\s*=", re.IGNORECASE)
_ET_AL = re.compile(r"(?<![\s,])[\s,]+et\.?\s+al\.?(?=,|$)")
_WHOLE, _SPACE, _COMMA = "\ue000", "\ue001", "\ue002"
"""Stand for the beginning of a part of a name in braces, and for what would take it apart."""
_IN_WHOLE = re.compile(r"\\(?:[A-Za-z]+|.)\s*|(?P<comma>,)|(?P<space>\s)", re.DOTALL)
"""A command with the space that ends its name, or what is kept in a part of a name in braces."""
_SHOWN = str.maketrans({_WHOLE: "", _SPACE: " ", _COMMA: ","})


def names_of_list(field: str, decode: Callable[[str], str]) -> tuple[Name, ...]:
    """The people and organisations of a field of BibTeX or biblatex, without "and others".

    A name is "First von Last", "von Last, First", "von Last, Jr, First", or biblatex's
    ``family=Last, given=First, prefix=von``. What is wholly in braces is one whole. Semicolons, ampersands
    and commas between names are understood, too. `decode` makes text of LaTeX.

    >>> names_of_list("van der Berg, Jan and {World Health Organization}", str)
    ('Jan van der Berg', '{World Health Organization}')
    """
    simple = "{" not in field and ";" not in field and "&" not in field
    names = _AND.split(field) if simple else _names_in(field)
    return tuple([name for one in names for name in _read_one(one, decode)])


def _names_in(field: str) -> Iterator[str]:
    """The names of a list, as they are written."""
    pieces: list[str] = []
    ampersands: list[int] = []
    depth = start = 0
    for mark in _SEPARATOR.finditer(field):
        text = mark[0]
        if text in ("{", "}"):
            depth += 1 if text == "{" else -1
        elif depth <= 0 and (mark["and"] or mark["semicolon"]):
            pieces.append(field[start : mark.start()])
            start = mark.end()
        elif depth <= 0 and text.endswith("&"):
            ampersands.append(mark.start())
    pieces.append(field[start:])
    for piece in pieces:
        yield from _between_ampersands(piece) if ampersands else (piece,)


def _between_ampersands(text: str) -> list[str]:
    """Several people, if an ampersand stands between inverted names or between two of two words or more."""
    people = re.split(r"\s\\?&\s", text)
    if all("," in one or (len(one.split()) > 1 and "\\&" not in text) for one in people):
        return people
    return [text]


@functools.lru_cache(maxsize=10_000)  # as above
def _read_one(text: str, decode: Callable[[str], str]) -> tuple[Name, ...]:
    """One name, or several if a list was written with commas instead of "and"."""
    text = text.strip().removesuffix(" and")
    if not text or text.lower() in NOBODY:
        return ()
    if "=" in text and _OF_NAMES_BY_PARTS.match(text.lstrip("{")):
        return _named([_by_parts(text, decode)])
    if "{" in text:
        if _is_whole(text):
            return _named([Name.literal(" ".join(decode(text).split()))])
        text = _with_wholes(text)
    parts = [part for part in map(str.strip, _ET_AL.sub("", decode(text)).split(",")) if part]
    return _named(_taken_apart(parts))


def _named(names: list[Name]) -> tuple[Name, ...]:
    """The names that are not empty, without marks of what was in braces."""
    return tuple([_shown(name) if _WHOLE in name else name for name in names if name])


def _shown(name: Name) -> Name:
    if name.is_literal:
        return Name.literal(name.translate(_SHOWN))
    parts = (name.given, name.family, name.particle, name.suffix, name.dropping)
    return Name(*(part.translate(_SHOWN) for part in parts))


def _taken_apart(parts: list[str]) -> list[Name]:
    if len(parts) <= 1:
        return [natural(part) for part in parts]
    if len(parts) == 2 or (
        len(parts) == 3 and (is_suffix(parts[1]) or not all(" " in part for part in parts))
    ):
        return [of_pieces(parts[0], parts[1:], suffix_first=True) or Name.literal(", ".join(parts))]
    if all(" " in part for part in parts):
        return [natural(part) for part in parts]
    if len(parts) % 2 == 0:
        return [inverted(last, first) for last, first in zip(parts[::2], parts[1::2], strict=True)]
    return [inverted(parts[0], " ".join(parts[2:]), parts[1])]


def _is_whole(text: str) -> bool:
    """Whether one pair of braces encloses all of it."""
    if not (text.startswith("{") and text.endswith("}")):
        return False
    depth = 0
    for brace in _BRACES.finditer(text):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end() == len(text)
    return False


def _with_wholes(text: str) -> str:
    """The text with the parts in braces marked as wholes, except for those that are accented letters."""
    pieces: list[str] = []
    depth = place = 0
    for brace in _BRACES.finditer(text):
        if brace[0] == "{":
            if depth == 0:
                pieces.append(text[place : brace.end()])
                place = brace.end()
            depth += 1
        elif depth == 1:
            inside = text[place : brace.start()]
            accent = inside.startswith("\\") or text[place - 2 : place - 1] not in ("", " ", ",")
            pieces.append(inside if accent else _WHOLE + _IN_WHOLE.sub(_kept, inside))
            place, depth = brace.start(), 0
        elif depth:
            depth -= 1
    return "".join(pieces) + text[place:]


def _kept(mark: re.Match[str]) -> str:
    return _COMMA if mark["comma"] else _SPACE if mark["space"] else mark[0]


def _by_parts(text: str, decode: Callable[[str], str]) -> Name:
    """A name of biblatex's extended format, such as ``family=Last, given=First, prefix=von``."""
    known: dict[str, str] = {}
    for part in _outside_braces(text[1:-1] if _is_whole(text) else text):
        name, _, value = part.partition("=")
        known[name.strip().lower()] = " ".join(decode(value.strip().strip('"')).split())
    prefix, uses = known.get("prefix", ""), known.get("useprefix", "").lower() != "false"
    return Name(
        known.get("given", ""),
        known.get("family", ""),
        prefix if uses else "",
        known.get("suffix", ""),
        "" if uses else prefix,
    )


def _outside_braces(text: str) -> list[str]:
    """The parts between commas that are in neither braces nor quotation marks."""
    parts: list[str] = []
    depth, quoted, start = 0, False, 0
    for at, character in enumerate(text):
        if character in "{}":
            depth += 1 if character == "{" else -1
        elif character == '"':
            quoted = not quoted
        elif character == "," and depth <= 0 and not quoted:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]
