"""The best passage, worked out by hand, and beside a search of every window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewhy.search.index.bm25 import Field, idf
from citewhy.search.index.passages import WINDOW, best_passages
from citewhy.search.index.postings import PostingsBuilder

Documents = Sequence[Sequence[str]]


def field(documents: Documents, parts: int = 1) -> Field:
    """Documents by their place, spread over segments."""
    segments = []
    for part in range(parts):
        builder = PostingsBuilder()
        for number in range(part, len(documents), parts):
            builder.add(number, documents[number])
        segments.append(builder.build())
    return Field(segments, [None] * parts, len(documents))


def shares(field: Field, documents: Sequence[int], terms: Mapping[str, float]) -> list[float]:
    found: list[float] = best_passages(field, np.array(documents, dtype=np.int32), terms).tolist()
    return found


def test_words_that_stand_together_count_together() -> None:
    """The same words, far from each other, are two passages of one word each."""
    filler = ["other"] * WINDOW
    found = shares(
        field([["tree", "bank"], ["tree", *filler, "bank"], filler]), [0, 1, 2], {"tree": 1, "bank": 1}
    )
    assert found == pytest.approx([1.0, 0.5, 0.0])


def test_a_rare_word_weighs_more() -> None:
    """Two of three papers have `bank`, one has `tree`; each paper has one of them at most in a passage."""
    papers = field([["bank"], ["bank"], ["tree"]])
    tree, bank = idf(3, 1), idf(3, 2)
    assert shares(papers, [2, 0], {"tree": 1, "bank": 2}) == pytest.approx(
        [tree / (tree + 2 * bank), 2 * bank / (tree + 2 * bank)]
    )


def test_a_word_again_counts_once_in_a_passage() -> None:
    """A passage of one word over and over is about that word, no more than once."""
    papers = field([["tree"] * 40, ["bank"]])
    assert shares(papers, [0], {"tree": 1, "bank": 1}) == pytest.approx([0.5])


def test_a_passage_ends_with_its_paper() -> None:
    """Words of the next paper are not in it; an empty paper has none; a word that nobody has is missed."""
    papers = field([["tree"], ["bank"], []])
    assert shares(papers, [2, 1, 0], {"tree": 1, "bank": 1}) == pytest.approx([0.0, 0.5, 0.5])
    rarity, unknown = idf(3, 1), idf(3, 0)
    assert shares(papers, [1], {"tree": 1, "zebra": 1}) == pytest.approx([0.0])
    assert shares(papers, [0], {"tree": 1, "zebra": 1}) == pytest.approx([rarity / (rarity + unknown)])
    assert shares(papers, [0, 1], {}) == [0.0, 0.0]
    assert shares(papers, [], {"tree": 1}) == []


def test_a_word_again_is_met_where_it_is_again() -> None:
    """The window that ends with `bank` has `tree`, too, though a chain of `tree` leads there."""
    papers = field([["tree"] * (WINDOW + 1) + ["bank"], ["other"]])
    assert shares(papers, [0], {"tree": 1, "bank": 1}) == pytest.approx([1.0])


def test_papers_that_were_replaced() -> None:
    """A later version of a paper counts, not the one before."""
    builders = PostingsBuilder(), PostingsBuilder()
    builders[0].add(0, ["tree", "bank"])
    builders[0].add(1, ["other"])
    builders[1].add(0, ["tree"])
    replaced = Field([each.build() for each in builders], [np.array([False, True]), None], 2)
    assert shares(replaced, [0, 1], {"tree": 1, "other": 1}) == pytest.approx([0.5, 0.5])


words = st.sampled_from(["a", "a", "a", "b", "c", *(f"w{number}" for number in range(20))])
texts = st.lists(st.lists(words, max_size=60), min_size=1, max_size=4)


@given(texts, st.dictionaries(words, st.sampled_from([0.5, 1.0, 2.0]), min_size=1), st.integers(1, 3))
def test_it_is_the_best_of_all_windows(documents: Documents, terms: dict[str, float], parts: int) -> None:
    """In however many segments the papers are."""
    papers = field(documents, parts)
    having = papers.document_frequencies(list(terms))
    worth = {
        term: weight * idf(papers.size, count)
        for (term, weight), count in zip(terms.items(), having, strict=True)
    }
    for text, found in zip(documents, shares(papers, range(len(documents)), terms), strict=True):
        windows = [text[first : first + WINDOW] for first in range(len(text))]
        sums = [sum(worth.get(term, 0.0) for term in set(window)) for window in windows]
        assert found == pytest.approx(max(sums, default=0.0) / sum(worth.values()), abs=1e-6)
