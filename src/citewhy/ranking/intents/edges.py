"""The intents of citations: of each pair of a citing and a cited paper."""

from __future__ import annotations

from collections.abc import Mapping

from citewhy.base.records import Intent
from citewhy.papers.library.store import Library
from citewhy.ranking.intents.labels import INTENTS
from citewhy.ranking.intents.table import UNKNOWN, IntentTable

__all__ = ["edge_intents"]


def edge_intents(library: Library, table: IntentTable) -> Mapping[tuple[int, int], frozenset[Intent]]:
    """For each citation in the library, by the numbers of the citing and the cited paper, the intents of the
    sentences in which it is made; an empty set if no such sentence is known: its intent is unknown.

    No limits of time are applied: a caller leaves out what is too new for it, by the year of the citing
    paper.
    """
    known: dict[tuple[int, int], set[Intent]] = {edge: set() for edge in library.numbered_citations()}
    for number, citing, _year, cited in library.context_links():
        label = int(table.labels[number]) if number < len(table.labels) else UNKNOWN
        for paper in cited:
            if citing < 0 or citing == paper:
                continue
            intents = known.setdefault((citing, paper), set())
            if label != UNKNOWN:
                intents.add(INTENTS[label])
    return {edge: frozenset(intents) for edge, intents in known.items()}
