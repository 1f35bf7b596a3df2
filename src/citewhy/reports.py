"""What is told of a library, beside its answers: records as those of `records`, listed with them in
`docs/data.md`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from citewhy.records import Paper, Passage, Place, TextSource

__all__ = ["AddReport", "Classified", "IndexState", "LibraryInfo", "PaperPassages"]

IndexState = Literal["current", "missing", "behind", "damaged"]
"""Any but ``current`` is mended when the library is next asked."""


@dataclass(frozen=True, slots=True)
class PaperPassages:
    """What one paper says about the claim `text`; no passages where no sentence shares a word with it."""

    paper: Paper
    text: str
    source: TextSource
    passages: tuple[Passage, ...]
    credited: tuple[Paper, ...] = ()
    """The papers whose ids are in the passages' `credits`."""


@dataclass(frozen=True, slots=True)
class Classified:
    """What a classifier says of the sentence `text`: the label that it chooses, which need not be the most
    probable one, and the probability of every label."""

    text: str
    label: str
    probabilities: Mapping[str, float]
    place: Place | None = None
    """Of a sentence of a draft."""


@dataclass(frozen=True, slots=True)
class LibraryInfo:
    """What the library in the folder `library` holds. `contexts` and `citations` count all that are stored,
    the `waiting` ones lack a paper. `starter`: it is the built-in one, used until papers are added."""

    library: str
    starter: bool
    generation: int
    papers: int
    own_writings: int
    """Papers that the owner of the library wrote, and added as drafts."""
    with_abstract: int
    with_full_text: int
    contexts: int
    contexts_waiting: int
    citations: int
    citations_waiting: int
    aliases: int
    first_year: int | None
    last_year: int | None
    index: IndexState
    bytes: int


@dataclass(frozen=True, slots=True)
class AddReport:
    """What adding `files` to the library in the folder `library` did. Counts are by kind of record:
    ``papers``, ``aliases``, ``contexts``, ``citations``, ``full texts``, ``identifiers``; one that is missing
    counts 0. Of each kind, `read` = `new` + `updated` + `unchanged` + `refused`."""

    library: str
    generation: int
    changed: bool
    files: tuple[str, ...]
    files_not_recognised: tuple[str, ...]
    files_refused: tuple[str, ...]
    """Why each file that could not be read was left out, beginning with its path."""
    pdfs: tuple[str, ...]
    read: Mapping[str, int]
    new: Mapping[str, int]
    updated: Mapping[str, int]
    unchanged: Mapping[str, int]
    """Records that said nothing new, also of what the same import said before."""
    refused: Mapping[str, int]
    merged: int
    """Records that turned out to be papers already there, under other ids."""
    papers_before: int
    papers_after: int
    """Papers in the library: `papers_before` + new papers - `merged`."""
    withdrawn: Mapping[str, int]
    """Contexts and citations that drafts had when they were added before, and no longer have."""
    writings: tuple[str, ...]
    """What each draft was read as: title, year and where it is from, number of citations."""
    missing: tuple[str, ...]
    """What lists of identifiers named and the library does not have."""
    not_kept: Mapping[str, Mapping[str, int]]
    """Fields that files had and no record holds: name of the format → field → records with it."""
    skipped: int
    skips: tuple[str, ...]
    """The first skipped records, each with file, line and reason."""
    warned: int
    """Records that were kept without the part that was wrong."""
    warnings: tuple[str, ...]
