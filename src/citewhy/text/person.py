"""Parts of names: records have "First Last", most file formats "Last, First", and BibTeX lists of both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

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


_COMPANY = re.compile(r"(?:inc|ltd|llc|corp|co|gmbh|ag|plc|s\.a|b\.v)\.?", re.IGNORECASE)


def is_company(word: str) -> bool:
    """Whether what stands behind the comma of a name says that it is a company's: "Inc.", "Ltd"."""
    return _COMPANY.fullmatch(word) is not None


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
    if rest and rest[0] and family:
        return _inverted(family, rest[0], " ".join(filter(None, rest[1:])))
    return " ".join(" ".join((*rest[:1], family, *rest[1:])).split())


# Lists of BibTeX ----------------------------------------------------------------------------------------

_BRACES = re.compile(r"(?<!\\)[{}]")
_SEPARATOR = re.compile(
    r"(?<!\\)[{}]|(?<!\s)\s+(?:(?P<and>and)|\\?&)(?=\s)|(?P<semicolon>;)|&\#?\w+;", re.IGNORECASE
)
"""Matches what may separate names, and what is skipped: braces, and entities of HTML with their
semicolons."""
NOBODY = frozenset({"others", "et al.", "et al", "et. al.", "...", "…"})
"""These stand for further people at the end of a list of names."""
_OF_NAMES_BY_PARTS = re.compile(r"\s*(family|given|prefix|suffix|useprefix)(?:-i)?\s*=", re.IGNORECASE)
_OF_ORGANISATIONS = frozenset({"of", "for", "the", "and", "&"})
_CONJUNCTIONS = frozenset({"y", "e", "i"})
"""These join the two family names of a person, as in Ortega y Gasset."""
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
    return tuple([name for one in _names_in(field) for name in _read_one(one, decode) if name])


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


def _read_one(text: str, decode: Callable[[str], str]) -> list[Name]:
    """One name, or several if a list was written with commas instead of "and"."""
    text = text.strip()
    if not text or text.lower() in NOBODY:
        return []
    if "=" in text and _OF_NAMES_BY_PARTS.match(text.lstrip("{")):
        return [_by_parts(text, decode)]
    if "{" in text:
        if _is_whole(text):
            return [Name.literal(" ".join(decode(text).split()))]
        text = _with_wholes(text)
    parts = [part for part in map(str.strip, decode(text).split(",")) if part]
    return [name for name in _taken_apart(parts) if name]


def _taken_apart(parts: list[str]) -> list[Name]:
    if len(parts) <= 1:
        return [_natural(part) for part in parts]
    if len(parts) == 2:
        last, first = parts
        return [_natural(last, first)] if is_suffix(first) else [_inverted(last, first)]
    if len(parts) == 3 and (is_suffix(parts[1]) or not all(" " in part for part in parts)):
        last, suffix, first = parts
        return [_inverted(last, first, suffix)]
    if all(" " in part for part in parts):
        return [_natural(part) for part in parts]
    if len(parts) % 2 == 0:
        return [_inverted(last, first) for last, first in zip(parts[::2], parts[1::2], strict=True)]
    return [_inverted(parts[0], " ".join(parts[2:]), parts[1])]


def _inverted(last: str, first: str, suffix: str = "") -> Name:
    """The name "von Last, Jr, First": small words before the last name are its particle, and those after the
    first name one that falls away."""
    family, given = last.split(), first.split()
    begin = 0
    while begin < len(family) - 1 and family[begin][0].islower():
        begin += 1
    if not suffix and len(family) - begin > 1 and is_suffix(family[-1]):
        suffix = family.pop()
    end = len(given)
    while end > 1 and given[end - 1] in _PARTICLES:
        end -= 1
    return _made(given[:end], family[begin:], family[:begin], suffix, given[end:])


def _natural(text: str, suffix: str = "") -> Name:
    """The name "First von Last": the small words in it are its particle, as in BibTeX."""
    words = text.split()
    if _OF_ORGANISATIONS.intersection(words):
        return Name.literal(" ".join([*words, *suffix.split()]).translate(_SHOWN))
    if not suffix and len(words) > 1 and is_suffix(words[-1]):
        suffix = words.pop()
    last = max(len(words) - 1, 0)
    begin = 0
    while begin < last and not (words[begin][0].islower() and (begin or words[0] in _PARTICLES)):
        begin += 1
    end = begin
    while end < last and words[end][0].islower():
        end += 1
    if end == begin + 1 and begin and words[begin] in _CONJUNCTIONS:
        return _made(words[: begin - 1], words[begin - 1 :], [], suffix)
    return _made(words[:begin], words[end:], words[begin:end], suffix)


def _made(
    given: list[str],
    family: list[str],
    particle: list[str],
    suffix: str = "",
    dropping: list[str] | None = None,
) -> Name:
    parts = (" ".join(given), " ".join(family), " ".join(particle), suffix, " ".join(dropping or ()))
    if any(_WHOLE in part for part in parts):
        parts = tuple(part.translate(_SHOWN) for part in parts)  # type: ignore[assignment]
    return Name(*parts)


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
