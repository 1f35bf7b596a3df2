"""CSL-JSON: the input of citation processors, as Zotero, Pandoc and Crossref write it."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

import orjson

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Name, Paper, Publication
from citewhy.papers.formats.fields import Seen, source_entry
from citewhy.papers.formats.json_objects import Made, Warn, read_objects
from citewhy.text.asked import Row
from citewhy.text.dates import date_of, date_of_parts, pages_of, year_in, year_of
from citewhy.text.doi import checked_doi, doi_in_url
from citewhy.text.identifiers import without_identifiers
from citewhy.text.marked_up import plain, with_mathematics
from citewhy.text.person import inverted
from citewhy.text.source import FilePath, invalid_utf8, read_text
from citewhy.text.tidy import shorten, tidy

__all__ = ["MAX_CSL", "NAME", "is_yaml", "items_of", "paper_of", "read", "read_yaml", "yaml_items_of"]

NAME = "CSL-JSON"

MAX_CSL = 64 << 20
"""Maximum bytes of a CSL-JSON file that is parsed in memory (`items_of`), which takes many times its size."""

_YAML = re.compile(
    r"^[\"']?references[\"']?:[ \t]*(?:#.*)?\n(?:[ \t]*(?:#.*)?\n)*+[ \t]*-[ \t\n]"
    r"|\A(?:---.*\n)?(?:#.*\n)*+-[ \t\n]",
    re.MULTILINE,
)
_YAML_ID = re.compile(r"^(?:[ \t]*-)?[ \t]+[\"']?id[\"']?:[ \t]", re.MULTILINE)
_MARKDOWN = (
    (re.compile(r"\[([^\[\]]+)\]\{\.nocase\}"), r'<span class="nocase">\1</span>'),
    (re.compile(r"(?<![*\\])\*(?![*\s])([^*]+)(?<![\s\\])\*(?!\*)"), r"<i>\1</i>"),
    (re.compile(r"(?<![\w\\])_(?![_\s])([^_]+)(?<![\s\\])_(?!\w)"), r"<i>\1</i>"),
    (re.compile(r"(?<![\\^])\^([^\s^]+)\^"), r"<sup>\1</sup>"),
    (re.compile(r"(?<![\\~])~([^\s~]+)~"), r"<sub>\1</sub>"),
    (re.compile(r"\\([*_^~$'\"@\[\]#<>])"), r"\1"),
)
"""Markup of titles in CSL-YAML, and what it is in CSL-JSON."""

_OTHER_ROLES = (
    *("container-author", "composer", "director", "illustrator", "interviewer", "translator"),
    "collection-editor",
)
_VENUES = ("container-title", "event-title", "event", "collection-title", "publisher")


def read(path: FilePath, report: ImportReport) -> Iterator[Made]:
    """Items with an id and a title. Errors give the number of an item, since lines are not meaningful in
    JSON."""
    return read_objects(NAME, functools.partial(_records, path=path), path, report)


def is_yaml(head: str) -> bool:
    """Whether the beginning of a file is CSL-YAML: a list of items with ids, alone or as ``references``."""
    return _YAML.search(head) is not None and _YAML_ID.search(head) is not None


def yaml_items_of(text: str, path: FilePath) -> list[Any]:
    """The items of a file of CSL-YAML. Raises InputError for any other content."""
    from citewhy.text.yaml_values import YamlError, load  # imports the YAML parser

    hint = "expected CSL-YAML: a list of items with “id” and “title”, or one that is called “references”"
    try:
        value, _ = load(text)
    except YamlError as error:
        raise InputError(
            f"invalid YAML: {error.problem}", path=path, line=error.line + 1, hint=hint
        ) from error
    items = value.get("references") if isinstance(value, dict) else value
    if not isinstance(items, list):
        raise InputError("there is no list of items", path=path, line=1, hint=hint)
    return [_without_markdown(item) for item in items]


def _without_markdown(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    changed = dict(item)
    for name in ("title", "title-short", "container-title", "collection-title", "abstract"):
        if isinstance(text := item.get(name), str):
            for markdown, html in _MARKDOWN:
                text = markdown.sub(html, text)
            changed[name] = text
    return changed


def read_yaml(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Items of CSL-YAML with an id and a title, as Pandoc writes it."""
    seen = Seen(path, report)
    for number, item in enumerate(yaml_items_of(read_text(path), path), start=1):
        paper = paper_of(item, number, path, report) if isinstance(item, dict) else Paper("", "")
        if not paper.id or not paper.title:
            report.skip(path, None, f"item {number}: no {'title' if paper.id else 'id'}")
        elif placed := seen.placed(paper, None):
            yield placed


def paper_of(item: dict[str, Any], number: int, path: FilePath, report: ImportReport) -> Paper:
    """Item `number` of a parsed file as a paper; id and title may be empty. `path` names the file in the
    report."""
    return _paper(Row(item), lambda why: report.warn(path, None, f"item {number}: {why}"), path)


def items_of(data: bytes, path: FilePath) -> list[Any]:
    """The items of a CSL-JSON file with the content `data`. Raises InputError for any other content."""
    try:
        value = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        if wrong := invalid_utf8(data, path):
            raise wrong from error
        line = None if error.lineno < 1 else error.lineno
        raise InputError(f"not JSON: {error.msg}", path=path, line=line, hint="expected CSL-JSON") from error
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        items = value.get("items", [value])
        return items if isinstance(items, list) else [items]
    raise InputError("expected a list of CSL-JSON items", path=path, line=1)


def _records(row: Row, warn: Warn, path: FilePath) -> Iterator[Made]:
    paper = _paper(row, warn, path)
    if not paper.id or not paper.title:
        raise InputError(f"no {'title' if paper.id else 'id'}")
    yield paper


def _paper(row: Row, warn: Warn, path: FilePath) -> Paper:
    identifier = row.text("id")
    if not identifier or "://" in identifier:  # Zotero puts an address there, and the key elsewhere
        identifier = row.first("citation-key", "citekey") or identifier
    title, marked = with_mathematics(_written(row, "title"))
    if not identifier or not title:
        return Paper(identifier, title)
    note, extra = _note(row)
    url = row.text("URL")
    authors, editors = _people(row, "author", warn), _people(row, "editor", warn)
    doi = checked_doi(row.text("DOI") or extra.get("doi", ""), warn)
    year, date = _year(row, warn)
    return Paper(
        identifier,
        title,
        _plain(row, "abstract"),
        authors or editors or next(filter(None, (_people(row, role, warn) for role in _OTHER_ROLES)), ()),
        year,
        next((venue for field in _VENUES if (venue := _plain(row, field))), ""),
        doi or doi_in_url(url),
        url,
        publication=_publication(row, marked, editors, date, note, extra, warn),
        source=source_entry(NAME, orjson.dumps(row.values).decode(), identifier, path),
    )


_TEXTS = {
    **{"type": "type", "volume": "volume", "edition": "edition", "collection-number": "series_number"},
    **{"chapter-number": "chapter", "genre": "genre", "PMID": "pmid", "PMCID": "pmcid"},
    **{"language": "language", "version": "version"},
}
_MARKED = {
    **{"container-title": "container", "container-title-short": "container_short", "publisher": "publisher"},
    **{"publisher-place": "place", "collection-title": "series", "event-title": "event"},
    "event-place": "event_place",
}
_OTHERWISE = {"container_short": "journalAbbreviation", "event": "event"}
_SERIALS = {"ISBN": "isbn", "ISSN": "issn"}
_OTHER_DATES = {"original-date": "original_date", "accessed": "accessed"}
"""Variables of CSL and fields of `Publication`, by how they are read; `_OTHERWISE` the other way round."""


def _publication(
    row: Row,
    title: str,
    editors: tuple[str, ...],
    date: str,
    note: str,
    extra: dict[str, str],
    warn: Warn,
) -> Publication:
    given = row.values
    values: dict[str, Any] = {field: row.text(name) for name, field in _TEXTS.items() if name in given}
    values |= {
        field: text for name, field in _MARKED.items() if name in given and (text := _plain(row, name))
    }
    for field, name in _OTHERWISE.items():
        if name in given and field not in values:
            values[field] = _plain(row, name)
    values |= {field: _date(row.value(name)) for name, field in _OTHER_DATES.items() if name in given}
    values |= {field: next(iter(row.texts(name)), "") for name, field in _SERIALS.items() if name in given}
    values |= {name: number for name, number in extra.items() if name != "doi" and not values.get(name)}
    if words := row.value("keyword"):
        keywords = words if isinstance(words, list) else re.split("[,;]", words)
        values["keywords"] = tuple([text for word in keywords if word and (text := tidy(str(word)))])
    return Publication(
        title=title,
        editors=editors,
        translators=_people(row, "translator", warn),
        number=row.first("issue", "number"),
        pages=pages_of(row.first("page", "article-number")),
        date=date,
        note=note,
        **values,
    )


def _plain(row: Row, name: str) -> str:
    """A title or an abstract without markup; Crossref has lists of titles."""
    return plain(text) if (text := _written(row, name)) else ""


def _written(row: Row, name: str) -> str:
    """A text as it is written, or the first one of a list."""
    value = row.peek(name)
    if isinstance(value, str):
        row.drop(name)
        return value
    return next(iter(row.texts(name)), "") if value else ""


def _note(row: Row) -> tuple[str, dict[str, str]]:
    """The note, and the identifiers in lines of their own that are in it, by their names in lower case."""
    text = row.value("note")
    return without_identifiers(text) if isinstance(text, str) else ("", {})


def _people(row: Row, role: str, warn: Warn) -> tuple[str, ...]:
    people = row.value(role)
    if not people:
        return ()
    names = [_name(person) for person in (people if isinstance(people, list) else [people])]
    if not all(names):
        warn(f"an {role} has no name; left out" if role[0] in "ae" else f"a {role} has no name; left out")
    return tuple([name for name in names if name])


def _name(person: object) -> str:
    if isinstance(person, str):
        return plain(person)
    if not isinstance(person, dict):
        return ""
    parts = [person.get(part) for part in _NAME_PARTS]
    try:
        return _name_of_parts(*parts)
    except TypeError:  # a list among the values
        return _name_of_parts(*(part if isinstance(part, str | int) else None for part in parts))


_NAME_PARTS = ("literal", "given", "family", "suffix", "non-dropping-particle", "dropping-particle")


@functools.lru_cache(maxsize=10_000, typed=True)  # most people of a library wrote more than one of its papers
def _name_of_parts(
    literal: object, given: object, family: object, suffix: object, particle: object, dropping: object
) -> str:
    if whole := _word(literal):
        return Name.literal(whole)
    first, last = _word(given), _word(family)
    if not last:
        return first
    if particle or dropping:
        return Name(first, last, _word(particle), _word(suffix), _word(dropping))
    return inverted(last, first, _word(suffix))


def _word(value: object) -> str:
    if isinstance(value, str):
        return plain(value) if value else ""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _year(row: Row, warn: Warn) -> tuple[int | None, str]:
    """The year, and the date of `issued`, or else of the original."""
    issued = row.value("issued")
    if (parts := _only_parts(issued)) and (known := _year_and_date(*parts))[0] is not None:
        return known
    if issued is None or issued == {}:
        original = row.value("original-date") if "original-date" in row else None
        return (year_in(_first_date(original)) if original else None), ""
    read = year_in if isinstance(issued, dict) else year_of
    year, date = read(_first_date(issued)), _date(issued)
    if year is None:
        warn(f"issued {shorten(str(issued))!r} names no year; left empty")
    return year, date


def _only_parts(issued: object) -> list[object]:
    """The numbers of ``{"date-parts": [[2002, 7]]}``; none of a date of any other form."""
    parts = issued.get("date-parts") if isinstance(issued, dict) and len(issued) == 1 else None
    if not isinstance(parts, list) or len(parts) != 1 or not isinstance(parts[0], list):
        return []
    return parts[0] if all(type(part) in (int, str) for part in parts[0]) else []


@functools.lru_cache(maxsize=4096, typed=True)
def _year_and_date(*parts: object) -> tuple[int | None, str]:
    return year_in(parts[0]), date_of_parts(parts)


def _date(value: object) -> str:
    """A date of CSL as `Publication.date` has it, of its parts or of one of the looser forms."""
    if value is None:
        return ""
    if isinstance(value, list) and value:  # CSL-YAML of older versions of Pandoc: [{"year": 2002}]
        value = value[0]
    if not isinstance(value, dict):
        return date_of(str(value)) if isinstance(value, str | int) and value else ""
    parts = value.get("date-parts")
    if isinstance(parts, list) and parts:
        dates = [date_of_parts(part) for part in parts[:2]]
        if dates[0]:
            return "/".join(filter(None, dates))
    if "year" in value:
        return date_of_parts([value["year"], value.get("month", 0), value.get("day", 0)])
    return next((date_of(str(value[form])) for form in ("raw", "literal", "string") if value.get(form)), "")


def _first_date(issued: object) -> object:
    """The year of ``{"date-parts": [[2002, 7]]}``, or the text of one of the looser forms."""
    if isinstance(issued, list) and issued:  # CSL-YAML of older versions of Pandoc: [{"year": 2002}]
        issued = issued[0]
    if not isinstance(issued, dict):
        return issued
    value: object = issued.get("date-parts")
    while isinstance(value, list) and value:
        value = value[0]
    if year_in(value) is not None:
        return value
    return next((issued[form] for form in ("raw", "literal", "string", "year") if form in issued), value)
