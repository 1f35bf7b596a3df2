"""Values that all readers share: ids of papers and files; and the detection of repeated ids."""

from __future__ import annotations

import functools
import operator
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path

from citewhy.base.import_report import ImportReport
from citewhy.base.records import Paper, Publication, SourceEntry
from citewhy.text.dates import year_of
from citewhy.text.identifiers import arxiv_number
from citewhy.text.names import surname, title_key
from citewhy.text.source import FilePath, name_of_file, read_text
from citewhy.text.tidy import MAX_VALUE, shorten, tidy
from citewhy.text.tokens import fold

__all__ = [
    "MAX_VALUE",
    "Intake",
    "MadeIds",
    "Seen",
    "Warn",
    "arxiv_numbers",
    "id_of_file",
    "known",
    "renamed",
    "slug",
    "source_entry",
    "year_of_collection",
]

Warn = Callable[[str], None]
"""Notes a problem of the record that is being read."""

_REMEMBERED = 500_000
_MOST_COPIES = 20
"""Papers of a file that can share an id; if there are more, it is not an id."""

_all_but_id = operator.attrgetter(*(attribute.name for attribute in fields(Paper) if attribute.name != "id"))

_OLD_COLLECTION = re.compile(r"[A-Z]\d\d")
_TOOL_SUFFIXES = re.compile(
    r"(?:[-.]parscit[\w.-]*)?(?:\.(?:grobid|tei|xml|txt|pdf|gz|zst))*$", re.IGNORECASE
)


def id_of_file(path: str | os.PathLike[str]) -> str:
    """The id of the only paper in a file: the file's name without the suffixes that tools append.

    >>> id_of_file("out/2020.acl-main.207.grobid.tei.xml"), id_of_file("D15-1312-parscit.130908.xml.gz")
    ('2020.acl-main.207', 'D15-1312')
    """
    name = Path(path).name
    return tidy(_TOOL_SUFFIXES.sub("", name)) or tidy(name)


def year_of_collection(collection: str) -> int | None:
    """The year in what an id of the ACL Anthology begins with; None for any other id.

    >>> year_of_collection("P15"), year_of_collection("2020.acl"), year_of_collection("X")
    (2015, 2020, None)
    """
    if _OLD_COLLECTION.fullmatch(collection):
        return (1900 if int(collection[1:]) >= 60 else 2000) + int(collection[1:])
    return year_of(collection[:4])


def arxiv_numbers(paper: Paper) -> tuple[str, ...]:
    """The numbers of a paper at arXiv, as its id, DOI or URL gives them; usually one or none."""
    places = (paper.id, paper.doi.removeprefix("10.48550/arxiv."), paper.url)
    return tuple(dict.fromkeys(filter(None, map(arxiv_number, places))))


def renamed(paper: Paper, identifier: str) -> Paper:
    """The paper under another id."""
    return Paper(identifier, *_all_but_id(paper))  # `dataclasses.replace` takes twice as long


def slug(paper: Paper) -> str:
    """An id for a paper without one: first author's surname, year, first word of the title."""
    author = surname(paper.authors[0]) if paper.authors else ""
    words = map(_alphanumeric, fold(paper.title).split())
    return _alphanumeric(author) + str(paper.year or "") + next(filter(None, words), "")


def _alphanumeric(text: str) -> str:
    return text if text.isalnum() else "".join(filter(str.isalnum, text))


@dataclass(slots=True)
class _Shared:
    """The papers that share an id."""

    name: str | None
    """The first name that is free, or not known to be taken; None if there are too many."""
    keys: set[str] = field(default_factory=set)
    """`_key` of the titles under the names before it."""
    copies: int = 1
    """Number of names up to `name`."""


class Seen:
    """The ids of a file.

    The first record with an id counts, in every format. A paper that repeats an id with the same title is
    only noted. With another title it is another paper, and gets an id of its own. Beyond `_REMEMBERED` ids,
    repetitions are resolved by the library.
    """

    def __init__(self, path: str | os.PathLike[str], report: ImportReport) -> None:
        self._path = path
        self._report = report
        self._titles: dict[str, str] = {}
        self._shared: dict[str, _Shared] = {}
        """Lists by id the papers that share it, where there are several."""

    def placed(self, paper: Paper, line: int | None) -> Paper | None:
        """The paper under an id that is unique in this file: ``id#2`` if the id belongs to another paper.

        None for a repetition, and if too many papers share an id. All three are noted in the report.
        """
        first = self._titles.get(paper.id)
        if first is None:
            self._remember(paper.id, paper.title)
            return paper
        shared = None if first == paper.title else self._sharing(paper.id)
        if shared is None or _key(paper.title) in shared.keys:
            why = _twice(paper.id) if self._report.room else ""
            self._report.repeat(self._path, line, why)
            return None
        if shared.name is None:
            why = (
                f"{self._clash(paper)}, and for {_MOST_COPIES} others" if self._report.room_for_skips else ""
            )
            self._report.skip(self._path, line, why)
            return None
        self._remember(shared.name, paper.title)
        why = f"{self._clash(paper)}; this one is kept as {shared.name!r}" if self._report.room else ""
        self._report.warn(self._path, line, why)
        return renamed(paper, shared.name)

    def _remember(self, identifier: str, title: str) -> None:
        if len(self._titles) < _REMEMBERED:
            self._titles[identifier] = title

    def _sharing(self, identifier: str) -> _Shared:
        """Returns what is known of the papers with this id, and its next free name."""
        shared = self._shared.get(identifier)
        if shared is None:
            shared = self._shared[identifier] = _Shared(identifier)
        while shared.name is not None and (title := self._titles.get(shared.name)) is not None:
            shared.keys.add(_key(title))
            shared.copies += 1
            shared.name = f"{identifier}#{shared.copies}" if shared.copies <= _MOST_COPIES else None
        return shared

    def again(self, identifier: str, text: str, line: int | None) -> bool:
        """Whether the id of a record other than a paper occurred before, which is noted in the report."""
        first = self._titles.get(identifier)
        if first is None:
            if len(self._titles) < _REMEMBERED:
                self._titles[identifier] = text
            return False
        if first == text or _key(first) == _key(text):
            self._report.repeat(self._path, line, _twice(identifier))
        else:
            clash = f"id {shorten(identifier)!r} already belongs to {shorten(first)!r}, not {shorten(text)!r}"
            self._report.skip(self._path, line, f"{clash}; the first one is used")
        return True

    def _clash(self, paper: Paper) -> str:
        known = shorten(self._titles[paper.id])
        return f"id {shorten(paper.id)!r} already belongs to {known!r}, not {shorten(paper.title)!r}"


def _key(title: str) -> str:
    """The same for titles that differ in spelling only."""
    return title_key(title) or title


def _twice(identifier: str) -> str:
    return f"id {shorten(identifier)!r} occurs twice; the first one is used"


class MadeIds:
    """Generated ids of papers without an id: slugs, with numbers if papers would share one, in file order."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], str] = {}
        self._count: Counter[str] = Counter()

    def make(self, paper: Paper) -> str:
        """The id; empty if there is nothing to make it from."""
        base = slug(paper)
        key = (base, _key(paper.title))
        if base and key not in self._made:
            self._count[base] += 1
            self._made[key] = base if self._count[base] == 1 else f"{base}-{self._count[base]}"
        return self._made.get(key, "")


class Intake:
    """The papers of a file on their way from its reader: ids for those without one, ids that are unique in
    the file, and notes in the report under the name of the format."""

    def __init__(self, name: str, path: FilePath, report: ImportReport) -> None:
        self._name = name
        self._path = path
        self._report = report
        self._seen = Seen(path, report)
        self._made = MadeIds()

    def text(self) -> str:
        """Reads the file as text, and notes what is wrong with its encoding."""
        return read_text(self._path, notice=functools.partial(self._report.warn, self._path))

    def warn(self, line: int | None) -> Warn:
        """Returns the function that notes a problem of the record on a line."""
        return functools.partial(self._report.warn, self._path, line)

    def skip(self, line: int | None, why: str) -> None:
        """Notes a record that is skipped."""
        self._report.skip(self._path, line, why)

    def leave(self, names: Iterable[str]) -> None:
        """Counts fields that no paper contains."""
        self._report.leave(self._name, names)

    def papers(self, paper: Paper, line: int | None, why: str = "the record has no title") -> Iterator[Paper]:
        """Yields the paper under its id, its DOI or a generated id, made unique in the file.

        Yields nothing for a repetition, nor for a paper without a title or anything to make an id of, which
        is skipped for the reason `why`."""
        identifier = paper.id or paper.doi or self._made.make(paper)
        if not paper.title or not identifier:
            self.skip(line, why)
        elif placed := self._seen.placed(paper if paper.id else renamed(paper, identifier), line):
            yield placed


# Publications and entries ---------------------------------------------------------------------------------

_NOTHING = Publication()


def known(publication: Publication) -> Publication | None:
    """The publication; None if nothing is known of it."""
    return None if publication == _NOTHING else publication


def source_entry(format_: str, text: str, key: str, path: FilePath) -> SourceEntry:
    """The entry under `key` of a file in a format of the registry."""
    return SourceEntry(format_, text, key, name_of_file(str(path)))
