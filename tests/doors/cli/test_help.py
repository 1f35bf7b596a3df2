"""The help of every command: it loads nothing heavy, fits the screen, and its examples can be parsed."""

from __future__ import annotations

import shlex
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from citewhy.doors.cli import cli
from citewhy_lab.cli.datasets import DATASETS
from citewhy_lab.train.recipe import RECIPES

GROUPS = ("train", "datasets")

CALLS = [
    *(name for name in cli.list_commands(click.Context(cli)) if name not in GROUPS),
    *(f"train {recipe}" for recipe in RECIPES),
    *(f"datasets build {name}" for name in DATASETS),
]
"""All commands, the recipes of `train`, and the data sets of `datasets build`."""


def command(call: str) -> click.Command:
    called: click.Command = cli
    for name in call.split():
        assert isinstance(called, click.Group)
        inside = called.get_command(click.Context(called), name)
        assert inside is not None
        called = inside
    return called


def loaded_by(calls: list[str]) -> set[str]:
    """Packages, other than Python's own, that a process has loaded that shows the help of `calls`."""
    code = f"""
import sys
bare = set(sys.modules)
from citewhy.doors.cli import cli
for call in {calls}:
    try:
        cli([*call.split(), "--help"], prog_name="citewhy")
    except SystemExit as done:
        assert done.code == 0
print(*sorted({{name.split(".")[0] for name in set(sys.modules) - bare}}))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(done.stdout.splitlines()[-1].split()) - sys.stdlib_module_names


def shown(*arguments: str) -> str:
    result = CliRunner().invoke(cli, [*arguments, "--help"], prog_name="citewhy", terminal_width=80)
    assert result.exit_code == 0
    return result.output


def test_help_answers_at_once() -> None:
    """A process that shows the lists of commands, recipes and data sets has loaded click, and nothing else
    that is not Python's or ours: a command is imported when it is called."""
    assert loaded_by(["", *GROUPS, "datasets build"]) == {"citewhy", "citewhy_lab", "click"}


def test_help_needs_no_training() -> None:
    """No help of a command or recipe loads the packages of the extra `lab`."""
    heavy = {"gensim", "lightgbm", "matplotlib", "onnx", "safetensors", "scipy", "sklearn", "torch"}
    assert loaded_by(CALLS).isdisjoint({*heavy, "transformers"})


@pytest.mark.parametrize("call", ["", *GROUPS, "datasets build", *CALLS])
def test_help_fits_the_screen(call: str) -> None:
    """No line is wider than eighty columns."""
    assert [line for line in shown(*call.split()).splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("call", CALLS)
def test_every_option_is_explained(call: str) -> None:
    """Each option has a sentence, and each command a summary that the help of the group repeats."""
    options = [parameter for parameter in command(call).params if isinstance(parameter, click.Option)]
    assert options
    assert [option.name for option in options if not option.help] == []
    *group, name = call.split()
    assert f"  {name} " in shown(*group)


@pytest.mark.parametrize("call", CALLS)
def test_examples_are_commands(call: str) -> None:
    """Each example in the help is parsed by the command that it calls."""
    lines = [line.strip() for line in shown(*call.split()).split("Examples:")[1].splitlines()]
    examples = [shlex.split(line) for line in lines if line.startswith("citewhy ")]
    assert examples
    named = len(call.split())
    for _, *arguments in examples:
        assert arguments[:named] == call.split()
        # Raises UsageError for what it does not know. Click keeps the help option of the first context.
        command(call).make_context(call, arguments[named:], **cli.context_settings)


def test_unknown_command() -> None:
    """A misspelt command is reported in one line, with exit code 2, and with the one that is like it."""
    code = "from citewhy.doors.cli import main; main()"
    for given, message in {
        ("sugest",): "No such command 'sugest'. Did you mean 'suggest'?; see: citewhy --help",
        ("frobnicate",): "No such command 'frobnicate'; see: citewhy --help",
        ("train", "rankr"): "No such command 'rankr'. Did you mean 'ranker'?; see: citewhy train --help",
    }.items():
        done = subprocess.run(
            [sys.executable, "-c", code, *given], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"citewhy: {message}\n"


def test_ranges_are_ranges() -> None:
    """No option shows a range without bounds, and what is outside of one is refused."""
    for call in CALLS:
        assert "None]" not in shown(*call.split())
    refused = CliRunner().invoke(cli, ["evaluate", "global", "queries.jsonl", "--known", "1"])
    assert (refused.exit_code, "1.0 is not in the range 0<=x<1" in refused.output) == (2, True)


def test_help_as_people_type_it() -> None:
    """`citewhy help` is the help of the group, `citewhy help find` that of a command."""
    for typed, meant in (("help", "--help"), ("help find", "find --help"), ("help train", "train --help")):
        told, help_ = (CliRunner().invoke(cli, call.split(), prog_name="citewhy") for call in (typed, meant))
        assert (told.exit_code, told.output) == (0, help_.output)


@pytest.mark.parametrize("call", ["suggest", "review"])
def test_what_authors_need_comes_first(call: str) -> None:
    """Options of trained models stand in a group of their own, after the others."""
    help_ = CliRunner().invoke(cli, [call, "--help"], prog_name="citewhy").output
    authors, _, trainers = help_.partition("\nFor people who train models:\n")
    for name in ("--ranker", "--encoder", "--pipeline", "--reranker"):
        assert f"  {name} " not in authors
        assert f"  {name} " in trainers
    assert "  --library " in authors
    assert "\n  DRAFT" not in authors
