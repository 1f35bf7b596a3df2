"""`citewhy review`, and `citewhy suggest --only needed`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from citewhy.base.records import Paper
from citewhy.doors.cli import cli
from citewhy.papers.library.store import Library

DRAFT = """\
# Search

## Introduction

Recent studies have shown that beam search is widely used in parsing. We present a parser.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text(DRAFT)
    with Library.open(tmp_path / "library", create=True) as library:
        library.add(
            [Paper("beam", "Beam Search for Parsing", "Parsers search with beams.", ("Ann Lee",), 2001)]
        )
    return tmp_path


def call(folder: Path, *words: str) -> tuple[int, str]:
    arguments = [words[0], str(folder / "a.md"), "--library", str(folder / "library"), "--quiet", *words[1:]]
    done = CliRunner().invoke(cli, arguments)
    return done.exit_code, done.output or str(done.exception)


def test_a_remark_has_its_sentence_and_a_paper(folder: Path) -> None:
    code, text = call(folder, "review")
    assert code == 0
    assert "1 sentence without a citation that probably needs one" in " ".join(text.split())
    assert "“Recent studies have shown that beam search is widely used in parsing.”" in text
    assert "Beam Search for Parsing" in text


def test_json_is_one_document(folder: Path) -> None:
    document = json.loads(call(folder, "review", "--json")[1])
    (remark,) = document["remarks"]
    assert (remark["rank"], remark["line"], remark["section"]) == (1, 5, "Introduction")
    assert remark["suggestions"][0]["id"] == "beam"


def test_a_budget_of_nothing(folder: Path) -> None:
    assert "--budget 0 shows no sentence" in call(folder, "review", "--budget", "0")[1]


def test_works_that_are_missing(folder: Path) -> None:
    """The text and the document have the same works; nothing is said of sentences."""
    code, text = call(folder, "review", "--missing")
    assert code == 0
    assert "to consider" in " ".join(text.split())
    assert "without a citation" not in text
    document = json.loads(call(folder, "review", "--missing", "--json")[1])
    assert document["uncited"] is None
    assert text.count("Beam Search for Parsing") == len(document["missing"])


def test_the_full_report(folder: Path) -> None:
    document = json.loads(call(folder, "review", "--full", "--json")[1])
    assert [one["line"] for one in document["uncited"]] == [5]
    assert "Sentences that may need a citation" in call(folder, "review", "--full")[1]
    page = folder / "report.html"
    assert call(folder, "review", "--full", "--html", str(page))[0] == 0
    assert "Recent studies have shown" in page.read_text()
    assert "add --full" in call(folder, "review", "--html", str(page))[1]
    assert "shows nothing" in call(folder, "review", "--full", "--budget", "0")[1]
    code, text = call(folder, "review", "--full", "--missing")
    assert (code, "--full has the missing works" in text) == (1, True)


def test_suggest_answers_the_same_sentences(folder: Path) -> None:
    document = json.loads(call(folder, "suggest", "--only", "needed", "--json")[1])
    (place,) = document["places"]
    assert place["sentence"].startswith("Recent studies")
    assert place["suggestions"][0]["id"] == "beam"
    shown = call(folder, "suggest", "--only", "needed", "--only", "new")[1]
    assert shown.startswith("1 sentence without a citation; ")
    assert "a.md:5\n" in shown


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--only", "mine", "--only", "new"], "no paper is both mine and new"),
        (["--only", "needed", "--write"], "--only needed selects sentences that cite nothing"),
        (["--only", "needed", "--unit", "draft"], "--only needed selects sentences that cite nothing"),
    ],
)
def test_what_does_not_go_together(folder: Path, words: list[str], problem: str) -> None:
    assert problem in call(folder, "suggest", *words)[1]


def test_a_classifier_of_other_labels_is_refused(folder: Path) -> None:
    """One sentence says which label is missing."""
    import orjson

    from citewhy.base.artifact import folder_aside
    from citewhy.base.assets import needs_folder
    from citewhy.models import read_model, write_model

    document = read_model(needs_folder(), "classifier").json("classifier.json")
    document["labels"] = document["linear"]["labels"] = ["a", "b"]
    with folder_aside(folder / "other") as made:
        (made / "classifier.json").write_bytes(orjson.dumps(document))
        write_model(made, "classifier", "trees", "other", {})
    code, text = call(folder, "review", "--model", str(folder / "other"))
    assert code != 0
    assert "has no label 'cites'" in text
