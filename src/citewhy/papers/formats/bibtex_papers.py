"""BibTeX entries as papers: inherited fields, titles of untitled entries, URLs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from citewhy.base.records import Paper
from citewhy.papers.formats.bibtex_values import people, verbatim
from citewhy.papers.formats.doi import clean_doi, doi_in_url
from citewhy.papers.formats.fields import arxiv_number, year_of
from citewhy.papers.formats.latex_text import plain
from citewhy.text.repair import unescaped
from citewhy.text.tidy import shorten, tidy

__all__ = ["NOT_PAPERS", "Written", "inherited", "paper_of"]

NOT_PAPERS = frozenset({"xdata", "set", "control"})

_VENUES = ("journal", "journaltitle", "booktitle", "school", "institution", "howpublished", "publisher")
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
        for relation in ("crossref", "xdata")
        for key in fields.get(relation, "").split(",", _MOST_PARENTS)[:_MOST_PARENTS]
        if key.strip()
    ]


def paper_of(entry: Written, warn: Notice) -> tuple[Paper, frozenset[str]]:
    """The paper, and the names of the fields that it does not contain."""
    return _Reading(entry, warn).paper()


class _Reading:
    """An entry that is being read, and which of its fields were used."""

    def __init__(self, entry: Written, warn: Notice) -> None:
        self._entry = entry
        self._fields = entry.fields
        self._warn = warn
        self._used: set[str] = set(_MEANT_FOR_OTHERS)

    def paper(self) -> tuple[Paper, frozenset[str]]:
        title, made = self._title()
        url = self._verbatim("url")
        paper = Paper(
            id=self._entry.key,
            title=title,
            abstract=self._text("abstract"),
            authors=self._people(),
            year=self._year(),
            venue="" if made in ("booktitle", "howpublished") else self._first(*_VENUES)[0],
            doi=self._doi() or doi_in_url(url),
            url=url or self._arxiv_address(),
        )
        empty = {name for name, value in self._entry.own.items() if not value.strip()}
        return paper, frozenset(self._entry.own.keys() - self._used - empty)

    def _text(self, name: str) -> str:
        value = self._fields.get(name)
        text = tidy(unescaped(plain(value))) if value else ""
        if text:
            self._used.add(name)
        return text

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
            subtitle = self._text("subtitle")
            return (f"{title}: {subtitle}" if subtitle else title), ""
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
            self._used.add("author")
            return people(self._fields["author"])
        if "crossref" in self._fields or not self._fields.get("editor"):
            return ()
        self._used.add("editor")
        return people(self._fields["editor"])

    def _year(self) -> int | None:
        given = [
            (name, text)
            for name in ("year", "date")
            if name in self._fields and (text := tidy(plain(self._fields[name])))
        ]
        for name, text in given:
            if (year := year_of(text)) is not None:
                self._used.add(name)
                return year
        if given:
            self._tell(f"year {shorten(given[0][1])!r} is not a year; left empty")
        return None

    def _doi(self) -> str:
        given = verbatim(self._fields.get("doi", ""))
        doi = clean_doi(given)
        if doi:
            self._used.add("doi")
        elif given and not arxiv_number(given):
            self._tell(f"{shorten(given)!r} is not a DOI; left empty")
        return doi

    def _arxiv_address(self) -> str:
        archive = self._fields.get("archiveprefix") or self._fields.get("eprinttype") or "arxiv"
        number = arxiv_number(verbatim(self._fields.get("eprint", "")))
        if number and verbatim(archive).lower() == "arxiv":
            self._used.update(("eprint", "archiveprefix", "eprinttype"))
        elif number := arxiv_number(verbatim(self._fields.get("doi", ""))):
            self._used.add("doi")
        return f"https://arxiv.org/abs/{number}" if number else ""

    def _tell(self, why: str) -> None:
        self._warn(self._entry.line, f"entry {shorten(self._entry.key)!r}: {why}")
