"""`citewhy evaluate` on the toy corpus, with the pipeline that is served."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from citewhy.base.assets import encoder_folder
from citewhy.base.errors import CiteWhyError, InputError, QueryError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Candidate, Paper, Query
from citewhy.doors.cli import cli
from citewhy.papers.formats import read
from citewhy.papers.library.store import Library
from citewhy.ranking.recommender import Recommender
from citewhy_lab.cli.evaluate import EPILOG, command
from citewhy_lab.evaluate.runs import read_trec
from citewhy_lab.evaluate.tasks import TASKS

FILES = ("papers.jsonl", "paper_aliases.tsv", "contexts.jsonl", "citations.tsv")


@pytest.fixture(scope="module")
def library(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of the whole toy corpus, its citing sentences included, and a paper without an abstract."""
    folder = tmp_path_factory.mktemp("toy") / "library"
    report = ImportReport()
    with Library.open(folder, create=True) as opened:
        opened.add_all([(name, read(toy / name, report)) for name in FILES], report)
        opened.add([Paper("bare", "A Paper Without an Abstract", year=2001)], report)
    return folder


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    """Whole papers of the toy corpus as queries; W04-1013 cites one paper that no library has."""
    rows = [
        {"query_id": "P07-2045", "cited_ids": ["N03-1017", "P03-1021"], "year": 2007},
        {"query_id": "W04-1013", "cited_ids": ["P02-1040", "X99-9999"], "year": 2004},
    ]
    path = tmp_path / "global.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def run(library: Path, *arguments: object) -> Result:
    result = CliRunner().invoke(cli, ["evaluate", *map(str, arguments), "--library", str(library)])
    if result.exception is not None and not isinstance(result.exception, CiteWhyError | SystemExit):
        raise result.exception
    return result


def document(library: Path, *arguments: object) -> dict[str, Any]:
    result = run(library, *arguments, "--json")
    assert result.exit_code == 0, result.exception
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def failure(library: Path, *arguments: object) -> str:
    result = run(library, *arguments)
    assert isinstance(result.exception, CiteWhyError)
    assert result.stdout == ""
    return str(result.exception)


def test_local(toy: Path, library: Path) -> None:
    """The document for `local` has what the design promises, and says what it was made of."""
    found = document(library, "local", toy / "contexts.jsonl")
    assert found["task"] == "local"
    assert found["pipeline"] == "full"
    assert found["average"] == "judgements"
    assert found["queries"] == 14
    assert found["judgements"] >= 14
    assert list(found["measures"]) == list(found["intervals"]) == ["R@10", "R@100", "R@1000", "RR"]
    assert all(0 <= value <= 1 for value in found["measures"].values())
    assert 0 < found["seconds_per_query"]["p50"] <= found["seconds_per_query"]["p95"]
    assert found["peak_rss_mb"] > 0
    made = found["made"]
    assert made["data"][0]["file"] == "contexts.jsonl"
    assert len(made["data"][0]["sha256"]) == 64
    assert made["data"][1]["library"]["contexts"]["number"] == 14
    assert made["options"] == {
        "pipeline": "full",
        "first_stage_weight": [],
        "encoder": None,
        "ranker": None,
        "reranker": [],
        "first-stage": [],
        "baseline": None,
        "pool": "all",
        "known": 0.0,
        "unseen": None,
        "held_out": False,
        "k": 1000,
        "limit": None,
    }
    assert made["seed"] == 7


def test_same_again(toy: Path, library: Path) -> None:
    """Two runs give the same document, but for time and memory."""
    one, two = (document(library, "local", toy / "contexts.jsonl", "--baseline", "bm25") for _ in range(2))
    for found in (one, two):
        for clocked in (found, found["baseline"]):
            clocked.pop("seconds_per_query")
        found.pop("peak_rss_mb")
    assert one == two


def test_leaks_change_nothing(toy: Path, tmp_path: Path) -> None:
    """What a citing paper itself wrote never helps: with its contexts and edges in the library or without,
    the run for its sentences is the same."""
    lines = (toy / "contexts.jsonl").read_text().splitlines()
    asked = [line for line in lines if json.loads(line)["citing_id"] == "W04-1013"]
    assert asked
    questions = tmp_path / "asked.jsonl"
    questions.write_text("".join(line + "\n" for line in asked))
    runs = []
    for leak in (False, True):
        folder = tmp_path / f"library-{leak}"
        report = ImportReport()
        with Library.open(folder, create=True) as opened:
            opened.add(read(toy / "papers.jsonl", report), report)
            for name in ("contexts.jsonl", "citations.tsv"):
                known = [
                    record
                    for record in read(toy / name, report)
                    if leak or getattr(record, "citing_id", "") != "W04-1013"
                ]
                opened.add(known, report)
        file = tmp_path / f"{leak}.run"
        assert run(folder, "local", questions, "--run", file).exit_code == 0
        runs.append(read_trec(file))
    without, with_leak = runs
    assert len(without) == len(asked)
    for query, ranking in without.items():
        assert with_leak[query].paper_ids == ranking.paper_ids
        # Sums in single precision may differ in their last digits.
        assert list(with_leak[query].scores) == pytest.approx(list(ranking.scores), rel=1e-5)


class Sure(Recommender):
    """Words alone, with a probability for each rank."""

    def __init__(self, library: Library, pipeline: object, *more: Any, **options: Any) -> None:
        super().__init__(library, "bm25", *more, **options)

    def rank(self, query: Query, k: int) -> list[Candidate]:  # type: ignore[override]
        found = enumerate(super().rank(query, k), start=1)
        return [replace(each, probability=0.5**rank) for rank, each in found]


def test_calibration(toy: Path, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where candidates have probabilities, they are judged in all outputs; --plot draws them."""
    monkeypatch.setattr("citewhy.session.opened.Recommender", Sure)
    result = run(library, "local", toy / "contexts.jsonl", "--plot", tmp_path / "plot.svg")
    assert result.exit_code == 0
    assert "\n\nCalibration\nECE ." in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "<title>local: contexts.jsonl, full</title>" in (tmp_path / "plot.svg").read_text(encoding="utf-8")
    found = document(library, "local", toy / "contexts.jsonl", "-k", "3")["calibration"]
    assert (found["queries"], found["silence"][0]["answered"]) == (14, 1.0)
    assert 14 < found["pairs"] == sum(each["count"] for each in found["bins"]) <= 3 * 14
    assert [each["mean"] for each in found["bins"]] == [0.125, 0.25, 0.5]
    first_right, five_right = found["silence"][0]["first_right"], found["silence"][0]["five_right"]
    assert first_right == found["bins"][-1]["right"]
    assert first_right < five_right <= 1


def test_no_probabilities(toy: Path, library: Path, tmp_path: Path) -> None:
    """Words alone give none: null, and no plot; the numbers are printed all the same."""
    asked = ("local", toy / "contexts.jsonl", "--pipeline", "bm25")
    assert document(library, *asked)["calibration"] is None
    result = run(library, *asked, "--plot", tmp_path / "plot.svg")
    assert isinstance(result.exception, QueryError)
    assert "bm25 gives no probabilities" in str(result.exception)
    assert "R@10" in result.stdout
    assert not (tmp_path / "plot.svg").exists()
    assert "there is no such folder" in failure(library, *asked, "--plot", tmp_path / "none" / "plot.svg")


def test_global_against_a_run(library: Path, queries: Path, tmp_path: Path) -> None:
    """A run file is a second column; its numbers are those of its order, missed papers included."""
    other = tmp_path / "other.run"
    other.write_text("P07-2045 Q0 P02-1040 1 3 x\nP07-2045 Q0 N03-1017 2 2 x\nW04-1013 Q0 P02-1040 1 1 x\n")
    found = document(library, "global", queries, "--baseline", other, "--measure", "R@10", "--measure", "RR")
    assert found["average"] == "queries"
    assert (found["queries"], found["judgements"], found["not_in_library"]) == (2, 4, 1)
    assert found["baseline"]["pipeline"] == "other.run"
    assert found["baseline"]["measures"] == {"R@10": 0.5, "RR": 0.75}
    assert found["baseline"]["seconds_per_query"] == {"p50": None, "p95": None}
    for name, value in found["measures"].items():
        difference = found["difference"][name]
        assert difference["value"] == pytest.approx(value - found["baseline"]["measures"][name])
        assert 0 < difference["p_randomisation"] <= 1
    assert [facts["file"] for facts in found["made"]["data"] if "file" in facts] == [
        "global.jsonl",
        "other.run",
    ]


def test_own_run_read_back(toy: Path, library: Path, tmp_path: Path) -> None:
    """A run that was written is the same system when it is read: no measure differs."""
    file = tmp_path / "bm25.run"
    wrote = document(library, "local", toy / "contexts.jsonl", "--pipeline", "bm25", "--run", file)
    found = document(library, "local", toy / "contexts.jsonl", "--pipeline", "bm25", "--baseline", file)
    assert found["baseline"]["measures"] == wrote["measures"]
    assert {difference["value"] for difference in found["difference"].values()} == {0.0}


def test_known(library: Path, queries: Path) -> None:
    """With half of the references known, the other half is judged."""
    found = document(library, "global", queries, "--known", "0.5", "--baseline", "bm25")
    assert found["judgements"] == 2
    assert found["baseline"]["pipeline"] == "bm25"
    assert found["notes"] == ["50% of each query's references are known to it and not asked for"]


def test_another_encoder(toy: Path, library: Path, tmp_path: Path) -> None:
    """The folder that `train encoder` makes: the package's own, named by its folder, gives the same numbers;
    a folder that is none is refused."""
    own, named = tmp_path / "own", ["local", toy / "contexts.jsonl", "--pipeline", "dense"]
    shutil.copytree(encoder_folder(), own)
    found = document(library, *named, "--encoder", own)
    assert found["made"]["options"]["encoder"] == "own"
    assert found["measures"] == document(library, *named)["measures"]
    (own / "model.onnx").unlink()
    assert "model.onnx: a file listed in the manifest is missing" in failure(
        library, *named, "--encoder", own
    )
    assert "no-such" in failure(library, *named, "--encoder", tmp_path / "no-such")


def test_another_ranker(toy: Path, library: Path, tmp_path: Path) -> None:
    """The folder that `train ranker` makes: one whose trees know nothing changes the numbers, by name."""
    from small_ranker import document as ranker

    from citewhy.ranking.rank.folder import write_ranker

    write_ranker(tmp_path / "mine", "mine", ranker({"age": -1.0}) | {"making": {}})
    named = ["local", toy / "contexts.jsonl"]
    found = document(library, *named, "--ranker", tmp_path / "mine")
    assert found["made"]["options"]["ranker"] == "mine"
    assert found["measures"] != document(library, *named)["measures"]


def test_unseen(toy: Path, library: Path) -> None:
    """Hidden papers alone are judged, in those contexts that cite them."""
    found = document(library, "local", toy / "contexts.jsonl", "--unseen", "1", "--seed", "3")
    assert 1 <= found["judgements"] == found["queries"] < 14
    assert found["notes"] == ["1 cited papers were hidden (seed 3); only they are judged"]


def test_pools(toy: Path, library: Path) -> None:
    """Papers with an abstract are a smaller pool; the paper that asks is in neither."""
    everything = document(library, "local", toy / "contexts.jsonl")
    abstracts = document(library, "local", toy / "contexts.jsonl", "--pool", "abstract")
    assert (everything["pool"], abstracts["pool"]) == (13, 12)
    assert (everything["pool_kind"], abstracts["pool_kind"]) == ("all", "abstract")


def test_limit_and_depth(toy: Path, library: Path) -> None:
    """A quick look says that it is one, and leaves out measures that it cannot tell."""
    found = document(library, "local", toy / "contexts.jsonl", "--limit", "3", "-k", "20")
    assert found["queries"] == 3
    assert list(found["measures"]) == ["R@10", "RR"]
    assert found["notes"] == [
        "the first 3 of 14 queries only",
        "not measurable with 20 candidates: R@100, R@1000",
    ]


def test_table(toy: Path, library: Path) -> None:
    """Without --json, people get a table that fits their terminal; nothing goes to standard error."""
    result = run(library, "local", toy / "contexts.jsonl", "--baseline", "bm25")
    assert result.stdout.startswith("local: contexts.jsonl\n14 queries")
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert result.stderr == ""


def test_run_and_out(toy: Path, library: Path, tmp_path: Path) -> None:
    """--run writes a TREC run of six columns, --out a table and its JSON."""
    arguments = ("--run", tmp_path / "full.run", "--out", tmp_path / "local.md")
    found = document(library, "local", toy / "contexts.jsonl", *arguments)
    rows = [line.split() for line in (tmp_path / "full.run").read_text().splitlines()]
    assert {len(row) for row in rows} == {6}
    assert {row[5] for row in rows} == {"full"}
    assert rows[0][:2] == ["N03-1017_1", "Q0"]
    assert rows[0][3] == "1"
    assert json.loads((tmp_path / "local.json").read_text()) == found
    assert (tmp_path / "local.md").read_text().startswith("# local: contexts.jsonl\n")


def test_bad_requests(toy: Path, library: Path, queries: Path, tmp_path: Path) -> None:
    """What cannot be measured is one sentence each, with file and line where a file is wrong."""
    contexts = toy / "contexts.jsonl"
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    foreign = tmp_path / "foreign.run"
    foreign.write_text("q Q0 A 1 1 x\n")
    cases: list[tuple[tuple[object, ...], str]] = [
        (("locale", contexts), "there is no task 'locale'; known: local, global"),
        (("global", contexts), "contexts.jsonl:1: task global expects whole papers as queries"),
        (("local", queries), "global.jsonl:1: task local expects citing sentences"),
        (("local", empty), "empty.jsonl: the file is empty"),
        (("local", tmp_path / "absent"), "absent: cannot read"),
        (("local", contexts, "--measure", "hits"), "there is no measure 'hits'"),
        (("local", contexts, "--known", "0.5"), "--known is not for the task local"),
        (("local", contexts, "--unseen", "99"), "--unseen 99 papers cannot be hidden; give 1 to "),
        (("local", contexts, "--pipeline", "magic"), "there is no pipeline"),
        (
            ("local", contexts, "--baseline", "magic"),
            "the baseline 'magic' is neither a pipeline nor a file; give a pipeline (bm25, dense, hybrid,"
            " full), or the path of a TREC run file",
        ),
        (("local", contexts, "--pool", "none"), "there is no pool"),
        (("local", contexts, "--baseline", foreign), "contains none of these queries"),
        (("local", contexts, "--run", tmp_path / "absent" / "a.run"), "absent: there is no such folder"),
        (("local", contexts, "--out", tmp_path / "absent" / "a.md"), "absent: there is no such folder"),
    ]
    for arguments, message in cases:
        assert message in failure(library, *arguments), arguments


def test_errors_are_of_one_kind(toy: Path, library: Path, queries: Path) -> None:
    """A wrong file is an InputError, a wrong request a QueryError."""
    assert isinstance(run(library, "local", queries).exception, InputError)
    assert isinstance(run(library, "local", toy / "contexts.jsonl", "--measure", "x").exception, QueryError)


def test_no_library(toy: Path, tmp_path: Path) -> None:
    """A library folder that is not there is named."""
    assert str(tmp_path / "absent") in failure(tmp_path / "absent", "local", toy / "contexts.jsonl")


def test_examples_in_the_help() -> None:
    """Every example of the help parses: its options exist."""
    examples = [line.split() for line in EPILOG.splitlines() if line.strip().startswith("citewhy evaluate")]
    assert len(examples) >= 4
    for words in examples:
        context = command.make_context("evaluate", words[2:], **cli.context_settings)
        assert context.params["task"] in TASKS
    shown = CliRunner().invoke(cli, ["evaluate", "--help"]).stdout
    assert all(" ".join(words) in shown for words in examples)


def test_names_that_are_not_utf_8(library: Path, queries: Path, tmp_path: Path) -> None:
    """Of the questions, the run and the table: all are written, and what they say is valid Unicode."""
    name = os.fsdecode(b"\xff")
    asked = queries.rename(tmp_path / f"{name}.jsonl")
    outputs = ("--out", tmp_path / f"{name}.md", "--run", tmp_path / f"{name}.run")
    written = document(library, "global", asked, "--pipeline", "bm25", *outputs)
    assert written["file"] == "\\udcff.jsonl"
    assert (tmp_path / f"{name}.md").read_text().startswith("# global: \\udcff.jsonl\n")
    assert json.loads((tmp_path / f"{name}.json").read_bytes())["file"] == "\\udcff.jsonl"
    compared = document(
        library, "global", asked, "--pipeline", "bm25", "--baseline", tmp_path / f"{name}.run"
    )
    assert "\\udcff.run" in str(compared)
