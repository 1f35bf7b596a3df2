"""Plots as SVG, drawn by matplotlib (extra ``plots``): the same input gives the same file.

A function for each kind of plot returns a figure, which `svg` writes. All raise MissingExtraError without
matplotlib.
"""

from __future__ import annotations

import functools
import importlib.util
import io
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from citewhy.base.errors import MissingExtraError
from citewhy_lab.evaluate.calibration import BINS, Bin, Calibration

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

P = ParamSpec("P")
T = TypeVar("T")

Row = tuple[str, str, Sequence[float]]
"""Group, name, a value in [0, 1] for each series."""

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#444444")
"""Distinguishable for the colour-blind, too (Okabe and Ito, Color Universal Design, 2008)."""

_DASHES = ("-", "--", ":")
"""Curves with the same colour differ by their dashes."""

_MARKERS = "osD^"
"""Markers of the series of a dot plot."""

_BAR = "#9ec5e8"

_SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 8,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "legend.frameon": False,
    "text.parse_math": False,  # a dollar sign in a file name does not start a formula
    "svg.fonttype": "none",  # text stays text, which can be searched, and no font is copied
    "svg.hashsalt": "citewhy",  # otherwise names of elements are random
}


def check_plots() -> None:
    """Raises MissingExtraError if nothing can be drawn, before minutes of work."""
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("drawing a plot", "plots")


def _styled(draw: Callable[P, T]) -> Callable[P, T]:
    """Wraps a function in the settings of all plots."""

    @functools.wraps(draw)
    def styled(*args: P.args, **kwargs: P.kwargs) -> T:
        check_plots()
        from matplotlib import rc_context

        with rc_context(_SETTINGS):
            return draw(*args, **kwargs)

    return styled


@_styled
def reliability_diagram(calibration: Calibration, title: str) -> Figure:
    """Draws bars: the share that is relevant in each bin, with the number of its candidates above. Dots: that
    share over the mean probability. On the diagonal, both are equal."""
    figure, axes = _sheet(4.2, 4.6, title)
    axes.set_title(
        f"ECE {calibration.ece:.3f}, Brier {calibration.brier:.3f}; {_short(calibration.pairs)} candidates of"
        f" {_short(calibration.queries)} queries",
        fontsize=8,
    )
    axes.set(xlim=(0, 1), ylim=(0, 1.06))  # room for the number above a bar that reaches the top
    axes.set(xlabel="given probability (dots: mean of the bin)", ylabel="share that is right")
    right = [bin_.right for bin_ in calibration.bins]
    axes.bar([_middle(bin_) for bin_ in calibration.bins], right, width=0.93 / BINS, color=_BAR)
    axes.plot([0, 1], [0, 1], color=_COLOURS[1], linestyle="--", linewidth=1)
    axes.plot([bin_.mean for bin_ in calibration.bins], right, "o", color=_COLOURS[0], markersize=4)
    for bin_ in calibration.bins:
        axes.annotate(
            _short(bin_.count),
            (_middle(bin_), bin_.right),
            xytext=(0, 5),
            textcoords="offset points",
            ha="center",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.5},
        )
    return figure


@_styled
def curves(
    lines: Mapping[str, Sequence[tuple[float, float]]], title: str, across: str, up: str, most: float = 1.0
) -> Figure:
    """Draws curves, such as recall by depth: name of a curve → its points (x ≥ 0, y in [0, `most`]) in order
    of x; `across` and `up` are the labels of the axes. Raises ValueError if there are no points."""
    if not any(lines.values()):
        raise ValueError("there is nothing to draw")
    figure, axes = _sheet(6, 4.2, title)
    for number, (name, points) in enumerate(lines.items()):
        colour, dashes = number % len(_COLOURS), number // len(_COLOURS) % len(_DASHES)
        xs, ys = [x for x, _ in points], [y for _, y in points]
        axes.plot(xs, ys, label=name, color=_COLOURS[colour], linestyle=_DASHES[dashes])
    axes.set(xlabel=across, ylabel=up, ylim=(0, most))
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.legend(loc="best")
    return figure


@_styled
def bars(values: Mapping[str, float], title: str, across: str, up: str) -> Figure:
    """Draws a bar for each name, in the given order, with values ≥ 0; `across` and `up` are the labels of the
    axes. Raises ValueError if there are none."""
    if not values:
        raise ValueError("there is nothing to draw")
    figure, axes = _sheet(6, 4.2, title)
    axes.bar(range(len(values)), list(values.values()), color=_COLOURS[0])
    axes.set_xticks(range(len(values)), labels=list(values), rotation=90)
    axes.set(xlabel=across, ylabel=up)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.grid(visible=False, axis="x")
    return figure


@_styled
def dot_plot(title: str, series: Sequence[str], rows: Sequence[Row]) -> Figure:
    """Draws a line for each row, with a dot for each of `series`; rows of a group are below its name."""
    lines: list[tuple[str, Sequence[float] | None]] = []  # the name of a group has no values
    for group, members in groupby(rows, key=lambda row: row[0]):
        lines += [(group, None), *((name, values) for _, name, values in members)]
    figure, axes = _sheet(6, 0.9 + 0.17 * len(lines), title)
    drawn = [(height, values) for height, (_, values) in enumerate(lines) if values is not None]
    for number, name in enumerate(series):
        axes.plot(
            [values[number] for _, values in drawn],
            [height for height, _ in drawn],
            _MARKERS[number % len(_MARKERS)],
            label=name,
            color=_COLOURS[number % len(_COLOURS)],
            markersize=4,
            clip_on=False,
        )
    axes.set(xlim=(0, 1), ylim=(len(lines) - 0.5, -0.5))
    axes.set_yticks(range(len(lines)), labels=[name for name, _ in lines])
    for label, (_, values) in zip(axes.get_yticklabels(), lines, strict=True):
        label.set_fontweight("bold" if values is None else "normal")
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=len(series))
    return figure


@_styled
def svg(figure: Figure) -> str:
    """Writes the SVG of a figure of this module, without date and version, which would change it from day to
    day."""
    drawn, title = io.StringIO(), str(figure.get_label())
    figure.savefig(drawn, format="svg", metadata={"Title": title, "Date": None, "Creator": None})
    return drawn.getvalue()


def _sheet(width: float, height: float, title: str) -> tuple[Figure, Axes]:
    """Makes a figure of the given size in inches, and its axes. A title that is too long is truncated in the
    drawing; the figure's label, which becomes the document's title, is complete."""
    from matplotlib.figure import Figure

    most = int(11 * width)  # letters
    figure = Figure(figsize=(width, height), layout="constrained", label=title)
    short = title if len(title) <= most else f"{title[: most - 1]}…"
    figure.suptitle(short, fontsize=9, fontweight="bold")
    return figure, figure.add_subplot()


def _middle(bin_: Bin) -> float:
    return (bin_.low + bin_.high) / 2


def _short(count: int) -> str:
    """Writes a number in about four characters: ``950``, ``12.9k``, ``3.1M``."""
    for size, letter in ((1_000_000, "M"), (1000, "k")):
        if count >= size:
            return f"{count / size:.1f}".removesuffix(".0") + letter
    return str(count)
