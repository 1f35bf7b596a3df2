"""The file of the benchmark of paragraphs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from paragraphs import FIXED, earlier, write


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    """Rows are read again for the same options, and for no others; documents without a question do not
    count."""
    measures = {"Rprec": 0.5, "R@5": 0.5, "R@10": 1.0, "RR": 1.0}
    sets = {"F1": 0.5} | {f"{system}, first {n}": 0.1 * n for system in ("default", "bm25") for n in FIXED}
    measured = {"measures": {"full": measures, "bm25": measures}, "sets": sets}
    rows: list[dict[str, Any]] = [
        {"name": "d", "paragraphs": 2, "cited": 4, **measured},
        {"name": "empty"},
    ]
    out = tmp_path / "out.json"
    assert earlier(out, {"paragraphs": 5}) == []
    write(out, {"paragraphs": 5}, rows)
    assert earlier(out, {"paragraphs": 5}) == rows
    assert earlier(out, {"paragraphs": 6}) == []
    assert b'"documents": 1' in out.read_bytes()
