"""The references that a draft's bibliographies define: BibTeX, CSL-JSON, RIS, and Hayagriva's YAML."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from citewhy.base.errors import CiteWhyError
from citewhy.base.import_report import ImportReport, Problem
from citewhy.base.records import Manuscript, Paper, Place, Reference
from citewhy.base.unforeseen import reading
from citewhy.drafts.files import DraftFiles, read_content, read_text
from citewhy.drafts.parsed_bibliographies import Parsed, parsed

_ENTRY = re.compile(
    r"@[ \t]*(?!(?:string|preamble|comment)\b)[A-Za-z]+\s*[{(]\s*([^\s,{}()=\"#%\\]+)\s*,", re.IGNORECASE
)
"""The beginning of an entry, with its key."""


def references(files: DraftFiles, paths: Sequence[PurePath]) -> tuple[list[Reference], list[str], list[str]]:
    """The entries of bibliographies, a list of problems, and the names of the files that cannot be read.

    A file is Hayagriva's YAML, CSL-JSON or RIS by its suffix, any other is BibTeX.

    As in BibTeX, an ``@string`` holds in the files after it, and of two entries with the same key the first
    counts. A file that cannot be read does not affect the others. An entry that cannot be read still
    defines its key.
    """
    by_key: dict[str, Reference] = {}
    problems: list[str] = []
    unread: list[str] = []
    macros: dict[str, str] = {}
    for path in paths:
        name = files.name(path)
        try:
            with reading(name):
                if path.suffix.lower() in _OTHERS:
                    for reference in _OTHERS[path.suffix.lower()](files, path, problems):
                        by_key.setdefault(reference.key, reference)
                    continue
                text = read_text(files, path, notice=functools.partial(_note, problems, name))
                entries, wrong, macros = _entries(name, text, tuple(macros.items()))
        except CiteWhyError as error:
            problems.append(str(error))
            unread.append(name)
            continue
        problems += wrong
        for reference in entries:
            by_key.setdefault(reference.key, reference)
        for key in _ENTRY.findall(text) if wrong else ():
            by_key.setdefault(key, Reference(key, Paper(key, "")))
    return list(by_key.values()), problems, unread


_MOST_BESIDE = 20_000_000
"""Bytes of bibliographies beside a draft that are read."""


def references_beside(files: DraftFiles, manuscript: Manuscript) -> list[Reference]:
    """The entries of the other .bib files in the folder of a draft, which it does not name: up to 20 MB, and
    none of a file that cannot be read."""
    named = {files.resolve(files.path(name)) for name in manuscript.bibliographies}
    others = []
    left = _MOST_BESIDE
    for path in files.in_folder(files.path(manuscript.path).parent, ".bib"):
        if files.resolve(path) not in named and files.is_file(path):
            left -= len(files.read(path))
            others += [path] if left >= 0 else []
    return references(files, others)[0]


def _hayagriva(files: DraftFiles, path: PurePath, problems: list[str]) -> Iterator[Reference]:
    from citewhy.papers.formats.hayagriva import entries_of

    name, report = files.name(path), ImportReport()
    for entry in entries_of(read_text(files, path), name, report):
        yield Reference(entry.paper.id, entry.paper, Place(name, entry.start, entry.end, entry.line))
    problems += map(str, (*report.skips, *report.warnings))


def csl_json(files: DraftFiles, path: PurePath, problems: list[str]) -> Iterator[Reference]:
    """Yields the references of a file of CSL-JSON; adds what is wrong to `problems`. Raises InputError."""
    from citewhy.papers.formats import csl

    name = files.name(path)
    return csl_references(csl.items_of(read_content(files, path, csl.MAX_CSL), name), name, problems)


def csl_references(items: Iterable[object], name: str, problems: list[str]) -> Iterator[Reference]:
    """Yields the references of CSL items in the file `name`. An item without a title still defines its key;
    one without an id is skipped, and added to `problems`."""
    from citewhy.papers.formats import csl

    report = ImportReport()
    for number, item in enumerate(items, start=1):
        paper = csl.paper_of(item, number, name, report) if isinstance(item, dict) else None
        if paper is None or not paper.id:
            problems.append(str(Problem(name, None, f"reference {number} has no id and is skipped")))
        else:
            yield Reference(paper.id, paper)


def _ris(files: DraftFiles, path: PurePath, problems: list[str]) -> Iterator[Reference]:
    from citewhy.papers.formats.tagged import papers_of_ris  # imports rispy

    name, report = files.name(path), ImportReport()
    text = read_text(files, path, notice=functools.partial(_note, problems, name))
    for paper in papers_of_ris(text, name, report):
        yield Reference(paper.id, paper)
    problems += map(str, (*report.skips, *report.warnings))


_OTHERS = {".yml": _hayagriva, ".yaml": _hayagriva, ".json": csl_json, ".ris": _ris}
"""Readers of bibliographies that are not BibTeX, by suffix."""


def _note(problems: list[str], name: str, line: int, why: str) -> None:
    problems.append(str(Problem(name, line, why)))


@functools.lru_cache(maxsize=16)
def _entries(
    name: str, text: str, macros: tuple[tuple[str, str], ...]
) -> tuple[list[Reference], list[str], dict[str, str]]:
    """The entries and problems of a file, and the macros that are defined after it.

    Cached by content: a bibliography takes longer to read than the draft and changes less often, and an
    editor reads the draft again at every keystroke.
    """

    def parse() -> Parsed:
        problems: list[str] = []
        known = dict(macros)
        from citewhy.papers.formats.bibtex import read_entries  # imports the BibTeX parser

        entries = [
            Reference(entry.key, entry.paper, Place(name, entry.start, entry.end, entry.line))
            for entry in read_entries(text, name, problems, known)
        ]
        return Parsed(entries, problems, known)

    return parsed(name, text, dict(macros), parse)


def as_cited(defined: Mapping[str, Reference], cited: Collection[str]) -> list[Reference]:
    """The references of `defined` under the keys that the draft uses.

    BibTeX (unlike biber) ignores case: an entry that is cited only as ``blei-03`` but defined as ``Blei-03``
    gets the key that is cited.
    """
    spellings: dict[str, list[str]] = {}
    for key in sorted(cited):
        if key not in defined:
            spellings.setdefault(key.lower(), []).append(key)
    by_key: dict[str, Reference] = {}
    for key, reference in defined.items():
        others = spellings.get(key.lower(), [])
        if not others or key in cited:
            by_key[key] = reference
        for other in others:
            by_key.setdefault(other, replace(reference, key=other))
    return list(by_key.values())
