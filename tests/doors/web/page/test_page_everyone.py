"""The page is for everyone: narrow and wide, light and dark, by keyboard, and by screen reader."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
from web_page import Serving, accept, answered, place, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

AXE = Path(__file__).parent / "vendor" / "axe.min.js"

STATES = {
    "draft": "",
    "accepted": "1",
    "pictures": "g",
    "help": "?",
    "open": "o",
    "preview": "v",
    "search": "/",
}
"""The states of the page, and the keys that lead there."""

LEAVE = {"pictures": ["g"], "help": ["Escape"], "open": ["Escape"], "preview": ["Escape"]}


def faults(page: Page) -> list[tuple[str, str, list[str]]]:
    """What axe-core finds that is serious."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: dict[str, Any] = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        (one["id"], one["help"], [node["html"][:200] for node in one["nodes"]][:4])
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]


def bring(page: Page, state: str) -> None:
    """Brings the page into a state by its keys."""
    for key in STATES[state]:
        page.keyboard.press(key)
        page.wait_for_timeout(150)
    if state == "search":
        page.locator("#find").fill("translation")
        page.keyboard.press("Enter")
        page.locator(".beside .suggestion").first.wait_for()
    if state == "pictures":
        page.locator(".picture").nth(2).wait_for()
    if state == "preview":
        page.locator("dialog .diff").first.wait_for()
    page.wait_for_timeout(200)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 800, 1600])
def test_no_serious_fault(browser: Browser, server: Serving, width: int, dark: bool) -> None:
    """axe-core finds no serious fault in any state; nothing is wider than the window."""
    scheme: Literal["light", "dark"] = "dark" if dark else "light"
    # High enough for the whole draft: what is scrolled out is not there to axe-core, and then the name of
    # an element would say more than it shows.
    context = browser.new_context(viewport={"width": width, "height": 3000}, color_scheme=scheme)
    page = context.new_page()
    page.goto(server.link)
    answered(page)
    found = {}
    for state in STATES:
        bring(page, state)
        found[state] = faults(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), state
        for key in LEAVE.get(state, ()):
            page.keyboard.press(key)
    context.close()
    assert {state: faults for state, faults in found.items() if faults} == {}


def test_marks_need_no_colour(page: Page) -> None:
    """Open citations, claims and remarks are underlined in three ways."""
    style = "selector => getComputedStyle(document.querySelector(selector)).textDecorationStyle"
    assert page.evaluate(style, ".sample.open") == "double"
    assert page.evaluate(style, ".sample.claim") == "dotted"
    assert page.evaluate(style, ".sample.remark") == "wavy"
    assert page.evaluate(style, ".paper .mark.open") == "double"


def test_everything_by_keyboard(page: Page, folder: Path) -> None:
    """From place to place, accepting, rejecting, searching and writing needs no mouse."""
    keys = page.keyboard
    first = page.locator("#place-name").inner_text()
    keys.press("n")
    page.locator("#place-name", has_text=first).wait_for(state="detached")
    keys.press("p")
    page.locator("#place-name", has_text=first).wait_for()
    keys.press("j")
    title = page.evaluate("document.activeElement.querySelector('.title').textContent")
    keys.press("Enter")
    page.locator(".suggestion.chosen").wait_for()
    assert page.locator(".suggestion.chosen .title").inner_text() in title
    keys.press("j")
    keys.press("x")
    page.locator(".rejected").wait_for()
    keys.press("Shift+N")
    page.locator("#place-name", has_text=first).wait_for(state="detached")
    keys.press("c")
    page.get_by_text("You said that this is cited already.").wait_for()
    keys.press("/")
    keys.type("framenet")
    keys.press("Enter")
    page.locator(".beside .suggestion", has_text="FrameNet").first.wait_for()
    keys.press("Escape")
    keys.press("Escape")
    page.locator(".beside .suggestion", has_text="FrameNet").first.wait_for(state="detached")
    keys.press("?")
    page.locator("dialog dt").nth(15).wait_for()
    keys.press("Escape")
    page.locator("dialog").wait_for(state="detached")
    assert "accepted" in page.locator(".mark.open[role=button]").first.get_attribute("aria-label").lower()  # type: ignore[union-attr]


def test_focus_and_names(page: Page) -> None:
    """The regions have names; a mark can be reached and opened by keyboard; what happens is said."""
    roles = page.evaluate(
        "[...document.querySelectorAll('main > *, [role=search], [role=document]')].map(e => e.ariaLabel)"
    )
    assert {"Files and outline", "Draft", "Suggestions"} <= set(roles)
    page.keyboard.press("d")
    until(page, "document.activeElement.matches('.mark.current, .text')")
    page.keyboard.press("n")
    until(page, "document.activeElement.matches('.mark.current')")
    page.keyboard.press("Enter")
    until(page, "document.activeElement.matches('#place-name')")
    page.locator(".suggestion").first.wait_for()
    page.keyboard.press("j")
    until(page, "document.activeElement.matches('.suggestion')")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#said').textContent.startsWith('Accepted')")


def test_single_keys_can_be_switched_off(page: Page) -> None:
    """Who dictates or types by accident switches the single keys off."""
    page.keyboard.press("?")
    page.get_by_label("Single keys are shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    page.wait_for_timeout(300)
    assert page.locator(".suggestion.chosen").count() == 0


def test_colours_and_sizes_last(page: Page) -> None:
    """Chosen colours and text sizes survive a reload."""
    page.get_by_label("Display").click()
    page.get_by_label("High contrast").check()
    page.get_by_label("Larger text").click()
    page.reload()
    answered(page)
    assert page.evaluate("document.documentElement.dataset.theme") == "contrast"
    assert page.evaluate("document.documentElement.style.fontSize") == "110%"


def test_narrow_windows_show_one_region(context: BrowserContext, server: Serving) -> None:
    """At 360 pixels a tap on a place shows its suggestions, and tabs lead back."""
    page = context.new_page()
    page.set_viewport_size({"width": 360, "height": 700})
    page.goto(server.link)
    answered(page)
    place(page, 2)
    assert page.locator(".suggestion").first.is_visible()
    assert not page.locator(".text").is_visible()
    accept(page)
    page.locator(".panes").get_by_role("button", name="Draft").click()
    page.locator(".text").wait_for()
    page.locator(".panes").get_by_role("button", name="Outline").click()
    page.locator(".collected li").wait_for()
