"""How the default ranking does at places that cite several papers, beside BM25 and hybrid; and whether what
is accepted finds the rest.

    python benchmarks/several.py --documents DIR [--manifest FILE] [--libraries DIR] [--places N] [--number N]
        [--out FILE.json]
    python benchmarks/several.py --documents DIR --fit

The documents are those of held-out authors (`train.drafts.use_of`), each with a library of its own
bibliography; the N places of each are those of `fields.py`. By the number of papers that a place cites are
told, for each pipeline: the recall of its papers among the first ten and the mean of their reciprocal ranks
(over papers), nDCG@10, and the share of the places whose papers are all among the first ten, ten of them
where there are more (over places).

Where a place cites several papers, the first of them in the default ranking is accepted then, and the others
are asked for beside it: how many are among the next five, in the ranking without the accepted paper and
beside it.

``--fit`` fits the weights of `ranking.sets.several` to the citations of the other authors, prints them, and
measures them on those of the held-out ones. No library is needed. Of ten places in a row, three are asked as
in a draft that has only begun, and one as a sentence alone; a document weighs at most as much as
`MOST_CITATIONS` citations.

`plain` is the default without the step by which papers rise that belong to a citation with the first ones
(`ranking.sets.completing`). Intervals are of 95 %, by bootstrap over documents; differences are paired.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson

from citewhy.base.config import DEFAULT_SEED
from citewhy.drafts import read
from citewhy.papers.library.store import Library
from citewhy.ranking.recommender import Recommender
from citewhy.ranking.sets.several import WEIGHTS, several_features
from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from citewhy_lab.evaluate.datasets.topics import Topic
from citewhy_lab.evaluate.sets import with_members
from citewhy_lab.train.drafts import Draft, open_library, read_manifest, topics_of, use_of
from common import parser as shared_parser
from fields import DEPTH, PIPELINES, rank_in

FIRST, NEXT = 10, 5

MOST_CITATIONS = 300

GROUPS: Mapping[str, tuple[int, int]] = {
    "1 paper": (1, 1),
    "2 papers": (2, 2),
    "3 to 5 papers": (3, 5),
    "6 papers or more": (6, 10_000),
    "several papers": (2, 10_000),
    "all": (1, 10_000),
}


@dataclass(frozen=True)
class Asked:
    """One place, with the ranks of its papers, from 1; infinite for those that were not found."""

    ranks: Mapping[str, Sequence[float]]
    """By pipeline."""
    struck: Sequence[float]
    """Ranks of all papers but the first, in the default ranking without that one; empty for one paper."""
    beside: Sequence[float]
    """The same beside the first paper."""

    @property
    def papers(self) -> int:
        """The number of right papers."""
        return len(next(iter(self.ranks.values())))


Measure = Callable[[Sequence[float]], tuple[float, float]]
"""The sum of a measure, and of its weights, for the ranks of one place."""


def recall(ranks: Sequence[float]) -> tuple[float, float]:
    """Counts the papers among the first ten."""
    return sum(rank <= FIRST for rank in ranks), len(ranks)


def reciprocal(ranks: Sequence[float]) -> tuple[float, float]:
    """Sums the reciprocal ranks of the papers."""
    return sum(1 / rank for rank in ranks), len(ranks)


def gain(ranks: Sequence[float]) -> tuple[float, float]:
    """nDCG@10 of the place."""
    ideal = sum(1 / np.log2(1 + rank) for rank in range(1, min(len(ranks), FIRST) + 1))
    return float(sum(1 / np.log2(1 + rank) for rank in ranks if rank <= FIRST) / ideal), 1


def whole(ranks: Sequence[float]) -> tuple[float, float]:
    """1 where all papers are among the first ten, or the first ten are all right."""
    return float(sum(rank <= FIRST for rank in ranks) >= min(len(ranks), FIRST)), 1


def found_next(ranks: Sequence[float]) -> tuple[float, float]:
    """Counts the papers among the next five."""
    return sum(rank <= NEXT for rank in ranks), len(ranks)


MEASURES: Mapping[str, Measure] = {"R@10": recall, "RR": reciprocal, "nDCG@10": gain, "all of them": whole}


def ask(recommenders: Mapping[str, Recommender], topic: Topic) -> Asked:
    """Asks every pipeline, and the default once more beside the first right paper."""
    ids = {name: one.rank(topic.query, DEPTH).ids for name, one in recommenders.items()}
    full = recommenders["full"]
    ids["plain"] = full.index.ids(full.ranker.rank(full.scoped(topic.query), DEPTH).rows)
    ranks = {name: [rank_in(found, paper) for paper in topic.relevant] for name, found in ids.items()}
    first = topic.relevant[int(np.argmin(ranks["full"]))]
    others = [paper for paper in topic.relevant if paper != first]
    if not others:
        return Asked(ranks, (), ())
    found = [paper for paper in ids["full"] if paper != first]
    next_ones = full.rank(with_members(topic.query, [first]), DEPTH).ids
    return Asked(
        ranks,
        [rank_in(found, paper) for paper in others],
        [rank_in(next_ones, paper) for paper in others],
    )


def places_of(library: Library, draft: Draft, most: int) -> list[Asked]:
    """Asks for at most `most` places of a draft."""
    topics = topics_of(draft, library)
    if len(topics) > most:
        topics = random.Random(draft.name).sample(topics, most)
    recommenders: dict[str, Recommender] = {name: Recommender(library, name) for name in PIPELINES}
    return [ask(recommenders, topic) for topic in topics]


@dataclass(frozen=True)
class Sums:
    """A measure over the places of each of d documents."""

    values: np.ndarray
    """[d]."""
    weights: np.ndarray
    """[d]."""

    @classmethod
    def of(cls, documents: Sequence[Sequence[tuple[float, float]]]) -> Sums:
        """Adds up what was measured at the places of each document."""
        table = np.array([np.sum([(0.0, 0.0), *pairs], axis=0) for pairs in documents])
        return cls(table[:, 0], table[:, 1])

    @property
    def mean(self) -> float:
        """The mean over all places, or papers."""
        return float(self.values.sum() / max(self.weights.sum(), 1))

    def told(self) -> str:
        """The mean with its interval."""
        drawn = resampled_means(self.values, np.maximum(self.weights, 1e-9), DEFAULT_SEED)
        low, high = interval(drawn)
        return f"{self.mean:.3f} ({low:.3f} to {high:.3f})"

    def less(self, other: Sums) -> str:
        """The mean less that of another system on the same places, with its interval."""
        return Sums(self.values - other.values, self.weights).told()


def report(documents: Sequence[Sequence[Asked]]) -> None:
    """Prints the table by number of papers, and what is found beside an accepted paper."""
    for group, (least, most) in GROUPS.items():
        chosen = [[place for place in places if least <= place.papers <= most] for places in documents]
        count = sum(map(len, chosen))
        if not count:
            continue
        papers = sum(place.papers for places in chosen for place in places)
        print(f"{group}: {count} places, {papers} papers")
        for name, measure in MEASURES.items():
            by_pipeline = {
                pipeline: Sums.of([[measure(place.ranks[pipeline]) for place in places] for places in chosen])
                for pipeline in (*PIPELINES, "plain")
            }
            own = by_pipeline.pop("full")
            others = ", ".join(f"{pipeline} {other.mean:.3f}" for pipeline, other in by_pipeline.items())
            print(f"  {name:11} {own.told()}; {others}")
            for pipeline in ("hybrid", "plain"):
                print(f"  {'':11} over {pipeline} {own.less(by_pipeline[pipeline])}")
    struck = Sums.of([[found_next(place.struck) for place in places] for places in documents])
    beside = Sums.of([[found_next(place.beside) for place in places] for places in documents])
    print(f"one accepted, the others among the next {NEXT}: {int(struck.weights.sum())} papers")
    print(f"  without it {struck.told()}; beside it {beside.told()}; more {beside.less(struck)}")


# How many papers a place wants -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Habits:
    """The citations of one document: [n] each."""

    features: np.ndarray
    """[n, len(WEIGHTS) - 1]."""
    several: np.ndarray
    """Whether several papers are cited."""
    weights: np.ndarray


def habits_of(draft: Draft) -> Habits:
    """Reads a document's citations, each with what is known of the others at its place."""
    manuscript = read(draft.root)
    defined = {reference.key for reference in manuscript.references}
    cited = [
        (sentence.text, marker.offset, size)
        for paragraph in manuscript.paragraphs
        for sentence in paragraph.sentences
        for marker in sentence.markers
        if not marker.open and (size := len(defined.intersection(marker.keys)))
    ]
    sizes = [size for *_, size in cited]
    rows = []
    for at, (text, offset, _) in enumerate(cited):
        after = [] if at % 10 in (1, 4, 7) else sizes[at + 1 :]
        before = sizes[:at]
        if at % 10 == 9:
            before, after = [], []
        rows.append(several_features(text[:offset], text, before + after, before[-3:] + after[:3]))
    table = np.array([list(row.values()) for row in rows]).reshape(len(rows), len(WEIGHTS) - 1)
    weight = min(1.0, MOST_CITATIONS / max(len(rows), 1))
    return Habits(table, np.array(sizes) > 1, np.full(len(rows), weight))


def fit_habits(drafts: Sequence[Draft]) -> None:
    """Prints the weights, and what they are worth for held-out authors."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss, roc_auc_score

    learned, measuring = (
        [habits_of(draft) for draft in drafts if (use_of(draft.author) == "measuring") == held_out]
        for held_out in (False, True)
    )

    def joined(some: Sequence[Habits]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return (
            np.concatenate([each.features for each in some]),
            np.concatenate([each.several for each in some]),
            np.concatenate([each.weights for each in some]),
        )

    table, several, weights = joined(learned)
    model = LogisticRegression(C=10, max_iter=1000).fit(table, several, sample_weight=weights)
    names = [name for name in WEIGHTS if name != "none"]
    assert names == list(several_features("", "", [], []))
    print(dict(zip(names, model.coef_[0].round(3).tolist(), strict=True)), round(model.intercept_[0], 3))
    table, right, weights = joined(measuring)
    sure = model.predict_proba(table)[:, 1]
    share = np.full(len(right), np.average(several))
    print(f"{len(right)} citations: AUC {roc_auc_score(right, sure, sample_weight=weights):.3f}", end="")
    print(f", log loss {log_loss(right, sure, sample_weight=weights):.4f}", end="")
    print(f", of their share alone {log_loss(right, share, sample_weight=weights):.4f}")
    for low, high in ((0, 0.1), (0.1, 0.2), (0.2, 0.3), (0.3, 0.4), (0.4, 0.5), (0.5, 1)):
        inside = (sure >= low) & (sure < high)
        shown, true = (np.average(each[inside], weights=weights[inside]) for each in (sure, right))
        print(f"  {low:.1f} to {high:.1f}: {inside.sum():5}  {shown:.3f}  {true:.3f}")


def main() -> None:
    parser = shared_parser(__doc__, "documents!", "manifest", "libraries", "out")
    parser.add_argument("--places", type=int, default=40, help="places of a document")
    parser.add_argument("--number", type=int, default=1000, help="documents")
    parser.add_argument("--fit", action="store_true", help="fit how many papers a place wants")
    given = parser.parse_args()
    every = read_manifest(given.manifest, given.documents)
    if given.fit:
        fit_habits(every)
        return
    drafts = [each for each in every if use_of(each.author) == "measuring"][: given.number]
    documents = []
    with tempfile.TemporaryDirectory() as folder:
        for draft in drafts:
            with open_library(draft, (given.libraries or Path(folder)) / draft.name) as library:
                documents.append(places_of(library, draft, given.places))
            print(draft.name[:50], len(documents[-1]), flush=True)
    report(documents)
    if given.out:
        rows = [[vars(place) for place in places] for places in documents]
        given.out.write_bytes(orjson.dumps(rows, option=orjson.OPT_SERIALIZE_NUMPY))


if __name__ == "__main__":
    main()
