"""What the benchmarks share: where the data are, options of the command line, tables of figures.

This module imports nothing but the standard library: `speed.py` has to stay small.
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

__all__ = ["DATA", "DRAFTS", "MANIFEST", "Line", "document", "parser", "ratio", "table", "wilson"]

_SHARED = Path(__file__).parents[2] / "shared"

DATA = Path(os.environ.get("CITEWHY_DATA", _SHARED / "data"))
"""The folder of the collections, unless told otherwise."""

DRAFTS = Path(os.environ.get("CITEWHY_DRAFTS", _SHARED / "drafts"))
"""The folder of the drafts, unless told otherwise."""

MANIFEST = DATA / "external" / "documents.manifest.jsonl"
"""The list of the documents of other fields."""

_OPTIONS: dict[str, dict[str, Any]] = {
    "data": {"type": Path, "default": DATA, "help": "folder of the collections"},
    "drafts": {"type": Path, "default": DRAFTS, "help": "folder of the drafts"},
    "documents": {"type": Path, "help": "folder of the unpacked documents of other fields"},
    "manifest": {"type": Path, "default": MANIFEST, "help": "list of these documents"},
    "libraries": {"type": Path, "help": "folder in which libraries are kept"},
    "library": {"type": Path, "help": "library of the papers and contexts of the data folder"},
    "json": {"action": "store_true", "help": "print one JSON document"},
    "out": {"type": Path, "help": "write the JSON document to this file"},
    "errors": {"action": "store_true", "help": "list wrong and missing answers"},
}


def parser(description: str | None, *options: str) -> argparse.ArgumentParser:
    """Makes a parser with some of the options that benchmarks share; one that ends with ``!`` must be
    given."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    for option in options:
        name = option.removesuffix("!")
        required: dict[str, Any] = {"required": True} if option.endswith("!") else {}
        made.add_argument(f"--{name}", **_OPTIONS[name], **required)
    return made


def wilson(right: int, count: int) -> tuple[float, float]:
    """Computes Wilson's 95 % interval of a share."""
    if not count:
        return 0.0, 1.0
    z, p = 1.96, right / count
    middle = (p + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * sqrt(p * (1 - p) / count + z * z / (4 * count * count))
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True, slots=True)
class Line:
    """One figure. Smaller is better, but where `least` says otherwise."""

    what: str
    measured: float
    unit: str
    """``×`` (times the peer's), ``s``, ``ms``, ``MB``, ``texts/s``, ``triplets/s``; nothing: a share."""
    asked: float | None = None
    """The most that is wanted; None for a figure that is only told."""
    least: bool = False
    """Is `asked` the least that is wanted?"""

    @property
    def holds(self) -> bool | None:
        """None where nothing is asked."""
        if self.asked is None:
            return None
        return self.measured >= self.asked if self.least else self.measured <= self.asked


def ratio(ours: Sequence[float], peers: Sequence[float]) -> float:
    """Divides median by median. Raises ValueError where the peer took no time: nothing was measured."""
    peer = statistics.median(peers)
    if peer <= 0:
        raise ValueError("the peer took no time")
    return statistics.median(ours) / peer


def table(lines: Sequence[Line]) -> str:
    """Writes the lines under each other, for people."""
    cells = [("", "asked", "measured", "")]
    for line in lines:
        asked = "" if line.asked is None else f"{'≥' if line.least else '≤'} {_figure(line.asked, line.unit)}"
        verdict = {None: "", True: "yes", False: "no"}[line.holds]
        cells.append((line.what, asked, _figure(line.measured, line.unit), verdict))
    widths = [max(len(row[column]) for row in cells) for column in range(4)]
    return "\n".join(
        f"{what:{widths[0]}}  {asked:>{widths[1]}}  {measured:>{widths[2]}}  {verdict}".rstrip()
        for what, asked, measured, verdict in cells
    )


def document(
    lines: Sequence[Line], samples: dict[str, list[float]], making: dict[str, Any]
) -> dict[str, Any]:
    """Makes the same for programs, with every single measurement (seconds, or MB) and how it was made."""
    figures = [
        {
            "what": line.what,
            "asked": line.asked,
            "measured": line.measured,
            "unit": line.unit,
            "holds": line.holds,
        }
        for line in lines
    ]
    return {"lines": figures, "samples": samples, "making": making}


def _figure(value: float, unit: str) -> str:
    digits = {"MB": 0, "texts/s": 0, "triplets/s": 0, "ms": 1, "": 4}.get(unit, 2)
    return f"{value:,.{digits}f} {unit}".rstrip()
