"""Reads what is audited: bibliographies of any format, drafts with theirs, and reference lists in text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from citewhy.answers.audit.verdicts import KeyRemark
from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Manuscript, Notice, Paper, Place, Reference
from citewhy.drafts import read
from citewhy.drafts.bibliography import references
from citewhy.drafts.files import DISK, read_text
from citewhy.drafts.plain.reader import read_list as read_printed
from citewhy.papers.formats import detect
from citewhy.papers.formats import read as read_papers
from citewhy.papers.formats.registry import FORMATS
from citewhy.text.source import FilePath

_BIBLIOGRAPHIES = frozenset((".bib", ".bibtex", ".json", ".ris", ".yml", ".yaml"))
_OTHERS = frozenset((".nbib", ".enw", ".xml", ".csv", ".tsv", ".jsonl", ".ciw", ".rdf", ".cff"))
"""Suffixes of other formats that a library reads."""
_HEAD = re.compile(
    r"^[ \t]*@(?!(?:string|preamble|comment)\b)[a-z]+\s*[{(]\s*([^\s,{}()=\"#%\\]+)\s*,",
    re.IGNORECASE | re.MULTILINE,
)
"""The head of an entry of BibTeX at the beginning of a line."""
_WITH_NOTICES = ("Retraction Watch", "Crossref", "nbib", "PubMed XML", "OpenAlex")
"""Formats whose records may say that a paper was retracted."""


@dataclass(frozen=True, slots=True)
class ListedEntries:
    """The entries of a file or of a draft."""

    file: str
    references: tuple[Reference, ...]
    manuscript: Manuscript | None = None
    """The draft, where the list is its."""
    problems: tuple[str, ...] = ()
    repeated: tuple[KeyRemark, ...] = ()
    """The keys that a bibliography gives to more than one entry, of which the first counts."""


def read_list(path: FilePath, *, follow_outside: bool = False) -> ListedEntries:
    """The entries that a file has, or that the bibliographies of a draft have. Raises InputError for a file
    without any."""
    name = Path(path)
    suffix = name.suffix.lower()
    if suffix in _BIBLIOGRAPHIES:
        entries, problems, unread = references(DISK, [name])
        if unread:
            raise InputError(problems[-1].removeprefix(f"{name}: "), path=name)
        return replace(_some(name, entries, problems), repeated=_repeated([str(name)]))
    if suffix in _OTHERS:
        report = ImportReport()
        listed = [
            Reference(paper.id, paper) for paper in read_papers(name, report) if isinstance(paper, Paper)
        ]
        return _some(name, listed, list(map(str, (*report.skips, *report.warnings))))
    manuscript = read(path, follow_outside=follow_outside)
    if not manuscript.references and suffix in (".txt", ".text"):
        printed = read_printed(read_text(DISK, name).splitlines()).references
        if sum(reference.paper.year is not None for reference in printed) * 2 > len(printed):
            return _some(name, printed, [])
    twice = _repeated(name for name in manuscript.bibliographies if name not in manuscript.unread)
    return ListedEntries(manuscript.path, manuscript.references, manuscript, manuscript.problems, twice)


def _repeated(names: Iterable[str]) -> tuple[KeyRemark, ...]:
    """The keys that the .bib files among the files give to a second entry, as BibTeX compares keys: without
    regard to capitals."""
    found: list[KeyRemark] = []
    for name in names:
        if not name.lower().endswith((".bib", ".bibtex")) or not DISK.is_file(DISK.path(name)):
            continue
        text = read_text(DISK, DISK.path(name))
        seen: set[str] = set()
        for head in _HEAD.finditer(text):
            key = head[1]
            if key.lower() in seen:
                line = text.count("\n", 0, head.start()) + 1
                found.append(KeyRemark("repeated", key, Place(name, head.start(1), head.end(1), line)))
            seen.add(key.lower())
    return tuple(found)


def _some(path: Path, found: Sequence[Reference], problems: Sequence[str]) -> ListedEntries:
    if not found:
        raise InputError(
            "found no references", path=path, hint="expected a bibliography, or a draft with one"
        )
    return ListedEntries(str(path), tuple(found), None, tuple(problems))


def papers_in(paths: Sequence[FilePath]) -> tuple[list[Paper], list[Notice]]:
    """All papers that files have, as `citewhy add` would read them, and the notices on papers. Raises
    InputError for a file without papers."""
    papers: list[Paper] = []
    notices: list[Notice] = []
    for path in paths:
        read = list(read_papers(path, ImportReport()))
        found = [record for record in read if isinstance(record, Paper)]
        if not found:
            raise InputError("found no papers", path=path, hint="expected a bibliography")
        papers += found
        notices += [record for record in read if isinstance(record, Notice)]
    return papers, notices


def notices_in(paths: Sequence[FilePath]) -> list[Notice]:
    """The notices on papers that files have. Raises InputError for a file of a format that has none."""
    notices: list[Notice] = []
    for path in paths:
        if detect(path) not in [FORMATS[name] for name in _WITH_NOTICES]:
            raise InputError(
                "a file of this format has no retractions",
                path=path,
                hint="expected Retraction Watch's CSV, or works of Crossref, PubMed or OpenAlex",
            )
        notices += [record for record in read_papers(path, ImportReport()) if isinstance(record, Notice)]
    return notices
