"""`citewhy train textbib`, and the folder that it makes behind `--reranker`."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner, Result
from small_library import make_toy

from citewhy.base.errors import DamagedError, MissingExtraError, QueryError, WrongKindError
from citewhy.doors.cli import cli
from citewhy.models import write_model


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)))


def needs_torch() -> None:
    for needed in ("torch", "scipy", "safetensors"):
        pytest.importorskip(needed, reason="needs the extra lab")


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (("--variant", "TEXT"), "there is no variant TEXT; choose from: TEXTCON, "),
        (("--regime", "lax"), "there is no regime lax; choose from: standard, strict"),
        (("--negatives", "far"), "there are no negatives 'far'; choose from: random, "),
    ],
)
def test_names_that_are_not_there(toy: Path, tmp_path: Path, wrong: tuple[str, str], problem: str) -> None:
    """Each is told with those that are, before any work is done."""
    error = run("train", "textbib", "--data", toy, "--out", tmp_path / "out", *wrong).exception
    assert isinstance(error, QueryError)
    assert str(error).startswith(problem)
    assert list(tmp_path.iterdir()) == []


def test_a_weight_without_a_reranker(toy: Path, tmp_path: Path) -> None:
    """It would count for nothing: both verbs say so."""
    make_toy(tmp_path / "library", toy).close()
    for call in (("suggest", "--text", "BLEU"), ("evaluate", "local", toy / "contexts.jsonl")):
        error = run(
            *call, "--library", tmp_path / "library", "--first-stage-weight", "0.1", "--quiet"
        ).exception
        assert isinstance(error, QueryError)
        assert "--first-stage-weight needs a reranker" in str(error)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, toy: Path, tmp_path: Path) -> None:
    """Training and opening both name the command that installs what is missing."""
    make_toy(tmp_path / "library", toy).close()
    (tmp_path / "reranker").mkdir()
    write_model(tmp_path / "reranker", "reranker", "textbib", "any", {})
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    for call in (
        ("train", "textbib", "--data", toy, "--out", tmp_path / "out"),
        ("suggest", "--text", "BLEU", "--library", tmp_path / "library", "--reranker", tmp_path / "reranker"),
    ):
        error = run(*call, "--quiet").exception
        assert isinstance(error, MissingExtraError)
        assert str(error).endswith("install it with: pip install 'citewhy[lab]'")


def test_trained_measured_and_asked(toy: Path, tmp_path: Path) -> None:
    """One epoch on the toy corpus: the folder is measured beside the first stage, and gives its reasons."""
    needs_torch()
    out, library = tmp_path / "out", tmp_path / "library"
    done = run(
        *("train", "textbib", "--data", toy, "--out", out, "--until", 2005, "--epochs", 1),
        *("--regime", "standard", "--with-held-out", "--quiet"),
    )
    assert done.exception is None
    lines = done.output.splitlines()
    assert lines[0] == "learned    8 pairs of 8 sentences up to 2005"
    assert "for the order of bm25 (" in lines[3]
    assert lines[3].endswith(" alone)")
    assert lines[4:] == [f"written    {out}", "           out.training beside it can be removed"]
    make_toy(library, toy).close()
    measured = run(
        *("evaluate", "local", toy / "contexts.jsonl", "--library", library, "--pipeline", "bm25"),
        *("--reranker", out, "--baseline", "bm25", "--json", "--quiet"),
    )
    report = orjson.loads(measured.output)
    assert (report["pipeline"], report["baseline"]["pipeline"]) == ("bm25+TEXTBIBENH-WS", "bm25")
    assert report["made"]["options"]["reranker"] == ["out"]
    assert report["measures"]["R@1000"] == report["baseline"]["measures"]["R@1000"]  # nothing new is found
    said = run(
        *("suggest", "--text", "We report BLEU (TARGETCIT).", "--library", library, "--pipeline", "bm25"),
        *("--reranker", out, "--json"),
    )
    first = orjson.loads(said.output)["suggestions"][0]
    assert {"text", "bibliography"} <= {reason["kind"] for reason in first["reasons"]}


def test_folders_that_are_no_reranker(toy: Path, tmp_path: Path) -> None:
    """An empty folder is damaged, a finished one of another kind is something else."""
    from citewhy.base.assets import encoder_folder

    make_toy(tmp_path / "library", toy).close()
    (tmp_path / "other").mkdir()
    call = ("suggest", "--text", "BLEU", "--library", tmp_path / "library", "--pipeline", "bm25")
    error = run(*call, "--reranker", tmp_path / "other").exception
    assert isinstance(error, DamagedError)
    error = run(*call, "--reranker", encoder_folder()).exception
    assert isinstance(error, WrongKindError)
    assert "this is an encoder (citewhy encoder" in str(error)
    assert "expected a reranker" in str(error)
