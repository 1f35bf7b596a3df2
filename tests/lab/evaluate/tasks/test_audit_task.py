"""`evaluate audit`: HALLMARK's rows beside a library of its valid ones, and what is refused."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from citewhy.base.errors import InputError, QueryError
from citewhy.base.progress import silent
from citewhy.base.records import Paper
from citewhy_lab.evaluate.audits import restyled
from citewhy_lab.evaluate.tasks.audit import AuditTask

BEAM = {
    "title": "Beam Search for Parsing of Long Sentences",
    "author": "Ann Lee and Bo Li 0002",
    "booktitle": "NeurIPS",
    "year": "2019",
    "doi": "10.1000/beam",
}
TREES = {**BEAM, "title": "Trees of Words that Grow in Forests", "author": "Cy Mo", "doi": "10.1000/trees"}


def row(key: str, fields: dict[str, str], kind: str = "", tier: int | None = None) -> dict[str, Any]:
    return {
        "bibtex_key": key,
        "bibtex_type": "inproceedings",
        "fields": fields,
        "label": "HALLUCINATED" if kind else "VALID",
        "hallucination_type": kind or None,
        "difficulty_tier": tier,
    }


def written(file: Path, *rows: dict[str, Any]) -> Path:
    file.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return file


INVENTED = (
    row("c", {**BEAM, "author": "Zoe Yu and Ed Roe"}, "swapped_authors", 2),
    row("d", {**BEAM, "year": "2090"}, "future_date", 1),
    row("e", {"title": "Fish that Swim in Cold Rivers", "author": "Fay Sun", "year": "2020"}, "invented", 3),
)


def test_measures_by_tier_and_kind(tmp_path: Path) -> None:
    """What differs, is mixed or impossible is detected; what the library cannot know is not."""
    file = written(tmp_path / "rows.jsonl", row("a", BEAM), row("b", TREES), *INVENTED)
    outcome = AuditTask("audit", file).measure(silent)
    measures = outcome.document()["measures"]
    assert measures["detection rate"] == pytest.approx(2 / 3)
    assert measures["detection rate, paper there"] == 1
    assert measures["false-positive rate"] == measures["called known, paper absent"] == 0
    assert (measures["F1, tier 1"], measures["F1, tier 2"], measures["F1, tier 3"]) == (1, 1, 0)
    assert measures["F1, tier-weighted"] == pytest.approx(2 * 3 / (2 * 3 + 3))
    assert 0 < measures["ECE"] < 1
    assert "swapped_authors" in outcome.text()


def test_rows_that_the_rules_were_made_on_are_apart(tmp_path: Path) -> None:
    """Their valid rows are in the library; a row that is in both is not judged."""
    made = written(tmp_path / "dev.jsonl", row("a", BEAM), INVENTED[0])
    other = written(tmp_path / "new.jsonl", row("b", TREES), row("x", BEAM), INVENTED[1])
    document = AuditTask("audit", other, made).measure(silent).document()
    assert (document["queries"], document["library"]) == (2, 2)
    assert document["made_on"]["queries"] == 2
    assert document["measures"]["detection rate, paper there"] == 1
    with pytest.raises(QueryError, match="every row is one of --made-on"):
        AuditTask("audit", made, made).measure(silent)


def test_entries_as_bibtex_and_marks_of_the_file(tmp_path: Path) -> None:
    """A row may hold its entry as BibTeX; a canary is no entry."""
    entry = "@article{a, title = {Beam Search}, author = {Lee, Ann}, year = 2019, journal = {Nature}}"
    mark = {"bibtex_key": "x", "source": "canary", "label": "VALID"}
    bare = {"bibtex_key": "a", "bibtex": entry, "label": "VALID"}
    written(tmp_path / "rows.jsonl", mark, bare)
    assert AuditTask("audit", tmp_path).measure(silent).document()["queries"] == 1


@pytest.mark.parametrize(
    ("line", "problem"),
    [({"title": "A"}, "'label' is None"), ({"label": "VALID", "bibtex_key": "a"}, "neither 'fields' nor")],
)
def test_other_files(tmp_path: Path, line: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        AuditTask("audit", written(tmp_path / "rows.jsonl", line)).measure(silent)
    with pytest.raises(QueryError, match="no row is valid"):
        AuditTask("audit", written(tmp_path / "none.jsonl", *INVENTED)).measure(silent)


def test_another_style() -> None:
    """Initials, the venue in full, no number behind a name; a third lose their DOI, by the seed."""
    paper = Paper("a", "Trees", authors=("Ann B. Lee 0002", "Bo Li"), venue="ICML", doi="10.1000/a")
    rng = random.Random(7)
    papers = [restyled(paper, rng) for _ in range(300)]
    assert papers[0].authors == ("A. B. Lee", "B. Li")
    assert papers[0].venue == "International Conference on Machine Learning"
    assert 70 < sum(not one.doi for one in papers) < 130
