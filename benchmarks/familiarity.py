"""How sure the ranking is of questions that a library has nothing for.

    python benchmarks/familiarity.py --documents DIR --out FILE.json [--manifest FILE] [--libraries DIR]
        [--drafts N] [--places N]

Sentences of documents of many fields are asked of the library of their own bibliography (*own*), and of those
of other authors (*foreign*), whole and as a few of their words (*short*), without a draft. `familiarity` in
`ranking/rank/last_step.py` is fitted to the documents of the ranker's authors, by the likelihood of the first
ten being right, and measured on those of the held-out authors: the probability of the first paper, how often
it is right, how often nothing is suggested, and the expected calibration error, each without it and with it.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray
from scipy.optimize import minimize

from citewhy.base.records import Query
from citewhy.ranking.rank.last_step import THRESHOLDS, familiarity, familiarity_of, nearest_cosine, regime_of
from citewhy.ranking.recommender import Recommender
from citewhy_lab.evaluate.calibration import calibration
from citewhy_lab.evaluate.serving import last_step_table
from citewhy_lab.train.drafts import Draft, open_library, read_manifest, topics_of, use_of
from citewhy_lab.train.systems.ranker.questions import without_draft
from common import parser as shared_parser

FIRST = 10
FOREIGN = 4
"""Other authors' documents of which each library is asked."""
WEIGHTS = {"own": 1.0, "own short": 0.5, "foreign": 0.15, "foreign short": 0.075}
"""Of the kinds of questions in fitting: most questions are of the library's field, and most are sentences."""
WORD = re.compile(r"[^\W\d_]{4,}")


@dataclass(frozen=True)
class Asked:
    """A question and its answer."""

    kind: str
    chances: NDArray[np.float64]
    """[at most `FIRST`] probabilities without familiarity, best first."""
    right: NDArray[np.bool_]
    nearest: float
    familiarity: float


def asked(recommender: Recommender, query: Query, kind: str, relevant: Sequence[str]) -> Asked | None:
    """Asks a library; returns None if there are no candidates."""
    rows, table = last_step_table(recommender, query)
    model = recommender.ranker.last_step_model
    if model is None or not len(rows):
        return None
    scores = model.scores(table)
    first = np.argsort(-scores, kind="stable")[:FIRST]
    chances = model.calibrations[regime_of(table)].probabilities(scores)[first]
    right = np.array([paper_id in relevant for paper_id in recommender.index.ids(rows[first])])
    return Asked(kind, chances, right, nearest_cosine(table), familiarity(table))


def questions(drafts: Sequence[Draft], libraries: Path, places: int) -> list[Asked]:
    """Collects the questions to each draft's library: its own sentences, and those of `FOREIGN` other
    authors."""
    topics = {}
    for draft in drafts:
        with open_library(draft, libraries / draft.name) as library:
            of_draft = topics_of(draft, library)
        topics[draft.name] = random.Random(draft.name).sample(of_draft, min(places, len(of_draft)))
    found: list[Asked | None] = []
    for draft in drafts:
        random_of = random.Random(f"words {draft.name}")
        strangers = [each for each in drafts if each.author != draft.author]
        with open_library(draft, libraries / draft.name) as library:
            recommender = Recommender(library)
            for topic in topics[draft.name]:
                query = without_draft(topic.query)
                few = Query("local", text=_few_words(query.text, random_of))
                found.append(asked(recommender, query, "own", topic.relevant))
                found.append(asked(recommender, few, "own short", topic.relevant))
            for other in random_of.sample(strangers, min(FOREIGN, len(strangers))):
                for topic in topics[other.name][: max(2, places // 3)]:
                    query = Query("local", text=topic.query.text, year=topic.query.year)
                    few = Query("local", text=_few_words(query.text, random_of))
                    found.append(asked(recommender, query, "foreign", ()))
                    found.append(asked(recommender, few, "foreign short", ()))
        print(draft.name[:60], flush=True)
    return [each for each in found if each is not None]


def _few_words(text: str, random_of: random.Random) -> str:
    """Returns one to four words of the text that follow each other, short ones left out."""
    found = WORD.findall(text.replace("TARGETCIT", " ").replace("OTHERCIT", " "))
    count = random_of.randint(1, 4)
    start = random_of.randrange(max(1, len(found) - count + 1))
    return " ".join(found[start : start + count]) or "work"


def fitted(found: Sequence[Asked]) -> tuple[float, float]:
    """Returns the middle and the slope with the greatest likelihood, of the slopes up to 40: a step is fitted
    as well to these questions, but would not be to others."""

    def loss(middle: float, slope: float) -> float:
        total = 0.0
        for each in found:
            chance = np.clip(each.chances * familiarity_of(each.nearest, middle, slope), 1e-6, 1 - 1e-6)
            total -= WEIGHTS[each.kind] * float(
                np.where(each.right, np.log(chance), np.log(1 - chance)).sum()
            )
        return total

    best = [
        (minimize(lambda at, slope=slope: loss(float(at[0]), slope), [0.4], method="Nelder-Mead"), slope)
        for slope in (10.0, 20.0, 30.0, 40.0)
    ]
    found_best, slope = min(best, key=lambda each: each[0].fun)
    return float(found_best.x[0]), slope


def measured(found: Sequence[Asked]) -> dict[str, Any]:
    """Measures by kind of question, without and with familiarity."""
    told: dict[str, Any] = {}
    for kind in WEIGHTS:
        of_kind = [each for each in found if each.kind == kind]
        rows = {}
        for name, factors in (
            ("without", [1.0] * len(of_kind)),
            ("with", [each.familiarity for each in of_kind]),
        ):
            chances = [each.chances * factor for each, factor in zip(of_kind, factors, strict=True)]
            pairs = [
                [(float(p), bool(y)) for p, y in zip(values, each.right, strict=True)]
                for values, each in zip(chances, of_kind, strict=True)
            ]
            first = np.array([values[0] for values in chances])
            report = calibration(pairs)
            rows[name] = {
                "first": float(first.mean()),
                "silent": float((first < THRESHOLDS["last/plain"]).mean()),
                "ece": 0.0 if report is None else report.ece,
            }
        right = float(np.mean([each.right[0] for each in of_kind]))
        told[kind] = {"questions": len(of_kind), "right": right, **rows}
    return told


def main() -> None:
    parser = shared_parser(__doc__, "documents!", "manifest", "libraries")
    parser.add_argument("--drafts", type=int, default=24, help="documents of each use")
    parser.add_argument("--places", type=int, default=10, help="places of a document")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    every = read_manifest(given.manifest, given.documents)
    with tempfile.TemporaryDirectory() as folder:
        libraries = given.libraries or Path(folder)
        found = {}
        for use in ("ranker", "measuring"):
            drafts = [each for each in every if use_of(each.author) == use]
            chosen = random.Random(use).sample(drafts, min(given.drafts, len(drafts)))
            found[use] = questions(chosen, libraries, given.places)
    middle, slope = fitted(found["ranker"])
    of_use = {use: measured(each) for use, each in found.items()}
    document = {"middle": middle, "slope": slope, **of_use}
    given.out.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2))
    print(f"middle {middle:.3f}, slope {slope:g}")
    for use in of_use:
        print(f"{use:20} questions   right   first      silent        ECE")
        for kind, row in of_use[use].items():
            pairs = [
                f"{row['without'][name]:.3f} {row['with'][name]:.3f}" for name in ("first", "silent", "ece")
            ]
            print(f"  {kind:18} {row['questions']:9} {row['right']:7.3f}   " + "   ".join(pairs))


if __name__ == "__main__":
    main()
