"""The reliability diagram as an SVG, 360 pixels wide."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from citewhy.evaluate.calibration import BINS, Calibration
from citewhy.evaluate.svg import sheet

__all__ = ["reliability_svg"]

_WIDTH, _HEIGHT = 360, 384
_LEFT, _TOP, _SIDE = 52, 58, 280
"""Corner and side of the square in which probabilities and shares go from 0 to 1, in pixels."""

_BOTTOM = _TOP + _SIDE
_LONGEST = 46
"""Letters of a title that fit."""

_STYLE = (
    "text{font-family:sans-serif;font-size:11px;fill:#222;text-anchor:middle}"
    ".title{font-size:13px;font-weight:bold}"
    ".count{font-size:10px;stroke:#fff;stroke-width:3px;paint-order:stroke}"
    ".tick{text-anchor:end}"
    ".bar{fill:#9ec5e8}.dot{fill:#0b4f8a}.grid{stroke:#ddd}.axis{stroke:#222;fill:none}"
    ".diagonal{stroke:#b3261e;stroke-dasharray:4 3}"
)


def reliability_svg(found: Calibration, title: str) -> str:
    """Bars: the share that is right in each bin, below the number of its candidates. Dots: that share over
    the mean probability. On the diagonal, both are equal."""
    drawn = [
        _text(_WIDTH / 2, 20, title if len(title) <= _LONGEST else f"{title[: _LONGEST - 1]}…", "title"),
        _text(
            _WIDTH / 2,
            38,
            f"ECE {found.ece:.3f}, Brier {found.brier:.3f}; {_short(found.pairs)} candidates of"
            f" {_short(found.queries)} queries",
        ),
        *_axes(),
        *_bins(found),
    ]
    return sheet(_WIDTH, _HEIGHT, title, _STYLE, drawn)


def _x(value: float) -> float:
    return _LEFT + value * _SIDE


def _y(value: float) -> float:
    return _BOTTOM - value * _SIDE


def _axes() -> Iterator[str]:
    for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        yield _line(0, tick, 1, tick, "grid")
        yield _text(_x(tick), _BOTTOM + 15, f"{tick:g}")
        yield _text(_LEFT - 6, _y(tick) + 4, f"{tick:g}", "tick")
    yield f'<rect class="axis" x="{_LEFT}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}"/>'
    yield _text(_x(0.5), _BOTTOM + 34, "given probability (dots: mean of the bin)")
    turned = f"rotate(-90 15 {_y(0.5):.1f})"
    yield f'<text x="15" y="{_y(0.5):.1f}" transform="{turned}">share that is right</text>'


def _bins(found: Calibration) -> Iterator[str]:
    """Bars first and the counts last, so that no bar hides a line or a number."""
    for each in found.bins:
        yield (
            f'<rect class="bar" x="{_x(each.low) + 1:.1f}" y="{_y(each.right):.1f}"'
            f' width="{_SIDE / BINS - 2:.1f}" height="{each.right * _SIDE:.1f}"/>'
        )
    yield _line(0, 0, 1, 1, "diagonal")
    for each in found.bins:
        yield f'<circle class="dot" cx="{_x(each.mean):.1f}" cy="{_y(each.right):.1f}" r="3.5"/>'
    for each in found.bins:
        # Above the bar, or in it where it reaches the top of the square.
        height = max(_y(each.right) - 8, _TOP + 11)
        yield _text((_x(each.low) + _x(each.high)) / 2, height, _short(each.count), "count")


def _short(count: int) -> str:
    """Four letters or so: ``950``, ``12.9k``, ``3.1M``."""
    for size, letter in ((1_000_000, "M"), (1000, "k")):
        if count >= size:
            return f"{count / size:.1f}".removesuffix(".0") + letter
    return str(count)


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    ends = f'x1="{_x(x1):.1f}" y1="{_y(y1):.1f}" x2="{_x(x2):.1f}" y2="{_y(y2):.1f}"'
    return f'<line class="{kind}" {ends}/>'
