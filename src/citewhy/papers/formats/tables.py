"""Tables with a header line.

Tab-separated ones with fixed columns hold aliases of papers, or edges of the citation graph. In others,
exports of Zotero, Scopus, PubMed, IEEE Xplore, Dimensions, Publish or Perish and people's own spreadsheets,
columns are recognised by their names; the separator is a comma, a semicolon or a tab."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.publication_types import csl_type
from citewhy.base.records import Alias, Citation, Paper, Publication
from citewhy.papers.formats.fields import Intake, Warn, known
from citewhy.text.asked import Row
from citewhy.text.dates import date_of, date_with, pages_of, year_of
from citewhy.text.doi import checked_doi, doi_in_url
from citewhy.text.identifiers import keywords_of, serial_numbers
from citewhy.text.listed_names import people
from citewhy.text.marked_up import plain
from citewhy.text.numbers import small_number
from citewhy.text.source import FilePath, invalid_utf8, open_raw_lines
from citewhy.text.tidy import shorten, tidy

__all__ = ["NAME", "header_of", "kind_of", "read_aliases", "read_citations", "read_papers"]

_ALIASES = ("id", "same_as")
_CITATIONS = ("citing_id", "cited_id")
_OF_CITATIONS = ("source", "n_contexts")


def kind_of(header: str) -> str | None:
    """``aliases`` or ``citations``, by the header line; None for anything else."""
    columns = header.strip("\r\n").split("\t")
    if all(column in columns for column in _CITATIONS):
        return "citations"
    if all(column in columns for column in _ALIASES):
        return "aliases"
    return None


def read_aliases(path: FilePath, report: ImportReport) -> Iterator[Alias]:
    """Rows of `id` and `same_as`."""
    for _, (one, other) in _rows(path, report, "a table of aliases", _ALIASES):
        yield Alias(one, other)


def read_citations(path: FilePath, report: ImportReport) -> Iterator[Citation]:
    """Rows of `citing_id` and `cited_id`, optionally `source` and `n_contexts` (default 1)."""
    rows = _rows(path, report, "a table of citations", _CITATIONS, _OF_CITATIONS)
    for line, (citing, cited, source, written) in rows:
        count = small_number(written or "1")
        if count is None:
            report.warn(path, line, f"n_contexts is {shorten(written)!r}, expected a number; counted as 1")
            count = 1
        yield Citation(citing, cited, source, count)


def _rows(
    path: FilePath,
    report: ImportReport,
    source: str,
    required: tuple[str, ...],
    optional: tuple[str, ...] = (),
) -> Iterator[tuple[int, list[str]]]:
    """The number of each line, and its values of the required and the optional columns; empty where the table
    has no such column."""
    columns: list[str] | None = None
    places: list[int] = []
    others: list[int] = []
    for line, raw in open_raw_lines(path):
        if not raw or raw.isspace():
            continue
        try:
            values = raw.decode().split("\t")
        except UnicodeDecodeError:
            report.skip(path, line, str(invalid_utf8(raw)))
            continue
        if columns is None:
            columns = [value.strip() for value in values]
            if missing := [name for name in required if name not in columns]:
                raise InputError(
                    f"the header has no column {missing[0]!r}",
                    path=path,
                    line=line,
                    hint=f"expected the columns {', '.join(required)}, separated by tabs",
                )
            last = {name: place for place, name in enumerate(columns)}
            places = [last.get(name, len(columns)) for name in (*required, *optional)]
            others = [place for place, name in enumerate(columns) if name not in (*required, *optional)]
            continue
        if len(values) != len(columns):
            report.skip(path, line, f"expected {len(columns)} columns, found {len(values)}")
            continue
        values.append("")
        row = [tidy(values[place]) for place in places]
        if not all(row[: len(required)]):
            report.skip(path, line, f"no {required[row.index('')]}")
            continue
        if others:
            report.leave(source, (columns[place] for place in others if tidy(values[place])))
        yield line, row


# Papers, a row each -------------------------------------------------------------------------------------

NAME = "table (CSV)"

_TITLES = ("title", "document title", "article title", "paper title", "item title", "display name")
_AUTHORS = (
    *("author full names", "authors full names", "authors", "author", "author s", "author names"),
    *("authorships author display name", "creators", "editors", "editor"),
)
_YEARS = (
    *("year", "publication year", "pub year", "pubyear", "year of publication", "publication date", "date"),
    *("date published", "published", "issued", "cover date"),
)
_ABSTRACTS = ("abstract", "abstract note", "abstracts", "summary")
_DOIS = ("doi", "item doi", "digital object identifier", "doi link", "article doi")
_VENUES = (
    *(
        "journal",
        "source title",
        "publication title",
        "journal book",
        "venue",
        "journal title",
        "journal name",
    ),
    *("container title", "booktitle", "book title", "conference", "conference name", "proceedings title"),
    *("publication", "publication name", "primary location source display name", "source", "publisher"),
)
_URLS = ("url", "link", "article url", "source url", "pdf link", "landing page", "urls")
_KEYS = (
    *("citation key", "citekey", "bibtexkey", "bibtex key", "key", "id", "paper id", "openalex id", "eid"),
    *("lens id", "accession number", "pmid"),
)
_EDITORS = ("editors", "editor", "book editors")
_OF_PUBLICATIONS = {
    "type": ("item type", "document type", "publication type", "entry type", "type"),
    "container_short": ("journal abbreviation", "abbreviated source title"),
    "volume": ("volume",),
    "number": ("issue", "number", "issue number"),
    "pages": ("pages", "page range", "pagination", "art no", "article number"),
    "first_page": ("page start", "start page", "first page", "startpage"),
    "last_page": ("page end", "end page", "last page", "endpage"),
    "publisher": ("publisher",),
    "place": ("place", "publisher location", "publisher place", "address"),
    "edition": ("edition",),
    "series": ("series", "book series title", "series title"),
    "series_number": ("series number",),
    "genre": ("thesis type", "report type"),
    "event": ("conference name", "meeting abstract"),
    "date": ("date", "publication date", "cover date"),
    "accessed": ("access date", "date accessed"),
    "isbn": ("isbn", "isbns"),
    "issn": ("issn", "issns"),
    "pmid": ("pmid", "pubmed id"),
    "pmcid": ("pmcid",),
    "language": ("language", "language of original document"),
    "keywords": ("author keywords", "keywords", "manual tags"),
}
"""Fields of a publication, and the names of their columns."""
_TYPES = {
    "article": "article-journal",
    "review": "article-journal",
    "journal article": "article-journal",
    "letter": "article-journal",
    "editorial": "article-journal",
    "conference paper": "paper-conference",
    "proceedings paper": "paper-conference",
    "book": "book",
    "book chapter": "chapter",
    "thesis": "thesis",
    "report": "report",
    "preprint": "article",
}
"""Types of documents that services write in small letters or large."""
_KNOWN = frozenset((*_AUTHORS, *_YEARS, *_ABSTRACTS, *_DOIS, *_KEYS))
_DELIMITERS = (",", ";", "\t")
_MOST_ABOVE = 12
"""Lines among which a header is looked for."""
_NO_WORD = re.compile(r"[\W_]+")
_SCOPUS_ID = re.compile(r" ?\(\d{6,}\)")
_OPENALEX = "https://openalex.org/"


def header_of(text: str) -> tuple[int, str] | None:
    """The offset of a table's header, which names a column of titles and at least one other field of a paper,
    and its separator; None for other texts.

    Services write a remark, an address or ``sep=;`` above it: the header is then one of the first lines, has
    three columns or more, and a row of as many follows it.
    """
    place = 0
    for number, line in enumerate(lines := text.split("\n", _MOST_ABOVE + 1)[:-1] or [text]):
        if delimiter := _delimiter(line):
            below = next((one for one in lines[number + 1 :] if one.strip()), "")
            if number == 0 or (_width(line, delimiter) > 2 and _width(below, delimiter) > 2):
                return place, delimiter
        place += len(line) + 1
    return None


def read_papers(path: FilePath, report: ImportReport) -> Iterator[Paper]:
    """Rows with a title. The id is the id or key of the row, or else its DOI, or else generated."""
    intake = Intake(NAME, path, report)
    text = intake.text().lstrip("\ufeff").lstrip("\r\n")
    header = header_of(text)
    if header is None:
        raise InputError(
            "the first lines have no column for titles", path=path, line=1, hint="expected a header line"
        )
    place, delimiter = header
    above = text.count("\n", 0, place)
    lines = csv.reader(io.StringIO(text[place:], newline=""), delimiter=delimiter)
    columns = [name.strip() for name in next(lines)]
    roles = _Roles(columns)
    while True:
        start = above + lines.line_num + 1
        try:
            cells = next(lines, None)
        except csv.Error as error:
            raise InputError(
                f"the table is truncated: {error}", path=path, line=start, hint="is a quotation mark missing?"
            ) from error
        if cells is None:
            return
        values = _values(columns, cells)
        if not values and not any(map(str.strip, cells)):
            continue
        if len(cells) > len(columns) and any(cell.strip() for cell in cells[len(columns) :]):
            report.skip(path, start, f"expected {len(columns)} columns, found {len(cells)}")
            continue
        row = Row(values)
        paper = _paper(row, roles, intake.warn(start))
        intake.leave(row.not_kept())
        yield from intake.papers(paper, start, "the row has no title")


def _values(columns: list[str], cells: list[str]) -> dict[str, str]:
    """Cells by column; of two columns with the same name, the first that is not empty."""
    values: dict[str, str] = {}
    for column, cell in zip(columns, cells, strict=False):
        if cell and column and (cell := cell.strip()) and column not in values:
            values[column] = cell
    return values


class _Roles:
    """The columns of each field, the best ones first."""

    def __init__(self, columns: list[str]) -> None:
        by_name = {_plain_name(column): column for column in reversed(columns)}
        self._by_name = by_name
        of = self.of
        self.titles, self.authors, self.years = of(_TITLES), of(_AUTHORS), of(_YEARS)
        self.abstracts, self.dois, self.venues = of(_ABSTRACTS), of(_DOIS), of(_VENUES)
        self.urls, self.keys = of(_URLS), of(_KEYS)
        self.pmid = by_name.get("pmid", "")
        self.editors = of(_EDITORS)
        self.of_publication = {name: of(names) for name, names in _OF_PUBLICATIONS.items()}
        self.containers = of(tuple(name for name in _VENUES if name not in ("source", "publisher")))
        self.of_more = bool(self.editors or self.containers or any(self.of_publication.values()))
        """Whether there are columns of a publication but its year."""

    def of(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The columns with one of these names, the best ones first."""
        return tuple(self._by_name[name] for name in names if name in self._by_name)


def _paper(row: Row, roles: _Roles, warn: Warn) -> Paper:
    year_given = row.first(*roles.years)
    year = year_of(year_given) if year_given else None
    if year_given and year is None:
        warn(f"year {shorten(year_given)!r} is not a year; left empty")
    doi = checked_doi(row.first(*roles.dois), warn)
    url = row.first(*roles.urls)
    doi = doi or (doi_in_url(url) if url else "")
    title = plain(row.first(*roles.titles))
    authors = people(_SCOPUS_ID.sub("", names)) if (names := row.first(*roles.authors)) else ()
    identifier = row.first(*roles.keys).removeprefix(_OPENALEX)
    if identifier and identifier == row.peek(roles.pmid):
        identifier = f"PMID:{identifier}"
    return Paper(
        identifier or doi,
        title,
        _abstract(row.first(*roles.abstracts)),
        authors,
        year,
        plain(row.first(*roles.venues)),
        doi,
        url,
        publication=_publication(row, roles, year_given) if year_given or roles.of_more else None,
    )


def _publication(row: Row, roles: _Roles, year: str) -> Publication | None:
    """Returns what columns say of the publication; those that several services use in the same meaning."""

    def of(name: str) -> str:
        columns = roles.of_publication[name]
        return row.first(*columns) if columns else ""

    kind = of("type")
    type_ = csl_type(kind, "zotero") or _TYPES.get(kind.lower(), "")
    first, last = of("first_page"), of("last_page")
    names = row.first(*roles.editors)
    keywords = keywords_of([of("keywords")])
    isbn, issn = serial_numbers([of("isbn"), of("issn")])
    venue = row.first(*roles.containers)
    return known(
        Publication(
            type_,
            editors=people(names) if names else (),
            container=plain(venue),
            container_short=of("container_short"),
            volume=of("volume"),
            number=of("number"),
            pages=pages_of(of("pages") or first, "" if of("pages") else last),
            publisher=of("publisher"),
            place=of("place"),
            edition=of("edition"),
            series=of("series"),
            series_number=of("series_number"),
            genre=of("genre"),
            event=of("event"),
            date=date_with(year, of("date")),
            accessed=date_of(of("accessed").partition(" ")[0]),
            isbn=isbn,
            issn=issn,
            pmid=pmid if (pmid := of("pmid")).isdecimal() else "",
            pmcid=of("pmcid") if of("pmcid").startswith("PMC") else "",
            language=of("language"),
            keywords=keywords,
        )
    )


def _abstract(text: str) -> str:
    return "" if text == "[No abstract available]" else plain(text)


def _delimiter(line: str) -> str | None:
    """The separator of a header line; None if the line is not a header."""
    for delimiter in _DELIMITERS:
        if delimiter in line:
            try:
                cells = next(csv.reader([line], delimiter=delimiter), [])
            except csv.Error:
                continue
            names = {_plain_name(cell) for cell in cells}
            if names.intersection(_TITLES) and names.intersection(_KNOWN):
                return delimiter
    return None


def _width(line: str, delimiter: str) -> int:
    """The number of cells in a line, of which the last may go on in the next one."""
    return len(next(csv.reader([line], delimiter=delimiter), []))


def _plain_name(column: str) -> str:
    return _NO_WORD.sub(" ", column).strip().lower()
