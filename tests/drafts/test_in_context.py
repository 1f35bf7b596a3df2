"""The sentences of a draft as a classifier reads them."""

from __future__ import annotations

from citewhy.base.records import SentenceInContext
from citewhy.drafts import read_files
from citewhy.drafts.sentences import in_context


def test_sentences_in_context() -> None:
    """Neighbours within the paragraph, the heading, the share of sentences before; citations are masked."""
    text = (
        "# Title\n\n## Method\n\nWe follow [@och] here. It works.\n\n## End\n\nAs [@a; @b] and [CITE] say.\n"
    )
    sentences = list(in_context(read_files({"draft.md": text})))
    assert [sentence.text for sentence, _ in sentences] == ["We follow here.", "It works.", "As and say."]
    assert [context for _, context in sentences] == [
        SentenceInContext("We follow OTHERCIT here.", "", "It works.", "Method", 0.0),
        SentenceInContext("It works.", "We follow OTHERCIT here.", "", "Method", 1 / 3),
        SentenceInContext("As OTHERCIT and OTHERCIT say.", "", "", "End", 2 / 3),
    ]


def test_an_empty_draft() -> None:
    """It has no sentence."""
    assert list(in_context(read_files({"draft.md": ""}))) == []
