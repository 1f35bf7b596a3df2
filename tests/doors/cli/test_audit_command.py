"""`citewhy audit`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from citewhy.base.records import Paper
from citewhy.doors.cli import cli
from citewhy.papers.library.store import Library

BIB = """\
@inproceedings{lee, title = {Beam Search for Parsing of Sentences}, author = {Lee, Ann and Li, Bo},
  year = {2001}, booktitle = {ICML}}
@inproceedings{far, title = {Trees that Grow}, author = {Li, Bo}, year = {2090}, booktitle = {ACL}}
@inproceedings{new, title = {Fish in Cold Rivers of the North}, author = {Yu, Zoe},
  year = {2003}, booktitle = {ACL}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.bib").write_text(BIB)
    beam = Paper("beam", "Beam Search for Parsing of Sentences", "", ("Ann Lee", "Bo Li"), 2001, "CVPR")
    with Library.open(tmp_path / "library", create=True) as library:
        library.add([beam])
    return tmp_path


def call(folder: Path, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli, ["audit", str(folder / "a.bib"), *words])
    return done.exit_code, done.output or str(done.exception)


def test_the_worst_first(folder: Path) -> None:
    """The unknown are counted, and listed only if all is wanted. No entry is called wrong for it."""
    code, text = call(folder, "--library", str(folder / "library"))
    assert code == 0
    assert text.index("Impossible") < text.index("Differs")
    assert "venue: “ICML”; the library: “CVPR”" in text
    assert "1 entry unknown to the library" in text
    assert "Fish" not in text
    assert "Fish" in call(folder, "--library", str(folder / "library"), "--verbose")[1]


def test_json_is_one_document(folder: Path) -> None:
    document = json.loads(call(folder, "--library", str(folder / "library"), "--json")[1])
    assert [entry["verdict"] for entry in document["entries"]] == ["differs", "impossible", "unknown"]
    assert document["counts"] == {"impossible": 1, "mixed": 0, "differs": 1, "unknown": 1, "known": 0}
    assert document["entries"][0]["differences"][0]["field"] == "venue"


def test_sarif_names_lines(folder: Path) -> None:
    (run,) = json.loads(call(folder, "--library", str(folder / "library"), "--sarif")[1])["runs"]
    places = [
        (one["ruleId"], one["level"], one["locations"][0]["physicalLocation"]["region"]["startLine"])
        for one in run["results"]
    ]
    assert ("impossible", "error", 3) in places
    assert ("differs", "warning", 1) in places


def test_against_files(folder: Path) -> None:
    """No library is needed. An entry that agrees with the file is known."""
    (folder / "b.bib").write_text(BIB)
    code, text = call(folder, "--against", str(folder / "b.bib"), "--json")
    assert code == 0
    assert json.loads(text)["counts"]["known"] == 2


def test_strict_tells_by_the_exit_code(folder: Path) -> None:
    assert call(folder, "--library", str(folder / "library"), "--strict")[0] == 1
    (folder / "a.bib").write_text(BIB.replace("2090", "2009"))
    assert call(folder, "--library", str(folder / "library"), "--strict")[0] == 0


def test_a_file_that_is_not_there(folder: Path) -> None:
    (folder / "a.bib").unlink()
    assert "a.bib" in call(folder, "--library", str(folder / "library"))[1]


def test_corrections_are_shown_written_and_taken_back(folder: Path) -> None:
    """`--write` shows the edit first; `--undo` restores every byte."""
    agreeing = BIB.replace("booktitle = {ICML}", "booktitle = {CVPR}")
    known = agreeing.replace("year = {2001}", "year = {2001}, doi = {10.1000/beam}")
    (folder / "a.bib").write_text(agreeing)
    (folder / "b.bib").write_text(known)
    against = ("--against", str(folder / "b.bib"))
    runner = CliRunner()
    refused = runner.invoke(cli, ["audit", str(folder / "a.bib"), *against, "--write"], input="n\n")
    assert "+  year = {2001}, booktitle = {CVPR}, doi = {10.1000/beam}}" in refused.output
    assert "Nothing was changed." in refused.output
    assert (folder / "a.bib").read_text() == agreeing
    code, text = call(folder, *against, "--write", "--yes")
    assert code == 0
    assert "to undo: citewhy audit" in text
    assert "doi = {10.1000/beam}" in (folder / "a.bib").read_text()
    assert call(folder, "--undo")[0] == 0
    assert (folder / "a.bib").read_text() == agreeing


def test_corrections_are_chosen(folder: Path) -> None:
    """Enter keeps an entry as it is, y corrects it."""
    agreeing = BIB.replace("booktitle = {ICML}", "booktitle = {CVPR}")
    (folder / "a.bib").write_text(agreeing)
    (folder / "b.bib").write_text(agreeing.replace("year = {2001}", "year = {2001}, doi = {10.1000/beam}"))
    command = ["audit", str(folder / "a.bib"), "--against", str(folder / "b.bib"), "--choose"]
    assert "Nothing to write." in CliRunner().invoke(cli, command, input="\n").output
    CliRunner().invoke(cli, command, input="y\ny\n")
    assert "10.1000/beam" in (folder / "a.bib").read_text()
    assert CliRunner().invoke(cli, [*command, "--json"]).exit_code != 0


def test_a_page_of_its_own(folder: Path) -> None:
    """One file without scripts and without anything that it loads; what entries say is text in it."""
    (folder / "a.bib").write_text(BIB.replace("Fish in", "Fish <script> in"))
    code, _ = call(folder, "--library", str(folder / "library"), "--html", str(folder / "a.html"))
    page = (folder / "a.html").read_text()
    assert code == 0
    assert page.count("<script") == 0
    assert not re.search(r"(?:src|href)=", page)
    assert page.index("Impossible") < page.index("Differs") < page.index("Fish")
    assert "&lt;script&gt;" in page
    assert 'name="viewport"' in page
    assert "@media print" in page


def test_keys_twice_and_papers_twice(folder: Path) -> None:
    """A key of two entries of a file is told with its line; a paper under other keys, across files, too."""
    (folder / "a.bib").write_text(BIB + "@misc{LEE, title = {Something Else Entirely}}\n")
    (folder / "b.bib").write_text(BIB.replace("{far,", "{away,"))
    code, text = call(folder, str(folder / "b.bib"), "--library", str(folder / "library"), "--json")
    document = json.loads(text)
    assert code == 0
    assert [(one["kind"], one["key"], one["line"]) for one in document["keys"]] == [("repeated", "LEE", 6)]
    twice = [
        (entry["key"], remark["text"])
        for entry in document["entries"]
        for remark in entry["remarks"]
        if remark["kind"] == "duplicate"
    ]
    assert twice == [("away", f"the same paper as far in {folder / 'a.bib'}")]
