"""An audit as JSON, and as SARIF for editors and services."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from citewhy.answers.audit import Audit, AuditedEntry, CitingClaim
from citewhy.base.config import VERSION
from citewhy.base.records import Paper, Place
from citewhy.doors.present.audit_text import evidence, remarks_of

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {
    "impossible": "error",
    "mixed": "error",
    "differs": "warning",
    "undefined": "error",
    "repeated": "error",
}
_LEVELS |= {"retracted": "error", "withdrawn": "error", "concern": "warning"}
_RULES = {
    "impossible": "No paper can be as the entry says.",
    "mixed": "The entry has parts of two papers.",
    "differs": "A field contradicts the library's record of the paper.",
    "retracted": "The paper was retracted.",
    "withdrawn": "The paper was withdrawn.",
    "concern": "An expression of concern was published about the paper.",
    "corrected": "A correction of the paper was published.",
    "published": "The library has what was published of the preprint.",
    "duplicate": "Two entries are of one paper.",
    "undefined": "A key is cited that has no entry.",
    "repeated": "A bibliography gives a key to more than one entry.",
    "unused": "An entry is never cited.",
    "incomplete": "The entry lacks what its type needs.",
    "case": "Styles may write acronyms of the title in small letters.",
}


def audit_document(audit: Audit) -> dict[str, Any]:
    """The verdicts on all entries, in their order, with the evidence."""
    return {
        "library": audit.library,
        "files": list(audit.files),
        "counts": dict(audit.counts),
        "certain": audit.certain,
        "entries": [_entry(entry) for entry in audit.entries],
        "keys": [{"kind": one.kind, "key": one.key, **_place(one.place)} for one in audit.keys],
        "claims": [_claim(claim) for claim in audit.claims],
        "problems": list(audit.problems),
    }


def _entry(entry: AuditedEntry) -> dict[str, Any]:
    return {
        "key": entry.reference.key,
        **_place(entry.reference.place),
        "file": entry.file,
        "title": entry.reference.paper.title,
        "verdict": entry.verdict,
        "certain": entry.certain,
        "paper": _paper(entry.paper),
        "other": _paper(entry.other),
        "parts": list(entry.parts),
        "differences": [
            {"field": one.field, "says": one.says, "known": one.known, "certain": one.certain}
            for one in entry.differences
        ],
        "reasons": list(entry.reasons),
        "remarks": [
            {"kind": one.kind, "text": one.text, "certain": one.certain, "paper": _paper(one.paper)}
            for one in entry.remarks
        ],
        "itself": entry.itself,
    }


def _claim(claim: CitingClaim) -> dict[str, Any]:
    passage = claim.passage
    return {
        "key": claim.key,
        **_place(claim.place),
        "text": claim.text,
        "paper": claim.paper.id,
        "support": claim.support,
        "agreement": round(claim.agreement, 4),
        "source": claim.source,
        "passage": None if passage is None else {"text": passage.text, "sid": passage.sid},
    }


def _paper(paper: Paper | None) -> dict[str, Any] | None:
    if paper is None:
        return None
    return {
        "id": paper.id,
        "title": paper.title,
        "authors": list(map(str, paper.authors)),
        "year": paper.year,
        "venue": paper.venue,
        "doi": paper.doi,
    }


def _place(place: Place | None) -> dict[str, Any]:
    if place is None:
        return {"file": None, "line": None, "start": None, "end": None}
    return {"file": place.file, "line": place.line, "start": place.start, "end": place.end}


def sarif(audit: Audit) -> dict[str, Any]:
    """The audit as a SARIF log of one run: a result for each verdict to be looked at, and each remark."""
    driver = {
        "name": "citewhy",
        "version": VERSION,
        "rules": [{"id": name, "shortDescription": {"text": text}} for name, text in _RULES.items()],
    }
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": list(_results(audit))}],
    }


def found_of(entry: AuditedEntry, *, verbose: bool = True) -> Iterator[tuple[str, str, bool]]:
    """What is to be looked at of an entry: its verdict, unless that is good or unknown, and its remarks,
    those of style if `verbose`; of which kind each is, what it says, and whether it is certain."""
    if entry.verdict in _LEVELS:
        certain = entry.verdict == "impossible" or any(one.certain for one in entry.differences)
        yield entry.verdict, "; ".join(evidence(entry)), certain
    for remark in remarks_of(entry, verbose=verbose):
        yield remark.kind, remark.text, remark.certain


def level_of(kind: str) -> str:
    """How bad it is: ``error``, ``warning`` or ``note``."""
    return _LEVELS.get(kind, "note")


def _results(audit: Audit) -> Iterator[dict[str, Any]]:
    for entry in audit.entries:
        line = entry.reference.place.line if entry.reference.place else 1
        for kind, text, _ in found_of(entry):
            yield _result(kind, f"{entry.reference.key}: {text}", entry.file, line)
    for key in audit.keys:
        file = key.place.file if key.place else audit.files[0]
        yield _result(key.kind, f"{key.key} is {key.kind}", file, key.place.line if key.place else 1)


def _result(rule: str, text: str, file: str, line: int) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": PurePath(file).as_posix()}, "region": {"startLine": line}}
    return {
        "ruleId": rule,
        "level": level_of(rule),
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }
