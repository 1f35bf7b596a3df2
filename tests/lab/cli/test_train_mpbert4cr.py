"""`citewhy train mpbert4cr`, and the folder that it makes behind `--reranker`."""

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


@pytest.mark.parametrize(
    ("option", "value", "what"),
    [
        ("--preset", "large", "there is no preset large; choose from: source, source-acl, small"),
        ("--objective", "mpt", "there is no objective mpt; choose from: triplet, mpt-tgt, mpt-src"),
        ("--sentence-encoder", "bert", "there is no sentence encoder bert; choose from: trained, built-in"),
    ],
)
def test_names_that_are_not_there(toy: Path, tmp_path: Path, option: str, value: str, what: str) -> None:
    """They are told with those that are, before any work is done."""
    error = run("train", "mpbert4cr", "--data", toy, "--out", tmp_path / "out", option, value).exception
    assert isinstance(error, QueryError)
    assert str(error).startswith(what)
    assert list(tmp_path.iterdir()) == []


def test_trained_and_served(toy: Path, tmp_path: Path) -> None:
    """One epoch on the toy corpus, with its full texts and the built-in sentence encoder: the folder is
    measured beside the first stage, and gives its reasons."""
    for needed in ("torch", "safetensors"):
        pytest.importorskip(needed, reason="needs the extra lab")
    out, library = tmp_path / "out", tmp_path / "library"
    done = run(
        *("train", "mpbert4cr", "--data", toy, "--out", out, "--until", 2005, "--epochs", 1),
        *("--full-texts", toy / "fulltext.jsonl", "--preset", "small", "--sentence-encoder", "built-in"),
        *("--with-held-out", "--quiet"),
    )
    assert done.exception is None
    lines = done.output.splitlines()
    assert lines[0] == "learned    8 pairs of 8 sentences up to 2005"
    assert "for the order of bm25 (" in lines[2]
    assert lines[3] == f"written    {out}"
    make_toy(library, toy).close()
    measured = run(
        *("evaluate", "local", toy / "contexts.jsonl", "--library", library, "--pipeline", "bm25"),
        *("--reranker", out, "--baseline", "bm25", "--json", "--quiet"),
    )
    report = orjson.loads(measured.output)
    assert report["pipeline"] == "bm25+MP-BERT4CR"
    assert report["measures"]["R@1000"] == report["baseline"]["measures"]["R@1000"]  # nothing new is found
    said = run(
        *("suggest", "--text", "We report BLEU (TARGETCIT).", "--library", library, "--pipeline", "bm25"),
        *("--reranker", out, "--json"),
    )
    first = orjson.loads(said.output)["suggestions"][0]
    assert "text" in {reason["kind"] for reason in first["reasons"]}
