"""Works that a finished draft should consider: which, in which order, and which are left out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from small_library import cites, make, paper

from citewhy.answers.missing import MissingWorks, _is_named, _is_surely
from citewhy.answers.report import report_budget
from citewhy.base.records import Manuscript, Paper
from citewhy.drafts import read_files
from citewhy.ranking.missing import considering
from citewhy.ranking.missing.evidence import EVIDENCE
from citewhy.session.session import Session

PAPERS = [
    paper("known", "Charts for Parsing Trees", "Charts parse trees.", 2000, authors=("Ann Lee",)),
    paper("graphs", "Charts for Parsing Graphs", "Charts parse graphs.", 2001, authors=("Bo Li",)),
    paper("root", "Charts from the Beginning", "Charts were introduced.", 1995, authors=("Cy Mo",)),
    paper("root2", "Charts from the Beginnings", "Charts were introduced.", 1996, authors=("Cy Mo",)),
    paper("beams", "Beams for Parsing", "Beams parse trees faster than charts.", 2002, authors=("Ed Ng",)),
    paper("survey", "A Survey of Parsing with Charts", "Charts, beams, trees.", 2004, authors=("Flo Oh",)),
    paper("later", "Charts and Trees, Once Again", "Charts parse trees again.", 2009, authors=("Gil Po",)),
    paper("mine", "Trees and Charts in Words", "Words parse trees.", 2003, authors=("Di Own",)),
    paper("version", "Charts for Parsing of Trees", "Charts parse trees.", 2001, authors=("A. Lee",)),
    paper("printed", "Charts in Print", "Charts of trees are printed.", 2002, authors=("Hy Quist",)),
    paper("tool", "TreeKit: A Toolkit for Trees", "TreeKit has tools.", 1999, authors=("Io Ray",)),
    paper("user1", "Words with TreeKit", "We use TreeKit for words.", 2001, authors=("Jo Say",)),
    paper("user2", "Verbs with TreeKit", "We use TreeKit for verbs.", 2002, authors=("Ka To",)),
]
CITATIONS = cites("known root", "graphs root", "known root2", "survey known", "survey graphs", "survey beams")

DRAFT = """\
---
title: Charts, Trees and Graphs
author: Di Own
date: 2006
bibliography: refs.bib
---

# Introduction

Charts parse trees [@lee2000] and graphs [@li2001]. Others print them (Quist, 2002).
We use TreeKit for all trees. The trees of TreeKit are large. Beams parse trees faster than charts do.
Nobody has parsed all the trees yet.
"""
BIB = """\
@article{lee2000, title={Charts for Parsing Trees}, author={Lee, Ann}, year={2000}}
@article{li2001, title={Charts for Parsing Graphs}, author={Li, Bo}, year={2001}}
@article{unused, title={Verbs with TreeKit}, author={To, Ka}, year={2002}}
"""


class Sure:
    """Finds every work as probable as the rank says, and proposes those of one half and more."""

    name, threshold = "sure", 0.5

    def probabilities(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        ranks = table[:, EVIDENCE.index("rank")].astype(np.float64)
        chances: NDArray[np.float64] = 0.5 + ranks / 4
        return chances


class Unsure(Sure):
    """Proposes nothing."""

    threshold = 1.0


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("missing") / "library"
    make(folder, [*PAPERS, *CITATIONS]).close()
    with pytest.MonkeyPatch.context() as patched, Session(folder) as opened:
        patched.setenv("CITEWHY_CACHE", str(folder.parent / "cache"))
        patched.setattr(considering, "default_missing_model", Sure)
        yield opened


def draft(text: str = DRAFT, bib: str = BIB) -> Manuscript:
    return read_files({"a.md": text, "refs.bib": bib}, "a.md")


def ids(found: MissingWorks) -> list[str]:
    return [work.suggestion.paper.id for work in found.works]


def test_what_is_left_out(session: Session) -> None:
    """What it cites, also in another version or in print; own works; what is later than the draft; and of two
    versions of a work, one."""
    found = ids(session.missing(draft()))
    assert not {"known", "graphs", "version", "printed", "mine", "later"} & set(found)
    assert len({"root", "root2"} & set(found)) == 1
    assert {"beams", "survey"} <= set(found)


def test_a_later_year_has_later_works(session: Session) -> None:
    assert "later" in ids(session.missing(draft(), year=2010))
    assert session.missing(draft()).year == 2006


def test_the_introducer_of_a_name(session: Session) -> None:
    """TreeKit is used in two sentences and cited in none."""
    (work,) = [work for work in session.missing(draft()).works if work.suggestion.paper.id == "tool"]
    assert work.suggestion.reasons[0].text == "introduces the name TreeKit, which you use in 2 sentences"
    assert work.place is not None
    assert work.place.line == 11


@pytest.mark.parametrize(
    "changed",
    [
        DRAFT.replace("We use TreeKit", "We use TreeKit [@li2001]"),
        DRAFT.replace(
            "We use TreeKit", "TreeKit has all of the trees that there are, so we use TreeKit [@li2001]"
        ),
        DRAFT.replace("The trees of TreeKit", "The trees of it"),
        DRAFT.replace("Charts, Trees and Graphs", "TreeKit: Charts and Trees"),
    ],
    ids=["cited", "cited at its second use", "used once", "its own"],
)
def test_names_that_need_no_introduction(session: Session, changed: str) -> None:
    """A name that a citation follows, one that is used once, and one that the draft introduces."""
    reasons = [one.kind for work in session.missing(draft(changed)).works for one in work.suggestion.reasons]
    assert "introduces" not in reasons


def test_a_citation_of_a_name_that_contains_it(session: Session) -> None:
    """It is not one of TreeKit."""
    text = DRAFT.replace("We use TreeKit", "SuperTreeKit [@li2001] has more of the trees; we use TreeKit")
    assert "tool" in ids(session.missing(draft(text)))


def test_entries_that_are_not_cited_may_be_missing(session: Session) -> None:
    """They are in the bibliography already, and keep their key."""
    (work,) = [
        work for work in session.missing(draft()).works if work.suggestion.paper.title.startswith("Verbs")
    ]
    assert (work.suggestion.key, work.suggestion.in_bibliography) == ("unused", True)


def test_works_of_the_bibliography_alone_or_others(session: Session) -> None:
    every = session.missing(draft()).works
    mine = ids(session.missing(draft(), only="mine"))
    assert mine == [one.suggestion.paper.id for one in every if one.suggestion.in_bibliography]
    new = ids(session.missing(draft(), only="new", budget=2))
    assert new == [one.suggestion.paper.id for one in every if not one.suggestion.in_bibliography][:2]


def test_every_work_says_why_and_has_a_key(session: Session) -> None:
    for work in session.missing(draft()).works:
        assert work.suggestion.reasons
        assert work.suggestion.key


def test_the_budget_keeps_the_most_probable(session: Session) -> None:
    every = ids(session.missing(draft()))
    assert ids(session.missing(draft(), budget=2)) == every[:2]
    assert ids(session.missing(draft(), budget=0)) == []


def test_the_set_ends_by_itself(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below the threshold of the model nothing is proposed but what a name stands for."""
    monkeypatch.setattr(considering, "default_missing_model", Unsure)
    assert ids(session.missing(draft())) == ["tool"]


def test_sections_are_asked_for_by_themselves(session: Session) -> None:
    """A section of six sentences or more is; its works are named with it, if the whole has them not."""
    found = session.missing(draft())
    assert found.sections == ("Introduction",)
    assert {work.section for work in found.works} <= {"", "Introduction"}


def test_what_the_library_has_of_the_references(session: Session) -> None:
    found = session.missing(draft())
    assert (found.cited, found.references) == (2, 2)


def test_a_draft_without_anything(session: Session) -> None:
    assert session.missing(read_files({"a.md": ""}, "a.md")).cited == 0


def test_the_report_shares_one_budget(session: Session) -> None:
    """What is certain comes before all, then one of each in turn."""
    wrong = draft(DRAFT.replace("[@li2001]", "[@li2001; @gone]"), BIB.replace("year={2001}", "year={2099}"))
    whole = session.report(wrong, budget=50)
    assert (len(whole.keys), [one.verdict for one in whole.entries]) == (1, ["impossible"])
    assert whole.shown == whole.found.total
    short = session.report(wrong, budget=3)
    assert (len(short.keys), len(short.entries), len(short.missing.works)) == (1, 1, 1)
    assert short.shown == 3
    assert short.found == whole.found


def test_keys_leave_room_for_what_was_retracted(session: Session) -> None:
    """A draft that is still written has many keys without an entry."""
    keys = "; ".join(f"@gone{number}" for number in range(12))
    wrong = draft(DRAFT.replace("[@li2001]", f"[@li2001; {keys}]"), BIB.replace("{Charts for Parsing Graphs}",
                  "{RETRACTED: Charts for Parsing Graphs}"))  # fmt: skip
    report = session.report(wrong, budget=6)
    assert [one.reference.key for one in report.entries] == ["li2001"]
    assert len(report.keys) >= 2
    assert report.shown == 6


def test_only_others_are_not_cut_before_they_are_chosen(session: Session) -> None:
    """A budget counts what is admitted."""
    others = ids(session.missing(draft(), only="new"))
    assert "user2" not in others
    assert ids(session.missing(draft(), only="new", budget=len(others))) == others
    assert set(ids(session.missing(draft(), only="mine"))) <= {"user2"}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Yu Wang", "Yan Wang", False),
        ("Wei Zhang", "Ivan Zhang", False),
        ("Y. Wang", "Yu Wang", True),
        ("Dan Roe", "Daniel Roe", True),
        ("Jo\ufffdo Silva", "Ann Lee", False),
        ("Jürgen Müller", "Jurgen Mueller", True),
    ],
)
def test_whose_work_it_surely_is(one: str, other: str, same: bool) -> None:
    assert _is_surely(one, other) is same


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("linear models were revived in 2015", False),
        ("as li (2015) says", True),
        ("as li and wu, 2015, say", True),
        ("li wrote 20150 lines", False),
        ("li has much to say of all of this, and not before 2015", False),
    ],
)
def test_a_work_that_is_named_with_its_year(text: str, named: bool) -> None:
    assert _is_named(text, Paper("a", "A", authors=("Bo Li",), year=2015)) is named


def test_reports_of_longer_drafts_have_a_larger_budget() -> None:
    """A remark for twelve sentences, at least ten, at most sixty."""
    text = "All of it is true. "
    assert [report_budget(draft(text * n)) for n in (10, 240, 3000)] == [10, 20, 60]
