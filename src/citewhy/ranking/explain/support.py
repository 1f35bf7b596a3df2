"""Support for suggestions from the papers themselves: the best passage for the claim, and whom it credits.

Passages are sentences of the full text of a paper, or else of its abstract.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from citewhy.base.errors import ModelError
from citewhy.base.records import FullText, Paper, Passage, Query, Reason, Sentence, Suggestion, TextSource
from citewhy.base.reports import PaperPassages
from citewhy.models.numbers import require_numbers
from citewhy.papers.library.store import Library
from citewhy.ranking.explain.credits import Credits
from citewhy.ranking.explain.reasons import quoted
from citewhy.ranking.linkage import Link, Linker, default_linker
from citewhy.search.index import Index
from citewhy.text.names import surname
from citewhy.text.sentences import split


class Support:
    """Finds passages and their primary sources; caches what it read, so that the places of a draft share it.
    Thread-safe."""

    def __init__(self, library: Library, index: Index, linker: Linker | None = None) -> None:
        self._finder = PassageFinder(library, linker)
        self._credits = Credits(library, index)

    def attach(self, query: Query, suggestions: Sequence[Suggestion]) -> list[Suggestion]:
        """The suggestions for `query` with the best passage of each, if the library has text of it."""
        claim = claim_of(query)
        supported = self._finder.find(claim, [suggestion.paper for suggestion in suggestions])
        without = {query.citing_id, *query.copy_ids, *query.excluded_ids, *query.member_ids}
        attached = []
        for suggestion, (source, passages) in zip(suggestions, supported, strict=True):
            credited = [self._credits.of(passage, claim, query.year, without) for passage in passages]
            attached.append(
                replace(
                    suggestion,
                    source=source,
                    passages=tuple(map(_crediting, passages, credited)),
                    reasons=(*suggestion.reasons, *(_reason(paper) for some in credited for paper in some)),
                )
            )
        return attached

    def passages(self, paper: Paper, text: str, claim: str, k: int) -> PaperPassages:
        """The best `k` passages of one paper for `claim`, which is `text` without its citations."""
        ((source, best),) = self._finder.find(claim, [paper], k)
        credited = [self._credits.of(passage, claim) for passage in best]
        return PaperPassages(
            paper=paper,
            text=text,
            source=source,
            passages=tuple(map(_crediting, best, credited)),
            credited=tuple({credit.id: credit for some in credited for credit in some}.values()),
        )


def claim_of(query: Query) -> str:
    """The claim to be supported: the sentence, or title and abstract if there is none."""
    return query.text if query.text.strip() else f"{query.title} {query.abstract}"


def _crediting(passage: Passage, papers: Sequence[Paper]) -> Passage:
    return replace(passage, credits=tuple(paper.id for paper in papers))


def _reason(paper: Paper) -> Reason:
    who = f"{surname(paper.authors[0]).title()} {paper.year}" if paper.authors else str(paper.year)
    return Reason("credits", f"this passage credits {who}: {quoted(paper)} (id {paper.id})")


# Passages ---------------------------------------------------------------------------------------------------


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
        """Returns for each paper which text was searched, and its best `k` passages, best first; none if no
        sentence has a word in common with the claim."""
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
        links = (self._given or default_linker()).links(claim, text, k)
        for link in links:
            places = np.array([link.first, link.best, link.last])
            require_numbers(places, (3,), "the linker", whole=True)
            require_numbers(np.array(link.score), (), "the linker")
            if not 0 <= link.first <= link.best <= link.last < len(text.sentences):
                raise ModelError("the linker names sentences that are not there", hint="leave it out")
        return links


def _abstract(paper: Paper) -> FullText:
    sentences = [Sentence(number, "abstract", text) for number, text in enumerate(split(paper.abstract), 1)]
    return FullText(paper.id, (Sentence(0, "title", paper.title), *sentences))


def _passage(text: FullText, link: Link, numbered: bool) -> Passage:
    """`numbered`: whether the sentences have public numbers."""
    span = text.sentences[link.first : link.last + 1]
    first, last = span[0], span[-1]
    around = {(one.section, one.sid): one.text for one in text.sentences}
    return Passage(
        paper_id=text.paper_id,
        text=" ".join(sentence.text for sentence in span),
        score=link.score,
        sid=span[0].sid if numbered else None,
        section=text.sentences[link.best].section,
        last_sid=span[-1].sid if numbered else None,
        facet=link.facet,
        before=around.get((first.section, first.sid - 1), ""),
        after=around.get((last.section, last.sid + 1), ""),
    )
