"""`evaluate linkage`: what is measured, what is said beside it, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citewhy.base.assets import linker_folder
from citewhy.base.errors import QueryError
from citewhy.models import read_model
from citewhy.ranking.linkage.folder import write_linker
from citewhy_lab.evaluate.tasks import find_task, options
from citewhy_lab.evaluate.tasks.linkage import LinkageTask

TELL = lambda what, share: None  # noqa: E731

SENTENCES = ["Parsing trees", "We parse sentences with trees", "Results on a corpus", "Taggers are fast"]


def written(folder: Path) -> Path:
    paper = {
        "set": "one",
        "cluster": "P1",
        "reference_sentences": [
            {"sid": sid, "section": "title" if not sid else "intro", "text": text}
            for sid, text in enumerate(SENTENCES)
        ],
    }
    linked = {"c1": ("parsing trees", [0]), "c2": ("a corpus", [2, 9]), "c3": (" ", [1])}
    citances = [
        {"cluster": "P1", "citance_id": name, "citing_id": "Q", "citance_text": text, "target_sids": sids}
        for name, (text, sids) in linked.items()
    ]
    for name, rows in (("citances", citances), ("clusters", [paper])):
        (folder / f"x.{name}.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    return folder / "x.citances.jsonl"


def test_the_document(tmp_path: Path) -> None:
    """Counts, measures, the baseline's figures and the differences; what was skipped is counted and named."""
    report = LinkageTask("linkage", written(tmp_path), "bdot", None, 7).measure(TELL)
    found = report.document()
    assert (found["task"], found["queries"], found["clusters"], found["skipped"]) == ("linkage", 2, 1, 1)
    assert {"RR", "RR±1", "RR±3", "RR±5"} <= found["measures"].keys()
    assert found["baseline"]["measures"]["RR"] == 1
    assert found["difference"]["RR"]["value"] == found["measures"]["RR"] - 1
    assert any("citance c3 has no text" in note for note in found["notes"])
    assert any("P1 has no sentence 9" in note for note in found["notes"])
    assert [entry["file"] for entry in found["made"]["data"]] == [
        "x.citances.jsonl",
        "x.clusters.jsonl",
        "manifest.json",
        "model.json",
    ]


def test_every_form(tmp_path: Path) -> None:
    """Text, Markdown, a run with each sentence once a citing sentence, a plot."""
    report = LinkageTask("linkage", written(tmp_path), None, None, 7).measure(TELL)
    assert "2 citing sentences of 1 cited papers" in report.text()
    assert report.markdown().startswith("# linkage: x.citances.jsonl\n\n| measure | shipped linker | 95 % |")
    lines = [line.split() for line in report.run().decode().splitlines()]
    assert sorted(line[2] for line in lines if line[0] == "c1") == ["P1/0", "P1/1", "P1/2", "P1/3"]
    assert "<title>linkage: x.citances.jsonl, shipped linker</title>" in report.plot()


def test_a_linker_that_learned_from_the_file_says_so(tmp_path: Path) -> None:
    """A model whose manifest names the checksum of the file is called one that remembers; another is not."""
    file = written(tmp_path)
    document = read_model(linker_folder(), "linker").json("model.json")
    report = LinkageTask("linkage", file, None, None, 7).measure(TELL)
    assert not any("trained on this file" in note for note in report.notes)
    own = tmp_path / "own"
    write_linker(own, "mine", document | {"making": {"data": report.made["data"][:1]}})
    report = LinkageTask("linkage", file, None, own, 7).measure(TELL)
    assert any("trained on this file" in note for note in report.notes)
    assert report.system.name == "own"


def test_an_unknown_baseline(tmp_path: Path) -> None:
    """A pipeline is no linker; the error names those that there are, before any work is done."""
    with pytest.raises(QueryError, match=r"no linker 'full'.*bdot"):
        LinkageTask("linkage", written(tmp_path), "full", None, 7).measure(TELL)


def test_options() -> None:
    """Of the options of `citewhy evaluate`, the task follows three."""
    assert options(find_task("linkage")) == {"baseline", "model", "seed"}
