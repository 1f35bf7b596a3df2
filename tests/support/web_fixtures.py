"""The plugin of pytest for the tests of the page: a library, a draft, a server, and Chromium on its page.

Every test asserts that nothing was asked of another host, and that no script of the page failed.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from chromium import found
from web_client import serving
from web_page import DRAFT, Serving, Watch, answered, chromium, make_library

from citewhy.session.session import Session

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

_FOLDER = DRAFT.parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks the tests of the page, and skips them unless they are asked for: they are long."""
    wanted = "web" in (config.option.markexpr or "")
    for item in items:
        if _FOLDER in item.path.parents:
            item.add_marker("web")
            if not wanted:
                item.add_marker(pytest.mark.skip(reason="tests of the page: make test-web"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    pytest.importorskip("playwright", reason="the tests of the page need playwright: pip install -e '.[dev]'")
    if found() is None:
        pytest.skip("the tests of the page need Chromium: make test-web installs it where it can")
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy corpus as a library."""
    return make_library(tmp_path_factory.mktemp("library") / "toy")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a draft of two files and a bibliography."""
    return Path(shutil.copytree(DRAFT, tmp_path / "draft"))


@pytest.fixture(scope="session")
def page_session(library: Path, browser: Browser) -> Iterator[Session]:
    """What answers the pages of all tests: models are opened once, and the bibliography is encoded once."""
    with Session(library) as opened:
        yield opened


@pytest.fixture
def server(folder: Path, page_session: Session) -> Iterator[Serving]:
    """A server in this process that has the draft open."""
    with serving(page_session, folder) as client:
        yield Serving(client, "main.tex")


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser of one author, whose pages talk to this computer alone and have no faults."""
    made = browser.new_context(viewport={"width": 1280, "height": 860}, accept_downloads=True)
    made.set_default_timeout(20_000)
    watches: list[Watch] = []
    made.on("page", lambda page: watches.append(Watch(page)))
    yield made
    made.close()
    assert watches
    for watch in watches:
        assert watch.elsewhere == []
        assert watch.complaints == []
        assert [url for status, url in watch.failed if status >= 500] == []


@pytest.fixture
def opened(server: Serving, context: BrowserContext) -> Callable[[], Page]:
    """Opens the page with the draft, and waits until everything is answered."""

    def open_page() -> Page:
        page = context.new_page()
        page.goto(server.link)
        answered(page)
        return page

    return open_page


@pytest.fixture
def page(opened: Callable[[], Page]) -> Page:
    """The page with the draft."""
    return opened()
