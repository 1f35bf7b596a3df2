"""A draft with nothing added, beside the same draft with its bibliographies added to a library.

    python benchmarks/own_bibliography.py --documents DIR [--manifest FILE] [--places N] [--number N]
        [--timed N]

The documents are those of held-out authors (`train.drafts.use_of`), as in `fields.py`; their citations are
hidden in turn. For each: R@10 and the reciprocal rank of the first command on the draft, which makes a
library of the bibliography that the draft names, without the vectors of parts of abstracts, of later ones,
with them, and of a library to which all its .bib files were added; at the end their mean differences, with
the 95 % intervals of resampled documents for what the parts bring. For the first N (`--timed`), in new
processes: seconds until the draft as a whole is answered, from an empty cache, again, and with the library
that was added.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from citewhy.base.config import CACHE_VARIABLE, LIBRARY_VARIABLE
from citewhy.drafts import read
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import default_encoder
from citewhy.search.index.unencoded import without_parts
from citewhy.session.session import Session
from citewhy_lab.evaluate.backtest.hiding import hide_citations
from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from citewhy_lab.train.drafts import YEAR, Draft, open_library, read_manifest, use_of
from common import parser as shared_parser

ANSWER = "import sys; from citewhy import Session\nSession().advise(sys.argv[1], 5, units=('draft',))[0]"


def ranks(recommender: Recommender, draft: Draft, places: int) -> list[float]:
    """Returns the ranks of the right papers of up to `places` citations, hidden in turn."""
    manuscript = read(draft.root, follow_outside=draft.follow_outside)
    topics = list(hide_citations(recommender.library, [manuscript], YEAR)[0].topics)
    chosen = random.Random(draft.name).sample(topics, places) if len(topics) > places else topics
    found = []
    for topic in chosen:
        ids = recommender.rank(topic.query, 1000).ids
        found += [
            ids.index(paper_id) + 1.0 if paper_id in ids else np.inf for paper_id in sorted(topic.relevant)
        ]
    return found


def measures(found: Sequence[float]) -> tuple[float, float]:
    """Computes R@10 and the mean reciprocal rank."""
    return float(np.mean([rank <= 10 for rank in found])), float(np.mean([1 / rank for rank in found]))


def seconds(draft: Draft, library: Path, cache: Path) -> float:
    """Measures a new process that answers the draft as a whole."""
    environment = {**os.environ, CACHE_VARIABLE: str(cache), LIBRARY_VARIABLE: str(library)}
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", ANSWER, str(draft.root)], check=True, env=environment)
    return time.perf_counter() - begun


def main() -> None:
    """Prints a line for each document, and the largest differences."""
    options = shared_parser(__doc__, "documents!", "manifest")
    options.add_argument("--places", type=int, default=25, help="places of a document")
    options.add_argument("--number", type=int, default=1000, help="documents")
    options.add_argument("--timed", type=int, default=0, help="documents whose answers are timed")
    given = options.parse_args()
    drafts = [
        draft
        for draft in read_manifest(given.manifest, given.documents)
        if use_of(draft.author) == "measuring"
    ][: given.number]
    print(f"{'document':32} entries  R@10 first, later / added     RR first, later / added       seconds")
    differences, of_parts = [], []
    for number, draft in enumerate(drafts):
        with tempfile.TemporaryDirectory() as folder:
            cache, own, added = (Path(folder) / name for name in ("cache", "none", "added"))
            os.environ[CACHE_VARIABLE], os.environ[LIBRARY_VARIABLE] = str(cache), str(own)
            timed = [seconds(draft, own, cache) for _ in range(2)] if number < given.timed else []
            manuscript = read(draft.root, follow_outside=draft.follow_outside)
            with Session() as session:
                later = session.recommender(drafts=[manuscript])
                index = without_parts(later.index, default_encoder())
                start = ranks(Recommender(later.library, index=index), draft, given.places)
                nothing = ranks(later, draft, given.places)
            with open_library(draft, added) as library:
                with_library = ranks(Recommender(library), draft, given.places)
            timed += [seconds(draft, added, cache)] if timed else []
        if not nothing or not with_library:
            continue
        at_first, first, second = measures(start), measures(nothing), measures(with_library)
        differences.append(np.subtract(first, second))
        of_parts.append(np.subtract(first, at_first))
        times = f"{timed[0]:.2f}, {timed[1]:.2f} / {timed[2]:.2f}" if timed else ""
        print(
            f"{draft.name[:32]:32} {len(manuscript.references):7}"
            f"  {at_first[0]:.3f}, {first[0]:.3f} / {second[0]:.3f}"
            f"         {at_first[1]:.3f}, {first[1]:.3f} / {second[1]:.3f}         {times}",
            flush=True,
        )
    table = np.array(differences)
    means = ", ".join(f"{mean:+.4f}" for mean in table.mean(axis=0))
    worst = ", ".join(f"{value:+.4f}" for value in table.min(axis=0))
    for name, values in zip(("R@10", "RR"), np.array(of_parts).T, strict=True):
        low, high = interval(resampled_means(values, np.ones(len(values)), 1))
        print(f"later - first: {name} {values.mean():+.4f} ({low:+.4f} to {high:+.4f})")
    print(f"{len(table)} documents; nothing - added: mean R@10, RR {means}; lowest {worst}")


if __name__ == "__main__":
    main()
