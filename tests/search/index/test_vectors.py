"""Vectors of a collection: a small one is kept as it is used, and gives what a large one gives."""

from __future__ import annotations

import numpy as np
import pytest

from citewhy.search.index import vectors as module
from citewhy.search.index.local.faiss_store import FaissStore
from citewhy.search.index.vectors import DenseIndex


@pytest.mark.parametrize("few", [0, 100])
def test_kept_or_not(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors in half precision, cosines of two lists of rows, by hand."""
    monkeypatch.setattr(module, "_FEW", few)
    index = DenseIndex(FaissStore.build(np.array([[1, 0], [0, 1], [0.6, 0.8], [0, 0]], dtype=np.float16)), 1)
    rows, others = np.array([2, 0]), np.array([0, 1, 2, 3])
    half = [float(np.float16(0.6)), float(np.float16(0.8))]
    assert index.vectors(rows).tolist() == pytest.approx(np.array([half, [1, 0]]))
    own = half[0] ** 2 + half[1] ** 2
    expected = np.round([[*half, own, 0], [1, 0, half[0], 0]], 6).astype(np.float32)
    assert index.cosines(rows, others).tolist() == expected.tolist()
    assert index.scores(np.array([0, 1], dtype=np.float32), rows).tolist() == pytest.approx([half[1], 0])
