"""The task `intent`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citewhy.base.errors import InputError
from citewhy.base.progress import silent
from citewhy_lab.evaluate.classification import interval_of_f1
from citewhy_lab.evaluate.datasets.intents import read_intents
from citewhy_lab.evaluate.tasks.intent import IntentTask

ROWS: list[dict[str, object]] = [
    {"text": "We use the toolkit of (Koehn et al., 2007).", "label": "method", "source": "scicite"},
    {"text": "Our results agree with those of others [1].", "label": "result", "source": "scicite"},
    {
        "text": "We use Moses (Koehn et al., 2007).",
        "label": "Uses",
        "source": "acl-arc",
        "marker": [13, 33],
        "citing_id": "P1",
    },
]


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_report(tmp_path: Path) -> None:
    """Each source is answered by the head with its labels; the labelled citation becomes the target."""
    path = write(tmp_path / "intents.jsonl", ROWS)
    assert read_intents(path)[2].sentence.text == "We use Moses  TARGETCIT ."
    report = IntentTask("intent", path, None, None, 7).measure(silent)
    document = report.document()
    assert document["queries"] == 3
    assert document["measures"]["macro-F1/scicite"] == 1.0
    assert document["measures"]["macro-F1/acl-arc"] == 1.0
    assert all(len(line) <= 80 for line in report.text().splitlines())


def test_whose_work_is_cited(tmp_path: Path) -> None:
    """The authors of a citing paper come from another file; SciCite's citations, whose place is not known,
    and those of papers that the file lacks, are nobody's."""
    path = write(
        tmp_path / "intents.jsonl", [*ROWS, {**ROWS[2], "citing_id": "P2"}, {**ROWS[2], "citing_id": "P3"}]
    )
    records: list[dict[str, object]] = [
        {"id": "P1", "title": "A", "authors": ["Philipp Koehn"]},
        {"id": "P2", "title": "B", "authors": ["Lee, A."]},
    ]
    papers = write(tmp_path / "papers.jsonl", records)
    assert [each.sentence.own_work for each in read_intents(path, papers)] == [None, None, True, False, None]
    report = IntentTask("intent", path, None, papers, 7).measure(silent)
    assert [each["file"] for each in report.document()["made"]["data"]] == ["intents.jsonl", "papers.jsonl"]


def test_unknown_labels_are_refused(tmp_path: Path) -> None:
    """With the file and the line."""
    path = write(tmp_path / "intents.jsonl", [ROWS[0], {**ROWS[1], "label": "praise"}])
    with pytest.raises(InputError, match=":2: the label 'praise' of 'scicite' is unknown"):
        read_intents(path)


def test_interval() -> None:
    """Right answers only: the interval is a point. Half of them wrong: it contains the value."""
    truth = ["a", "b"] * 20
    assert interval_of_f1(truth, truth, 1) == (1.0, 1.0)
    low, high = interval_of_f1(["a"] * 40, truth, 1)
    assert low <= 1 / 3 <= high
