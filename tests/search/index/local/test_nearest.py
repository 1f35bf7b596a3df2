"""Nearest vectors: exact, and by codes above a size, with the recall that is promised."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from citewhy.search.index.local.faiss_store import FaissStore

COUNT, DIMENSIONS = 6000, 16
AT, RECALL = 100, 0.98


@pytest.fixture(scope="module")
def vectors() -> NDArray[np.float16]:
    """Around sixty centres, of length 1, as vectors of texts are."""
    rng = np.random.default_rng(7)
    centres = rng.standard_normal((60, DIMENSIONS))
    each = centres[rng.integers(60, size=COUNT)] + 0.5 * rng.standard_normal((COUNT, DIMENSIONS))
    halved: NDArray[np.float16] = (each / np.linalg.norm(each, axis=1, keepdims=True)).astype(np.float16)
    return halved


def by_hand(
    vectors: NDArray[np.float16], query: NDArray[np.float32], count: int, allowed: NDArray[np.bool_]
) -> NDArray[np.int64]:
    products = np.where(allowed, vectors.astype(np.float32) @ query, -np.inf)
    return np.argsort(-products, kind="stable")[:count]


@pytest.mark.parametrize("most_exact", [COUNT, COUNT - 1])
def test_recall_within_a_filter(tmp_path: Path, vectors: NDArray[np.float16], most_exact: int) -> None:
    """Of the nearest hundred among the allowed, all are found by exact search, and 98 in 100 by codes; none
    that is not allowed; the same from the file."""
    FaissStore.build(vectors, most_exact).save(tmp_path)
    store = FaissStore.load(tmp_path)
    assert store.exact == (most_exact == COUNT)
    allowed = np.random.default_rng(1).random(COUNT) < 0.5
    shared = []
    for place in range(40):
        query = vectors[place].astype(np.float32)
        rows, products = store.search(query, AT, allowed)
        assert allowed[rows].all()
        assert (np.diff(products) <= 0).all()
        shared.append(len(np.intersect1d(rows, by_hand(vectors, query, AT, allowed))) / AT)
    assert np.mean(shared) >= (RECALL if most_exact < COUNT else 0.999)


@pytest.mark.parametrize("most_exact", [COUNT, COUNT - 1])
def test_vectors_come_back(vectors: NDArray[np.float16], most_exact: int) -> None:
    """Either kind gives the vectors of any rows back as they were."""
    store = FaissStore.build(vectors, most_exact)
    rows = np.array([5, 0, COUNT - 1])
    assert np.array_equal(store.get(rows), vectors[rows].astype(np.float32))


def test_nothing_allowed(vectors: NDArray[np.float16]) -> None:
    """Where nothing is allowed, nothing is near; where few are, these few."""
    store = FaissStore.build(vectors)
    none = np.zeros(COUNT, dtype=np.bool_)
    assert len(store.search(vectors[0].astype(np.float32), 10, none)[0]) == 0
    none[[3, 4]] = True
    assert sorted(store.search(vectors[0].astype(np.float32), 10, none)[0].tolist()) == [3, 4]


@pytest.mark.parametrize("allowed", [slice(0, COUNT // 3), slice(-COUNT // 3, None), slice(0, COUNT, 2)])
def test_halves(vectors: NDArray[np.float16], allowed: slice) -> None:
    """Codes are read by two threads: wherever the allowed rows are, these find what codes in one piece do."""
    store = FaissStore.build(vectors, COUNT - 1)
    among = np.zeros(COUNT, dtype=np.bool_)
    among[allowed] = True
    query = vectors[1].astype(np.float32)
    rows, scores = store._nearest(query, AT, among)
    whole, _ = store._nearest_of(query, AT, among)
    assert (np.diff(scores) <= 0).all()
    assert np.array_equal(np.sort(rows), np.sort(whole))
