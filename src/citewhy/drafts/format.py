"""The protocol that a format of drafts implements: how it is recognised, read, and edited.

Each format is one object: CiteWhy's own are in the folders beside this file (`latex.format`, …), those of
other packages are named by entry points (`formats`). Most derive from `TextFormat`, which has an answer to
every question of `DraftFormat` but two: how a draft is read, and how a citation is filled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import PurePath
from typing import Protocol

from citewhy.base.errors import InputError
from citewhy.base.records import Manuscript, Marker, Paper, Place
from citewhy.drafts.edit.bibliography_file import BIBTEX, BibliographyFormat, append, bibliography_for
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.files import DraftFiles
from citewhy.text.placeholders import is_placeholder

NEW_BIBLIOGRAPHY = "references.bib"
"""Name of the bibliography that is created for a draft without one."""


class Likeness(IntEnum):
    """How much the beginning of a file looks like a format. Of several formats, the most alike reads the
    file; of equal ones, the first in `formats`."""

    NONE = 0
    POSSIBLE = 1
    """It has signs that other texts have, too, such as a line that begins with ``#``."""
    LIKELY = 2
    CERTAIN = 3


@dataclass(frozen=True, slots=True)
class CitationText:
    """A citation of a draft, with the present text of the file (or the part of it) that it stands in."""

    manuscript: Manuscript
    marker: Marker
    text: str

    @property
    def whole(self) -> str:
        """The text of the whole citation."""
        return self.text[self.marker.place.start : self.marker.place.end]

    @property
    def slot(self) -> Place:
        """The part that is filled: `Marker.slot`, or the whole citation if it has none."""
        return self.marker.slot or self.marker.place

    @property
    def written(self) -> str:
        """The text of the slot."""
        return self.text[self.slot.start : self.slot.end]

    def following(self, count: int) -> str:
        """The `count` characters after the slot; fewer at the end of the file."""
        return self.text[self.slot.end : self.slot.end + count]

    def replaced(self, new: str, place: Place | None = None) -> Edit:
        """The edit that puts the text `new` in the place of the slot, or of another `place` of the file."""
        place = place or self.slot
        return Edit(place.file, place.start, place.end, new, place.part)

    def edits(self, pattern: str, new: str) -> list[Edit]:
        """The edits that put `new` in the place of each match of a regular expression in the citation."""
        place = self.marker.place
        return [
            Edit(place.file, place.start + match.start(), place.start + match.end(), new, place.part)
            for match in re.finditer(pattern, self.whole)
        ]


class DraftFormat(Protocol):
    """A format of drafts. All its methods may be called by several threads."""

    @property
    def name(self) -> str:
        """Its name in records (`Manuscript.format`), and of its entry point: ``latex``."""

    @property
    def title(self) -> str:
        """Its name for people: ``LaTeX``."""

    @property
    def suffixes(self) -> Sequence[str]:
        """Suffixes of the names of its files, the usual one first, in lower case, with the dot: ``.tex``."""

    @property
    def companions(self) -> Sequence[str]:
        """Suffixes of other files that its drafts read and that an edit may change wherever they are in the
        draft's project: bibliographies, styles, metadata."""

    @property
    def mark(self) -> str:
        """How an author marks a citation that is still missing, for people: ``[@?] or [CITE]``."""

    @property
    def comment(self) -> str:
        """How a line begins that is a comment, and may ask for the papers of a paragraph (`asked`); empty if
        the format has none."""

    @property
    def root_sign(self) -> str:
        """Names, for people, what only the root of a draft of several files contains; empty if a file of this
        format always is a draft of its own."""

    @property
    def read_only(self) -> str:
        """Why no draft of this format is edited, as a sentence without full stop; empty if drafts are
        edited."""

    def recognise(self, head: bytes, path: PurePath) -> Likeness:
        """How much a file looks like this format, by its beginning `head` and, if this says nothing, by its
        name. Asked only for files whose suffix belongs to no format."""

    def roots(self, contents: Mapping[PurePath, bytes]) -> list[PurePath]:
        """Returns the given files of this format that say themselves that they are a draft, not a part of
        one."""

    def read(self, files: DraftFiles, root: PurePath) -> Manuscript:
        """Reads the draft with the root file `root`, with everything that it includes, and its
        bibliographies.

        What cannot be read of it is in `Manuscript.problems`. Raises InputError or TooLargeError if the root
        cannot be read at all.
        """

    def unfilled(self, manuscript: Manuscript) -> str:
        """Why the open citations of this draft are not filled, though the format can be edited, as a sentence
        without full stop; empty if they are."""

    def is_there(self, citation: CitationText) -> bool:
        """Whether the citation still is where it was when the draft was read."""

    def fill(self, citation: CitationText, keys: Sequence[str]) -> Edit:
        """The edit that makes a citation with a slot cite `keys`, one or more and all different, in addition
        to those that it cites. Placeholders and undefined keys give way (`KeyPlan`); all else stays."""

    def rename(self, citation: CitationText, old: str, new: str) -> list[Edit]:
        """The edits that write the key `new` wherever the citation has `old`; none if it cannot be edited."""

    def add_entries(
        self, manuscript: Manuscript, papers: Mapping[str, Paper], files: DraftFiles
    ) -> list[Edit]:
        """The edits that give the draft an entry for each of the `papers`, by key. Raises InputError if there
        is no place for them."""


class TextFormat:
    """The answers of most formats of text files. The bibliographies are files beside the draft; the first
    that has entries gets the new ones."""

    name: str
    title: str
    suffixes: Sequence[str]
    companions: Sequence[str] = (".bib",)
    mark = "[CITE]"
    comment = ""
    root_sign = ""
    read_only = ""
    bibliographies: Sequence[BibliographyFormat] = (BIBTEX,)
    """The formats of bibliographies that are edited; the last is that of every file with another suffix."""

    def recognise(self, head: bytes, path: PurePath) -> Likeness:
        return Likeness.NONE

    def roots(self, contents: Mapping[PurePath, bytes]) -> list[PurePath]:
        return list(contents)

    def unfilled(self, manuscript: Manuscript) -> str:
        return ""

    def is_there(self, citation: CitationText) -> bool:
        return all(key in citation.whole for key in citation.marker.keys)

    def rename(self, citation: CitationText, old: str, new: str) -> list[Edit]:
        return citation.edits(rf"(?<![\w-]){re.escape(old)}(?![\w-])", new)

    def add_entries(
        self, manuscript: Manuscript, papers: Mapping[str, Paper], files: DraftFiles
    ) -> list[Edit]:
        bibliography = bibliography_for(manuscript, self.bibliographies, files)
        if bibliography is not None:
            return [append(files, files.path(bibliography), papers, self.bibliographies)]
        path = files.path(manuscript.path).parent / NEW_BIBLIOGRAPHY
        new = append(files, path, papers, self.bibliographies)
        return [new, *self.name_bibliography(manuscript, files)]

    def name_bibliography(self, manuscript: Manuscript, files: DraftFiles) -> list[Edit]:
        """The edits that name `NEW_BIBLIOGRAPHY`, a new file, in a draft that names none. Raises InputError
        if it cannot be named."""
        raise InputError(
            f"the draft names no bibliography, and none is added to a draft in {self.title}",
            path=manuscript.path,
            hint=f"make a file {NEW_BIBLIOGRAPHY} and name it in the draft",
        )


class KeyPlan:
    """Which keys of a citation give way, and to what: each placeholder takes the next new key, the last one
    all that are left. Without a placeholder, the first undefined key is one, if there is a bibliography."""

    def __init__(self, manuscript: Manuscript, written: Sequence[str], new: Sequence[str]) -> None:
        defined = {reference.key for reference in manuscript.references}
        undefined = [position for position, key in enumerate(written) if key not in defined]
        leaving = [position for position in undefined if is_placeholder(written[position])]
        if not leaving and defined and not manuscript.unread:
            leaving = undefined[:1]
        kept = {key for position, key in enumerate(written) if position not in leaving}
        waiting = [key for key in new if key not in kept]
        self.replaced: dict[int, list[str]] = {}
        """The new keys by the position of the one that gives way; empty: it goes."""
        for number, position in enumerate(leaving):
            last = number == len(leaving) - 1
            if waiting or not number:
                self.replaced[position] = waiting if last else waiting[:1]
                waiting = [] if last else waiting[1:]
        self.added = waiting
        """Keys that come after the last."""


def blanked(pattern: re.Pattern[str], text: str) -> str:
    """`text` with spaces in place of each match, such as a comment, so that offsets stay."""
    return pattern.sub(lambda match: " " * len(match[0]), text)
