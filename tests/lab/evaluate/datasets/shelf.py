"""A library of nine papers, two of them under two ids."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from citewhy.base.records import Paper


class Shelf:
    """The methods of a library that tasks need, with a dictionary of papers."""

    def __init__(self, papers: Collection[Paper], aliases: Mapping[str, str]) -> None:
        self._papers = {paper.id: paper for paper in papers}
        self._aliases = aliases

    def canonical(self, paper_id: str) -> str | None:
        found = self._aliases.get(paper_id, paper_id)
        return found if found in self._papers else None

    def papers(self, ids: Collection[str]) -> Mapping[str, Paper]:
        return {paper_id: self._papers[paper_id] for paper_id in ids if paper_id in self._papers}


def small_shelf() -> Shelf:
    """Papers A to H of 2001 to 2008 (A2 is A), and `new`, by Ada and Bob, with an abstract."""
    papers = [Paper(letter, f"Title {letter}", year=2001 + n) for n, letter in enumerate("ABCDEFGH")]
    new = Paper("new", "A New Paper", abstract="We ask.", authors=("Ada", "Bob"), year=2009)
    return Shelf([*papers, new], {"A2": "A", "new2": "new"})
