"""DBLP: its dump, record by record, and the XML of single people and papers. The id is the key of DBLP's own
BibTeX: ``DBLP:conf/acl/PapineniRWZ02``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewhy.base.records import Paper
from citewhy.papers.formats.asked import Node
from citewhy.papers.formats.doi import doi_in_url
from citewhy.papers.formats.fields import Seen, year_of
from citewhy.papers.formats.markup import Element
from citewhy.papers.formats.report import ImportReport
from citewhy.papers.formats.xml_stream import elements
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten, tidy

__all__ = ["NAME", "read"]

NAME = "DBLP XML"

_PAPERS = (
    "article",
    "inproceedings",
    "proceedings",
    "book",
    "incollection",
    "phdthesis",
    "mastersthesis",
    "data",
)
_OTHERS = ("www", "person")
_ROOTS = ("dblp", "dblpperson")
_NUMBERED = re.compile(r" \d{4}$")
"""The number that DBLP appends to distinguish people with the same name."""


def read(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Publications with a title; people's pages are counted and skipped."""
    seen = Seen(path, report)
    for element in elements(path, (*_PAPERS, *_OTHERS), _ROOTS, "XML of DBLP"):
        if element.tag in _OTHERS:
            report.leave(NAME, [f"({element.tag})"])
            continue
        line = element.sourceline
        key = tidy(element.get("key") or "")
        record = Node(element)
        title = record.text("title")
        if not key or not title:
            report.skip(path, line, f"{shorten(key)!r} has no title" if key else "the record has no key")
            continue
        paper = _paper(record, key, title)
        report.leave(NAME, record.not_kept())
        if placed := seen.placed(paper, line):
            yield placed


def _paper(record: Node, key: str, title: str) -> Paper:
    people = record.texts("author") or record.texts("editor")
    url, doi = _address(record)
    return Paper(
        f"DBLP:{key}",
        title.removesuffix(".") if not title.endswith("..") else title,
        "",
        tuple([_NUMBERED.sub("", name) for name in people]),
        year_of(record.text("year")),
        record.first("journal", "booktitle", "school", "publisher"),
        doi,
        url,
    )


def _address(record: Node) -> tuple[str, str]:
    """The first electronic edition, and the DOI of the first one that has one."""
    editions: list[Element] = record.found("ee")
    addresses = [tidy(one.text or "") for one in editions]
    dois = [doi_in_url(address) for address in addresses]
    for number, (edition, doi) in enumerate(zip(editions, dois, strict=True)):
        if number == 0 or doi:
            record.keep(edition)
    return next(iter(addresses), ""), next((doi for doi in dois if doi), "")
