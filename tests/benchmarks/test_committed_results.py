"""The results that are kept with the documents."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from results import ROOT, relative

ABSOLUTE = re.compile(r"(?:^|[\s\"'(:=,;])(?:/[\w.~-]+/|[A-Za-z]:\\|~/|file:/)")
"""The beginning of a path from the root of a machine, or from a home folder."""


def texts(value: Any) -> list[str]:
    """Every key and every text of a JSON document."""
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in (key, *texts(item))]
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.json")), ids=lambda path: path.stem)
def test_no_path_of_a_machine(path: Path) -> None:
    """Results name files relative to the data: nobody else has the folders of the machine that made them."""
    assert [text for text in texts(orjson.loads(path.read_bytes())) if ABSOLUTE.search(text)] == []


def test_files_are_named_relative_to_the_data(tmp_path: Path) -> None:
    """A path in any text, list or key loses the folder that has the file; other texts stay."""
    file = tmp_path / "drafts" / "a.tex"
    document = {"file": str(file), "problems": [f"{file}:3: open"], "rows": {str(file): 1}, "task": "a/b"}
    assert relative(document, (tmp_path / "other", tmp_path)) == {
        "file": "drafts/a.tex",
        "problems": ["drafts/a.tex:3: open"],
        "rows": {"drafts/a.tex": 1},
        "task": "a/b",
    }
