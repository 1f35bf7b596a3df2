"""Hayagriva's YAML, the bibliographies of Typst: entries by key, with a venue as the `parent` of a work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.publication_types import csl_type
from citewhy.base.records import Name, Paper, Publication
from citewhy.papers.formats.fields import Seen, source_entry
from citewhy.text.asked import Row
from citewhy.text.dates import date_of, pages_of, year_of
from citewhy.text.doi import clean_doi, doi_in_url
from citewhy.text.identifiers import arxiv_number, serial_numbers
from citewhy.text.marked_up import plain
from citewhy.text.person import name_of
from citewhy.text.source import FilePath, read_text
from citewhy.text.tidy import shorten, tidy

if TYPE_CHECKING:
    from citewhy.text.yaml_values import Value

__all__ = ["NAME", "TYPES", "Entry", "entries_of", "is_hayagriva", "read"]

NAME = "Hayagriva YAML"
FORMAT = "Hayagriva"
"""Its name in the registry."""

TYPES = frozenset(
    """article chapter entry anthos report thesis web scene artwork patent case newspaper legislation
    manuscript original post misc performance periodical proceedings book blog repository conference
    anthology reference thread video audio exhibition""".split()  # noqa: SIM905
)
"""The types of its entries, in lower case."""

_VENUES = frozenset(
    {"periodical", "proceedings", "conference", "anthology", "newspaper", "blog", "reference"}
)

_KEY = re.compile(
    r"^(?:\"([^\"\n]+)\"|'([^'\n]+)'|([^\s#\"'{}\[\]:-][^\n#:]*(?::[^\s:][^\n#:]*)*)):(?=\s|$)", re.MULTILINE
)
"""A key at the beginning of a line: an entry."""

_BRACES = re.compile(r"(?<!\\)[{}]")
"""Matches what protects capitals in titles."""

_TYPE = re.compile(r"^[ \t]+type:[ \t]*[\"']?([A-Za-z]+)[\"']?[ \t]*(?:#.*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a file, and where its text begins and ends; `line` counts from 1."""

    paper: Paper
    """Its key is the id. The title may be empty."""
    start: int
    end: int
    line: int


def is_hayagriva(head: str) -> bool:
    """Whether the beginning of a file has an entry with one of the types."""
    first = _KEY.search(head)
    if first is None:
        return False
    return any(match[1].lower() in TYPES for match in _TYPE.finditer(head, first.end()))


def entries_of(text: str, name: FilePath, report: ImportReport) -> list[Entry]:
    """The entries of a file, also those without a title. Raises InputError if it is not YAML, or no mapping
    from keys to entries."""
    from citewhy.text.yaml_values import YamlError, load  # imports the YAML parser

    try:
        value, problems = load(text)
    except YamlError as error:
        hint = "expected Hayagriva's YAML"
        raise InputError(
            f"invalid YAML: {error.problem}", path=name, line=error.line + 1, hint=hint
        ) from error
    for line, why in problems:
        report.warn(name, line + 1, why)
    if not isinstance(value, dict):
        if not value:
            return []
        raise InputError("expected entries by key", path=name, line=1, hint="expected Hayagriva's YAML")
    places = _places(text)
    entries = []
    for key, fields in value.items():
        start, end, line = places.get(key, (0, 0, 1))
        if not isinstance(fields, dict):
            report.skip(name, line, f"entry {shorten(key)!r} has no fields")
            continue
        entries.append(
            Entry(_paper(key, fields, str(name), line, report, text[start:end].rstrip()), start, end, line)
        )
    return entries


def read(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """The entries with a title, under their keys."""
    seen = Seen(path, report)
    for entry in entries_of(read_text(path), path, report):
        if not entry.paper.title:
            report.skip(path, entry.line, f"entry {shorten(entry.paper.id)!r} has no title")
        elif placed := seen.placed(entry.paper, entry.line):
            yield placed


def _places(text: str) -> dict[str, tuple[int, int, int]]:
    """Finds by key where its entry starts and ends, and the line."""
    keys = [((match[1] or match[2] or match[3]).strip(), match.start()) for match in _KEY.finditer(text)]
    places: dict[str, tuple[int, int, int]] = {}
    line, counted = 1, 0
    for (key, start), (_, end) in pairwise([*keys, ("", len(text))]):
        line, counted = line + text.count("\n", counted, start), start
        places[key] = start, end, line
    return places


def _paper(
    key: str, fields: dict[str, Value], path: str, line: int, report: ImportReport, text: str
) -> Paper:
    """`text` is that of the entry."""
    row = Row(fields)
    parents = row.rows("parent")
    numbers = row.row("serial-number")
    url = _text(row, "url")
    given = numbers.text("doi") or row.text("doi")
    doi = clean_doi(given) or doi_in_url(url)
    arxiv = arxiv_number(numbers.text("arxiv"))
    if given and not doi:
        report.warn(path, line, f"{shorten(given)!r} is not a DOI; left empty")
    dates = (year_of(work.text("date")) for work in (row, *parents))
    editors = tuple(person for work in (row, *parents) for person in _people(work.value("editor")))
    paper = Paper(
        key,
        _text(row, "title"),
        _text(row, "abstract"),
        _people(row.value("author")) or _people(row.peek("editor")),
        next(filter(None, dates), None),
        _venue(row, parents),
        doi,
        url or (f"https://arxiv.org/abs/{arxiv}" if arxiv else ""),
        publication=_publication(row, parents, numbers, editors, arxiv),
        source=source_entry(FORMAT, text, key, path) if text else None,
    )
    report.leave(NAME, row.not_kept())
    return paper


_IN_PARENT = {
    **dict.fromkeys(("proceedings", "conference"), "paper-conference"),
    **{"newspaper": "article-newspaper", "blog": "post-weblog", "periodical": "article-journal"},
    **{"anthology": "chapter", "book": "chapter", "reference": "entry-encyclopedia"},
}
"""Types by that of the parent."""


def _publication(
    row: Row, parents: list[Row], numbers: Row, editors: tuple[str, ...], arxiv: str
) -> Publication:
    """How a work was published: what it does not say itself is said by what it appeared in."""
    kind = row.text("type").lower()
    around = [parent.text("type").lower() for parent in parents]
    inside = kind in ("article", "chapter", "entry") or (kind == "misc" and bool(parents))
    type_ = next((_IN_PARENT[one] for one in around if inside and one in _IN_PARENT), "")
    if inside and kind == "article" and not type_ and arxiv:
        type_ = "article"
    held = sorted(parents, key=lambda parent: str(parent.peek("type")).lower() not in _VENUES)
    outer = _text(held[0], "title") if held else ""
    serials = [parent.row("serial-number") for parent in parents]

    def of(name: str) -> str:
        return next((text for work in (row, *parents) if (text := _text(work, name))), "")

    isbn, issn = serial_numbers(
        [serial.text(kind) for serial in (numbers, *serials) for kind in ("isbn", "issn")]
    )
    address = row.peek("url")
    return Publication(
        type_ or csl_type(kind, "hayagriva"),
        editors=editors,
        translators=_people(row.value("translator")),
        container=outer if inside else "",
        volume=of("volume"),
        number=of("issue"),
        pages=pages_of(_text(row, "page-range")),
        publisher=of("publisher") or of("organization"),
        place=of("location"),
        edition=of("edition"),
        series="" if inside else outer,
        genre=_text(row, "genre"),
        date=date_of(of("date")),
        accessed=date_of(str(address.get("date", ""))) if isinstance(address, dict) else "",
        isbn=isbn,
        issn=issn,
        pmid=numbers.text("pmid"),
        pmcid=numbers.text("pmcid"),
        arxiv=arxiv,
        language=_text(row, "language"),
        note=_text(row, "note"),
    )


def _venue(row: Row, parents: list[Row]) -> str:
    """The title of the journal, the proceedings or the book; else organization or publisher."""
    ordered = sorted(parents, key=lambda parent: str(parent.peek("type")).lower() not in _VENUES)
    titles = (_text(parent, "title") for parent in ordered)
    return next(filter(None, titles), "") or _text(row, "organization") or _text(row, "publisher")


def _text(row: Row, name: str) -> str:
    """A text, or the value of a text with a short form or a date of access."""
    value = row.value(name)
    if isinstance(value, dict):
        value = value.get("value") or value.get("name") or value.get("title") or ""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return plain(_BRACES.sub("", tidy(value))) if isinstance(value, str) else ""


def _people(value: object) -> tuple[str, ...]:
    """Names as ``Last, First``, or as mappings with their parts."""
    people = value if isinstance(value, list) else [value] if value else []
    names = (
        Name(
            str(person.get("given-name", "") or person.get("given", "")),
            str(person.get("name", "") or person.get("family", "")),
            str(person.get("prefix", "")),
            str(person.get("suffix", "")),
        )
        if isinstance(person, dict)
        else name_of(tidy(str(person)))
        for person in people
    )
    return tuple(name for person in names if (name := plain(person)))
