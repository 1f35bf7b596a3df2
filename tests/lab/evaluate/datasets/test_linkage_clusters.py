"""Files of the task linkage: what becomes a cluster, what is skipped, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Citance, FullText, Sentence
from citewhy_lab.evaluate.datasets.linkage import clusters_beside, read_clusters

PAPER = {
    "set": "first",
    "cluster": "P1",
    "reference_sentences": [
        {"sid": 2, "section": "abstract", "text": "We  link."},
        {"sid": 1, "section": "title", "text": "Links"},
    ],
}


def citance(number: int, **changed: Any) -> dict[str, Any]:
    made = {"cluster": "P1", "citance_id": f"P1_{number}", "citing_id": "Q1", "citance_text": "They link."}
    return made | {"target_sids": [2], "facets": ["method"]} | changed


def written(folder: Path, citances: list[Any], papers: list[Any] | None = None) -> Path:
    for name, rows in (("citances", citances), ("clusters", [PAPER] if papers is None else papers)):
        (folder / f"x.{name}.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    return folder / "x.citances.jsonl"


def test_a_cluster_is_a_paper_and_its_citances(tmp_path: Path) -> None:
    """Sentences come in order of their numbers, targets rising and once, texts with plain spaces."""
    (found,) = read_clusters(written(tmp_path, [citance(1, target_sids=[2, 1, 2])]), ImportReport())
    assert found.text == FullText("P1", (Sentence(1, "title", "Links"), Sentence(2, "abstract", "We link.")))
    assert found.citances == (Citance("P1_1", "Q1", "P1", "They link.", (1, 2), ("method",)),)
    assert (found.id, found.release) == ("P1", "first")


def test_what_cannot_be_scored_is_skipped_and_named(tmp_path: Path) -> None:
    """No text, no such paper, no target: three skips; a stray target beside a good one: a warning."""
    rows = [
        citance(1, target_sids=[2, 9]),
        citance(2, citance_text=" "),
        citance(3, cluster="P2"),
        citance(4, target_sids=[]),
    ]
    report = ImportReport()
    (found,) = read_clusters(written(tmp_path, rows), report)
    assert [each.id for each in found.citances] == ["P1_1"]
    assert (report.read["citances"], report.skipped, report.warned) == (1, 3, 1)
    assert [problem.line for problem in report.skips] == [2, 3, 4]
    assert "P1 has no sentence 9" in str(report.warnings[0])


@pytest.mark.parametrize(
    ("rows", "papers", "where"),
    [
        ([citance(1), citance(1)], None, "x.citances.jsonl:2: a second citance 'P1_1'"),
        ([citance(1, target_sids="2")], None, "x.citances.jsonl:1: 'target_sids' is '2'"),
        ([citance(1, target_sids=[True])], None, "x.citances.jsonl:1: 'target_sids' is [True]"),
        ([citance(1)], [PAPER, PAPER], "x.clusters.jsonl:2: a second cluster 'P1'"),
        ([citance(1)], [PAPER | {"reference_sentences": []}], "x.clusters.jsonl:1: cluster 'P1' has no"),
        ([citance(1)], [PAPER | {"reference_sentences": [{"sid": 1}]}], "x.clusters.jsonl:1: a sentence"),
        (
            [citance(1)],
            [PAPER | {"reference_sentences": [{"sid": 1, "text": "a"}, {"sid": 1, "text": "b"}]}],
            "x.clusters.jsonl:1: cluster 'P1' has two sentences 1",
        ),
        ([PAPER], None, "x.citances.jsonl:1: task linkage expects citances"),
        ([citance(1, target_sids=[7])], None, "x.citances.jsonl: no citance has a target"),
    ],
)
def test_another_format_is_refused_with_its_place(
    tmp_path: Path, rows: list[Any], papers: list[Any] | None, where: str
) -> None:
    """A malformed line is no bad record but another file: the error names it."""
    with pytest.raises(InputError) as caught:
        read_clusters(written(tmp_path, rows, papers), ImportReport())
    assert where in str(caught.value)


def test_the_papers_lie_beside(tmp_path: Path) -> None:
    """The last word `citances` of the name becomes `clusters`; a name without it tells nothing."""
    assert clusters_beside(Path("a/citances.dev.citances.jsonl.gz")).name == "citances.dev.clusters.jsonl.gz"
    with pytest.raises(InputError, match="does not show where the cited papers are"):
        clusters_beside(Path("dev.jsonl"))


@pytest.mark.data
def test_the_shared_clusters_are_read_whole(shared_data: Path) -> None:
    """Forty clusters with 753 citances, ten of each release, and nothing is skipped."""
    report = ImportReport()
    found = read_clusters(shared_data / "linkage.dev.citances.jsonl.gz", report)
    assert (len(found), sum(len(each.citances) for each in found)) == (40, 753)
    assert (report.skipped, report.warned) == (0, 0)
    assert sorted({each.release for each in found}) == [
        "Development-Set-Apr8",
        "Test-Set-2016",
        "Test-Set-2017",
        "Training-Set-2016",
    ]
