"""Curves as an SVG."""

from __future__ import annotations

import re

import pytest
from lxml import etree

from citewhy.evaluate.curves import curves_svg

CURVES = {"BM25 <1>": [(0.0, 0.0), (1000.0, 0.5), (2000.0, 1.0)], "dense": [(2000.0, 0.25)]}


def test_points() -> None:
    """The corners of the rectangle are (0, 0) and (2,000, 1); half way is half way."""
    drawn = re.findall(r'points="([^"]+)"', curves_svg(CURVES, "title", "k", "R@k"))
    assert drawn == ["56.0,340.0 296.0,192.0 536.0,44.0", "536.0,266.0"]


def test_words() -> None:
    """Well-formed, with title, axes, ticks and the name of each curve."""
    root = etree.fromstring(curves_svg(CURVES, "A & B", "k", "R@k").encode())
    texts = [each.text for each in root.iter("{*}text")]
    assert {"A & B", "k", "R@k", "BM25 <1>", "dense", "0", "400", "2,000", "0.2", "1"} <= set(texts)


def test_many_curves_differ() -> None:
    """More curves than colours: each still has its own stroke."""
    svg = curves_svg({str(number): [(1.0, 0.5)] for number in range(12)}, "t", "x", "y")
    strokes = re.findall(r'<polyline class="curve" (.*?) points', svg)
    assert len(set(strokes)) == 12


def test_nothing_to_draw() -> None:
    """No point, no picture."""
    with pytest.raises(ValueError, match="nothing to draw"):
        curves_svg({"empty": []}, "t", "x", "y")
