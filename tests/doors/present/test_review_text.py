"""A review as a person reads it."""

from __future__ import annotations

from dataclasses import replace

from citewhy.base.records import (
    Advice,
    DraftSentence,
    Manuscript,
    Paper,
    Paragraph,
    Place,
    Reason,
    Suggestion,
)
from citewhy.doors.present.lines import Look
from citewhy.doors.present.review_text import review

MANUSCRIPT = Manuscript("draft.md", "markdown")


def remark(text: str, section: str, line: int, chance: float) -> Advice:
    sentence = DraftSentence(text, Place("folder/draft.md", 0, len(text), line))
    reasons = tuple(Reason(kind, f"why {kind}") for kind in ("one", "two", "three"))
    return Advice(sentence, Paragraph((sentence,), section), chance, reasons)


def test_remarks_stand_by_section() -> None:
    """The section of the most certain remark comes first; numbers are those of the whole draft."""
    remarks = [remark("A.", "Method", 9, 0.9), remark("B.", "Start", 2, 0.8), remark("C.", "Method", 7, 0.5)]
    assert review(MANUSCRIPT, remarks).splitlines() == [
        "draft.md: 3 sentences without a citation that probably need one, numbered from",
        "the surest",
        "",
        "Method",
        "",
        *lines(1, 9, 90, "A."),
        "",
        *lines(3, 7, 50, "C."),
        "",
        "Start",
        "",
        *lines(2, 2, 80, "B."),
    ]


def lines(number: int, line: int, chance: int, text: str) -> list[str]:
    return [
        f" {number}. folder/draft.md:{line}, {chance}% sure",
        f"    “{text}”",
        "    – why one; why two; why three",
        "   Nothing in the library fits well.",
    ]


def test_nothing_to_remark_on() -> None:
    said = " ".join(review(MANUSCRIPT, []).split())
    assert said.startswith(
        "draft.md: no sentence without a citation seems to need one. Looked for were sentences"
    )
    assert said.endswith("the abstract, acknowledgements, captions, and what the text says of itself.")


def test_lines_fit_the_terminal() -> None:
    remarks = [remark(f"{'word ' * 60}\x1b[31m", "A heading of a section", 1234, 0.7)]
    text = review(MANUSCRIPT, remarks)
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "\x1b" not in text


def test_in_short_and_in_full() -> None:
    """A paper is a line; how often such sentences cite stands beside the place alone. The verbose look has
    the whole sentence, each reason in a line, and those of the paper."""
    reasons = (Reason("figures", "states figures"), Reason("similar", "in published papers, 70% cite"))
    paper = Suggestion(
        Paper("lee2001", "A Title", authors=("Ann Lee",), year=2001), 1.0, reasons[:1], key="k"
    )
    one = replace(remark("word " * 90, "Part", 3, 0.7), reasons=reasons, suggestions=(paper,))
    short = review(MANUSCRIPT, [one]).splitlines()[4:]
    assert short[0] == " 1. folder/draft.md:3, 70% sure"
    assert short[-2:] == ["    – states figures", "    1  1.00  k  Lee 2001: A Title"]
    assert len(short) == 5
    full = review(MANUSCRIPT, [one], Look(verbose=True))
    assert full.count("word") == 90
    assert "    – in published papers, 70% cite\n" in full
