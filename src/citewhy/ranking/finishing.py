"""The finishing steps of an answer: from ranked papers to suggestions.

Each step takes an `AnswerInProgress` and returns it with something added; `Recommender` applies them in their
order. A step that does not concern a question returns the answer as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from citewhy.base.records import Paper, Reason, Suggestion
from citewhy.papers.library.store import Library
from citewhy.ranking.explain import Support, explain
from citewhy.ranking.explain.credits import among_crediting, credits_of
from citewhy.ranking.explain.reasons import credited_by
from citewhy.ranking.explain.taken_back import with_notices
from citewhy.ranking.explain.together import distinct_works, with_proposed
from citewhy.ranking.intents.ranking import IntentRanking
from citewhy.ranking.rank.ranked import Ranked
from citewhy.ranking.rank.reranking import Reranking
from citewhy.ranking.sets.completing import Sets, of_paragraph
from citewhy.search.index.arrays import Rows
from citewhy.search.retrieve.scoped import ScopedQuery


@dataclass(frozen=True, slots=True)
class AnswerInProgress:
    """Holds what is known so far of the answer to a query."""

    scoped: ScopedQuery
    """The query, as it was asked."""
    ranked: Ranked
    """All candidates that were ranked, best first."""
    k: int
    """The number of papers to suggest; at least 1."""
    named: frozenset[int] = frozenset()
    """The rows of the papers that the caller puts first."""
    proposed: tuple[int, ...] = ()
    """The rows of the papers that are proposed together, in the order in which they were chosen."""
    shown: tuple[int, ...] = ()
    """The positions in `ranked` of the papers to suggest, in their order."""
    suggestions: tuple[Suggestion, ...] = ()


class Step(Protocol):
    """A finishing step. Threads share it."""

    def __call__(self, answer: AnswerInProgress) -> AnswerInProgress:
        """Returns the answer after this step."""
        ...


class Complete:
    """Proposes papers that belong together. Where the citation has papers already, the order becomes that
    beside them."""

    def __init__(self, library: Library, sets: Sets) -> None:
        self._library, self._sets = library, sets

    def __call__(self, answer: AnswerInProgress) -> AnswerInProgress:
        scoped, ranked = answer.scoped, answer.ranked
        if scoped.query.kind == "paragraph":
            return replace(answer, proposed=tuple(of_paragraph(ranked)))
        completion = self._sets.complete(scoped, ranked)
        if completion is None:
            return answer
        ordered = completion.order(scoped, ranked) if len(scoped.members) else ranked
        proposed = distinct_works(self._library, scoped, completion.rows)
        return replace(answer, ranked=ordered, proposed=tuple(proposed))


class Promote:
    """Chooses the `k` papers to suggest: those that the caller puts first, then those proposed beside the
    members of a citation, then the others, each group in the order of the ranking."""

    def __call__(self, answer: AnswerInProgress) -> AnswerInProgress:
        proposed = answer.proposed if answer.scoped.query.member_ids else ()
        return replace(answer, shown=_promoted(answer.ranked.rows, (answer.named, proposed), answer.k))


def _promoted(rows: Rows, first: Sequence[Collection[int]], k: int) -> tuple[int, ...]:
    """Returns the positions of `k` of the `rows` [n]: those in the first group, in the second, …, then the
    others."""
    groups = np.full(len(rows), len(first))
    for number, group in reversed(list(enumerate(first))):
        groups[np.isin(rows, list(group))] = number
    return tuple(np.argsort(groups, kind="stable")[:k].tolist())


class Explain:
    """Makes suggestions of the papers, with the reasons for each, without those that nothing supports."""

    def __init__(self, library: Library, reranking: Reranking) -> None:
        self._library, self._reranking = library, reranking

    def __call__(self, answer: AnswerInProgress) -> AnswerInProgress:
        shown = answer.ranked.take(answer.shown)
        reranked = self._reranking.reasons(shown, answer.scoped)
        suggestions = explain(self._library, answer.scoped, shown, answer.named, reranked)
        return replace(answer, suggestions=tuple(with_notices(self._library, suggestions)))


class Together:
    """Marks the proposed papers, and says what connects a paper to the others of its citation."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def __call__(self, answer: AnswerInProgress) -> AnswerInProgress:
        marked = with_proposed(self._library, answer.scoped, answer.suggestions, answer.proposed)
        return replace(answer, suggestions=tuple(marked))


class Intents:
    """Says how each paper is cited, for a query with an intent."""

    def __init__(self, intents: IntentRanking) -> None:
        self._intents = intents

    def __call__(self, answer: AnswerInProgress) -> AnswerInProgress:
        intent = answer.scoped.query.intent
        if intent is None:
            return answer
        explained = self._intents.explained(answer.suggestions, answer.scoped.view, intent)
        return replace(answer, suggestions=tuple(explained))


class Attach:
    """Attaches the passage of each paper that supports the claim of the query."""

    def __init__(self, support: Support) -> None:
        self._support = support

    def __call__(self, answer: AnswerInProgress) -> AnswerInProgress:
        attached = self._support.attach(answer.scoped.query, answer.suggestions)
        return replace(answer, suggestions=tuple(attached))


class Credit:
    """Puts the papers that a passage credits with the claim behind the paper with the passage, and keeps the
    first `k` of all. Such a paper has the reasons and the probability that the ranking gives it, if any."""

    def __init__(self, library: Library, support: Support) -> None:
        self._library, self._support = library, support

    def __call__(self, answer: AnswerInProgress) -> AnswerInProgress:
        scoped, crediting = answer.scoped, credits_of(answer.suggestions)
        ids = list(crediting)
        rows = dict(zip(ids, scoped.index.rows(ids).tolist(), strict=True))
        known = [paper_id for paper_id, row in rows.items() if row >= 0]
        if not known:
            return answer
        positions = np.flatnonzero(np.isin(answer.ranked.rows, [rows[paper_id] for paper_id in known]))
        explained = explain(self._library, scoped, answer.ranked.take(positions.tolist()))
        by_ranking = {suggestion.paper.id: suggestion for suggestion in explained}
        papers = self._library.papers(known)
        credited = []
        for paper_id in known:
            crediting_suggestion, passage = crediting[paper_id]
            why = credited_by(crediting_suggestion.paper, passage)
            if paper_id in by_ranking:
                own = by_ranking[paper_id]
                credited.append(replace(own, reasons=(why, *own.reasons)))
            elif paper_id in papers:
                credited.append(_no_candidate(papers[paper_id], crediting_suggestion, why))
        attached = self._support.attach(scoped.query, with_notices(self._library, credited))
        joined = among_crediting(answer.suggestions, attached, crediting)
        return replace(answer, suggestions=tuple(joined[: answer.k]))


def _no_candidate(paper: Paper, crediting: Suggestion, why: Reason) -> Suggestion:
    """Returns the suggestion of a credited paper that nothing in the query leads to, which makes it
    improbable."""
    probability = None if crediting.probability is None else 0.0
    return Suggestion(paper, crediting.score, (why,), probability=probability)
