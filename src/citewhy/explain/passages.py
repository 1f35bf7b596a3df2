"""The sentence of a paper that comes closest to a query: of its full text, else of its abstract."""

from __future__ import annotations

from collections.abc import Iterator

from citewhy.corpus.store import Library
from citewhy.records import Paper, Passage, Sentence
from citewhy.retrieve.lexical import Terms
from citewhy.text.sentences import split
from citewhy.text.tokens import stems

__all__ = ["closest_passage"]

_SHORTEST = 4
"""Index terms that a sentence needs: headings and debris are no evidence."""


def closest_passage(library: Library, paper: Paper, rarity: Terms) -> Passage | None:
    """The sentence with the highest sum of `rarity` (idf of each query term) over the terms that it has,
    divided by the square root of its length; None where no sentence has any of them."""
    best: Passage | None = None
    for sentence in _sentences(library, paper):
        terms = stems(sentence.text)
        if len(terms) < _SHORTEST:
            continue
        score = sum(rarity.get(term, 0.0) for term in set(terms)) / len(terms) ** 0.5
        if score > (0.0 if best is None else best.score):
            sid = None if sentence.sid < 0 else sentence.sid
            best = Passage(paper.id, sentence.text, score, sid, sentence.section)
    return best


def _sentences(library: Library, paper: Paper) -> Iterator[Sentence]:
    full_text = library.full_text(paper.id)
    if full_text is not None:
        yield from (sentence for sentence in full_text.sentences if sentence.section != "title")
    elif paper.abstract:
        yield from (Sentence(-1, "abstract", text) for text in split(paper.abstract))
