"""TEI of GROBID: a paper with its header, its text and its reference list.

Sentences are those of the file if it has any (``<s>``, GROBID's option ``segmentSentences``). Formulas,
figures, tables and notes are left out.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from citewhy.base.import_report import ImportReport
from citewhy.base.records import FullText, Header, Paper, Reference, ReferenceList
from citewhy.papers.formats.fields import id_of_file
from citewhy.text.asked import Node
from citewhy.text.dates import year_of
from citewhy.text.doi import clean_doi
from citewhy.text.sentence_flow import Flow, FullTextBuilder
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten, tidy
from citewhy.text.xml_files import Element, parse_mended

__all__ = ["NAME", "SOURCE", "read"]

NAME = "TEI of GROBID"

SOURCE = "grobid"
"""Source of the citations from these files."""

_ID = "{http://www.w3.org/XML/1998/namespace}id"
_NO_TEXT = frozenset({"figure", "formula", "note", "table"})
_KEPT = (
    *("fileDesc/titleStmt/title", "profileDesc/abstract", "fileDesc/sourceDesc//analytic/title"),
    *("fileDesc/sourceDesc//analytic/author/persName", "fileDesc/sourceDesc//monogr/title"),
    *("fileDesc//date", "fileDesc/sourceDesc//idno[@type='DOI']"),
)
"""Paths in the header that are kept."""


def read(path: FilePath, report: ImportReport) -> Iterator[Header | FullText | ReferenceList]:
    """The paper, under the name of its file."""
    root = parse_mended(path, functools.partial(report.warn, path), ("TEI",), "TEI of GROBID")
    title = _plain(root.find("teiHeader/fileDesc/titleStmt/title"))
    text = FullTextBuilder(title)
    for division in root.iterfind("teiHeader/profileDesc/abstract"):
        _read_division(division, "abstract", text)
    abstract = text.text_of("abstract")
    for body in root.iterfind("text/body"):
        _read_division(body, "", text)
    paper = _paper(root.find("teiHeader/fileDesc"), id_of_file(path), title, abstract, path, report)
    if title:
        yield Header(paper)
    else:
        report.warn(path, None, "the file has no title: its sentences are read, but no paper is added")
    if len(text.sentences) > bool(title):
        yield FullText(paper.id, tuple(text.sentences))
    else:
        report.skip(path, None, "the file has no text")
    references = tuple(_references(root))
    if references:
        yield ReferenceList(paper.id, references, tuple(text.citing), paper.year, SOURCE)
    report.leave(NAME, _not_kept(root, len(references)))


def _not_kept(root: Element, references: int) -> Iterator[str]:
    """Parts of the header and of the text that no record contains."""
    for header in root.iterfind("teiHeader"):
        node = Node(header)
        for place in _KEPT:
            for element in node.elements(place):
                node.keep(element)
        yield from node.not_kept()
    yield from sorted({f"({element.tag})" for element in root.iter(*_NO_TEXT)})
    if len(root.findall("text/back//listBibl/biblStruct")) > references:
        yield "(references without a title)"


# The text -------------------------------------------------------------------------------------------------


def _read_division(division: Element, section: str, text: FullTextBuilder) -> None:
    """Paragraphs under their headings. Divisions may be nested; the parser limits the depth."""
    for child in division:
        if child.tag == "head":
            section = _plain(child) or section
        elif child.tag in ("p", "ab"):
            _read_paragraph(child, section, text)
        elif child.tag in ("div", "list", "item", "quote"):
            _read_division(child, section, text)
        elif child.tag == "s":
            text.add(section, _flow(child).whole())


def _read_paragraph(paragraph: Element, section: str, text: FullTextBuilder) -> None:
    text.begin_paragraph()
    sentences = paragraph.findall("s")
    if not sentences:
        text.add(section, _flow(paragraph).sentences())
    for sentence in sentences:
        text.add(section, _flow(sentence).whole())


def _flow(element: Element) -> Flow:
    flow = Flow()
    _pour(element, flow)
    return flow


def _pour(element: Element, flow: Flow) -> None:
    flow.write(element.text or "")
    for child in element:
        if child.tag == "ref" and child.get("type") == "bibr":
            targets = (child.get("target") or "").split()
            flow.cite("".join(child.itertext()), [target.removeprefix("#") for target in targets])
        elif isinstance(child.tag, str) and child.tag not in _NO_TEXT:
            _pour(child, flow)
        flow.write(child.tail or "")


# The header, and the references ---------------------------------------------------------------------------


def _paper(
    header: Element, identifier: str, title: str, abstract: str, path: FilePath, report: ImportReport
) -> Paper:
    source = None if header is None else header.find("sourceDesc/biblStruct")
    if source is None:
        return Paper(identifier, title, abstract)
    return Paper(
        identifier,
        title,
        abstract,
        tuple(_authors(source, "analytic/author")),
        _year(source) or _year(header),
        _plain(source.find("monogr/title")),
        _doi(source, path, report),
    )


def _references(root: Element) -> Iterator[Reference]:
    """Entries that have a key and a title; others cannot be looked up."""
    for entry in root.iterfind("text/back//listBibl/biblStruct"):
        article, volume = _plain(entry.find("analytic/title")), _plain(entry.find("monogr/title"))
        key = entry.get(_ID)
        if key and (article or volume):
            yield Reference(
                key,
                Paper(
                    key,
                    article or volume,
                    authors=tuple(_authors(entry, "analytic/author") or _authors(entry, "monogr/author")),
                    year=_year(entry),
                    venue=volume if article else "",
                    doi=_doi(entry),
                ),
            )


def _authors(entry: Element, where: str) -> list[str]:
    names = []
    for person in entry.iterfind(f"{where}/persName"):
        parts = [*person.iterfind("forename"), *person.iterfind("surname"), *person.iterfind("genName")]
        if name := " ".join(text for part in parts if (text := _plain(part))):
            names.append(name)
    return names


def _year(entry: Element) -> int | None:
    """The year of the first date that has one."""
    for date in entry.iter("date"):
        if year := year_of(date.get("when") or _plain(date)):
            return year
    return None


def _doi(entry: Element, path: FilePath | None = None, report: ImportReport | None = None) -> str:
    for number in entry.iter("idno"):
        if (number.get("type") or "").upper() == "DOI" and (given := _plain(number)):
            doi = clean_doi(given)
            if not doi and path is not None and report is not None:
                report.warn(path, number.sourceline, f"{shorten(given)!r} is not a DOI; left empty")
            return doi
    return ""


def _plain(element: Any) -> str:
    return "" if element is None else tidy("".join(element.itertext()))
