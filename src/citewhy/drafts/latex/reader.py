"""LaTeX drafts, with all included files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath

from citewhy.base.records import Manuscript, Marker, Place, Reference
from citewhy.drafts.bibliography import as_cited, references
from citewhy.drafts.files import DISK, DraftFiles
from citewhy.drafts.flow import Source
from citewhy.drafts.latex import people as latex_people
from citewhy.drafts.latex.bibliography import Bibliography
from citewhy.drafts.latex.document import Document
from citewhy.drafts.latex.expand import Expander
from citewhy.drafts.latex.files import LatexFiles
from citewhy.drafts.latex.front import ABSTRACT
from citewhy.drafts.latex.include import Inclusions
from citewhy.drafts.latex.problems import Problems
from citewhy.drafts.latex.text import WrittenCitation
from citewhy.drafts.placeholders import is_placeholder

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_FOLDERS = re.compile(r"\A.*[/\\]", re.DOTALL)
_COMMENT = re.compile(r"(?<!\\)%[^\r\n]*")


def read(root: PurePath, files: DraftFiles = DISK) -> Manuscript:
    """Reads a draft from its root file. Raises InputError if that is missing or not text, and TooLargeError.

    A part of a draft (a file without ``\\begin{document}``) can be read, too. As its bibliography is unknown,
    none of its keys counts as undefined.
    """
    problems = Problems()
    latex_files = LatexFiles(files, root, problems)
    expander = Expander(latex_files, problems)
    expander.inclusions.start()
    is_part = "\\begin{document}" not in _COMMENT.sub("", latex_files.open_root().text)
    document = Document(expander)
    document.read(is_part=is_part)
    front, bibliography = document.front, document.bibliography
    paths = _bibliographies(bibliography, expander.inclusions, problems)
    found, unread = _references(bibliography, files, paths, problems)
    defined = frozenset(reference.key for reference in found)
    passages = document.passages()
    maker = _MarkerMaker(defined, knows_all=not unread and (bool(defined) or not is_part))
    return Manuscript(
        path=files.name(root),
        format="latex",
        title=front.title,
        abstract=" ".join(passage.text for passage in passages if passage.section == ABSTRACT),
        authors=tuple(latex_people.names(front.authors)),
        year=_year([front.date, *expander.packages, root.stem]),
        paragraphs=tuple(passage.paragraph(maker.marker) for passage in passages),
        references=found,
        bibliographies=tuple(files.name(path) for path in paths),
        unread=unread,
        files=tuple(latex_files.sources),
        nocite=tuple(bibliography.nocite),
        problems=tuple(problems.messages()),
    )


def _bibliographies(bibliography: Bibliography, inclusions: Inclusions, problems: Problems) -> list[PurePath]:
    """The .bib files that the draft names, including missing ones."""
    paths: dict[PurePath, None] = {}
    for name, token in bibliography.named:
        path = inclusions.find(name, ".bib")
        if path is None and (path := inclusions.find(_FOLDERS.sub("", name), ".bib")):
            problems.at(
                token, f"the bibliography {name!r}: no such file; {path.name} in the draft's folder is used"
            )
        if path is None:
            problems.at(
                token,
                f"the bibliography {name!r}: no such file; keys that are defined nowhere else are left alone",
            )
            path = inclusions.beside(name, ".bib")
        paths[path] = None
    return list(paths)


def _references(
    bibliography: Bibliography, files: DraftFiles, paths: list[PurePath], problems: Problems
) -> tuple[tuple[Reference, ...], tuple[str, ...]]:
    """The references in the .bib files and in the draft's own lists, under the keys that the draft uses, and
    the names of the .bib files that are missing or cannot be read."""
    found, wrong, broken = references(files, [path for path in paths if files.is_file(path)])
    unread = (*(files.name(path) for path in paths if not files.is_file(path)), *broken)
    for message in wrong:
        problems.add_message(message)
    defined = bibliography.printed | {reference.key: reference for reference in found}
    used = tuple(as_cited(defined, bibliography.cited_keys()))
    for reference in used if bibliography.is_biblatex else ():
        if reference.key not in defined and reference.place is not None:
            why = f"this entry is cited as {reference.key!r}; biber distinguishes upper and lower case"
            problems.add(reference.place.file, reference.place.line, why)
    return used, unread


class _MarkerMaker:
    """Makes the records of citations, once all defined keys are known."""

    def __init__(self, defined: frozenset[str], *, knows_all: bool) -> None:
        self._defined = defined
        self._knows_all = knows_all

    def marker(self, cited: WrittenCitation, offset: int) -> Marker:
        keys = tuple(key for key in cited.keys if key in self._defined or (key and not is_placeholder(key)))
        kept = frozenset(keys)
        written = [key for key in cited.keys if key]
        is_open = (
            cited.is_open
            or not keys
            or len(keys) < len(written)
            or (self._knows_all and any(key not in self._defined for key in keys))
        )
        slot = None if cited.slot is None else _place(*cited.slot)
        return Marker(
            place=_place(cited.source, cited.start, cited.end),
            keys=keys,
            open=is_open,
            offset=offset,
            command=cited.command,
            slot=slot,
            in_text=cited.in_text,
            note=cited.note or " ".join(key for key in written if key not in kept),
        )


def _place(source: Source, start: int, end: int) -> Place:
    return Place(source.path, start, end, source.line_of(start))


def _year(texts: Iterable[str]) -> int | None:
    """The first year in `texts`: the draft's date, the names of its class and packages, its file name."""
    found = next(filter(None, map(_YEAR.search, texts)), None)
    return None if found is None else int(found[0])
