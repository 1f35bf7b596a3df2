"""What is drawn where, and that the same input gives the same file."""

from __future__ import annotations

import os
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from citewhy.base.errors import MissingExtraError
from citewhy_lab.evaluate.calibration import Pair, calibration
from citewhy_lab.evaluate.plots import bars, curves, dot_plot, reliability_diagram, svg

pytest.importorskip("matplotlib")

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

ANSWERS: list[list[Pair]] = [
    *([[(0.05, False)]] * 1500),
    *([[(0.75, True)]] * 3),
    [(0.75, False)],
    [(0.95, True)],
]

CURVES = {"BM25 <1>": [(0.0, 0.0), (1000.0, 0.5), (2000.0, 1.0)], "dense": [(2000.0, 0.25)]}

ROWS = [("one", "a", [0.0, 0.5]), ("one", "b", [0.25, 1.0]), ("two", "c", [0.1, 0.2])]


def reliability(title: str = "A title") -> Figure:
    found = calibration(ANSWERS)
    assert found is not None
    return reliability_diagram(found, title)


def points(axes: Axes) -> list[list[list[float]]]:
    """[x, y] of each point of each line of the plot."""
    return [np.asarray(line.get_xydata(), dtype=float).tolist() for line in axes.lines]


def inside(figure: Figure) -> bool:
    """Whether all that is drawn lies within the picture, as wide as letters are here."""
    figure.draw_without_rendering()
    corners = figure.get_tightbbox().get_points()  # [2, 2] inches
    return bool((corners > -0.01).all() and (corners < figure.get_size_inches() + 0.01).all())


def test_reliability() -> None:
    """A bar ends at the share that is right, and stands over its bin; the dot is over the mean of the bin's
    probabilities; the diagonal goes from corner to corner; the number of candidates is above the bar."""
    figure = reliability()
    (axes,) = figure.axes
    bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    for bar, low, right in zip(bars, (0.0, 0.7, 0.9), (0.0, 0.75, 1.0), strict=True):
        assert (bar.get_y(), bar.get_height()) == (0, right)
        assert low < bar.get_x() < bar.get_x() + bar.get_width() < low + 0.1
    diagonal, dots = points(axes)
    assert diagonal == [[0, 0], [1, 1]]
    assert dots == [pytest.approx(each) for each in ([0.05, 0], [0.75, 0.75], [0.95, 1])]
    assert [text.get_text() for text in axes.texts] == ["1.5k", "4", "1"]
    assert axes.get_title() == "ECE 0.050, Brier 0.003; 1.5k candidates of 1.5k queries"
    assert inside(figure)


def test_curves() -> None:
    """Each curve goes through its points and is named; shares go from 0 to 1."""
    figure = curves(CURVES, "A & B", "k", "R@k")
    (axes,) = figure.axes
    assert points(axes) == [[list(each) for each in curve] for curve in CURVES.values()]
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == list(CURVES)
    assert axes.get_ylim() == (0, 1)
    assert axes.get_xlim()[0] == 0
    assert inside(figure)


def test_many_curves_differ() -> None:
    """More curves than colours: each still has a stroke of its own."""
    (axes,) = curves({str(number): [(1.0, 0.5)] for number in range(12)}, "t", "x", "y").axes
    assert len({(line.get_color(), line.get_linestyle()) for line in axes.lines}) == 12


def test_bars() -> None:
    """A bar for each name, as high as its value, in the given order."""
    figure = bars({"1999": 12.0, "2003": 3.5}, "A title", "year", "rank")
    found = [each for each in figure.axes[0].patches if isinstance(each, Rectangle)]
    assert [each.get_height() for each in found] == [12, 3.5]
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["1999", "2003"]
    assert inside(figure)
    with pytest.raises(ValueError, match="nothing to draw"):
        bars({}, "A title", "year", "rank")


def test_nothing_to_draw() -> None:
    """No point, no picture."""
    with pytest.raises(ValueError, match="nothing to draw"):
        curves({"empty": []}, "t", "x", "y")


def test_dots() -> None:
    """Lines from above: the name of a group, then its rows; each series has a dot on each row."""
    figure = dot_plot("MRR", ["n = 0", "±3"], ROWS)
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["one", "a", "b", "two", "c"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    assert points(axes) == [[[0.0, 1], [0.25, 2], [0.1, 4]], [[0.5, 1], [1.0, 2], [0.2, 4]]]
    assert len({line.get_marker() for line in axes.lines}) == 2
    assert inside(figure)


def test_a_title_is_text() -> None:
    """The name of a file may hold anything; what does not fit is cut in the picture alone."""
    title = 'a<script>&"b".jsonl with a $name$ that is far longer than the picture is wide'
    image = ElementTree.fromstring(svg(reliability(title)))
    assert next(image.iter("{http://www.w3.org/2000/svg}title")).text == title
    texts = [each.text or "" for each in image.iter("{http://www.w3.org/2000/svg}text")]
    assert any(text.startswith('a<script>&"b".jsonl with a $name$') and text[-1] == "…" for text in texts)
    assert not list(image.iter("{http://www.w3.org/2000/svg}script"))


def test_the_same_file_again() -> None:
    """Another process, with other hashes of strings, writes the same bytes."""
    code = (
        "from citewhy_lab.evaluate.plots import *\n"
        f"print(svg(dot_plot('MRR', ['n = 0', '±3'], {ROWS!r})), end='')"
    )
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"}
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=environment)
        assert done.stdout.decode() == svg(dot_plot("MRR", ["n = 0", "±3"], ROWS))


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the command that installs what is missing."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'citewhy\[plots\]'"):
        reliability()
