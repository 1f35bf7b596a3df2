"""What the last step of the ranker (`rank.last_step`) learns from: one table of features a question.

Asking thousands of questions takes longer than learning from them, so they are kept on disk (`train.kept`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Query
from citewhy.ranking.rank.last_step_features import LAST_STEP_FEATURES
from citewhy.ranking.recommender import Recommender
from citewhy_lab.evaluate.datasets.topics import Topic
from citewhy_lab.train.kept import Arrays

__all__ = ["KEPT", "Question", "packed", "promise", "question", "unpacked", "without_draft"]

KEPT = 250
"""Candidates of a question that are kept: the right ones, and those that look best."""

_PROMISING = ("base_rank", "fusion", "draft_cosine", "draft_before", "draft_after", "name_introduced")
"""Features whose sum says which candidates look best."""


@dataclass(frozen=True, slots=True)
class Question:
    """What the last step sees of one place or sentence."""

    table: NDArray[np.float32]
    """[n, len(LAST_STEP_FEATURES)]."""
    right: NDArray[np.bool_]
    """[n]."""
    missed: int
    """Right papers of the library that are not among the n."""
    author: str
    """Whose questions are learned from together or tested together: an author, a citing paper, a name."""
    world: str
    """Kind of library and question, by which quality is reported."""
    weight: float = 1.0


def question(
    recommender: Recommender, topic: Topic, author: str, world: str, weight: float = 1.0
) -> Question:
    """The topic as the last step of `recommender` sees it."""
    rows, table = recommender.last_step(topic.query)
    relevant = recommender.index.rows(list(topic.relevant))
    right = np.isin(rows, relevant)
    missed = len(set(relevant.tolist()) - {-1}) - int(right.sum())
    first = np.sort(promise(table, right)[:KEPT])
    return Question(table[first], right[first], missed, author, world, weight)


def without_draft(query: Query) -> Query:
    """The sentence, or the paragraph, with nothing of the draft but its title and abstract."""
    return replace(query, draft=None, paragraph="", preceding="", section="", known_ids=())


def promise(table: NDArray[np.float32], right: NDArray[np.bool_]) -> NDArray[np.int64]:
    """[n] places: the right papers first, then those that look best."""
    looks = table[:, [LAST_STEP_FEATURES.index(name) for name in _PROMISING]].sum(axis=1)
    return np.lexsort((-looks, ~right))


def packed(questions: Sequence[Question]) -> Arrays:
    """As arrays, for `train.kept`."""
    nothing = np.zeros((0, len(LAST_STEP_FEATURES)), dtype=np.float32)
    return {
        "sizes": np.array([len(each.right) for each in questions], dtype=np.int64),
        "table": np.concatenate([nothing, *(each.table for each in questions)]),
        "right": np.concatenate([np.zeros(0, np.bool_), *(each.right for each in questions)]),
        "missed": np.array([each.missed for each in questions], dtype=np.int64),
        "author": np.array([each.author for each in questions], dtype=np.str_),
        "world": np.array([each.world for each in questions], dtype=np.str_),
        "weight": np.array([each.weight for each in questions], dtype=np.float64),
    }


def unpacked(arrays: Arrays) -> list[Question]:
    """What `packed` was given. Raises KeyError or ValueError for other arrays."""
    ends = np.cumsum(arrays["sizes"])
    table, right = arrays["table"], arrays["right"]
    each = zip(
        ends - arrays["sizes"],
        ends,
        *(arrays[name].tolist() for name in ("missed", "author", "world", "weight")),
        strict=True,
    )
    return [Question(table[start:end], right[start:end], *facts) for start, end, *facts in each]
