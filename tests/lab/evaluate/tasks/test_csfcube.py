"""CSFCube: its layout, its measure by hand, and that a facet's sentences decide."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from citewhy.base.errors import InputError, QueryError
from citewhy_lab.evaluate.outcome import Outcome
from citewhy_lab.evaluate.tasks import csfcube
from citewhy_lab.evaluate.tasks.csfcube import FACETS, measure_csfcube, ndcg, read_csfcube

METHODS = ["graph neural networks", "support vector machines", "hidden markov models", "decision trees"]
GOALS = ["question answering", "machine translation", "speech recognition", "document summarization"]


def silent(_what: str, _share: float | None) -> None:
    """A `Progress` that does nothing."""


def cube(folder: Path) -> Path:
    """Sixteen papers, each with a goal and a method; q has those of paper 5. Grades: 3 for the same."""
    rows = []
    for number in range(16):
        goal, method = GOALS[number % 4], METHODS[number // 4]
        sentences = [f"The problem is {goal}.", f"We use {method}.", "It works better than before."]
        labels = ["background_label", "method_label", "result_label"]
        rows.append({"paper_id": str(number), "title": "On it", "abstract": sentences, "pred_labels": labels})
    rows.append({**rows[5], "paper_id": "q"})
    (folder / "abstracts-csfcube-preds.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    for facet in FACETS:
        grades = [3 * (n % 4 == 1 if facet == "background" else n // 4 == 1) for n in range(16)]
        pool = {"cands": [str(n) for n in range(16)], "relevance_adju": grades}
        asked: dict[str, Any] = {} if facet == "result" else {"q": pool}
        (folder / f"test-pid2anns-csfcube-{facet}.json").write_bytes(orjson.dumps(asked))
    return folder


def answer(outcome: Outcome, facet: str) -> tuple[str, ...]:
    """The ranking for the paper q."""
    assert outcome.rankings is not None
    return outcome.rankings[f"q_{facet}"].paper_ids


def test_ndcg_by_hand() -> None:
    """Fifteen grades, of which the first three count: 1, 0, 2 at the weights 1, 1, 1 / log₂ 3; the best are 2
    and 1, 1. Nothing relevant is 0."""
    grades = [1, 0, 2, 1] + [0] * 11
    assert ndcg(grades) == pytest.approx((1 + 2 / log2(3)) / (2 + 1 + 1 / log2(3)))
    assert ndcg([0] * 15) == 0


def test_the_facet_decides(tmp_path: Path) -> None:
    """BM25 over a facet's sentences finds the papers that share it, and no others, for each facet."""
    report = measure_csfcube(cube(tmp_path), "bm25", None, None, 7, None, silent)
    assert report.document()["measures"] == {"nDCG%20/background": 1, "nDCG%20/method": 1, "nDCG%20": 1}
    assert set(answer(report, "method")[:4]) == {"4", "5", "6", "7"}


def test_one_vector_a_paper_knows_no_facet(tmp_path: Path) -> None:
    """The two questions about q have the same ranking by `dense`, and are compared with BM25 in pairs."""
    report = measure_csfcube(cube(tmp_path), "dense", None, "bm25", 7, None, silent)
    assert answer(report, "background") == answer(report, "method")
    assert report.document()["difference"]["nDCG%20"]["value"] < 0


def test_an_encoder_of_the_facet_makes_its_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the folder `sci` is `sci-method`: it alone is asked about methods, and `sci` about the rest. One
    that knows methods finds those of the same method; one that knows goals, those of the same goal."""
    for name in ("sci", "sci-method"):
        (tmp_path / name).mkdir()

    def opened(folder: Path) -> Phrases:
        return Phrases(METHODS if folder.name == "sci-method" else GOALS)

    monkeypatch.setattr(csfcube, "open_encoder", opened)
    report = measure_csfcube(cube(tmp_path), "dense", tmp_path / "sci", None, 7, None, silent)
    assert report.document()["measures"] == {"nDCG%20/background": 1, "nDCG%20/method": 1, "nDCG%20": 1}


def test_reciprocal_ranks_are_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With vectors that know goals and methods, the one vector of a paper cannot tell the facets apart, but
    the ranking that adds BM25 and the sentences of the facet does."""
    monkeypatch.setattr(csfcube, "open_encoder", lambda _folder: Phrases([*GOALS, *METHODS]))
    report = measure_csfcube(cube(tmp_path), "hybrid", None, "dense", 7, None, silent)
    assert report.document()["measures"] == {"nDCG%20/background": 1, "nDCG%20/method": 1, "nDCG%20": 1}
    assert report.document()["baseline"]["measures"]["nDCG%20"] < 1


class Phrases:
    """An encoder whose vectors say which of some phrases are in a text."""

    name, fingerprint = "phrases", "0"

    def __init__(self, phrases: list[str]) -> None:
        self._phrases = phrases
        self.dimensions = len(phrases)

    def encode(self, texts: Sequence[str], kind: str) -> Any:
        return np.array([[float(each in text) for each in self._phrases] for text in texts], dtype=np.float32)


def test_folders_of_another_layout(tmp_path: Path) -> None:
    """The error names the file and what is missing."""
    with pytest.raises(InputError, match="abstracts-csfcube-preds"):
        read_csfcube(tmp_path)
    cube(tmp_path)
    path = tmp_path / "test-pid2anns-csfcube-method.json"
    path.write_bytes(orjson.dumps({"q": {"cands": ["0", "99"], "relevance_adju": [0, 1]}}))
    with pytest.raises(InputError, match="has no paper 99"):
        read_csfcube(tmp_path)
    path.write_bytes(orjson.dumps({"q": {"cands": ["0"], "relevance_adju": [7]}}))
    with pytest.raises(InputError, match="query q has grades that are not 0, 1, 2 or 3"):
        read_csfcube(tmp_path)
    path.write_bytes(orjson.dumps({"q": {"cands": ["0"]}}))
    with pytest.raises(InputError, match="query q has no 'cands' with as many 'relevance_adju'"):
        read_csfcube(tmp_path)
    with pytest.raises(QueryError, match="there is no system 'specter'"):
        measure_csfcube(tmp_path, "specter", None, None, 7, None, silent)
