"""Completes a citation: the order of the candidates beside its members, and the papers that are proposed; and
proposes papers for a whole paragraph."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from citewhy.models.numbers import require_probabilities
from citewhy.ranking.rank.last_step import REGIMES, regime_of
from citewhy.ranking.rank.ranked import Ranked
from citewhy.ranking.sets.features import CitationCandidates, citation_candidates
from citewhy.ranking.sets.model import SetModel, default_set_model
from citewhy.ranking.sets.selection import SetChoice, choose, most_useful
from citewhy.search.retrieve.scoped import ScopedQuery

_KINDS = ("local", "set")

_LEAST = 1e-12
"""Probabilities that have logits are at least this far from 0 and 1."""

_KEPT, _SHARE = 3, 0.5
"""The first papers, with which the others are compared, and how much what the set model says of them counts;
chosen on documents of authors that do not measure."""

_BEHIND = 1e-3
"""How far behind the first papers those stay that would rise above them, at most."""


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
        positions = np.flatnonzero(np.isin(ranked.rows, self.candidates.rows))  # both are by rank
        scores = _logits(self.choice.probabilities)
        probabilities = np.zeros(len(ranked.rows))
        probabilities[positions] = self.choice.probabilities.clip(_LEAST, 1 - _LEAST)
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


def grouped(model: SetModel, scoped: ScopedQuery, ranked: Ranked) -> Ranked:
    """Returns the ranking of a place in a draft, in which papers rise that belong to a citation with its
    first papers, whether the place wants one paper or several: what is cited together is often about the
    same. Of a paper c behind the first `_KEPT`, whose order stays, the score is raised by

        `_SHARE` · Σ_j p_j (logit P(c | j) − logit P(c)) / Σ_j p_j

    over these first papers j, where P is the probability of the set model, with j chosen and with nothing
    chosen, and p_j that of the ranker. Probabilities stay with the ranks: those of the new scores would be
    too high for the first paper, since the scores of most others fall. Other questions, and rankings that the
    last step did not order, stay as they are."""
    table = ranked.last_table
    if table is None or len(ranked.rows) <= _KEPT or ranked.competing is None:
        return ranked
    if regime_of(table[~np.isnan(table[:, 0])]) != REGIMES[0]:
        return ranked
    candidates = citation_candidates(scoped, ranked)
    first = candidates.rows[:_KEPT].tolist()
    asked = [candidates.table(chosen) for chosen in ((), *((row,) for row in first))]
    chances = model.probabilities(np.concatenate(asked))
    require_probabilities(chances, (len(asked) * len(candidates.rows),), f"the set model {model.name}")
    alone, *beside = np.split(_logits(chances), len(asked))
    sure = ranked.probabilities[:_KEPT].clip(_LEAST)
    gains = np.average([each - alone for each in beside], axis=0, weights=sure)
    scores = ranked.scores.astype(np.float64)
    scores[candidates.ranks[_KEPT:]] += _SHARE * gains[_KEPT:]
    above = np.maximum(scores[_KEPT:] - scores[_KEPT - 1], 0)
    scores[_KEPT:] = np.where(above > 0, scores[_KEPT - 1] - _BEHIND * np.exp(-above), scores[_KEPT:])
    moved = scores.astype(np.float32)
    order = np.lexsort((scoped.index.id_ranks(ranked.rows), -moved))
    ordered = replace(ranked, scores=moved).take(order.tolist())
    return replace(ordered, probabilities=ranked.probabilities)


def _logits(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    chances = probabilities.clip(_LEAST, 1 - _LEAST)
    logits: NDArray[np.float64] = np.log(chances) - np.log1p(-chances)
    return logits


class Sets:
    """Applies a set model in the pipeline. Threads share it."""

    def __init__(self, model: SetModel | None = None) -> None:
        """`model` None: that of the package, opened when it is first needed."""
        self._given = model

    def grouped(self, scoped: ScopedQuery, ranked: Ranked) -> Ranked:
        """The ranking of a place without members (`grouped`)."""
        if scoped.query.kind != "local" or scoped.query.intent is not None or not len(ranked.probabilities):
            return ranked
        return grouped(self._given or default_set_model(), scoped, ranked)

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
