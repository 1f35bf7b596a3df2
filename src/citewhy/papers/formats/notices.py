"""Notices on papers, as services list them: Retraction Watch's table, updates of Crossref, types of PubMed.

| source | what tells |
| --- | --- |
| Retraction Watch | a row for each notice, with the paper's DOI and PMID; `RetractionNature` is its kind |
| Crossref | ``updated-by`` of a paper, ``update-to`` of the notice itself |
| PubMed | the publication type "Retracted Publication", and the comments that name the notice |
| OpenAlex | ``is_retracted`` |
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Notice, NoticeKind, Paper
from citewhy.text.asked import Row
from citewhy.text.dates import date_of_fields, date_of_parts, year_of
from citewhy.text.doi import clean_doi
from citewhy.text.marked_up import plain
from citewhy.text.source import FilePath, read_text
from citewhy.text.tidy import shorten, tidy

__all__ = ["crossref_notices", "is_retraction_watch", "pubmed_notices", "read"]

_NEEDED = ("RetractionNature", "OriginalPaperDOI")
_COLUMNS = frozenset(
    (
        *_NEEDED,
        *("Title", "RetractionDate", "RetractionDOI", "OriginalPaperDate", "OriginalPaperPubMedID", "Reason"),
    )
)
_NATURES: dict[str, NoticeKind] = {
    "retraction": "retracted",
    "retract and replace": "retracted",
    "withdrawal": "withdrawn",
    "expression of concern": "concern",
    "correction": "corrected",
    "reinstatement": "reinstated",
}
_UPDATES: dict[str, NoticeKind] = {
    "retraction": "retracted",
    "partial_retraction": "corrected",
    "removal": "withdrawn",
    "withdrawal": "withdrawn",
    "expression_of_concern": "concern",
    "correction": "corrected",
    "corrigendum": "corrected",
    "erratum": "corrected",
}
"""Types of Crossref's updates; new versions, additions and clarifications take nothing back."""
_PUBMED: dict[str, NoticeKind] = {
    "retracted publication": "retracted",
    "retractionin": "retracted",
    "rin": "retracted",
    "expressionofconcernin": "concern",
    "eci": "concern",
    "erratumin": "corrected",
    "ein": "corrected",
}
"""Publication types, types of comments in XML, and tags in text."""
_AMERICAN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_MOST_REASONS = 300
"""Characters."""


def is_retraction_watch(header: str) -> bool:
    return all(column in header for column in _NEEDED)


def read(path: FilePath, report: ImportReport) -> Iterator[Notice]:
    """Reads Retraction Watch's table, as Crossref publishes it."""
    lines = csv.DictReader(io.StringIO(read_text(path), newline=""), restval="")
    try:
        for row in lines:
            notice = _of_row(row, path, lines.line_num, report)
            if notice is not None:
                yield notice
    except csv.Error as error:
        raise InputError(
            f"the table is truncated: {error}",
            path=path,
            line=lines.line_num,
            hint="is a quotation mark missing?",
        ) from error


def _of_row(row: dict[str, str], path: FilePath, line: int, report: ImportReport) -> Notice | None:
    nature = tidy(row["RetractionNature"])
    kind = _NATURES.get(nature.lower())
    doi, pmid = clean_doi(row["OriginalPaperDOI"]), tidy(row.get("OriginalPaperPubMedID", ""))
    pmid = pmid if pmid.isdecimal() and pmid != "0" else ""
    title = plain(row.get("Title", ""))
    if kind is None:
        report.skip(path, line, f"the RetractionNature is {shorten(nature)!r}, expected one of {_KINDS}")
        return None
    if not (doi or pmid or title):
        report.skip(path, line, "the paper has neither DOI nor PMID nor title")
        return None
    report.leave("Retraction Watch", (name for name in row if name not in _COLUMNS and row[name]))
    reasons = (reason.strip(" +") for reason in row.get("Reason", "").split(";"))
    return Notice(
        kind,
        doi,
        pmid,
        title,
        year_of(row.get("OriginalPaperDate", "")),
        _american_date(row.get("RetractionDate", "")),
        notice_doi if (notice_doi := clean_doi(row.get("RetractionDOI", ""))) != doi else "",
        "; ".join(filter(None, reasons))[:_MOST_REASONS],
    )


_KINDS = ", ".join(name.capitalize() for name in _NATURES)


def _american_date(text: str) -> str:
    """The date of "7/26/2021 0:00"; empty if there is none."""
    match = _AMERICAN.match(text.strip())
    return date_of_fields(match[3], match[1], match[2]) if match else ""


def crossref_notices(row: Row, doi: str, title: str, year: int | None) -> Iterator[Notice]:
    """What a work of Crossref says of itself, and of another paper if it is a notice."""
    for update in row.rows("updated-by"):
        kind = _UPDATES.get(update.text("type"))
        if kind is not None:
            yield Notice(kind, doi, "", title, year, _updated(update), clean_doi(update.text("DOI")))
    for update in row.rows("update-to"):
        kind, paper = _UPDATES.get(update.text("type")), clean_doi(update.text("DOI"))
        if kind is not None and paper:
            yield Notice(kind, paper, date=_updated(update), notice_doi=doi if doi != paper else "")


def _updated(update: Row) -> str:
    parts = update.row("updated").value("date-parts")
    return date_of_parts(parts[0]) if isinstance(parts, list) and parts else ""


def pubmed_notices(said: Iterable[str], paper: Paper) -> Iterator[Notice]:
    """What PubMed says of an article, by its publication types and the types of its comments."""
    pmid = paper.publication.pmid if paper.publication else ""
    for kind in dict.fromkeys(kind for one in said if (kind := _PUBMED.get(one.lower())) is not None):
        yield Notice(kind, paper.doi, pmid, paper.title, paper.year)
