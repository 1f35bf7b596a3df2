"""The version, the folders for libraries and caches, and the defaults of options."""

from __future__ import annotations

import os
from pathlib import Path

VERSION = "0.2.0.dev0"
"""The version of the package, which `pyproject.toml` reads from here."""

LIBRARY_VARIABLE = "CITEWHY_LIBRARY"
"""Environment variable that names the library folder in place of the user's data folder."""

CACHE_VARIABLE = "CITEWHY_CACHE"
"""Environment variable that names the folder for files that can be created again, in place of the user's
cache folder."""

DEFAULT_K = 5
"""Number of suggestions per query."""

DEFAULT_PASSAGES = 3
"""Number of passages of a paper."""

DEFAULT_SEED = 7

FEW_COLLECTIONS = (500_000, 20, 20)
"""Thresholds of Python's collector of circular objects where many objects are made and hardly any is
circular."""

YEARS = (1500, 2099)
"""The first and the last valid year of publication."""


def default_library() -> Path:
    """The folder of the library that commands use without `--library`."""
    if named := os.environ.get(LIBRARY_VARIABLE):
        return Path(named)
    return data_folder() / "library"


def data_folder() -> Path:
    """The folder for what cannot be created again: the library, and the key of undo journals."""
    import platformdirs  # imported here, because most calls name their library

    return Path(platformdirs.user_data_dir("citewhy"))


def cache_folder() -> Path:
    """The folder for files that can be created again."""
    if named := os.environ.get(CACHE_VARIABLE):
        return Path(named)
    import platformdirs

    return Path(platformdirs.user_cache_dir("citewhy"))
