"""Relevance feedback, by hand."""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from pathlib import Path

import numpy as np
import pytest
from small_library import make, paper, unsynced

from citewhy.papers.library.store import Library
from citewhy.search.index import Hits, open_index
from citewhy.search.index.fields import BM25
from citewhy.search.retrieve.scoped import feedback_terms
from citewhy.search.rules import Scope

PLAIN = BM25(k1=1.2, b=0.75)


def idf(documents: int, having: int) -> float:
    return log(1 + (documents - having + 0.5) / (having + 0.5))


def terms_of(library: Library, scores: Mapping[str, float]) -> dict[str, float]:
    """Feedback from papers with these scores."""
    numbers = library.numbers(scores)
    rows = np.array([numbers[name] for name in scores], dtype=np.int64)
    hits = Hits(rows, np.array([*scores.values()], dtype=np.float32))
    return feedback_terms(open_index(library).view(Scope()), hits, PLAIN)


def test_feedback_by_hand(tmp_path: Path) -> None:
    """Words are weighed by share of the papers' scores times f / (f + norm), chosen with idf as well."""
    papers = [paper("a", "tree bank", "tree"), paper("b", "bank word"), paper("c", "zebra horse stripe")]
    with unsynced(), make(tmp_path, papers) as library:
        terms = terms_of(library, {"a": 3.0, "b": 1.0})
        assert terms_of(library, {"b": 1.0, "a": 3.0}) == terms, "whichever comes first"
    long, short = 1.2 * (0.25 + 0.75 * 3 / (8 / 3)), 1.2 * (0.25 + 0.75 * 2 / (8 / 3))
    tree = 10 * 0.75 * 2 / (2 + long)
    bank = 10 * (0.75 / (1 + long) + 0.25 / (1 + short))
    word = 10 * 0.25 / (1 + short)
    assert terms == pytest.approx({"tree": tree, "bank": bank, "word": word})
    value = {"tree": tree * idf(3, 1), "bank": bank * idf(3, 2), "word": word * idf(3, 1)}
    assert list(terms) == sorted(value, key=lambda term: -value[term])


def test_feedback_keeps_the_best_words(tmp_path: Path) -> None:
    """Thirty words are kept; where the last places are tied, the first in the alphabet are."""
    names = [f"word{place:02}" for place in range(50)]
    with unsynced(), make(tmp_path, [paper("a", " ".join(reversed(names))), paper("b", "zebra")]) as library:
        terms = terms_of(library, {"a": 1.0})
    assert list(terms) == names[:30]
    assert len(set(terms.values())) == 1


def test_no_papers_no_words(tmp_path: Path) -> None:
    """Where nothing looks good so far, nothing is learned from it."""
    with unsynced(), make(tmp_path, [paper("a", "tree")]) as library:
        assert terms_of(library, {}) == {}
