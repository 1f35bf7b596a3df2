"""The table of mutations fits the code."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from mutations import MUTATIONS  # noqa: E402


def test_every_mutation_can_be_made() -> None:
    """What a mutation changes stands in its file exactly once, and the tests that must notice it exist."""
    for mutation in MUTATIONS:
        text = (ROOT / "src" / "citewhy" / mutation.file).read_text(encoding="utf-8")
        assert text.count(mutation.before) == 1, mutation
        assert (ROOT / "tests" / mutation.tests).exists(), mutation
    assert len(MUTATIONS) == 40
