"""What `speed.py` and `encoding.py` print: each figure, what is asked of it, and whether it holds."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Line", "document", "ratio", "table"]


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
    """Median over median. Raises ValueError where the peer took no time: nothing was measured."""
    peer = statistics.median(peers)
    if peer <= 0:
        raise ValueError("the peer took no time")
    return statistics.median(ours) / peer


def table(lines: Sequence[Line]) -> str:
    """The lines under each other, for people."""
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
    """The same for programs, with every single measurement (seconds, or MB) and how it was made."""
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
