"""What evaluation does not need."""

from __future__ import annotations

import subprocess
import sys

import pytest


def imported(statement: str) -> set[str]:
    """Names of all modules that a fresh interpreter has loaded after `statement`."""
    code = f"{statement}; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("module", ["measures", "runs", "bootstrap", "compare", "ranking", "outcome"])
def test_no_library(module: str) -> None:
    """Runs and judgements are scored without the store, the pipeline or any reader of papers."""
    loaded = imported(f"import citewhy_lab.evaluate.{module}")
    unwanted = ("citewhy.papers.library", "citewhy.ranking.recommender", "citewhy.search.retrieve", "sqlite3")
    assert not {name for name in loaded if name.startswith(unwanted)}


def test_the_verb_is_light() -> None:
    """`citewhy evaluate --help` loads click and nothing heavy."""
    loaded = imported("import citewhy_lab.cli.evaluate")
    assert not loaded & {"numpy", "ir_measures", "orjson", "sqlite3", "rich"}
