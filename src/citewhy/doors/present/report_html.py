"""The report for reviewers as one page of HTML: without scripts and files beside it."""

from __future__ import annotations

from collections.abc import Iterator

from citewhy.answers.audit import AuditedEntry
from citewhy.answers.missing import MissingWork, MissingWorks
from citewhy.answers.report import ReviewReport
from citewhy.base.records import Advice, Manuscript
from citewhy.doors.present.as_text import authors
from citewhy.doors.present.audit_html import entry_html, page_of, text
from citewhy.doors.present.audit_text import OF_KEYS
from citewhy.doors.present.lines import from_here, located
from citewhy.doors.present.report_text import summary, what_is_known


def page(report: ReviewReport) -> str:
    """The whole report: entries, works, and sentences."""
    return page_of(f"Review of {_name(report.manuscript)}", _parts(report))


def missing_page(manuscript: Manuscript, missing: MissingWorks) -> str:
    """The works that a draft should consider."""
    head = f'<p class="faint">{text(what_is_known(missing))}</p>'
    return page_of(f"Works that {_name(manuscript)} should consider", [head, *_works(missing)])


def _name(manuscript: Manuscript) -> str:
    return manuscript.title or from_here(manuscript.path)


def _parts(report: ReviewReport) -> Iterator[str]:
    yield f'<p class="faint">{text(summary(report))}</p>'
    if report.keys or report.entries:
        yield "<h2>Entries to correct or to look at</h2>"
        if report.keys:
            keys = (f"<li><code>{text(one.key)}</code> {OF_KEYS[one.kind]}</li>" for one in report.keys)
            yield f"<ul>{''.join(keys)}</ul>"
        yield from _entries(report.entries)
    if report.missing.works:
        yield "<h2>Works to consider</h2>"
        yield from _works(report.missing)
    if report.uncited:
        yield "<h2>Sentences that may need a citation</h2>"
        yield from map(_claim, report.uncited)


def _entries(entries: tuple[AuditedEntry, ...]) -> Iterator[str]:
    for entry in entries:
        yield from entry_html(entry)


def _works(missing: MissingWorks) -> Iterator[str]:
    for section in sorted(dict.fromkeys(work.section for work in missing.works), key=bool):
        if section:
            yield f"<h3>For “{text(section)}”</h3>"
        yield from (_work(work) for work in missing.works if work.section == section)


def _work(work: MissingWork) -> str:
    one = work.suggestion
    about = ", ".join(filter(None, [authors(one.paper), one.paper.venue, str(one.paper.year or "")]))
    there = " in your bibliography" if one.in_bibliography else ""
    reasons = [located(work.place)] if work.place is not None else []
    lines = "".join(f"<li>{text(line)}</li>" for line in [*reasons, *(each.text for each in one.reasons)])
    return (
        f"<article><h3>{text(one.paper.title)}</h3><p><code>{text(one.key or one.paper.id)}</code>{there}</p>"
        f'<p class="faint">{text(about)}</p><ul>{lines}</ul></article>'
    )


def _claim(remark: Advice) -> str:
    papers = "".join(
        f"<li><code>{text(one.key or one.paper.id)}</code> {text(one.paper.title)}</li>"
        for one in remark.suggestions
    )
    reasons = "; ".join(reason.text for reason in remark.reasons)
    return (
        f"<article><p><code>{text(located(remark.sentence.place))}</code> {remark.probability:.0%} sure</p>"
        f'<p>{text(remark.sentence.text)}</p><p class="faint">{text(reasons)}</p><ul>{papers}</ul></article>'
    )
