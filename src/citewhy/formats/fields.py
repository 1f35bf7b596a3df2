"""What every reader does to a value: years, DOIs, ids; and a watch for ids that come twice."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote

from citewhy.formats.report import ImportReport
from citewhy.records import Paper
from citewhy.text.names import surname, title_key
from citewhy.text.tidy import shorten, tidy
from citewhy.text.tokens import fold

__all__ = ["Seen", "clean_doi", "doi_in_url", "id_of_file", "slug", "year_of", "year_of_collection"]

_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_OLD_COLLECTION = re.compile(r"[A-Z]\d\d")
_DOI = re.compile(r"^10\.\d{4,9}(?:\.\d+)*/[^\s{}\\\"]+$", re.ASCII)
_RESOLVER = re.compile(r"^(?:https?://)?(?:(?:dx|www)\.)?doi\.org/|^doi:\s*", re.IGNORECASE)
_TOOL_SUFFIXES = re.compile(
    r"(?:[-.]parscit[\w.-]*)?(?:\.(?:grobid|tei|xml|txt|pdf|gz|zst))*$", re.IGNORECASE
)


def id_of_file(path: str | os.PathLike[str]) -> str:
    """The id of a paper that a file of its own holds: the name without what the tools put after it.

    >>> id_of_file("out/2020.acl-main.207.grobid.tei.xml"), id_of_file("D15-1312-parscit.130908.xml.gz")
    ('2020.acl-main.207', 'D15-1312')
    """
    name = Path(path).name
    return tidy(_TOOL_SUFFIXES.sub("", name)) or tidy(name)


def year_of(value: object) -> int | None:
    """The calendar year (1500 to 2099) that a number or a text such as "Jan 2002" names; None for "n.d."."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int | str):
        found = _YEAR.search(str(value)[:200])
        return int(found[1]) if found else None
    return None


def year_of_collection(collection: str) -> int | None:
    """The year in what an id of the ACL Anthology begins with; None for any other id.

    >>> year_of_collection("P15"), year_of_collection("2020.acl"), year_of_collection("X")
    (2015, 2020, None)
    """
    if _OLD_COLLECTION.fullmatch(collection):
        return (1900 if int(collection[1:]) >= 60 else 2000) + int(collection[1:])
    return year_of(collection[:4])


def clean_doi(value: str) -> str:
    """Lower case, without the address of a resolver; empty for what is no DOI.

    >>> clean_doi("https://doi.org/10.3115/1073083.1073135"), clean_doi("unknown")
    ('10.3115/1073083.1073135', '')
    """
    text = value.strip()
    while resolver := _RESOLVER.match(text):
        text = unquote(text[resolver.end() :]) if "/" in resolver[0] else text[resolver.end() :]
    text = text.rstrip(".,;").lower()
    return text if _DOI.match(text) and text.isprintable() else ""


def doi_in_url(url: str) -> str:
    """The DOI of an address such as https://doi.org/10.1162/tacl_a_00051; empty for other addresses."""
    return clean_doi(url) if re.match(r"^https?://(?:(?:dx|www)\.)?doi\.org/", url, re.IGNORECASE) else ""


def slug(paper: Paper) -> str:
    """An id for a paper that has none: first author's surname, year, first word of the title."""
    author = surname(paper.authors[0]) if paper.authors else ""
    parts = (author, str(paper.year or ""), *fold(paper.title).split())
    cleaned = ["".join(c for c in part if c.isalnum()) for part in parts]
    first_word = next((word for word in cleaned[2:] if word), "")
    return cleaned[0] + cleaned[1] + first_word


class Seen:
    """The ids of one file. The first record of an id counts, in every format.

    A repetition with the same title (or text) is only noted; with another a record is lost: that is a skip.
    """

    def __init__(self, path: str | os.PathLike[str], report: ImportReport) -> None:
        self._path = path
        self._report = report
        self._titles: dict[str, str] = {}

    def again(self, identifier: str, title: str, line: int | None) -> bool:
        """True where the id came before; the report then knows of it."""
        first = self._titles.get(identifier)
        if first is None:
            self._titles[identifier] = title
            return False
        if title_key(first) == title_key(title):
            self._report.warn(self._path, line, f"id {shorten(identifier)!r} comes again; the first counts")
        else:
            known, other = shorten(first), shorten(title)
            clash = f"id {shorten(identifier)!r} stands for {known!r} already, not for {other!r}"
            self._report.skip(self._path, line, f"{clash}; the first counts")
        return True
