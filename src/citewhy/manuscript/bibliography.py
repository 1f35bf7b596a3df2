"""The references that a draft's ``.bib`` files define."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from citewhy.errors import CiteWhyError
from citewhy.formats.bibtex import Entry, read_entries
from citewhy.formats.report import Problem
from citewhy.manuscript.files import DraftFiles, read_text
from citewhy.records import Paper, Place, Reference

__all__ = ["as_cited", "references"]

_ENTRY = re.compile(
    r"@[ \t]*(?!(?:string|preamble|comment)\b)[A-Za-z]+\s*[{(]\s*([^\s,{}()=\"#%\\]+)\s*,", re.IGNORECASE
)
"""The beginning of an entry, with its key."""


def references(files: DraftFiles, paths: Sequence[PurePath]) -> tuple[list[Reference], list[str], list[str]]:
    """The entries of ``.bib`` files, a list of problems, and the names of the files that cannot be read.

    As in BibTeX, an ``@string`` holds in the files after it, and of two entries with the same key the first
    counts. A file that cannot be read does not affect the others. An entry that cannot be read still
    defines its key.
    """
    found: dict[str, Reference] = {}
    problems: list[str] = []
    unread: list[str] = []
    macros: dict[str, str] = {}
    for path in paths:
        name = files.name(path)
        try:
            text = read_text(files, path, notice=functools.partial(_note, problems, name))
            entries, wrong, macros = _entries(name, text, tuple(macros.items()))
        except CiteWhyError as error:
            problems.append(str(error))
            unread.append(name)
            continue
        problems += wrong
        for entry in entries:
            place = Place(name, entry.start, entry.end, entry.line)
            found.setdefault(entry.key, Reference(entry.key, entry.paper, place))
        for key in _ENTRY.findall(text) if wrong else ():
            found.setdefault(key, Reference(key, Paper(key, "")))
    return list(found.values()), problems, unread


def _note(problems: list[str], name: str, line: int, why: str) -> None:
    problems.append(str(Problem(name, line, why)))


@functools.lru_cache(maxsize=16)
def _entries(
    name: str, text: str, macros: tuple[tuple[str, str], ...]
) -> tuple[list[Entry], list[str], dict[str, str]]:
    """The entries and problems of a file, and the macros that are defined after it.

    Cached by content: a bibliography takes longer to read than the draft and changes less often, and an
    editor reads the draft again at every keystroke.
    """
    problems: list[str] = []
    known = dict(macros)
    return read_entries(text, name, problems, known), problems, known


def as_cited(defined: Mapping[str, Reference], cited: Collection[str]) -> list[Reference]:
    """The references of `defined` under the keys that the draft uses.

    BibTeX (unlike biber) ignores case: an entry that is cited only as ``blei-03`` but defined as ``Blei-03``
    gets the key that is cited.
    """
    spellings: dict[str, list[str]] = {}
    for key in sorted(cited):
        if key not in defined:
            spellings.setdefault(key.lower(), []).append(key)
    found: dict[str, Reference] = {}
    for key, reference in defined.items():
        others = spellings.get(key.lower(), [])
        if not others or key in cited:
            found[key] = reference
        for other in others:
            found.setdefault(other, replace(reference, key=other))
    return list(found.values())
