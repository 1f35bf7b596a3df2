"""Drafts are opened from a list, a path, by dropping, choosing and pasting."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from web_client import serving
from web_page import Serving, accept, answered, contents, place, write, zipped

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

    from citewhy.session.session import Session

DROP = """async ([name, bytes]) => {
    const file = new File([new Uint8Array(bytes)], name);
    const transfer = new DataTransfer();
    transfer.items.add(file);
    for (const kind of ["dragenter", "dragover", "drop"]) {
        const options = { dataTransfer: transfer, bubbles: true, cancelable: true };
        document.body.dispatchEvent(new DragEvent(kind, options));
    }
}"""


def test_a_dropped_zip_is_downloaded_with_its_edit(page: Page, folder: Path, tmp_path: Path) -> None:
    """A project that is dropped as a zip is answered, edited in memory, and downloaded; nothing on disk
    changes."""
    before = contents(folder)
    archive = zipped(folder, tmp_path / "project.zip")
    page.evaluate(DROP, ["project.zip", list(archive.read_bytes())])
    page.get_by_role("button", name="Download").first.wait_for()
    answered(page)
    place(page, 1)
    accept(page)
    write(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").first.click()
    with zipfile.ZipFile(io.BytesIO(Path(download.value.path()).read_bytes())) as got:
        names = {name: got.read(name) for name in got.namelist()}
    assert names.keys() == before.keys()
    assert names["sections/data.tex"] == before["sections/data.tex"]
    assert names["main.tex"] != before["main.tex"]
    assert b"\\citep{?}. The score" not in names["main.tex"]
    assert contents(folder) == before


def test_a_draft_is_chosen_from_the_list(
    folder: Path, page_session: Session, context: BrowserContext
) -> None:
    """A server without a draft lists those in its folder; one click opens one."""
    (folder / "notes.md").write_text(
        "Summaries are scored by n-grams that they share [@?].\n", encoding="utf-8"
    )
    with serving(page_session, folder) as client:
        page = context.new_page()
        page.goto(Serving(client).link)
        page.locator(".drafts").get_by_role("button", name="notes.md").click()
        answered(page)
        assert page.locator(".mark.open[role=button]").count() == 1
        assert "ROUGE" in page.locator(".suggestion .title").first.inner_text()


def test_pasted_text_is_a_draft(page: Page) -> None:
    """Text that is pasted is answered; markup in it is text."""
    page.keyboard.press("o")
    page.locator("dialog textarea").fill(
        "<img src=x onerror=alert(1)> The meaning of words is tied to frames [@?]. <script>alert(2)</script>"
    )
    page.locator("dialog select").select_option("md")
    page.get_by_role("button", name="Open the text").click()
    page.get_by_text("<img src=x onerror=alert(1)>").first.wait_for()
    answered(page)
    assert page.locator("img, .paper script").count() == 0
    assert "FrameNet" in page.locator(".suggestion .title").first.inner_text()


def test_a_path_outside_is_refused_in_a_sentence(page: Page) -> None:
    """A path that leads out of the server's folder is refused, and the draft stays open."""
    page.keyboard.press("o")
    page.get_by_label("Path of a draft").fill("../../../etc/passwd")
    page.locator("dialog form").first.get_by_role("button", name="Open").click()
    said = page.locator("[role=alert]")
    said.first.wait_for()
    assert "folder" in said.first.inner_text()


def test_without_its_key_the_page_asks_for_it(server: Serving, context: BrowserContext) -> None:
    """Who opens the address without the token sees nothing of the draft; the printed link is taken, too."""
    page = context.new_page()
    page.goto(server.address)
    page.get_by_label("Link or key").wait_for()
    assert page.locator(".paper").count() == 0
    page.get_by_label("Link or key").fill(server.link)
    page.get_by_role("button", name="Go on").click()
    page.locator(".drafts").get_by_role("button", name="main.tex").click()
    answered(page)
    assert "token" not in page.url


def test_two_windows_show_the_same_draft(opened: Callable[[], Page]) -> None:
    """What is accepted in one window is there in another one that is opened."""
    first = opened()
    place(first, 1)
    accept(first)
    second = opened()
    assert second.locator(".collected li").count() == 1
