"""BibTeX values: expressions with macros, names of people, URLs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from citewhy.papers.formats.bounds import MAX_VALUE
from citewhy.papers.formats.latex_text import plain
from citewhy.text.person import is_suffix
from citewhy.text.repair import unescaped
from citewhy.text.tidy import tidy

__all__ = ["MONTHS", "Value", "evaluate", "people", "verbatim"]

MONTHS = {
    **{"jan": "January", "feb": "February", "mar": "March", "apr": "April", "may": "May", "jun": "June"},
    **{"jul": "July", "aug": "August", "sep": "September", "oct": "October", "nov": "November"},
    **{"dec": "December"},
}
"""The macros that every style defines."""

# A backslash escapes a brace, as in bibtexparser's splitter; the two must agree.
_MARK = re.compile(r"(?<!\\)[{}\"]")
_BARE = re.compile(r"[^\s#{}\",=]+")
_SPACE = re.compile(r"\s*")
_TILDE = re.compile(r"\{?\\textasciitilde(?:\{\}|\b)\}?|\\~\{\}")
_ESCAPED = re.compile(r"\\([_%&#$~{}])")
_URL_COMMAND = re.compile(r"\\(?:url|path)\b\s*")
_AND = re.compile(r"(?<!\\)[{}]|(?<!\s)\s+and(?=\s)", re.IGNORECASE)
_COMMA = re.compile(r"(?<!\\)[{}]|,")
_NOBODY = frozenset({"others", "et al.", "et al", "et. al.", "...", "…"})


@dataclass(frozen=True, slots=True)
class Value:
    """An evaluated expression: its LaTeX, its undefined macros, and the text after its end."""

    latex: str
    undefined: tuple[str, ...] = ()
    rest: str = ""
    too_long: bool = False
    """Whether it exceeds the maximum length; `latex` is then empty."""


def evaluate(expression: str, macros: Mapping[str, str]) -> Value:
    """``name # { 2002}`` as LaTeX; a macro that is not in `macros` (lower-case names) is replaced by its
    name."""
    if _in_braces(expression):
        return Value(expression[1:-1])
    latex: list[str] = []
    undefined: list[str] = []
    place = 0
    while True:
        place = _after_space(expression, place)
        if expression.startswith(("{", '"'), place):
            end = _closing(expression, place)
            latex.append(expression[place + 1 : end])
            place = end + 1
        elif bare := _BARE.match(expression, place):
            name = bare[0]
            defined = macros.get(name.lower())
            if defined is None and not name.isdigit():
                undefined.append(name)
            latex.append(name if defined is None else defined)
            place = bare.end()
        place = _after_space(expression, place)
        if not expression.startswith("#", place):
            rest = expression[place:].strip()
            if sum(map(len, latex)) > MAX_VALUE:
                return Value("", tuple(undefined), rest, too_long=True)
            return Value("".join(latex), tuple(undefined), rest)
        place += 1


def _in_braces(expression: str) -> bool:
    """Whether it is one value in braces without others inside, as most are."""
    return (
        expression.startswith("{")
        and expression.find("}") == len(expression) - 1
        and expression.rfind("{") == 0
        and not expression.endswith("\\}")
        and len(expression) <= MAX_VALUE
    )


def _after_space(expression: str, place: int) -> int:
    found = _SPACE.match(expression, place)
    return found.end() if found else place


def _closing(expression: str, start: int) -> int:
    """Offset at which the brace or quote at `start` is closed; the end of the expression if it is not."""
    quoted = expression[start] == '"'
    depth = 0
    for mark in _MARK.finditer(expression, start + 1):
        if mark[0] == "{":
            depth += 1
        elif mark[0] == "}":
            if depth == 0 and not quoted:
                return mark.start()
            depth = max(depth - 1, 0)
        elif quoted and depth == 0:
            return mark.start()
    return len(expression)


def verbatim(latex: str) -> str:
    """A URL, a DOI or a number, without the escapes that some programs add."""
    if "\\" in latex:
        latex = _ESCAPED.sub(r"\1", _TILDE.sub("~", _URL_COMMAND.sub("", latex)))
    return tidy(latex.replace("{", "").replace("}", ""))


def people(latex: str) -> tuple[str, ...]:
    """The people of an author field as "First von Last Jr.", without "and others"."""
    # bibtexparser's own function loses the last word of a name if it is an escape, as in "Sons \\&".
    names = [name for one in _outside_braces(_AND, latex) for name in _separate(one)]
    written = (tidy(unescaped(plain(name))) for name in names if name.lower() not in _NOBODY)
    return tuple([name for name in written if name])


def _separate(name: str) -> list[str]:
    """One name in reading order, or several if a list was written with commas instead of "and"."""
    parts = [" ".join(part.split()) for part in _outside_braces(_COMMA, name) if part.strip()]
    if len(parts) <= 1:
        return parts
    if len(parts) == 2:
        last, first = parts
        return [f"{last} {first}"] if is_suffix(first) else [f"{first} {last}"]
    if len(parts) == 3 and (is_suffix(parts[1]) or not all(" " in part for part in parts)):
        last, suffix, first = parts
        return [f"{first} {last} {suffix}"]
    if all(" " in part for part in parts):
        return parts
    if len(parts) % 2 == 0:
        return [f"{first} {last}" for last, first in zip(parts[::2], parts[1::2], strict=True)]
    return [" ".join((*parts[2:], parts[0], parts[1]))]


def _outside_braces(separator: re.Pattern[str], text: str) -> list[str]:
    """Splits at `separator` outside of braces; its pattern must match single braces, too."""
    parts: list[str] = []
    depth = start = 0
    for mark in separator.finditer(text):
        if mark[0] == "{":
            depth += 1
        elif mark[0] == "}":
            depth -= 1
        elif depth <= 0:
            parts.append(text[start : mark.start()])
            start = mark.end()
    return [*parts, text[start:]]
