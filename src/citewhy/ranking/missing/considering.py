"""Considers works that a whole paper does not cite: in which order, with which probability, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Reason, Suggestion
from citewhy.papers.library.store import Library
from citewhy.ranking.explain import explain
from citewhy.ranking.explain.taken_back import not_taken_back
from citewhy.ranking.missing.evidence import EVIDENCE, Evidence, evidence
from citewhy.ranking.missing.model import MissingModel, default_missing_model
from citewhy.ranking.rank.ranked import Ranked
from citewhy.search.index.arrays import Floats, Rows
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.text.counted import counted, inflected

CONSIDERED = 300
"""Number of works that are considered: the first of the ranking."""

_VOTES = 2
"""References that must be near in meaning before it is said."""

_SAID_ALREADY = frozenset(("cocited", "near-known"))
"""Kinds of reasons of the ranking that those of the evidence stand for."""


@dataclass(frozen=True, slots=True)
class Considered:
    """The n works that were considered for a paper, most probable first."""

    library: Library
    scoped: ScopedQuery
    ranked: Ranked
    evidence: Evidence
    probabilities: NDArray[np.float64]
    """[n] descending; [0] for a ranking without probabilities, whose order is kept."""
    threshold: float
    """Probability below which no work is proposed."""

    @property
    def rows(self) -> Rows:
        """[n] the rows of the works."""
        return self.ranked.rows

    @property
    def ids(self) -> list[str]:
        """The ids of the works."""
        return self.scoped.index.ids(self.ranked.rows)

    @property
    def cosines(self) -> Floats:
        """[n] cosines of the works with the paper; zeros without vectors."""
        column: Floats = self.evidence.table[:, EVIDENCE.index("cosine")]
        return column

    def alike(self, position: int, others: Sequence[int]) -> Floats:
        """[m] cosines of the work at `position` with those at `others`; zeros without vectors."""
        if self.ranked.signals is None:
            return np.zeros(len(others), dtype=np.float32)
        cosines: Floats = self.scoped.view.paper_cosines(self.rows[[position]], self.rows[list(others)])[0]
        return cosines

    def suggestions(self, positions: Sequence[int]) -> list[Suggestion]:
        """The works at `positions`, with their reasons: what the references and other papers say first, then
        what the ranking says. Works that nothing supports, and those that were taken back, are left out."""
        chosen = self.ranked.take(positions)
        explained = {one.paper.id: one for one in explain(self.library, self.scoped, chosen)}
        found = []
        for position, paper_id in zip(positions, self.scoped.index.ids(chosen.rows), strict=True):
            if (one := explained.get(paper_id)) is None:
                continue
            own = tuple(self._reasons(position))
            said = _SAID_ALREADY if own else ()
            reasons = (*own, *(reason for reason in one.reasons if reason.kind not in said))
            chance = float(self.probabilities[position]) if len(self.probabilities) else None
            found.append(replace(one, reasons=reasons, probability=chance))
        return not_taken_back(self.library, found)

    def _reasons(self, position: int) -> Iterator[Reason]:
        """What the references, and papers that share them, say of a work."""
        of = self.evidence
        if citing := int(of.cited_by[position]):
            yield Reason("cited-by", f"cited by {_of_references(citing)}")
        if beside := int(of.beside[position]):
            yield Reason("beside", f"cited together with {_of_references(beside)}")
        if cites := int(of.cites[position]):
            yield Reason("cites", f"cites {_of_references(cites)}")
        if (like := int(of.like[position])) > 1:
            yield Reason(
                "alike", f"{counted(like, 'paper')} like yours {inflected(like, 'cites', 'cite')} it"
            )
        if (votes := int(of.votes[position])) >= _VOTES:
            yield Reason("near", f"close in meaning to {_of_references(votes)}")


def _of_references(count: int) -> str:
    return f"{count} of your references"


def consider(
    library: Library, scoped: ScopedQuery, ranked: Ranked, model: MissingModel | None = None
) -> Considered:
    """Considers the first works of a ranking for a whole paper; `model` None: that of the package."""
    first = ranked.best(CONSIDERED)
    chosen = model or default_missing_model()
    found = evidence(library, scoped, first)
    if len(first.probabilities) < len(first.rows):
        return Considered(library, scoped, first, found, np.zeros(0), 0.0)
    chances = chosen.probabilities(found.table)
    order = np.lexsort((np.arange(len(chances)), -chances)).tolist()
    return Considered(library, scoped, first.take(order), found.take(order), chances[order], chosen.threshold)
