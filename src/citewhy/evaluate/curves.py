"""Curves over a common axis as an SVG, 560 pixels wide: recall by depth, and the like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from citewhy.evaluate.svg import sheet

__all__ = ["curves_svg"]

_WIDTH, _HEIGHT = 560, 400
_LEFT, _TOP, _ACROSS, _DOWN = 56, 44, 480, 296
"""Corner and sides of the rectangle of the curves, in pixels."""

_COLOURS = ("#0b4f8a", "#b3261e", "#2e7d32", "#8e5a00", "#6a1b9a", "#444")
_DASHES = ("", "7 4", "2 3")
"""Curves that share a colour differ by their dashes."""

_TICKS = 5

_STYLE = (
    "text{font-family:sans-serif;font-size:11px;fill:#222;text-anchor:middle}"
    ".title{font-size:13px;font-weight:bold}.tick{text-anchor:end}.name{text-anchor:start}"
    ".grid{stroke:#ddd}.axis{stroke:#222;fill:none}.curve{fill:none;stroke-width:1.6}"
)


def curves_svg(curves: Mapping[str, Sequence[tuple[float, float]]], title: str, across: str, up: str) -> str:
    """Name of a curve → its points (x ≥ 0, y in [0, 1]) in order of x; `across` and `up` name the axes.

    Raises ValueError where there is no point.
    """
    widest = max((x for points in curves.values() for x, _ in points), default=0.0)
    if not widest:
        raise ValueError("there is nothing to draw")
    drawn = [
        f'<text class="title" x="{_WIDTH / 2}" y="22">{escape(title)}</text>',
        *_axes(widest, across, up),
        *_lines(curves, widest),
    ]
    return sheet(_WIDTH, _HEIGHT, title, _STYLE, drawn)


def _axes(widest: float, across: str, up: str) -> Iterator[str]:
    for tick in range(_TICKS + 1):
        share = tick / _TICKS
        x, y = _LEFT + share * _ACROSS, _TOP + (1 - share) * _DOWN
        yield f'<line class="grid" x1="{_LEFT}" y1="{y:.1f}" x2="{_LEFT + _ACROSS}" y2="{y:.1f}"/>'
        yield f'<text class="tick" x="{_LEFT - 6}" y="{y + 4:.1f}">{share:g}</text>'
        yield f'<text x="{x:.1f}" y="{_TOP + _DOWN + 15}">{share * widest:,.0f}</text>'
    yield f'<rect class="axis" x="{_LEFT}" y="{_TOP}" width="{_ACROSS}" height="{_DOWN}"/>'
    yield f'<text x="{_LEFT + _ACROSS / 2}" y="{_TOP + _DOWN + 34}">{escape(across)}</text>'
    middle = _TOP + _DOWN / 2
    yield f'<text x="15" y="{middle}" transform="rotate(-90 15 {middle})">{escape(up)}</text>'


def _lines(curves: Mapping[str, Sequence[tuple[float, float]]], widest: float) -> Iterator[str]:
    """Each with its name at the lower right, in the order given."""
    for number, (name, points) in enumerate(curves.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        dashes = _DASHES[number // len(_COLOURS) % len(_DASHES)]
        drawn = f'stroke="{colour}"' + (f' stroke-dasharray="{dashes}"' if dashes else "")
        path = " ".join(f"{_LEFT + x / widest * _ACROSS:.1f},{_TOP + (1 - y) * _DOWN:.1f}" for x, y in points)
        yield f'<polyline class="curve" {drawn} points="{path}"/>'
        y = _TOP + _DOWN - 14 - 15 * (len(curves) - 1 - number)
        x = _LEFT + _ACROSS - 200
        yield f'<line class="curve" {drawn} x1="{x}" y1="{y - 4}" x2="{x + 22}" y2="{y - 4}"/>'
        yield f'<text class="name" x="{x + 28}" y="{y}">{escape(name)}</text>'
