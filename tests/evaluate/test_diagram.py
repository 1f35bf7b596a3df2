"""The reliability diagram: what is drawn where."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from citewhy.evaluate.calibration import Pair, calibration
from citewhy.evaluate.diagram import reliability_svg

SVG = "{http://www.w3.org/2000/svg}"

ANSWERS: list[list[Pair]] = [
    *([[(0.05, False)]] * 1500),
    *([[(0.75, True)]] * 3),
    [(0.75, False)],
    [(0.95, True)],
]


def drawn(answers: list[list[Pair]], title: str = "A title") -> ElementTree.Element:
    found = calibration(answers)
    assert found is not None
    return ElementTree.fromstring(reliability_svg(found, title))


def of_class(image: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [each for each in image.iter() if each.get("class") == name]


def numbers(element: ElementTree.Element, *names: str) -> list[float]:
    return [float(element.get(name, "nan")) for name in names]


def test_bars_dots_and_counts() -> None:
    """A bar ends at the share that is right; the dot is over the mean; the count is above the bar."""
    image = drawn(ANSWERS)
    (frame,) = of_class(image, "axis")
    left, top, width, height = numbers(frame, "x", "y", "width", "height")
    assert width == height
    bars = of_class(image, "bar")
    for bar, low, right in zip(bars, (0.0, 0.7, 0.9), (0.0, 0.75, 1.0), strict=True):
        x, y, wide, high = numbers(bar, "x", "y", "width", "height")
        assert y + high == pytest.approx(top + height, abs=0.11)
        assert high == pytest.approx(right * height, abs=0.06)
        assert left + low * width <= x
        assert x + wide <= left + (low + 0.1) * width
    for dot, mean, right in zip(of_class(image, "dot"), (0.05, 0.75, 0.95), (0.0, 0.75, 1.0), strict=True):
        expected = [left + mean * width, top + (1 - right) * height]
        assert numbers(dot, "cx", "cy") == pytest.approx(expected, abs=0.06)
    counts = of_class(image, "count")
    assert [each.text for each in counts] == ["1.5k", "4", "1"]
    assert all(top < numbers(each, "y")[0] < top + height for each in counts)
    (diagonal,) = of_class(image, "diagonal")
    assert numbers(diagonal, "x1", "y1", "x2", "y2") == [left, top + height, left + width, top]


def test_everything_is_inside() -> None:
    """Nothing stands outside the picture, which is 360 pixels wide; letters are of a readable size."""
    image = drawn(ANSWERS, "A title that is much longer than any picture of this width could ever show")
    assert (image.get("width"), image.get("viewBox")) == ("360", f"0 0 360 {image.get('height')}")
    tall = float(image.get("height", "nan"))
    for text in image.iter(f"{SVG}text"):
        x, y = numbers(text, "x", "y")
        size = 8 if text.get("class") == "title" else 6  # pixels a letter, at most
        half = 0 if "rotate" in text.get("transform", "") else len(text.text or "") * size / 2
        reach = 2 * half if text.get("class") == "tick" else half
        assert reach - 8 <= x <= 360 - half + 8, text.text
        assert 10 <= y <= tall - 4
    style = next(image.iter(f"{SVG}style")).text or ""
    sizes = [int(size) for size in re.findall(r"font-size:(\d+)px", style)]
    assert len(sizes) == 3
    assert min(sizes) >= 10


def test_labels() -> None:
    """Title, both axes and what was counted."""
    texts = [each.text for each in drawn(ANSWERS, "local: a.jsonl, full").iter(f"{SVG}text")]
    assert texts[0] == "local: a.jsonl, full"
    assert texts[1] == "ECE 0.050, Brier 0.003; 1.5k candidates of 1.5k queries"
    assert {"given probability (dots: mean of the bin)", "share that is right"} <= set(texts)


def test_markup_in_a_title_is_text() -> None:
    """The name of a file may hold anything."""
    title = 'a<script>&"b".jsonl'
    image = drawn(ANSWERS, title)
    assert next(image.iter(f"{SVG}title")).text == title
    assert next(image.iter(f"{SVG}text")).text == title
    assert not list(image.iter(f"{SVG}script"))
