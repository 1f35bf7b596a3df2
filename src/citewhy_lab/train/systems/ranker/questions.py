"""What the last step of the ranker (`rank.last_step`) learns from: one table of features a question.

Questions of finished drafts are asked twice: as they are, and with less: without the draft's other citations,
or some of them, its paragraph, its title, the order of its bibliography. So the model learns what each kind
of evidence is worth where others are missing.

Asking thousands of questions takes longer than learning from them, so they are kept on disk (`train.kept`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Query
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.rank.last_step_features import LAST_STEP_FEATURES
from citewhy.ranking.rank.model import RankerModel
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import Encoder
from citewhy.search.index import open_index
from citewhy_lab.evaluate.datasets.topics import Topic
from citewhy_lab.evaluate.serving import last_step_table
from citewhy_lab.train.drafts import Draft, open_library, topics_of
from citewhy_lab.train.kept import Arrays

KEPT = 250
"""Candidates of a question that are kept: the right ones, and those that look best."""

OF_DRAFT = 80
"""Citations of one draft that are asked for, so that a thesis does not outvote ten papers."""

_PROMISING = ("base_rank", "fusion", "draft_cosine", "draft_before", "draft_after", "name_introduced")
"""Features whose sum says which candidates look best."""


@dataclass(frozen=True, slots=True)
class RankerQuestion:
    """What the last step sees of one open citation."""

    table: NDArray[np.float32]
    """[n, len(LAST_STEP_FEATURES)]."""
    right: NDArray[np.bool_]
    """[n] which candidates are right."""
    missed: int
    """Number of right papers of the library that are not among the n."""
    author: str
    """Author, citing paper or name, whose questions are learned from together or tested together."""
    world: str
    """Kind of library and question, by which quality is reported."""
    weight: float = 1.0


def question(
    recommender: Recommender, topic: Topic, author: str, world: str, weight: float = 1.0
) -> RankerQuestion:
    """The topic as the last step of `recommender` sees it."""
    rows, table = last_step_table(recommender, topic.query)
    relevant = recommender.index.rows(list(topic.relevant))
    right = np.isin(rows, relevant)
    missed = len(set(relevant.tolist()) - {-1}) - int(right.sum())
    first = np.sort(promise(table, right)[:KEPT])
    return RankerQuestion(table[first], right[first], missed, author, world, weight)


def without_draft(query: Query) -> Query:
    """The sentence, or the paragraph, with nothing of the draft but its title and abstract."""
    return replace(query, draft=None, paragraph="", preceding="", section="", known_ids=())


def promise(table: NDArray[np.float32], right: NDArray[np.bool_]) -> NDArray[np.int64]:
    """[n] positions: the right papers first, then those that look best."""
    looks = table[:, [LAST_STEP_FEATURES.index(name) for name in _PROMISING]].sum(axis=1)
    return np.lexsort((-looks, ~right))


def packed(questions: Sequence[RankerQuestion]) -> Arrays:
    """The questions as arrays, for `train.kept`."""
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


def unpacked(arrays: Arrays) -> list[RankerQuestion]:
    """Restores what `packed` was given. Raises KeyError or ValueError for other arrays."""
    ends = np.cumsum(arrays["sizes"])
    table, right = arrays["table"], arrays["right"]
    each = zip(
        ends - arrays["sizes"],
        ends,
        *(arrays[name].tolist() for name in ("missed", "author", "world", "weight")),
        strict=True,
    )
    return [RankerQuestion(table[start:end], right[start:end], *facts) for start, end, *facts in each]


# Finished drafts -------------------------------------------------------------------------------------------


def draft_questions(
    draft: Draft, folder: Path, encoder: Encoder, model: RankerModel, seed: int
) -> Iterator[RankerQuestion]:
    """At most `OF_DRAFT` open citations of a draft, each asked twice. Its library is made in `folder`, or
    found there."""
    rng = random.Random(f"{seed} {draft.name}")
    with open_library(draft, folder) as library:
        models = ModelSet(encoder=encoder, ranker=model)
        recommender = Recommender(library, index=open_index(library, encoder), models=models)
        topics = topics_of(draft, library)
        if len(topics) > OF_DRAFT:
            topics = [topics[each] for each in sorted(rng.sample(range(len(topics)), OF_DRAFT))]
        for topic in topics:
            less = replace(topic, query=_with_less(topic.query, rng))
            yield question(recommender, topic, draft.author, "drafts")
            yield question(recommender, less, draft.author, "drafts, less evidence")


def _with_less(query: Query, rng: random.Random) -> Query:
    """The same question, some of the evidence left out."""
    chance = rng.random()
    if 0.5 <= chance < 0.7:
        query = without_draft(query)
    elif 0.7 <= chance < 0.8:
        query = replace(query, draft=None)
    elif chance >= 0.8 and query.draft is not None:
        share = 0.7 * rng.random()
        kept = tuple(each for each in query.draft.citations if rng.random() < share)
        query = replace(query, draft=replace(query.draft, citations=kept))
    if query.draft is not None and rng.random() < 0.35:
        query = replace(query, draft=replace(query.draft, bibliography=()))
    if rng.random() < 0.2:
        query = replace(query, paragraph="", preceding="")
    return replace(query, title="") if rng.random() < 0.2 else query
