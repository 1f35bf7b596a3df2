"""MODS, the format of libraries and of the ACL Anthology's exports.

The id is the citation key if there is one (``identifier type="citekey"``, or the record's ID), or else the
DOI, or else generated.
"""

from __future__ import annotations

from collections.abc import Iterator

from citewhy.base.records import Paper
from citewhy.papers.formats.asked import Node
from citewhy.papers.formats.doi import clean_doi, doi_in_url
from citewhy.papers.formats.fields import MadeIds, Seen, renamed, year_of
from citewhy.papers.formats.markup import Element
from citewhy.papers.formats.report import ImportReport
from citewhy.papers.formats.xml_stream import elements
from citewhy.text.person import Name
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten, tidy

__all__ = ["NAME", "read"]

NAME = "MODS"

_AUTHORS = ("author", "aut", "creator", "cre", "")
_EDITORS = ("editor", "edt")
_DATES = ("originInfo/dateIssued", "part/date", "originInfo/copyrightDate", "originInfo/dateCreated")


def read(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Records with a title."""
    seen, made = Seen(path, report), MadeIds()
    for element in elements(path, ("mods",), ("modsCollection", "mods"), "MODS"):
        line = element.sourceline
        record = Node(element)
        paper = _paper(record, line, path, report)
        report.leave(NAME, record.not_kept())
        identifier = paper.id or paper.doi or made.make(paper)
        if not paper.title or not identifier:
            report.skip(path, line, "the record has no title")
        elif placed := seen.placed(renamed(paper, identifier), line):
            yield placed


def _paper(record: Node, line: int | None, path: FilePath, report: ImportReport) -> Paper:
    host = next((one for one in record.found("relatedItem") if one.get("type") == "host"), None)
    doi = ""
    for given in _identifiers(record, "doi"):
        doi = doi or clean_doi(given)
        if not clean_doi(given):
            report.warn(path, line, f"{shorten(given)!r} is not a DOI; left empty")
    url = record.text("location/url") or next(iter(_identifiers(record, "uri")), "")
    people = _people(record, _AUTHORS) or _people(record, _EDITORS)
    years = [record.text(place) for place in _DATES]
    if host is not None and not any(map(year_of, years)):
        years = [record.text(place, host) for place in _DATES]
    return Paper(
        next(iter(_identifiers(record, "citekey")), "") or tidy(record.root.get("ID") or ""),
        _title(record, record.root),
        record.text("abstract"),
        tuple(people),
        next((year for one in years if (year := year_of(one))), None),
        (_title(record, host) if host is not None else "") or record.text("originInfo/publisher"),
        doi or doi_in_url(url),
        url,
    )


def _title(record: Node, place: Element) -> str:
    """The first title that is neither an abbreviation nor a translation."""
    for info in record.found("titleInfo", place):
        if info.get("type") in (None, "uniform"):
            article, title = record.text("nonSort", info), record.text("title", info)
            if subtitle := record.text("subTitle", info):
                title = f"{title}: {subtitle}"
            return tidy(f"{article} {title}")
    return ""


def _identifiers(record: Node, kind: str) -> list[str]:
    texts = []
    for identifier in record.found("identifier"):
        if (identifier.get("type") or "").lower() == kind and (text := tidy(identifier.text or "")):
            record.keep(identifier)
            texts.append(text)
    return texts


def _people(record: Node, roles: tuple[str, ...]) -> list[str]:
    names = []
    for person in record.found("name"):
        if tidy(person.findtext("role/roleTerm") or "").lower() not in roles:
            continue
        parts: dict[str, list[str]] = {}
        for part in person.iterfind("namePart"):
            parts.setdefault(part.get("type") or "", []).append(tidy("".join(part.itertext())))
        given, family = " ".join(parts.get("given", [])), " ".join(parts.get("family", []))
        suffix = " ".join(parts.get("termsOfAddress", []))
        name = str(Name(given, family, "", suffix)) if given or family else " ".join(parts.get("", []))
        record.keep(person)
        if name:
            names.append(name)
    return names
