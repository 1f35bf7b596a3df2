"""Readers: those of the package, and those of other packages, which are found when a folder names them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from citewhy.base.errors import DamagedError, ModelError
from citewhy.models import GROUP, KINDS, READERS, ModelFolder, open_model, write_model
from citewhy.models.registry import find_reader, resolve

MODULE = """
class Letters:
    name, fingerprint, dimensions = "letters", "0" * 16, 2

    def __init__(self, folder):
        self.path = folder.path

    def encode(self, texts, kind):
        return None

class Nothing:
    def __init__(self, folder):
        self.name = "nothing"

class Fitted(Letters):
    def __init__(self, folder, encoder=None):
        super().__init__(folder)
        self.encoder = encoder

def broken(folder):
    return {}["key"]
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages in which ``letters`` is installed."""
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "letters.py").write_text(MODULE)
    monkeypatch.syspath_prepend(packages)
    return packages


def register(packages: Path, package: str, *entries: str) -> None:
    info = packages / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join([f"[{GROUP}]", *entries]) + "\n")


def folder(tmp_path: Path, reader: str) -> Path:
    made = tmp_path / "model"
    made.mkdir()
    write_model(made, "encoder", reader, "mine", {})
    return made


def test_those_of_the_package() -> None:
    """Each is named by a kind that there is, lives inside the package, and can be imported."""
    for key, target in READERS.items():
        kind, _, name = key.partition("/")
        assert kind in KINDS
        assert name
        assert target.startswith("citewhy.")
        assert callable(resolve(target))


def test_that_of_another_package(tmp_path: Path, installed: Path) -> None:
    """An entry point is enough; its module is imported when a folder names it, and not before."""
    register(installed, "letters", "encoder/letters = letters:Letters")
    made = folder(tmp_path, "letters")
    assert open_model(made, "encoder").path == made


def test_what_a_reader_needs_beside_the_folder(tmp_path: Path, installed: Path) -> None:
    """It is handed on to a reader with such a parameter; another reader is called without it."""
    register(installed, "letters", "encoder/fitted = letters:Fitted", "encoder/letters = letters:Letters")
    made = folder(tmp_path, "fitted")
    assert open_model(made, "encoder").encoder is None
    assert open_model(made, "encoder", encoder="mine").encoder == "mine"
    write_model(made, "encoder", "letters", "mine", {})
    assert open_model(made, "encoder", encoder="mine").path == made


def test_what_keeps_no_contract(tmp_path: Path, installed: Path) -> None:
    """An object that lacks members of the protocol is refused, and the members are named."""
    register(installed, "letters", "encoder/nothing = letters:Nothing")
    with pytest.raises(
        ModelError, match=r"did not return an encoder: it lacks dimensions, encode, fingerprint;"
    ):
        open_model(folder(tmp_path, "nothing"), "encoder")


def test_a_reader_that_fails(tmp_path: Path, installed: Path) -> None:
    """What it raises is said in one sentence, with the folder."""
    register(installed, "letters", "encoder/broken = letters:broken")
    made = folder(tmp_path, "broken")
    with pytest.raises(DamagedError) as caught:
        open_model(made, "encoder")
    assert str(caught.value).startswith(f"{made}: ")
    assert "the reader 'broken' cannot read an encoder from this folder (KeyError: 'key')" in str(
        caught.value
    )


@pytest.mark.parametrize("target", ["letters:NoSuch", "no_such_module:Letters", "letters"])
def test_a_reader_that_cannot_be_imported(installed: Path, target: str) -> None:
    """An error of the installation names what it should provide."""
    register(installed, "letters", f"encoder/letters = {target}")
    with pytest.raises(
        ModelError, match=f"cannot be imported.*check the installation that provides {target}"
    ):
        find_reader("encoder", "letters")


def test_a_kind_of_its_own(installed: Path) -> None:
    """A reader for one kind is none for another; those of the package are listed."""
    register(installed, "letters", "encoder/letters = letters:Letters")
    with pytest.raises(ModelError, match=r"no reader 'letters' for the kind ranker.*own: linear-trees"):
        find_reader("ranker", "letters")


def test_two_packages_with_one_name(installed: Path) -> None:
    """Neither is preferred."""
    register(installed, "letters", "encoder/letters = letters:Letters")
    register(installed, "others", "encoder/letters = letters:Nothing")
    with pytest.raises(ModelError, match=r"two installed packages provide.*letters:Letters, letters:Nothing"):
        find_reader("encoder", "letters")


def test_nobody_takes_the_place_of_the_package(installed: Path) -> None:
    """A name of the package's own is the package's own."""
    register(installed, "letters", "encoder/onnx = letters:Letters")
    assert find_reader("encoder", "onnx") is resolve(READERS["encoder/onnx"])


def test_opening_needs_no_other_reader() -> None:
    """A table of names imports nothing: a model that needs torch does not make the others need it."""
    code = "import citewhy.models, sys; assert not {'torch', 'onnxruntime', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_folder_is_no_code(tmp_path: Path) -> None:
    """A module in a model folder is not imported, whatever the manifest says."""
    made = folder(tmp_path, "evil:run")
    (made / "evil.py").write_text("raise SystemExit('imported')")
    with pytest.raises(ModelError, match="no reader 'evil:run'"):
        open_model(made, "encoder")
    assert importlib.util.find_spec("evil") is None


def test_what_a_reader_is_given(tmp_path: Path) -> None:
    """The folder, what the manifest says of it, and nothing that it does not list."""
    found = ModelFolder(tmp_path, "encoder", "x", "mine", {"size": 3}, {"a.json": {"bytes": 2, "crc32": 0}})
    (tmp_path / "a.json").write_text("{}")
    assert (found.json("a.json"), found.fact("size", int), dict(found.shapes("a.json"))) == ({}, 3, {})
