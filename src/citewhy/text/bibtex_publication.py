"""How a work was published, as an entry of BibTeX or biblatex says it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from citewhy.base.publication_types import GENRES, csl_type
from citewhy.base.records import Publication
from citewhy.text.dates import date_of, month_in, pages_of, year_in
from citewhy.text.identifiers import serial_numbers

FIELDS = {
    "container_short": ("shortjournal",),
    "volume": ("volume",),
    "number": ("number", "issue"),
    "pages": ("pages", "eid", "articleno"),
    "publisher": ("publisher", "school", "institution", "organization"),
    "place": ("address", "location"),
    "edition": ("edition",),
    "series": ("series",),
    "chapter": ("chapter",),
    "genre": ("type",),
    "event": ("eventtitle",),
    "event_place": ("venue",),
    "original_date": ("origdate", "origyear"),
    "accessed": ("urldate", "lastchecked", "lastaccessed", "accessed"),
    "isbn": ("isbn",),
    "issn": ("issn",),
    "language": ("language", "langid"),
    "version": ("version",),
    "note": ("note", "addendum"),
}
"""Fields of `Publication`, and those of entries from the first of which they come."""

_CONTAINERS = ("journal", "journaltitle", "booktitle", "maintitle")
_SERIES = frozenset({"book", "collection", "chapter", "paper-conference"})
"""Types whose number is that of their series."""
_MOST_KEYWORDS = 200
_BETWEEN_KEYWORDS = re.compile(r"(?<!\s)\s*+[;,]\s*+")
_DASH = re.compile(r"(?<!\s)\s*+[-–—]++\s*+")
_WEB = re.compile(r"\\url|https?:|www\.", re.IGNORECASE)
_PMID = re.compile(r"(?:^|PMID:?\s*)(\d{4,9})(?!\d)")
_PMCID = re.compile(r"(?:^|PMC)(\d{4,9})(?!\d)")

_ARXIV = re.compile(
    r"(?:\barxiv\s*[:.]?\s*|\barxiv\.org/(?:abs|pdf)/|\babs/)(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?!\d)",
    re.IGNORECASE,
)
_MAY_HAVE_ARXIV = ("journal", "journaltitle", "volume", "note", "howpublished", "number", "eid", "pages")


def arxiv_elsewhere(fields: Mapping[str, str]) -> tuple[str, str]:
    """The number at arXiv that stands in a field for something else, as Google Scholar, DBLP and people write
    it, and the name of this field; empty if there is none.

    >>> arxiv_elsewhere({"journal": "arXiv preprint arXiv:1601.00002"})
    ('1601.00002', 'journal')
    """
    for name in _MAY_HAVE_ARXIV:
        value = fields.get(name)
        if value and ("rxiv" in value.lower() or "abs/" in value) and (match := _ARXIV.search(value)):
            return match[1].lower(), name
    return "", ""


def publication_of(
    kind: str,
    fields: Mapping[str, str],
    text: Callable[[str], str],
    people: Callable[[str], tuple[str, ...]],
    title: str,
    arxiv: str,
) -> Publication:
    """The publication of an entry of the type `kind`. `text` gives the plain text of one of its `fields`, for
    those of titles with their subtitles, and `people` the names in one; `title` has its markup."""
    csl = csl_type(kind, "biblatex") or csl_type(kind, "bibtex")
    values: dict[str, Any] = {"container": _first(_CONTAINERS, fields, text)}
    for target, names in FIELDS.items():
        if value := _first(names, fields, text):
            values[target] = value
    if "pages" in values:
        values["pages"] = pages_of(_DASH.sub("-", values["pages"]))
    if "isbn" in values:  # Mendeley puts the numbers of journals there
        values["isbn"], values["issn"] = serial_numbers([values["isbn"], values.get("issn", "")])
    if "accessed" in values:
        values["accessed"] = date_of(values["accessed"].replace("–", "-"))
    if csl in _SERIES and "series" in values and "number" in values:
        values["series_number"] = values.pop("number")
    if "howpublished" in fields and "publisher" not in values and not _WEB.search(fields["howpublished"]):
        values["publisher"] = text("howpublished")
    genre = values.get("genre", kind).lower()
    if genre in GENRES:
        values["genre"] = GENRES[genre]
    if keywords := _first(("keywords", "keyword"), fields, text):
        values["keywords"] = tuple(_BETWEEN_KEYWORDS.split(keywords)[:_MOST_KEYWORDS])
    for target, name in (("editors", "editor"), ("translators", "translator")):
        if name in fields:
            values[target] = people(name)
    values |= _numbers(fields, text)
    preprint = arxiv and csl in ("document", "webpage")
    return Publication(
        type="article" if preprint else csl, title=title, date=_date(fields, text), arxiv=arxiv, **values
    )


def _first(names: tuple[str, ...], fields: Mapping[str, str], text: Callable[[str], str]) -> str:
    for name in names:
        if name in fields and (value := text(name)):
            return value
    return ""


def _numbers(fields: Mapping[str, str], text: Callable[[str], str]) -> dict[str, str]:
    """The numbers at PubMed and PubMed Central."""
    of_eprint = "eprint" if fields.get("eprinttype", "").strip().lower() in ("pubmed", "pmid") else ""
    numbers: dict[str, str] = {}
    for name in ("pmid", of_eprint, "note"):
        if name in fields and (name != "note" or "PMID" in fields["note"]):
            match = _PMID.search(text(name))
            if match and "pmid" not in numbers:
                numbers["pmid"] = match[1]
    for name in ("pmcid", "pmc"):
        if name in fields and (match := _PMCID.search(text(name))):
            numbers["pmcid"] = f"PMC{match[1]}"
    return numbers


# Dates --------------------------------------------------------------------------------------------------

_RANGE = re.compile(r"(\d{4})\s*[-–/]+\s*(\d{4}|\d\d)")
_STANDARD = re.compile(r"-?\d{4}(?:-\d\d){0,2}[?~%]?(?:/(?:-?\d{4}(?:-\d\d){0,2}[?~%]?)?)?")
"""A date or a range as biblatex has it."""
_DAY = re.compile(r"(?<!\d)([1-9]|[12]\d|3[01])(?!\d)")


def _date(fields: Mapping[str, str], text: Callable[[str], str]) -> str:
    """The date with its precision; words such as "in press" as they are."""
    if "date" in fields and (date := text("date")):
        return date if _STANDARD.fullmatch(date) else date_of(date)
    written = text("year") if "year" in fields else ""
    if years := _RANGE.fullmatch(written):
        return f"{years[1]}/{years[1][: 4 - len(years[2])]}{years[2]}"
    year = year_in(written) if written else None
    if year is None:
        return written
    date = f"{year:04d}" if year >= 0 else f"{year:05d}"
    month = text("month").lower() if "month" in fields else ""
    number = month_in(month)
    if not number:
        return date
    day = _DAY.findall(text("day") if "day" in fields else "" if month.isdecimal() else month)
    return f"{date}-{number:02d}" + (f"-{int(day[0]):02d}" if len(day) == 1 else "")
