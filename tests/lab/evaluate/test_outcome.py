"""The report of an evaluation in its three forms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citewhy.base.errors import QueryError, StorageError
from citewhy.base.records import Query
from citewhy_lab.evaluate.datasets.topics import Topic
from citewhy_lab.evaluate.outcome import Outcome, as_json, save
from citewhy_lab.evaluate.ranking import Answers, JudgedAnswers, judge, ranking_outcome
from citewhy_lab.evaluate.runs import Ranking

TOPICS = [Topic(Query("local", id=f"q{n}"), (f"P{n}",)) for n in range(4)]
MEASURES = ["R@10", "RR"]


def column(name: str, *ranks: int, sure: tuple[float, ...] = ()) -> JudgedAnswers:
    """A system that puts the relevant paper of each query at this rank, with these probabilities in each
    answer."""
    run = {}
    for number, rank in enumerate(ranks):
        papers = (*(f"X{n}" for n in range(rank - 1)), f"P{number}")
        run[f"q{number}"] = Ranking(papers, [-float(n) for n in range(rank)])
    probabilities = {query: sure[: len(ranking)] for query, ranking in run.items() if sure}
    answers = Answers(run, 1234, (0.5, 0.001, 0.002, 0.003), probabilities)
    return judge(name, answers, TOPICS, MEASURES, "judgements", seed=7)


def report(baseline: bool = False, sure: tuple[float, ...] = ()) -> Outcome:
    first, second = column("full", 1, 1, 2, 4, sure=sure), column("a-very-long-run-name.run", 1, 20, 20, 20)
    head = {
        "queries": 4,
        "judgements": 4,
        "average": "judgements",
        "not_in_library": 1,
        "pool": 1234,
        "pool_kind": "abstract",
        "depth": 1000,
    }
    notes = ["the first 4 of 9 queries only"]
    other = second if baseline else None
    return ranking_outcome("local", "contexts.jsonl", head, first, other, 88.25, notes, {"seed": 7})


def test_document() -> None:
    """The JSON document has the fields that docs/evaluation.md promises, with unrounded numbers."""
    document = json.loads(as_json(report()))
    intervals = document.pop("intervals")
    assert document == {
        "task": "local",
        "file": "contexts.jsonl",
        "queries": 4,
        "judgements": 4,
        "average": "judgements",
        "not_in_library": 1,
        "pool": 1234,
        "pool_kind": "abstract",
        "depth": 1000,
        "pipeline": "full",
        "measures": {"R@10": 1.0, "RR": 0.6875},
        "seconds_per_query": {"p50": 0.0025, "p95": pytest.approx(0.42545)},
        "calibration": None,
        "peak_rss_mb": 88.25,
        "notes": ["the first 4 of 9 queries only"],
        "made": {"seed": 7},
    }
    assert intervals["R@10"] == [1, 1]
    assert intervals["RR"][0] < 0.6875 < intervals["RR"][1]


def test_document_with_baseline() -> None:
    """A second column has its own numbers, and the differences have intervals and both tests."""
    document = json.loads(as_json(report(baseline=True)))
    assert document["baseline"]["pipeline"] == "a-very-long-run-name.run"
    assert document["baseline"]["measures"] == {"R@10": 0.25, "RR": pytest.approx((1 + 3 / 20) / 4)}
    difference = document["difference"]["R@10"]
    assert difference["value"] == 0.75
    assert difference["p_randomisation"] == 2 / 8
    assert set(difference) == {"value", "interval", "p_randomisation", "p_bootstrap"}


def test_text() -> None:
    """The table for a terminal says everything, in 80 columns."""
    text = report(baseline=True).text()
    assert max(map(len, text.splitlines())) <= 80
    lines = text.splitlines()
    assert lines[:4] == [
        "local: contexts.jsonl",
        "4 queries, 4 judgements; each judgement counts once",
        "pool: 1,234 papers (abstract), ranked 1,000 deep",
        "1 judgements are of papers that the library does not have: missed",
    ]
    head = next(line for line in lines if line.startswith("measure"))
    assert " ".join(head.split()) == "measure full 95 % a-very-lo… difference 95 % p"
    row = next(line for line in lines if line.startswith("R@10"))
    assert row.split()[:3] == ["R@10", "1.000", "1.000-1.000"]
    assert "+.750" in row
    assert row.endswith(".250")
    assert "2.5 ms a query, 95 % below 425.4 ms; peak memory 88 MB" in lines
    assert lines[-1] == "the first 4 of 9 queries only"


def test_text_without_baseline() -> None:
    """One system has three columns and no p."""
    text = report().text()
    row = next(line for line in text.splitlines() if line.startswith("RR"))
    assert row.split()[1] == ".688"
    assert len(row.split()) == 3
    assert "randomisation" not in text


def test_markdown() -> None:
    """The Markdown has one table of equal rows, and the notes below it."""
    lines = report(baseline=True).markdown().splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 4
    assert len({line.count("|") for line in table}) == 1
    assert "- the first 4 of 9 queries only" in lines


SURE = (0.45, 0.25, 0.05, 0.05)
"""Right at these ranks: 1, 1, 2 and 4. Four candidates have .45 (two right), two .25 (one), two .05 (one)."""


def test_calibration() -> None:
    """The text, in 80 columns, and the Markdown have the diagram and what thresholds leave."""
    text = report(baseline=True, sure=SURE).text()
    assert max(map(len, text.splitlines())) <= 80
    section = text.split("\n\nCalibration\n")[1]
    # (4 * .05 + 2 * .25 + 2 * .45) / 8 = .2; Brier: (2 * .55² + 2 * .45² + .75² + .25² + .95² + .05²) / 8.
    assert section.splitlines() == [
        "ECE .200, Brier .318 (first 10 candidates of each query: 8)",
        "",
        "probability     count   mean  right  # share right, | mean probability",
        "0.0-0.1             2   .050   .500  ##|##############",
        "0.2-0.3             2   .250   .500  ########|########",
        "0.4-0.5             4   .450   .500  ###############|#",
        "",
        "silent below   answered   first right   right in first 5",
        *(
            f"{threshold:>12}     100.0%          .500              1.000"
            for threshold in (".020", ".050", ".100", ".150", ".200", ".300", ".400")
        ),
        "        .500       0.0%             –                  –",
    ]
    markdown = report(sure=SURE).markdown()
    assert markdown.endswith(f"## Calibration\n\n```text\n{section}\n```\n")
    assert "alibration" not in report().text() + report().markdown()


def test_calibration_document() -> None:
    """The JSON has the same numbers, unrounded; a baseline has its own, or null."""
    document = json.loads(as_json(report(baseline=True, sure=SURE)))
    found = document["calibration"]
    assert {name: found[name] for name in ("queries", "pairs", "ece")} == {
        "queries": 4,
        "pairs": 8,
        "ece": pytest.approx(0.2),
    }
    assert found["bins"][0] == {"low": 0.0, "high": 0.1, "count": 2, "mean": 0.05, "right": 0.5}
    assert found["silence"][-1] == {
        "threshold": 0.5,
        "answered": 0.0,
        "first_right": None,
        "five_right": None,
    }
    assert document["baseline"]["calibration"] is None


def test_plot() -> None:
    """An SVG file that says what was measured; an error where there is nothing to draw."""
    assert "<title>local: contexts.jsonl, full</title>" in report(sure=SURE).plot()
    with pytest.raises(QueryError, match="full gives no probabilities"):
        report().plot()


@pytest.mark.parametrize("name", ["local", "local.md", "local.json"])
def test_save(tmp_path: Path, name: str) -> None:
    """Markdown and JSON lie side by side, whichever was named."""
    markdown, document = save(report(), tmp_path / name)
    assert (markdown.name, document.name) == ("local.md", "local.json")
    assert markdown.read_text() == report().markdown()
    assert json.loads(document.read_text())["task"] == "local"


def test_save_keeps_dots(tmp_path: Path) -> None:
    """A dot in a name is part of it."""
    assert save(report(), tmp_path / "local.val")[0].name == "local.val.md"


def test_save_nowhere(tmp_path: Path) -> None:
    """A folder that is not there gives a typed error."""
    with pytest.raises(StorageError):
        save(report(), tmp_path / "absent" / "local.md")


def test_every_field_is_documented() -> None:
    """docs/evaluation.md names every field of the document."""
    page = (Path(__file__).parents[3] / "docs" / "evaluation.md").read_text()
    for field in report(baseline=True).document():
        assert f"`{field}`" in page, field
