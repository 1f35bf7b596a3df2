"""Semantic Scholar: its API, its data sets, and S2ORC.

Papers and batches of the Graph API, and the JSON lines of the data sets (papers, abstracts, citations,
paper-ids): a paper of the API has the API's id (40 hexadecimal digits), one of the data sets
``CorpusId:52967399``; each is an alias of the other, and so are ids of other services (``arXiv:1810.04805``,
``PMID:…``, the id of the ACL Anthology).

S2ORC: metadata and full texts of the first releases (and the output of their tools for PDFs, as in CORD-19),
and the full texts of the data sets "s2orc" and "s2orc_v2". All ids are ``CorpusId:…``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import (
    Alias,
    Citation,
    FullText,
    Header,
    Name,
    Paper,
    Publication,
    Reference,
    ReferenceList,
)
from citewhy.papers.formats.fields import known
from citewhy.papers.formats.json_objects import Made, Warn, read_objects
from citewhy.text.asked import Row
from citewhy.text.dates import date_with, pages_of, year_of
from citewhy.text.doi import checked_doi, clean_doi, doi_in_url
from citewhy.text.identifiers import arxiv_number, pmcid_of
from citewhy.text.marked_up import plain
from citewhy.text.numbers import small_number
from citewhy.text.sentence_flow import Flow, FullTextBuilder
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten, tidy

__all__ = [
    "NAME",
    "S2ORC_METADATA",
    "S2ORC_SOURCE",
    "S2ORC_TEXTS",
    "SOURCE",
    "elsewhere",
    "read",
    "read_metadata",
    "read_texts",
]

NAME = "Semantic Scholar"
SOURCE = "semantic scholar"
"""Source of the citations from these files."""


def read(path: FilePath, report: ImportReport) -> Iterator[Made]:
    """Papers, their other ids, and citations."""
    return read_objects(NAME, _records, path, report)


def _records(row: Row, warn: Warn) -> Iterator[Made]:
    if "citingcorpusid" in row:
        yield from _citation(row)
    elif "citedPaper" in row or "citingPaper" in row:
        yield from _neighbour(row, warn)
    elif "sha" in row:
        yield Alias(_corpus_id(row, "corpusid"), row.text("sha"))
        row.drop("primary")
    elif "abstract" in row and "title" not in row:
        yield Header(Paper(_corpus_id(row, "corpusid"), "", plain(row.text("abstract"))))
    else:
        yield from _paper(row, warn)


def _citation(row: Row) -> Iterator[Made]:
    """A line of the data set "citations". Works that Semantic Scholar does not know have no id there."""
    if row.peek("citedcorpusid") is None or row.peek("citingcorpusid") is None:
        row.leave_whole("(citations of unknown works)")
        return
    citing, cited = _corpus_id(row, "citingcorpusid"), _corpus_id(row, "citedcorpusid")
    contexts = row.peek("contexts")
    row.drop("citationid")
    yield Citation(citing, cited, SOURCE, len(contexts) if isinstance(contexts, list) else 0)


def _neighbour(row: Row, warn: Warn) -> Iterator[Made]:
    """A reference of a paper, or a paper that cites it, in the API's lists, which do not tell which of the
    two."""
    for field in ("citedPaper", "citingPaper"):
        if field in row:
            inner = row.row(field)
            if inner.text("paperId"):
                yield from _paper(inner, warn)
            else:
                inner.leave_whole("(works without an id)")


def _paper(row: Row, warn: Warn) -> Iterator[Made]:
    corpus = row.text("corpusId") or row.text("corpusid")
    identifier = row.text("paperId") or (corpus and f"CorpusId:{corpus}")
    if not identifier:
        raise InputError("neither paperId nor corpusid")
    title = plain(row.text("title"))
    if not title:
        raise InputError(f"paper {shorten(identifier)!r} has no title")
    external = row.row("externalIds") if "externalIds" in row else row.row("externalids")
    doi = checked_doi(external.text("DOI"), warn)
    url = row.text("url")
    journal, venue = row.row("journal"), row.row("publicationVenue")
    yield Paper(
        identifier,
        title,
        plain(row.text("abstract")),
        tuple([name for author in row.rows("authors") if (name := author.text("name"))]),
        year_of(row.value("year")) or year_of(row.first("publicationDate", "publicationdate")),
        row.text("venue") or venue.text("name") or journal.text("name"),
        doi or doi_in_url(url),
        url,
        publication=_publication(row, journal, venue, external),
    )
    if corpus and identifier != f"CorpusId:{corpus}":
        yield Alias(identifier, f"CorpusId:{corpus}")
    yield from elsewhere(identifier, external, corpus)
    for field, turned in (("references", False), ("citations", True)):
        for other in row.rows(field):
            if (name := other.text("paperId")) and name != identifier:
                pair = (name, identifier) if turned else (identifier, name)
                yield Citation(*pair, SOURCE, 0)


_TYPES = {
    **{"Conference": "paper-conference", "BookSection": "chapter", "Book": "book", "Dataset": "dataset"},
    "JournalArticle": "article-journal",
}
"""Types of a paper, of which it may have several; the first of these counts."""


def _publication(row: Row, journal: Row, venue: Row, external: Row) -> Publication | None:
    """What the service says of the publication. For it, arXiv is a journal, and the number a volume."""
    types = row.texts("publicationTypes") or row.texts("publicationtypes")
    name, volume = journal.text("name"), journal.text("volume")
    preprint = name.lower().startswith("arxiv")
    type_ = "article" if preprint else next((csl for kind, csl in _TYPES.items() if kind in types), "")
    date = date_with(row.text("year"), row.first("publicationDate", "publicationdate"))
    pmcid = external.first("PubMedCentral", "pubmedcentral")
    return known(
        Publication(
            type_,
            container="" if preprint else name or venue.text("name"),
            volume="" if volume.startswith("abs/") else volume,
            pages=pages_of(journal.text("pages")),
            date=date,
            issn=venue.text("issn"),
            pmid=external.first("PubMed", "pubmed"),
            pmcid=pmcid_of(pmcid),
            arxiv=arxiv_number(external.first("ArXiv", "arxiv")),
        )
    )


def elsewhere(identifier: str, external: Row, corpus: str) -> Iterator[Alias]:
    """The paper's ids of other services, under names in upper or lower case."""
    for name, form in (("ACL", "{}"), ("PubMed", "PMID:{}"), ("DBLP", "DBLP:{}")):
        if value := external.first(name, name.lower()):
            yield Alias(identifier, form.format(value))
    if number := arxiv_number(external.first("ArXiv", "arxiv")):
        yield Alias(identifier, f"arXiv:{number}")
    if external.peek("CorpusId") is not None and str(external.peek("CorpusId")) == corpus:
        external.drop("CorpusId")


def _corpus_id(row: Row, field: str) -> str:
    number = row.text(field)
    if not number:
        raise InputError(f"no {field}")
    return f"CorpusId:{number}"


# S2ORC --------------------------------------------------------------------------------------------------

S2ORC_METADATA = "S2ORC metadata"
S2ORC_TEXTS = "S2ORC full texts"
S2ORC_SOURCE = "s2orc"
"""Source of the citations from these files."""


# Metadata of the first releases ---------------------------------------------------------------------------


def read_metadata(path: FilePath, report: ImportReport) -> Iterator[Made]:
    """Papers, their other ids, and the papers that they cite."""
    return read_objects(S2ORC_METADATA, _metadata, path, report)


def _metadata(row: Row, warn: Warn) -> Iterator[Made]:
    identifier = _identifier(row)
    title = row.text("title")
    if not title:
        raise InputError(f"paper {identifier} has no title")
    doi = checked_doi(row.text("doi"), warn)
    yield Paper(
        identifier,
        title,
        row.text("abstract"),
        tuple(_names(row.rows("authors"))),
        year_of(row.value("year")),
        row.first("venue", "journal"),
        doi,
        row.text("s2_url"),
    )
    if number := arxiv_number(row.text("arxiv_id")):
        yield Alias(identifier, f"arXiv:{number}")
    if pmid := row.text("pubmed_id"):
        yield Alias(identifier, f"PMID:{pmid}")
    if acl := row.text("acl_id"):
        yield Alias(identifier, acl)
    for field, turned in (("outbound_citations", False), ("inbound_citations", True)):
        for other in row.texts(field):
            citing, cited = identifier, f"CorpusId:{other}"
            if turned:
                citing, cited = cited, citing
            yield Citation(citing, cited, S2ORC_SOURCE, 0)
    row.drop("has_outbound_citations", "has_inbound_citations")


def _identifier(row: Row) -> str:
    identifier = row.text("paper_id") or row.text("corpusid")
    if not identifier:
        raise InputError("neither paper_id nor corpusid")
    return f"CorpusId:{identifier}" if identifier.isdigit() else identifier


def _names(authors: list[Row]) -> Iterator[str]:
    for author in authors:
        given = " ".join([author.text("first"), *author.texts("middle")])
        name = str(Name(given, author.text("last"), "", author.text("suffix")))
        if name := name or author.text("name"):
            yield name


# Full texts -----------------------------------------------------------------------------------------------


class _Paragraph(NamedTuple):
    section: str
    text: str
    marks: list[tuple[int, int, str]]
    """Positions of citations in `text`, and the entries that they refer to."""


def read_texts(path: FilePath, report: ImportReport) -> Iterator[Made]:
    """Sentences, the header of the text, and the works that it cites."""
    return read_objects(S2ORC_TEXTS, _text, path, report)


def _text(row: Row, warn: Warn) -> Iterator[Made]:
    identifier = _identifier(row)
    external = row.row("externalids")
    if "corpusid" in row:
        title, authors, paragraphs, references = _annotated(row)
        yield from elsewhere(identifier, external, row.text("corpusid"))
    else:
        title, authors, paragraphs, references = _parsed(row)
    text = FullTextBuilder(title)
    for paragraph in paragraphs:
        text.begin_paragraph()
        text.add(paragraph.section, _flow(paragraph).sentences())
    doi = clean_doi(external.first("DOI", "doi"))
    paper = Paper(identifier, title, text.text_of("abstract"), tuple(authors), doi=doi)
    if title:
        yield Header(paper)
    if len(text.sentences) > bool(title):
        yield FullText(identifier, tuple(text.sentences))
    if references:
        yield ReferenceList(identifier, tuple(references), tuple(text.citing), None, S2ORC_SOURCE)
    if not title and not text.sentences and not references:
        raise InputError(f"{identifier} has no text")


def _flow(paragraph: _Paragraph) -> Flow:
    flow, place = Flow(), 0
    for start, end, key in sorted(paragraph.marks):
        if place <= start < end <= len(paragraph.text):
            flow.write(paragraph.text[place:start])
            flow.cite(paragraph.text[start:end], [key])
            place = end
    flow.write(paragraph.text[place:])
    return flow


_Parts = tuple[str, list[str], list[_Paragraph], list[Reference]]


def _parsed(row: Row) -> _Parts:
    """The layout of the first releases: paragraphs with ``cite_spans``, entries by name."""
    inside = next((row.row(name) for name in ("pdf_parse", "latex_parse") if row.peek(name)), row)
    about = row.row("metadata")
    paragraphs = [
        *_with_spans(inside.rows("abstract"), "abstract"),
        *_with_spans(inside.rows("body_text"), ""),
        *_with_spans(inside.rows("back_matter"), ""),
    ]
    if isinstance(row.peek("abstract"), str) and inside is not row:
        row.drop("abstract")  # the same in one piece
    references = [_entry(key, entry) for key, entry in inside.entries("bib_entries")]
    title = row.text("title") or about.text("title")
    authors = list(_names(row.rows("authors") or about.rows("authors")))
    return title, authors, paragraphs, references


def _with_spans(rows: list[Row], section: str) -> Iterator[_Paragraph]:
    for row in rows:
        heading = row.text("section")
        marks = []
        for span in row.rows("cite_spans"):
            start, end, key = span.value("start"), span.value("end"), span.text("ref_id")
            span.drop("text", "mention")
            if type(start) is int and type(end) is int and key:
                marks.append((start, end, key))
        text = row.peek("text")
        row.drop("text")
        yield _Paragraph(section or heading, text if isinstance(text, str) else "", marks)


def _entry(key: str, row: Row) -> Reference:
    row.drop("ref_id")
    link = row.text("link")
    identifiers = row.row("other_ids").texts("DOI")
    return Reference(
        key,
        Paper(
            f"CorpusId:{link}" if link else key,
            row.text("title"),
            authors=tuple(_names(row.rows("authors"))),
            year=year_of(row.value("year")),
            venue=row.text("venue"),
            doi=next((doi for one in identifiers if (doi := clean_doi(one))), ""),
        ),
    )


def _annotated(row: Row) -> _Parts:
    """The layout of the data sets: one text, with positions of headings, paragraphs and citations."""
    body = row.row("content") if row.peek("content") else row.row("body")
    text, spans = _spans(body)
    if row.peek("bibliography"):
        listed, list_spans = _spans(row.row("bibliography"))
    else:
        listed, list_spans = text, spans
    title = row.text("title") or next((tidy(text[s:e]) for s, e, _ in spans.get("title", [])), "")
    authors = [name for author in row.rows("authors") if (name := author.text("name"))]
    authors = authors or [tidy(text[s:e]) for s, e, _ in spans.get("author", [])]
    return title, authors, list(_paragraphs(text, spans)), list(_entries(listed, list_spans))


_Span = tuple[int, int, dict[str, Any]]


def _spans(part: Row) -> tuple[str, dict[str, list[_Span]]]:
    """A text and its annotations, each type sorted by position and without overlaps."""
    text = part.peek("text")
    part.drop("text")
    if not isinstance(text, str):
        return "", {}
    by_kind: dict[str, list[_Span]] = {}
    annotations = part.row("annotations")
    for name in annotations.names():
        if (kind := name.replace("_", "")) in _USED:
            by_kind[kind] = list(_in_order(annotations.value(name), len(text)))
    return text, by_kind


_USED = ("title", "author", "abstract", "paragraph", "sectionheader", "bibref", "bibentry", "bibtitle")


def _in_order(value: object, length: int) -> Iterator[_Span]:
    if isinstance(value, str):  # the annotations are JSON inside of JSON
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError as error:
            raise InputError(f"annotations are not JSON: {error.msg}") from error
    spans = []
    for one in value if isinstance(value, list) else []:
        start, end = (one.get("start"), one.get("end")) if isinstance(one, dict) else (None, None)
        start = small_number(start) if isinstance(start, str) else start
        end = small_number(end) if isinstance(end, str) else end
        if type(start) is int and type(end) is int and 0 <= start < end <= length:
            attributes = one.get("attributes")
            spans.append((start, end, attributes if isinstance(attributes, dict) else {}))
    last = 0
    for start, end, attributes in sorted(spans, key=lambda span: span[:2]):
        if start >= last:
            last = end
            yield start, end, attributes


def _paragraphs(text: str, spans: dict[str, list[_Span]]) -> Iterator[_Paragraph]:
    headings = [*spans.get("sectionheader", [])]
    cited = [*spans.get("bibref", [])]
    abstract = next(((s, e) for s, e, _ in spans.get("abstract", [])), (0, 0))
    if abstract[1] and not any(s < abstract[1] for s, _, _ in spans.get("paragraph", [])):
        yield _Paragraph("abstract", text[slice(*abstract)], [])
    section, at, mark = "", 0, 0
    for start, end, _ in spans.get("paragraph", []):
        while at < len(headings) and headings[at][0] < start:
            section = tidy(text[headings[at][0] : headings[at][1]])
            at += 1
        marks = []
        while mark < len(cited) and cited[mark][0] < end:
            one = cited[mark]
            key = one[2].get("ref_id")
            if one[0] >= start and isinstance(key, str):
                marks.append((one[0] - start, one[1] - start, key))
            mark += 1
        inside = abstract[0] <= start < abstract[1]
        yield _Paragraph("abstract" if inside else section, text[start:end], marks)


def _entries(text: str, spans: dict[str, list[_Span]]) -> Iterator[Reference]:
    titles, at = spans.get("bibtitle", []), 0
    for start, end, attributes in spans.get("bibentry", []):
        while at < len(titles) and titles[at][0] < start:
            at += 1
        title = tidy(text[titles[at][0] : titles[at][1]]) if at < len(titles) and titles[at][0] < end else ""
        key, matched = attributes.get("id"), attributes.get("matched_paper_id")
        if not isinstance(key, str) or not key:
            continue
        known = f"CorpusId:{matched}" if isinstance(matched, int | str) and matched else key
        doi = attributes.get("doi")
        if title or known != key or doi:
            yield Reference(key, Paper(known, title, doi=clean_doi(doi) if isinstance(doi, str) else ""))
