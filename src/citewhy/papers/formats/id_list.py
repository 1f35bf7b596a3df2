"""Lists of papers by identifier only: a DOI or an id on each line, looked up in the library."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from citewhy.base.import_report import ImportReport
from citewhy.base.records import Identifier
from citewhy.text.doi import clean_doi
from citewhy.text.identifiers import arxiv_number
from citewhy.text.source import FilePath, read_text
from citewhy.text.tidy import shorten, tidy

__all__ = ["identifier_in", "is_list", "read"]

_LONGEST = 300
_HEADERS = ("doi", "dois", "id", "ids", "pmid", "pmids", "identifier", "arxiv", "arxiv id")
_PREFIXED = re.compile(r"(pmid|pmcid|corpusid|arxiv|dblp|wos|mag|openalex)\s*:\s*(\S+)", re.IGNORECASE)
_OWN = re.compile(
    r"[A-Z]\d\d-\d{4,5}|\d{4}\.[a-z]\w*-\w+\.\d+|W\d{5,12}|PMC\d{3,10}|\d{5,9}|[0-9a-f]{40}|2-s2\.0-\d+"
)
"""Ids of the ACL Anthology, OpenAlex, PubMed Central, PubMed, Semantic Scholar, Scopus."""

_SPELLING = {
    "pmid": "PMID",
    "corpusid": "CorpusId",
    "arxiv": "arXiv",
    "dblp": "DBLP",
    "wos": "WOS",
    "mag": "MAG",
}
_PAGES = re.compile(
    r"https?://(?:(?:www\.)?(?:aclanthology\.org|openalex\.org|(?:pmc\.)?ncbi\.nlm\.nih\.gov|pubmed\.ncbi\.nlm\.nih\.gov"
    r"|semanticscholar\.org|api\.semanticscholar\.org))/(?:\w+/)*?([\w.:-]+?)(?:\.pdf|\.bib)?/?",
    re.IGNORECASE,
)


def is_list(head: str) -> bool:
    """Whether all lines of a text are ids; the last line may be truncated."""
    lines = [line for _, line in _lines(head)][:200]
    if lines and lines[0].lower() in _HEADERS:
        del lines[0]
    return bool(lines) and all(identifier_in(line) is not None for line in lines)


def read(path: FilePath, report: ImportReport) -> Iterator[Identifier]:
    """The ids, each once; lines that start with # are comments."""
    seen: set[str] = set()
    text = read_text(path, notice=functools.partial(report.warn, path))
    for number, (line, written) in enumerate(_lines(text)):
        if number == 0 and written.lower() in _HEADERS:
            continue
        identifier = identifier_in(written)
        if identifier is None:
            report.skip(path, line, f"{shorten(written)!r} is neither a DOI nor an id")
        elif identifier.id in seen:
            report.repeat(path, line, f"{shorten(identifier.id)!r} occurs twice")
        else:
            seen.add(identifier.id)
            yield identifier


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), start=1):
        written = tidy(line).rstrip(",;").strip("\"'").lstrip("\ufeff")
        if written and not written.startswith("#"):
            yield number, written


def identifier_in(written: str) -> Identifier | None:
    """The identifier that a text consists of: a DOI, an arXiv number, an id of a known collection, alone or
    in a URL; None if it is something else."""
    if len(written) > _LONGEST:
        return None
    if doi := clean_doi(written) if " " not in written.removeprefix("doi: ").removeprefix("DOI: ") else "":
        return Identifier(doi, doi=doi)
    if number := arxiv_number(written):
        return Identifier(f"arXiv:{number}", (number,))
    if match := _PREFIXED.fullmatch(written):
        kind = match[1].lower()
        prefix = _SPELLING.get(kind, "")
        return Identifier(f"{prefix}:{match[2]}" if prefix else match[2], (match[2],))
    if match := _PAGES.fullmatch(written):
        written = match[1]
    if _OWN.fullmatch(written):
        also = (f"PMID:{written}", f"CorpusId:{written}") if written.isdigit() else ()
        return Identifier(written, also)
    return None
