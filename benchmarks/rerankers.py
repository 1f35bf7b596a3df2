"""What a trained reranker adds to the default ranking in authors' own libraries.

    python benchmarks/rerankers.py RERANKER --documents DIR [--manifest FILE] [--libraries DIR] [--places N]

The documents are those of held-out authors (`train.drafts.use_of`), each with a library of its own
bibliography, whose citations are hidden in turn; files outside of a project that it names are read, too.
R@10 and the reciprocal rank are averaged over the judgements of a document, then over documents; intervals,
also of the differences, are by bootstrap over documents. Sentences of other fields are measured by `citewhy
evaluate local FILE --reranker RERANKER --baseline full`.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import numpy as np

from citewhy.base.config import DEFAULT_SEED
from citewhy.models import open_model
from citewhy.papers.library.store import Library
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.recommender import Recommender
from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from citewhy_lab.train.drafts import Draft, open_library, read_manifest, topics_of, use_of
from common import parser as shared_parser
from fields import DEPTH, MEASURES, rank_in


def measured(library: Library, draft: Draft, models: ModelSet, most: int) -> list[list[float]]:
    """Measures the default ranking, and it with the reranker: a list of `MEASURES` for each."""
    topics = topics_of(draft, library)
    if len(topics) > most:
        topics = random.Random(f"{DEFAULT_SEED} {draft.name}").sample(topics, most)
    means = []
    for recommender in (Recommender(library), Recommender(library, models=models)):
        ranks = [
            rank_in(ids, paper_id)
            for topic in topics
            for ids in [recommender.rank(topic.query, DEPTH).ids]
            for paper_id in topic.relevant
        ]
        means.append([float(np.mean([of(rank) for rank in ranks])) for of in MEASURES.values()])
    return means


def main() -> None:
    parser = shared_parser(__doc__, "documents!", "manifest", "libraries")
    parser.add_argument("reranker", type=Path)
    parser.add_argument("--places", type=int, default=40, help="places of a document")
    given = parser.parse_args()
    models = ModelSet(rerankers=(open_model(given.reranker, "reranker"),))
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for draft in read_manifest(given.manifest, given.documents, follow_outside=True):
            if use_of(draft.author) == "measuring":
                with open_library(draft, (given.libraries or Path(scratch)) / draft.name) as library:
                    rows.append(measured(library, draft, models, given.places))
                print(f"{draft.name[:40]:40}", rows[-1], flush=True)
    table, ones = np.array(rows), np.ones(len(rows))
    for at, name in enumerate(MEASURES):
        for what, values in (
            ("default", table[:, 0, at]),
            ("reranked", table[:, 1, at]),
            ("reranked − default", table[:, 1, at] - table[:, 0, at]),
        ):
            low, high = interval(resampled_means(values, ones, DEFAULT_SEED))
            print(f"{name}, {what}: {values.mean():.3f} ({low:.3f} to {high:.3f})")


if __name__ == "__main__":
    main()
