"""Sentences that cite and sentences that do not, from full texts and drafts."""

from __future__ import annotations

import re

from citewhy.base.records import FullText, Sentence
from citewhy.drafts import read_files
from citewhy_lab.evaluate.datasets.needs import of_draft, of_full_text, sample


def full_text(*texts: str, section: str = "Introduction") -> FullText:
    return FullText("P1", tuple(Sentence(number, section, text) for number, text in enumerate(texts)))


def test_citing_sentences_lose_their_citations() -> None:
    """A sentence that does not read without its citation is neither: nobody knows its author's words."""
    found = list(
        of_full_text(
            full_text(
                "Parsers of all kinds have been studied for years (Lee, 1999).",
                "The parser reads a sentence from left to right.",
                "Lee (1999) reads a sentence from right to left.",
            )
        )
    )
    assert [(each.sentence.text, each.cites, each.number) for each in found] == [
        ("Parsers of all kinds have been studied for years.", True, 0),
        ("The parser reads a sentence from left to right.", False, 1),
    ]
    assert found[1].sentence.position == 1 / 3
    around = found[1].sentence
    assert around.previous == "Parsers of all kinds have been studied for years [1]."
    assert around.next == "[1] reads a sentence from right to left."


def test_what_a_review_passes_over_is_judged_and_marked() -> None:
    (found,) = of_full_text(full_text("We show that parsers are slow (Lee, 1999)."))
    assert found.cites
    assert found.silent
    assert list(of_full_text(full_text("Parsers of all kinds were slow.", section="Abstract"))) == []


def test_drafts_are_read_without_their_markers() -> None:
    draft = (
        "## One\n\nParsers of all kinds have been studied [@lee]. They are all slow, as shown by [@lee].\n"
    )
    found = list(of_draft(read_files({"a.md": draft}, None), "author"))
    assert [(each.sentence.text, each.cites, each.group) for each in found] == [
        ("Parsers of all kinds have been studied.", True, "author")
    ]


def test_a_sample_keeps_the_order_and_depends_on_the_seed_alone() -> None:
    every = list(of_full_text(full_text(*(f"The parser number {n} is the best of all." for n in range(50)))))
    drawn = sample(every, 10, 7)
    assert drawn == sample(every, 10, 7) != sample(every, 10, 8)
    assert [each.number for each in drawn] == sorted(each.number for each in drawn)
    assert sample(every, 50, 7) == every


def test_papers_and_drafts_tell_the_same() -> None:
    """The same text as a printed paper and as a draft: a sentence has the same surroundings, and whether it
    cites itself changes nothing."""
    cited = [f"The MARS system number {n} was studied for years [{n}]." for n in range(1, 8)]
    plain = "The MARS system reads every sentence from left to right."
    printed = list(of_full_text(full_text(*cited, plain)))
    markdown = " ".join(re.sub(r"\[(\d)\]", r"[@k\1]", each) for each in [*cited, plain])
    drafted = list(of_draft(read_files({"a.md": f"## Introduction\n\n{markdown}\n"}, None), "author"))
    assert [each.sentence.surroundings for each in printed] == [
        each.sentence.surroundings for each in drafted
    ]
    last, as_if_cited = printed[-1], list(of_full_text(full_text(*cited, f"{plain[:-1]} [9].")))[-1]
    assert last.sentence.surroundings is not None
    assert last.sentence.surroundings.cited_names == 1
    assert (last.cites, as_if_cited.cites) == (False, True)
    assert last.sentence == as_if_cited.sentence
