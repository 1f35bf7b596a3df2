"""Org drafts."""

from __future__ import annotations

from pathlib import Path

import pytest
from any_draft import check_places, texts_of
from hypothesis import HealthCheck, given, settings

from citewhy.base.records import Manuscript, Marker, Paper
from citewhy.drafts import read_files
from citewhy.drafts.edit.citations import add_entries, fill, rename
from citewhy.drafts.edit.patch import Patch
from citewhy.drafts.files import MemoryFiles

BIB = """@inproceedings{bleu, title = {BLEU}, author = {Papineni, Kishore}, year = 2002}
@inproceedings{rouge, title = {ROUGE}, author = {Lin, Chin-Yew}, year = 2004}
"""
HEAD = """#+title: Scores
#+author: Ada Lovelace and Kurt Gödel
#+date: May 2021
#+bibliography: refs.bib

"""

PIECES = [
    *(
        "[cite:",
        "@bleu",
        "]",
        ";",
        "[[",
        "]]",
        "[fn:1]",
        "[fn::",
        "=",
        "~",
        "$",
        "\\(",
        "* ",
        "*",
        "/",
        "\n",
        "- ",
    ),
    *(
        "\n\n",
        "#+begin_src",
        "#+end_src",
        "#+begin_quote",
        ":A:",
        ":END:",
        "| a | b |",
        "cite:bleu",
        "\\cite{",
    ),
    *("[CITE]", " word ", "ß", "# "),
]


def files(body: str) -> dict[str, str]:
    return {"draft.org": HEAD + body, "refs.bib": BIB}


def draft(body: str) -> Manuscript:
    return read_files(files(body), root="draft.org")


def markers(manuscript: Manuscript) -> list[Marker]:
    return [marker for p in manuscript.paragraphs for sentence in p.sentences for marker in sentence.markers]


@pytest.mark.parametrize(
    ("body", "written", "keys", "is_open"),
    [
        ("It works [cite:@bleu].", "[cite:@bleu]", ("bleu",), False),
        (
            "It works [cite:see @bleu p. 3; @rouge].",
            "[cite:see @bleu p. 3; @rouge]",
            ("bleu", "rouge"),
            False,
        ),
        ("It works [cite/t:@unknown].", "[cite/t:@unknown]", ("unknown",), True),
        ("It works [cite:@TODO].", "[cite:@TODO]", (), True),
        ("It works [cite:].", "[cite:]", (), True),
        ("It works [CITE].", "[CITE]", (), True),
        ("It works cite:bleu,rouge.", "cite:bleu,rouge", ("bleu", "rouge"), False),
        ("It works [[cite:&bleu;&rouge]].", "[[cite:&bleu;&rouge]]", ("bleu", "rouge"), False),
        ("It works \\citep[p.~3]{bleu}.", "\\citep[p.~3]{bleu}", ("bleu",), False),
    ],
)
def test_citations(body: str, written: str, keys: tuple[str, ...], is_open: bool) -> None:
    """Org's own citations, the links of org-ref, and LaTeX's commands."""
    [marker] = markers(draft(body))
    cited = (HEAD + body)[marker.place.start : marker.place.end]
    assert (cited, marker.keys, marker.open) == (written, keys, is_open)


@pytest.mark.parametrize(
    "body",
    [
        "# a comment [cite:@bleu]",
        "#+begin_src python\nx = '[cite:@bleu]'\n#+end_src",
        "It works =[cite:@bleu]= and ~[CITE]~.",
        ": [cite:@bleu]",
        "* Notes :noexport:\n[cite:@bleu]",
        "* COMMENT Notes\n[cite:@bleu]",
        "* Heading\n:PROPERTIES:\n:REF: [cite:@bleu]\n:END:\nIt works.",
    ],
)
def test_what_is_no_citation(body: str) -> None:
    """Comments, code, drawers, and what is not exported."""
    assert markers(draft(body)) == []


def test_text_and_metadata() -> None:
    """Text is without markup; items and notes are paragraphs of their own."""
    manuscript = draft(
        "#+begin_abstract\nWe score.\n#+end_abstract\n* TODO One :tag:\nA /short/ text[fn:1] costs $x$, see\n"
        "[[https://x.org][the page]].\n- An item.\n\n[fn:1] A note [cite:@bleu]."
    )
    assert (manuscript.title, manuscript.authors, manuscript.year) == (
        "Scores",
        ("Ada Lovelace", "Kurt Gödel"),
        2021,
    )
    assert manuscript.abstract == "We score."
    assert [(p.section, [s.text for s in p.sentences]) for p in manuscript.paragraphs] == [
        ("Abstract", ["We score."]),
        ("One", ["A short text costs MATH, see the page."]),
        ("One", ["An item."]),
        ("One", ["A note."]),
    ]


def test_without_a_bibliography_nothing_is_undefined() -> None:
    """Org may have one for all files."""
    assert [marker.open for marker in markers(read_files({"a.org": "It works [cite:@bleu]."}))] == [False]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("It works [CITE].", "It works [cite:@bleu]."),
        ("[CITE] shows it.", "[cite/t:@bleu] shows it."),
        ("It works [cite:].", "It works [cite:@bleu]."),
        ("It works [cite:see @? p. 3; @rouge].", "It works [cite:see @bleu p. 3; @rouge]."),
        ("It works [cite/t:@TODO].", "It works [cite/t:@bleu]."),
        ("It works \\citep[p.~3]{TODO,rouge}.", "It works \\citep[p.~3]{bleu,rouge}."),
    ],
)
def test_filling(body: str, expected: str) -> None:
    """Notes, styles and other keys stay."""
    manuscript, held = draft(body), MemoryFiles(files(body))
    edit = fill(manuscript, markers(manuscript)[0], ["bleu"], held)
    assert Patch([edit], "draft.org", held).texts()["draft.org"] == HEAD + expected


def test_one_key_becomes_another() -> None:
    """Notes stay."""
    body = "It works [cite:see @unknown p. 3; @rouge]."
    manuscript, held = draft(body), MemoryFiles(files(body))
    edit = rename(manuscript, markers(manuscript)[0], "unknown", "bleu", held)
    texts = Patch([edit], "draft.org", held).texts()
    assert texts["draft.org"] == HEAD + "It works [cite:see @bleu p. 3; @rouge]."


def test_a_new_bibliography_is_named() -> None:
    """Below the other keywords."""
    held = {"draft.org": "#+title: Scores\n\nIt works [CITE].\n"}
    edits = add_entries(read_files(held), {"a": Paper("a", "A")}, MemoryFiles(held))
    texts = Patch(edits, "draft.org", MemoryFiles(held)).texts()
    assert texts["draft.org"] == "#+title: Scores\n#+bibliography: references.bib\n\nIt works [CITE].\n"


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts_of(PIECES).filter(bool))
def test_any_text(tmp_path: Path, text: str) -> None:
    """Whatever a file contains, it is read, and the places of its citations are in it."""
    check_places(tmp_path / "draft.org", text)
