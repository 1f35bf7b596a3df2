""" "Ibid." and what else says that a citation is the one before it."""

from __future__ import annotations

import pytest

from citewhy.answers.questions import units_of
from citewhy.answers.resolve.again import cited_again
from citewhy.answers.resolve.notes import content_of, is_again
from citewhy.drafts import read_files

REFS = """\
@book{kuhn, title = {Structure}, author = {Kuhn, T.}, year = 1962}
@book{bloch, title = {Rois}, author = {Bloch, M.}, year = 1924}
"""
PAPERS = {"kuhn": "K", "bloch": "B"}


@pytest.mark.parametrize(
    "text", ["See", "See also", "Cf.", "Vgl. ", "Siehe auch", "But see", "Voir", "Ebd., S. 3f."]
)
def test_signals_say_nothing(text: str) -> None:
    """Of a note's subject they are no words."""
    assert not content_of(text)


@pytest.mark.parametrize("text", ["Seeing trams", "Siemens", "Version 3", "Verdi", "Ideas"])
def test_words_that_begin_like_signals(text: str) -> None:
    """They are kept."""
    assert content_of(text) == text
    assert not is_again(text)


@pytest.mark.parametrize(
    ("notes", "expected"),
    [
        (["[@kuhn].", "Ibid. [@?]"], ("K",)),
        (["[@kuhn, p. 3].", "Ebd., S. 12 [@?]"], ("K",)),
        (["[@kuhn].", "Vgl. ebd. [@?]"], ("K",)),
        (["[@kuhn]; ibid. holds.", "Other [@bloch].", "*Ibid.*, 3 [@?]"], ("B",)),
        (["[@kuhn].", "A letter of 1823.", "Ibid. [@?]"], ()),
        (["[@?].", "Ibid. [@?]"], ()),
        (["Ibid. [@?]"], ()),
        (["[@kuhn] and [@bloch].", "Ibid. [@?]"], ("K", "B")),
        (["[@kuhn].", "Ibid.; see also [@?]"], None),
        (["[@kuhn].", "Ibsen wrote plays [@?]"], None),
    ],
)
def test_ibid_is_the_citation_before(notes: list[str], expected: tuple[str, ...] | None) -> None:
    """That of the note before, whatever the text cites between; certain if there is one."""
    marks = " ".join(f"Text {number} [@bloch].[^{number}]" for number in range(len(notes)))
    written = "".join(f"\n\n[^{number}]: {note}" for number, note in enumerate(notes))
    files = {"a.md": f"---\nbibliography: refs.bib\n---\n{marks}{written}\n", "refs.bib": REFS}
    draft = read_files(files, "a.md")
    *_, last = units_of(draft)
    found = cited_again(draft, last, PAPERS)
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert (found.kind, found.paper_ids, found.certain) == ("again", expected, len(expected) == 1)


def test_ibid_in_running_text() -> None:
    """There it is the last citation before."""
    text = "---\nbibliography: refs.bib\n---\nOne [@kuhn]. Two [@bloch].\n\nIbid. [@?]\n"
    draft = read_files({"a.md": text, "refs.bib": REFS}, "a.md")
    (unit,) = units_of(draft)
    found = cited_again(draft, unit, PAPERS)
    assert found is not None
    assert found.paper_ids == ("B",)
