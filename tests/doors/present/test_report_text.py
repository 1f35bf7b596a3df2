"""The report for reviewers on a terminal: short, the worst first, within its lines."""

from __future__ import annotations

from dataclasses import replace

from citewhy.answers.audit import Audit, AuditedEntry, KeyRemark
from citewhy.answers.missing import MissingWork, MissingWorks
from citewhy.answers.report import Counts, ReviewReport, report
from citewhy.base.records import (
    Advice,
    DraftSentence,
    Manuscript,
    Paper,
    Paragraph,
    Place,
    Reason,
    Reference,
    Suggestion,
)
from citewhy.doors.present import report_html, report_text
from citewhy.doors.present.lines import Look

TITLE = "A Very Long Title about Words, Trees, Charts, Graphs, Beams and All That There Is to Parse in a Year"


def suggestion(name: str, *reasons: str) -> Suggestion:
    paper = Paper(name, TITLE, authors=("Ann Lee", "Bo Li"), year=2001)
    return Suggestion(paper, 1.0, tuple(Reason("kind", text) for text in reasons), key=name)


WORKS = MissingWorks(
    (
        MissingWork(suggestion("lee", "cited by 7 of your references", "close in meaning to your text")),
        MissingWork(suggestion("li", "cited together with 2 of your references"), section="Method"),
        MissingWork(suggestion("mo", "introduces the name X"), place=Place("a.md", 5, 9, 3)),
    ),
    2006,
    8,
    9,
    ("Method",),
)
DRAFT = Manuscript("a.md", "markdown")
ENTRY = AuditedEntry(
    "impossible",
    reasons=("the year 2999 is to come",),
    reference=Reference("wrong", Paper("wrong", TITLE), Place("refs.bib", 0, 9, 7)),
    file="refs.bib",
)
KNOWN = AuditedEntry("known", reference=Reference("good", Paper("good", TITLE)), file="refs.bib")
AUDIT = Audit("lib", ("a.md",), (KNOWN, ENTRY), (KeyRemark("undefined", "gone"), KeyRemark("unused", "old")))
CLAIM = Advice(
    DraftSentence("Many studies say so.", Place("a.md", 20, 40, 9)), Paragraph((), "Method"), 0.8, (), ()
)


def whole(budget: int = 20) -> ReviewReport:
    return report(DRAFT, AUDIT, WORKS, [CLAIM], budget)


def test_the_works_for_the_whole_come_before_those_of_sections() -> None:
    lines = report_text.missing(DRAFT, WORKS).splitlines()
    assert lines[:2] == [
        "a.md: 3 works to consider as of 2006. The library has 8 of the 9 works that it",
        "cites.",
    ]
    numbered = [line.split()[0] for line in lines if line[:3].strip().rstrip(".").isdigit()]
    assert numbered == ["1.", "3.", "2."]
    assert "For “Method”" in lines
    assert "    – a.md:3; introduces the name X" in lines


def test_no_line_is_longer_than_the_terminal() -> None:
    for look in (Look(), Look(verbose=True), Look(width=60)):
        for text in (report_text.report(whole(), look), report_text.missing(DRAFT, WORKS, look)):
            assert max(map(len, text.splitlines())) <= look.width


def test_the_worst_comes_first() -> None:
    """Keys without an entry, then entries, works, and sentences. What is known, and what is never cited, is
    no remark of a report."""
    text = report_text.report(whole())
    places = [text.index(part) for part in ("gone", "wrong", "Works to consider", "Many studies")]
    assert places == sorted(places)
    assert "good" not in text
    assert "old" not in text


def test_what_the_budget_leaves_out_is_counted() -> None:
    short = whole(3)
    assert (len(short.keys), len(short.entries), len(short.missing.works), len(short.uncited)) == (1, 1, 1, 0)
    assert short.found == Counts(2, 3, 1)
    assert report_text.report(short).endswith("3 more remarks: --budget 6 shows all.")


def test_a_draft_that_lacks_nothing() -> None:
    nothing = MissingWorks((), None, 0, 0, ())
    assert report_text.missing(DRAFT, nothing) == "a.md: no work to consider. It cites no work by a key."


def test_the_page_has_all_of_it_and_nothing_of_it_is_code() -> None:
    """Whatever the draft says is escaped."""
    bad = replace(DRAFT, title="<script>")
    text = report_html.page(replace(whole(), manuscript=bad))
    for part in ("gone", "wrong", "cited by 7 of your references", "Many studies say so.", "For “Method”"):
        assert part in text
    assert "<script>" not in text + report_html.missing_page(bad, WORKS)
