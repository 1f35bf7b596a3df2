"""XML of PubMed and MEDLINE (``PubmedArticleSet``).

The id is ``PMID:19872477``. Articles that PubMed lists as cited, by their own PMIDs, become citations.
"""

from __future__ import annotations

from collections.abc import Iterator

from citewhy.base.records import Citation, Paper
from citewhy.papers.formats.asked import Node
from citewhy.papers.formats.doi import clean_doi
from citewhy.papers.formats.fields import Seen, year_of
from citewhy.papers.formats.markup import Element
from citewhy.papers.formats.report import ImportReport
from citewhy.papers.formats.xml_stream import elements
from citewhy.text.person import Name
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten, tidy

__all__ = ["NAME", "SOURCE", "read"]

NAME = "PubMed XML"
SOURCE = "pubmed"
"""Source of the citations from these files."""

_ROOTS = (
    *("PubmedArticleSet", "PubmedBookArticleSet", "MedlineCitationSet"),
    *("PubmedArticle", "PubmedBookArticle", "MedlineCitation"),
)
_RECORDS = ("PubmedArticle", "PubmedBookArticle", "MedlineCitation")


def read(path: FilePath, report: ImportReport) -> Iterator[Paper | Citation]:
    """Articles and books with a title."""
    seen = Seen(path, report)
    for element in elements(path, _RECORDS, _ROOTS, "XML of PubMed"):
        line = element.sourceline
        node = Node(element)
        pmid = node.first("MedlineCitation/PMID", "PMID", "BookDocument/PMID")
        article = next(
            (
                found
                for path_ in ("MedlineCitation/Article", "Article", "BookDocument")
                for found in node.found(path_)
            ),
            None,
        )
        if article is None or not pmid:
            report.skip(
                path, line, "the article has no PMID" if article is not None else "no article is in it"
            )
            continue
        paper = _paper(node, article, pmid, line, path, report)
        cited = list(_cited(node))
        report.leave(NAME, node.not_kept())
        if not paper.title:
            report.skip(path, line, f"article {pmid} has no title")
        elif placed := seen.placed(paper, line):
            yield placed
            for other in cited:
                if other != pmid:
                    yield Citation(placed.id, f"PMID:{other}", SOURCE, 0)


def _paper(
    node: Node, article: Element, pmid: str, line: int | None, path: FilePath, report: ImportReport
) -> Paper:
    title = node.text("ArticleTitle", article) or node.text("Book/BookTitle", article)
    if not title or title == "[Not Available].":
        title = node.text("VernacularTitle", article) or title
    if title.startswith("[") and title.rstrip(".").endswith("]"):
        title = title.rstrip(".")[1:-1]  # how PubMed marks a translated title
    return Paper(
        f"PMID:{pmid}",
        title if title.endswith("...") else title.removesuffix("."),
        _abstract(node, article),
        tuple(_authors(node, article)),
        _year(node, article),
        node.text("Journal/Title", article)
        or node.text("Journal/ISOAbbreviation", article)
        or (node.text("Book/BookTitle", article)),
        _doi(node, article, line, path, report),
    )


def _abstract(node: Node, article: Element) -> str:
    """Its parts in order, each with its label."""
    parts = []
    for part in node.found("Abstract/AbstractText", article):
        node.keep(part)
        text = tidy("".join(part.itertext()))
        label = tidy(part.get("Label") or "")
        if text:
            parts.append(f"{label}: {text}" if label and label != "UNLABELLED" else text)
    return " ".join(parts)


def _authors(node: Node, article: Element) -> Iterator[str]:
    for person in node.found("AuthorList/Author", article):
        given = node.text("ForeName", person)
        if given:
            for initials in node.found("Initials", person):
                node.keep(initials)  # of the given names
        else:
            given = node.text("Initials", person)
        name = str(Name(given, node.text("LastName", person), "", node.text("Suffix", person)))
        if name := name or node.text("CollectiveName", person):
            yield name


def _year(node: Node, article: Element) -> int | None:
    for place in (
        *("Journal/JournalIssue/PubDate/Year", "Journal/JournalIssue/PubDate/MedlineDate"),
        *("ArticleDate/Year", "Book/PubDate/Year", "ContributionDate/Year"),
    ):
        if year := year_of(node.text(place, article)):
            return year
    return None


def _doi(node: Node, article: Element, line: int | None, path: FilePath, report: ImportReport) -> str:
    places = [
        *(one for one in node.found("ELocationID", article) if one.get("EIdType") == "doi"),
        *(one for one in node.found("PubmedData/ArticleIdList/ArticleId") if one.get("IdType") == "doi"),
        *(one for one in node.found("ArticleIdList/ArticleId", article) if one.get("IdType") == "doi"),
    ]
    doi = ""
    for place in places:
        given = tidy(place.text or "")
        node.keep(place)
        if given and not clean_doi(given):
            report.warn(path, line, f"{shorten(given)!r} is not a DOI; left empty")
        doi = doi or clean_doi(given)
    for place in node.found("PubmedData/ArticleIdList/ArticleId"):
        if place.get("IdType") == "pubmed":
            node.keep(place)
    return doi


def _cited(node: Node) -> Iterator[str]:
    for number in node.found("PubmedData/ReferenceList//Reference/ArticleIdList/ArticleId"):
        if number.get("IdType") == "pubmed" and (pmid := tidy(number.text or "")):
            node.keep(number)
            yield pmid
