"""What a draft's own bibliography defines: the ``.bib`` files that it names."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from citewhy.errors import CiteWhyError
from citewhy.formats.bibtex import Entry, read_entries
from citewhy.formats.report import Problem
from citewhy.manuscript.files import DraftFiles, read_text
from citewhy.records import Place, Reference

__all__ = ["as_cited", "references"]


def references(files: DraftFiles, paths: Sequence[PurePath]) -> tuple[list[Reference], list[str]]:
    """The entries of ``.bib`` files, and sentences about what could not be read of them.

    The files are read as one: ``@string`` of one holds in those after it, and of two entries with one key
    the first counts, as in BibTeX. A broken file does not take the others with it.
    """
    found: dict[str, Reference] = {}
    problems: list[str] = []
    macros: dict[str, str] = {}
    for path in paths:
        name = files.name(path)
        try:
            text = read_text(files, path, notice=functools.partial(_note, problems, name))
            entries, wrong, macros = _entries(name, text, tuple(macros.items()))
        except CiteWhyError as error:
            problems.append(str(error))
            continue
        problems += wrong
        for entry in entries:
            place = Place(name, entry.start, entry.end, entry.line)
            found.setdefault(entry.key, Reference(entry.key, entry.paper, place))
    return list(found.values()), problems


def _note(problems: list[str], name: str, line: int, why: str) -> None:
    problems.append(str(Problem(name, line, why)))


@functools.lru_cache(maxsize=16)
def _entries(
    name: str, text: str, macros: tuple[tuple[str, str], ...]
) -> tuple[list[Entry], list[str], dict[str, str]]:
    """Entries, problems, and the macros afterwards.

    Remembered by content: a bibliography takes longer to read than its draft and changes less often, and an
    editor asks again at every keystroke.
    """
    problems: list[str] = []
    known = dict(macros)
    return read_entries(text, name, problems, known), problems, known


def as_cited(defined: Mapping[str, Reference], cited: Collection[str]) -> list[Reference]:
    """The references of `defined` under the keys that a draft writes.

    BibTeX (unlike biber) does not tell ``Blei-03`` from ``blei-03``: an entry that is cited only in other
    spellings than its own gets those in place of it.
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
