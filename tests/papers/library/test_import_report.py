"""What an import leaves out is counted and named."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewhy.base.errors import InputError
from citewhy.base.import_report import KEPT_PROBLEMS, ImportReport, Problem
from citewhy.papers.formats import read
from citewhy.papers.library.store import Library


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


def test_one_key_in_two_files_is_two_papers(tmp_path: Path) -> None:
    """Two people's files have the same key for different papers: both stay, and a warning names them, whether
    the files are added together or one after the other."""
    for name, title, author in (("a", "Iron in wells", "Fox, Ida"), ("b", "Owls of the north", "Fox, Jo")):
        (tmp_path / f"{name}.bib").write_text(
            f"@article{{fox2001, title={{{title}}}, author={{{author}}}, year=2001}}"
        )
    for times in ([["a.bib", "b.bib"]], [["a.bib"], ["b.bib"], ["a.bib"]]):
        with Library.open(tmp_path / str(len(times)), create=True) as library:
            warnings: list[str] = []
            for names in times:
                report = ImportReport()
                library.add_all([(name, list(read(tmp_path / name, report))) for name in names], report)
                warnings += list(map(str, report.warnings))
            titles = {paper.title for paper in library.papers(library.ids()).values()}
            assert titles == {"Iron in wells", "Owls of the north"}
            assert library.paper("fox2001").title == "Iron in wells"
            assert any("already belongs to another paper" in each for each in warnings)
