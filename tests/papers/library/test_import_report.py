"""What an import leaves out is counted and named."""

from __future__ import annotations

import pytest

from citewhy.base.errors import InputError
from citewhy.papers.formats.report import KEPT_PROBLEMS, ImportReport, Problem


def test_all_problems_are_counted_and_the_first_are_kept() -> None:
    """A file with a million bad lines gives a number and some examples, not a million sentences."""
    report = ImportReport()
    for line in range(1, 101):
        report.skip("papers.jsonl", line, "no id")
        report.warn("papers.jsonl", line, "no year")
    assert (report.skipped, report.warned) == (100, 100)
    assert len(report.skips) == len(report.warnings) == KEPT_PROBLEMS
    assert report.skips[0] == Problem("papers.jsonl", 1, "no id")
    assert str(report.warnings[-1]) == f"papers.jsonl:{KEPT_PROBLEMS}: no year"
    assert str(Problem("a.json", None, "item 3\nhas no title")) == "a.json: item 3 has no title"


def test_a_strict_import_fails_at_the_first_skip() -> None:
    """A skip becomes an error with its place and the way out; a warning stays one."""
    report = ImportReport(strict=True)
    report.warn("papers.jsonl", 1, "no year")
    with pytest.raises(InputError, match=r"papers.jsonl:2: no id; .*--strict"):
        report.skip("papers.jsonl", 2, "no id")
    assert (report.skipped, report.warned) == (0, 1)
