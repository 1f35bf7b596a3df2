"""Questions with known answers for the ranker, as feature tables.

Every question is asked as of its own year, so that its own sentence is no evidence for its own answer, nor is
anything written in that year or later. The encoder has to be one that was trained on the years before (its
recipe's `until`), or its cosines promise more than they hold. Questions are asked in several conditions:

- as things are;
- where no held-out paper (`datasets.held_out`) was ever cited, about these papers: the encoder has not seen
  them as answers either, so this is how new papers fare;
- where nobody's citing sentences are known, as in a reference list that a person brings;
- where those of the last `LAG` years are not, nor any about held-out papers: collections of citations grow
  old, and most of what a new draft cites is younger than they are;

and each of these with and without the other references of the citing paper.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Query
from citewhy.papers.library.store import Library
from citewhy.ranking.rank.features import FEATURES
from citewhy.ranking.rank.linear import KNOWN, NO_CONTEXTS, OF_CONTEXTS, OLD_EVIDENCE
from citewhy.ranking.rank.ranker import Ranker
from citewhy.search.encode import Encoder
from citewhy.search.index import Index, open_index
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.search.rules import QueryRows, Rules, Scope
from citewhy_lab.evaluate.datasets.global_ import topics as global_topics
from citewhy_lab.evaluate.datasets.held_out import held_out
from citewhy_lab.evaluate.datasets.local import topics as local_topics
from citewhy_lab.evaluate.datasets.topics import Options, Topic

LAG = 4
"""Years before a question's of which a library whose evidence is old knows nothing."""


@dataclass(frozen=True, slots=True)
class Group:
    """The candidates of one question."""

    table: NDArray[np.float32]
    """[n, len(FEATURES)], or [n, len(SEEN_BY_TREES)] for what the trees see."""
    right: NDArray[np.bool_]
    """[n]."""
    ids: NDArray[np.int64]
    """[n] numbers in the order of the papers' ids."""
    missed: int
    """Right papers that the library has, and that are not among the candidates."""
    weight: float
    uncited: bool
    """Asked about held-out papers, as if nobody had cited them."""
    name: str
    """Names the set of linear weights."""
    key: str
    """Names the citing paper: its questions, in all conditions, are learned from together or tested
    together."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """An indexed library, with the encoder of its vectors."""

    library: Library
    index: Index
    encoder: Encoder

    @classmethod
    def of(cls, library: Library, encoder: Encoder) -> Indexed:
        return cls(library, open_index(library, encoder), encoder)


def questions(library: Library, files: Sequence[Path], kind: str, years: Collection[int]) -> list[Topic]:
    """Returns the topics of these `years` in files of the task ``local`` or ``global``."""
    read = global_topics if kind == "global" else local_topics
    topics = [topic for path in files for topic in read(path, library, Options())]
    return [topic for topic in topics if topic.query.year in years]


def groups(
    indexed: Indexed,
    topics: Sequence[Topic],
    kind: str,
    new_weight: float,
    seed: int,
    other_conditions: bool = True,
) -> Iterator[Group]:
    """Yields every topic in every condition; those about uncited papers weigh `new_weight`. Without
    `other_conditions`, only as things are and about held-out papers, with nothing known."""
    for known in (False, True) if other_conditions else (False,):
        asked = _with_known(indexed, topics, kind, seed) if known else list(topics)
        name = kind + KNOWN if known else kind
        hidden = _held_out_rows(indexed, asked)
        yield from _in_condition(indexed, asked, name, Rules())
        if other_conditions:
            yield from _in_condition(indexed, asked, name + OLD_EVIDENCE, Rules(hidden=hidden, lag=LAG))
        about = [only for topic in asked if (only := about_held_out(topic)) is not None]
        for group in _in_condition(indexed, about, name, Rules(hidden=hidden)):
            yield replace(group, weight=new_weight, uncited=True)
        if other_conditions:
            yield from _in_condition(indexed, asked, name + NO_CONTEXTS, Rules(contexts=False))


def _in_condition(indexed: Indexed, topics: Sequence[Topic], name: str, rules: Rules) -> Iterator[Group]:
    ranker = Ranker()
    for topic in topics:
        group = _group(indexed, ranker, rules, topic, name)
        if group is not None:
            yield group


def _group(indexed: Indexed, ranker: Ranker, rules: Rules, topic: Topic, name: str) -> Group | None:
    """Returns None where no right paper is among the candidates: there is nothing to order."""
    query = topic.query
    numbers = indexed.library.numbers(
        [query.citing_id, *query.known_ids, *query.excluded_ids, *topic.relevant]
    )
    rows = QueryRows(
        numbers.get(query.citing_id, -1),
        known=tuple(numbers[paper_id] for paper_id in query.known_ids if paper_id in numbers),
        excluded=tuple(numbers[paper_id] for paper_id in query.excluded_ids if paper_id in numbers),
    )
    seen = ranker.table(ScopedQuery(query, rows, indexed.index, rules, indexed.encoder))
    relevant = [numbers[paper_id] for paper_id in topic.relevant if paper_id in numbers]
    right = np.isin(seen.rows, relevant)
    if not right.any():
        return None
    if name.endswith(NO_CONTEXTS):
        seen.table[:, [FEATURES.index(feature) for feature in OF_CONTEXTS]] = 0
    missed = len(set(relevant)) - int(right.sum())
    return Group(
        seen.table,
        right,
        indexed.index.id_ranks(seen.rows),
        missed,
        weight=1.0,
        uncited=False,
        name=name,
        key=query.citing_id or query.id,
    )


def _held_out_rows(indexed: Indexed, topics: Sequence[Topic]) -> frozenset[int]:
    ids = {paper_id for topic in topics for paper_id in topic.relevant if held_out(paper_id)}
    return frozenset(indexed.library.numbers(ids).values())


def about_held_out(topic: Topic) -> Topic | None:
    """Returns the question for held-out papers alone, the other right ones no candidates; None where none of
    the right ones is held out."""
    relevant = tuple(paper_id for paper_id in topic.relevant if held_out(paper_id))
    others = tuple(paper_id for paper_id in topic.relevant if not held_out(paper_id))
    return Topic(replace(topic.query, excluded_ids=others), relevant) if relevant else None


def _with_known(indexed: Indexed, topics: Sequence[Topic], kind: str, seed: int) -> list[Topic]:
    """Asks the same questions where a random part of the citing paper's other references is known: of a whole
    paper's references the half, which are then no answers any more; of a sentence's paper all but the right
    ones, or fewer."""
    rng = random.Random(seed)
    everything, told = indexed.index.view(Scope()), []
    for topic in topics:
        if kind == "global":
            told_topic = _half(topic, rng)
        else:
            row = indexed.library.numbers([topic.query.citing_id]).get(topic.query.citing_id)
            right = set(indexed.library.numbers(topic.relevant).values())
            cited = everything.cited(np.array([] if row is None else [row], dtype=np.int64)).rows
            others = sorted(indexed.index.ids(cited[~np.isin(cited, list(right))]))
            told_topic = Topic(
                _knowing(topic.query, rng.sample(others, rng.randint(min(1, len(others)), len(others)))),
                topic.relevant,
            )
        if told_topic.query.known_ids and told_topic.relevant:
            told.append(told_topic)
    return told


def _half(topic: Topic, rng: random.Random) -> Topic:
    known = rng.sample(sorted(topic.relevant), len(topic.relevant) // 2)
    return Topic(
        _knowing(topic.query, known),
        tuple(paper_id for paper_id in topic.relevant if paper_id not in known),
    )


def _knowing(query: Query, known: Sequence[str]) -> Query:
    return replace(query, known_ids=tuple(known))
