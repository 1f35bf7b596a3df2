"""A dot plot as SVG: a line a thing, a dot a series, grouped; values from 0 to 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from citewhy.evaluate.svg import sheet

__all__ = ["dots_svg"]

_WIDTH, _LEFT, _RIGHT, _TOP, _LINE = 560, 110, 20, 62, 15
"""Pixels; `_LINE` is the height of one."""

_COLOURS = ("#0b4f8a", "#d98200", "#7a9a01", "#b3261e")
"""One a series, as many as there may be."""

_STYLE = (
    "text{font-family:sans-serif;font-size:11px;fill:#222}"
    ".title{font-size:13px;font-weight:bold}.group{font-weight:bold}.name{text-anchor:end}"
    ".tick{text-anchor:middle}.grid{stroke:#ddd}"
)

Row = tuple[str, str, Sequence[float]]


def dots_svg(title: str, series: Sequence[str], rows: Sequence[Row]) -> str:
    """`rows`: group, name, a value for each of `series`; rows of a group lie together."""
    groups = len({group for group, _, _ in rows})
    height = _TOP + _LINE * (len(rows) + groups) + 24
    drawn = [
        f'<text class="title" x="10" y="20">{escape(title)}</text>',
        *_legend(series),
        *_grid(height - 20),
        *_dots(rows),
    ]
    return sheet(_WIDTH, height, title, _STYLE, drawn)


def _x(value: float) -> float:
    return _LEFT + value * (_WIDTH - _LEFT - _RIGHT)


def _legend(series: Sequence[str]) -> Iterator[str]:
    for number, (name, colour) in enumerate(zip(series, _COLOURS, strict=False)):
        x = _LEFT + 70 * number
        yield f'<circle cx="{x}" cy="36" r="4" fill="{colour}"/>'
        yield f'<text x="{x + 9}" y="40">{escape(name)}</text>'


def _grid(bottom: int) -> Iterator[str]:
    for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        yield f'<line class="grid" x1="{_x(tick):.1f}" y1="{_TOP - 8}" x2="{_x(tick):.1f}" y2="{bottom}"/>'
        yield f'<text class="tick" x="{_x(tick):.1f}" y="{bottom + 14}">{tick:g}</text>'


def _dots(rows: Sequence[Row]) -> Iterator[str]:
    y = _TOP
    for group, members in groupby(rows, key=lambda row: row[0]):
        yield f'<text class="group" x="10" y="{y + 4}">{escape(group)}</text>'
        y += _LINE
        for _, name, values in members:
            yield f'<text class="name" x="{_LEFT - 10}" y="{y + 4}">{escape(name)}</text>'
            for value, colour in zip(values, _COLOURS, strict=False):
                yield f'<circle cx="{_x(value):.1f}" cy="{y}" r="4" fill="{colour}"/>'
            y += _LINE
