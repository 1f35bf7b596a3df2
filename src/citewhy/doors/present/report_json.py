"""The report for reviewers as plain values for JSON."""

from __future__ import annotations

from collections.abc import Iterator

from citewhy.answers.audit import AuditedEntry, KeyRemark
from citewhy.answers.missing import MissingWork, MissingWorks
from citewhy.answers.report import ReviewReport
from citewhy.base.records import Manuscript
from citewhy.doors.present.as_json import place_fields, suggestions, uncited
from citewhy.doors.present.audit_json import found_of
from citewhy.doors.present.documents import EntryFields, MissingFields, ReportDocument


def report_document(report: ReviewReport, library: str, pipeline: str) -> ReportDocument:
    """The whole report, as much as the budget allows."""
    document = missing_document(report.manuscript, report.missing, library, pipeline)
    return {
        **document,
        "budget": report.budget,
        "found": {
            "audit": report.found.audit,
            "missing": report.found.missing,
            "uncited": report.found.uncited,
        },
        "audit": [*map(_key, report.keys), *map(_entry, report.entries)],
        "uncited": uncited(report.uncited),
    }


def missing_document(
    manuscript: Manuscript, missing: MissingWorks, library: str, pipeline: str
) -> ReportDocument:
    """A report that has missing works alone."""
    return {
        "library": library,
        "pipeline": pipeline,
        "draft": manuscript.path,
        "year": missing.year,
        "cited": missing.cited,
        "known": missing.references,
        "budget": None,
        "found": {"audit": 0, "missing": len(missing.works), "uncited": 0},
        "audit": None,
        "missing": list(_works(missing.works)),
        "uncited": None,
        "problems": list(manuscript.problems),
    }


def _works(works: tuple[MissingWork, ...]) -> Iterator[MissingFields]:
    listed = suggestions([work.suggestion for work in works])
    for work, fields in zip(works, listed, strict=True):
        place = None if work.place is None else place_fields(work.place)
        yield {**fields, "section": work.section or None, "place": place}


def _entry(entry: AuditedEntry) -> EntryFields:
    found = list(found_of(entry, verbose=False))
    place = entry.reference.place
    return {
        "key": entry.reference.key,
        "file": entry.file,
        "line": None if place is None else place.line,
        "title": entry.reference.paper.title,
        "kind": found[0][0] if found else entry.verdict,
        "certain": entry.certain,
        "says": [text for _, text, _ in found],
        "paper": None if entry.paper is None else entry.paper.id,
    }


def _key(one: KeyRemark) -> EntryFields:
    return {
        "key": one.key,
        "file": None if one.place is None else one.place.file,
        "line": None if one.place is None else one.place.line,
        "title": "",
        "kind": one.kind,
        "certain": True,
        "says": [],
        "paper": None,
    }
