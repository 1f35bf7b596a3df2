"""Which sentence a citation between two sentences belongs to."""

from __future__ import annotations

import pytest

from citewhy.drafts import read_files

BIBLIOGRAPHY = "@book{a, title = {One}}\n@book{b, title = {Another}}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It works. [@a] We go.", [("It works.", "a"), ("We go.", "")]),
        ("It works. [@a] used data.", [("It works.", ""), ("used data.", "a")]),
        ("It works. [@a] [@b] used data.", [("It works.", ""), ("used data.", "ab")]),
        ("[@a] used data. We go. [@b]", [("used data.", "a"), ("We go.", "b")]),
    ],
)
def test_citations_between_sentences(text: str, expected: list[tuple[str, str]]) -> None:
    """They support the first; before a sentence without a capital, they are its beginning."""
    manuscript = read_files({"d.md": text, "r.bib": BIBLIOGRAPHY}, "d.md")
    all_sentences = [sentence for paragraph in manuscript.paragraphs for sentence in paragraph.sentences]
    assert [
        (sentence.text, "".join(m.keys[0] for m in sentence.markers)) for sentence in all_sentences
    ] == expected
