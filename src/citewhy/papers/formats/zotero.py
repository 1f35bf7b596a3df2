"""Zotero: its items as JSON (of its web API, of Better BibTeX), its RDF, and its own database.

The id of an item is its citation key, or else Zotero's; in RDF, where Zotero numbers items anew in each
export, it is the citation key, or else the DOI, or else generated. The database is copied first, since Zotero
keeps the original locked; the original is never written to."""

from __future__ import annotations

import functools
import re
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from citewhy.base.artifact import temporary_folder
from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.publication_types import csl_type
from citewhy.base.records import Name, Paper, Publication
from citewhy.papers.formats.fields import Intake, MadeIds, Seen, renamed
from citewhy.papers.formats.json_objects import Made, Warn, read_objects
from citewhy.text.asked import Node, Row
from citewhy.text.dates import date_of, date_of_parts, pages_of, year_of
from citewhy.text.doi import checked_doi, doi_in_url
from citewhy.text.identifiers import arxiv_number, serial_numbers, without_identifiers
from citewhy.text.marked_up import plain, rich
from citewhy.text.person import inverted
from citewhy.text.source import FilePath, open_blocks
from citewhy.text.tidy import shorten, tidy
from citewhy.text.xml_files import Element, parse_mended

__all__ = ["DATABASE", "NOT_ITEMS", "RDF", "_paper_of", "read_api", "read_database", "read_json", "read_rdf"]

JSON = "Better BibTeX JSON"
API = "Zotero API"

NOT_ITEMS = ("attachment", "note", "annotation")

_TITLES = ("title", "caseName", "nameOfAct", "subject", "shortTitle")
_DATES = ("date", "dateDecided", "dateEnacted", "issueDate", "filingDate", "year")
_CONTAINERS = (
    *("publicationTitle", "proceedingsTitle", "bookTitle", "encyclopediaTitle", "dictionaryTitle"),
    *("websiteTitle", "blogTitle", "forumTitle", "programTitle", "reporter", "code"),
)
_PUBLISHERS = ("university", "institution", "repository", "company", "label", "studio", "distributor")
_VENUES = (
    *("publicationTitle", "proceedingsTitle", "bookTitle", "conferenceName", "encyclopediaTitle"),
    *("dictionaryTitle", "websiteTitle", "blogTitle", "forumTitle", "programTitle", "meetingName"),
    *("university", "institution", "repository", "reporter", "code", "seriesTitle", "series", "publisher"),
)
_AUTHORS = (
    *("author", "inventor", "artist", "programmer", "presenter", "podcaster", "director", "composer"),
    *("cartographer", "interviewee", "sponsor", "editor", "seriesEditor", "contributor"),
)
"""Roles that count as author; the first one that the item has is used."""

_STORED_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?: |$)")
_EXTRA = re.compile(
    r"^[ \t]*(citation key|bibtex|doi)[ \t]*:[ \t]*(\S.*?)[ \t]*$", re.IGNORECASE | re.MULTILINE
)


def read_json(path: FilePath, report: ImportReport) -> Iterator[Made]:
    """Better BibTeX JSON: items under their citation keys."""
    made = MadeIds()
    return read_objects(JSON, lambda row, warn: _item_items(row, warn, made), path, report)


def read_api(path: FilePath, report: ImportReport) -> Iterator[Made]:
    """Responses of Zotero's web API: items under ``data``."""
    made = MadeIds()
    return read_objects(API, lambda row, warn: _item_items(row.row("data"), warn, made), path, report)


def _item_items(row: Row, warn: Warn, made: MadeIds) -> Iterator[Made]:
    if (kind := row.peek("itemType")) in NOT_ITEMS:
        row.leave_whole(f"({kind}s)")
        return
    yield _paper_of(row, warn, made)


def _paper_of(row: Row, warn: Warn, made: MadeIds) -> Paper:
    """An item as a paper under its citation key, or else Zotero's. Raises InputError without a title."""
    kind = row.text("itemType")
    extra = _extra(row)
    title = plain(row.first(*_TITLES))
    if not title:
        name = row.first("citationKey", "itemKey", "key")
        raise InputError(f"item {shorten(name)!r} has no title")
    url = row.text("url")
    creators = row.rows("creators")
    doi = checked_doi(row.text("DOI") or extra.get("doi", ""), warn)
    key = row.first("citationKey", "citekey", "citation-key") or extra.get("citation key", "")
    paper = Paper(
        key or extra.get("bibtex", "") or row.first("itemKey", "key"),
        title,
        plain(row.text("abstractNote")),
        tuple(_item_people(creators)),
        _year(row, warn),
        plain(row.first(*_VENUES)),
        doi or doi_in_url(url),
        url,
        publication=_item_publication(row, kind, creators, extra),
    )
    return paper if paper.id else renamed(paper, paper.doi or made.make(paper))


def _item_publication(row: Row, kind: str, creators: list[Row], extra: dict[str, str]) -> Publication:
    title = next((one for name in _TITLES if isinstance(one := row.peek(name), str) and one.strip()), "")
    isbn, issn = serial_numbers([row.text("ISBN"), row.text("ISSN")])
    return Publication(
        csl_type(kind, "zotero"),
        rich(title),
        tuple(_names_of(creators, ("editor",))),
        tuple(_names_of(creators, ("translator",))),
        container=plain(row.first(*_CONTAINERS)),
        container_short=row.text("journalAbbreviation"),
        volume=row.text("volume"),
        number=row.first("issue", "number", "reportNumber", "patentNumber", "billNumber", "docketNumber"),
        pages=pages_of(row.text("pages")),
        publisher=row.first("publisher", *_PUBLISHERS),
        place=row.text("place"),
        edition=row.text("edition"),
        series=plain(row.first("series", "seriesTitle")),
        series_number=row.text("seriesNumber"),
        genre=row.first("thesisType", "reportType", "manuscriptType", "websiteType", "type"),
        event=plain(row.first("conferenceName", "meetingName")),
        date=_item_date(row.first(*_DATES)),
        accessed=date_of(row.first("accessDate").partition("T")[0]),
        isbn=isbn or extra.get("isbn", ""),
        issn=issn or extra.get("issn", ""),
        pmid=row.text("PMID") or extra.get("pmid", ""),
        pmcid=row.text("PMCID") or extra.get("pmcid", ""),
        arxiv=extra.get("arxiv", "") or arxiv_number(row.text("archiveID")),
        language=row.text("language"),
        version=row.first("versionNumber"),
    )


def _item_date(text: str) -> str:
    """A date; in the database two forms of it stand side by side: ``2004-03-00 March 2004``."""
    stored = _STORED_DATE.match(text)
    return date_of_parts(stored.groups()) if stored else date_of(text)


def _extra(row: Row) -> dict[str, str]:
    """The citation key and the DOI that the field "extra" may contain; other content is kept."""
    value = row.peek("extra")
    lines = "\n".join(one for one in value if isinstance(one, str)) if isinstance(value, list) else value
    if not isinstance(lines, str):
        return {}
    named = {match[1].lower(): tidy(match[2]) for match in _EXTRA.finditer(lines)}
    rest, identifiers = without_identifiers(_EXTRA.sub("", lines))
    if not rest:
        row.drop("extra")
    return identifiers | named


def _year(row: Row, warn: Warn) -> int | None:
    given = row.first(*_DATES)
    year = year_of(given)
    if given and year is None:
        warn(f"date {shorten(given)!r} names no year; left empty")
    return year


def _item_people(creators: list[Row]) -> list[str]:
    roles = [creator.text("creatorType") for creator in creators]
    role = next((one for one in _AUTHORS if one in roles), next(iter(roles), ""))
    return _names_of(creators, (role,))


def _names_of(creators: list[Row], roles: tuple[str, ...]) -> list[str]:
    names: list[str] = []
    for creator in creators:
        if creator.text("creatorType") in roles:
            creator.drop("multi", "fieldMode")
            given, family = plain(creator.text("firstName")), plain(creator.text("lastName"))
            whole_name = plain(creator.text("name"))
            if given and family:
                names.append(inverted(family, given))
            elif name := given or family or whole_name:
                names.append(Name.literal(name) if " " in name else name)
    return names


# RDF ----------------------------------------------------------------------------------------------------

RDF = "Zotero RDF"

_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_ITEM_ELEMENTS = frozenset(
    """Article Book BookSection Thesis Letter Manuscript Interview MotionPicture Illustration Document Report
    Legislation Patent Image Recording ConferenceProceedings Data""".split()  # noqa: SIM905
)
"""Elements that are items even without an itemType, as in old exports."""

_ROLES = (
    "authors",
    "inventors",
    "artists",
    "programmers",
    "presenters",
    "directors",
    "editors",
    "contributors",
)
_DEEPEST = 5


def read_rdf(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Items with a title. Attachments, notes and collections are counted and skipped."""
    root = parse_mended(path, functools.partial(report.warn, path), ("RDF",), "RDF of Zotero")
    described = {about: element for element in root if (about := element.get(f"{_RDF}about"))}
    intake = Intake(RDF, path, report)
    for element in root:
        if not isinstance(element.tag, str):
            continue
        kind = element.findtext("itemType") or ("item" if element.tag in _ITEM_ELEMENTS else "")
        if not kind or kind in NOT_ITEMS:
            if element.tag not in ("Journal", "Periodical", "Series", "Person", "Organization"):
                intake.leave([f"({element.tag})"])
            continue
        paper = _paper(element, described, intake)
        yield from intake.papers(paper, element.sourceline, f"the {shorten(kind)} has no title")


def _paper(element: Element, described: dict[str, Element], intake: Intake) -> Paper:
    item = Node(element)
    container = _container(element, described, item)
    journal = item if container is None else Node(container)
    inside = None if container is None else container
    given = _identifiers(item, element) or (_identifiers(journal, inside) if inside is not None else "")
    doi = checked_doi(given, intake.warn(element.sourceline))
    url = item.text("identifier/URI/value")
    paper = Paper(
        item.text("citationKey"),
        plain(item.first("title", "shortTitle")),
        plain(item.text("abstract")),
        tuple(_rdf_people(item, described)),
        year_of(item.text("date")) or year_of(item.text("issued")),
        plain(_venue(item, journal, inside)),
        doi or doi_in_url(url),
        url,
        publication=_rdf_publication(item, journal, inside, described),
    )
    names = item.not_kept()
    if inside is not None:
        names = {name for name in names if not name.startswith("isPartOf")}
        names.update(f"isPartOf/{inside.tag}/{name}" for name in journal.not_kept())
    intake.leave(names)
    return paper


def _rdf_publication(
    item: Node, journal: Node, container: Element | None, described: dict[str, Element]
) -> Publication:
    places = (item,) if container is None else (item, journal)
    numbers = {}
    for kind in ("ISBN", "ISSN"):
        values = (_numbered(place, place.root, kind) for place in places)
        numbers[kind] = next(filter(None, values), "")
    isbn, issn = serial_numbers(numbers.values())

    def of_both(path: str) -> str:
        return next(filter(None, (place.text(path) for place in places)), "")

    return Publication(
        csl_type(item.text("itemType"), "zotero"),
        rich(item.first("title", "shortTitle")),
        tuple(_rdf_names(item, "editors", described)),
        tuple(_rdf_names(item, "translators", described)),
        container="" if container is None else plain(journal.text("title")),
        container_short=of_both("alternative"),
        volume=of_both("volume"),
        number=of_both("number"),
        pages=pages_of(item.text("pages")),
        publisher=item.first("publisher/Organization/name", "publisher"),
        place=item.text("publisher/Organization/adr/Address/locality"),
        edition=item.text("edition"),
        genre=item.text("type"),
        event=item.text("presentedAt/Conference/title"),
        date=date_of(item.text("date") or item.text("issued")),
        accessed=date_of(item.text("dateSubmitted").partition(" ")[0]),
        isbn=isbn,
        issn=issn,
        language=item.text("language"),
        keywords=tuple(item.texts("subject")),
    )


def _container(element: Element, described: dict[str, Element], item: Node) -> Element | None:
    """The journal, book or site that contains the item: nested in it, or elsewhere in the file."""
    place = element
    for _ in range(_DEEPEST):
        deeper = None
        for part in place.iterfind("isPartOf"):
            children = [child for child in part if isinstance(child.tag, str)]
            target = children[0] if children else described.get(part.get(f"{_RDF}resource") or "")
            if target is not None and target.tag == "Part":
                deeper = target
            elif target is not None and target.tag != "Series":
                item.keep(part)
                return target
        if deeper is None:
            return None
        place = deeper
    return None


def _identifiers(node: Node, place: Element) -> str:
    """The text after "DOI"; for journal articles Zotero puts it into the journal."""
    return _numbered(node, place, "DOI")


def _numbered(node: Node, place: Element, kind: str) -> str:
    """The number of a kind, before which its name stands."""
    for identifier in node.elements("identifier", place):
        text = tidy(identifier.text or "")
        if text.upper().startswith(f"{kind} "):
            node.keep(identifier)
            return text[len(kind) + 1 :]
    return ""


def _venue(item: Node, journal: Node, container: Element | None) -> str:
    if container is not None and (title := journal.text("title")):
        return title
    return item.first("presentedAt/Conference/title", "publisher/Organization/name", "publisher")


def _rdf_people(item: Node, described: dict[str, Element]) -> Iterator[str]:
    role = next((one for one in _ROLES if item.root.find(one) is not None), "")
    return _rdf_names(item, role, described) if role else iter(())


def _rdf_names(item: Node, role: str, described: dict[str, Element]) -> Iterator[str]:
    for entry in item.elements(f"{role}/Seq/li"):
        person = entry.find("Person")
        if person is None:
            person = described.get(entry.get(f"{_RDF}resource") or "")
        if person is None:
            continue
        item.keep(entry)
        given = next((person.findtext(tag) for tag in ("givenName", "givenname") if person.findtext(tag)), "")
        given, family = tidy(given), tidy(person.findtext("surname") or person.findtext("name") or "")
        if given and family:
            yield inverted(family, given)
        elif name := given or family:
            yield Name.literal(name) if " " in name else name


# The database -------------------------------------------------------------------------------------------

DATABASE = "Zotero database"

_TABLES = (
    "items",
    "itemTypes",
    "itemData",
    "itemDataValues",
    "fields",
    "creators",
    "itemCreators",
    "creatorTypes",
)
_ALSO = ("deletedItems", "feedItems", "libraries", "citationkey")
_STEPS = 10_000
"""Instructions of SQLite between two checks of the limit."""

_STEPS_A_BYTE = 5
_LEAST_STEPS = 10_000_000
"""Minimum of the limit; a library of thousands of items needs a tenth of it."""

_MOST_ROWS = 100_000
"""Fields, and creators, of `_ROWS_AT_ONCE` items."""

_ROWS_AT_ONCE = 500


def read_database(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """All items of all libraries, except deleted items, feeds, attachments and notes."""
    with temporary_folder() as folder:
        copy = _copied(Path(path), folder)
        connection = sqlite3.connect(copy)
        try:
            yield from _read(connection, copy.stat().st_size, path, report)
        except (sqlite3.Error, UnicodeDecodeError) as error:  # also of names that are no text
            raise InputError(
                f"the database cannot be read ({error})", path=path, hint="is it Zotero's zotero.sqlite?"
            ) from error
        finally:
            connection.close()


def _copied(path: Path, folder: Path) -> Path:
    """A copy of the database with its journal, without which recent changes would be missing or
    incomplete."""
    copy = folder / "zotero.sqlite"
    with copy.open("wb") as file:
        for block in open_blocks(path):
            file.write(block)
    for suffix in ("-journal", "-wal"):
        beside = path.with_name(path.name + suffix)
        if beside.is_file():
            shutil.copyfile(beside, copy.with_name(copy.name + suffix))
    return copy


def _read(connection: sqlite3.Connection, size: int, path: FilePath, report: ImportReport) -> Iterator[Paper]:
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA query_only = ON")
    left = [max(_LEAST_STEPS, size * _STEPS_A_BYTE) // _STEPS]

    def stop() -> bool:  # a database may contain a view that never ends
        left[0] -= 1
        return left[0] < 0

    connection.set_progress_handler(stop, _STEPS)
    tables = _tables(connection)
    if missing := [table for table in _TABLES if table not in tables]:
        raise InputError(
            f"the database has no table {missing[0]!r}", path=path, hint="expected Zotero's zotero.sqlite"
        )
    seen, made = Seen(path, report), MadeIds()
    for values in _stored_items(connection, tables, report):
        row = Row(values)
        try:
            paper = _paper_of(row, functools.partial(report.warn, path, None), made)
        except InputError as error:
            report.skip(path, None, str(error))
            continue
        report.leave(DATABASE, row.not_kept())
        if placed := seen.placed(paper, None):
            yield placed


def _tables(connection: sqlite3.Connection) -> set[str]:
    """Ordinary tables only: views and virtual tables could run arbitrary code."""
    tables = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND upper(substr(sql, 1, 12)) = 'CREATE TABLE'"
    )
    return {name for (name,) in tables if name in (*_TABLES, *_ALSO)}


def _stored_items(
    connection: sqlite3.Connection, tables: set[str], report: ImportReport
) -> Iterator[dict[str, Any]]:
    hidden = "".join(
        f" AND itemID NOT IN (SELECT itemID FROM {table})"
        for table in ("deletedItems", "feedItems")
        if table in tables
    )
    (every,) = connection.execute("SELECT count(*) FROM items").fetchone()
    (kept,) = connection.execute(f"SELECT count(*) FROM items WHERE 1{hidden}").fetchone()
    if every > kept:
        report.leave(DATABASE, ["(deleted items and feeds)"], every - kept)
    items = connection.execute(
        f"""SELECT itemID, key, typeName FROM items JOIN itemTypes USING (itemTypeID)
            WHERE 1{hidden} ORDER BY itemID"""
    )
    while rows := items.fetchmany(_ROWS_AT_ONCE):
        yield from _with_values(connection, rows, tables, report)


def _with_values(
    connection: sqlite3.Connection, rows: list[tuple[Any, ...]], tables: set[str], report: ImportReport
) -> Iterator[dict[str, Any]]:
    ids = [row[0] for row in rows]
    marks = ",".join("?" * len(ids))
    values: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
    for item, field, value in connection.execute(
        f"""SELECT itemID, fieldName, value FROM itemData JOIN fields USING (fieldID)
            JOIN itemDataValues USING (valueID) WHERE itemID IN ({marks}) LIMIT {_MOST_ROWS}""",
        ids,
    ):
        values[item][str(field)] = value if isinstance(value, str | int) else str(value)
    creators: defaultdict[Any, list[dict[str, Any]]] = defaultdict(list)
    for item, role, first, last in connection.execute(
        f"""SELECT itemID, creatorType, firstName, lastName FROM itemCreators JOIN creators USING (creatorID)
            JOIN creatorTypes USING (creatorTypeID) WHERE itemID IN ({marks}) ORDER BY itemID, orderIndex
            LIMIT {_MOST_ROWS}""",
        ids,
    ):
        creators[item].append({"creatorType": role, "firstName": first, "lastName": last})
    for item, key, kind in rows:
        if kind in NOT_ITEMS:
            report.leave(DATABASE, [f"({kind}s)"])
            continue
        yield {"itemType": kind, "itemKey": key, **values[item], "creators": creators[item]}
