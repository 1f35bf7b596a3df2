"""How soon the page shows something, and how much it loads (`docs/page.md`).

    PYTHONPATH=tests/support python benchmarks/first_paint.py [--times N]

`citewhy serve` on the example draft with the starter library, opened N times in the system's Chromium, each
time with an empty cache. Told are the first contentful paint, as the browser states it, the time until the
draft's text stands on the page, and the bytes of everything that was loaded by then.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from web_page import Server, chromium, until

from citewhy.base.assets import example_draft

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAINT = "performance.getEntriesByName('first-contentful-paint')[0]"
BYTES = """[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .reduce((sum, one) => sum + (one.transferSize || 0), 0)"""


def opened(browser: Browser, link: str) -> tuple[float, float, int]:
    """Milliseconds until the first paint and until the text is there, and the bytes that were loaded."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(link)
    until(page, "document.querySelectorAll('main p').length > 3")
    text = float(page.evaluate("performance.now()"))
    until(page, f"{PAINT} !== undefined")
    found = float(page.evaluate(f"{PAINT}.startTime")), text, int(page.evaluate(BYTES))
    context.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = str(Path(folder, "data"))
        draft = Path(folder, "draft")
        shutil.copytree(example_draft("latex").parent, draft)
        with Server(draft, "example.tex", None) as server, chromium() as browser:
            found = [opened(browser, server.link) for _ in range(given.times)]
    paints, texts, loaded = zip(*found, strict=True)
    for what, times in (("first paint", paints), ("the text", texts)):
        print(f"{what:12}{statistics.median(times):6.0f} ms, at most {max(times):.0f}")
    print(f"{'loaded':12}{max(loaded) / 1000:6.0f} kB")


if __name__ == "__main__":
    main()
