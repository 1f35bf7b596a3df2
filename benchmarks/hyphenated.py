"""What it brings that the parts of hyphenated words are names: "the Gauss-Markov theorem" is of two authors.

    python benchmarks/hyphenated.py --documents DIR [--manifest FILE] [--libraries DIR] [--number N]

Asks for the hidden citations of documents from which the encoder has not learned (`train.drafts.use_of`), in
libraries of their own bibliographies, as far as a part of a hyphenated word in the question is the surname of
an author there: with the parts, and with the whole words alone.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from unittest import mock

import numpy as np

from citewhy.base.config import DEFAULT_SEED
from citewhy.papers.library.store import Library
from citewhy.ranking.recommender import Recommender
from citewhy.search.retrieve import naming
from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from citewhy_lab.train.drafts import Draft, open_library, read_manifest, topics_of, use_of
from common import parser as shared_parser
from fields import DEPTH, MEASURES, rank_in

capitalised = naming.capitalised


def whole_words(text: str) -> list[str]:
    """`capitalised` as it would be without the parts."""
    parts = {part for word in text.split() if "-" in word for part in capitalised(word) if "-" not in part}
    return [name for name in capitalised(text) if name not in parts]


def ranks(library: Library, draft: Draft) -> list[tuple[float, float]]:
    """Returns the rank of each right paper with whole words alone, and with their parts."""
    recommender, found = Recommender(library), []
    for topic in topics_of(draft, library):
        whole, text = whole_words(topic.query.text), topic.query.text
        more = [name for name in capitalised(text) if name not in whole]
        if not len(recommender.index.named("author", more)):
            continue
        now = recommender.rank(topic.query, DEPTH).ids
        with mock.patch.object(naming, "capitalised", whole_words):
            before = recommender.rank(topic.query, DEPTH).ids
        found += [(rank_in(before, one), rank_in(now, one)) for one in topic.relevant]
    return found


def main() -> None:
    parser = shared_parser(__doc__, "documents!", "manifest", "libraries")
    parser.add_argument("--number", type=int, default=1000, help="documents")
    given = parser.parse_args()
    listed = read_manifest(given.manifest, given.documents)
    drafts = [draft for draft in listed if use_of(draft.author) != "encoder"][: given.number]
    found: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        for draft in drafts:
            with open_library(draft, (given.libraries or Path(folder)) / draft.name) as library:
                found += ranks(library, draft)
            print(f"{draft.name[:40]:40} {len(found):5}", flush=True)
    for name, of in MEASURES.items():
        before, now = (np.array([float(of(pair[side])) for pair in found]) for side in (0, 1))
        low, high = interval(resampled_means(now - before, np.ones(len(found)), DEFAULT_SEED))
        gain = f"{np.mean(now - before):+.3f} ({low:+.3f} to {high:+.3f})"
        print(f"{name} {before.mean():.3f} {now.mean():.3f}, {gain}")


if __name__ == "__main__":
    main()
