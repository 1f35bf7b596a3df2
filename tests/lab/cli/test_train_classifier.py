"""`citewhy train classifier`."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("sklearn", reason="needs the extra lab")

from citewhy.base.records import SentenceInContext
from citewhy.doors.cli import cli
from citewhy.ranking.classify import open_classifier


def data(folder: Path) -> Path:
    """Sentences that use, and sentences that compare; a third set of rows is about something else."""
    rows = []
    for number in range(40):
        use = number % 2 == 0
        text = f"We {'use' if use else 'outperform'} the model {number % 7} of [1]."
        marker = text.index("[1]")
        rows.append(
            {
                "sentence": text,
                "intent": "uses" if use else "compares",
                "citing": f"P{number % 8}",
                "where": [marker, marker + 3],
                "source": "acl",
            }
        )
    rows += [{"sentence": "Nothing", "intent": "nothing", "citing": "P9", "source": "other"}] * 3
    path = folder / "intents.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli, ["train", "classifier", *arguments])
    return done.exit_code, done.output


def test_from_a_file_to_answers(tmp_path: Path) -> None:
    """The folder that is made answers; what is printed are the examples, cross-validated figures, and where
    the folder is."""
    out = tmp_path / "model"
    fields = ["--text-field", "sentence", "--label-field", "intent", "--group-field", "citing"]
    code, said = run(
        *["--data", str(data(tmp_path)), *fields, "--marker-field", "where", "--only", "source=acl"],
        *["--features", "words", "--folds", "4", "--out", str(out)],
    )
    assert code == 0, said
    assert "examples   40 in 8 groups: compares 20, uses 20" in said
    assert re.search(r"macro-F1   1\.000, 4 folds; always the commonest label: 0\.333", said)
    assert f"written    {out}" in said
    classifier = open_classifier(out)
    asked = [SentenceInContext("They use it as TARGETCIT."), SentenceInContext("It can outperform [2].")]
    assert classifier.predict(asked) == ["uses", "compares"]
    assert classifier.name == "classifier of intent"


def test_what_is_asked_for_wrongly(tmp_path: Path) -> None:
    """Features that there are not, and a condition without a value: one line says what there is."""
    base = ["--data", str(data(tmp_path)), "--text-field", "sentence", "--label-field", "intent"]
    base += ["--group-field", "citing", "--out", str(tmp_path / "model")]
    said = str(CliRunner().invoke(cli, ["train", "classifier", *base, "--features", "words,magic"]).exception)
    assert said == "there are no features 'magic'; choose from: words, letters, cues, encoder"
    said = str(CliRunner().invoke(cli, ["train", "classifier", *base, "--only", "source"]).exception)
    assert said == "--only source has no value; write NAME=VALUE"


def test_names_that_are_not_utf_8(tmp_path: Path) -> None:
    """Of the data: the model is made, and its manifest is valid Unicode."""
    file, out = data(tmp_path).rename(tmp_path / os.fsdecode(b"\xff.jsonl")), tmp_path / "model"
    fields = ["--text-field", "sentence", "--label-field", "intent", "--group-field", "citing"]
    code, said = run(
        *["--data", str(file), *fields, "--only", "source=acl", "--features", "words", "--folds", "2"],
        *["--out", str(out)],
    )
    assert code == 0, said
    assert b"\\\\udcff.jsonl" in (out / "manifest.json").read_bytes()
    assert open_classifier(out).predict([SentenceInContext("They use it as TARGETCIT.")]) == ["uses"]
