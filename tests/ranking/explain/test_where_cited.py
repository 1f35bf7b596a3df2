"""Where the draft cites a paper, as a reason."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from advising import advise
from hash_encoder import HashEncoder
from small_library import make, paper, unsynced
from small_ranker import small_model

from citewhy.drafts import read_files
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.recommender import Recommender

ENTRIES = "@book{bleu, title = {Counting n-grams}}\n@book{phrases, title = {Longer phrases}}\n"
INTRO = r"\citet{bleu} counts n-grams, as \citet{phrases} does."
ASKED = r"Scores count n-grams \cite{}."


@pytest.fixture(scope="module")
def recommender(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recommender]:
    records = [paper("bleu", "Counting n-grams"), paper("phrases", "Longer phrases"), paper("c", "Kernels")]
    with unsynced(), make(tmp_path_factory.mktemp("library"), records) as library:
        yield Recommender(library, "full", models=ModelSet(encoder=HashEncoder(), ranker=small_model()))


def told(recommender: Recommender, files: dict[str, str]) -> str:
    """The reason that the draft cites the paper elsewhere."""
    (found,) = advise(recommender, read_files({**files, "r.bib": ENTRIES}, "root.tex"), 3)
    reasons = next(each.reasons for each in found.suggestions if each.paper.id == "bleu")
    return next(each.text for each in reasons if each.kind == "own-citation")


def test_in_a_single_file(recommender: Recommender) -> None:
    """Its line; the sentence is quoted with its citations, without which it would have no subject."""
    root = f"\\begin{{document}}\n{INTRO}\n\n{ASKED}\n\\bibliography{{r}}\\end{{document}}"
    where = "you cite it in line 2: “[…] counts n-grams, as […] does.”"
    assert told(recommender, {"root.tex": root}) == where


def test_in_a_draft_of_several_files(recommender: Recommender) -> None:
    """A line alone leads nowhere there: the file is named."""
    root = f"\\begin{{document}}\n\\input{{parts/intro}}\n\n{ASKED}\n\\bibliography{{r}}\\end{{document}}"
    where = "you cite it in line 1 of intro.tex: “[…] counts n-grams, as […] does.”"
    assert told(recommender, {"root.tex": root, "parts/intro.tex": INTRO}) == where
