"""`citewhy train`: what is refused before any work is done."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from citewhy.base.errors import InputError, MissingExtraError
from citewhy.doors.cli import cli
from citewhy_lab.train import requirements
from citewhy_lab.train.recipe import RECIPES
from citewhy_lab.train.requirements import default_start, start_sha256


def train(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["train", *map(str, arguments)])


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, toy: Path, tmp_path: Path) -> None:
    """The command that installs what is missing is named, and nothing was imported or written."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    error = train("encoder", "--data", toy, "--out", tmp_path / "out").exception
    assert isinstance(error, MissingExtraError)
    assert str(error).startswith("training (torch, transformers, onnx, safetensors are not installed)")
    assert str(error).endswith("install it with: pip install 'citewhy[lab]'")
    assert list(tmp_path.iterdir()) == []


def test_the_extra_is_looked_for_and_not_loaded() -> None:
    """Whether torch is there is found out without importing it."""
    code = (
        "import sys\nfrom citewhy.base.errors import MissingExtraError\n"
        "from citewhy_lab.train.requirements import check_modules\n"
        "try:\n    check_modules('torch', 'transformers', 'onnx', 'safetensors')\n"
        "except MissingExtraError:\n    pass\n"
        "assert not {'torch', 'transformers', 'onnx', 'safetensors'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_weights_of_another_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The default weights are checked: a package of the right name with others in it is refused."""
    model = tmp_path / "model"
    model.mkdir()
    for name in ("model.safetensors", "config.json", "tokenizer.json"):
        (model / name).write_text("{}")
    (tmp_path / "elsewhere_minilm.py").write_text("raise AssertionError('this is not run')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(requirements, "START_PACKAGE", "elsewhere_minilm")
    with pytest.raises(InputError, match=r"model\.safetensors: these are not the weights of all-MiniLM"):
        default_start()
    monkeypatch.setattr(requirements, "START_PACKAGE", "no_such_package")
    with pytest.raises(MissingExtraError):
        default_start()


def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    """The first file that is missing is named, and all that are expected."""
    with pytest.raises(
        InputError, match=r"there is no model\.safetensors; a model to start from is a folder"
    ):
        start_sha256(tmp_path)


def test_a_served_model_cannot_be_trained(tmp_path: Path) -> None:
    """It is told from a folder that lacks a file: what to give instead is said."""
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(InputError, match="as it is served, whose weights cannot be trained; give the folder"):
        start_sha256(tmp_path)


@pytest.mark.parametrize(
    "wrong", [("--steps", 0), ("--batch", 1), ("--until", 99), ("--seed", "x"), ("--temperature", 1)]
)
def test_options_out_of_range(wrong: tuple[str, object], toy: Path, tmp_path: Path) -> None:
    """A value that cannot be meant is a usage error, as is an option that is not there."""
    result = train("encoder", "--data", toy, "--out", tmp_path / "out", *wrong)
    assert result.exit_code == 2
    assert str(wrong[0]) in result.output


def test_an_unknown_recipe() -> None:
    """It is named, with the help that lists the others."""
    result = train("encodre")
    assert result.exit_code == 2
    assert "No such command 'encodre'" in result.output
    listed = train("--help").output
    assert [recipe for recipe in RECIPES if f"  {recipe} " not in listed] == []
