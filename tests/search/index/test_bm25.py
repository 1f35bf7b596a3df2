"""BM25: by hand, and against another implementation of the same formula."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from random import Random

import bm25s
import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from citewhy.search.index.arrays import Floats
from citewhy.search.index.bm25 import Field, idf
from citewhy.search.index.fields import BM25
from citewhy.search.index.hits import best
from citewhy.search.index.postings import PostingsBuilder
from citewhy.text.tokens import stems

PLAIN = BM25(k1=1.2, b=0.75)


def field(documents: Sequence[Sequence[str]]) -> Field:
    """A field whose documents are numbered from 0."""
    return segmented([dict(enumerate(documents))])


def segmented(segments: Sequence[dict[int, Sequence[str]]], removed: Sequence[int] = ()) -> Field:
    """A field in segments; a document counts in the last one that has it."""
    built, masks = [], []
    rows = 1 + max((number for segment in segments for number in segment), default=-1)
    for place, segment in enumerate(segments):
        builder = PostingsBuilder()
        for number, terms in sorted(segment.items()):
            builder.add(number, terms)
        built.append(builder.build())
        later = {number for other in segments[place + 1 :] for number in other} | set(removed)
        mask = np.array([number not in later for number in range(1 + max(segment, default=-1))])
        masks.append(None if mask.all() else mask)
    return Field(built, masks, rows)


# By hand ----------------------------------------------------------------------------------------------------


def test_two_documents() -> None:
    """Documents "a b" and "b b b", mean length 2.5: the scores of "a", "b" and both, worked out on paper."""
    found = field([["a", "b"], ["b", "b", "b"]])
    rare, common = math.log(1 + 1.5 / 1.5), math.log(1 + 0.5 / 2.5)
    assert idf(2, 1) == pytest.approx(rare)
    assert idf(2, 2) == pytest.approx(common)
    # k1 · (1 − b + b · |d| / avg|d|) is 1.2 · 0.85 = 1.02 and 1.2 · 1.15 = 1.38
    a = [rare * 1 * 2.2 / (1 + 1.02), 0.0]
    b = [common * 1 * 2.2 / (1 + 1.02), common * 3 * 2.2 / (3 + 1.38)]
    assert found.scores({"a": 1.0}, PLAIN) == pytest.approx(a)
    assert found.scores({"b": 1.0}, PLAIN) == pytest.approx(b)
    both = found.scores({"a": 0.5, "b": 2.0, "c": 9.0}, PLAIN)
    assert both == pytest.approx([0.5 * a[0] + 2 * b[0], 2 * b[1]])


def test_bm25_at_their_ends() -> None:
    """With k1 = 0 repetition does not count, with b = 0 length does not."""
    found = field([["a"], ["a", "a", "a", "b", "b", "b"], ["c"]])
    once = found.scores({"a": 1.0}, BM25(k1=0, b=1))
    assert once == pytest.approx([idf(3, 2), idf(3, 2), 0])
    repeated = found.scores({"a": 1.0}, BM25(k1=1, b=0))
    assert repeated == pytest.approx([idf(3, 2), idf(3, 2) * 2 * 3 / 4, 0])


@pytest.mark.parametrize(
    ("k1", "b"),
    [(-0.1, 0.5), (1.2, -0.1), (1.2, 1.1), (math.nan, 0.5), (1.2, math.nan), (math.inf, 0.5)],
)
def test_illegal_bm25(k1: float, b: float) -> None:
    """Parameters that make no sense of the formula are refused, with their values."""
    with pytest.raises(ValueError, match=f"k1={k1}, b={b}"):
        BM25(k1=k1, b=b)


def test_no_documents() -> None:
    """A field without documents, or without segments at all, scores nothing and fails at nothing."""
    for empty in (field([]), Field([], [], 0)):
        assert empty.size == 0
        assert empty.scores({"a": 1.0}, PLAIN).shape == (0,)
        assert empty.cover(["a"]).shape == (0,)
        assert empty.document_frequencies(["a", "b"]) == [0, 0]
        assert empty.telling_terms(np.zeros(0, np.int32), np.zeros(0, np.float32), PLAIN, 3) == {}


def test_documents_without_words() -> None:
    """They count as documents, and score 0."""
    found = field([[], ["a"], []])
    assert found.size == 3
    assert found.mean_length == pytest.approx(1 / 3)
    assert found.scores({"a": 1.0}, PLAIN).tolist()[::2] == [0, 0]
    assert found.cover(["a"]) == pytest.approx([0, 1, 0])
    assert field([[], []]).scores({"a": 1.0}, PLAIN).tolist() == [0, 0]


def test_document_frequencies() -> None:
    """Documents that have a term; one counts once, and only in the segment that has its last version."""
    found = segmented([{0: ["a", "a", "b"], 1: ["a"], 2: ["b"]}, {1: ["b"]}], removed=[2])
    assert found.document_frequencies(["a", "b", "c"]) == [1, 2, 0]
    assert found.size == 2
    assert found.lengths.tolist() == [3, 1, 0]
    assert found.mean_length == 2


def test_cover() -> None:
    """Share of a document's rarity: two of its three words, weighed by idf; repetitions do not matter."""
    found = field([["a", "b", "b", "c"], ["b"], ["c"], []])
    a, b, c = idf(4, 1), idf(4, 2), idf(4, 2)
    assert found.cover(["a", "b", "x"]) == pytest.approx([(a + b) / (a + b + c), 1, 0, 0])
    assert found.cover([]).tolist() == [0, 0, 0, 0]


def test_terms_of_documents() -> None:
    """Σ share · f / (f + norm) over the documents asked for, each in its last version."""
    found = segmented([{0: ["a", "a", "b"], 1: ["a"], 3: ["x"]}, {1: ["b"], 2: ["b"]}], removed=[2])
    # Documents 0, 1 and 3 live, mean length 5/3: norm = 1.2 · (0.25 + 0.75 · |d| · 3/5)
    first, second = 1.2 * (0.25 + 0.75 * 9 / 5), 1.2 * (0.25 + 0.75 * 3 / 5)
    papers, shares = np.array([0, 1, 2], np.int32), np.array([0.5, 0.25, 0.25], np.float32)
    a, b = 0.5 * 2 / (2 + first), 0.5 / (1 + first) + 0.25 / (1 + second)
    weights = found.telling_terms(papers, shares, PLAIN, 3)
    assert weights == pytest.approx({"a": a, "b": b})
    assert list(weights) == ["a", "b"], f"{a} · {idf(3, 1)} is more than {b} · {idf(3, 2)}"
    assert list(found.telling_terms(papers, shares, PLAIN, 1)) == ["a"]


# Against bm25s ----------------------------------------------------------------------------------------------


def theirs(documents: Sequence[Sequence[str]], query: Sequence[str], bm25: BM25) -> NDArray[np.float64]:
    """bm25s leaves the constant factor k1 + 1 out of Lucene's formula."""
    other = bm25s.BM25(method="lucene", k1=bm25.k1, b=bm25.b, dtype="float64")
    other.index([list(document) for document in documents], show_progress=False)
    scores: NDArray[np.float64] = other.get_scores(list(query)) * (bm25.k1 + 1)
    return scores


def ours(found: Field, query: Sequence[str], bm25: BM25) -> Floats:
    weights: dict[str, float] = {}
    for term in query:
        weights[term] = weights.get(term, 0.0) + 1.0
    return found.scores(weights, bm25)


@pytest.mark.parametrize("bm25", [PLAIN, BM25(2.5, 0.75), BM25(0.4, 0.0), BM25(1.5, 1.0)])
def test_equals_bm25s_on_the_toy_corpus(toy: Path, bm25: BM25) -> None:
    """For every title and citing sentence as a query, all scores are those of bm25s."""
    papers = [orjson.loads(line) for line in (toy / "papers.jsonl").read_bytes().splitlines()]
    contexts = [orjson.loads(line) for line in (toy / "contexts.jsonl").read_bytes().splitlines()]
    documents = [stems(f"{paper['title']} {paper['abstract']}") for paper in papers]
    found = field(documents)
    for text in [*(paper["title"] for paper in papers), *(context["text"] for context in contexts)]:
        assert ours(found, stems(text), bm25) == pytest.approx(theirs(documents, stems(text), bm25), abs=1e-4)


TERMS = st.sampled_from(["tree", "bank", "word", "error", "rate", "score", "model"])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(TERMS, max_size=12), min_size=1, max_size=12).filter(any),
    st.lists(TERMS, min_size=1, max_size=6),
    st.floats(0, 4),
    st.floats(0, 1),
    st.integers(1, 4),
    st.randoms(use_true_random=False),
)
def test_equals_bm25s_on_random_documents(
    documents: list[list[str]], query: list[str], k1: float, b: float, parts: int, chance: Random
) -> None:
    """So it is for random documents, in however many segments they lie, older versions among them."""
    bm25 = BM25(k1, b)
    segments: list[dict[int, Sequence[str]]] = [{} for _ in range(parts)]
    for number, terms in enumerate(documents):
        home = chance.randrange(parts)
        segments[home][number] = terms
        if home and chance.random() < 0.5:
            segments[home - 1][number] = chance.choices(["tree", "old", "word"], k=3)
    found = segmented([segment for segment in segments if segment])
    expected = theirs(documents, query, bm25)
    assert ours(found, query, bm25) == pytest.approx(expected, abs=1e-4)
    assert ours(found, query, bm25).tobytes() == ours(field(documents), query, bm25).tobytes()


WORDS = st.sampled_from(["tree", "bank", "error", "rate", "x" * 45, "x" * 46])


@given(
    st.lists(
        st.dictionaries(st.integers(0, 9), st.lists(WORDS, max_size=6), max_size=6), min_size=1, max_size=3
    ),
    st.dictionaries(WORDS, st.floats(0, 3), max_size=5),
    st.sets(st.integers(0, 9)),
)
def test_scores_of_some_documents(
    segments: list[dict[int, Sequence[str]]], query: dict[str, float], removed: set[int]
) -> None:
    """Scores and coverage of some documents, from their own words, are those of all documents to the last
    bit."""
    found = segmented(segments, sorted(removed))
    documents = np.array([number for number in (7, 0, 3, 3, 9) if number < found.rows], dtype=np.int32)
    expected = found.scores(query, PLAIN)[documents]
    assert found.scores_of(documents, query, PLAIN).tobytes() == expected.tobytes()
    covered = found.cover(list(query))[documents]
    assert found.cover_of(documents, list(query)).tobytes() == covered.tobytes()


@given(
    st.lists(st.one_of(st.just(0.0), st.floats(0, 4, width=32)), max_size=300),
    st.integers(1, 80),
    st.booleans(),
)
def test_the_best_of_all(values: list[float], count: int, alike: bool) -> None:
    """They are those of a full sort, ties in the order of ids, however the scores lie in the sample by which
    most are left out."""
    scores = np.array(values, dtype=np.float32)
    scores = np.floor(scores) if alike else scores
    ranks = np.random.default_rng(0).permutation(len(scores)).astype(np.int32)
    order = [row for row in np.lexsort((ranks, -scores)).tolist() if scores[row] > 0][:count]
    found = best(None, scores, ranks, count)
    assert found.rows.tolist() == order
    assert found.scores.tolist() == scores[order].tolist()
    shifted = best(np.arange(len(scores)), scores, ranks, count)
    assert shifted.rows.tolist() == order
