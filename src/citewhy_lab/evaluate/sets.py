"""Measures of citations with several papers: the ranking, the set that is proposed, and one paper hidden.

A place is asked as it is, without any of its papers, of the ranking and of the set model. If it cites several
papers, each is hidden in turn, with the others as members (leave-one-out). The same hidden paper is looked
for in the ranking without the bracket: as it is, and with the members struck out, since whoever has them
needs no suggestion of them. As a plain set, BM25's first n are taken, with the n that does best on all
places.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from citewhy.base.records import Query
from citewhy.ranking.recommender import Recommender
from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from citewhy_lab.evaluate.compare import Difference, compare
from citewhy_lab.evaluate.datasets.topics import Topic
from citewhy_lab.evaluate.measures import Scores
from citewhy_lab.evaluate.serving import ranked_and_proposed

DEPTH = 10
"""Papers of a ranking that count."""

FIRST = 5
"""Papers among which a hidden one has to be."""

FIXED = 5
"""The largest n of BM25's first n."""

_ASKED = 100
"""Depth of the rankings, from which members are struck out."""


@dataclass(frozen=True, slots=True)
class HiddenMember:
    """The rank of a hidden paper, from 1; infinite where it was not found."""

    beside: float
    """Beside the members."""
    alone: float
    """In the ranking for the sentence without the bracket."""
    struck: float
    """In the same, with the members struck out."""


@dataclass(frozen=True, slots=True)
class AnsweredCitation:
    """The answers for one citation, of one paper or of several."""

    id: str
    group: str
    """The document, or the citing paper: places of one are not independent."""
    right: tuple[str, ...]
    ranking: tuple[str, ...]
    """The first `DEPTH` of the default ranking."""
    proposed: tuple[str, ...]
    """The set that was proposed."""
    plain: tuple[str, ...]
    """The first `FIXED` by BM25."""
    hidden: tuple[HiddenMember, ...]
    """For each of several right papers; empty for one."""
    sizes: tuple[int, ...] = ()
    """For each hidden paper, the number of papers proposed beside the members."""


def with_members(query: Query, members: Sequence[str]) -> Query:
    """Returns the same question where the citation already has `members`."""
    return replace(
        query,
        kind="set",
        member_ids=tuple(members),
        known_ids=tuple(sorted({*query.known_ids, *members})),
        excluded_ids=tuple(paper_id for paper_id in query.excluded_ids if paper_id not in members),
    )


def answer(recommender: Recommender, plain: Recommender, topic: Topic, group: str) -> AnsweredCitation:
    """Asks `recommender`, whose pipeline has probabilities, and `plain`, that of BM25, for one place."""
    ranked, proposed = ranked_and_proposed(recommender, topic.query, _ASKED)
    hidden, sizes = [], []
    for paper_id in topic.relevant if len(topic.relevant) > 1 else ():
        members = [other for other in topic.relevant if other != paper_id]
        beside = with_members(topic.query, members)
        others = [paper for paper in ranked if paper not in members]
        beside_members, further = ranked_and_proposed(recommender, beside, _ASKED)
        hidden.append(
            HiddenMember(_rank(beside_members, paper_id), _rank(ranked, paper_id), _rank(others, paper_id))
        )
        sizes.append(len(further))
    return AnsweredCitation(
        topic.query.id,
        group,
        topic.relevant,
        tuple(ranked[:DEPTH]),
        tuple(proposed),
        tuple(plain.rank(topic.query, FIXED).ids),
        tuple(hidden),
        tuple(sizes),
    )


def f1(chosen: Sequence[str], right: Sequence[str]) -> float:
    """Computes twice the number of right papers that were chosen, divided by the numbers of both; 0 for
    nothing."""
    return 2 * len(set(chosen) & set(right)) / max(len(set(chosen)) + len(set(right)), 1)


def _rank(ids: Sequence[str], paper_id: str) -> float:
    return ids.index(paper_id) + 1.0 if paper_id in ids else float("inf")


# Measures -------------------------------------------------------------------------------------------------


Measure = Callable[[AnsweredCitation], float]
Condition = Callable[[AnsweredCitation], bool]

SIZES: Mapping[str, Callable[[int], bool]] = {
    "=1": lambda size: size == 1,
    ">=1": lambda size: size >= 1,
    ">=2": lambda size: size >= 2,
}


def _recall(citation: AnsweredCitation) -> float:
    return len(set(citation.right) & set(citation.ranking)) / len(citation.right)


def _average_precision(citation: AnsweredCitation) -> float:
    """Computes average precision at `DEPTH`."""
    ranks = [number for number, paper_id in enumerate(citation.ranking, 1) if paper_id in citation.right]
    precisions = sum(count / rank for count, rank in enumerate(ranks, 1))
    return precisions / min(len(citation.right), DEPTH)


def _hit(of: Callable[[HiddenMember], float]) -> Measure:
    """Returns the mean over the hidden papers of a place."""
    return lambda citation: sum(of(member) <= FIRST for member in citation.hidden) / len(citation.hidden)


def plain_f1(n: int) -> Measure:
    """Computes F1 of BM25's first n."""
    return lambda citation: f1(citation.plain[:n], citation.right)


def _several(citation: AnsweredCitation) -> bool:
    return len(citation.right) > 1


def measures(
    citations: Sequence[AnsweredCitation],
) -> dict[str, tuple[Measure, Condition]]:
    """Returns each measure of a place, and the places that it is the mean of."""
    by_name: dict[str, tuple[Measure, Condition]] = {}
    for name, fits in SIZES.items():

        def of_size(citation: AnsweredCitation, fits: Callable[[int], bool] = fits) -> bool:
            return fits(len(citation.right))

        by_name[f"R@10/{name}"] = (_recall, of_size)
        by_name[f"AP@10/{name}"] = (_average_precision, of_size)
    best = best_fixed(citations)
    by_name |= {
        "full-list@10": (lambda citation: float(set(citation.right) <= set(citation.ranking)), _several),
        "bracket-hit@5": (_hit(lambda place: place.beside), _several),
        "alone-hit@5": (_hit(lambda place: place.alone), _several),
        "struck-hit@5": (_hit(lambda place: place.struck), _several),
        "bracket-size-error": (
            lambda citation: float(np.mean([abs(size - 1) for size in citation.sizes])),
            _several,
        ),
        "set-F1": (lambda citation: f1(citation.proposed, citation.right), _any),
        "set-F1/>=2": (lambda citation: f1(citation.proposed, citation.right), _several),
        "set-size": (lambda citation: float(len(citation.proposed)), _any),
        "true-size": (lambda citation: float(len(citation.right)), _any),
        "set-size-error": (lambda citation: float(abs(len(citation.proposed) - len(citation.right))), _any),
        f"BM25-F1 (first {best})": (plain_f1(best), _any),
        "first-F1": (lambda citation: f1(citation.ranking[:1], citation.right), _any),
    }
    return {
        name: measure
        for name, measure in by_name.items()
        if any(measure[1](citation) for citation in citations)
    }


def _any(citation: AnsweredCitation) -> bool:
    return bool(citation.right)


def best_fixed(citations: Sequence[AnsweredCitation]) -> int:
    """Returns the n from 1 to `FIXED` with the highest mean F1 of BM25's first n."""
    return 1 + int(
        np.argmax([np.mean([plain_f1(n)(citation) for citation in citations]) for n in range(1, FIXED + 1)])
    )


def scores_of(
    citations: Sequence[AnsweredCitation],
    measure: Measure,
    counted: Condition,
    name: str,
) -> Scores:
    """Sums values by group: places of one group are drawn together."""
    groups: dict[str, list[float]] = {}
    for citation in citations:
        if counted(citation):
            groups.setdefault(citation.group, []).append(measure(citation))
    sums = np.array([sum(values) for values in groups.values()])
    return Scores(tuple(groups), np.array([float(len(group)) for group in groups.values()]), {name: sums})


def intervals(
    citations: Sequence[AnsweredCitation], seed: int
) -> dict[str, tuple[float, tuple[float, float]]]:
    """Returns every measure with its 95 % interval, by bootstrap over groups."""
    intervals_by_name = {}
    for name, (measure, counted) in measures(citations).items():
        scores = scores_of(citations, measure, counted, name)
        drawn = resampled_means(scores.sums[name], scores.weights, seed)
        intervals_by_name[name] = scores.means()[name], interval(drawn)
    return intervals_by_name


def comparisons(citations: Sequence[AnsweredCitation], seed: int) -> dict[str, tuple[float, Difference]]:
    """Returns pairs of measures on the same places: how many times the second the first is, and their
    difference."""
    every = measures(citations)
    plain = next(name for name in every if name.startswith("BM25-F1"))
    pairs = [("set-F1", plain), ("set-F1", "first-F1")]
    pairs += [("bracket-hit@5", "alone-hit@5"), ("bracket-hit@5", "struck-hit@5")]
    differences = {}
    for first, second in pairs:
        if first in every and second in every:
            (one, counted), (other, _) = every[first], every[second]
            left, right = (
                scores_of(citations, one, counted, first),
                scores_of(citations, other, counted, first),
            )
            times = left.means()[first] / max(right.means()[first], 1e-9)
            differences[f"{first} − {second}"] = times, compare(left, right, seed)[first]
    return differences
