"""Places with known answers, from which the set model learns.

Finished drafts of many fields, each with a library of its own bibliography, and citing sentences in a library
of their field. Every place is asked without any of its papers; one that cites several is asked again with
some of them as members: all but one, or any smaller number. Places are kept on disk with the relations of
their best candidates, since asking takes longer than learning.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.ranking.recommender import Recommender
from citewhy.ranking.sets.features import SET_FEATURES, CitationCandidates
from citewhy.ranking.sets.relations import RELATIONS
from citewhy_lab.evaluate.datasets.topics import Topic
from citewhy_lab.evaluate.serving import set_candidates
from citewhy_lab.evaluate.sets import with_members
from citewhy_lab.train.kept import Arrays

__all__ = ["KEPT", "Answered", "asked", "packed", "unpacked", "variants"]

KEPT = 40
"""Candidates of a place that are kept: the right ones, the first of the ranking, and the most related."""

_FIRST = 25


@dataclass(frozen=True, slots=True)
class Answered:
    """A place with its answers."""

    place: CitationCandidates
    right: NDArray[np.bool_]
    """[n]."""
    missed: int
    """Right papers of the library that are not among the n."""
    author: str
    """Whose places are learned from together or tested together."""
    natural: bool
    """Whether it is a place as it occurs, and not one chosen because it cites several papers."""


def variants(topic: Topic, rng: random.Random) -> Iterator[Topic]:
    """A topic with several answers, with some of them as members: all but one, and, of three or more, a
    smaller number."""
    several = list(topic.relevant)
    rng.shuffle(several)
    counts = {len(several) - 1, rng.randint(1, len(several) - 1)} if len(several) > 1 else set()
    for count in sorted(counts):
        yield Topic(with_members(topic.query, several[:count]), tuple(several[count:]))


def asked(recommender: Recommender, topic: Topic, author: str, natural: bool) -> Answered:
    """The topic as the set model sees it, with at most `KEPT` candidates."""
    place = set_candidates(recommender, topic.query)
    answers = recommender.index.rows(list(topic.relevant))
    right = np.isin(place.rows, answers)
    missed = len(set(answers.tolist()) - {-1}) - int(right.sum())
    to_members = [SET_FEATURES.index(f"member_{name}") for name in RELATIONS]
    related = place.table(())[:, to_members].sum(axis=1)
    looks = np.where(np.arange(len(right)) < _FIRST, 100.0, 0) + np.where(right, 1000.0, 0) + related
    kept = np.sort(np.argsort(-looks, kind="stable")[:KEPT])
    return Answered(_kept(place, kept), right[kept], missed, author, natural)


def _kept(place: CitationCandidates, kept: NDArray[np.int64]) -> CitationCandidates:
    """The place with the candidates at `kept` alone, and all their relations."""
    rows = place.rows[kept]
    to = {row: place.relate(row)[kept] for row in (*rows.tolist(), *place.members)}
    return CitationCandidates(
        rows, place.probabilities[kept], place.ranks[kept], place.members, to.__getitem__, place.context
    )


# On disk --------------------------------------------------------------------------------------------------


def packed(places: Sequence[Answered]) -> Arrays:
    """As arrays, with the relations of the candidates, for `train.kept`."""
    arrays: dict[str, NDArray[Any]] = {"count": np.array(len(places))}
    for number, each in enumerate(places):
        place = each.place
        others = (*place.rows.tolist(), *place.members)
        related = [place.relate(row) for row in others]
        arrays |= {
            f"{number}/rows": place.rows,
            f"{number}/probabilities": place.probabilities,
            f"{number}/ranks": place.ranks,
            f"{number}/members": np.array(place.members, dtype=np.int64),
            f"{number}/relations": np.stack(related).astype(np.float16)
            if related
            else np.zeros((0, 0, len(RELATIONS)), dtype=np.float16),
            f"{number}/context": np.array(list(place.context.values())),
            f"{number}/names": np.array(list(place.context), dtype=np.str_),
            f"{number}/right": each.right,
            f"{number}/missed": np.array(each.missed),
            f"{number}/author": np.array(each.author),
            f"{number}/natural": np.array(each.natural),
        }
    return arrays


def unpacked(arrays: Arrays) -> list[Answered]:
    """What `packed` was given. Raises KeyError or ValueError for other arrays."""
    return [_place(arrays, str(number)) for number in range(int(arrays["count"]))]


def _place(arrays: Arrays, number: str) -> Answered:
    def part(name: str) -> NDArray[Any]:
        return arrays[f"{number}/{name}"]

    rows, members = part("rows"), tuple(part("members").tolist())
    relations = part("relations").astype(np.float32)
    to = dict(zip((*rows.tolist(), *members), relations, strict=True))
    context = dict(zip(part("names").tolist(), part("context").tolist(), strict=True))
    place = CitationCandidates(rows, part("probabilities"), part("ranks"), members, to.__getitem__, context)
    return Answered(place, part("right"), int(part("missed")), str(part("author")), bool(part("natural")))
