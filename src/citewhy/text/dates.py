"""Years, dates and ranges of pages, as records write them."""

from __future__ import annotations

import functools
import re

from citewhy.text.numbers import small_number
from citewhy.text.tidy import tidy

_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
    *("November", "December"),
)
MONTHS_SHORT = tuple(name[:3].lower() for name in MONTHS)
"""``jan`` to ``dec``, as the macros of BibTeX are called."""
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
_EARLY = re.compile(
    r"\W*(?:(?:ca?\.?|circa)\s*)?(?:(?P<ad>A\.?D\.?|CE)\s*)?(?P<year>\d{1,4})(?!\d)\s*(?P<era>"
    r"B\.?\s?C\.?(?:\s?E\.?)?|v\.\s?Chr\.?|av\.\s?J\.-C\.|A\.?\s?D\.?|C\.?\s?E\.?|n\.\s?Chr\.?)?\W*(?:[-/–].*)?",
    re.IGNORECASE | re.DOTALL,
)
_NEGATIVE = re.compile(r"-(\d{1,4})(?!\d)")
_LATEST_EARLY = 1499
_LONGEST = 200


def year_of(value: object) -> int | None:
    """The calendar year (1500 to 2099) that a number or a text such as "Jan 2002" names; None for "n.d."."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int | str):
        year = _YEAR.search(str(value)[:200])
        return int(year[1]) if year else None
    return None


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
        if month in MONTHS_SHORT:
            day = known.get("before") or known["after"] or 0
            return _iso_date(int(known["year"]), MONTHS_SHORT.index(month) + 1, int(day))
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


def date_of_fields(year: str, month: str, day: str = "") -> str:
    """The date of three fields, of which the month is a number or a word.

    >>> date_of_fields("2004", "11", "2"), date_of_fields("2004", "March"), date_of_fields("2004", "")
    ('2004-11-02', '2004-03', '2004')
    """
    if month.isdecimal():
        return date_of("-".join(filter(None, (year, month, day))))
    return date_with(year, f"{month} {day}".strip())


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
    """The year of a date (`year_of`), also one before 1500 or before our era (astronomical: 0 is 1 BC). One
    of less than three digits is a number, or says its era.

    >>> year_in("c. 731"), year_in("45 BC"), year_in("-0043-03-15"), year_in(98), year_in("vol. 3")
    (731, -44, -43, 98, None)
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value if -10_000 < value <= _LATEST_EARLY else year_of(value)
    if not isinstance(value, str):
        return year_of(value)
    if before := _NEGATIVE.match(value.strip()):
        return -int(before[1])
    if early := _EARLY.fullmatch(value[:_LONGEST]):
        year, era = int(early["year"]), (early["era"] or early["ad"] or "").lower()
        if era[:1] in ("b", "v") or era.startswith("av"):
            return 1 - year
        if era or (len(early["year"]) > 2 and year <= _LATEST_EARLY):
            return year
    return year_of(value)


def month_in(text: str) -> int:
    """The number of the first month that a text names or is; 0 if there is none.

    >>> month_in("6 July"), month_in("11"), month_in("Spring")
    (7, 11, 0)
    """
    lowered = text.lower()
    named = next((number for number, name in enumerate(MONTHS_SHORT, start=1) if name in lowered), 0)
    number = small_number(lowered) or 0
    return named or (number if number <= len(MONTHS) else 0)


def pages_of(first: str, last: str = "") -> str:
    """Pages as `Publication.pages` has them: ``311-318`` for "311–318" or "311" and "318"."""
    first = re.sub(r"(?<!\s)\s*+(?:–|—|--+|-)\s*+", "-", first.strip())
    last = last.strip()
    if not last and first.count("-") == 1:
        first, last = first.split("-")
    if not last or not first or last == first or "-" in first:
        return first or last
    return last if last.startswith(f"{first}-") else f"{first}-{last}"
