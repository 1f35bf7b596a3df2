"""Results of experiments: cells, Markdown, JSON, files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from citewhy.base.errors import QueryError, StorageError
from citewhy_lab.experiments import EXPERIMENTS, experiment
from citewhy_lab.experiments.engine import Cell, Result, Table, shown

TABLE = Table("Table 2", ("network", "RR", "n"), [("A|B", 0.25, 3), ("C", None, 4)], ["By citance."])
RESULT = Result("Links", ["It was asked."], [TABLE], {"by-cluster": "<svg/>"}, {"folds": 2}, {"seed": 7})


@pytest.mark.parametrize(
    ("cell", "printed"),
    [
        (0.4132, ".413"),
        (1.5, "1.500"),
        (-0.02, "-.020"),
        (0.0, ".000"),
        (-0.0001, ".000"),
        (0.0001, "<.001"),
        (12, "12"),
        (None, "–"),
        ("mul", "mul"),
    ],
)
def test_cells(cell: Cell, printed: str) -> None:
    """Measures have three digits and no zero before the point; nothing reads as minus nothing."""
    assert shown(cell) == printed


def test_markdown() -> None:
    """Sentences, tables, then the plots by their file; a bar in a name does not end the cell."""
    assert RESULT.markdown("linkage") == (
        "# Links\n\nIt was asked.\n\n## Table 2\n\n| network | RR | n |\n| --- | ---: | ---: |\n"
        "| A\\|B | .250 | 3 |\n| C | – | 4 |\n\nBy citance.\n\n![by-cluster](linkage/by-cluster.svg)\n"
    )


def test_how_a_page_was_made() -> None:
    """A page ends with its command, commit, seed, sizes, cost and data; the sums are cut, JSON has them
    whole."""
    made = {
        "command": "citewhy experiment linkage a.jsonl --scale small",
        "cost": "1.0 processor minutes, without what an earlier run had kept.",
        "data": [{"file": "a.jsonl", "bytes": 1234, "sha256": "0123456789abcdef01"}, {"library": {}}],
        "options": {"scale": "small", "seeds": [1, 2], "questions": {"cite": 3, "near": 4}},
        "seed": 7,
        "software": {"commit": "abc"},
    }
    page = replace(RESULT, made=made).markdown("linkage")
    assert page.endswith(
        "## How it was made\n\n    citewhy experiment linkage a.jsonl --scale small\n\n"
        "Commit abc; seed 7; scale small, seeds 1 2, questions (cite 3, near 4)."
        " 1.0 processor minutes, without what an earlier run had kept.\n\n"
        "- a.jsonl, 1,234 bytes, SHA-256 0123456789abcdef…\n"
    )


def test_a_row_has_a_cell_for_each_column() -> None:
    """A table that would be read askew is not made."""
    with pytest.raises(ValueError, match="Table 3: 1 cells for 2 columns: A"):
        Table("Table 3", ("network", "RR"), [("A",)])


def test_no_column_is_lost_in_json() -> None:
    """Columns with one name on the page are named after the measure that they belong to."""
    table = Table("Table 4", ("", "R@10", "±", "RR", "±", "n"), [("A", 0.4, 0.1, 0.2, 0.05, 3)])
    assert table.document()["rows"] == [
        {"": "A", "R@10": 0.4, "R@10 ±": 0.1, "RR": 0.2, "RR ±": 0.05, "n": 3}
    ]


def test_files(tmp_path: Path) -> None:
    """A page, and beside it the JSON, which has numbers where the page has three digits, and the plots."""
    page = RESULT.save("linkage", tmp_path / "new")
    document = json.loads((tmp_path / "new" / "linkage" / "result.json").read_text())
    assert page.read_text() == RESULT.markdown("linkage")
    assert (page.parent / "linkage" / "by-cluster.svg").read_text() == "<svg/>"
    assert document["tables"][0]["rows"][1] == {"network": "C", "RR": None, "n": 4}
    assert (document["experiment"], document["folds"], document["made"]) == ("linkage", 2, {"seed": 7})


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """A file in the way is an error that names the folder."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be made"):
        RESULT.save("linkage", tmp_path / "file")


def test_names() -> None:
    """Every name of the registry leads to an experiment; another one is refused with those that there are."""
    assert all(experiment(name).files for name in EXPERIMENTS)
    with pytest.raises(QueryError, match="there is no experiment 'tables'"):
        experiment("tables")
