"""What an author does on the page reaches the files, and comes back byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from web_client import serving
from web_page import Serving, accept, answered, contents, place, until, write

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

    from citewhy.session.session import Session


def test_accepted_papers_are_written_and_undone(page: Page, folder: Path) -> None:
    """Of two accepted papers one is taken back; the other is previewed, written, and undone byte for byte."""
    before = contents(folder)
    place(page, 1)
    accept(page)
    place(page, 3)
    accept(page)
    assert page.locator(".collected li").count() == 2
    page.locator(".suggestion.chosen .accept").click()
    page.locator(".collected li").nth(1).wait_for(state="detached")
    assert page.locator(".collected li").count() == 1

    page.keyboard.press("v")
    diff = page.locator("dialog .diff")
    diff.first.wait_for()
    assert diff.first.locator(".line.added").count() >= 1
    assert contents(folder) == before
    page.keyboard.press("w")
    page.locator(".notice").get_by_text("Written:").wait_for()
    after = contents(folder)
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"main.tex", "refs.bib"}
    assert b"\\citep{?}. The score" not in after["main.tex"]
    assert after["main.tex"].count(b"\\cite{}") == 1
    until(page, "!document.querySelector('.paper').textContent.includes('\\\\citep{?}. The score')")

    page.keyboard.press("u")
    page.locator(".notice").get_by_text("As before:").wait_for()
    assert contents(folder) == before
    page.locator(".collected li").first.wait_for()
    assert page.locator(".collected li").count() == 1


def test_several_papers_go_to_one_place(page: Page, folder: Path) -> None:
    """Two papers that are accepted for one place are written as one citation."""
    place(page, 2)
    accept(page, 0)
    accept(page, 1)
    write(page)
    text = (folder / "main.tex").read_text(encoding="utf-8")
    assert "\\citep{TODO}" not in text
    citation = text.split("by people ")[1].split(".")[0]
    assert citation.startswith("\\citep{")
    assert len(citation.split(",")) == 2


def test_a_claim_gets_a_citation(page: Page, folder: Path) -> None:
    """A paper that is accepted for a claim without a citation is written at the end of its sentence, with the
    draft's own command, and undone byte for byte."""
    before = contents(folder)
    page.locator(".mark.claim[role=button]").first.click()
    until(page, "document.querySelector('#place-name').textContent.includes('Claim')")
    sentence = " ".join(page.locator(".sentence").inner_text().split())
    accept(page)
    write(page)
    text = b" ".join(b"".join(contents(folder).values()).split()).decode()
    assert f"{sentence.rstrip('.')}~\\citep{{" in text
    page.get_by_role("button", name="Undo").first.click()
    page.locator(".notice").get_by_text("As before:").wait_for()
    assert contents(folder) == before


def test_the_page_follows_the_file(page: Page, folder: Path) -> None:
    """A saved change is on the page with its answer; the place in focus stays, though it has moved."""
    place(page, 3)
    sentence = page.locator(".sentence").inner_text()
    draft = folder / "main.tex"
    text = draft.read_text(encoding="utf-8")
    added = "A new sentence asks for a treebank of English with syntactic structure \\cite{}.\n\n"
    first = "Machine translation was"
    draft.write_text(text.replace(first, added + first, 1), encoding="utf-8")
    page.get_by_text("A new sentence asks for a treebank").wait_for()
    answered(page)
    assert page.locator(".sentence").inner_text() == sentence
    assert "4 of" in page.locator("#place-name").inner_text()
    place(page, 1)
    assert "Penn Treebank" in page.locator(".suggestion .title").first.inner_text()


def test_a_changed_file_is_not_written_over(page: Page, folder: Path) -> None:
    """A file that is saved in an editor while the edit is on its way is not written over: the page says so in
    a sentence."""
    draft = folder / "main.tex"
    changed = draft.read_text(encoding="utf-8").replace("Measures are tools.", "Measures are but tools.")

    def saved_meanwhile(route: Route) -> None:
        if route.request.method == "POST":
            draft.write_text(changed, encoding="utf-8")
        route.continue_()

    place(page, 1)
    accept(page)
    page.keyboard.press("v")
    page.locator("dialog .diff").first.wait_for()
    page.route("**/edit", saved_meanwhile)
    page.keyboard.press("w")
    said = page.locator(".fault p, .notice p").first
    said.wait_for()
    assert "has changed" in said.inner_text()
    assert draft.read_text(encoding="utf-8") == changed


def test_decisions_last(context: BrowserContext, page_session: Session, folder: Path) -> None:
    """A reload and a restart of the server keep what was accepted, rejected and settled, and the place."""
    page = context.new_page()

    def holds() -> None:
        answered(page)
        assert "3 of" in page.locator("#place-name").inner_text()
        assert rejected not in page.locator(".suggestion .title").all_inner_texts()
        assert page.locator(".collected li").count() == 1
        place(page, 4)
        assert page.get_by_text("You said that this is cited already.").is_visible()
        place(page, 1)
        shown = page.locator(".suggestion.chosen .title").inner_text()
        assert shown == title.removeprefix("1")  # asked anew, what is accepted has no rank among the others
        place(page, 3)

    with serving(page_session, folder) as client:
        page.goto(Serving(client, "main.tex").link)
        answered(page)
        place(page, 1)
        title = accept(page)
        place(page, 3)
        rejected = page.locator(".suggestion .title").first.inner_text()
        page.locator(".suggestion").first.get_by_role("button", name="Reject").click()
        page.locator(".rejected").wait_for()
        place(page, 4)
        page.get_by_role("button", name="Cited already").click()
        page.get_by_text("You said that this is cited already.").wait_for()
        place(page, 3)
        page.reload()
        holds()
    page.get_by_text("The server does not answer").wait_for()
    with serving(page_session, folder, port=client.port):
        page.get_by_text("The server does not answer").wait_for(state="detached")
        page.reload()
        holds()
