"""Audits reference lists: which entries are real, right and complete, as far as a library can tell."""

from __future__ import annotations

from citewhy.answers.audit.auditing import audit
from citewhy.answers.audit.claims import CitingClaim
from citewhy.answers.audit.lists import ListedEntries, read_list
from citewhy.answers.audit.sources import LibraryPapers, ListedPapers, Papers
from citewhy.answers.audit.verdicts import (
    VERDICTS,
    Audit,
    AuditedEntry,
    Difference,
    KeyRemark,
    Remark,
    RemarkKind,
    Verdict,
)

__all__ = [
    "VERDICTS",
    "Audit",
    "AuditedEntry",
    "CitingClaim",
    "Difference",
    "KeyRemark",
    "LibraryPapers",
    "ListedEntries",
    "ListedPapers",
    "Papers",
    "Remark",
    "RemarkKind",
    "Verdict",
    "audit",
    "read_list",
]
