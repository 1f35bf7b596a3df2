"""Files that other processes read make the same library as files that are read here."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from small_library import TOY_FILES, unsynced

from citewhy.base.errors import InputError
from citewhy.papers.library.opening import FILE_NAME
from citewhy.session.importing import add_files

DRAFT = r"""\documentclass{article}\begin{document}\title{Ours}\maketitle
We follow \cite{one}.\bibliography{refs}\end{document}"""

BROKEN = """{"id": "good", "title": "A good paper"}
{"id": "twice", "title": "Once"}
not even JSON
{"id": "twice", "title": "Twice"}
{"title": "A paper without an id"}
"""


@pytest.fixture
def files(toy: Path, tmp_path: Path) -> list[Path]:
    """The toy corpus, a draft with its bibliography, a list of identifiers, invalid records, and a file that
    is refused."""
    folder = tmp_path / "files"
    (folder / "draft").mkdir(parents=True)
    for name in TOY_FILES:
        shutil.copy(toy / name, folder)
    (folder / "draft" / "ours.tex").write_text(DRAFT)
    (folder / "draft" / "refs.bib").write_text("@article{one, title={One}, year={2001}}")
    (folder / "broken.jsonl").write_text(BROKEN)
    (folder / "wanted.txt").write_text("10.1000/182\n10.1000/183\n")
    (folder / "none.bib").write_text("@comment{nothing}")
    return [folder / name for name in (*TOY_FILES, "draft", "broken.jsonl", "wanted.txt", "none.bib")]


@pytest.fixture(scope="module")
def processes() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(2) as pool:
        yield pool


def rows(folder: Path) -> dict[str, list[Any]]:
    """All rows of a library, except the marks of its commits, which are random."""
    db = sqlite3.connect(folder / FILE_NAME)
    try:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {name: db.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in names}
        del found["commits"]
        return {**found, "sums": [row for row in found["sums"] if row[0] != "commits"]}
    finally:
        db.close()


def test_the_same_library(files: list[Path], tmp_path: Path, processes: ProcessPoolExecutor) -> None:
    """Every row and the whole report are equal, with skipped records, a refused file and a draft."""
    reports, libraries = [], []
    with unsynced():
        for name, mapper in (("here", None), ("elsewhere", processes.map)):
            report = add_files(tmp_path / name, files, vectors=False, mapper=mapper)
            reports.append(replace(report, library=""))
            libraries.append(rows(tmp_path / name))
    assert reports[0] == reports[1]
    assert reports[0].skipped == 2
    assert len(reports[0].files_refused) == 1
    assert libraries[0] == libraries[1]
    assert len(libraries[0]["papers"]) > 10


def test_the_same_error(files: list[Path], tmp_path: Path, processes: ProcessPoolExecutor) -> None:
    """A strict import stops at the first bad record, with its file and line, wherever it was read."""
    errors = []
    for mapper in (None, processes.map):
        with pytest.raises(InputError) as caught:
            add_files(tmp_path / "library", files[:-1], strict=True, vectors=False, mapper=mapper)
        errors.append(str(caught.value))
    assert errors[0] == errors[1]
    assert "broken.jsonl:3" in errors[0]
    assert not (tmp_path / "library").exists()
