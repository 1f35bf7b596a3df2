"""The last step of the ranker (`rank.last_step`) learns from one table of features a question.

Questions of finished drafts are asked twice: as they are, and with less: without the draft's other citations,
or some of them, its paragraph, its title, the order of its bibliography. So the model learns what each kind
of evidence is worth where others are missing.

Asking thousands of questions takes longer than learning from them, so they are kept on disk (`train.kept`).

Libraries of many papers give sentences without a draft:

- Citing sentences of a file of the task ``local``, asked as of their own years; those about held-out papers
  (`datasets.held_out`) also as if nobody had cited these yet.
- What abstracts ask: where an abstract names a system or data set that an earlier title introduces, its
  sentence is a question, the earlier paper the answer. This is evidence about papers that nobody's citing
  sentences are known of, of every year of the library. The sentence is asked as it is, without the name, or
  reduced to the name.

One name in five (`held_out_name`) teaches nothing: these are there to measure.

Probabilities for whole paragraphs are fitted on paragraphs with known papers. These are of finished drafts,
each asked with what the draft says and by its first sentence alone, and of files of the task ``paragraph``.
Those for drafts are fitted on the citations of finished drafts, each asked once. The authors of the drafts
are those that the encoder learned from: the trees of the last step have not seen them.
"""

from __future__ import annotations

import random
import re
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import Paper, Query
from citewhy.drafts import read
from citewhy.papers.library.store import Library
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.rank.calibration import RankCalibration
from citewhy.ranking.rank.last_step import REGIMES, LastStep, regime_of
from citewhy.ranking.rank.last_step_features import LAST_STEP_FEATURES
from citewhy.ranking.rank.model import RankerModel
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import Encoder
from citewhy.search.index.arrays import Floats
from citewhy.text.sentences import split
from citewhy.text.system_names import is_marked, spellings, title_names
from citewhy_lab.evaluate.backtest.hiding import paragraph_topics
from citewhy_lab.evaluate.datasets.held_out import held_out
from citewhy_lab.evaluate.datasets.local import topics as local_topics
from citewhy_lab.evaluate.datasets.paragraphs import topics as built_topics
from citewhy_lab.evaluate.datasets.topics import Options, Topic
from citewhy_lab.evaluate.serving import last_step_table, recommender_of
from citewhy_lab.train.drafts import YEAR, Draft, open_library, topics_of
from citewhy_lab.train.kept import Arrays
from citewhy_lab.train.systems.ranker.data import about_held_out

KEPT = 250
"""Candidates of a question that are kept: the right ones, and those that look best."""

OF_DRAFT = 80
"""Citations of one draft that are asked for, so that a thesis does not outvote ten papers."""

PLACES_OF_DRAFT = 40
"""Citations of one draft that probabilities for drafts are fitted to."""

_PROMISING = ("base_rank", "fusion", "draft_cosine", "draft_before", "draft_after", "name_introduced")
"""Features whose sum says which candidates look best."""


@dataclass(frozen=True, slots=True)
class RankerQuestion:
    """Shows what the last step sees of one open citation."""

    table: NDArray[np.float32]
    """[n, len(LAST_STEP_FEATURES)]."""
    right: NDArray[np.bool_]
    """[n] which candidates are right."""
    missed: int
    """Number of right papers of the library that are not among the n."""
    author: str
    """Author, citing paper or name, whose questions are learned from together or tested together."""
    source: str
    """Kind of library and question, by which quality is reported."""
    weight: float = 1.0


def question(
    recommender: Recommender, topic: Topic, author: str, source: str, weight: float = 1.0
) -> RankerQuestion:
    """Returns the topic as the last step of `recommender` sees it."""
    rows, table = last_step_table(recommender, topic.query)
    relevant = recommender.index.rows(list(topic.relevant))
    right = np.isin(rows, relevant)
    missed = len(set(relevant.tolist()) - {-1}) - int(right.sum())
    first = np.sort(promise(table, right)[:KEPT])
    return RankerQuestion(table[first], right[first], missed, author, source, weight)


def without_draft(query: Query) -> Query:
    """Returns the sentence, or the paragraph, with nothing of the draft but its title and abstract."""
    return replace(query, draft=None, paragraph="", preceding="", section="", known_ids=())


def promise(table: NDArray[np.float32], right: NDArray[np.bool_]) -> NDArray[np.int64]:
    """[n] positions: the right papers first, then those that look best."""
    looks = table[:, [LAST_STEP_FEATURES.index(name) for name in _PROMISING]].sum(axis=1)
    return np.lexsort((-looks, ~right))


def packed(questions: Sequence[RankerQuestion]) -> Arrays:
    """Returns the questions as arrays, for `train.kept`."""
    nothing = np.zeros((0, len(LAST_STEP_FEATURES)), dtype=np.float32)
    return {
        "sizes": np.array([len(item.right) for item in questions], dtype=np.int64),
        "table": np.concatenate([nothing, *(item.table for item in questions)]),
        "right": np.concatenate([np.zeros(0, np.bool_), *(item.right for item in questions)]),
        "missed": np.array([item.missed for item in questions], dtype=np.int64),
        "author": np.array([item.author for item in questions], dtype=np.str_),
        "source": np.array([item.source for item in questions], dtype=np.str_),
        "weight": np.array([item.weight for item in questions], dtype=np.float64),
    }


def unpacked(arrays: Arrays) -> list[RankerQuestion]:
    """Restores what `packed` was given. Raises KeyError or ValueError for other arrays."""
    ends = np.cumsum(arrays["sizes"])
    table, right = arrays["table"], arrays["right"]
    rows = zip(
        ends - arrays["sizes"],
        ends,
        *(arrays[name].tolist() for name in ("missed", "author", "source", "weight")),
        strict=True,
    )
    return [RankerQuestion(table[start:end], right[start:end], *facts) for start, end, *facts in rows]


# Finished drafts -------------------------------------------------------------------------------------------


def draft_questions(
    draft: Draft, folder: Path, encoder: Encoder, model: RankerModel, seed: int
) -> Iterator[RankerQuestion]:
    """At most `OF_DRAFT` open citations of a draft, each asked twice. Its library is made in `folder`, or
    found there."""
    rng = random.Random(f"{seed} {draft.name}")
    with open_library(draft, folder) as library:
        recommender = recommender_of(library, encoder, model)
        topics = topics_of(draft, library)
        if len(topics) > OF_DRAFT:
            topics = [topics[position] for position in sorted(rng.sample(range(len(topics)), OF_DRAFT))]
        for topic in topics:
            less = replace(topic, query=_with_less(topic.query, rng))
            yield question(recommender, topic, draft.author, "drafts")
            yield question(recommender, less, draft.author, "drafts, less evidence")


def own_questions(
    draft: Draft, folder: Path, encoder: Encoder, model: RankerModel
) -> Iterator[RankerQuestion]:
    """At most `PLACES_OF_DRAFT` open citations of a draft, each asked as it is. Its library is made in
    `folder`, or found there."""
    with open_library(draft, folder) as library:
        recommender = recommender_of(library, encoder, model)
        topics = topics_of(draft, library)
        if len(topics) > PLACES_OF_DRAFT:
            topics = random.Random(draft.name).sample(topics, PLACES_OF_DRAFT)
        for topic in topics:
            yield question(recommender, topic, draft.author, "drafts")


def _with_less(query: Query, rng: random.Random) -> Query:
    """Asks the same question with some of the evidence left out."""
    chance = rng.random()
    if 0.5 <= chance < 0.7:
        query = without_draft(query)
    elif 0.7 <= chance < 0.8:
        query = replace(query, draft=None)
    elif chance >= 0.8 and query.draft is not None:
        share = 0.7 * rng.random()
        kept = tuple(citation for citation in query.draft.citations if rng.random() < share)
        query = replace(query, draft=replace(query.draft, citations=kept))
    if query.draft is not None and rng.random() < 0.35:
        query = replace(query, draft=replace(query.draft, bibliography=()))
    if rng.random() < 0.2:
        query = replace(query, paragraph="", preceding="")
    return replace(query, title="") if rng.random() < 0.2 else query


# Sentences without a draft -------------------------------------------------------------------------------


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
    """Tells whether a name is kept from training; true of one in five, by a hash of its folded form."""
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
    """Yields questions of the library `folder`: at most `most` of each of the `files`, of years after
    `after`, and as many of its abstracts. Those of held-out names are left out."""
    rng = random.Random(f"{seed} {folder.name}")
    with Library.open(folder) as library:
        recommender = recommender_of(library, encoder, model)
        for path in files:
            topics = [
                candidate
                for candidate in local_topics(path, library, Options())
                if (candidate.query.year or 0) > after
            ]
            topics = rng.sample(topics, min(most, len(topics)))
            weight = CITING_WEIGHT if library.counts()["contexts"] else 1.0
            for topic in topics:
                yield question(recommender, topic, _citing(topic), path.name, weight)
            yield from _uncited(library, topics, path.name, recommender, encoder, model)
        named = [mention for mention in mentions(library, rng) if not held_out_name(mention.name)]
        for mention in rng.sample(named, min(most, len(named))):
            form = rng.choices(list(SHARES), list(SHARES.values()))[0]
            topic = name_topic(mention, form, rng)
            yield question(recommender, topic, mention.name, f"{folder.name}, name {form}", WEIGHTS[form])


def _uncited(
    library: Library,
    topics: Sequence[Topic],
    source: str,
    recommender: Recommender,
    encoder: Encoder,
    model: RankerModel,
) -> Iterator[RankerQuestion]:
    """Yields questions for held-out papers, as if nobody had cited any of them; none where the library has no
    citing sentences."""
    about = [only for topic in topics if (only := about_held_out(topic)) is not None]
    if not library.counts()["contexts"]:
        return
    hidden = {paper_id for topic in topics for paper_id in topic.relevant if held_out(paper_id)}
    hiding = Recommender(
        library, index=recommender.index, hidden_ids=hidden, models=ModelSet(encoder=encoder, ranker=model)
    )
    for topic in about:
        yield question(hiding, topic, _citing(topic), f"{source}, uncited", UNCITED_WEIGHT)


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
        mention
        for name in sorted(by_name)
        for mention in rng.sample(by_name[name], min(OF_ONE_NAME, len(by_name[name])))
    ]


def _first(claims: list[tuple[int, str]]) -> tuple[int, str] | None:
    """Returns the earliest claim; None where two are of one year."""
    claims = sorted(claims)
    return None if len(claims) > 1 and claims[0][0] == claims[1][0] else claims[0]


def name_topic(mention: Mention, form: Form, rng: random.Random) -> Topic:
    """Returns the question as of the year of the abstract, whose own paper is no candidate."""
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


# Paragraphs ----------------------------------------------------------------------------------------------


PARAGRAPHS_OF_DRAFT = 12
"""Paragraphs of one draft that are asked."""

FITTED = 100
"""Candidates of a paragraph whose probabilities are fitted: its papers are not all among the first."""


def draft_paragraphs(
    draft: Draft, folder: Path, encoder: Encoder, model: RankerModel, seed: int
) -> Iterator[RankerQuestion]:
    """At most `PARAGRAPHS_OF_DRAFT` paragraphs of a draft, each asked twice: with the draft, and by its first
    sentence and the draft's title and abstract alone. The draft's library is made in `folder`, or found
    there."""
    with open_library(draft, folder) as library:
        recommender = recommender_of(library, encoder, model)
        topics = paragraph_topics(library, read(draft.root, follow_outside=draft.follow_outside), YEAR)
        rng = random.Random(f"paragraphs {seed} {draft.name}")
        for topic in rng.sample(topics, min(PARAGRAPHS_OF_DRAFT, len(topics))):
            alone = replace(topic, query=without_draft(topic.query))
            yield question(recommender, topic, draft.author, "paragraphs")
            yield question(recommender, alone, draft.author, "paragraphs, alone")


def built_paragraphs(
    folder: Path, file: Path, encoder: Encoder, model: RankerModel
) -> Iterator[RankerQuestion]:
    """Yields the paragraphs of a file of the task ``paragraph``, asked in the library `folder`."""
    with Library.open(folder) as library:
        recommender = recommender_of(library, encoder, model)
        for topic in built_topics(file, library, Options()):
            if topic.relevant:
                yield question(recommender, topic, topic.query.citing_id, "paragraphs")


def fit_paragraphs(paragraphs: Sequence[RankerQuestion], step: LastStep) -> dict[str, dict[str, float]]:
    """Returns the parameters of `LastStep.paragraphs`, by regime: fitted on the paragraphs of the regime, or
    on all of them where there are none. `step` scores them; its own calibrations are not used."""
    scores = [step.scores(paragraph.table) for paragraph in paragraphs]
    regimes = [regime_of(paragraph.table) for paragraph in paragraphs]
    fitted = {}
    for regime in REGIMES:
        positions = [
            position for position, of_question in enumerate(regimes) if of_question == regime
        ] or range(len(paragraphs))
        calibration = fit_rank_calibration(
            [scores[position] for position in positions],
            [paragraphs[position].right for position in positions],
        )
        fitted[regime] = asdict(calibration)
    return fitted


def fit_rank_calibration(scores: Sequence[Floats], right: Sequence[NDArray[np.bool_]]) -> RankCalibration:
    """Returns the calibration under which the first `FITTED` of each list [n] are right as often as they say
    (logistic loss)."""
    from scipy.optimize import minimize

    columns, answers = [], []
    for of_question, right_of in zip(scores, right, strict=True):
        order = np.argsort(-of_question, kind="stable")[:FITTED]
        columns.append(
            np.stack([of_question[order], -np.log1p(np.arange(len(order))), -np.ones(len(order))], axis=1)
        )
        answers.append(right_of[order])
    table, truth = np.concatenate(columns).astype(np.float64), np.concatenate(answers).astype(np.float64)

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        odds = table @ parameters
        chances = 1 / (1 + np.exp(-odds))
        value = float((np.logaddexp(0, odds) - truth * odds).mean())
        return value, table.T @ (chances - truth) / len(truth)

    bounds = [(0, None), (0, None), (None, None)]
    solution = minimize(loss, np.array([0.5, 0.5, 1.0]), jac=True, method="L-BFGS-B", bounds=bounds)
    slope, decline, none = (round(float(parameter), 5) for parameter in solution.x)
    return RankCalibration(slope, decline, none)
