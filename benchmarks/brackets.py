"""Citations with several papers: one of them hidden in turn, and all hidden.

    python benchmarks/brackets.py --documents DIR --library DIR --out FILE.json [--manifest FILE]
        [--libraries DIR] [--places N] [--contexts FILE] [--model DIR] [--learned]

Two worlds. Documents of held-out authors (`train.drafts.use_of`), each in a library of its own bibliography:
N places as they occur, and N of those that cite several papers. And citing sentences that cite several
papers, of FILE (contexts.val), in a library of their field. `evaluate/sets.py` says what is measured;
intervals are by bootstrap over documents or citing papers. With --learned, the documents are those that the
set model learned from: for choices, not for results. The processor time that a set adds to a query is
measured on the sentences.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from citewhy.base.config import DEFAULT_SEED
from citewhy.base.records import Query
from citewhy.models import open_model
from citewhy.papers.library.store import Library
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.recommender import Recommender
from citewhy_lab.evaluate.datasets.local import topics as local_topics
from citewhy_lab.evaluate.datasets.topics import Options, Topic
from citewhy_lab.evaluate.sets import FIRST, AnsweredCitation, answer, comparisons, intervals, with_members
from citewhy_lab.train.drafts import open_library, read_manifest, topics_of, use_of
from common import DATA
from common import parser as shared_parser

TIMED = 60


def chosen(topics: Sequence[Topic], places: int, seed: str) -> tuple[list[Topic], list[Topic]]:
    """Returns places as they occur, and places that cite several papers."""
    rng = random.Random(seed)
    several = [topic for topic in topics if len(topic.relevant) > 1]
    return (
        rng.sample(list(topics), min(places, len(topics))),
        rng.sample(several, min(places, len(several))),
    )


def told(places: Sequence[AnsweredCitation]) -> dict[str, Any]:
    return {
        "places": len(places),
        "several": sum(len(place.right) > 1 for place in places),
        "hidden": sum(len(each.hidden) for each in places),
        "groups": len({each.group for each in places}),
        "measures": intervals(places, DEFAULT_SEED),
        "comparisons": {
            name: {"times": times, **asdict(each)}
            for name, (times, each) in comparisons(places, DEFAULT_SEED).items()
        },
    }


def documents(given: argparse.Namespace, folder: Path, model: Any) -> dict[str, Any]:
    as_they_are: list[AnsweredCitation] = []
    with_several: list[AnsweredCitation] = []
    for draft in read_manifest(given.manifest, given.documents):
        if (use_of(draft.author) == "measuring") == given.learned:
            continue
        with open_library(draft, (given.libraries or folder) / draft.name) as library:
            full, plain = Recommender(library, models=ModelSet(sets=model)), Recommender(library, "bm25")
            natural, several = chosen(topics_of(draft, library), given.places, draft.name)
            as_they_are += [answer(full, plain, each, draft.name) for each in natural]
            with_several += [answer(full, plain, each, draft.name) for each in several]
        print(draft.name[:50], len(as_they_are), len(with_several), flush=True)
        if time.monotonic() - STARTED > given.minutes * 60:
            break
    return {"documents": told(as_they_are), "documents, several papers": told(with_several)}


def sentences(given: argparse.Namespace, model: Any) -> dict[str, Any]:
    with Library.open(given.library) as library:
        topics = local_topics(given.contexts, library, Options())
        several = [topic for topic in topics if len(topic.relevant) > 1]
        full, plain = Recommender(library, models=ModelSet(sets=model)), Recommender(library, "bm25")
        places = [answer(full, plain, each, each.query.citing_id) for each in several]
        rng = random.Random(DEFAULT_SEED)
        timed = rng.sample(topics, min(TIMED, len(topics)))
        return {
            "sentences, several papers": told(places),
            "what co-citation could find": reach(full, several, places),
            "milliseconds": {
                "a sentence": added(full, [each.query for each in timed]),
                "a citation with a member": added(
                    full, [with_members(each.query, each.relevant[:1]) for each in several]
                ),
                "papers": library.counts()["papers"],
            },
        }


def reach(full: Recommender, topics: Sequence[Topic], places: Sequence[AnsweredCitation]) -> dict[str, float]:
    """Returns what the best imaginable use of co-citation would find: shares of the hidden papers that, as of
    the question, nobody has cited with a member; that are among the five papers most often cited with a
    member (ties are in their favour); and that are among these or the first five of the default, members
    struck out."""
    ranks = [
        cocitation_rank(full, topic.query, [other for other in topic.relevant if other != paper_id], paper_id)
        for topic in topics
        for paper_id in topic.relevant
    ]
    cocited = np.array(ranks) <= FIRST
    default = np.array([member.struck for place in places for member in place.hidden]) <= FIRST
    return {
        "never cited together": float(np.mean(np.isinf(ranks))),
        "cited together most often": float(cocited.mean()),
        "that, or the default": float((cocited | default).mean()),
    }


def cocitation_rank(full: Recommender, query: Query, members: Sequence[str], hidden: str) -> float:
    """Returns the rank from 1; infinite for a paper that is never cited with one of `members`."""
    view = full.scoped(with_members(query, members)).view
    rows = full.index.rows([hidden, *members])
    citing = np.unique(view.citing(rows[1:]).rows)
    cited, times = np.unique(view.cited(citing).rows, return_counts=True)
    times[np.isin(cited, rows[1:])] = 0
    found = times[cited == rows[0]]
    return float(1 + np.count_nonzero(times > found[0])) if len(found) else np.inf


def added(full: Recommender, queries: Sequence[Any]) -> dict[str, float]:
    """Computes the median and 95th percentile of the processor time that a set adds to a ranking that is
    there."""
    spent = []
    for query in queries:
        answer = full.begun(query, 1000)
        begun = time.process_time()
        full.complete(answer)
        spent.append(1000 * (time.process_time() - begun))
    return {"p50": float(np.median(spent)), "p95": float(np.quantile(spent, 0.95))}


STARTED = time.monotonic()


def main() -> None:
    parser = shared_parser(__doc__, "documents", "manifest", "libraries")
    parser.add_argument("--places", type=int, default=12, help="places of a document, of each kind")
    parser.add_argument("--minutes", type=float, default=600, help="no further document after so many")
    parser.add_argument("--library", type=Path, help="a library of the field's files")
    parser.add_argument("--contexts", type=Path, default=DATA / "contexts.val.jsonl.gz")
    parser.add_argument("--model", type=Path, help="folder of a set model; default: the built-in one")
    parser.add_argument("--learned", action="store_true", help="documents that were learned from")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    model = open_model(given.model, "set") if given.model else None
    found: dict[str, Any] = {}
    if given.library:
        found |= sentences(given, model)
    if given.documents:
        with tempfile.TemporaryDirectory() as folder:
            found |= documents(given, Path(folder), model)
    given.out.write_bytes(orjson.dumps(found, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY))
    print(orjson.dumps(found, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY).decode())


if __name__ == "__main__":
    main()
