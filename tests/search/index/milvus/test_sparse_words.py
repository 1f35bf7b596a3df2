"""`search.index.milvus.words`: inner products that are BM25."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_library import make, paper, unsynced

from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy.search.index import Index, open_index, open_layer
from citewhy.search.index.fields import BM25
from citewhy.search.index.milvus.words import documents, question

WORDS = ["tree", "bank", "error", "rate", "model", "corpus", "chart"]
TERMS = {"tree": 1.0, "corpus": 0.25, "zebra": 1.0, "rate": 2.0}


def papers(seed: int, count: int, first: int = 0) -> list[Record]:
    rng = np.random.default_rng(seed)
    return [
        paper(f"p{first + place:03}", " ".join(rng.choice(WORDS, rng.integers(1, 9))), "", 2000)
        for place in range(count)
    ]


@pytest.fixture
def index(tmp_path: Path) -> Index:
    with unsynced(), make(tmp_path, papers(1, 60)) as library:
        open_index(library)
        library.add(papers(2, 20, 50))  # a second segment, which replaces some
        library.remove(["p003"])
        return open_index(library)


@pytest.mark.parametrize("bm25", [BM25(2.5, 0.75), BM25(1.2, 0.0), BM25(0.0, 0.5)])
def test_products_are_scores(index: Index, bm25: BM25) -> None:
    """The inner product of a question and a document is the document's score."""
    rows = index.papers().astype(np.int32)
    asked = question(index.text, TERMS, bm25)
    held = documents(index.text, rows, bm25, index.text.mean_length)
    products = [sum(asked.get(key, 0.0) * share for key, share in row.items()) for row in held]
    assert products == pytest.approx(index.text.scores(TERMS, bm25)[rows].tolist(), rel=1e-5)
    assert max(products) > 1


def test_no_vector_is_empty(tmp_path: Path) -> None:
    """Servers refuse that; a paper without words has a dimension that no question asks for, and a question of
    words that nobody has is none."""
    with unsynced(), make(tmp_path, [paper("a", "!"), paper("b", "Trees")]) as library:
        index = open_index(library)
        assert documents(index.text, np.array([0], np.int32), BM25(2.5, 0.75), 1.0) == [{0: 1.0}]
        assert question(index.text, {"zebra": 1.0, "tree": 0.0}, BM25(2.5, 0.75)) == {}
        assert 0 not in question(index.text, {"tree": 1.0}, BM25(2.5, 0.75))


@pytest.mark.parametrize("bm25", [BM25(2.5, 0.75), BM25(0.0, 0.0)])
def test_scores_of_some(index: Index, tmp_path: Path, bm25: BM25) -> None:
    """They are those of all, digit by digit, in any order, also in a layer."""
    rows = np.random.default_rng(3).permutation(index.papers()).astype(np.int32)
    expected = index.text.scores(TERMS, bm25)
    assert index.text.scores_of(rows, TERMS, bm25).tolist() == expected[rows].tolist()
    assert index.text.scores_of(rows[:0], TERMS, bm25).tolist() == []
    assert not index.text.scores_of(rows, {"zebra": 1.0}, bm25).any()


def test_what_a_layer_adds(tmp_path: Path) -> None:
    """The papers in a layer are those that the field below does not have as they are."""
    with unsynced(), make(tmp_path / "below", papers(1, 10)) as below:
        under = open_index(below)
        (tmp_path / "layer").mkdir()
        with Library.over(below, tmp_path / "layer", create=True) as layer:
            layer.add([paper("new", "Tree rate"), paper("p004", "Tree tree corpus", "With an abstract.")])
            over = open_layer(layer, under)
            added = over.text.beyond(under.text)
            assert sorted(over.ids(added.astype(np.int64))) == ["new", "p004"]
            assert under.text.beyond(under.text).tolist() == []
            rows = over.papers().astype(np.int32)
            scores = over.text.scores(TERMS, BM25(2.5, 0.75))
            assert over.text.scores_of(rows, TERMS, BM25(2.5, 0.75)).tolist() == scores[rows].tolist()
