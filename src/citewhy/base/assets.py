"""The package ships a starter library, two drafts to try it on, a list of words, and the models."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Literal

from citewhy.base.errors import CiteWhyError

_DRAFTS = {"latex": "example.tex", "markdown": "example.md"}


def starter_folder() -> Path:
    """The folder of the starter library: ``papers.jsonl``, ``citations.tsv``, ready for `citewhy add`.

    It belongs to the installation: read it, write elsewhere. Raises CiteWhyError where it is not a folder on
    disk, as in an installation that runs from a zip file.
    """
    return _shipped("starter")


def example_draft(kind: Literal["latex", "markdown"]) -> Path:
    """The root file of an example draft; its sections and its ``.bib`` file lie beside it.

    Copy the whole folder before editing. Raises CiteWhyError as `starter_folder` does, ValueError for
    another kind.
    """
    if kind not in _DRAFTS:
        raise ValueError(f"there is no example draft of kind {kind!r}; expected latex or markdown")
    return _shipped("drafts", _DRAFTS[kind])


def encoder_folder() -> Path:
    """The folder of the default encoder (`encode.default_encoder`). Raises as `starter_folder` does."""
    return _shipped("encoder")


def ranker_folder() -> Path:
    """The folder of the default ranker (`rank.model.default_model`). Raises as `starter_folder` does."""
    return _shipped("ranker")


def linker_folder() -> Path:
    """The folder of the default linker (`linkage.default_linker`). Raises as `starter_folder` does."""
    return _shipped("linker")


def intent_folder() -> Path:
    """The folder of the default classifier of intents (`intents.classifier`). Raises as `starter_folder`
    does."""
    return _shipped("intent")


def discourse_folder() -> Path:
    """The folder of the default discourse tagger (`classify.discourse.default_tagger`). Raises as
    `starter_folder` does."""
    return _shipped("discourse")


def needs_folder() -> Path:
    """The folder of the classifier that tells which sentences need a citation (`citewhy train needs`). Raises
    as `starter_folder` does."""
    return _shipped("needs")


def sets_folder() -> Path:
    """The folder of the default set model (`sets.model.default_set_model`). Raises as `starter_folder`
    does."""
    return _shipped("sets")


def missing_folder() -> Path:
    """The folder of the default model of missing works (`missing.model.default_missing_model`). Raises as
    `starter_folder` does."""
    return _shipped("missing")


def words_file() -> Path:
    """The list of ordinary words, one a line (`text.ordinary_words`). Raises as `starter_folder` does."""
    return _shipped("words", "ordinary.txt")


def _shipped(*names: str) -> Path:
    path = resources.files("citewhy").joinpath("assets").joinpath(*names)
    if not isinstance(path, Path) or not path.exists():
        raise CiteWhyError(
            f"{'/'.join(names)} is missing from this installation of citewhy: install it again"
        )
    return path
