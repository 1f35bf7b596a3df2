"""Completes a citation: the order of the candidates beside its members, and the papers that are proposed; and
proposes papers for a whole paragraph."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from citewhy.ranking.rank.ranked import Ranked
from citewhy.ranking.sets.features import CitationCandidates, citation_candidates
from citewhy.ranking.sets.model import SetModel, default_set_model
from citewhy.ranking.sets.selection import SetChoice, choose, most_useful
from citewhy.search.retrieve.scoped import ScopedQuery

_KINDS = ("local", "set")

_LEAST = 1e-12
"""Probabilities that have logits are at least this far from 0 and 1."""


@dataclass(frozen=True, slots=True)
class Completion:
    """Holds what a set model says of one citation."""

    candidates: CitationCandidates
    choice: SetChoice

    @property
    def rows(self) -> list[int]:
        """The rows of the proposed papers, in the order in which they were chosen."""
        return [int(self.candidates.rows[position]) for position in self.choice.positions]

    def order(self, scoped: ScopedQuery, ranked: Ranked) -> Ranked:
        """Returns `ranked`, from which the candidates were taken, in the order of the probabilities beside
        the members. The papers that the set model did not see follow, as far behind as they were, with
        probability 0. Scores of the others are the logits of their probabilities."""
        chances = self.choice.probabilities.clip(_LEAST, 1 - _LEAST)
        positions = np.flatnonzero(np.isin(ranked.rows, self.candidates.rows))  # both are by rank
        scores = np.log(chances) - np.log1p(-chances)
        probabilities = np.zeros(len(ranked.rows))
        probabilities[positions] = chances
        moved = ranked.scores - ranked.scores.max(initial=-np.inf)
        moved += np.nextafter(np.float32(scores.min(initial=0.0)), np.float32(-np.inf))
        moved[positions] = scores
        changed = replace(
            ranked, scores=moved.astype(np.float32), probabilities=probabilities, competing=None
        )
        order = np.lexsort((scoped.index.id_ranks(ranked.rows), -changed.scores))
        return changed.take(order.tolist())


def of_paragraph(ranked: Ranked) -> list[int]:
    """The rows of the papers that are proposed for a paragraph, best first; none for a ranking without
    probabilities. They are judged one by one, by the ranker: how the papers of a paragraph are related to
    each other is not known to it."""
    if len(ranked.probabilities) < len(ranked.rows):
        return []
    proposed: list[int] = ranked.rows[: most_useful(ranked.probabilities)].tolist()
    return proposed


class Sets:
    """Applies a set model in the pipeline. Threads share it."""

    def __init__(self, model: SetModel | None = None) -> None:
        """`model` None: that of the package, opened when it is first needed."""
        self._given = model

    def complete(self, scoped: ScopedQuery, ranked: Ranked) -> Completion | None:
        """The completion of a sentence's citation, from its ranking without a set model. None for other kinds
        of queries, for a query with an intent, which has an order of its own, and for a ranking without
        probabilities."""
        query = scoped.query
        if query.kind not in _KINDS or query.intent is not None:
            return None
        if not len(ranked.rows) or len(ranked.probabilities) < len(ranked.rows):
            return None
        candidates = citation_candidates(scoped, ranked)
        at_least = 0 if query.may_be_complete else 1
        return Completion(candidates, choose(self._given or default_set_model(), candidates, at_least))
