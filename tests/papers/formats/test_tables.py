"""Tables of aliases and citations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Alias, Citation, Paper
from citewhy.papers.formats import Record, tables

Take = Callable[..., tuple[list[Record], ImportReport]]


def test_columns_are_found_by_name(take: Take) -> None:
    """The order of columns and further ones do not matter; a source and a count may be missing."""
    records, _ = take("x\tcited_id\tciting_id\n-\tA\tB\n")
    assert records == [Citation("B", "A", "", 1)]
    records, _ = take("citing_id\tcited_id\tsource\tn_contexts\nB\tA\tacl200\t3\n")
    assert records == [Citation("B", "A", "acl200", 3)]
    records, _ = take("\ufeffsame_as\tid\r\nA\tB\r\n")
    assert records == [Alias("B", "A")]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (b"A", "expected 4 columns, found 1"),
        (b"A\tB\tC\t1\t2", "expected 4 columns, found 5"),
        (b"\tB\tC\t1", "no citing_id"),
        (b"A\t \tC\t1", "no cited_id"),
        (b"A\tB\xff\tC\t1", "invalid UTF-8 (byte 4 of the line); save the file as UTF-8"),
    ],
)
def test_a_bad_row_is_skipped_and_named(take: Take, row: bytes, why: str) -> None:
    """The rows around a bad one are read."""
    content = b"citing_id\tcited_id\tsource\tn_contexts\nA\tB\ts\t2\n" + row + b"\nC\tD\ts\t1\n"
    records, report = take(content)
    assert records == [Citation("A", "B", "s", 2), Citation("C", "D", "s", 1)]
    assert (report.skips[0].line, report.skipped) == (3, 1)
    assert why in report.skips[0].why


@pytest.mark.parametrize("count", ["many", "-1", "1.5", "٣", "9" * 40])
def test_a_count_that_is_no_number_is_one(take: Take, count: str) -> None:
    """An edge does not depend on its count."""
    records, report = take(f"citing_id\tcited_id\tn_contexts\nA\tB\t{count}\n", strict=True)
    assert records == [Citation("A", "B", "", 1)]
    assert "expected a number" in report.warnings[0].why


def test_a_header_without_the_columns_is_refused(tmp_path: Path) -> None:
    """The reader names the missing column and the ones it expects."""
    path = tmp_path / "x.tsv"
    path.write_text("citing_id\tcited\nA\tB\n")
    with pytest.raises(InputError, match=r":1: the header has no column 'cited_id'; expected the columns"):
        list(tables.read_citations(path, ImportReport()))


HEADER = "Title,Authors,PubYear,Source title"
ROW = 'Walls in winter,"Roe, Ann; Lee, Bo",2019,Harbour Notes'


@pytest.mark.parametrize(
    "above",
    [
        "\"About the data: exported on 3 May; criteria: 'walls'.\"\n",
        "Search of a service\n\n2 results\n",
        "About this file,,,\n,,,\n",
        "https://search.example/?title=walls,2020/01/02\n",
        "sep=,\r\n",
    ],
)
def test_lines_above_a_header_are_passed_over(take: Take, above: str) -> None:
    """The row is read, and a row that is not is named by its line in the file."""
    records, report = take(f"{above}{HEADER}\n{ROW}\na,b,2001,c,d\n")
    (paper,) = records
    assert isinstance(paper, Paper)
    assert (paper.title, paper.authors, paper.venue) == (
        "Walls in winter",
        ("Ann Roe", "Bo Lee"),
        "Harbour Notes",
    )
    assert report.skips[0].line == above.count("\n") + 3


def test_a_text_that_names_columns_is_no_table() -> None:
    """A header that is not the first line has a row of as many cells below it."""
    assert tables.header_of("A page.\nIt has title, year, author.\nAnd no table.\n") is None
    assert tables.header_of("A page.\ntitle,year,author\nWalls,2001,Roe\n") == (8, ",")
