"""The command line that benchmarks over the documents of other fields share."""

from __future__ import annotations

import argparse
from pathlib import Path

from shared_folders import DATA

__all__ = ["parser"]


def parser(description: str | None, *, required: bool = True) -> argparse.ArgumentParser:
    """With ``--documents``, which must be given if `required`, ``--manifest`` and ``--libraries``."""
    found = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    found.add_argument("--documents", type=Path, required=required, help="folder of the unpacked documents")
    found.add_argument("--manifest", type=Path, default=DATA / "external" / "documents.manifest.jsonl")
    found.add_argument("--libraries", type=Path, help="folder in which libraries are kept")
    return found
