"""`citewhy backtest`: finished drafts, and the toy corpus."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from small_library import make_toy

from citewhy.base.errors import CiteWhyError, InputError, LibraryError, QueryError
from citewhy.base.records import Candidate, Query
from citewhy.doors.cli import cli
from citewhy.ranking.recommender import Recommender

TEXT = """\
---
title: How Machines Are Judged
date: 2008
bibliography: refs.bib
---
Translation is judged by n-grams and a penalty for brevity [@bleu]. Summaries are judged by their longest
common subsequences and skip-bigrams [@rouge; @elsewhere]. Frames are for later [@?].
"""

BIBLIOGRAPHY = """\
@misc{bleu, title = {Bleu: a Method for Automatic Evaluation of Machine Translation}, year = 2002,
  author = {Kishore Papineni and Salim Roukos and Todd Ward and Wei-Jing Zhu}}
@misc{rouge, title = {ROUGE: A Package for Automatic Evaluation of Summaries}, year = 2004,
  author = {Lin, Chin-Yew}}
@misc{elsewhere, title = {A Report That No Library Has}, author = {Nobody, Ann}, year = 2001}
"""


@pytest.fixture(scope="module")
def library(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("toy") / "library"
    make_toy(folder, toy).close()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    (tmp_path / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    (tmp_path / "draft.md").write_text(TEXT, encoding="utf-8")
    return tmp_path / "draft.md"


def run(library: Path, *arguments: object) -> Result:
    result = CliRunner().invoke(cli, ["backtest", *map(str, arguments), "--library", str(library)])
    if result.exception is not None and not isinstance(result.exception, CiteWhyError | SystemExit):
        raise result.exception
    return result


def test_document(library: Path, draft: Path) -> None:
    """One JSON document: that of `evaluate`, with places and drafts."""
    result = run(library, draft, "--pipeline", "bm25", "--baseline", "full", "--json")
    found = json.loads(result.stdout)
    assert result.stderr == ""
    assert (found["task"], found["file"], found["pipeline"]) == ("backtest", "draft.md", "bm25")
    assert (found["places"], found["queries"], found["judgements"]) == (2, 2, 2)
    assert found["measures"] == {"R@1": 1.0, "R@5": 1.0, "R@10": 1.0, "RR": 1.0}
    assert list(found["intervals"]) == list(found["difference"]) == list(found["measures"])
    (row,) = found["drafts"]
    assert row["file"] == str(draft)
    assert (row["cited"], row["keys_not_in_library"], row["keys_newer"], row["open"]) == (
        3,
        ["elsewhere"],
        [],
        1,
    )
    made = found["made"]
    assert [each.get("file") for each in made["data"]] == ["draft.md", "refs.bib", None]
    assert made["options"] == {
        "pipeline": "bm25",
        "encoder": None,
        "ranker": None,
        "baseline": "full",
        "as-of": None,
        "so-far": False,
    }


def test_in_sentences(library: Path, draft: Path) -> None:
    """The result comes first, as a person would say it; a draft that cites nothing has nothing to hide."""
    lines = run(library, draft, "--pipeline", "bm25").stdout.splitlines()
    assert lines[1:3] == [
        "2 citations hidden, one at a time.",
        "The hidden paper was the first suggestion in 100%, one of five in 100%.",
    ]
    draft.write_text("# A\n\nNothing is cited here [@?].\n", encoding="utf-8")
    with pytest.raises(QueryError, match=r"^draft\.md has no citations to hide; give a finished paper; "):
        raise run(library, draft).exception or AssertionError


def test_as_of(library: Path, draft: Path) -> None:
    """In 2003, the second paper was not there; and the same draft twice is asked once."""
    result = run(library, draft, draft.parent / "." / "draft.md", "--as-of", "2003", "--json")
    found = json.loads(result.stdout)
    assert (found["places"], len(found["drafts"]), found["drafts"][0]["keys_newer"]) == (1, 1, ["rouge"])
    assert found["made"]["options"]["as-of"] == 2003


def test_a_run_is_a_baseline(library: Path, draft: Path, tmp_path: Path) -> None:
    """The run that --run writes is the same system when it is read; the table fits the screen."""
    file = tmp_path / "bm25.run"
    assert run(library, draft, "--pipeline", "bm25", "--run", file).exit_code == 0
    assert {line.split()[5] for line in file.read_text(encoding="utf-8").splitlines()} == {"bm25"}
    result = run(library, draft, "--pipeline", "bm25", "--baseline", file)
    lines = result.stdout.splitlines()
    assert lines[0] == "backtest: draft.md"
    assert lines[3] == "2 queries, 2 judgements; each judgement counts once"
    assert max(map(len, lines)) <= 80
    (row,) = (line.split() for line in lines if line.startswith("R@1 "))
    assert row[1] == row[3] == "1.000"
    assert row[4] == "+.000"


def test_calibration(library: Path, draft: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Probabilities are judged and drawn, as `evaluate` does; words alone have none."""

    class Sure(Recommender):
        """Words alone, and one probability for all."""

        def rank(self, query: Query, k: int) -> list[Candidate]:  # type: ignore[override]
            return [replace(each, probability=0.1) for each in super().rank(query, k)]

    plot = tmp_path / "plot.svg"
    asked = (draft, "--pipeline", "bm25", "--plot", plot)
    assert "bm25 gives no probabilities" in str(run(library, *asked).exception)
    monkeypatch.setattr("citewhy.session.opened.Recommender", Sure)
    result = run(library, *asked, "--json")
    (only,) = json.loads(result.stdout)["calibration"]["bins"]
    assert (only["high"], only["right"] * only["count"]) == (0.1, 2)
    assert "<title>backtest: draft.md, bm25</title>" in plot.read_text(encoding="utf-8")
    lines = run(library, draft, "--pipeline", "bm25").stdout.splitlines()
    assert "Calibration" in lines
    assert max(map(len, lines)) <= 80


def test_bad_requests(library: Path, draft: Path, tmp_path: Path) -> None:
    """What cannot be measured is one sentence each, and nothing is printed."""
    cases: list[tuple[tuple[object, ...], type[CiteWhyError], str]] = [
        ((tmp_path / "absent.tex",), InputError, "absent.tex: no such file, expected a draft"),
        ((draft, "--as-of", "1990"), QueryError, "the library has none of the papers that draft.md"),
        ((draft, "--pipeline", "magic"), QueryError, "there is no pipeline magic"),
        ((draft, "--baseline", "magic"), QueryError, "the baseline 'magic' is neither a pipeline nor a file"),
        ((draft, "--run", tmp_path / "none" / "a.run"), LibraryError, "none: there is no such folder"),
    ]
    for arguments, kind, message in cases:
        result = run(library, *arguments)
        assert isinstance(result.exception, kind), arguments
        assert message in str(result.exception)
        assert result.stdout == ""
