"""Sentences without their citations."""

from __future__ import annotations

import pytest

from citewhy.text.uncited import reads_without, without_citations


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Parsers parse (Collins, 1999).", "Parsers parse."),
        ("Parsers (Collins, 1999; Klein and Manning, 2003) parse [3], too.", "Parsers parse, too."),
        ("Nothing  is cited here.", "Nothing is cited here."),
        ("It holds [3, 5–7].", "It holds."),
    ],
)
def test_citations_in_brackets_are_taken_out(text: str, plain: str) -> None:
    """No bracket, no double space, no space before a stop stays behind."""
    assert without_citations(text) == plain


@pytest.mark.parametrize(
    "text",
    [
        "Collins (1999) parses.",
        "It was shown by (Collins, 1999).",
        "This is based on [3].",
        "See (Collins, 1999) for more.",
        "(Collins, 1999) is a parser.",
        "Methods such as (Collins, 1999) work.",
        "Collins et al. say so.",
        "It works (2003).",
        "It works ( , ).",
    ],
)
def test_sentences_that_need_their_citation_do_not_read_without_it(text: str) -> None:
    """Names in the sentence, a preposition before the citation, and traces of a citation."""
    assert without_citations(text) is None


def test_a_citation_in_the_text_may_stand_at_the_end() -> None:
    """A citation command that is part of a sentence leaves a gap, unless the sentence ends before it."""
    assert reads_without("Ranks decide success.", [20], in_text=True)
    assert not reads_without("In short, however, has shown it.", [17], in_text=True)
    assert not reads_without("It was introduced by.", [20])
