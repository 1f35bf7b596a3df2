"""The report for reviewers for a terminal: short, and the worst first."""

from __future__ import annotations

from collections.abc import Iterator

from citewhy.answers.audit import AuditedEntry
from citewhy.answers.missing import MissingWork, MissingWorks
from citewhy.answers.report import ReviewReport
from citewhy.base.records import Manuscript, Suggestion
from citewhy.doors.present.as_text import authors
from citewhy.doors.present.audit_json import found_of
from citewhy.doors.present.audit_text import NAMES, OF_KEYS
from citewhy.doors.present.lines import (
    PLAIN,
    Look,
    clean,
    from_here,
    located,
    shortened,
    styled,
    wrapped,
)
from citewhy.doors.present.review_text import in_sections
from citewhy.text.counted import counted, inflected

_INDENT = " " * 4
_REASONS = 3
"""Reasons of a work that are shown in short."""


def report(report: ReviewReport, look: Look = PLAIN) -> str:
    """What the audit found, works to consider, and sentences that lack a citation, after a summary."""
    lines = [*wrapped(summary(report), width=look.width), ""]
    if report.entries or report.keys:
        lines += [styled("Entries to correct or to look at", "strong", look), *_audit(report, look), ""]
    if report.missing.works:
        lines += [styled("Works to consider", "strong", look), *_works(report.missing, look), ""]
    if report.uncited:
        lines += [styled("Sentences that may need a citation", "strong", look), ""]
        lines += in_sections(report.uncited, look)
    return "\n".join([*lines, *wrapped(_not_shown(report), width=look.width)]).rstrip("\n")


def missing(manuscript: Manuscript, missing: MissingWorks, look: Look = PLAIN) -> str:
    """The works that a draft should consider, numbered, after a sentence that says what they rest on."""
    found = counted(len(missing.works), "work") if missing.works else "no work"
    head = (
        f"{clean(from_here(manuscript.path))}: {found} to consider{_as_of(missing)}. {what_is_known(missing)}"
    )
    return "\n".join([*wrapped(head, width=look.width), "", *_works(missing, look)]).rstrip("\n")


def summary(report: ReviewReport) -> str:
    """How much there is of each part."""
    found = report.found
    parts = [
        f"{counted(found.audit, 'entry', 'entries')} to look at",
        f"{counted(found.missing, 'work')} to consider{_as_of(report.missing)}",
        f"{counted(found.uncited, 'sentence')} that may need a citation",
    ]
    return f"{clean(from_here(report.manuscript.path))}: {', '.join(parts)}. {what_is_known(report.missing)}"


def _as_of(missing: MissingWorks) -> str:
    return "" if missing.year is None else f" as of {missing.year}"


def what_is_known(missing: MissingWorks) -> str:
    """Says how much of what the draft cites the library has, on which the works rest."""
    has = f"The library has {missing.references} of the {counted(missing.cited, 'work')} that it cites"
    return f"{has}." if missing.cited else "It cites no work by a key."


def _not_shown(report: ReviewReport) -> str:
    left = report.found.total - report.shown
    if not left:
        return ""
    return f"{left} more {inflected(left, 'remark', 'remarks')}: --budget {report.found.total} shows all."


def _works(missing: MissingWorks, look: Look) -> Iterator[str]:
    """The works for the whole draft, then those that were found for a section alone."""
    sections = dict.fromkeys(work.section for work in missing.works)
    numbers = {id(work): number for number, work in enumerate(missing.works, 1)}
    for section in sorted(sections, key=bool):
        if section:
            yield ""
            yield from wrapped(f"For “{section}”", width=look.width)
        for work in missing.works:
            if work.section == section:
                yield from _work(numbers[id(work)], work, look)


def _work(number: int, work: MissingWork, look: Look) -> Iterator[str]:
    one = work.suggestion
    room = look.width - len(_INDENT)
    title = one.paper.title if look.verbose else shortened(one.paper.title, room)
    first, *others = wrapped(title, f"{number:>2}. ", _INDENT, look.width)
    yield styled(first, "strong", look)
    yield from others
    yield f"{_INDENT}{shortened(_facts(one), room)}"
    where = [f"{located(work.place)}"] if work.place is not None else []
    reasons = [*where, *(reason.text for reason in one.reasons)]
    if look.verbose:
        for reason in reasons:
            yield from wrapped(reason, f"{_INDENT}– ", f"{_INDENT}  ", look.width)
    else:
        yield from wrapped(
            shortened("; ".join(reasons[:_REASONS]), 2 * room - 20),
            f"{_INDENT}– ",
            f"{_INDENT}  ",
            look.width,
        )


def _facts(one: Suggestion) -> str:
    """Its key or id, who wrote it, and when; whether the bibliography has it."""
    paper = one.paper
    there = "in your bibliography" if one.in_bibliography else ""
    facts = (clean(one.key or paper.id), there, str(paper.year or ""), authors(paper))
    return ", ".join(filter(None, facts))


def _audit(report: ReviewReport, look: Look) -> Iterator[str]:
    for one in report.keys:
        where = f"{located(one.place)} " if one.place is not None else ""
        yield from wrapped(f"{where}{clean(one.key)}: {OF_KEYS[one.kind]}", rest=_INDENT, width=look.width)
    for entry in report.entries:
        yield from _entry(entry, look)


def _entry(entry: AuditedEntry, look: Look) -> Iterator[str]:
    place = entry.reference.place
    where = clean(from_here(entry.file)) + (f":{place.line}" if place else "")
    yield f"{styled(where, 'key', look)} {clean(entry.reference.key)}"
    for kind, text, certain in found_of(entry, verbose=look.verbose):
        sure = ", certain" if certain else ""
        said = f"{NAMES.get(kind, kind)}{sure}: {text}"
        said = said if look.verbose else shortened(said, 2 * look.width - 20)
        yield from wrapped(said, f"{_INDENT}– ", f"{_INDENT}  ", look.width)
