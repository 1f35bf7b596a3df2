"""What speaks for a sentence, on a paper small enough to count by hand."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from citewhy.base.records import FullText, Sentence
from citewhy.ranking.linkage.commonness import Commonness
from citewhy.ranking.linkage.features import FEATURES, shared_words, table
from citewhy.ranking.linkage.view import FIXED, PaperView, grams
from citewhy.text.cues import CUES, cues
from citewhy.text.sections import section_kind

TEXT = FullText(
    "zoo",
    (
        Sentence(0, "title", "Zebras of the plains"),
        Sentence(1, "abstract", "We present herds of zebras."),
        Sentence(2, "1 Introduction", "Lions hunt zebras at night near 12 lakes."),
        Sentence(3, "1 Introduction", "The WWF counts lions."),
        Sentence(4, "2 Method", ""),
    ),
)
COMMON = Commonness(1000, {"zebra": 10, "lion": 100})


def column(name: str, citance: str) -> list[float]:
    rows = table(citance, PaperView.of(TEXT, COMMON), COMMON)
    return [round(float(value), 4) for value in rows[:, FEATURES.index(name)]]


def test_columns() -> None:
    """A row for each sentence, also an empty one; every number is finite, whatever is asked."""
    view = PaperView.of(TEXT, COMMON)
    for citance in ("", "Lions hunt (Smith, 2001).", "№ … 42", "zebras " * 200):
        rows = table(citance, view, COMMON)
        assert rows.shape == (5, len(FEATURES))
        assert np.isfinite(rows).all()
    assert len(set(FEATURES)) == len(FEATURES)
    assert FEATURES[: len(FIXED)] == FIXED


def test_overlaps() -> None:
    """Words count once; what the whole field says weighs less than what is rare; markers are no words."""
    asked = "Lions and zebras and zebras sleep (Zebra and Lion, 2001)."
    assert column("shared", asked) == [1, 1, 2, 1, 0]
    # asked: lion, zebra, sleep; the third sentence has: lion, hunt, zebra, night, near, 12, lake
    assert column("jaccard", asked)[2] == round(2 / (3 + 7 - 2), 4)
    zebra, lion = COMMON.idf("zebra"), COMMON.idf("lion")
    assert zebra == pytest.approx(log(1 + 990.5 / 10.5))
    assert column("idf", asked) == [round(each, 4) for each in (zebra, zebra, zebra + lion, lion, 0)]
    assert column("idf_of_best", asked)[2] == 1
    assert column("rarest", asked)[3] == round(lion, 4)
    assert column("beyond_title", asked) == [0, 0, round(lion, 4), round(lion, 4), 0]


def test_order_numbers_and_names() -> None:
    """Pairs of neighbouring words, numbers and abbreviations count where they are the same, whole."""
    assert column("pairs", "Lions hunt zebras") == [0, 0, 2, 0, 0]
    assert column("numbers", "There are 12 lakes and 1 sea.") == [0, 0, 1, 0, 0]
    assert column("capitals", "Counted by the WWF and the WW.") == [0, 0, 0, 1, 0]


def test_near_a_marker() -> None:
    """A word counts e times less for every eight words between it and the nearest citation."""
    near, far = column("near_marker", "Lions OTHERCIT x x x x x x x zebras"), COMMON.idf("zebra")
    assert near[3] == round(COMMON.idf("lion") * float(np.exp(-1 / 8)), 4)
    assert near[0] == round(far * float(np.exp(-8 / 8)), 4)
    assert column("near_marker", "zebras")[0] == round(far * float(np.exp(-10 / 8)), 4)


def test_around() -> None:
    """Sentences around lend their overlap; beyond the ends of a paper there is none."""
    lion = COMMON.idf("lion")
    assert column("idf", "lions") == [0, 0, round(lion, 4), round(lion, 4), 0]
    assert column("idf_before", "lions") == [0, 0, 0, round(lion, 4), round(lion, 4)]
    assert column("idf_after", "lions") == [0, round(lion, 4), round(lion, 4), 0, 0]
    assert column("idf_within_1", "lions") == [round(each * lion / 3, 4) for each in (0, 1, 2, 2, 1)]
    assert column("idf_best_near", "lions") == [round(lion, 4)] * 5


def test_place() -> None:
    """Where a sentence stands, from the beginning of the paper and of its section."""
    assert column("position", "x") == [0, 0.25, 0.5, 0.75, 1]
    assert column("section_start", "x") == [0, 0, 0, round(log(2), 4), 0]
    assert column("in_title", "x") == [1, 0, 0, 0, 0]
    assert column("in_introduction", "x") == [0, 0, 1, 1, 0]
    assert column("in_method", "x") == [0, 0, 0, 0, 1]


def test_letters_meet_where_words_do_not() -> None:
    """Spelling that a scan broke still meets: runs of four characters, case and hyphens aside."""
    assert column("shared", "intro-ductions")[2] == 0
    scores = column("letters", "HUNTERS hunted")
    assert scores[2] == max(scores) > 0
    where = grams(["ab", "A b!"])[1]
    assert where.tolist() == [0, 1, 1], "' ab ' is one run; ' a b ' are two"


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Abstract", "abstract"),
        ("1 Introduction.", "introduction"),
        ("Experimental data", "results"),
        ("Acknowledgements", "end"),
        ("Zebras", "other"),
        ("", "other"),
    ],
)
def test_sections(heading: str, kind: str) -> None:
    """A heading tells what its section is for; the first sentence is the title under any heading."""
    assert section_kind(heading, 3) == kind
    assert section_kind(heading, 0) == "title"


def test_cues() -> None:
    """Words and pairs of words that say what a sentence does, counted three times at most."""
    said = dict(
        zip(
            CUES,
            cues("In this paper we propose, and we show, that our our our zebra is a horse."),
            strict=True,
        )
    )
    assert said == {"we": 3, "paper": 1, "propose": 1, "show": 1, "use": 0, "is": 1, "pointer": 0, "but": 0}


def test_shared_words() -> None:
    """Different index terms in common: function words and cited names are none."""
    view = PaperView.of(TEXT, COMMON)
    assert shared_words("The zebras of the lions (Wwf, 2001) at zebras", view).tolist() == [1, 1, 2, 1, 0]
