"""The sentences of a paper to which a claim refers: from its full text, or else from its abstract."""

from __future__ import annotations

from collections.abc import Sequence

from citewhy.base.records import FullText, Paper, Passage, Sentence, TextSource
from citewhy.papers.library.store import Library
from citewhy.ranking.linkage import Link, Linker, default_linker
from citewhy.text.sentences import split


class PassageFinder:
    """Finds passages in the papers of `library`; `linker` None: the built-in one.

    Texts are analysed once for all claims of a draft and stay in memory. Thread-safe.
    """

    def __init__(self, library: Library, linker: Linker | None = None) -> None:
        self._library = library
        self._given = linker

    def find(
        self, claim: str, papers: Sequence[Paper], k: int = 1
    ) -> list[tuple[TextSource, tuple[Passage, ...]]]:
        """For each paper which text was searched, and its best `k` passages, best first; none if no sentence
        has a word in common with the claim."""
        return [self._of_paper(claim, paper, k) for paper in papers]

    def _of_paper(self, claim: str, paper: Paper, k: int) -> tuple[TextSource, tuple[Passage, ...]]:
        full = self._library.full_text(paper.id)
        if full is not None and any(sentence.section != "title" for sentence in full.sentences):
            return "full text", tuple(_passage(full, link, True) for link in self._links(claim, full, k))
        if not paper.abstract:
            return "none", ()
        text = _abstract(paper)
        return "abstract", tuple(_passage(text, link, False) for link in self._links(claim, text, k))

    def _links(self, claim: str, text: FullText, k: int) -> list[Link]:
        return (self._given or default_linker()).links(claim, text, k)


def _abstract(paper: Paper) -> FullText:
    sentences = [Sentence(number, "abstract", text) for number, text in enumerate(split(paper.abstract), 1)]
    return FullText(paper.id, (Sentence(0, "title", paper.title), *sentences))


def _passage(text: FullText, link: Link, numbered: bool) -> Passage:
    """`numbered`: whether the sentences have public numbers."""
    span = text.sentences[link.first : link.last + 1]
    return Passage(
        paper_id=text.paper_id,
        text=" ".join(sentence.text for sentence in span),
        score=link.score,
        sid=span[0].sid if numbered else None,
        section=text.sentences[link.best].section,
        last_sid=span[-1].sid if numbered else None,
        facet=link.facet,
    )
