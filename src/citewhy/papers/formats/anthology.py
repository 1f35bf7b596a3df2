"""ACL Anthology XML, old and new: a flat ``<volume id="P02">``, or a ``<collection>`` of volumes.

Ids are formed as the Anthology forms them. Front matter and indexes are not papers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewhy.base.import_report import ImportReport
from citewhy.base.records import Paper
from citewhy.papers.formats.fields import Intake, Warn, year_of_collection
from citewhy.text.dates import year_of
from citewhy.text.doi import checked_doi
from citewhy.text.latex_text import plain
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten, tidy
from citewhy.text.xml_files import Element, parse

__all__ = ["NAME", "paper_id", "read"]

NAME = "ACL Anthology XML"

_KEPT = frozenset({"title", "abstract", "author", "year", "booktitle", "journal", "doi", "url"})
_SITE = "https://aclanthology.org/"
_OLD_COLLECTION = re.compile(r"[A-Z]\d\d")
_NEW_COLLECTION = re.compile(r"\d{4}\.[A-Za-z0-9_]+")
_NUMBER = re.compile(r"[0-9]{1,5}")
_VOLUME = re.compile(r"[A-Za-z0-9_]+")
_EARLIER_SITE = re.compile(
    r"^https?://(?:www\.)?(?:aclweb\.org/anthology|aclanthology\.(?:info|coli\.[a-z-]+\.de))/"
)
_NO_PAPER = re.compile(
    r"(?:front|back) ?matter|(?:(?:author|subject|keyword)s?['’]? )?index|index of authors", re.IGNORECASE
)


def paper_id(collection: str, volume: str, paper: str) -> str:
    """The id of a paper in the new format. Raises ValueError for invalid parts.

    >>> paper_id("P02", "1", "40"), paper_id("W04", "10", "13"), paper_id("2020.acl", "main", "207")
    ('P02-1040', 'W04-1013', '2020.acl-main.207')
    """
    if not _NUMBER.fullmatch(paper):
        raise ValueError(paper)
    number = int(paper)
    if _NEW_COLLECTION.fullmatch(collection) and _VOLUME.fullmatch(volume):
        return f"{collection}-{volume}.{number}"
    if not _OLD_COLLECTION.fullmatch(collection) or not _NUMBER.fullmatch(volume):
        raise ValueError(f"{collection}-{volume}")
    if _two_digit_volumes(collection, int(volume)):
        return f"{collection}-{int(volume):02d}{number:02d}"
    return f"{collection}-{int(volume)}{number:03d}"


def read(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """The papers of a file, with their own authors rather than the editors of their volume."""
    root = parse(path, ("volume", "collection"), "a volume or collection of the ACL Anthology")
    intake = Intake(NAME, path, report)
    papers = _in_flat_file(root) if root.tag == "volume" else _in_collection(root)
    for element, identifier, booktitle, year in papers:
        line = element.sourceline
        if identifier is None:
            intake.skip(line, f"{shorten(str(element.get('id')))!r} is no number of a paper of this file")
            continue
        title = _plain(element.find("title"))
        if not title:
            intake.skip(line, f"paper {identifier} has no title")
        elif _NO_PAPER.fullmatch(title):
            intake.leave(["(front matter)"])
        else:
            intake.leave(child.tag for child in element if _is_left(child))
            paper = Paper(
                identifier,
                title,
                _plain(element.find("abstract")),
                tuple([name for author in element.iterfind("author") if (name := _person(author))]),
                _year(element, intake.warn(line)) or year,
                _plain(element.find("booktitle")) or _plain(element.find("journal")) or booktitle,
                checked_doi(_plain(element.find("doi")), intake.warn(line)),
                _address(element, identifier),
            )
            yield from intake.papers(paper, line)


Found = tuple[Element, str | None, str, int | None]
"""A paper element, its id (None if it has no valid one), and the title and year of its volume."""


def _in_flat_file(root: Element) -> Iterator[Found]:
    """``<paper id="1040">`` has the numbers of volume and paper in one; number 0 is the front matter."""
    collection = str(root.get("id") or "")
    booktitle = ""
    for element in root.iterfind("paper"):
        number = str(element.get("id") or "")
        if not _OLD_COLLECTION.fullmatch(collection) or not re.fullmatch(r"[0-9]{4,5}", number):
            yield element, None, booktitle, None
            continue
        if number.endswith("00" if _two_digit_volumes(collection, int(number[0])) else "000"):
            booktitle = _plain(element.find("title"))
            continue
        yield element, f"{collection}-{number}", booktitle, year_of_collection(collection)


def _in_collection(root: Element) -> Iterator[Found]:
    collection = str(root.get("id") or "")
    for volume in root.iterfind("volume"):
        booktitle = _plain(volume.find("meta/booktitle"))
        year = year_of(_plain(volume.find("meta/year"))) or year_of_collection(collection)
        for element in volume.iterfind("paper"):
            number = str(element.get("id") or "")
            if re.fullmatch(r"0+", number):
                continue  # front matter, in files without an element for it
            try:
                identifier = paper_id(collection, str(volume.get("id") or ""), number)
            except ValueError:
                yield element, None, booktitle, year
                continue
            yield element, identifier, booktitle, year


def _two_digit_volumes(collection: str, volume: int) -> bool:
    """Whether two digits are the volume and two the paper, as in workshops; elsewhere one and three."""
    return collection[:1] == "W" or collection == "C69" or (collection == "D19" and volume >= 5)


def _is_left(child: Element) -> bool:
    return isinstance(child.tag, str) and child.tag not in _KEPT and bool(_plain(child))


def _plain(element: Element | None) -> str:
    return "" if element is None else tidy(_text(element))


def _text(element: Element) -> str:
    """The text of an element without markup. The parser limits its depth (huge_tree is off)."""
    written = [element.text or ""]
    for child in element:
        if child.tag == "tex-math":
            written.append(plain(f"${''.join(child.itertext())}$"))
        elif isinstance(child.tag, str):
            written.append(_text(child))
        written.append(child.tail or "")
    return "".join(written)


def _person(author: Element) -> str:
    parts = [_plain(author.find(part)) for part in ("first", "last", "suffix")]
    return " ".join(part for part in parts if part) or tidy(author.text or "")


def _year(element: Element, warn: Warn) -> int | None:
    given = _plain(element.find("year"))
    year = year_of(given)
    if given and year is None:
        warn(f"year {shorten(given)!r} is not a year; the volume's is used")
    return year


def _address(element: Element, identifier: str) -> str:
    """The URL of the paper. Those of earlier versions of the site are replaced, since they no longer work."""
    given = _plain(element.find("url"))
    own = not given or "://" not in given or _EARLIER_SITE.match(given) or given.startswith(_SITE)
    return f"{_SITE}{identifier}" if own else given
