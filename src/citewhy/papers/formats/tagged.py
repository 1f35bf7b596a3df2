"""Text of tagged lines, as bibliographic services write it: RIS, PubMed's format, EndNote's, Web of Science.

A record of PubMed has the id ``PMID:19872477``, one of Web of Science its accession number, ``WOS:000…``; the
others the label or ID that they give, or else the DOI, or else a generated one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rispy.config import LIST_TYPE_TAGS, TAG_KEY_MAPPING

from citewhy.base.import_report import ImportReport
from citewhy.base.publication_types import csl_type
from citewhy.base.records import Name, Notice, Paper, Publication, Reference, ReferenceList
from citewhy.papers.formats.fields import Intake, Warn, known, source_entry
from citewhy.papers.formats.notices import pubmed_notices
from citewhy.text.asked import Row
from citewhy.text.dates import date_of, date_with, pages_of, year_in, year_of
from citewhy.text.doi import checked_doi, clean_doi, doi_in_url
from citewhy.text.identifiers import keywords_of, serial_numbers, without_identifiers
from citewhy.text.listed_names import persons, turned
from citewhy.text.marked_up import plain, rich
from citewhy.text.names import surname
from citewhy.text.person import inverted, is_suffix, name_of
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten, tidy

__all__ = ["label_of", "papers_of_ris", "read_endnote", "read_nbib", "read_ris", "read_wos", "read_wos_table"]

_WEB = re.compile(r"https?://", re.IGNORECASE)
_LABEL = re.compile(r"[^\s{}(),\"]{1,100}")


@dataclass(slots=True)
class _Tagged:
    """A record: its first line, and its values by tag, in order."""

    line: int
    values: dict[str, list[str]] = field(default_factory=dict)
    pieces: list[str] = field(default_factory=list)
    """Lines of the last value, joined when it ends."""
    last: str = ""
    """The tag of the last value."""

    def add(self, tag: str, value: str) -> None:
        self.close()
        self.values.setdefault(tag, []).append("")
        self.pieces = [value]
        self.last = tag

    def close(self) -> None:
        if self.pieces:
            self.values[self.last][-1] = "\n".join(self.pieces)
            self.pieces = []


def _records(
    intake: Intake,
    text: str,
    tag: re.Pattern[str],
    begins: str,
    *,
    ends: str = "",
    header: tuple[str, ...] = (),
) -> Iterator[_Tagged]:
    """Yields the records whose lines match `tag`, whose first group is the tag, and whose second the value.

    A record starts with the tag `begins`, or after an empty line in files that do not use this tag. It ends
    with `ends`, if the format has such a tag. Tags in `header` belong to the file. Lines without a tag
    continue the value above them.
    """
    lines = _lines(text)
    marked = any((match := tag.match(line)) and match[1] == begins for line in lines)
    record: _Tagged | None = None
    empty_before = True
    for number, line in enumerate(lines, start=1):
        match = tag.match(line)
        if match is None:
            if line.strip() and record is not None:
                record.pieces.append(line.strip())
            elif line.strip():
                intake.skip(number, f"{shorten(line)!r} is outside of a record")
            empty_before = empty_before or not line.strip()
            continue
        name, value = match[1], match[2] or ""
        if name in header:
            continue
        starts = name == begins or (empty_before and not marked)
        if record is not None and (starts or name == ends):
            record.close()
            yield record
            record = None
        empty_before = False
        if name == ends and ends:
            continue
        if record is None:
            record = _Tagged(number)
        record.add(name, value)
    if record is not None:
        record.close()
        yield record


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _first(row: Row, *tags: str) -> str:
    """Returns the first value of the first tag that has one."""
    for tag in tags:
        if tag in row and (texts := row.texts(tag)):
            return texts[0]
    return ""


def _all(row: Row, *tags: str) -> list[str]:
    """Returns the values of the first tag that has any."""
    return next((texts for tag in tags if (texts := row.texts(tag))), [])


# EndNote (.enw, the "EndNote" of Google Scholar and of publishers) -----------------------------------------

_ENDNOTE = "EndNote tagged text"
_ENDNOTE_TAG = re.compile(r"%([0-9A-Z@!#$&>?\[\]^~+*()<=:;./|{}_-]) ?(.*)")


def read_endnote(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Reads records of lines such as ``%T A title``; a record starts with ``%0``, or after an empty line."""
    intake = Intake(_ENDNOTE, path, report)
    for record in _records(intake, intake.text(), _ENDNOTE_TAG, "0"):
        row = Row(record.values)
        paper = _endnote_paper(row, intake.warn(record.line))
        intake.leave(f"%{name}" for name in row.not_kept())
        yield from intake.papers(paper, record.line)


def _endnote_paper(row: Row, warn: Warn) -> Paper:
    url = next((url for url in row.texts("U") if _WEB.match(url)), "")
    title, year, day = _first(row, "T"), _first(row, "D"), _first(row, "8")
    kind = csl_type(_first(row, "0"), "endnote")
    whole = kind in _WHOLE_WORKS
    editors = persons(row.texts("E"))
    isbn, issn = serial_numbers(row.texts("@"))
    publication = Publication(
        kind,
        rich(title),
        editors,
        container=plain("" if whole or not title else _first(row, "J", "B")),
        volume=_first(row, "V"),
        number=_first(row, "N"),
        pages=pages_of(_first(row, "P")),
        publisher=_first(row, "I"),
        place=_first(row, "C"),
        edition=_first(row, "7"),
        series=plain(_first(row, *(("B", "S") if whole and title else ("S",)))),
        genre=_first(row, "9"),
        date=date_with(year, day),
        accessed=date_of(_first(row, "[")),
        isbn=isbn,
        issn=issn,
        language=_first(row, "G"),
        keywords=keywords_of(row.value("K") or ()),
    )
    return Paper(
        label_of(_first(row, "F")),
        plain(title or _first(row, "B")),
        _first(row, "X"),
        persons(row.texts("A")) or editors,
        year_of(year) or year_of(day),
        _first(row, "J", "B", "S", "I") if title else "",
        checked_doi(_first(row, "R"), warn) or doi_in_url(url),
        url,
        publication=known(publication),
    )


def label_of(label: str) -> str:
    """Returns an EndNote label if it can be a key; empty for other text."""
    return label if _LABEL.fullmatch(label) else ""


# PubMed and MEDLINE (.nbib) --------------------------------------------------------------------------------

_NBIB = "PubMed format (.nbib)"
_NBIB_TAG = re.compile(r"([A-Z]{2,4}) {0,2}- ?(.*)")
_NBIB_NOTICES = ("RIN", "ECI", "EIN")
"""Where a notice is: of retraction, concern, correction."""
_IN_BRACKETS = re.compile(r"(?<!\s)\s*+\([^()]*\)$")
_NBIB_DOI = re.compile(r"^(\S+) *\[doi\]$")


def read_nbib(path: FilePath, report: ImportReport) -> Iterator[Paper | Notice]:
    """Reads records with a title, and what they say of retractions; a record starts with PMID."""
    intake = Intake(_NBIB, path, report)
    for record in _records(intake, intake.text(), _NBIB_TAG, "PMID"):
        row = Row(record.values)
        paper = _nbib_paper(row)
        said = [*map(str, row.peek("PT") or ()), *(tag for tag in _NBIB_NOTICES if tag in row)]
        row.drop(*_NBIB_NOTICES)
        intake.leave(row.not_kept())
        for placed in intake.papers(paper, record.line, "the record has no title (TI)"):
            yield placed
            yield from pubmed_notices(said, paper)


def _nbib_paper(row: Row) -> Paper:
    pmid = _first(row, "PMID")
    title = _first(row, "TI", "BTI", "TT")
    if title.startswith("[") and title.rstrip(".").endswith("]"):
        title = title.rstrip(".")[1:-1]  # how PubMed marks a translated title
    people = row.texts("FAU")
    if people:
        row.drop("AU")  # the same with initials
    date = _first(row, "DP")
    return Paper(
        f"PMID:{pmid}" if pmid else "",
        title.removesuffix("."),
        _first(row, "AB"),
        _nbib_authors(row, people),
        year_of(date) or year_of(_first(row, "DEP")),
        _first(row, "JT", "TA", "CTI", "PB"),
        _nbib_doi(row),
        publication=_nbib_publication(row, pmid, date),
    )


def _nbib_publication(row: Row, pmid: str, date: str) -> Publication:
    journal = _first(row, "JT")
    in_book = row.peek("CTI") is not None
    isbn, issn = serial_numbers(row.texts("ISBN") + [_IN_BRACKETS.sub("", one) for one in row.texts("IS")])
    short = _first(row, "TA")
    if journal or short:
        type_ = "article-journal"
    else:
        type_ = "chapter" if in_book else "book" if row.peek("BTI") is not None else ""
    return Publication(
        type_,
        editors=tuple([name for one in _all(row, "FED", "ED") if (name := _nbib_name(one))]),
        container=journal or short or _first(row, "CTI"),
        container_short=short if journal else "",
        volume=_first(row, "VI"),
        number=_first(row, "IP"),
        pages=_short_range(pages_of(_first(row, "PG"))),
        publisher=_first(row, "PB"),
        place=_first(row, "PL") if type_ != "article-journal" else "",
        edition=_first(row, "EN"),
        date=date_of(date),
        isbn=isbn,
        issn=issn,
        pmid=pmid,
        pmcid=_first(row, "PMC"),
        language=_first(row, "LA"),
        keywords=keywords_of(row.texts("OT")),
    )


def _short_range(pages: str) -> str:
    """Pages whose last number lacks what it shares with the first, as in ``311-8``, in full."""
    first, _, last = pages.partition("-")
    whole = first.isdecimal() and last.isdecimal() and len(last) < len(first)
    return f"{first}-{first[: -len(last)]}{last}" if whole else pages


def _nbib_authors(row: Row, people: list[str]) -> tuple[str, ...]:
    """People, then collective authors, which have a place of their own in the file, whatever theirs was in
    print; editors if there are none."""
    groups = [Name.literal(group) for group in row.texts("CN")]
    named = [name for one in people or row.texts("AU") if (name := _nbib_name(one))]
    return tuple([*named, *groups] or [name for one in _all(row, "FED", "ED") if (name := _nbib_name(one))])


def _nbib_name(person: str) -> str:
    """Returns "van der Roe, Bo Jr" or "Lee AB" as "First Last"."""
    family, comma, given = person.partition(",")
    if not comma:
        return turned(tidy(person))
    first, _, last = given.strip().rpartition(" ")
    if first and (is_suffix(last) or last in ("2nd", "3rd", "4th")):
        return inverted(tidy(family), tidy(first), last)
    return name_of(person)


def _nbib_doi(row: Row) -> str:
    doi = ""
    for tag in ("LID", "AID"):
        values = row.peek(tag) or []
        marked = [match[1] for value in values if (match := _NBIB_DOI.match(tidy(value)))]
        if marked and len(marked) == len(values):
            row.drop(tag)
        doi = doi or next((clean for value in marked if (clean := clean_doi(value))), "")
    return doi


# Web of Science --------------------------------------------------------------------------------------------

_WOS = "Web of Science"
_WOS_SOURCE = "web of science"
"""Source of the citations from these files."""

_WOS_TAG = re.compile(r"([A-Z][A-Z0-9])(?: (.*)|$)")
_WOS_LISTS = ("AU", "AF", "BA", "BE", "BF", "CA", "GP", "ED", "CR", "C1", "C3", "EM", "OI", "RI")
"""Tags with one value a line; the values of other tags continue on the next line."""

_CITED_DOI = re.compile(r"\bDOI (?:DOI )?\[?([^\s,\]]+)")


def read_wos(path: FilePath, report: ImportReport) -> Iterator[Paper | ReferenceList]:
    """Reads records from PT to ER. Cited references with a DOI are looked up in the library."""
    intake = Intake(_WOS, path, report)
    text = intake.text().lstrip("\ufeff")
    for record in _records(intake, text, _WOS_TAG, "PT", ends="ER", header=("FN", "VR", "EF")):
        values: dict[str, object] = {}
        for tag, texts in record.values.items():
            joined = "\n".join(texts)
            values[tag] = joined.split("\n") if tag in _WOS_LISTS else tidy(joined)
        yield from _wos_records(Row(values), record.line, intake)


def read_wos_table(path: FilePath, report: ImportReport) -> Iterator[Paper | ReferenceList]:
    """Reads a table with a column for each tag; lists are separated by semicolons."""
    intake = Intake(_WOS, path, report)
    first, *lines = _lines(intake.text().lstrip("\ufeff"))
    columns = first.split("\t")
    for number, line in enumerate(lines, start=2):
        if not line.strip():
            continue
        values: dict[str, object] = {}
        for tag, cell in zip(columns, line.split("\t"), strict=False):
            if cell.strip():
                in_list = tag in _WOS_LISTS
                values[tag.strip()] = [one.strip() for one in cell.split(";")] if in_list else tidy(cell)
        yield from _wos_records(Row(values), number, intake)


def _wos_records(row: Row, line: int, intake: Intake) -> Iterator[Paper | ReferenceList]:
    row.drop("NR")
    people = row.texts("AF")
    if people:
        row.drop("AU")  # the same with initials
    paper = Paper(
        row.text("UT"),
        row.text("TI"),
        row.text("AB"),
        _wos_authors(people or _all(row, "AU", "BF", "BA", "CA", "BE")),
        year_of(row.text("PY")) or year_of(row.first("EY", "EA")),
        row.first("SO", "CT", "BS", "SE"),
        checked_doi(row.text("DI"), intake.warn(line)),
        publication=_wos_publication(row),
    )
    references = tuple(_wos_references(row))
    intake.leave(row.not_kept())
    for placed in intake.papers(paper, line, "the record has no title (TI)"):
        yield placed
        if references:
            yield ReferenceList(placed.id, references, (), placed.year, _WOS_SOURCE)


_WOS_TYPES = {"J": "article-journal", "C": "paper-conference", "P": "patent", "B": "book", "S": "book"}


def _wos_publication(row: Row) -> Publication:
    kind, what = row.text("PT")[:1], row.text("DT").lower()
    whole = kind in ("B", "S") and not row.peek("SO")
    type_ = _WOS_TYPES.get(kind, "")
    if "proceedings paper" in what and kind != "J":
        type_ = "paper-conference"
    elif kind in ("B", "S") and not whole and (kind == "S" or "chapter" in what):
        type_ = "chapter"
    elif "book review" in what:
        type_ = "review-book"
    return Publication(
        type_,
        editors=_wos_authors(_all(row, "BE", "ED")),
        container="" if type_ == "book" else row.text("SO"),
        container_short="" if type_ == "book" else row.first("JI", "J9"),
        volume=row.text("VL"),
        number=row.text("IS"),
        pages=pages_of(row.text("BP"), row.text("EP")) or row.text("AR"),
        publisher=row.text("PU"),
        place=row.text("PI"),
        series=row.first("BS", "SE"),
        event=row.text("CT"),
        event_place=row.text("CL"),
        date=date_with(row.text("PY"), row.text("PD")),
        isbn=row.text("BN"),
        issn=", ".join(filter(None, (row.text("SN"), row.text("EI")))),
        pmid=row.text("PM"),
        language=row.text("LA"),
        keywords=keywords_of([row.text("DE")]),
    )


def _wos_authors(people: list[str]) -> tuple[str, ...]:
    """Names of a list, one a line or several; "LEE A" without a comma is inverted, too."""
    return tuple(map(_wos_name, persons(people)))


def _wos_name(name: str) -> str:
    """The name; "LUND P" as "P LUND"."""
    family, _, initials = name.rpartition(" ")
    if isinstance(name, Name) or not initials.isupper() or not len(initials) <= 3 < len(name) - 1:
        return name
    return Name(initials, family) if len(family) > len(initials) else name


def _wos_references(row: Row) -> Iterator[Reference]:
    """Yields references with a DOI; author, year and abbreviated journal do not identify a paper reliably."""
    cited = row.peek("CR")
    if not isinstance(cited, list):
        return
    named = [match for one in cited if (match := _CITED_DOI.search(one))]
    if len(named) == len([one for one in cited if one.strip()]):
        row.drop("CR")
    for number, match in enumerate(named, start=1):
        if doi := clean_doi(match[1]):
            author, _, rest = match.string.partition(",")
            yield Reference(
                f"cr{number}",
                Paper(f"cr{number}", "", authors=(turned(tidy(author)),), year=year_of(rest[:8]), doi=doi),
            )


# RIS -----------------------------------------------------------------------------------------------------

_RIS = "RIS"
_START = re.compile(r"TY  ?-")
_END = re.compile(r"ER  ?-")
_ONE_SPACE = re.compile(r"^([A-Z][A-Z0-9]) -(?=\s|$)")

_RIS_TAGS = {
    **TAG_KEY_MAPPING,
    **{"BT": "book_title", "CT": "caption_title", "DI": "digital_identifier", "ED": "editors"},
}
_RIS_BEGINNINGS = {f"{tag}  -": name for tag, name in _RIS_TAGS.items()}
_RIS_LISTS = frozenset(_RIS_TAGS[tag] for tag in (*LIST_TYPE_TAGS, "ED", "SN"))

_RIS_TITLES = ("title", "primary_title", "caption_title")
_RIS_AUTHORS = ("authors", "first_authors")
_RIS_EDITORS = ("editors", "secondary_authors")
_RIS_VENUES = (
    *("secondary_title", "alternate_title3", "journal_name", "alternate_title2", "alternate_title1"),
    "tertiary_title",
)
_OF_PUBMED = re.compile(r"pubmed|medline|\bnlm\b", re.IGNORECASE)
_UNTIL = re.compile(r"(\d{4})/(\d\d)?/(\d\d)?/(\d{4}(?:-\d\d){0,2})")
"""A date of RIS with the end of a range behind it."""
_RIS_TEXTS = {
    **{"volume": "volume", "number": "number", "publisher": "publisher", "language": "language"},
    "type_of_work": "genre",
}
_RIS_DATES = {"original_publication": "original_date", "access_date": "accessed"}
"""Tags and fields of `Publication`, by how they are read."""
_PERIODICAL = ("article-journal", "article-magazine", "article-newspaper")
_WHOLE_WORKS = ("book", "report", "thesis", "collection", "classic", "pamphlet", "standard")
"""Types of works whose second title is that of a series."""


def read_ris(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Reads records with a title. The id is the ID tag, or else the DOI, or else made of first author, year
    and title."""
    return papers_of_ris(Intake(_RIS, path, report).text(), path, report)


def papers_of_ris(text: str, path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Reads the text of a file as `read_ris` does; `path` is its name in messages."""
    intake = Intake(_RIS, path, report)
    for line, record in _ris_records(_lines(text), intake):
        row = Row(_ris_tags(record))
        paper = _ris_paper(row, record, path, intake.warn(line))
        intake.leave(row.not_kept())
        if paper.title:
            yield from intake.papers(paper, line, "the record has no ID, and nothing to make one from")
        else:
            intake.skip(line, "the record has no title (TI or T1)")


def _ris_records(lines: list[str], intake: Intake) -> Iterator[tuple[int, list[str]]]:
    """Yields the number of the first line and the lines of each record; one without ER ends where the next
    starts."""
    record: list[str] = []
    start = 0
    for number, line in enumerate(lines, start=1):
        if line.startswith("TY") and _START.match(line):
            if record:
                intake.warn(start)("the record has no end (ER); it ends where the next begins")
                yield start, record
            record, start = [line], number
        elif record and line.startswith("ER") and _END.match(line):
            yield start, record
            record = []
        elif record:
            record.append(line)
        elif line.strip() and re.match(r"[A-Z][A-Z0-9]  ?- ", line):
            intake.skip(number, f"{shorten(line)!r} is outside of a record, which starts with TY")
    if record:
        intake.warn(start)("the record has no end (ER); the file ends first")
        yield start, record


def _ris_tags(record: list[str]) -> dict[str, str | list[str]]:
    """Returns the values of a record by rispy's names of tags: of tags that may be repeated all, where each
    line is a value, and of others the first one. Lines without a tag continue the value above them."""
    if record[0].startswith("TY -"):
        record = [_ONE_SPACE.sub(r"\1  -", line) for line in record]
    by_name = {"type_of_reference": [record[0][6:].strip()]}
    into: list[str] | None = None
    for line in record[1:]:
        name = _RIS_BEGINNINGS.get(line[:5])
        if name is not None:
            into = by_name.get(name)
            if into is None:
                into = by_name[name] = [line[6:].strip()]
            elif name in _RIS_LISTS:
                into.append(line[6:].strip())
            else:
                into = None
        elif line[2:5] == "  -" and line[:2].isupper() and line[0].isalpha():
            into = None
        elif into is not None and (more := line.strip()):
            into.append(more)
    return {name: values if name in _RIS_LISTS else " ".join(values) for name, values in by_name.items()}


def _ris_paper(row: Row, record: list[str], path: FilePath, warn: Warn) -> Paper:
    kind = csl_type(row.text("type_of_reference"), "ris")
    dates = [row.first(name) for name in ("year", "publication_year", "date")]
    date = next(filter(None, dates), "")
    year = year_in(date)
    if date and year is None:
        warn(f"year {shorten(date)!r} is not a year; left empty")
    url = _first(row, "urls")
    doi = checked_doi(_first(row, "doi", "digital_identifier"), warn)
    given, book = _first(row, *_RIS_TITLES), _first(row, "book_title")  # of the book, or of the one around it
    editors = persons([name for tag in _RIS_EDITORS for name in row.texts(tag)])
    venue = _first(row, *_RIS_VENUES) or (book if given else "")
    publisher = row.text("publisher")
    key = _first(row, "id")
    return Paper(
        key,
        plain(given or book),
        _first(row, "abstract", "notes_abstract"),
        _ris_authors(row) or editors or persons(row.texts("tertiary_authors")),
        year,
        plain(venue or publisher),
        doi or doi_in_url(url),
        url,
        publication=_ris_publication(row, kind, given or book, venue, dates[2] or date, editors),
        source=source_entry(_RIS, "\n".join(record).rstrip() + "\nER  - \n", key, path),
    )


def _ris_authors(row: Row) -> tuple[str, ...]:
    """The people of A1 and AU in the order of the file; if both name the same people, those of the tag that
    has more of their names."""
    lists = [persons(row.texts(tag)) for tag in row.names() if tag in _RIS_AUTHORS]
    if len(lists) == 2 and len(lists[0]) == len(lists[1]):
        surnames = [[surname(name) for name in names] for names in lists]
        if surnames[0] == surnames[1]:
            return max(lists, key=lambda names: sum(map(len, names)))
    if len(lists) < 2:  # two authors of one name are two
        return tuple(name for names in lists for name in names)
    return tuple(dict.fromkeys(name for names in lists for name in names))


def _ris_publication(
    row: Row, kind: str, title: str, venue: str, date: str, editors: tuple[str, ...]
) -> Publication | None:
    """`date` is the most precise one."""
    given = row.values
    meeting_place = kind == "paper-conference" and bool(row.peek("custom1"))
    in_series, periodical = kind in _WHOLE_WORKS, kind in _PERIODICAL
    short = next((text for tag in ("alternate_title2", "alternate_title1") if (text := row.text(tag))), "")
    values: dict[str, Any] = {field: row.text(tag) for tag, field in _RIS_TEXTS.items() if tag in given}
    values |= {field: date_of(row.text(tag)) for tag, field in _RIS_DATES.items() if tag in given}
    note, numbers = without_identifiers("\n".join(row.texts("notes"))) if "notes" in given else ("", {})
    numbers.pop("doi", "")
    if "issn" in given:
        isbn, issn = serial_numbers(row.texts("issn"))
        numbers |= {name: number for name, number in (("isbn", isbn), ("issn", issn)) if number}
    numbers |= {"pmid": number} if (number := _ris_pmid(row)) else {}
    numbers |= {"pmcid": number} if (number := _ris_pmcid(row)) else {}
    numbered = "note" in given and _numbers_series(kind)
    if "note" in given and not numbered and not values.get("number"):
        values["number"] = row.text("note")
    if "edition" in given:
        values["version" if kind == "software" else "edition"] = row.text("edition")
    if "section" in given and not periodical:
        values["chapter"] = row.text("section")
    if "keywords" in given:
        words = (word for line in row.texts("keywords") for word in line.split("; "))
        values["keywords"] = tuple([word for word in words if word])
    container, event = ("", "") if in_series else _container_and_event(row, kind, venue)
    series, book = row.text("tertiary_title"), plain(row.text("book_title"))
    return known(
        Publication(
            kind,
            rich(title),
            editors,
            translators=persons(row.texts("subsidiary_authors")),
            container=book if in_series and book != title else container,
            container_short="" if in_series or (short == venue and not _has_venue(row)) else short,
            pages=pages_of(row.text("start_page"), row.text("end_page")) or row.text("custom7"),
            place=row.text("custom1") if meeting_place else row.text("place_published"),
            series=plain(series if not in_series else "" if venue == book else venue),
            series_number=row.text("note") if numbered else "",
            event=event,
            event_place=row.text("place_published") if meeting_place else "",
            date=_ris_date(date),
            note=note,
            **(values | numbers),
        )
    )


def _numbers_series(kind: str) -> bool:
    """Whether the second number (M1) is that of a series."""
    return kind in ("book", "chapter", "paper-conference", "collection")


def _has_venue(row: Row) -> bool:
    return any(row.peek(name) for name in ("secondary_title", "alternate_title3", "journal_name"))


def _container_and_event(row: Row, kind: str, venue: str) -> tuple[str, str]:
    """The proceedings and the conference, of which C3 has one and T2 the other, in either order."""
    container = "" if not _has_venue(row) and venue == row.peek("tertiary_title") else plain(venue)
    event = "" if kind in _PERIODICAL else plain(row.text("custom3"))
    if event and container and event.startswith("Proceedings") and not container.startswith("Proceedings"):
        return event, container
    return container, event


def _ris_date(date: str) -> str:
    until = _UNTIL.fullmatch(date)
    return f"{'-'.join(filter(None, until.groups()[:3]))}/{until[4]}" if until else date_of(date)


def _ris_pmid(row: Row) -> str:
    """The accession number, if the database is PubMed."""
    number = row.peek("accession_number")
    databases = (row.peek("name_of_database"), row.peek("database_provider"))
    if not (isinstance(number, str) and number.strip().isdecimal()):
        return ""
    if not any(isinstance(one, str) and _OF_PUBMED.search(one) for one in databases):
        return ""
    row.drop("name_of_database", "database_provider")
    return row.text("accession_number")


def _ris_pmcid(row: Row) -> str:
    number = row.peek("custom2")
    return row.text("custom2") if isinstance(number, str) and re.fullmatch(r"PMC\d+", number.strip()) else ""
