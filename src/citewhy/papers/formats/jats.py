"""JATS, the XML of journals (PubMed Central, publishers): an article, or a set of them.

The id is the DOI, or else the PMID, the PubMed Central id, or the name of the file.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from citewhy.base.import_report import ImportReport
from citewhy.base.records import Alias, FullText, Name, Paper, Publication, Reference, ReferenceList
from citewhy.papers.formats.fields import Seen, Warn, id_of_file
from citewhy.text.asked import Node
from citewhy.text.dates import date_of_parts, pages_of, year_of
from citewhy.text.doi import checked_doi, clean_doi
from citewhy.text.identifiers import pmcid_of, serial_numbers
from citewhy.text.person import inverted
from citewhy.text.sentence_flow import Flow, FullTextBuilder
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten, tidy
from citewhy.text.xml_files import Element, elements

__all__ = ["NAME", "SOURCE", "read"]

NAME = "JATS"
SOURCE = "jats"
"""Source of the citations from these files."""

_NO_TEXT = frozenset(
    """disp-formula fig fig-group fn inline-formula inline-graphic media supplementary-material table
    table-wrap table-wrap-group tex-math""".split()  # noqa: SIM905
)
_BLOCKS = frozenset({"sec", "list", "list-item", "disp-quote", "boxed-text", "def-list", "def-item", "def"})
_OTHER_ABSTRACTS = ("graphical", "teaser", "key-points", "executive-summary", "toc", "plain-language-summary")
_CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation")

Made = Paper | Alias | FullText | ReferenceList


def read(path: FilePath, report: ImportReport) -> Iterator[Made]:
    """Articles: metadata, sentences if the file contains the text, references."""
    seen = Seen(path, report)
    for element in elements(path, ("article",), ("article", "pmc-articleset", "articles"), "JATS"):
        article = Node(element)
        ids = _ids(article)
        title = _title(article)
        identifier = _identifier(ids) or id_of_file(path)
        if not title:
            report.skip(path, element.sourceline, f"article {shorten(identifier)} has no title")
            continue
        text = FullTextBuilder(title)
        for abstract in _abstracts(article):
            _read_division(abstract, "abstract", text)
        summary = text.text_of("abstract")
        for body in article.elements("body"):
            article.keep(body)
            _read_division(body, "", text)
        paper = seen.placed(
            _paper(
                article,
                identifier,
                title,
                summary,
                ids,
                functools.partial(report.warn, path, element.sourceline),
            ),
            element.sourceline,
        )
        references = tuple(_references(article))
        report.leave(NAME, article.not_kept())
        report.leave(NAME, sorted({f"({one.tag})" for one in element.iter(*_NO_TEXT)}))
        if paper is None:
            continue
        yield paper
        for kind, form in (("pmid", "PMID:{}"), ("pmc", "{}"), ("pmcid", "{}")):
            if ids.get(kind) and (other := form.format(ids[kind])) != paper.id:
                yield Alias(paper.id, other if kind == "pmid" or other.startswith("PMC") else f"PMC{other}")
        if any(sentence.section not in ("title", "abstract") for sentence in text.sentences):
            yield FullText(paper.id, tuple(text.sentences))
        if references:
            yield ReferenceList(paper.id, references, tuple(text.citing), paper.year, SOURCE)


# Metadata -------------------------------------------------------------------------------------------------


def _ids(article: Node) -> dict[str, str]:
    ids: dict[str, str] = {}
    for one in article.elements("front/article-meta/article-id"):
        kind = (one.get("pub-id-type") or "").lower()
        if kind in ("doi", "pmid", "pmc", "pmcid") and (text := tidy(one.text or "")):
            article.keep(one)
            ids.setdefault(kind, text)
    return ids


def _identifier(ids: dict[str, str]) -> str:
    if doi := clean_doi(ids.get("doi", "")):
        return doi
    if pmid := ids.get("pmid"):
        return f"PMID:{pmid}"
    return pmcid_of(ids.get("pmcid") or ids.get("pmc") or "")


def _title(article: Node) -> str:
    group = "front/article-meta/title-group"
    title = _written(article, f"{group}/article-title")
    subtitle = _written(article, f"{group}/subtitle")
    return f"{title}: {subtitle}" if title and subtitle else title


def _written(article: Node, path: str) -> str:
    """Text without footnotes and the like."""
    for element in article.elements(path):
        article.keep(element)
        flow = Flow()
        _pour(element, flow)
        return tidy("".join(text for text, _ in flow.whole()))
    return ""


def _abstracts(article: Node) -> Iterator[Element]:
    for abstract in article.elements("front/article-meta/abstract"):
        if abstract.get("abstract-type") not in _OTHER_ABSTRACTS:
            article.keep(abstract)
            yield abstract


def _paper(
    article: Node,
    identifier: str,
    title: str,
    abstract: str,
    ids: dict[str, str],
    warn: Warn,
) -> Paper:
    doi = checked_doi(ids.get("doi", ""), warn)
    years = [year_of(one) for one in article.texts("front/article-meta/pub-date/year")]
    return Paper(
        identifier,
        title,
        abstract,
        tuple(_authors(article)),
        min((year for year in years if year), default=None),
        article.first(
            "front/journal-meta/journal-title-group/journal-title",
            "front/journal-meta/journal-title",
            "front/journal-meta/journal-title-group/abbrev-journal-title",
        ),
        doi,
        publication=_publication(article, ids),
    )


_TYPES = {"book-review": "review-book", "product-review": "review", "preprint": "article"}


def _publication(article: Node, ids: dict[str, str]) -> Publication:
    def of(path: str) -> str:
        return article.text(f"front/article-meta/{path}")

    def of_journal(path: str) -> str:
        return article.text(f"front/journal-meta/{path}")

    titles = ("journal-title-group/journal-title", "journal-title")
    dates = []
    for element in article.elements("front/article-meta/pub-date"):
        parts = [tidy(element.findtext(part) or "") for part in ("year", "month", "day")]
        dates.append(date_of_parts([part for part in parts if part]))
        article.keep(element)
    isbn, issn = serial_numbers(article.texts("front/journal-meta/issn"))
    pmc = ids.get("pmcid") or ids.get("pmc") or ""
    return Publication(
        _TYPES.get(article.root.get("article-type") or "", "article-journal"),
        editors=tuple(_authors(article, "editor")),
        container=next(filter(None, map(of_journal, titles)), ""),
        container_short=of_journal("journal-title-group/abbrev-journal-title"),
        volume=of("volume"),
        number=of("issue"),
        pages=pages_of(of("fpage"), of("lpage")) or of("elocation-id"),
        publisher=of_journal("publisher/publisher-name"),
        place=of_journal("publisher/publisher-loc"),
        date=min(filter(None, dates), default=""),
        isbn=isbn,
        issn=issn,
        pmid=ids.get("pmid", ""),
        pmcid=pmcid_of(pmc),
        keywords=tuple(article.texts("front/article-meta/kwd-group/kwd")),
    )


def _authors(article: Node, role: str = "author") -> Iterator[str]:
    for person in article.elements("front/article-meta/contrib-group/contrib"):
        if person.get("contrib-type", "author") != role:
            continue
        for where in ("name", "name-alternatives/name", "string-name", "collab"):
            if (named := person.find(where)) is not None and (name := _name(named)):
                article.keep(named)
                yield name
                break


def _name(element: Element) -> str:
    given, family = element.findtext("given-names"), element.findtext("surname")
    if family:
        return inverted(tidy(family), tidy(given or ""), tidy(element.findtext("suffix") or ""))
    whole = tidy(given or "".join(element.itertext()))
    return Name.literal(whole) if element.tag == "collab" and whole else whole


# Text -----------------------------------------------------------------------------------------------------


def _read_division(division: Element, section: str, text: FullTextBuilder) -> None:
    """Paragraphs under their headings; the parser limits the nesting."""
    for child in division:
        if child.tag == "title":
            heading = tidy("".join(child.itertext()))
            section = section if section == "abstract" else heading or section
        elif child.tag == "p":
            flow = Flow()
            _pour(child, flow)
            text.begin_paragraph()
            text.add(section, flow.sentences())
        elif child.tag in _BLOCKS:
            _read_division(child, section, text)


def _pour(element: Element, flow: Flow) -> None:
    flow.write(element.text or "")
    for child in element:
        if child.tag == "xref" and child.get("ref-type") == "bibr":
            flow.cite("".join(child.itertext()), (child.get("rid") or "").split())
        elif child.tag == "xref" and child.get("ref-type") == "fn":
            pass
        elif isinstance(child.tag, str) and child.tag not in _NO_TEXT:
            _pour(child, flow)
        flow.write(child.tail or "")


# References -----------------------------------------------------------------------------------------------


def _references(article: Node) -> Iterator[Reference]:
    """Entries with a DOI, a PMID or a title."""
    for entry in article.elements("back//ref-list//ref"):
        key = entry.get("id") or ""
        citation = next((element for tag in _CITATIONS for element in entry.iter(tag)), None)
        if citation is None or not key:
            continue
        numbers = {(one.get("pub-id-type") or ""): tidy(one.text or "") for one in citation.iter("pub-id")}
        title = _plain(citation.find("article-title")) or _plain(citation.find("chapter-title"))
        source = _plain(citation.find("source"))
        doi = clean_doi(numbers.get("doi", ""))
        pmid = numbers.get("pmid", "")
        if title or source or doi or pmid:
            article.keep(entry)
            people = [name for one in citation.iter("name", "string-name") if (name := _name(one))]
            yield Reference(
                key,
                Paper(
                    f"PMID:{pmid}" if pmid else key,
                    title or source,
                    authors=tuple(people),
                    year=year_of(_plain(citation.find("year"))),
                    venue=source if title else "",
                    doi=doi,
                ),
            )


def _plain(element: Element | None) -> str:
    return "" if element is None else tidy("".join(element.itertext()))
