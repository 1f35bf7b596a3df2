"""A server with a page of it in Chromium, for the tests and the pictures of the page."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from chromium import found
from web_client import Client

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Response

DRAFT = Path(__file__).parents[1] / "doors" / "web" / "page" / "draft"
TOY = Path(__file__).parents[1] / "toy"
TOY_LIBRARY = ("papers.jsonl", "paper_aliases.tsv", "contexts.jsonl", "citations.tsv", "fulltext.jsonl")


def command(*arguments: object) -> list[str]:
    """`citewhy` with arguments, of this checkout."""
    return [sys.executable, "-m", "citewhy", *map(str, arguments)]


class Server:
    """`citewhy serve` in a folder, as another process."""

    def __init__(self, folder: Path, draft: str | None, library: Path | None, port: int = 0) -> None:
        named: list[object] = [] if draft is None else [draft]
        if library is not None:
            named += ["--library", library]
        self._process = subprocess.Popen(
            command("serve", *named, "--port", port, "--no-browser"),
            cwd=folder,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ,
        )
        assert self._process.stdout is not None
        self.address = self._process.stdout.readline().strip()
        self.link = self._process.stdout.readline().strip()
        """The address with the token of its user."""

    @property
    def port(self) -> int:
        """Where it listens."""
        return urlsplit(self.address).port or 0

    def stop(self) -> int:
        """Ends it as Ctrl-C does, and returns its exit code."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        code = self._process.wait(60)
        assert self._process.stdout is not None
        self._process.stdout.close()
        return code

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class Serving:
    """A server in this process, over which the page is opened, with a draft if one is named."""

    def __init__(self, client: Client, draft: str = "") -> None:
        named = f"&draft={client.open(draft)['id']}" if draft else ""
        self.address = f"http://127.0.0.1:{client.port}/"
        self.link = f"{self.address}#token={client.token}{named}"
        """The address with the token of its user, and the draft."""


def make_library(folder: Path) -> Path:
    """The toy corpus as a library."""
    files = [TOY / name for name in TOY_LIBRARY]
    subprocess.run(command("add", *files, "--library", folder, "--quiet"), check=True, capture_output=True)
    return folder


@contextmanager
def chromium() -> Iterator[Browser]:
    """The system's Chromium, without a window, which reaches this computer alone."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found(),
            args=[
                "--no-sandbox",
                "--disable-background-networking",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            ],
        )
        yield browser
        browser.close()


class Watch:
    """Watches what a page asks for and complains of."""

    def __init__(self, page: Page) -> None:
        self.elsewhere: list[str] = []
        """Requests to other hosts."""
        self.complaints: list[str] = []
        """Errors of its scripts, and what its security policy kept back."""
        self.failed: list[tuple[int, str]] = []
        """Answers with an error."""
        page.on("request", lambda request: self._requested(request.url))
        page.on("pageerror", lambda error: self.complaints.append(f"{error.message} {error.stack}"))
        page.on("console", lambda message: self._said(message.type, message.text))
        page.on("response", self._answered)

    def _requested(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.hostname != "127.0.0.1":
            self.elsewhere.append(url)

    def _said(self, kind: str, text: str) -> None:
        if kind == "error" and not text.startswith("Failed to load resource"):
            self.complaints.append(text)

    def _answered(self, response: Response) -> None:
        if response.status >= 400:
            self.failed.append((response.status, response.url))


def until(page: Page, expression: str, argument: object = None, seconds: float = 60) -> None:
    """Waits until a JavaScript expression is true. Playwright's own waiting needs `eval`, which the page's
    security policy forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression, argument):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(50)


def answered(page: Page) -> None:
    """Waits until every place of the draft has its answer, and the claims are known."""
    until(page, "document.documentElement.dataset.state === 'ready'")


def zipped(folder: Path, target: Path) -> Path:
    """The files of a folder as a ZIP archive."""
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder).as_posix())
    return target


def contents(folder: Path) -> dict[str, bytes]:
    """The author's files of a folder by name; what CiteWhy keeps beside them is left out."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.relative_to(folder).parts[0].startswith(".")
    }


# What an author does ----------------------------------------------------------------------------------------


def accept(page: Page, nth: int = 0) -> str:
    """Accepts a suggestion for the current place, and returns its title."""
    suggestion = page.locator(".suggestion").nth(nth)
    title = suggestion.locator(".title").inner_text()
    suggestion.locator(".accept").click()
    until(page, "n => document.querySelectorAll('.suggestion')[n].matches('.chosen')", nth)
    return title


def place(page: Page, number: int) -> None:
    """Goes to an open citation by its number in the draft."""
    page.locator(f'.mark.open[role=button][aria-label*=" {number} of "]').click()
    until(page, "n => document.querySelector('#place-name').textContent.includes(` ${n} of `)", number)


def write(page: Page) -> None:
    """Previews the edit and writes it."""
    page.get_by_role("button", name="Preview").first.click()
    page.locator("dialog .diff").first.wait_for()
    page.locator("dialog").get_by_role("button", name="Write").click()
    page.locator(".notice").get_by_text("Written:").wait_for()
