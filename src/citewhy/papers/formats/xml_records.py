"""XML of bibliographic services, record by record: arXiv's Atom feeds, DBLP, EndNote, MODS, PubMed.

| format | id of a paper |
| --- | --- |
| arXiv Atom | ``arXiv:1706.03762`` |
| DBLP: its dump, XML of people and papers | as in DBLP's own BibTeX: ``DBLP:conf/acl/PapineniRWZ02`` |
| EndNote XML, which Mendeley also writes | the label if it is a key, or else DOI, or else generated |
| MODS, of libraries and the ACL Anthology's exports | citation key or ID, or else DOI, or else generated |
| PubMed and MEDLINE | ``PMID:19872477`` |
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from citewhy.base.import_report import ImportReport
from citewhy.base.publication_types import csl_type
from citewhy.base.records import Citation, Name, Notice, Paper, Publication
from citewhy.papers.formats.fields import Intake, Warn
from citewhy.papers.formats.notices import pubmed_notices
from citewhy.papers.formats.tagged import label_of
from citewhy.text.asked import Node
from citewhy.text.dates import date_of, date_with, pages_of, year_of
from citewhy.text.doi import checked_doi, doi_in_url
from citewhy.text.identifiers import arxiv_number, serial_numbers
from citewhy.text.latex_text import plain
from citewhy.text.listed_names import persons
from citewhy.text.person import name_of, of_parts
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten, tidy
from citewhy.text.xml_files import Element, elements

__all__ = ["read_atom", "read_dblp", "read_endnote", "read_mods", "read_pubmed"]

_WEB = re.compile(r"https?://", re.IGNORECASE)


def _nodes(
    path: FilePath, tags: Collection[str], roots: Collection[str], expected: str
) -> Iterator[tuple[Node, int | None]]:
    """Yields the records of a file (`xml_files.elements`), with their lines."""
    for element in elements(path, tags, roots, expected):
        yield Node(element), element.sourceline


def _with_doi(values: list[str], warn: Warn) -> str:
    """Returns the first DOI, and warns of each value that is none."""
    dois = [checked_doi(value, warn) for value in values]
    return next(filter(None, dois), "")


# arXiv -----------------------------------------------------------------------------------------------------

_ATOM = "arXiv Atom"


def read_atom(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Reads the entries of a feed."""
    intake = Intake(_ATOM, path, report)
    for entry, line in _nodes(path, ("entry",), ("feed", "entry"), "an Atom feed of arXiv"):
        number = arxiv_number(entry.text("id"))
        title = _latex(entry, "title")
        if not number or not title:
            intake.skip(line, f"the entry has no {'title' if number else 'number of arXiv'}")
            continue
        venue, published = _latex(entry, "journal_ref"), entry.text("published")
        paper = Paper(
            f"arXiv:{number}",
            title,
            _latex(entry, "summary"),
            tuple(entry.texts("author/name")),
            year_of(published) or year_of(entry.text("updated")),
            venue,
            checked_doi(entry.text("doi"), intake.warn(line)),
            f"https://arxiv.org/abs/{number}",
            publication=Publication("" if venue else "article", arxiv=number, date=date_of(published)),
        )
        intake.leave(entry.not_kept())
        yield from intake.papers(paper, line)


def _latex(entry: Node, path: str) -> str:
    """Returns the plain text of the LaTeX that authors type into arXiv's forms."""
    return tidy(plain(entry.text(path)))


# DBLP ------------------------------------------------------------------------------------------------------

_DBLP = "DBLP XML"
_DBLP_PAPERS = (
    *("article", "inproceedings", "proceedings", "book", "incollection", "phdthesis", "mastersthesis"),
    "data",
)
_DBLP_PEOPLE = ("www", "person")
_NUMBERED = re.compile(r" \d{4}$")
"""The number that DBLP appends to distinguish people with the same name."""


def read_dblp(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Reads publications with a title; people's pages are counted and skipped."""
    intake = Intake(_DBLP, path, report)
    for record, line in _nodes(path, (*_DBLP_PAPERS, *_DBLP_PEOPLE), ("dblp", "dblpperson"), "XML of DBLP"):
        if record.root.tag in _DBLP_PEOPLE:
            intake.leave([f"({record.root.tag})"])
            continue
        key = tidy(record.root.get("key") or "")
        title = record.text("title")
        if not key or not title:
            intake.skip(line, f"{shorten(key)!r} has no title" if key else "the record has no key")
            continue
        people = record.texts("author") or record.texts("editor")
        url, doi = _editions(record)
        year = record.text("year")
        paper = Paper(
            f"DBLP:{key}",
            title.removesuffix(".") if not title.endswith("..") else title,
            "",
            tuple([_NUMBERED.sub("", name) for name in people]),
            year_of(year),
            record.first("journal", "booktitle", "school", "publisher"),
            doi,
            url,
            publication=_dblp_publication(record, year),
        )
        intake.leave(record.not_kept())
        yield from intake.papers(paper, line)


def _dblp_publication(record: Node, year: str) -> Publication:
    kind = "dataset" if record.root.tag == "data" else csl_type(record.root.tag, "bibtex")
    return Publication(
        kind,
        editors=tuple([_NUMBERED.sub("", name) for name in record.texts("editor")]),
        container=record.first("journal", "booktitle") if kind != "book" else "",
        volume=record.text("volume"),
        number=record.text("number"),
        pages=pages_of(record.text("pages")),
        publisher=record.first("school", "publisher"),
        series=record.text("series"),
        date=date_with(year, record.text("month")),
        isbn=record.text("isbn"),
    )


def _editions(record: Node) -> tuple[str, str]:
    """Returns the address of the first electronic edition, and the DOI of the first one that has one."""
    editions: list[Element] = record.elements("ee")
    addresses = [tidy(edition.text or "") for edition in editions]
    dois = [doi_in_url(address) for address in addresses]
    for number, (edition, doi) in enumerate(zip(editions, dois, strict=True)):
        if number == 0 or doi:
            record.keep(edition)
    return next(iter(addresses), ""), next((doi for doi in dois if doi), "")


# EndNote ---------------------------------------------------------------------------------------------------

_ENDNOTE = "EndNote XML"
_OF_THE_FILE = ("rec-number", "ref-type", "foreign-keys", "database", "source-app")
_ENDNOTE_ROLES = ("authors", "secondary-authors", "tertiary-authors")
_ENDNOTE_URLS = ("urls/web-urls/url", "urls/related-urls/url")
_ENDNOTE_VENUES = (
    *("titles/secondary-title", "periodical/full-title", "periodical/abbr-1", "alt-periodical/full-title"),
    *("titles/alt-title", "titles/tertiary-title", "publisher"),
)


def read_endnote(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Reads records with a title."""
    intake = Intake(_ENDNOTE, path, report)
    for record, line in _nodes(path, ("record",), ("xml", "records", "record"), "XML of EndNote"):
        paper = _endnote_paper(record, intake.warn(line))
        intake.leave(record.not_kept())
        yield from intake.papers(paper, line)


def _endnote_paper(record: Node, warn: Warn) -> Paper:
    kinds = [csl_type(one.get("name") or "", "endnote") for one in record.elements("ref-type")]
    for element in (element for where in _OF_THE_FILE for element in record.elements(where)):
        record.keep(element)
    authors = (record.texts(f"contributors/{role}/author") for role in _ENDNOTE_ROLES)
    people = next(filter(None, authors), [])
    urls = [url for where in _ENDNOTE_URLS for url in record.texts(where) if _WEB.match(url)]
    url = urls[0] if urls else ""
    doi = checked_doi(record.text("electronic-resource-num"), warn)
    title = record.text("titles/title")
    year, day = record.text("dates/year"), record.text("dates/pub-dates/date")
    return Paper(
        label_of(record.text("label")),
        title or record.text("titles/secondary-title"),
        record.text("abstract"),
        persons(people),
        year_of(year) or year_of(day),
        record.first(*_ENDNOTE_VENUES) if title else "",
        doi or doi_in_url(url),
        url,
        publication=_endnote_publication(record, next(iter(kinds), ""), title, date_with(year, day)),
    )


def _endnote_publication(record: Node, kind: str, title: str, date: str) -> Publication:
    whole = kind in ("book", "report", "thesis", "collection")
    second, full = record.text("titles/secondary-title"), record.text("periodical/full-title")
    isbn, issn = serial_numbers(record.texts("isbn"))
    short = record.first("periodical/abbr-1", "alt-periodical/abbr-1", "titles/alt-title")
    return Publication(
        kind,
        editors=persons(record.texts("contributors/secondary-authors/author")),
        translators=persons(record.texts("contributors/subsidiary-authors/author")),
        container="" if whole or not title else second or full,
        container_short="" if whole or short == (second or full) else short,
        volume=record.text("volume"),
        number=record.text("number"),
        pages=pages_of(record.text("pages")),
        publisher=record.text("publisher"),
        place=record.text("pub-location"),
        edition=record.text("edition"),
        series=second if whole and title else record.text("titles/tertiary-title"),
        genre=record.text("work-type"),
        date=date,
        accessed=date_of(record.text("access-date")),
        isbn=isbn,
        issn=issn,
        language=record.text("language"),
        keywords=tuple(record.texts("keywords/keyword")),
    )


# MODS ------------------------------------------------------------------------------------------------------

_MODS = "MODS"
_MODS_AUTHORS = ("author", "aut", "creator", "cre", "")
_MODS_EDITORS = ("editor", "edt")
_MODS_DATES = ("originInfo/dateIssued", "part/date", "originInfo/copyrightDate", "originInfo/dateCreated")


def read_mods(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Reads records with a title."""
    intake = Intake(_MODS, path, report)
    for record, line in _nodes(path, ("mods",), ("modsCollection", "mods"), "MODS"):
        paper = _mods_paper(record, intake.warn(line))
        intake.leave(record.not_kept())
        yield from intake.papers(paper, line)


def _mods_paper(record: Node, warn: Warn) -> Paper:
    host = next((one for one in record.elements("relatedItem") if one.get("type") == "host"), None)
    doi = _with_doi(_mods_identifiers(record, "doi"), warn)
    url = record.text("location/url") or next(iter(_mods_identifiers(record, "uri")), "")
    people = _mods_people(record, _MODS_AUTHORS) or _mods_people(record, _MODS_EDITORS)
    years = [record.text(date) for date in _MODS_DATES]
    if host is not None and not any(map(year_of, years)):
        years = [record.text(date, host) for date in _MODS_DATES]
    container = _mods_title(record, host) if host is not None else ""
    return Paper(
        next(iter(_mods_identifiers(record, "citekey")), "") or tidy(record.root.get("ID") or ""),
        _mods_title(record, record.root),
        record.text("abstract"),
        tuple(people),
        next(filter(None, map(year_of, years)), None),
        container or record.text("originInfo/publisher"),
        doi or doi_in_url(url),
        url,
        publication=_mods_publication(record, host, container, next(filter(year_of, years), "")),
    )


_MODS_GENRES = {
    **dict.fromkeys(("journal article", "article"), "article-journal"),
    **dict.fromkeys(("conference publication", "conference paper"), "paper-conference"),
    **dict.fromkeys(("book chapter", "booksection", "chapter"), "chapter"),
    **dict.fromkeys(("thesis", "dissertation", "phd thesis", "masters thesis"), "thesis"),
    **{"book": "book", "report": "report", "technical report": "report", "web page": "webpage"},
}
_MODS_HOSTS = {
    **{"periodical": "article-journal", "academic journal": "article-journal", "journal": "article-journal"},
    **{"conference publication": "paper-conference", "book": "chapter", "newspaper": "article-newspaper"},
}


def _mods_publication(record: Node, host: Element | None, container: str, date: str) -> Publication:
    genres = [one.lower() for one in record.texts("genre")]
    hosts = [] if host is None else [one.lower() for one in record.texts("genre", host)]
    kinds = [_MODS_GENRES.get(one, "") for one in genres] + [_MODS_HOSTS.get(one, "") for one in hosts]
    places = [record.root] if host is None else [record.root, host]

    def first(*paths: str) -> str:
        return next((text for path in paths for one in places if (text := record.text(path, one))), "")

    def detail(*kinds: str) -> str:
        return first(*(f"part/detail[@type='{kind}']/number" for kind in kinds))

    numbers = [text for one in places for kind in ("isbn", "issn") for text in _numbered(record, one, kind)]
    isbn, issn = serial_numbers(numbers)
    editors = [name for one in places for name in _mods_people(record, _MODS_EDITORS, one)]
    pages = pages_of(first("part/extent/start"), first("part/extent/end"))
    return Publication(
        next(filter(None, kinds), ""),
        editors=tuple(editors),
        container=container,
        volume=detail("volume"),
        number=detail("issue", "number"),
        pages=pages or first("part/extent/list") or detail("page", "pages"),
        publisher=first("originInfo/publisher"),
        place=first("originInfo/place/placeTerm"),
        edition=first("originInfo/edition"),
        date=date_of(date),
        isbn=isbn,
        issn=issn,
        language=record.text("language/languageTerm"),
    )


def _mods_title(record: Node, inside: Element) -> str:
    """Returns the first title that is neither an abbreviation nor a translation."""
    for info in record.elements("titleInfo", inside):
        if info.get("type") in (None, "uniform"):
            article, title = record.text("nonSort", info), record.text("title", info)
            if subtitle := record.text("subTitle", info):
                title = f"{title}: {subtitle}"
            return tidy(f"{article} {title}")
    return ""


def _mods_identifiers(record: Node, kind: str) -> list[str]:
    return _numbered(record, record.root, kind)


def _numbered(record: Node, inside: Element, kind: str) -> list[str]:
    texts = []
    for identifier in record.elements("identifier", inside):
        if (identifier.get("type") or "").lower() == kind and (text := tidy(identifier.text or "")):
            record.keep(identifier)
            texts.append(text)
    return texts


def _mods_people(record: Node, roles: tuple[str, ...], inside: Element | None = None) -> list[str]:
    names = []
    for person in record.elements("name", inside):
        if tidy(person.findtext("role/roleTerm") or "").lower() not in roles:
            continue
        parts: dict[str, list[str]] = {}
        for part in person.iterfind("namePart"):
            parts.setdefault(part.get("type") or "", []).append(tidy("".join(part.itertext())))
        given, family = " ".join(parts.get("given", [])), " ".join(parts.get("family", []))
        suffix = " ".join(parts.get("termsOfAddress", []))
        whole = " ".join(parts.get("", []))
        if given or family:
            name: str = Name(given, family, "", suffix)
        else:
            name = Name.literal(whole) if person.get("type") == "corporate" else name_of(whole)
        record.keep(person)
        if name:
            names.append(name)
    return names


# PubMed ----------------------------------------------------------------------------------------------------

_PUBMED = "PubMed XML"
_PUBMED_SOURCE = "pubmed"
"""Source of the citations from these files."""

_PUBMED_RECORDS = ("PubmedArticle", "PubmedBookArticle", "MedlineCitation")
_PUBMED_ROOTS = ("PubmedArticleSet", "PubmedBookArticleSet", "MedlineCitationSet", *_PUBMED_RECORDS)
_PUBMED_DATES = (
    *("Journal/JournalIssue/PubDate/Year", "Journal/JournalIssue/PubDate/MedlineDate"),
    *("ArticleDate/Year", "Book/PubDate/Year", "ContributionDate/Year"),
)


def read_pubmed(path: FilePath, report: ImportReport) -> Iterator[Paper | Citation | Notice]:
    """Reads articles and books with a title, and what they say of retractions. Articles that PubMed lists as
    cited, by their own PMIDs, become citations."""
    intake = Intake(_PUBMED, path, report)
    for node, line in _nodes(path, _PUBMED_RECORDS, _PUBMED_ROOTS, "XML of PubMed"):
        pmid = node.first("MedlineCitation/PMID", "PMID", "BookDocument/PMID")
        articles = map(node.elements, ("MedlineCitation/Article", "Article", "BookDocument"))
        article = next((article for listed in articles for article in listed), None)
        if article is None or not pmid:
            intake.skip(line, "no article is in it" if article is None else "the article has no PMID")
            continue
        paper = _pubmed_paper(node, article, pmid, intake.warn(line))
        kinds = node.elements("PublicationTypeList/PublicationType", article)
        comments = node.elements("*/CommentsCorrectionsList/CommentsCorrections")
        said = [tidy(kind.text or "") for kind in kinds] + [one.get("RefType") or "" for one in comments]
        cited = list(_pubmed_ids(node, "PubmedData/ReferenceList//Reference/ArticleIdList/ArticleId"))
        intake.leave(node.not_kept())
        for placed in intake.papers(paper, line, f"article {pmid} has no title"):
            yield placed
            yield from pubmed_notices(said, paper)
            for other in cited:
                if other != pmid:
                    yield Citation(placed.id, f"PMID:{other}", _PUBMED_SOURCE, 0)


def _pubmed_paper(node: Node, article: Element, pmid: str, warn: Warn) -> Paper:
    title = node.text("ArticleTitle", article) or node.text("Book/BookTitle", article)
    if not title or title == "[Not Available].":
        title = node.text("VernacularTitle", article) or title
    if title.startswith("[") and title.rstrip(".").endswith("]"):
        title = title.rstrip(".")[1:-1]  # how PubMed marks a translated title
    years = (year_of(node.text(date, article)) for date in _PUBMED_DATES)
    venues = ("Journal/Title", "Journal/ISOAbbreviation", "Book/BookTitle")
    return Paper(
        f"PMID:{pmid}",
        title if title.endswith("...") else title.removesuffix("."),
        _pubmed_abstract(node, article),
        tuple(_pubmed_authors(node, article)),
        next(filter(None, years), None),
        next(filter(None, (node.text(venue, article) for venue in venues)), ""),
        _pubmed_doi(node, article, warn),
        publication=_pubmed_publication(node, article, pmid),
    )


_PUBMED_DATE = ("Journal/JournalIssue/PubDate", "Book/PubDate", "ContributionDate", "ArticleDate")


def _pubmed_publication(node: Node, article: Element, pmid: str) -> Publication:
    def of(path: str) -> str:
        return node.text(path, article)

    journal, short, book = of("Journal/Title"), of("Journal/ISOAbbreviation"), of("Book/BookTitle")
    chapter = book if of("ArticleTitle") else ""
    date = of("Journal/JournalIssue/PubDate/MedlineDate")
    for path in _PUBMED_DATE if not date else ():
        date = date or " ".join(filter(None, (of(f"{path}/{part}") for part in ("Year", "Month", "Day"))))
    printed = of("Pagination/MedlinePgn")
    pages = pages_of(of("Pagination/StartPage"), of("Pagination/EndPage")) or pages_of(printed)
    isbn, issn = serial_numbers([*node.texts("Book/Isbn", article), *node.texts("Journal/ISSN", article)])
    own = node.elements("PubmedData/ArticleIdList/ArticleId")
    pmcid = next((one for one in own if one.get("IdType") == "pmc"), None)
    if pmcid is not None:
        node.keep(pmcid)
    return Publication(
        "article-journal" if journal or short else "chapter" if chapter else "book" if book else "",
        editors=tuple(_pubmed_people(node, article, "Book/AuthorList[@Type='editors']/Author")),
        container=journal or short or chapter,
        container_short=short if journal else "",
        volume=of("Journal/JournalIssue/Volume") or of("Book/Volume"),
        number=of("Journal/JournalIssue/Issue"),
        pages=pages,
        publisher=of("Book/Publisher/PublisherName"),
        place=of("Book/Publisher/PublisherLocation"),
        edition=of("Book/Edition"),
        date=_spaced_date(date),
        isbn=isbn,
        issn=issn,
        pmid=pmid,
        pmcid="" if pmcid is None else tidy(pmcid.text or ""),
        language=of("Language"),
        keywords=tuple(node.texts("MedlineCitation/KeywordList/Keyword")),
    )


def _spaced_date(text: str) -> str:
    """The date of "2004 Mar 5" or "2004 03 05"."""
    year, _, rest = text.partition(" ")
    return date_of(text.replace(" ", "-")) if rest[:2].isdecimal() else date_with(year, rest)


def _pubmed_abstract(node: Node, article: Element) -> str:
    """Joins the parts of the abstract in order, each with its label."""
    parts = []
    for part in node.elements("Abstract/AbstractText", article):
        node.keep(part)
        text = tidy("".join(part.itertext()))
        label = tidy(part.get("Label") or "")
        if text:
            parts.append(f"{label}: {text}" if label and label != "UNLABELLED" else text)
    return " ".join(parts)


def _pubmed_authors(node: Node, article: Element) -> Iterator[str]:
    people = list(_pubmed_people(node, article, "AuthorList/Author"))
    return iter(people or _pubmed_people(node, article, "Book/AuthorList/Author"))


def _pubmed_people(node: Node, article: Element, path: str) -> Iterator[str]:
    for person in node.elements(path, article):
        given = node.text("ForeName", person)
        if given:
            for initials in node.elements("Initials", person):
                node.keep(initials)  # of the given names
        else:
            given = node.text("Initials", person)
        family, suffix = node.text("LastName", person), node.text("Suffix", person)
        if name := of_parts(family, given or ("" if family else node.text("CollectiveName", person)), suffix):
            yield name


def _pubmed_doi(node: Node, article: Element, warn: Warn) -> str:
    own = "PubmedData/ArticleIdList/ArticleId"
    numbers = [
        *(one for one in node.elements("ELocationID", article) if one.get("EIdType") == "doi"),
        *(one for one in node.elements(own) if one.get("IdType") == "doi"),
        *(one for one in node.elements("ArticleIdList/ArticleId", article) if one.get("IdType") == "doi"),
    ]
    for number in [*numbers, *(one for one in node.elements(own) if one.get("IdType") == "pubmed")]:
        node.keep(number)
    return _with_doi([tidy(number.text or "") for number in numbers], warn)


def _pubmed_ids(node: Node, path: str) -> Iterator[str]:
    for number in node.elements(path):
        if number.get("IdType") == "pubmed" and (pmid := tidy(number.text or "")):
            node.keep(number)
            yield pmid
