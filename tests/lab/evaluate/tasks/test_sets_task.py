"""The task `sets`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_library import make_toy, unsynced

from citewhy.base.errors import QueryError
from citewhy.base.progress import silent
from citewhy_lab.evaluate.tasks.sets import SetsTask

TEXT = "The models are trained by TARGETCIT and the output is judged by its scores on unseen sentences."


def row(name: str, *cited: str) -> dict[str, object]:
    return {
        "context_id": name,
        "citing_id": "X20-1001",
        "cited_ids": cited,
        "text": f"{name}: {TEXT}",
        "masked": True,
        "citing_year": 2020,
    }


def test_the_report_of_sets(tmp_path: Path, toy: Path) -> None:
    """Two places, one of which cites two papers: each is hidden in turn, and they are one pair. What one
    system has more is told with an interval."""
    with unsynced(), make_toy(tmp_path / "library", toy):
        pass
    path = tmp_path / "contexts.jsonl"
    rows = [row("one", "P02-1040"), row("two", "J93-2003", "P02-1040")]
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    report = SetsTask("sets", path, tmp_path / "library", None, None, "all", None, 7, None).measure(silent)
    document = report.document()
    assert (document["queries"], document["judgements"], document["several"]) == (2, 3, 1)
    assert sum(document["pairs"].values()) == 1
    measures = document["measures"]
    assert {"R@10/=1", "AP@10/>=2", "bracket-hit@5", "set-F1", "set-size-error"} <= measures.keys()
    assert measures["true-size"] == 1.5
    assert measures["set-size"] >= 1
    assert set(document["intervals"]) | {"pair-R@10/low"} >= set(measures)
    assert "bracket-hit@5 − alone-hit@5" in document["comparisons"]
    assert "2 places, 1 of them cite several papers" in report.text()
    assert report.markdown().startswith("# sets: contexts.jsonl")
    with pytest.raises(QueryError, match="omit --run"):
        report.run()
