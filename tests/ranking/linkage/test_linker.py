"""The linker that ships, and what any linker keeps to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewhy.base.assets import linker_folder
from citewhy.base.errors import DamagedError
from citewhy.base.records import FullText, Sentence
from citewhy.models import read_model
from citewhy.models.trees import Forest
from citewhy.ranking.linkage import Link, default_linker, open_linker
from citewhy.ranking.linkage.commonness import Commonness
from citewhy.ranking.linkage.facets import FACETS
from citewhy.ranking.linkage.features import FEATURES
from citewhy.ranking.linkage.folder import write_linker
from citewhy.ranking.linkage.learned import LearnedLinker

WORDS = ["zebra", "lion", "herd", "the", "of", "(Smith, 2001)", "results", "é", "12", "TARGETCIT"]
sentences = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)


def text(*lines: str) -> FullText:
    rows = [Sentence(number, "title" if number == 0 else "1 Body", line) for number, line in enumerate(lines)]
    return FullText("zoo", tuple(rows))


def counting(margin: float = 0.0) -> LearnedLinker:
    """Scores a sentence by the words that it shares."""
    weights = np.zeros(len(FEATURES))
    weights[FEATURES.index("shared")] = 1.0
    return LearnedLinker(Commonness(0, {}), weights, Forest.of([]), margin)


@settings(max_examples=25, deadline=None)
@given(st.lists(sentences, min_size=1, max_size=4), st.lists(sentences, min_size=1, max_size=6))
def test_a_score_depends_on_nothing_else_that_is_asked(citances: list[str], lines: list[str]) -> None:
    """The scores for a citing sentence are the same to the last bit alone, in company, and again."""
    linker, paper = default_linker(), text(*lines)
    together = linker(citances, paper)
    assert together.shape == (len(citances), len(lines))
    assert np.isfinite(together).all()
    for row, citance in enumerate(citances):
        assert (linker([citance], paper)[0] == together[row]).all()
    assert (open_linker(linker_folder())(citances, paper) == together).all()


def test_no_sentences_and_no_citances() -> None:
    """Nothing asked, or nothing to ask: an empty table."""
    assert default_linker()(["a"], FullText("x", ())).shape == (1, 0)
    assert default_linker()([], text("Title", "Body")).shape == (0, 2)
    assert default_linker().links("a", FullText("x", ())) == []


def test_the_best_sentence() -> None:
    """Titles, and sentences without a common word, are no evidence; equal ones keep their order."""
    paper = text("Zebras and lions", "Horses.", "Zebras sleep.", "Zebras and lions sleep.", "Zebras.")
    found = counting().links("zebras, lions", paper, 5)
    assert found == [Link(3, 3, 3, 2.0, ""), Link(2, 2, 2, 1.0, ""), Link(4, 4, 4, 1.0, "")]
    assert counting().links("cows", paper) == []


def test_a_span() -> None:
    """Neighbours that score nearly as high belong to it, up to three, in one section, none twice."""
    paper = text("T", "Zebras lions.", "Zebras.", "Zebras.", "Zebras.", "Cows.", "Zebras.")
    assert [(each.first, each.last) for each in counting(1.0).links("zebras lions", paper, 3)] == [
        (1, 3),
        (4, 4),
        (6, 6),
    ]
    elsewhere = FullText("x", (*paper.sentences[:2], Sentence(2, "2 Other", "Zebras lions.")))
    assert [(each.first, each.last) for each in counting(1.0).links("zebras lions", elsewhere)] == [(1, 1)]


def test_the_linker_that_ships_finds_a_sentence() -> None:
    """A claim about one sentence of a paper leads to it, markers and all, and says what it is cited for."""
    paper = text(
        "Tagging with Markov models",
        "Part-of-speech tagging assigns a category to each word.",
        "We use a suffix tree to guess the tags of unknown words.",
        "The corpus has a million words.",
        "Accuracy is 96.7% on the Penn Treebank.",
    )
    linker = default_linker()
    asked = "Unknown words are tagged by their suffix, as in Brants (2000)."
    found = linker.links(asked, paper)[0]
    assert (found.best, found.facet in FACETS) == (2, True)
    assert linker.links("An accuracy of 96.7% was reported on the Penn Treebank [3].", paper)[0].best == 4


def test_the_asset() -> None:
    """It was made for the features of today, is small, and tells cross-fitted figures above the baselines."""
    model = read_model(linker_folder(), "linker")
    document = model.json("model.json")
    assert model.files["model.json"]["bytes"] < 1_000_000
    assert tuple(document["columns"]) == FEATURES
    assert set(document["linear"]) <= set(FEATURES)
    assert {"data", "seed", "software", "cross_fitted"} <= model.facts.keys()
    assert model.facts["cross_fitted"]["citances"]["RR"] > 0.33


@pytest.mark.parametrize(
    "change",
    [
        {"columns": ["a"]},
        {"linear": {"no feature": 1.0}},
        {"linear": {"shared": "one"}},
        {"trees": [[[0, 0.5, 0, 0, 0.0]]]},
        {"trees": [[[len(FEATURES), 0.5, 1, 2, 0.0], [-1, 0, 1, 1, 0.0], [-1, 0, 2, 2, 1.0]]]},
        {"common": {"size": 3, "counts": {"word": 4}}},
        {"facets": {"labels": list(FACETS), "bias": [0.0], "weights": []}},
        {"margin": None},
    ],
)
def test_documents_that_are_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    """What is no linker, or one of other features, is named with the way to make another."""
    document = read_model(linker_folder(), "linker").json("model.json")
    write_linker(tmp_path / "linker", "wrong", {**document, **change, "making": {}})
    with pytest.raises(DamagedError, match="train linkage"):
        open_linker(tmp_path / "linker")
