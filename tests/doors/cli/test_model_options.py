"""Options that name a model folder: what is said where the folder is another one."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from small_library import make_toy

from citewhy.base.assets import encoder_folder, linker_folder, ranker_folder
from citewhy.base.errors import WrongKindError
from citewhy.doors.cli import cli


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    make_toy(folder, Path(__file__).parents[2] / "toy").close()
    return folder


@pytest.mark.parametrize(
    ("command", "is_", "expected"),
    [
        (["suggest", "--text", "BLEU", "--encoder", ranker_folder()], "a ranker", "an encoder"),
        (["suggest", "--text", "BLEU", "--reranker", encoder_folder()], "an encoder", "a reranker"),
        (["suggest", "--text", "BLEU", "--ranker", linker_folder()], "a linker", "a ranker"),
        (["passages", "P02-1040", "--text", "BLEU", "--linker", ranker_folder()], "a ranker", "a linker"),
        (["evaluate", "local", "contexts.jsonl", "--ranker", encoder_folder()], "an encoder", "a ranker"),
        (["evaluate", "local", "contexts.jsonl", "--encoder", linker_folder()], "a linker", "an encoder"),
        (["evaluate", "local", "contexts.jsonl", "--reranker", linker_folder()], "a linker", "a reranker"),
        (["evaluate", "linkage", "x.citances.jsonl", "--model", ranker_folder()], "a ranker", "a linker"),
    ],
)
def test_a_model_of_another_kind(
    library: Path, toy: Path, command: list[object], is_: str, expected: str
) -> None:
    """What the folder is and what was expected, where a KeyError would help nobody."""
    arguments = [str(toy / word) if word == "contexts.jsonl" else str(word) for word in command]
    if "--model" not in arguments:
        arguments += ["--library", str(library)]
    error = CliRunner().invoke(cli, arguments).exception
    assert isinstance(error, WrongKindError)
    assert f"this is {is_} (citewhy " in str(error)
    assert f"expected {expected}" in str(error)
