"""arXiv: Atom feeds of its API, and the metadata dump as JSON lines. The id is ``arXiv:1706.03762``."""

from __future__ import annotations

from collections.abc import Iterator

from citewhy.base.errors import InputError
from citewhy.base.records import Paper
from citewhy.papers.formats.asked import Node, Row
from citewhy.papers.formats.doi import clean_doi
from citewhy.papers.formats.fields import Seen, arxiv_number, year_of
from citewhy.papers.formats.json_source import Made, Warn, read_objects
from citewhy.papers.formats.latex_text import plain
from citewhy.papers.formats.report import ImportReport
from citewhy.papers.formats.xml_stream import elements
from citewhy.text.person import Name
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten, tidy

__all__ = ["ATOM", "METADATA", "read_atom", "read_metadata"]

ATOM = "arXiv Atom"
METADATA = "arXiv metadata"


def read_metadata(path: FilePath, report: ImportReport) -> Iterator[Made]:
    """Objects with `id` and `title`; the authors are `authors_parsed` or else `authors`."""
    return read_objects(METADATA, _from_metadata, path, report)


def _from_metadata(row: Row, warn: Warn) -> Iterator[Made]:
    number = arxiv_number(row.text("id"))
    if not number:
        raise InputError(f"{shorten(str(row.peek('id')))!r} is no number of arXiv")
    title = _written(row.text("title"))
    if not title:
        raise InputError(f"paper {number} has no title")
    yield Paper(
        f"arXiv:{number}",
        title,
        _written(row.text("abstract")),
        tuple(_parsed(row) or _listed(row.text("authors"))),
        _first_version(row) or year_of(row.text("update_date")),
        _written(row.text("journal-ref")),
        _doi(row.text("doi"), warn),
        f"https://arxiv.org/abs/{number}",
    )


def _parsed(row: Row) -> list[str]:
    """Names that arXiv has split into family name, given name, suffix, and sometimes an affiliation."""
    value = row.peek("authors_parsed")
    if not isinstance(value, list):
        return []
    people = [
        one
        for one in value
        if isinstance(one, list) and len(one) >= 2 and all(isinstance(p, str) for p in one)
    ]
    if people:
        row.drop("authors_parsed", "authors")
    names = (
        str(Name(_written(given), _written(family), "", _written(rest[0]) if rest else ""))
        for family, given, *rest in people
    )
    return [name for name in names if name]


def _listed(authors: str) -> list[str]:
    return [name for one in authors.replace(" and ", ", ").split(",") if (name := _written(one))]


def _first_version(row: Row) -> int | None:
    """The year of the first version: when the paper became known."""
    versions = row.rows("versions")
    years = [year for one in versions if (year := year_of(one.text("created")))]
    for version in versions:
        version.drop("version")
    return min(years, default=None)


def read_atom(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """The entries of a feed."""
    seen = Seen(path, report)
    for element in elements(path, ("entry",), ("feed", "entry"), "an Atom feed of arXiv"):
        line = element.sourceline
        entry = Node(element)

        def warn(why: str, line: int | None = line) -> None:
            report.warn(path, line, why)

        number = arxiv_number(entry.text("id"))
        title = _written(entry.text("title"))
        if not number or not title:
            report.skip(
                path, line, "the entry has no title" if number else "the entry has no number of arXiv"
            )
            continue
        paper = Paper(
            f"arXiv:{number}",
            title,
            _written(entry.text("summary")),
            tuple(entry.texts("author/name")),
            year_of(entry.text("published")) or year_of(entry.text("updated")),
            _written(entry.text("journal_ref")),
            _doi(entry.text("doi"), warn),
            f"https://arxiv.org/abs/{number}",
        )
        report.leave(ATOM, entry.not_kept())
        if placed := seen.placed(paper, line):
            yield placed


def _written(text: str) -> str:
    """The plain text of the LaTeX that authors type into arXiv's forms."""
    return tidy(plain(text)) if text else ""


def _doi(given: str, warn: Warn) -> str:
    """The first DOI; some papers have several, separated by spaces."""
    doi = clean_doi(given)
    if given and not doi:
        warn(f"{shorten(given)!r} is not a DOI; left empty")
    return doi
