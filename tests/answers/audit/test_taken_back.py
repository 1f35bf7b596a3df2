"""Audits of papers that were retracted, withdrawn, doubted or corrected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from citewhy.answers.audit.notices import remarks_on
from citewhy.base.records import Notice, Paper
from citewhy.doors.cli import cli

MOSS = Paper("moss", "Moss on the Northern Walls of Old Towns", doi="10.5555/moss", year=2004)


def kinds(*notices: Notice, paper: Paper = MOSS) -> list[tuple[str, bool]]:
    return [(remark.kind, remark.certain) for remark in remarks_on([paper], notices)]


def test_what_is_certain() -> None:
    """A notice found by a number is; one by title is not; that there is a correction needs no action."""
    assert kinds(Notice("retracted", "10.5555/moss")) == [("retracted", True)]
    assert kinds(Notice("withdrawn", pmid="5")) == [("withdrawn", True)]
    assert kinds(Notice("concern")) == [("concern", False)]
    assert kinds(Notice("corrected", "10.5555/moss")) == [("corrected", False)]
    assert kinds() == []


def test_what_was_reinstated() -> None:
    """Is remarked only if it was taken back again; its corrections stay."""
    retracted, reinstated = Notice("retracted", "10.5/a", date="2010"), Notice("reinstated", date="2011")
    assert kinds(retracted, reinstated) == []
    assert kinds(Notice("corrected", "10.5/a"), retracted, reinstated) == [("corrected", False)]
    assert kinds(retracted, reinstated, Notice("retracted", "10.5/a", date="2012")) == [("retracted", True)]


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("RETRACTED: Moss on Walls", "retracted"),
        ("Retracted Article: Moss on Walls", "retracted"),
        ("[Retracted] Moss on Walls", "retracted"),
        ("WITHDRAWN: Moss on Walls", "withdrawn"),
        ("Retracted papers and who cites them", ""),
        ("Withdrawn behaviour: moss on walls", ""),
    ],
)
def test_titles_that_say_so(title: str, kind: str) -> None:
    """As publishers write it; a title about retractions is none."""
    assert kinds(paper=Paper("a", title)) == ([(kind, True)] if kind else [])


def test_the_command(tmp_path: Path) -> None:
    """From the command line: by a file of notices, with an exit code; a title with the mark is the paper."""
    (tmp_path / "refs.bib").write_text(
        "@article{moss, title={RETRACTED: Moss on the Northern Walls of Old Towns}, author={Lee, Ann},"
        " journal={Walls}, year=2004, doi={10.5555/moss}}\n"
    )
    (tmp_path / "mine.bib").write_text(
        "@article{lee, title={Moss on the Northern Walls of Old Towns}, author={Ann Lee}, journal={Walls},"
        " year=2004}\n"
    )
    (tmp_path / "rw.csv").write_text(
        "Title,RetractionDate,OriginalPaperDate,OriginalPaperDOI,RetractionNature,Reason\n"
        "Moss on the Northern Walls of Old Towns,2/6/2010 0:00,3/1/2004 0:00,10.5555/moss,Retraction,+Data;\n"
    )
    asked = ["audit", str(tmp_path / "refs.bib"), "--against", str(tmp_path / "mine.bib")]
    plain = CliRunner().invoke(cli, asked)
    assert "its title says so" in plain.output
    told = [*asked, "--retractions", str(tmp_path / "rw.csv"), "--strict"]
    answer = CliRunner().invoke(cli, told)
    assert answer.exit_code == 1
    assert "Taken back, or doubted" in answer.output
    assert "retracted, certain: 2010-02-06, Data" in " ".join(answer.output.split())
    document = json.loads(CliRunner().invoke(cli, [*told, "--json"]).output)
    (entry,) = document["entries"]
    assert entry["verdict"] == "known"
    assert [remark["kind"] for remark in entry["remarks"]] == ["retracted"]
    refused = CliRunner().invoke(cli, [*asked, "--retractions", str(tmp_path / "mine.bib")])
    assert refused.exit_code != 0
    assert "has no retractions" in str(refused.exception)
