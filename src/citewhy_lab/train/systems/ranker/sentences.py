"""Questions from libraries of many papers, for the last step of the ranker: sentences without a draft.

- Citing sentences of a file of the task ``local``, asked as of their own years; those about held-out papers
  (`datasets.held_out`) also as if nobody had cited these yet.
- What abstracts ask: where an abstract names a system or data set that an earlier title introduces, its
  sentence is a question, the earlier paper the answer. This is evidence about papers that nobody's citing
  sentences are known of, of every year of the library. The sentence is asked as it is, without the name, or
  reduced to the name.

One name in five (`held_out_name`) teaches nothing: these are there to measure.
"""

from __future__ import annotations

import random
import re
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from citewhy.base.records import Paper, Query
from citewhy.papers.library.store import Library
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.rank.model import RankerModel
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import Encoder
from citewhy.search.index import open_index
from citewhy.text.sentences import split
from citewhy.text.system_names import is_marked, spellings, title_names
from citewhy_lab.evaluate.datasets.held_out import held_out
from citewhy_lab.evaluate.datasets.local import topics as local_topics
from citewhy_lab.evaluate.datasets.topics import Options, Topic
from citewhy_lab.train.systems.ranker.data import about_held_out
from citewhy_lab.train.systems.ranker.questions import RankerQuestion, question

Form = Literal["sentence", "hidden", "short", "alone"]
"""How a mention is asked: the sentence as it is, without the name, "We use NAME.", the name alone."""

SHARES: Mapping[Form, float] = {"sentence": 0.35, "hidden": 0.3, "short": 0.2, "alone": 0.15}
"""Shares of the questions that are asked in each form."""

WEIGHTS: Mapping[Form, float] = {"sentence": 0.1, "hidden": 1.0, "short": 1.0, "alone": 1.0}
"""Weights of the questions in training. A sentence of an abstract looks like one that cites, but always asks
for what it names; in a citing sentence the name often belongs to another citation."""

SHORT = ("We use {}.", "We compare with {}.", "Results on {}", "{} is used.", "similar to {}")

MARKED = 0.5
"""Share of the sentences with a name in which the open citation is marked after the name."""

OF_ONE_NAME = 4
"""Questions that one name is asked in."""

CITING_WEIGHT = 6.0
"""Weight of a citing sentence in a library with citing sentences."""

UNCITED_WEIGHT = 12.0
"""Weight of a question about a held-out paper as if nobody had cited it."""

_HELD_OUT = 5
_FEWEST_WORDS = 6


@dataclass(frozen=True, slots=True)
class Mention:
    """A sentence of an abstract that names what an earlier title introduces."""

    name: str
    """Folded."""
    spelling: str
    """The name as the sentence has it."""
    sentence: str
    by: Paper
    introduced_by: str
    """Paper id."""


def held_out_name(name: str) -> bool:
    """Whether a name is kept from training; true of one in five, by a hash of its folded form."""
    return zlib.crc32(name.encode()) % _HELD_OUT == 0


def sentence_questions(
    folder: Path,
    files: Sequence[Path],
    after: int,
    most: int,
    encoder: Encoder,
    model: RankerModel,
    seed: int,
) -> Iterator[RankerQuestion]:
    """Questions of the library `folder`: at most `most` of each of the `files`, of years after
    `after`, and as many of its abstracts. Those of held-out names are left out."""
    rng = random.Random(f"{seed} {folder.name}")
    with Library.open(folder) as library:
        index = open_index(library, encoder)
        recommender = Recommender(library, index=index, models=ModelSet(encoder=encoder, ranker=model))
        for path in files:
            topics = [
                each for each in local_topics(path, library, Options()) if (each.query.year or 0) > after
            ]
            topics = rng.sample(topics, min(most, len(topics)))
            weight = CITING_WEIGHT if library.counts()["contexts"] else 1.0
            for topic in topics:
                yield question(recommender, topic, _citing(topic), path.name, weight)
            yield from _uncited(library, topics, path.name, recommender, encoder, model)
        named = [each for each in mentions(library, rng) if not held_out_name(each.name)]
        for mention in rng.sample(named, min(most, len(named))):
            form = rng.choices(list(SHARES), list(SHARES.values()))[0]
            topic = name_topic(mention, form, rng)
            yield question(recommender, topic, mention.name, f"{folder.name}, name {form}", WEIGHTS[form])


def _uncited(
    library: Library,
    topics: Sequence[Topic],
    world: str,
    recommender: Recommender,
    encoder: Encoder,
    model: RankerModel,
) -> Iterator[RankerQuestion]:
    """Questions for held-out papers, as if nobody had cited any of them; none where the library has no
    citing sentences."""
    about = [only for topic in topics if (only := about_held_out(topic)) is not None]
    if not library.counts()["contexts"]:
        return
    hidden = {each for topic in topics for each in topic.relevant if held_out(each)}
    hiding = Recommender(
        library, index=recommender.index, hidden_ids=hidden, models=ModelSet(encoder=encoder, ranker=model)
    )
    for topic in about:
        yield question(hiding, topic, _citing(topic), f"{world}, uncited", UNCITED_WEIGHT)


def _citing(topic: Topic) -> str:
    return topic.query.citing_id or topic.query.id


# What abstracts ask ---------------------------------------------------------------------------------------


def mentions(library: Library, rng: random.Random) -> list[Mention]:
    """At most `OF_ONE_NAME` mentions of each name that one title introduces first and alone in its year, in
    order of names."""
    papers = library.papers(library.ids())
    claims: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for paper in papers.values():
        for name in title_names(paper.title) if paper.year else ():
            claims[name].append((paper.year or 0, paper.id))
    first = {name: claim for name, all_of in claims.items() if (claim := _first(all_of)) is not None}
    by_name: dict[str, list[Mention]] = defaultdict(list)
    for paper in papers.values():
        for sentence in split(paper.abstract) if paper.abstract and paper.year else ():
            for name, spelling in spellings(sentence).items():
                year, introduced_by = first.get(name, (9999, ""))
                fits = is_marked(spelling) and year <= (paper.year or 0) and introduced_by != paper.id
                if fits and len(sentence.split()) >= _FEWEST_WORDS:
                    by_name[name].append(Mention(name, spelling, sentence, paper, introduced_by))
    return [
        each
        for name in sorted(by_name)
        for each in rng.sample(by_name[name], min(OF_ONE_NAME, len(by_name[name])))
    ]


def _first(claims: list[tuple[int, str]]) -> tuple[int, str] | None:
    """The earliest claim; None where two are of one year."""
    claims = sorted(claims)
    return None if len(claims) > 1 and claims[0][0] == claims[1][0] else claims[0]


def name_topic(mention: Mention, form: Form, rng: random.Random) -> Topic:
    """The question as of the year of the abstract, whose own paper is no candidate."""
    whole = re.compile(rf"(?<!\w){re.escape(mention.spelling)}(?!\w)")
    if form == "alone":
        text = mention.spelling
    elif form == "short":
        text = rng.choice(SHORT).format(mention.spelling)
    elif form == "hidden":
        text = whole.sub(" ", mention.sentence)
    else:
        text = mention.sentence
    if form in ("sentence", "short") and rng.random() < MARKED:
        text = whole.sub(lambda match: f"{match[0]} TARGETCIT", text, count=1)
    paper = mention.by
    query = Query(
        kind="local", id=f"{paper.id}/{mention.name}", text=text, year=paper.year, citing_id=paper.id
    )
    return Topic(query, (mention.introduced_by,))
