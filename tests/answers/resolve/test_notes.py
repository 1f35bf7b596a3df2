"""What a note at a missing citation says of the paper."""

from __future__ import annotations

import pytest

from citewhy.answers.resolve.notes import read_note

NOTES = {
    "[TODO: reference for trams, not Kuhn]": "trams",
    "[TODO: reference for trams not Kuhn 1962]": "trams",
    "cite Foot rather than Kuhn": "Foot",
    "cite the paper on trams (not by Kuhn)": "trams",
    "cite Foot 1967; check page; ask Maria for her copy": "Foot 1967 page",
    "cite trams; tell Bob; Foot?": "trams Foot",
    "cite Foot, unlike Kuhn": "Foot",
    "cite Attention is not Explanation": "Attention is not Explanation",
    "cite Tell It Slant": "Tell It Slant",
    "cite Foot 1967, not sure about the page": "Foot 1967",
}


@pytest.mark.parametrize("note", NOTES)
def test_who_is_not_meant_is_not_named(note: str) -> None:
    """Names behind "not" and the like, and of people who are to be asked, name no work; in titles they do."""
    assert read_note(note) == NOTES[note]
