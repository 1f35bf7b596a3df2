"""The tagged text of PubMed and MEDLINE (.nbib, "PubMed format"). The id is ``PMID:19872477``."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from citewhy.base.records import Paper
from citewhy.papers.formats.asked import Row
from citewhy.papers.formats.doi import clean_doi
from citewhy.papers.formats.fields import MadeIds, Seen, year_of
from citewhy.papers.formats.people import turned
from citewhy.papers.formats.report import ImportReport
from citewhy.papers.formats.tagged import records
from citewhy.text.person import from_inverted, is_suffix
from citewhy.text.source import FilePath, read_text
from citewhy.text.tidy import tidy

__all__ = ["NAME", "read"]

NAME = "PubMed format (.nbib)"

_TAG = re.compile(r"([A-Z]{2,4}) {0,2}- ?(.*)")
_DOI = re.compile(r"^(\S+) *\[doi\]$")


def read(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Records with a title; a record starts with PMID."""
    seen, made = Seen(path, report), MadeIds()
    text = read_text(path, notice=functools.partial(report.warn, path))
    for record in records(text, _TAG, begins="PMID", path=path, report=report):
        row = Row(record.values)
        paper = _paper(row, made)
        report.leave(NAME, row.not_kept())
        if not paper.title or not paper.id:
            report.skip(path, record.line, "the record has no title (TI)")
        elif placed := seen.placed(paper, record.line):
            yield placed


def _paper(row: Row, made: MadeIds) -> Paper:
    def one(*tags: str) -> str:
        return next((tidy(texts[0]) for tag in tags if (texts := row.texts(tag))), "")

    pmid = one("PMID")
    title = one("TI", "BTI", "TT")
    if title.startswith("[") and title.rstrip(".").endswith("]"):
        title = title.rstrip(".")[1:-1]  # how PubMed marks a translated title
    people = row.texts("FAU")
    if people:
        row.drop("AU")  # the same with initials
    people = people or row.texts("AU") or row.texts("CN") or row.texts("FED") or row.texts("ED")
    paper = Paper(
        f"PMID:{pmid}" if pmid else "",
        title.removesuffix("."),
        one("AB"),
        tuple([name for person in people if (name := _name(person))]),
        year_of(one("DP")) or year_of(one("DEP")),
        one("JT", "TA", "CTI", "PB"),
        _doi(row),
    )
    return (
        paper
        if paper.id
        else Paper(
            paper.doi or made.make(paper),
            paper.title,
            paper.abstract,
            paper.authors,
            paper.year,
            paper.venue,
            paper.doi,
        )
    )


def _name(person: str) -> str:
    """ "van der Roe, Bo Jr" or "Lee AB" as "First Last"."""
    family, comma, given = person.partition(",")
    if not comma:
        return tidy(turned(person))
    first, _, last = given.strip().rpartition(" ")
    if first and (is_suffix(last) or last in ("2nd", "3rd", "4th")):
        return tidy(f"{first} {family} {last}")
    return tidy(from_inverted(person))


def _doi(row: Row) -> str:
    doi = ""
    for tag in ("LID", "AID"):
        values = row.peek(tag) or []
        marked = [found[1] for value in values if (found := _DOI.match(tidy(value)))]
        if marked and len(marked) == len(values):
            row.drop(tag)
        doi = doi or next((clean for value in marked if (clean := clean_doi(value))), "")
    return doi
