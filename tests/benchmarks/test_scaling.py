"""How figures grow, and what a library of any size needs: the arithmetic of the reports."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import scaling
import sizing

MEASURED = sizing.Measured(
    1e6, library=2000, index=1000, vectors=3, add=5e-4, encode=0.02, fixed=0.0, query=0.1, resident=2e9
)


def test_exponents() -> None:
    """A figure in proportion has the exponent 1, one that does not grow 0."""
    sizes = [1e4, 1e5, 1e6]
    assert scaling.exponent(sizes, [size / 7 for size in sizes]) == pytest.approx(1)
    assert scaling.exponent(sizes, [3, 3, 3]) == pytest.approx(0)
    assert scaling.exponent(sizes, [size**1.5 for size in sizes]) == pytest.approx(1.5)


def test_a_report() -> None:
    """A row for each figure, with the sizes as columns; what a size lacks is left empty."""
    found = {100: {"citewhy": {"add s": 1.0, "stage: words": 2.0}}, 10_000: {"citewhy": {"add s": 100.0}}}
    lines = list(scaling.report(found))
    assert "| | 100 | 10,000 | exponent |" in lines
    assert "| add s | 1.00 | 100 | 1.00 |" in lines
    assert "| words | 2.00 |  |  |" in lines


def test_shards_follow_from_memory_and_from_queries() -> None:
    """Ten times the papers need ten times the disk; more queries need more shards where memory does not."""
    ten, hundred = (sizing.need(papers, sizing.KINDS[2], MEASURED) for papers in (1e7, 1e8))
    assert hundred.disk == pytest.approx(10 * ten.disk)
    assert ten.disk == pytest.approx(1e7 * (3000 + 3 * 392))
    assert ten.machines == 2 * ten.shards
    assert hundred.shards == 9  # 20 · 0.1 · 100 busy processors for 16 · 0.7 in a machine, and two copies
    assert sizing.need(1e8, sizing.KINDS[2], MEASURED, sizing.Assumed(busy=200)).shards == 90
    large = sizing.need(1e8, sizing.KINDS[0], MEASURED, sizing.Assumed(busy=0.001))
    assert large.shards == -(-int(large.memory) // int(128e9 * 0.7))


def test_a_report_without_a_figure(tmp_path: Path) -> None:
    file = tmp_path / "scaling.json"
    file.write_text(json.dumps({"measured": {"papers": 1}}))
    with pytest.raises(SystemExit, match="no figure for library"):
        sizing.read_measured(file)
