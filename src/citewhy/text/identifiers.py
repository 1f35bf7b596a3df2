"""Identifiers other than DOIs, as values and notes have them: numbers at arXiv and PubMed, ISBN, ISSN; and
lists of keywords."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from citewhy.base.records import Publication
from citewhy.text.doi import clean_doi
from citewhy.text.tidy import tidy

__all__ = [
    "arxiv_number",
    "catalogue_number",
    "catalogue_numbers_of",
    "keywords_of",
    "pmcid_of",
    "serial_numbers",
    "without_identifiers",
]

_ARXIV = re.compile(
    r"^(?:(?:https?://)?(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/|arxiv:\s*)?"
    r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?(?:\.pdf)?(?:\s*\[[\w.-]+\])?/?$",
    re.IGNORECASE,
)


def arxiv_number(value: str) -> str:
    """The number of an arXiv paper without its version; empty for anything else.

    >>> arxiv_number("http://arxiv.org/abs/1706.03762v5"), arxiv_number("arXiv:cs/0112017")
    ('1706.03762', 'cs/0112017')
    """
    number = _ARXIV.match(value.strip()) if "." in value or "/" in value else None
    return number[1].lower() if number else ""


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


CatalogueNumber = tuple[Literal["pmid", "pmcid", "isbn"], str]
"""A number of PubMed or PubMed Central, or an ISBN without its check digit, by which it has one form."""

_CATALOGUED = re.compile(
    r"(?P<name>pmid|pmcid|isbn)(?:-1[03])?\s*:?\s*(?P<value>[\dPMC][\dPMCX -]*)", re.IGNORECASE
)
_ISBN_13 = re.compile(r"97[89][- ]?\d(?:[- ]?\d){9}")


def catalogue_number(text: str) -> CatalogueNumber | None:
    """The number that a text consists of, with its name before it unless it is an ISBN of 13 digits; None for
    anything else.

    >>> catalogue_number("pmid: 12345678"), catalogue_number("ISBN 0-262-03384-4")
    (('pmid', '12345678'), ('isbn', '978026203384'))
    >>> catalogue_number("978-0-262-03384-8"), catalogue_number("isbn of a book")
    (('isbn', '978026203384'), None)
    """
    written = text.strip()
    if _ISBN_13.fullmatch(written):
        return "isbn", _isbn_key(written)
    match = _CATALOGUED.fullmatch(written)
    if match is None:
        return None
    name, value = match["name"].lower(), _checked(match["name"].lower(), match["value"])
    if name == "isbn":
        return ("isbn", _isbn_key(value)) if value else None
    if not value:
        return None
    return ("pmid", value) if name == "pmid" else ("pmcid", value)


def catalogue_numbers_of(known: Publication) -> Iterator[CatalogueNumber]:
    """Yields the numbers of a publication, as `catalogue_number` has them."""
    yield "pmid", known.pmid
    yield "pmcid", pmcid_of(known.pmcid)
    for isbn in _ISBN.findall(known.isbn):
        yield "isbn", _isbn_key(isbn)


def _isbn_key(isbn: str) -> str:
    digits = re.sub(r"[^\dX]", "", isbn.upper())[:-1]
    return digits if len(digits) > 9 else f"978{digits}"


_IDENTIFIER = re.compile(
    r"^[ \t]*(?P<name>doi|pmid|pmcid|arxiv|isbn|issn)[ \t]*:[ \t]*(?P<value>\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line of Zotero's field "Extra", which it writes into the note."""


_BETWEEN_KEYWORDS = re.compile(r"[;\n|]")


def pmcid_of(number: str) -> str:
    """A number at PubMed Central, given with or without its letters, as it is printed.

    >>> pmcid_of("5550001"), pmcid_of("pmc5550001")
    ('PMC5550001', 'PMC5550001')
    """
    return f"PMC{number.upper().removeprefix('PMC')}" if number else ""


def keywords_of(texts: Iterable[str]) -> tuple[str, ...]:
    """The keywords of fields that have one, or several between semicolons, bars or line ends."""
    return tuple([word for text in texts for one in _BETWEEN_KEYWORDS.split(text) if (word := tidy(one))])


def without_identifiers(note: str) -> tuple[str, dict[str, str]]:
    """A note, and the identifiers that are lines of their own in it, by their names in lower case.

    >>> without_identifiers("Second print.\\narXiv: 1706.03762v5")
    ('Second print.', {'arxiv': '1706.03762'})
    """
    identifiers: dict[str, str] = {}

    def taken(line: re.Match[str]) -> str:
        name, value = line["name"].lower(), tidy(line["value"])
        clean = _checked(name, value)
        if clean:
            identifiers.setdefault(name, clean)
        return "" if clean else line[0]

    return tidy(_IDENTIFIER.sub(taken, note)), identifiers


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
