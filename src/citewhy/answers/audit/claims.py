"""Whether cited papers say what they are cited for, as far as the text that a library has of them tells.

The agreement of a citing sentence with a paper of which there is a full text is the mean of three numbers
between 0 and 1: the share of the sentence's words, weighted by their rarity in the library, that two
sentences of the paper in a row have; the cosine between the sentence and title and abstract; and the
largest cosine between the sentence and one of the passages that share most words with it. Of a paper with
an abstract alone it is the second of them: the others make it worse. `benchmarks/claims.py` measures it: it
tells cited papers from others, and says nothing about what is true.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from citewhy.base.records import FullText, Manuscript, Paper, Passage, Place, Sentence, TextSource
from citewhy.drafts.sentences import shown
from citewhy.search.encode import Encoder, TextKind
from citewhy.search.index.arrays import Floats
from citewhy.text.sentences import split
from citewhy.text.tokens import stems

__all__ = ["LIMITS", "CitingClaim", "Support", "Texts", "agreements", "supported"]

Support = Literal["found", "weak", "absent"]
"""``found``: a passage agrees; ``weak``: one comes near; ``absent``: not in what the library has of the
paper, which may be a title alone."""

LIMITS: Mapping[TextSource, tuple[float, float]] = {"full text": (0.36, 0.31), "abstract": (0.35, 0.27)}
"""The smallest agreement of ``found``, which 5 of 100 papers reach that are not cited there, and of ``weak``,
which 95 of 100 papers reach that are: on the training contexts (`benchmarks/claims.py --fit`)."""

_PASSAGES = 4
"""Passages of a paper whose meaning is compared with the sentence: those with most of its words."""
_TOGETHER = 2
"""Sentences of a passage."""


class Texts(Protocol):
    """What is known of papers and of words."""

    def full_text(self, paper_id: str) -> FullText | None:
        """The full text of a paper; None if there is none."""

    def idf(self, terms: Iterable[str]) -> Mapping[str, float]:
        """How rare each stem is among the papers: 0 and more."""


@dataclass(frozen=True, slots=True)
class CitingClaim:
    """A sentence of a draft, and a paper that it cites."""

    key: str
    place: Place
    """Of the citation."""
    text: str
    """The sentence with ``[…]`` for its citations."""
    paper: Paper
    support: Support
    agreement: float
    """Between 0 and 1."""
    source: TextSource
    passage: Passage | None
    """The passage that agrees best; None of a paper without text."""


def supported(
    manuscript: Manuscript, papers: Mapping[str, Paper], texts: Texts, encoder: Encoder
) -> list[CitingClaim]:
    """The citations in sentences of a draft to the `papers`, by key, in reading order. Titles and abstracts
    of papers are known from the papers themselves."""
    asked = [
        (key, marker.place, shown(sentence), sentence.text)
        for paragraph in manuscript.paragraphs
        for sentence in paragraph.sentences
        for marker in sentence.markers
        for key in dict.fromkeys(marker.keys)
        if key in papers
    ]
    pairs = [(text, papers[key]) for key, _, _, text in asked]
    return [
        CitingClaim(
            key,
            place,
            text,
            papers[key],
            _support(agreement, source),
            agreement,
            source,
            passage,
        )
        for (key, place, text, _), (agreement, source, passage) in zip(
            asked, agreements(pairs, texts, encoder), strict=True
        )
    ]


def _support(agreement: float, source: TextSource) -> Support:
    found, weak = LIMITS.get(source, (2.0, 2.0))
    return "found" if agreement >= found else "weak" if agreement >= weak else "absent"


def agreements(
    pairs: Sequence[tuple[str, Paper]], texts: Texts, encoder: Encoder
) -> list[tuple[float, TextSource, Passage | None]]:
    """For each sentence and paper their agreement, which text was searched, and its best passage."""
    papers = {paper.id: paper for _, paper in pairs}
    read = {paper_id: ReadPaper(paper, texts) for paper_id, paper in papers.items()}
    words = [dict.fromkeys(stems(text), 0.0) for text, _ in pairs]
    weights = texts.idf(dict.fromkeys(word for some in words for word in some))
    best = [
        list(read[paper.id].passages({word: weights.get(word, 0.0) for word in some}))
        for some, (_, paper) in zip(words, pairs, strict=True)
    ]
    passage_texts = [passage.text for passages in best for _, passage in passages]
    asked = _vectors(encoder, [text for text, _ in pairs], "query")
    vectors = _vectors(encoder, [*(each.whole for each in read.values()), *passage_texts], "paper")
    answers: list[tuple[float, TextSource, Passage | None]] = []
    for (text, paper), passages in zip(pairs, best, strict=True):
        cosines = [float(vectors[passage.text] @ asked[text]) for _, passage in passages]
        cover = max((share for share, _ in passages), default=0.0)
        closest = int(np.argmax(cosines)) if cosines else -1
        meaning = max(float(vectors[read[paper.id].whole] @ asked[text]), 0.0)
        parts = (cover, meaning, max(cosines, default=0.0))
        source = read[paper.id].source
        agreement = float(np.clip(np.mean(parts), 0.0, 1.0)) if source == "full text" else meaning
        answers.append((agreement, source, passages[closest][1] if cosines else None))
    return answers


def _vectors(encoder: Encoder, texts: Iterable[str], kind: TextKind) -> dict[str, Floats]:
    """The vectors of texts, each encoded once."""
    new = list(dict.fromkeys(texts))
    return dict(zip(new, encoder.encode(new, kind), strict=True))


class ReadPaper:
    """The text of a paper, with the words of its sentences."""

    def __init__(self, paper: Paper, texts: Texts) -> None:
        full = texts.full_text(paper.id)
        self.paper = paper
        self.source: TextSource = "full text" if full else "abstract" if paper.abstract else "none"
        self.whole = f"{paper.title}. {paper.abstract}"
        self._sentences: Sequence[Sentence] = full.sentences if full else ()
        if self.source == "abstract":
            lines = split(paper.abstract)
            self._sentences = [Sentence(number, "abstract", text) for number, text in enumerate(lines, 1)]
        self._having: dict[str, list[int]] = defaultdict(list)
        """The passages that have a stem: by the numbers of their first sentences."""
        for number, sentence in enumerate(self._sentences):
            for word in dict.fromkeys(stems(sentence.text)):
                having = self._having[word]
                having.extend(
                    first for first in (number - 1, number) if first >= 0 and first not in having[-2:]
                )

    def passages(self, weights: Mapping[str, float]) -> Iterator[tuple[float, Passage]]:
        """Yields the passages that share most of the weight of words, with their shares, best first."""
        total = sum(weights.values())
        shares: dict[int, float] = defaultdict(float)
        for word, weight in weights.items():
            for first in self._having.get(word, ()):
                shares[first] += weight / total if total else 0.0
        for first in sorted(shares, key=lambda first: (-shares[first], first))[:_PASSAGES]:
            yield shares[first], self._passage(first)

    def _passage(self, first: int) -> Passage:
        span = self._sentences[first : first + _TOGETHER]
        numbered = self.source == "full text"
        return Passage(
            self.paper.id,
            " ".join(sentence.text for sentence in span),
            0.0,
            span[0].sid if numbered else None,
            span[0].section,
            span[-1].sid if numbered else None,
        )
