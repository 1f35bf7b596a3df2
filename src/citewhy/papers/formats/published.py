"""What fields of most formats say about a publication: names of people and organisations, dates, pages."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from pathlib import PurePath

from citewhy.base.records import Name, Publication, SourceEntry
from citewhy.papers.formats.doi import clean_doi
from citewhy.papers.formats.fields import arxiv_number, year_of
from citewhy.text.person import from_inverted, is_company, is_suffix
from citewhy.text.source import FilePath
from citewhy.text.tidy import tidy

# Names --------------------------------------------------------------------------------------------------

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
    return tuple([name for text in texts for one in _one_by_one(text) if (name := person(one))])


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


# Dates, pages -------------------------------------------------------------------------------------------

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_BY_NUMBERS = re.compile(r"(\d{4})(?:[-/.](\d{1,2})?(?:[-/.](\d{1,2}))?)?(?:(?:T|/| \d\d:).*)?")
_RANGE = re.compile(r"(\d{4})\s*(?:-|–|/|--)\s*(\d{4})")
_WITH_MONTH = re.compile(
    r"(?:(?P<before>\d{1,2})(?:st|nd|rd|th)?\.?\s+)?(?P<month>[A-Za-z]{3,9})\.?"
    r"(?:\s+(?P<after>\d{1,2})(?:st|nd|rd|th)?)?,?\s+(?P<year>\d{4})"
)
_YEAR_FIRST = re.compile(
    r"(?P<year>\d{4})[,\s]+(?P<month>[A-Za-z]{3,9})\.?(?:[,\s]+(?P<after>\d{1,2}))?(?:-.*)?"
)
_ISO = re.compile(r"\d{4}(?:-\d\d){0,2}")
_EARLY = re.compile(r"(?:c\.|ca\.?|circa)?\s*(-?\d{1,4})(?:[-/].*)?(?:\s*(BCE?|B\.C\.|v\. Chr\.|AD|CE))?")


@functools.lru_cache(maxsize=4096)
def date_of(text: str) -> str:
    """A date as `Publication.date` has it, with the precision that it is given in.

    >>> date_of("2002/07/06/"), date_of("2019 Apr"), date_of("6 July 2002"), date_of("in press")
    ('2002-07-06', '2019-04', '2002-07-06', 'in press')
    """
    text = tidy(text).rstrip("/")
    if span := _RANGE.fullmatch(text):
        return f"{span[1]}/{span[2]}"
    if numbers := _BY_NUMBERS.fullmatch(text):
        return _iso_date(*(int(number or 0) for number in numbers.groups()))
    if words := _WITH_MONTH.fullmatch(text) or _YEAR_FIRST.fullmatch(text):
        known = words.groupdict()
        month = known["month"].lower()[:3]
        if month in _MONTHS:
            day = known.get("before") or known["after"] or 0
            return _iso_date(int(known["year"]), _MONTHS.index(month) + 1, int(day))
    return text


def date_with(year: str, detail: str) -> str:
    """The date of a `year` whose month and day, or all of it again, are in another field.

    >>> date_with("2004", "NOV 12"), date_with("2004", "March 5, 2004"), date_with("2004", "NOV-DEC")
    ('2004-11-12', '2004-03-05', '2004-11')
    """
    for text in (detail, f"{detail} {year}", f"{year} {detail}") if detail else ():
        if _ISO.fullmatch(date := date_of(text)):
            return date
    return date_of(year)


def date_of_parts(value: object) -> str:
    """The date of numbers, or of texts of digits, in the order year, month, day; empty without a year."""
    if not isinstance(value, list | tuple):
        value = [value]
    numbers = []
    for one in value[:3]:
        if isinstance(one, bool) or not re.fullmatch(r"-?\d{1,5}", str(one).strip()):
            break
        numbers.append(int(str(one)))
    return _iso_date(*numbers) if numbers else ""


def _iso_date(year: int, month: int = 0, day: int = 0) -> str:
    written = f"{'-' if year < 0 else ''}{abs(year):04d}"
    if not 1 <= month <= 12:
        return written
    return f"{written}-{month:02d}-{day:02d}" if 1 <= day <= 31 else f"{written}-{month:02d}"


def year_in(value: object) -> int | None:
    """The year of a date (`fields.year_of`), also one before 1500 or before our era if nothing else is said.

    >>> year_in("731"), year_in("45 BC"), year_in(-44), year_in("vol. 3")
    (731, -44, -44, None)
    """
    year = year_of(value)
    if year is not None or isinstance(value, bool) or not isinstance(value, str | int):
        return year
    early = _EARLY.fullmatch(str(value).strip())
    if early is None or int(early[1]) >= 1500:
        return None
    return 1 - int(early[1]) if early[2] and early[2][0] in "Bv" else int(early[1])


def pages_of(first: str, last: str = "") -> str:
    """Pages as `Publication.pages` has them: ``311-318`` for "311–318" or "311" and "318"."""
    first = re.sub(r"\s*(?:–|—|--+|-)\s*", "-", first.strip())
    last = last.strip()
    if not last and first.count("-") == 1:
        first, last = first.split("-")
    if not last or not first or last == first or "-" in first:
        return first or last
    return last if last.startswith(f"{first}-") else f"{first}-{last}"


# A publication ------------------------------------------------------------------------------------------

_ISSN = re.compile(r"(?<![\d-])\d{4}-?\d{3}[\dXx](?![\d-])")
_ISBN = re.compile(r"(?<!\d)(?:97[89][- ]?)?\d(?:[- ]?\d){8}[- ]?[\dXx](?![\dXx])")


def serial_numbers(numbers: Iterable[str]) -> tuple[str, str]:
    """The ISBN and the ISSN of values that may be either; what is neither counts as an ISBN.

    >>> serial_numbers(["0028-0836, 1476-4687"]), serial_numbers(["978-0-262-03384-8", "1234-5678"])
    (('', '0028-0836, 1476-4687'), ('978-0-262-03384-8', '1234-5678'))
    """
    given = {number.replace("-", ""): number for number in reversed(list(numbers)) if number}
    issn = [number for number in given.values() if _ISSN.search(number) and not _ISBN.search(number)]
    isbn = [number for number in given.values() if number not in issn]
    return ", ".join(reversed(isbn)), ", ".join(reversed(issn))


_IDENTIFIER = re.compile(
    r"^[ \t]*(?P<name>doi|pmid|pmcid|arxiv|isbn|issn)[ \t]*:[ \t]*(?P<value>\S.*?)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line of Zotero's field "Extra", which it writes into the note."""


_BETWEEN_KEYWORDS = re.compile(r"\s*[;\n|]\s*")


def keywords_of(texts: Iterable[str]) -> tuple[str, ...]:
    """The keywords of fields that have one, or several between semicolons, bars or line ends."""
    return tuple([word for text in texts for one in _BETWEEN_KEYWORDS.split(text) if (word := tidy(one))])


def without_identifiers(note: str) -> tuple[str, dict[str, str]]:
    """A note, and the identifiers that are lines of their own in it, by their names in lower case.

    >>> without_identifiers("Second print.\\narXiv: 1706.03762v5")
    ('Second print.', {'arxiv': '1706.03762'})
    """
    found: dict[str, str] = {}

    def taken(line: re.Match[str]) -> str:
        name, value = line["name"].lower(), tidy(line["value"])
        clean = _checked(name, value)
        if clean:
            found.setdefault(name, clean)
        return "" if clean else line[0]

    return tidy(_IDENTIFIER.sub(taken, note)), found


def _checked(name: str, value: str) -> str:
    """The identifier as records have it; empty for one that is none of its kind."""
    if name == "doi":
        return clean_doi(value)
    if name == "arxiv":
        return arxiv_number(value)
    if name == "pmid":
        return value if value.isdecimal() else ""
    if name == "pmcid":
        return f"PMC{value.upper().removeprefix('PMC')}" if value[-1:].isdecimal() else ""
    return value if (_ISSN if name == "issn" else _ISBN).search(value) else ""


_NOTHING = Publication()


def known(publication: Publication) -> Publication | None:
    """The publication; None if nothing is known of it."""
    return None if publication == _NOTHING else publication


def source_entry(format_: str, text: str, key: str, path: FilePath) -> SourceEntry:
    """The entry under `key` of a file in a format of the registry."""
    return SourceEntry(format_, text, key, PurePath(str(path)).name)
