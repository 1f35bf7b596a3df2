"""The report for reviewers: uncited claims, missing works, and what the audit found, within one budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citewhy.answers.audit import Audit, AuditedEntry, KeyRemark, ListedEntries
from citewhy.answers.audit.verdicts import VERDICTS
from citewhy.answers.missing import MissingWorks
from citewhy.base.records import Advice, Manuscript

_SENTENCES, _FEWEST, _MOST = 12, 10, 60
"""A remark of a report for so many sentences, but at least and at most so many."""

_SHARE_OF_KEYS = 3
"""One in so many remarks may be of keys, before everything else was told."""

_WORST = ("retracted", "withdrawn", "concern")
_NOTED = (*_WORST, "corrected", "published", "duplicate")
"""Kinds of remarks on entries that a reviewer should see, the worst first."""

Part = AuditedEntry | KeyRemark | Advice


@dataclass(frozen=True, slots=True)
class Counts:
    """How many remarks of each part were found."""

    audit: int
    missing: int
    uncited: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.audit + self.missing + self.uncited


@dataclass(frozen=True, slots=True)
class ReviewReport:
    """What a reviewer should know of a finished draft, as much as the budget allows; in each part, the worst
    or the surest first."""

    manuscript: Manuscript
    budget: int
    audit: Audit
    """All that the audit found of the entries that the draft cites."""
    entries: tuple[AuditedEntry, ...]
    """Those of its entries of which something is to be said."""
    keys: tuple[KeyRemark, ...]
    """Keys that are cited without an entry, or given to several."""
    missing: MissingWorks
    uncited: tuple[Advice, ...]
    found: Counts
    """What was found: all of the audit, and of the others as much as one budget for each allows."""

    @property
    def shown(self) -> int:
        """Number of remarks within the budget."""
        return len(self.entries) + len(self.keys) + len(self.missing.works) + len(self.uncited)


def report_budget(manuscript: Manuscript) -> int:
    """Returns the budget of a report: a remark for twelve sentences, at least ten, at most sixty."""
    sentences = sum(len(paragraph.sentences) for paragraph in manuscript.paragraphs)
    return min(max(sentences // _SENTENCES, _FEWEST), _MOST)


def cited_list(manuscript: Manuscript) -> ListedEntries:
    """The entries that a draft cites; all, if it cites none by a key."""
    cited = manuscript.cited_keys | set(manuscript.nocite)
    entries = manuscript.references
    if "*" not in cited:
        entries = tuple(one for one in entries if one.key in cited) or entries
    return ListedEntries(manuscript.path, entries, manuscript, manuscript.problems)


def report(
    manuscript: Manuscript,
    audit: Audit,
    missing: MissingWorks,
    uncited: Sequence[Advice],
    budget: int | None = None,
) -> ReviewReport:
    """The report within a budget (None: `report_budget`). Papers that were taken back, and what else is
    certain of entries, come before all, then keys without an entry, for a third of the budget; what remains
    is shared by turns: an entry, a missing work, a claim, and so on, as far as there are any."""
    entries = sorted(filter(_is_noted, audit.entries), key=_badness)
    keys = [one for one in audit.keys if one.kind in ("undefined", "repeated")]
    found = Counts(len(entries) + len(keys), len(missing.works), len(uncited))
    most = report_budget(manuscript) if budget is None else budget
    urgent = sum(one.certain or _is_taken_back(one) for one in entries)
    first_keys = min(len(keys), -(-most // _SHARE_OF_KEYS))
    counts = (found.audit, found.missing, found.uncited)
    audited, lacking, claims = _shared(most, urgent + first_keys, counts)
    of_entries = min(len(entries), max(audited - first_keys, min(urgent, audited)))
    shown_keys = tuple(keys[: audited - of_entries])
    return ReviewReport(
        manuscript,
        most,
        audit,
        tuple(entries[:of_entries]),
        shown_keys,
        replace(missing, works=missing.works[:lacking]),
        tuple(uncited[:claims]),
        found,
    )


def _is_noted(entry: AuditedEntry) -> bool:
    return entry.verdict in VERDICTS[:3] or any(one.kind in _NOTED for one in entry.remarks)


def _is_taken_back(entry: AuditedEntry) -> bool:
    """Whether its paper was retracted, withdrawn or doubted."""
    return any(one.kind in _WORST for one in entry.remarks)


def _badness(entry: AuditedEntry) -> tuple[bool, bool, int]:
    """Taken back first, then what is certain, then by verdict."""
    return not _is_taken_back(entry), not entry.certain, VERDICTS.index(entry.verdict)


def _shared(budget: int, first: int, counts: Sequence[int]) -> list[int]:
    """How many of each part are shown: the `first` of the first part, then one of each in turn."""
    shown = [min(first, counts[0], budget)] + [0] * (len(counts) - 1)
    while sum(shown) < budget and any(one < of for one, of in zip(shown, counts, strict=True)):
        for part in sorted(range(len(counts)), key=lambda number: shown[number]):
            if shown[part] < counts[part]:
                shown[part] += 1
                break
    return shown
