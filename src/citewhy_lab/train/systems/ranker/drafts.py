"""Questions from finished drafts of many fields, for the last step of the ranker (`rank.last_step`).

Every place is asked twice: as it is, and with less: without the draft's other citations, or some of them,
its paragraph, its title, the order of its bibliography. So the model learns what each kind of evidence is
worth where others are missing.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from citewhy.base.records import Query
from citewhy.ranking.rank.model import RankerModel
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import Encoder
from citewhy.search.index import open_index
from citewhy_lab.train.drafts import Draft, open_library, topics_of
from citewhy_lab.train.systems.ranker.questions import Question, question, without_draft

__all__ = ["PLACES", "draft_questions"]

PLACES = 80
"""Places of one draft that are asked, so that a thesis does not outvote ten papers."""


def draft_questions(
    draft: Draft, folder: Path, encoder: Encoder, model: RankerModel, seed: int
) -> Iterator[Question]:
    """At most `PLACES` places of a draft, each asked twice. Its library is made in `folder`, or found
    there."""
    rng = random.Random(f"{seed} {draft.name}")
    with open_library(draft, folder) as library:
        recommender = Recommender(library, encoder=encoder, model=model, index=open_index(library, encoder))
        topics = topics_of(draft, library)
        if len(topics) > PLACES:
            topics = [topics[each] for each in sorted(rng.sample(range(len(topics)), PLACES))]
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
