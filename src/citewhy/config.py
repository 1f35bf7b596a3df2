"""The version, and defaults in one place: where a library lives, and what a command line may change."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = [
    "CACHE_VARIABLE",
    "DEFAULT_K",
    "DEFAULT_PASSAGES",
    "DEFAULT_SEED",
    "LIBRARY_VARIABLE",
    "VERSION",
    "YEARS",
    "cache_folder",
    "default_library",
]

VERSION = "0.1.0"
"""Of the package; `pyproject.toml` reads it from here."""

LIBRARY_VARIABLE = "CITEWHY_LIBRARY"
"""Environment variable that names the library folder in place of the user's data folder."""

CACHE_VARIABLE = "CITEWHY_CACHE"
"""Environment variable that names the folder for what can be made again, in place of the user's cache."""

DEFAULT_K = 5
"""Suggestions a place."""

DEFAULT_PASSAGES = 3
"""Passages of a paper."""

DEFAULT_SEED = 7

YEARS = (1500, 2099)
"""The first and the last calendar year that a paper can be of."""


def default_library() -> Path:
    """The library that commands use unless `--library` names another."""
    if named := os.environ.get(LIBRARY_VARIABLE):
        return Path(named)
    import platformdirs  # only here: most calls name their library

    return Path(platformdirs.user_data_dir("citewhy")) / "library"


def cache_folder() -> Path:
    """Where what can be made again is kept."""
    if named := os.environ.get(CACHE_VARIABLE):
        return Path(named)
    import platformdirs

    return Path(platformdirs.user_cache_dir("citewhy"))
