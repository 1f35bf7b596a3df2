"""The Citation File Format: a CITATION.cff says how software or a data set is to be cited, and what it uses.

What its authors prefer to be cited comes first, then the software or data set itself, then its references.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.publication_types import csl_type
from citewhy.base.records import Name, Paper, Publication
from citewhy.papers.formats.fields import Intake, Warn
from citewhy.text.asked import Row
from citewhy.text.dates import date_of, date_of_fields, pages_of, year_in
from citewhy.text.doi import checked_doi, clean_doi, doi_in_url
from citewhy.text.identifiers import serial_numbers
from citewhy.text.marked_up import plain
from citewhy.text.person import inverted
from citewhy.text.source import FilePath

__all__ = ["is_cff", "read"]

_NAME = "Citation File Format"
_VERSION = re.compile(r"^[\"']?cff-version[\"']?:[ \t]+[\"']?\d", re.MULTILINE)
_WHOLE = ("book", "report", "thesis", "collection", "software", "dataset")
"""Types of works whose collection is a series."""
_DATES = ("date-published", "date-released", "issue-date")


def is_cff(head: str) -> bool:
    """Whether the beginning of a file says the version of the Citation File Format."""
    return _VERSION.search(head) is not None


def read(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Reads the works with a title. They have no keys: the DOI is the id, or else it is generated."""
    from citewhy.text.yaml_values import YamlError, load  # imports the YAML parser

    intake = Intake(_NAME, path, report)
    try:
        value, problems = load(intake.text())
    except YamlError as error:
        hint = "expected the YAML of a CITATION.cff"
        raise InputError(
            f"invalid YAML: {error.problem}", path=path, line=error.line + 1, hint=hint
        ) from error
    for line, why in problems:
        intake.warn(line + 1)(why)
    if not isinstance(value, dict):
        raise InputError("expected fields such as “title: …”", path=path, line=1)
    own = Row(value)
    own.drop("cff-version", "message", "license", "license-url")
    works = [(one, "article") for one in own.rows("preferred-citation")]
    works += [(own, "software"), *((one, "generic") for one in own.rows("references"))]
    for work, type_ in works:
        yield from intake.papers(_paper(work, type_, intake.warn(None)), None, "a work has no title")
    intake.leave(own.not_kept())


def _paper(row: Row, usual: str, warn: Warn) -> Paper:
    """`usual` is the type of a work that says none."""
    kind = csl_type(row.text("type") or usual, "cff")
    people = {role: _people(row, role) for role in ("authors", "editors", "translators")}
    url = row.first("url", "repository-code", "repository", "repository-artifact")
    dates = [row.text(name) for name in _DATES]
    year = row.text("year") or next(filter(None, dates), "")
    collection, meeting = plain(row.text("collection-title")), row.row("conference").text("name")
    isbn, issn = serial_numbers([*row.texts("isbn"), *row.texts("issn")])
    container = plain(row.text("journal")) or ("" if kind in _WHOLE else collection)
    publisher, house = row.row("publisher"), row.text("publisher")
    house = publisher.text("name") or house or _entity(row, "institution")
    return Paper(
        "",
        plain(row.text("title")),
        plain(row.text("abstract")),
        people["authors"] or people["editors"],
        year_in(year),
        container or collection or meeting or house,
        checked_doi(row.text("doi"), warn) or _identified(row) or doi_in_url(url),
        url,
        publication=Publication(
            kind,
            editors=people["editors"],
            translators=people["translators"],
            container=container,
            container_short=row.text("abbreviation"),
            volume=row.text("volume"),
            number=row.first("issue", "number"),
            pages=_pages(row),
            publisher=house,
            place=publisher.text("city") or _entity(row, "location"),
            edition=row.text("edition"),
            series=collection if kind in _WHOLE else "",
            chapter=row.text("section"),
            genre=row.text("thesis-type"),
            event=meeting,
            date=date_of_fields(year, row.text("month")) if row.peek("year") else date_of(year),
            original_date=date_of(row.text("year-original")),
            accessed=date_of(row.first("date-accessed", "date-downloaded")),
            isbn=isbn,
            issn=issn,
            pmcid=row.text("pmcid"),
            language=", ".join(row.texts("languages")),
            version=row.text("version"),
            note=row.text("notes"),
            keywords=tuple(row.texts("keywords")),
        ),
    )


def _pages(row: Row) -> str:
    """The first and the last page; ``pages`` is their number, unless somebody wrote a range there."""
    pages = str(row.peek("pages") or "")
    return pages_of(row.text("start"), row.text("end")) or (
        pages_of(row.text("pages")) if "-" in pages or "–" in pages else ""
    )


def _identified(row: Row) -> str:
    """The first DOI in the list of identifiers."""
    numbered = [one for one in row.rows("identifiers") if one.text("type").lower() == "doi"]
    return next((doi for one in numbered if (doi := clean_doi(one.text("value")))), "")


def _entity(row: Row, name: str) -> str:
    return row.text(name) or row.row(name).text("name")


def _people(row: Row, role: str) -> tuple[str, ...]:
    """People with the parts of their names, and organisations."""
    return tuple(name for person in row.rows(role) if (name := _person(person)))


def _person(row: Row) -> str:
    given, family = row.text("given-names"), row.text("family-names")
    particle, suffix = row.text("name-particle"), row.text("name-suffix")
    if family:
        return Name(given, family, particle, suffix) if particle else inverted(family, given, suffix)
    whole = row.text("name") or given or row.text("alias")
    return Name.literal(whole) if whole else ""
