"""What every reader does to a value: years, DOIs, ids; and a watch for ids that come twice."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

from citewhy.formats.report import ImportReport
from citewhy.records import Paper
from citewhy.text.names import surname, title_key
from citewhy.text.tidy import shorten, tidy
from citewhy.text.tokens import fold

__all__ = ["MadeIds", "Seen", "arxiv_number", "id_of_file", "slug", "year_of", "year_of_collection"]

_REMEMBERED = 500_000
_MOST_COPIES = 20
"""Papers of one file that may share an id; beyond that it is none."""

_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_OLD_COLLECTION = re.compile(r"[A-Z]\d\d")
_ARXIV = re.compile(
    r"^(?:(?:https?://)?(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/|arxiv:\s*)?"
    r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?(?:\.pdf)?(?:\s*\[[\w.-]+\])?/?$",
    re.IGNORECASE,
)
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


def arxiv_number(value: str) -> str:
    """The number of an arXiv paper without its version; empty for anything else.

    >>> arxiv_number("http://arxiv.org/abs/1706.03762v5"), arxiv_number("arXiv:cs/0112017")
    ('1706.03762', 'cs/0112017')
    """
    found = _ARXIV.match(value.strip())
    return found[1].lower() if found else ""


def slug(paper: Paper) -> str:
    """An id for a paper that has none: first author's surname, year, first word of the title."""
    author = surname(paper.authors[0]) if paper.authors else ""
    parts = (author, str(paper.year or ""), *fold(paper.title).split())
    cleaned = ["".join(c for c in part if c.isalnum()) for part in parts]
    first_word = next((word for word in cleaned[2:] if word), "")
    return cleaned[0] + cleaned[1] + first_word


class Seen:
    """The ids of one file. The first record of an id counts, in every format.

    A paper that repeats an id with the same title is only noted. With another title it is another paper, and
    is kept under an id of its own. Beyond `_REMEMBERED` ids, repetitions are the library's to settle.
    """

    def __init__(self, path: str | os.PathLike[str], report: ImportReport) -> None:
        self._path = path
        self._report = report
        self._titles: dict[str, str] = {}

    def placed(self, paper: Paper, line: int | None) -> Paper | None:
        """The paper under an id of its own in this file: ``id#2`` where the id is another's. None for a
        repetition, and where too many papers share an id. The report knows of all three."""
        name = paper.id
        for copy in range(2, _MOST_COPIES + 2):
            first = self._titles.get(name)
            if first is None:
                if len(self._titles) < _REMEMBERED:
                    self._titles[name] = paper.title
                if name == paper.id:
                    return paper
                self._report.warn(self._path, line, f"{self._clash(paper)}; this one is kept as {name!r}")
                return replace(paper, id=name)
            if first == paper.title or title_key(first) == title_key(paper.title):
                why = f"id {shorten(paper.id)!r} comes again; the first counts" if self._report.room else ""
                self._report.repeat(self._path, line, why)
                return None
            name = f"{paper.id}#{copy}"
        self._report.skip(self._path, line, f"{self._clash(paper)}, and for {_MOST_COPIES} others")
        return None

    def again(self, identifier: str, text: str, line: int | None) -> bool:
        """True where the id of a record that is no paper came before; the report then knows of it."""
        first = self._titles.get(identifier)
        if first is None:
            if len(self._titles) < _REMEMBERED:
                self._titles[identifier] = text
            return False
        if title_key(first) == title_key(text):
            self._report.repeat(self._path, line, f"id {shorten(identifier)!r} comes again; the first counts")
        else:
            clash = (
                f"id {shorten(identifier)!r} stands for {shorten(first)!r} already, not for {shorten(text)!r}"
            )
            self._report.skip(self._path, line, f"{clash}; the first counts")
        return True

    def _clash(self, paper: Paper) -> str:
        known = shorten(self._titles[paper.id])
        return f"id {shorten(paper.id)!r} stands for {known!r} already, not for {shorten(paper.title)!r}"


class MadeIds:
    """Slugs for papers without an id; papers that would share one get numbers, in the order of the file."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], str] = {}
        self._count: Counter[str] = Counter()

    def make(self, paper: Paper) -> str:
        """Empty where there is nothing to make an id of."""
        base = slug(paper)
        key = (base, title_key(paper.title) or paper.title)
        if base and key not in self._made:
            self._count[base] += 1
            self._made[key] = base if self._count[base] == 1 else f"{base}-{self._count[base]}"
        return self._made.get(key, "")
