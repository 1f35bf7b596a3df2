"""`citewhy train ncn`, and the folder that it makes behind `--reranker`."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner, Result
from small_library import make_toy

from citewhy.base.errors import QueryError
from citewhy.doors.cli import cli


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)))


def test_a_regime_that_is_not_there(toy: Path, tmp_path: Path) -> None:
    """It is told with those that are, before any work is done."""
    error = run("train", "ncn", "--data", toy, "--out", tmp_path / "out", "--regime", "lax").exception
    assert isinstance(error, QueryError)
    assert str(error).startswith("there is no regime lax; choose from: standard, strict")
    assert list(tmp_path.iterdir()) == []


def test_trained_and_served(toy: Path, tmp_path: Path) -> None:
    """One epoch on the toy corpus: the folder is measured beside the first stage, and gives its reasons."""
    for needed in ("torch", "safetensors"):
        pytest.importorskip(needed, reason="needs the extra lab")
    out, library = tmp_path / "out", tmp_path / "library"
    done = run(
        *("train", "ncn", "--data", toy, "--out", out, "--until", 2005, "--epochs", 1),
        *("--with-held-out", "--quiet"),
    )
    assert done.exception is None
    lines = done.output.splitlines()
    assert lines[0] == "learned    8 pairs of 8 sentences up to 2005"
    assert "for the order of bm25 (" in lines[3]
    assert lines[4] == f"written    {out}"
    make_toy(library, toy).close()
    measured = run(
        *("evaluate", "local", toy / "contexts.jsonl", "--library", library, "--pipeline", "bm25"),
        *("--reranker", out, "--baseline", "bm25", "--json", "--quiet"),
    )
    report = orjson.loads(measured.output)
    assert report["pipeline"] == "bm25+NCN"
    assert report["measures"]["R@1000"] == report["baseline"]["measures"]["R@1000"]  # nothing new is found
    said = run(
        *("suggest", "--text", "We report BLEU (TARGETCIT).", "--library", library, "--pipeline", "bm25"),
        *("--reranker", out, "--json"),
    )
    first = orjson.loads(said.output)["suggestions"][0]
    assert "text" in {reason["kind"] for reason in first["reasons"]}
