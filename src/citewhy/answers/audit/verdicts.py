"""What an audit says of a reference list: a verdict for each entry, with its evidence, and remarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from citewhy.answers.audit.claims import CitingClaim
from citewhy.base.records import Paper, Place, Reference

Verdict = Literal["known", "differs", "mixed", "impossible", "unknown"]
"""``known``: the library has the paper, and all that the entry states agrees; ``differs``: it is this paper,
but a field says something else; ``mixed``: parts of two papers; ``impossible``: no paper can be so;
``unknown``: the library does not have it, which says nothing about the entry."""

VERDICTS: tuple[Verdict, ...] = ("impossible", "mixed", "differs", "unknown", "known")
"""The worst first."""

RemarkKind = Literal[
    "retracted",
    "withdrawn",
    "concern",
    "corrected",
    "published",
    "duplicate",
    "undefined",
    "unused",
    "repeated",
    "incomplete",
    "case",
]


@dataclass(frozen=True, slots=True)
class Difference:
    """A field in which an entry and the library's record of the same paper disagree."""

    field: str
    """``title``, ``authors``, ``year``, ``venue``, ``doi``, ``volume`` or ``pages``."""
    says: str
    """What the entry says."""
    known: str
    """What the library says."""
    certain: bool = False
    """Whether everything else agrees, so that nobody needs to look it up."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something about an entry, or a key, that is no matter of its verdict."""

    kind: RemarkKind
    text: str
    certain: bool = False
    paper: Paper | None = None
    """The paper that it speaks of: the published version of a preprint."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict on an entry, with its evidence."""

    verdict: Verdict
    paper: Paper | None = None
    """The library's record of the paper; of a mixed entry, that of its title, if there is one."""
    other: Paper | None = None
    """Of a mixed entry, the paper that other parts of it belong to."""
    parts: tuple[str, ...] = ()
    """The fields of a mixed entry that belong to `other`."""
    differences: tuple[Difference, ...] = ()
    reasons: tuple[str, ...] = ()
    """Why the entry is impossible; of another verdict, what else was noticed, a sentence each."""
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedEntry(Judged):
    """An entry of a reference list with its verdict."""

    reference: Reference
    file: str
    listed_in: str = ""
    """The file that was audited: that of the entry, or a draft that names it."""
    itself: bool = False
    """Whether the library's record was read from this very entry, so that nothing was compared."""

    @property
    def meant(self) -> Paper | None:
        """The library's record of the paper that the entry means; None where that is not known."""
        return self.paper if self.verdict in ("known", "differs") else None

    @property
    def certain(self) -> bool:
        """Whether something about the entry needs no look at the paper."""
        found = [one.certain for one in self.differences] + [one.certain for one in self.remarks]
        return any(found) or self.verdict == "impossible"


@dataclass(frozen=True, slots=True)
class KeyRemark:
    """A key that a draft cites without an entry (``undefined``), or that of an entry that it never cites
    (``unused``), or one that a bibliography gives to a second entry (``repeated``)."""

    kind: RemarkKind
    key: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Audit:
    """The audit of one or more reference lists."""

    library: str
    """What the entries were compared with."""
    files: tuple[str, ...]
    entries: tuple[AuditedEntry, ...]
    keys: tuple[KeyRemark, ...] = ()
    problems: tuple[str, ...] = ()
    """What could not be read."""
    counts: dict[str, int] = field(default_factory=dict)
    """The number of entries of each verdict."""
    claims: tuple[CitingClaim, ...] = ()
    """The sentences of drafts that cite papers of the library, if they were asked for, the weakest first."""

    def papers_of(self, references: Sequence[Reference]) -> dict[str, Paper]:
        """The library's papers of those of the references that are known, or differ, by their keys."""
        wanted = set(map(id, references))
        return {
            entry.reference.key: entry.meant
            for entry in self.entries
            if entry.meant is not None and id(entry.reference) in wanted
        }

    @property
    def certain(self) -> bool:
        """Whether anything is certain."""
        return any(entry.certain for entry in self.entries) or any(
            remark.kind in ("undefined", "repeated") for remark in self.keys
        )
