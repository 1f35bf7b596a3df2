"""Papers that belong to a citation with the first ones rise, in drafts, behind these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hash_encoder import HashEncoder
from numpy.typing import NDArray
from small_library import make, paper, unsynced

from citewhy.base.errors import ModelError
from citewhy.base.records import DraftCitation, DraftEvidence, Query
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.recommender import Recommender
from citewhy.ranking.sets.features import SET_FEATURES
from citewhy.search.index import open_index

NAMES = "abcdefgh"
QUERY = Query("local", "Trees grow in woods TARGETCIT.", draft=DraftEvidence((), 0, 0))


class Together:
    """Probable is what the draft cites elsewhere together with a chosen paper."""

    name = "together"

    def __init__(self, probable: float = 1 - 1e-12) -> None:
        self.probable = probable

    def threshold(self, members: int) -> float:
        return 0.5

    def probabilities(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        return np.where(table[:, SET_FEATURES.index("chosen_draft_together")] > 0, self.probable, 0.1)


@pytest.fixture(scope="module")
def recommender(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recommender]:
    records = [paper(name, f"Trees {'grow ' * place}in woods") for place, name in enumerate(NAMES, 1)]
    with unsynced(), make(tmp_path_factory.mktemp("library"), records) as library:
        encoder = HashEncoder()
        models = ModelSet(encoder=encoder, sets=Together())
        yield Recommender(library, models=models, index=open_index(library, encoder))


def order(recommender: Recommender, query: Query = QUERY) -> list[str]:
    return recommender.rank(query, len(NAMES)).ids


def test_what_is_cited_with_the_first_rises(recommender: Recommender) -> None:
    """To behind the first three, which stay. Probabilities fall from paper to paper, and it does not matter
    how many are asked for."""
    first, *_, last = order(recommender)
    citation = DraftCitation("Something else.", (first, last), order=9, paragraph=9)
    query = replace(QUERY, draft=DraftEvidence((citation,), 0, 0))
    scoped = recommender.scoped(query)
    plain = recommender.index.ids(recommender.ranker.rank(scoped, len(NAMES)).rows)
    others = [name for name in plain if name != last]
    assert plain.index(last) > 3
    now = order(recommender, query)
    assert now == [*others[:3], last, *others[3:]]
    chances = [one.probability or 0 for one in recommender.rank(query, len(NAMES))]
    assert chances == sorted(chances, reverse=True)
    assert recommender.rank(query, 4).ids == now[:4]


def test_other_questions_stay_as_they_are(recommender: Recommender) -> None:
    """A sentence alone does."""
    alone = replace(QUERY, draft=None)
    scoped = recommender.scoped(alone)
    assert order(recommender, alone) == recommender.index.ids(recommender.ranker.rank(scoped, 8).rows)


def test_no_probabilities(recommender: Recommender) -> None:
    """A set model that gives numbers that are none is refused."""
    models = ModelSet(encoder=HashEncoder(), sets=Together(7.0))
    broken = Recommender(recommender.library, models=models, index=recommender.index)
    first, *_, last = order(recommender)
    citation = DraftCitation("Something else.", (first, last), order=9, paragraph=9)
    with pytest.raises(ModelError, match="together"):
        broken.rank(replace(QUERY, draft=DraftEvidence((citation,), 0, 0)), 3)
