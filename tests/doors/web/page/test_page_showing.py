"""What the page shows: the text as it is, suggestions, filters, the search, exports, and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from web_page import Serving, accept, answered, place, until

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

PAGE = Path(__file__).parents[4] / "src" / "citewhy" / "doors" / "web" / "page"


def test_the_text_is_the_author_s(page: Page, folder: Path) -> None:
    """Every character of the file is there in its order, but for blank lines; marks lie where they should,
    beyond characters of two units, too."""
    text = (folder / "main.tex").read_text(encoding="utf-8")
    shown = page.locator(".paper").evaluate("e => e.textContent")
    assert "".join(shown.split()) == "".join(text.split())
    marks = page.locator(".mark.open[role=button]").all_inner_texts()
    assert [mark.strip() for mark in marks] == [
        "\\citep{?}", "\\citep{TODO}", "\\cite{}", "[CITE]", "\\citep{devlin2019bert,missing-key}",
    ]  # fmt: skip
    assert page.locator(".mark.remarked").count() == 1
    assert page.locator(".paper h4", has_text="Introduction").count() == 1
    assert page.locator(".look-em").all_inner_texts() == ["on average"]
    assert page.locator(".look-math").all_inner_texts() == ["$b \\le 1$"]
    assert page.locator(".paper b").count() == 0


def test_files_and_outline(page: Page) -> None:
    """The outline leads to other files; each shows its own marks."""
    page.locator(".files").get_by_role("button", name="sections/data.tex").click()
    page.get_by_text("Millions of words").wait_for()
    assert page.locator(".sections").get_by_role("button", name="Frames").count() == 1
    assert page.locator(".mark.open[role=button]").count() == 2


def test_a_suggestion_tells_all(page: Page) -> None:
    """A suggestion has title, authors, year, venue, reasons, a probability in words, its origin, and the
    abstract on demand."""
    place(page, 1)
    first = page.locator(".suggestion", has_text="Bleu").first
    assert "Papineni" in first.locator(".by").inner_text()
    assert "2002" in first.locator(".year").inner_text()
    assert first.locator(".venue").inner_text()
    assert first.locator(".why li").count() >= 1
    assert first.locator(".sure .words").inner_text()
    assert "library" in first.locator(".origin").inner_text()
    first.locator(".abstract summary").click()
    first.locator(".abstract p").wait_for()


def test_filters_and_another_question(page: Page) -> None:
    """Filters leave what they name; another question gives other papers for the place."""
    place(page, 1)
    page.locator("#filters").click()
    page.get_by_label("Author", exact=True).fill("lin")
    page.keyboard.press("Enter")
    page.locator(".suggestion .title", has_text="ROUGE").wait_for()
    assert all("Lin" in by for by in page.locator(".suggestion .by").all_inner_texts())
    page.get_by_role("button", name="Clear").click()
    page.locator("#ask").fill("frames that tie the meaning of words to a lexicon")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('.suggestion .title')?.textContent.includes('FrameNet')")
    page.get_by_role("button", name="The draft’s own sentence").click()
    until(page, "!document.querySelector('.suggestion .title')?.textContent.includes('FrameNet')")


def test_any_sentence_can_be_asked(page: Page) -> None:
    """A click into a sentence without a mark asks for papers that fit it."""
    page.get_by_text("Measures are tools.").click(position={"x": 20, "y": 10})
    page.locator(".sentence", has_text="Measures are tools.").wait_for()
    page.locator(".beside .suggestion, .beside .pane-note").first.wait_for()


@pytest.mark.parametrize(("label", "sign"), [(".bib", "@"), ("RIS", "TY  - "), ("CSL", '"title"')])
def test_a_selection_is_exported(page: Page, label: str, sign: str) -> None:
    """Accepted and kept papers are exported in three formats."""
    place(page, 1)
    accept(page)
    page.locator("#find").fill("treebank")
    page.keyboard.press("Enter")
    page.locator(".beside .suggestion").first.get_by_role("button", name="Keep").click()
    page.locator(".collected li").nth(1).wait_for()
    with page.expect_download() as download:
        page.locator(".exports").get_by_role("button", name=label).click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert text.count(sign) >= 2
    assert "Treebank" in text.replace("{", "").replace("}", "")


def test_pictures_are_not_empty(page: Page) -> None:
    """References over the years, the map of what the draft cites, and the library's shape are drawn, each
    with a table of the same content; a click on the map goes to the place."""
    page.get_by_role("button", name="Pictures").click()
    page.locator("#picture-shape svg").first.wait_for()
    page.locator("#picture-map .node").first.wait_for()
    for name in ("years", "map", "shape"):
        picture = page.locator(f"#picture-{name}")
        assert picture.locator("svg[role=img]").first.get_attribute("aria-label")
        assert picture.locator(".table tbody tr").count() >= 2
        box = picture.locator("svg[role=img]").first.bounding_box()
        assert box is not None
        assert box["width"] > 200
        assert box["height"] > 100
    assert page.locator("#picture-years .bar-reference").count() >= 4
    assert page.locator("#picture-years .bar-suggestion").count() >= 1
    assert page.locator("#picture-map .node.reference").count() >= 3
    assert page.locator("#picture-map .node.suggestion").count() >= 1
    assert page.locator("#picture-shape .bar-reference").count() >= 5
    page.locator("#picture-map .node.suggestion.way").first.dispatch_event("click")
    page.locator(".paper .mark.current").wait_for()


def test_the_page_is_small_and_its_own(server: Serving, context: BrowserContext) -> None:
    """The page's files are 400 kB in all at most, come with a policy that allows no other host and no inline
    script or style, and have no address of another host to load from."""
    files = [path for path in PAGE.rglob("*") if path.is_file() and path.suffix != ".txt"]
    assert sum(path.stat().st_size for path in files) < 400_000
    page = context.new_page()
    response = page.goto(server.link)
    assert response is not None
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    answered(page)


HOSTILE = {
    "id": "x",
    "title": "<img src=x onerror=alert(1)>",
    "authors": ["<b>A</b>"],
    "year": 2020,
    "venue": "<i>V</i>",
    "doi": None,
    "url": "javascript:alert(1)",
    "own": False,
    "key": None,
    "in_bibliography": False,
    "library": "",
    "probability": 0.5,
    "passages": [],
    "abstract": "",
    "reasons": [{"kind": "words", "text": "<script>alert(1)</script>", "weight": 1}],
}


def test_texts_of_suggestions_are_text(page: Page) -> None:
    """A title with markup is shown as it is."""
    answer = {"id": None, "suggestions": [HOSTILE]}
    page.route("**/suggest", lambda route: route.fulfill(json=answer))
    page.locator("#ask").fill("anything")
    page.keyboard.press("Enter")
    page.locator(".title", has_text="<img src=x onerror=alert(1)>").wait_for()
    assert page.locator(".beside img, .beside b, .beside i, .beside script").count() == 0
    assert page.locator('.beside a[href^="javascript"]').count() == 0
