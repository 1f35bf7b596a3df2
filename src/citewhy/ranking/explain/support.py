"""Support for suggestions from the papers themselves: the best passage for the claim, and whom it credits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citewhy.base.records import Paper, Passage, Query, Reason, Suggestion
from citewhy.base.reports import PaperPassages
from citewhy.papers.library.store import Library
from citewhy.ranking.explain.credits import Credits
from citewhy.ranking.explain.passages import PassageFinder
from citewhy.ranking.explain.reasons import quoted
from citewhy.ranking.linkage.linker import Linker
from citewhy.search.index import Index
from citewhy.text.names import surname


class Support:
    """Finds passages and their primary sources; caches what it read, so that the places of a draft share it.
    Thread-safe."""

    def __init__(self, library: Library, index: Index, linker: Linker | None = None) -> None:
        self._finder = PassageFinder(library, linker)
        self._credits = Credits(library, index)

    def attach(self, query: Query, suggestions: Sequence[Suggestion]) -> list[Suggestion]:
        """The suggestions for `query` with the best passage of each, if the library has text of it."""
        claim = claim_of(query)
        found = self._finder.find(claim, [suggestion.paper for suggestion in suggestions])
        without = {query.citing_id, *query.copy_ids, *query.excluded_ids, *query.member_ids}
        attached = []
        for suggestion, (source, passages) in zip(suggestions, found, strict=True):
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
        ((source, found),) = self._finder.find(claim, [paper], k)
        credited = [self._credits.of(passage, claim) for passage in found]
        return PaperPassages(
            paper=paper,
            text=text,
            source=source,
            passages=tuple(map(_crediting, found, credited)),
            credited=tuple({each.id: each for some in credited for each in some}.values()),
        )


def claim_of(query: Query) -> str:
    """The claim to be supported: the sentence, or title and abstract if there is none."""
    return query.text if query.text.strip() else f"{query.title} {query.abstract}"


def _crediting(passage: Passage, papers: Sequence[Paper]) -> Passage:
    return replace(passage, credits=tuple(paper.id for paper in papers))


def _reason(paper: Paper) -> Reason:
    who = f"{surname(paper.authors[0]).title()} {paper.year}" if paper.authors else str(paper.year)
    return Reason("credits", f"this passage credits {who}: {quoted(paper)} (id {paper.id})")
