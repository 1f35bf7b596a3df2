"""Training and evaluation ask a recommender for more than its answers: for parts of the pipeline that
serves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import QueryError
from citewhy.base.records import Query
from citewhy.papers.library.store import Library
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.rank.model import RankerModel
from citewhy.ranking.recommender import Recommender
from citewhy.ranking.sets.features import CitationCandidates, citation_candidates
from citewhy.search.encode import Encoder
from citewhy.search.index import open_index
from citewhy.search.index.arrays import Rows

_DEPTH = 1000
"""Number of candidates of a sentence of which a set model considers some."""


def recommender_of(library: Library, encoder: Encoder, ranker: RankerModel | None = None) -> Recommender:
    """Opens a recommender with vectors of `encoder`, from whose features a model is to learn; `ranker` None:
    the built-in one."""
    models = ModelSet(encoder=encoder, ranker=ranker)
    return Recommender(library, index=open_index(library, encoder), models=models)


def last_step_table(recommender: Recommender, query: Query) -> tuple[Rows, NDArray[np.float32]]:
    """Returns the candidates [n] of a query, as rows, and the features [n, len(LAST_STEP_FEATURES)] from
    which the last step of the ranker scores them, and on which it is trained."""
    return recommender.ranker.last_step(recommender.scoped(query))


def ranked_and_proposed(recommender: Recommender, query: Query, k: int) -> tuple[list[str], list[str]]:
    """Returns the ids of at most `k` papers, as `Recommender.rank` has them, and of those that are proposed
    together, in the order in which they were chosen. None are proposed where no set model can tell."""
    answer = recommender.completed(query, k)
    proposed = np.array(answer.proposed, dtype=np.int64)
    return recommender.index.ids(answer.ranked.rows[:k]), recommender.index.ids(proposed)


def set_candidates(recommender: Recommender, query: Query) -> CitationCandidates:
    """Returns the candidates of a sentence as a set model sees them, and on which it is trained. Raises
    QueryError for a pipeline without probabilities."""
    answer = recommender.begun(query, _DEPTH)
    if len(answer.ranked.probabilities) < len(answer.ranked.rows):
        raise QueryError(
            f"the pipeline {recommender.pipeline} has no probabilities", hint="use the pipeline full"
        )
    return citation_candidates(answer.scoped, answer.ranked)
