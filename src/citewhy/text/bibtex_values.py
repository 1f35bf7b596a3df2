"""BibTeX values and entries as papers: macros, names of people, URLs, inherited fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from citewhy.base.records import Name, Paper, SourceEntry
from citewhy.text.bibtex_publication import arxiv_elsewhere, publication_of
from citewhy.text.dates import MONTHS as MONTH_NAMES
from citewhy.text.dates import MONTHS_SHORT, year_in
from citewhy.text.doi import clean_doi, doi_in_url
from citewhy.text.identifiers import arxiv_number
from citewhy.text.latex_text import marked_up, plain
from citewhy.text.listed_names import names_of_list
from citewhy.text.marked_up import plain as without_tags
from citewhy.text.repair import unescaped
from citewhy.text.tidy import MAX_VALUE, shorten, tidy

__all__ = [
    "MONTHS",
    "NOT_PAPERS",
    "Value",
    "Written",
    "evaluate",
    "inherited",
    "paper_of",
    "people",
    "verbatim",
]

MONTHS = dict(zip(MONTHS_SHORT, MONTH_NAMES, strict=True))
"""The macros that every style defines."""

# A backslash escapes a brace, as in bibtexparser's splitter; the two must agree.
_MARK = re.compile(r"(?<!\\)[{}\"]")
_BARE = re.compile(r"[^\s#{}\",=]+")
_SPACE = re.compile(r"\s*")
_TILDE = re.compile(r"\{?\\textasciitilde(?:\{\}|\b)\}?|\\~\{\}")
_ESCAPED = re.compile(r"\\([_%&#$~{}])")
_URL_COMMAND = re.compile(r"\\(?:url|path)\b\s*")


@dataclass(frozen=True, slots=True)
class Value:
    """An evaluated expression: its LaTeX, its undefined macros, and the text after its end."""

    latex: str
    undefined: tuple[str, ...] = ()
    rest: str = ""
    too_long: bool = False
    """Whether it exceeds the maximum length; `latex` is then empty."""


def evaluate(expression: str, macros: Mapping[str, str]) -> Value:
    """``name # { 2002}`` as LaTeX; a macro that is not in `macros` (lower-case names) is replaced by its
    name."""
    if _in_braces(expression):
        return Value(expression[1:-1])
    latex: list[str] = []
    undefined: list[str] = []
    place = 0
    while True:
        place = _after_space(expression, place)
        if expression.startswith(("{", '"'), place):
            end = _closing(expression, place)
            latex.append(expression[place + 1 : end])
            place = end + 1
        elif bare := _BARE.match(expression, place):
            name = bare[0]
            defined = macros.get(name.lower())
            if defined is None and not name.isdigit():
                undefined.append(name)
            latex.append(name if defined is None else defined)
            place = bare.end()
        place = _after_space(expression, place)
        if not expression.startswith("#", place):
            rest = expression[place:].strip()
            if sum(map(len, latex)) > MAX_VALUE:
                return Value("", tuple(undefined), rest, too_long=True)
            return Value("".join(latex), tuple(undefined), rest)
        place += 1


def _in_braces(expression: str) -> bool:
    """Whether it is one value in braces without others inside, as most are."""
    return (
        expression.startswith("{")
        and expression.find("}") == len(expression) - 1
        and expression.rfind("{") == 0
        and not expression.endswith("\\}")
        and len(expression) <= MAX_VALUE
    )


def _after_space(expression: str, place: int) -> int:
    match = _SPACE.match(expression, place)
    return match.end() if match else place


def _closing(expression: str, start: int) -> int:
    """Offset at which the brace or quote at `start` is closed; the end of the expression if it is not."""
    quoted = expression[start] == '"'
    depth = 0
    for mark in _MARK.finditer(expression, start + 1):
        if mark[0] == "{":
            depth += 1
        elif mark[0] == "}":
            if depth == 0 and not quoted:
                return mark.start()
            depth = max(depth - 1, 0)
        elif quoted and depth == 0:
            return mark.start()
    return len(expression)


def verbatim(latex: str) -> str:
    """A URL, a DOI or a number, without the escapes that some programs add."""
    if "\\" in latex:
        latex = _ESCAPED.sub(r"\1", _TILDE.sub("~", _URL_COMMAND.sub("", latex)))
    return tidy(latex.replace("{", "").replace("}", ""))


def people(latex: str) -> tuple[Name, ...]:
    """The people and organisations of an author field, without "and others"."""
    return names_of_list(latex, _decoded)


def _decoded(latex: str) -> str:
    text = unescaped(plain(latex))
    return without_tags(text) if "<" in text else tidy(text)


# Entries as papers --------------------------------------------------------------------------------------

NOT_PAPERS = frozenset({"xdata", "set", "control"})

_VENUES = ("journal", "journaltitle", "booktitle", "school", "institution", "howpublished", "publisher")
_MAY_BE_MARKED = re.compile(r"[{\\$<]")
_SUBTITLES = {
    "title": "subtitle",
    "journal": "journalsubtitle",
    "journaltitle": "journalsubtitle",
    "booktitle": "booksubtitle",
    "maintitle": "mainsubtitle",
}
REFERENCES = ("crossref", "xdata")
"""Fields that name the entries from which one inherits."""
_XDATA_VALUE = re.compile(
    r"xdata=(?P<key>[^\s,{}]{1,300}?)-(?P<field>[a-z]{1,30})(?:-(?P<number>[1-9]\d{0,3}))?(?![^\s,;])",
    re.IGNORECASE,
)
_NOT_INHERITED = frozenset({"crossref", "xdata", "ids", "label", "sortkey", "shorthand"})
_MEANT_FOR_OTHERS = frozenset({"crossref", "xdata", "ids"})
_MOST_PARENTS = 20
"""Generations and parents from which an entry can inherit."""
_LONGEST_TITLE = 300
"""Characters of a title that is taken from a note."""

Fields = Mapping[str, str]
Notice = Callable[[int, str], None]


@dataclass(frozen=True, slots=True)
class Written:
    """An entry: its own fields, and all of its fields including inherited ones."""

    key: str
    line: int
    own: Fields
    fields: Fields
    kind: str = ""
    """``article``, … in lower case."""


def inherited(key: str, own: Fields, by_key: Mapping[str, Fields], budget: list[int]) -> Fields:
    """An entry's `own` fields and those of its crossref and xdata parents; a parent's title becomes the
    booktitle.

    `budget` has the number of characters that the entries of the file may still inherit.
    """
    if "crossref" not in own and "xdata" not in own:
        return own
    fields = dict(own)
    done = {key.lower()}
    waiting = _parents(own)
    while waiting and len(done) <= _MOST_PARENTS:
        relation, name = waiting.pop(0)
        parent = by_key.get(name)
        if parent is None or name in done:
            continue
        done.add(name)
        given = {
            field: value
            for field, value in parent.items()
            if field not in _NOT_INHERITED and (relation == "xdata" or field not in ("title", "subtitle"))
        }
        if relation == "crossref":
            given["booktitle"] = parent.get("booktitle") or parent.get("title", "")
        for field, value in given.items():
            if field not in fields and budget[0] >= len(value):
                budget[0] -= len(value)
                fields[field] = value
        waiting.extend(_parents(parent))
    return fields


def _parents(fields: Fields) -> list[tuple[str, str]]:
    return [
        (relation, key.strip().lower())
        for relation in REFERENCES
        for key in fields.get(relation, "").split(",", _MOST_PARENTS)[:_MOST_PARENTS]
        if key.strip()
    ]


def with_xdata_values(own: Fields, by_key: Mapping[str, Fields], budget: list[int]) -> Fields:
    """The fields of an entry with ``xdata=key-field`` in their values replaced by the value of that field, or
    by one item of it (``xdata=key-author-2``), as biblatex does."""
    if not any("xdata=" in value for value in own.values()):
        return own

    def value_of(reference: re.Match[str]) -> str:
        given = by_key.get(reference["key"].lower(), {}).get(reference["field"].lower(), "")
        if given and (number := reference["number"]):
            items = re.split(r"(?<!\s)\s++and\s++", given)
            given = items[int(number) - 1] if 0 < int(number) <= len(items) else ""
        if not given or budget[0] < len(given):
            return reference[0]
        budget[0] -= len(given)
        return given

    return {name: _XDATA_VALUE.sub(value_of, value) for name, value in own.items()}


def paper_of(entry: Written, source: SourceEntry | None, warn: Notice) -> tuple[Paper, frozenset[str]]:
    """The paper, and the names of the fields that it does not contain."""
    return _Reading(entry, warn).paper(source)


class _Reading:
    """An entry that is being read, and which of its fields were used."""

    def __init__(self, entry: Written, warn: Notice) -> None:
        self._entry = entry
        self._fields = entry.fields
        self._warn = warn
        self._used: set[str] = set(_MEANT_FOR_OTHERS)
        self._texts: dict[str, str] = {}
        self._people_of: dict[str, tuple[str, ...]] = {}

    def paper(self, source: SourceEntry | None) -> tuple[Paper, frozenset[str]]:
        title, made = self._title()
        url = self._verbatim("url")
        arxiv = self._arxiv()
        paper = Paper(
            id=self._entry.key,
            title=title,
            abstract=self._text("abstract"),
            authors=self._people(),
            year=self._year(),
            venue="" if made in ("booktitle", "howpublished") else self._first(*_VENUES)[0],
            doi=self._doi() or doi_in_url(url),
            url=url or (f"https://arxiv.org/abs/{arxiv}" if arxiv else ""),
            publication=publication_of(
                self._entry.kind, self._fields, self._text, self._names, self._marked_title(title), arxiv
            ),
            source=source,
        )
        empty = {name for name, value in self._entry.own.items() if not value.strip()}
        return paper, frozenset(self._entry.own.keys() - self._used - empty)

    def _text(self, name: str) -> str:
        """The plain text of a field; of a title, with its subtitle."""
        text = self._texts.get(name)
        if text is None:
            value = self._fields.get(name)
            text = _decoded(value) if value else ""
            if text:
                self._used.add(name)
                if (subtitle := _SUBTITLES.get(name)) in self._fields and (
                    more := self._text(subtitle or "")
                ):
                    text = f"{text}: {more}"
            self._texts[name] = text
        return text

    def _marked_title(self, title: str) -> str:
        """The title with its markup, if it has any; `title` is the text."""
        latex = self._fields.get("title", "")
        if not _MAY_BE_MARKED.search(latex):
            return ""
        marked = tidy(unescaped(marked_up(latex)))
        if subtitle := self._fields.get("subtitle"):
            marked = f"{marked}: {tidy(unescaped(marked_up(subtitle)))}"
        return "" if marked == title else marked

    def _names(self, name: str) -> tuple[str, ...]:
        """The people of a field."""
        if name not in self._people_of:
            self._used.add(name)
            self._people_of[name] = people(self._fields[name])
        return self._people_of[name]

    def _verbatim(self, name: str) -> str:
        self._used.add(name)
        return verbatim(self._fields.get(name, ""))

    def _first(self, *names: str) -> tuple[str, str]:
        """The first of several fields that has text, and its name."""
        for name in names:
            if name in self._fields and (text := self._text(name)):
                return text, name
        return "", ""

    def _title(self) -> tuple[str, str]:
        """The title, or what distinguishes an untitled entry from others, and the name of that field."""
        if title := self._text("title"):
            return title, ""
        title, name = self._first("booktitle", "maintitle", "journal", "journaltitle", "shortjournal")
        if title and name in ("booktitle", "maintitle"):
            pages = self._text("pages") if self._fields.get("author") else ""
            return (f"{title}, {pages}" if pages else title), name
        if title:
            parts = (title, self._text("volume")), (self._first("pages", "number", "eid")[0],)
            return ", ".join(" ".join(filter(None, part)) for part in parts if any(part)), name
        title, name = self._first("chapter")
        if title and not title.isdigit():
            return title, name
        title, name = self._first("howpublished", "note", "type")
        if not title and self._fields.get("url", "").strip():
            title, name = verbatim(self._fields["url"]), "url"
        return title[:_LONGEST_TITLE], name

    def _people(self) -> tuple[str, ...]:
        """Its authors, or else its own editors, not those of its volume."""
        if self._fields.get("author"):
            return self._names("author")
        if "crossref" in self._fields or not self._fields.get("editor"):
            return ()
        return self._names("editor")

    def _year(self) -> int | None:
        given = [text for name in ("year", "date") if name in self._fields and (text := self._text(name))]
        for text in given:
            if (year := year_in(text)) is not None:
                return year
        if given:
            self._tell(f"year {shorten(given[0])!r} is not a year; left empty")
        return None

    def _doi(self) -> str:
        given = verbatim(self._fields.get("doi", ""))
        doi = clean_doi(given)
        if doi:
            self._used.add("doi")
        elif given and not arxiv_number(given):
            self._tell(f"{shorten(given)!r} is not a DOI; left empty")
        return doi

    def _arxiv(self) -> str:
        """The number at arXiv."""
        archive = self._fields.get("archiveprefix") or self._fields.get("eprinttype") or "arxiv"
        number = arxiv_number(verbatim(self._fields.get("eprint", "")))
        if number and verbatim(archive).lower() == "arxiv":
            self._used.update(("eprint", "archiveprefix", "eprinttype", "primaryclass", "eprintclass"))
            return number
        if number := arxiv_number(verbatim(self._fields.get("doi", ""))):
            self._used.add("doi")
            return number
        number, name = arxiv_elsewhere(self._fields)
        self._used.add(name)
        return number

    def _tell(self, why: str) -> None:
        self._warn(self._entry.line, f"entry {shorten(self._entry.key)!r}: {why}")
