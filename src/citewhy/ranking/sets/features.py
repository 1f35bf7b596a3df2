"""Computes what a set model sees of a candidate: how well it fits the citation, how it is related to the
papers that the bracket has already and to those chosen before it, and how many these are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Query
from citewhy.ranking.rank.ranked import Ranked
from citewhy.ranking.sets.relations import RELATIONS, Relations
from citewhy.search.index.arrays import Floats, Rows
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.text.markers import OTHER

_MEANS = ("papers_cosine", "cosine", "draft_together")
"""Relations whose mean over several papers is a feature beside their largest value."""

CONTEXT = (
    "members",  # number of papers that the bracket has already, at most 4
    "chosen",  # number of papers chosen before it, at most 6
    "chosen_probability",  # sum of their probabilities
    "others",  # number of other citations in the sentence, at most 4
    "plural",  # 1 if the sentence speaks of several works
    "usual",  # mean number of papers in the other citations of the draft, minus 1; at most 4
    "words",  # ln(1 + number of words)
    "has_draft",
    "has_contexts",
    "papers_in_library",  # ln(1 + number of papers in the pool)
)
"""Features of the citation, which are equal for all candidates."""

SET_FEATURES = (
    "fit",  # logit of the ranker's probability
    "lead",  # that, minus the largest of all candidates that are not chosen
    "rank",  # 1 / (1 + rank / 3) in the order of the ranker
    *(f"member_{name}" for name in RELATIONS),
    *(f"member_mean_{name}" for name in _MEANS),
    *(f"chosen_{name}" for name in RELATIONS),
    *(f"chosen_mean_{name}" for name in _MEANS),
    *CONTEXT,
)
"""Names of the columns of `CitationCandidates.table`, in order. Relations are the largest over the papers."""

FIRST, RELATED = 100, 50
"""Number of candidates that are considered: the first of the ranking, and those cited together most often
with the members."""

_NEAR_ENTRIES = 3
"""Entries of the draft's bibliography that are so near to that of a member are considered, too."""

_LEAST = 1e-5
"""Probability at which the logit is cut off."""

_PLURAL = re.compile(
    r"\be\.?g\b|\b(?:several|many|various|numerous|variety|multiple|both|others?|recent(?:ly)?|"
    r"studies|works|approaches|methods|authors|researchers|models|systems|techniques|papers|algorithms|"
    r"reviews?|examples?|widely|extensively|commonly)\b",
    re.IGNORECASE,
)


@dataclass
class CitationCandidates:
    """Holds the candidates of one citation, and what is known of them."""

    rows: Rows
    """[n] in the order of the ranking."""
    probabilities: NDArray[np.float64]
    """[n] of the ranker."""
    ranks: NDArray[np.int64]
    """[n] from 0, in the whole ranking."""
    members: tuple[int, ...]
    """Rows of the papers that the bracket has already."""
    relate: Callable[[int], NDArray[np.float32]]
    """[n, len(RELATIONS)] the relations of the candidates to the paper in a row (`Relations.to`)."""
    context: Mapping[str, float]
    _to: dict[int, NDArray[np.float32]] = field(default_factory=dict)

    def table(self, chosen: Sequence[int]) -> NDArray[np.float32]:
        """[n, len(SET_FEATURES)] the features of the candidates if the papers in the rows `chosen`, which are
        candidates, were chosen before. Those of the chosen ones have no meaning."""
        chances = np.clip(self.probabilities, _LEAST, 1 - _LEAST)
        logits = np.log(chances) - np.log1p(-chances)
        free = ~np.isin(self.rows, chosen)
        taken = self.probabilities[~free]
        columns = {
            "fit": logits,
            "lead": logits - logits[free].max(initial=-20.0),
            "rank": 1 / (1 + self.ranks / 3),
            **self._related("member", self.members),
            **self._related("chosen", chosen),
        }
        facts = {**self.context, "chosen": min(len(chosen), 6), "chosen_probability": float(taken.sum())}
        columns |= {name: np.full(len(self.rows), value) for name, value in facts.items()}
        return np.stack([columns[name] for name in SET_FEATURES], axis=1).astype(np.float32)

    def _related(self, what: str, others: Sequence[int]) -> dict[str, Floats]:
        for row in others:
            if row not in self._to:
                self._to[row] = self.relate(row)
        none = np.zeros((1, len(self.rows), len(RELATIONS)), dtype=np.float32)
        every = np.stack([self._to[row] for row in others]) if others else none
        largest, mean = every.max(axis=0), every.mean(axis=0)
        return {f"{what}_{name}": largest[:, column] for column, name in enumerate(RELATIONS)} | {
            f"{what}_mean_{name}": mean[:, RELATIONS.index(name)] for name in _MEANS
        }


def citation_candidates(scoped: ScopedQuery, ranked: Ranked) -> CitationCandidates:
    """Returns the candidates of the citation of a query, whose ranking has probabilities."""
    members = tuple(scoped.members.tolist())
    ranks = _considered(scoped, ranked, members)
    rows = ranked.rows[ranks]
    return CitationCandidates(
        rows,
        ranked.alone[ranks],
        ranks,
        members,
        Relations(scoped, rows).to,
        _context(scoped, len(members)),
    )


def _considered(scoped: ScopedQuery, ranked: Ranked, members: Sequence[int]) -> NDArray[np.int64]:
    """Returns the positions in the ranking, ascending, of the candidates to consider."""
    kept = np.zeros(len(ranked.rows), dtype=np.bool_)
    kept[:FIRST] = True
    if members:
        cocited = scoped.neighbours.cocited.at(ranked.rows)
        most = np.argsort(-cocited, kind="stable")[:RELATED]
        kept[most[cocited[most] > 0]] = True
        kept |= np.isin(ranked.rows, _entries_near(scoped, members))
    return np.flatnonzero(kept)


def _entries_near(scoped: ScopedQuery, members: Sequence[int]) -> list[int]:
    draft, rows_of = scoped.query.draft, scoped.cited_in_draft
    listed = [rows_of[paper_id] for paper_id in draft.bibliography if paper_id in rows_of] if draft else []
    near = []
    for position, row in enumerate(listed):
        if row in members:
            near += listed[max(0, position - _NEAR_ENTRIES) : position + _NEAR_ENTRIES + 1]
    return near


def _context(scoped: ScopedQuery, members: int) -> dict[str, float]:
    query = scoped.query
    return {
        "members": min(members, 4),
        "others": min(query.text.count(OTHER), 4),
        "plural": float(_PLURAL.search(query.text) is not None),
        "usual": _usual(query),
        "words": float(np.log1p(len(query.text.split()))),
        "has_draft": float(query.draft is not None),
        "has_contexts": float(scoped.view.has_contexts()),
        "papers_in_library": float(np.log1p(scoped.view.pool_size())),
    }


def _usual(query: Query) -> float:
    """Mean number of papers, beyond one, in the other citations of the draft."""
    sizes = [len(citation.paper_ids) for citation in query.draft.citations] if query.draft else []
    return min(float(np.mean(sizes)) - 1, 4.0) if sizes else 0.0
