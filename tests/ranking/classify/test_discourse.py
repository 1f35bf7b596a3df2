"""The sentences of a paragraph as the discourse tagger sees them."""

from __future__ import annotations

from citewhy.base.records import SentenceInContext
from citewhy.ranking.classify.discourse import in_context


def test_neighbours_and_position() -> None:
    """Each sentence has the one before it and the one after it, the whole paragraph, and its place there;
    positions are spread from 0 to 1."""
    texts = ("A.", "B.", "C.")
    assert in_context(texts) == [
        SentenceInContext("A.", next="B.", position=0.0, paragraph=texts, place=0),
        SentenceInContext("B.", previous="A.", next="C.", position=0.5, paragraph=texts, place=1),
        SentenceInContext("C.", previous="B.", position=1.0, paragraph=texts, place=2),
    ]
    assert in_context(["A."]) == [SentenceInContext("A.", position=0.0, paragraph=("A.",))]
