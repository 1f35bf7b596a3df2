"""Semantic Scholar: papers and batches of the Graph API, and the JSON lines of its data sets (papers,
abstracts, citations, paper-ids).

A paper of the API has the API's id (40 hexadecimal digits), one of the data sets ``CorpusId:52967399``; each
is an alias of the other, and so are ids of other services (``arXiv:1810.04805``, ``PMID:…``, the id of the
ACL Anthology).
"""

from __future__ import annotations

from collections.abc import Iterator

from citewhy.base.errors import InputError
from citewhy.base.records import Alias, Citation, Header, Paper
from citewhy.papers.formats.asked import Row
from citewhy.papers.formats.doi import clean_doi, doi_in_url
from citewhy.papers.formats.fields import arxiv_number, year_of
from citewhy.papers.formats.json_source import Made, Warn, read_objects
from citewhy.papers.formats.marked_up import plain
from citewhy.papers.formats.report import ImportReport
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten

__all__ = ["NAME", "SOURCE", "elsewhere", "read"]

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
    given = external.text("DOI")
    doi = clean_doi(given)
    if given and not doi:
        warn(f"{shorten(given)!r} is not a DOI; left empty")
    url = row.text("url")
    yield Paper(
        identifier,
        title,
        plain(row.text("abstract")),
        tuple([name for author in row.rows("authors") if (name := author.text("name"))]),
        year_of(row.value("year")) or year_of(row.first("publicationDate", "publicationdate")),
        row.text("venue") or row.row("publicationVenue").text("name") or row.row("journal").text("name"),
        doi or doi_in_url(url),
        url,
    )
    if corpus and identifier != f"CorpusId:{corpus}":
        yield Alias(identifier, f"CorpusId:{corpus}")
    yield from elsewhere(identifier, external, corpus)
    for field, turned in (("references", False), ("citations", True)):
        for other in row.rows(field):
            if (name := other.text("paperId")) and name != identifier:
                pair = (name, identifier) if turned else (identifier, name)
                yield Citation(*pair, SOURCE, 0)


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
