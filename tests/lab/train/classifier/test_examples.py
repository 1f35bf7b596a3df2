"""Labelled sentences from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citewhy.base.errors import InputError
from citewhy.base.records import SentenceInContext
from citewhy_lab.train.classifier.data import Example, FieldNames, read_examples

NAMES = FieldNames("text", "label", "paper", "before", "after", "head", "at", "by", "cit")


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_every_field(tmp_path: Path) -> None:
    """Each goes where its name says; the citation that is asked about becomes ``TARGETCIT``."""
    row = {
        "text": "As [3] shows.",
        "label": ["b", "a"],
        "paper": 7,
        "before": "One.",
        "after": None,
        "head": "2 Method",
        "at": 1,
        "by": "They cite it.",
        "cit": [3, 6],
    }
    sentence = SentenceInContext("As  TARGETCIT  shows.", "One.", "", "2 Method", 1.0, "They cite it.")
    assert read_examples(written(tmp_path, row), NAMES) == [Example(sentence, ("b", "a"), "7")]


def test_what_is_missing(tmp_path: Path) -> None:
    """Only text and label have to be there; rows without a group are groups of their own."""
    path = written(tmp_path, {"text": "One", "label": "a"}, {"text": "Two", "label": "a", "paper": None})
    assert [(each.sentence, each.group) for each in read_examples(path, NAMES)] == [
        (SentenceInContext("One"), "line 1"),
        (SentenceInContext("Two"), "line 2"),
    ]


def test_some_rows(tmp_path: Path) -> None:
    """Those with the values that are asked for, numbers included."""
    rows = [{"text": f"{n}", "label": "a", "set": f"s{n % 2}", "year": 2000 + n} for n in range(4)]
    path = written(tmp_path, *rows)
    names = FieldNames("text", "label", "paper")
    found = read_examples(path, names, {"set": "s1", "year": "2003"})
    assert [each.sentence.text for each in found] == ["3"]
    with pytest.raises(InputError, match="no rows with set=s7 are in this file"):
        read_examples(path, names, {"set": "s7"})


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"text": ""}, "'text' is '', not a text"),
        ({"label": None}, "no label in 'label'"),
        ({"label": []}, "no label in 'label'"),
        ({"label": [1]}, "no label in 'label'"),
        ({"before": 3}, "'before' is no text"),
        ({"at": 1.5}, "'at' is no position"),
        ({"at": True}, "'at' is no position"),
        ({"cit": [2, 99]}, "'cit' is no place in the text"),
        ({"cit": "here"}, "'cit' is no place in the text"),
    ],
)
def test_bad_rows(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    """The file and the line are named."""
    good = {"text": "One", "label": "a"}
    with pytest.raises(InputError) as caught:
        read_examples(written(tmp_path, good, good | change), NAMES)
    assert f"data.jsonl:2: {problem}" in str(caught.value)


def test_no_json(tmp_path: Path) -> None:
    """A line of something else, and a file without lines."""
    path = tmp_path / "data.jsonl"
    path.write_text("\nno json\n")
    with pytest.raises(InputError, match=r"data\.jsonl:2: not JSON"):
        read_examples(path, NAMES)
    path.write_text("\n")
    with pytest.raises(InputError, match="no rows are in this file"):
        read_examples(path, NAMES)
