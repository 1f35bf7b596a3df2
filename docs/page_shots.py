"""Takes the pictures of docs/page.md (with Pillow, which the extra `plots` brings).

    PYTHONPATH=tests/support python docs/page_shots.py docs/page

opens the example draft with the built-in starter library in the system's Chromium, brings the page into its
main states, and writes a PNG of each into a folder.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from web_page import Server, accept, answered, chromium, place

from citewhy.base.assets import example_draft

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SIZE = (1280, 800)
COLOURS = 64
MOST_BYTES = 150_000


def _draft(page: Page) -> None:
    place(page, 2)
    accept(page)
    place(page, 6)
    page.wait_for_timeout(300)


def _edit(page: Page) -> None:
    _draft(page)
    accept(page)
    page.keyboard.press("v")
    page.locator("dialog .diff").first.wait_for()
    page.mouse.move(0, 0)


def _search(page: Page) -> None:
    place(page, 4)
    page.locator("#find").fill("bibliographic coupling")
    page.keyboard.press("Enter")
    page.locator(".beside .suggestion").first.wait_for()
    page.keyboard.press("Escape")


def _map(page: Page) -> None:
    page.keyboard.press("g")
    page.locator("#picture-map .node").first.wait_for()
    page.locator("#picture-map").evaluate("e => e.scrollIntoView()")


def _library(page: Page) -> None:
    page.keyboard.press("g")
    page.locator("#picture-shape svg").first.wait_for()
    page.locator("#picture-shape").evaluate("e => e.scrollIntoView()")


def _keys(page: Page) -> None:
    page.keyboard.press("?")
    page.locator("dialog dl").wait_for()


def _narrow_suggestions(page: Page) -> None:
    place(page, 6)


STATES: dict[str, tuple[Callable[[Page], None], tuple[int, int], bool]] = {
    "draft": (_draft, SIZE, False),
    "dark": (_draft, SIZE, True),
    "edit": (_edit, SIZE, False),
    "search": (_search, SIZE, False),
    "map": (_map, SIZE, False),
    "library": (_library, SIZE, False),
    "keys": (_keys, SIZE, False),
    "wide": (_draft, (1600, 900), False),
    "narrow": (lambda page: None, (360, 720), False),
    "narrow-suggestions": (_narrow_suggestions, (360, 720), True),
}
"""Name of a picture → how the page gets into its state, the window's size, and whether it is dark."""


def take(browser: Browser, link: str, name: str, folder: Path) -> Path:
    """Takes one picture."""
    bring, (width, height), dark = STATES[name]
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
    )
    page = context.new_page()
    page.goto(link)
    answered(page)
    bring(page)
    page.wait_for_timeout(400)
    target = folder / f"{name}.png"
    page.screenshot(path=target)
    context.close()
    _shrink(target)
    return target


def _shrink(target: Path) -> None:
    """Writes a picture with a palette, which takes a fifth. Raises AssertionError if it is large even so."""
    from PIL import Image

    with Image.open(target) as full:
        small = full.convert("RGB").quantize(COLOURS)
    small.save(target, optimize=True)
    assert target.stat().st_size <= MOST_BYTES, target


def main(target: str, *names: str) -> None:
    """Takes the named pictures, or all."""
    folder = Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, chromium() as browser:
        os.environ["XDG_DATA_HOME"] = str(Path(scratch, "data"))
        for name in names or STATES:
            draft = Path(scratch, name)
            shutil.copytree(example_draft("latex").parent, draft)
            with Server(draft, "example.tex", None) as server:
                print(take(browser, server.link, name, folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
