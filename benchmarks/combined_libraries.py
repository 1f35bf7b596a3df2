"""A draft with its own bibliography and a large library, beside either of them alone.

    python benchmarks/combined_libraries.py --library DIR [--drafts DIR] [--places N] [--number N]

The citations of each draft are hidden in turn, and asked for three times: with the draft's own bibliography,
with the library, and with the one over the other, as a session does. Printed for each draft: R@10 and
reciprocal rank of all hidden citations (0 where a library does not have the paper), and the median
milliseconds of a place; at the end the mean difference to the better of the two alone, with the 95 % interval
of resampled places.
"""

from __future__ import annotations

import os
import random
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

from citewhy.base.config import CACHE_VARIABLE, LIBRARY_VARIABLE
from citewhy.base.records import Manuscript
from citewhy.drafts import read
from citewhy.ranking.recommender import Recommender
from citewhy.session.session import Session
from citewhy_lab.evaluate.backtest.hiding import hide_citations
from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from common import parser as shared_parser

Ranks = dict[str, list[float]]
"""Of the right papers, by question."""


def ranks(recommender: Recommender, manuscript: Manuscript, places: int) -> tuple[Ranks, float]:
    """Asks for up to `places` hidden citations; returns the median milliseconds, too."""
    topics = list(hide_citations(recommender.library, [manuscript], None)[0].topics)
    chosen = [topic for topic in topics if topic.query.id in _drawn([one.query.id for one in topics], places)]
    asked, took = {}, []
    for topic in chosen:
        begun = time.perf_counter()
        ids = recommender.rank(topic.query, 1000).ids
        took.append(1000 * (time.perf_counter() - begun))
        asked[topic.query.id] = [
            ids.index(one) + 1.0 if one in ids else np.inf for one in sorted(topic.relevant)
        ]
    return asked, statistics.median(took) if took else 0.0


def _drawn(names: list[str], places: int) -> set[str]:
    """Draws the same places whatever else a library has: those with the smallest random numbers."""
    return set(sorted(names, key=lambda name: random.Random(name).random())[:places])


def main() -> None:
    """Prints a line for each draft, and the differences."""
    options = shared_parser(__doc__, "library!", "drafts")
    options.add_argument("--places", type=int, default=40, help="places of a draft")
    options.add_argument("--number", type=int, default=1000, help="drafts")
    given = options.parse_args()
    sums: list[tuple[float, ...]] = []
    print(f"{'draft':28} places   R@10 own, library, both   RR own, library, both   ms own, library, both")
    for path in sorted(given.drafts.glob("*.tex"))[: given.number]:
        manuscript = read(path, follow_outside=True)
        with tempfile.TemporaryDirectory() as folder:
            os.environ[CACHE_VARIABLE] = str(Path(folder) / "cache")
            os.environ[LIBRARY_VARIABLE] = str(Path(folder) / "none")
            with Session() as alone, Session(given.library) as large:
                setting = large._setting(None)
                _, both = large._libraries.recommender([manuscript], setting)
                results = [
                    ranks(recommender, manuscript, given.places)
                    for recommender in (alone.recommender(drafts=[manuscript]), large.recommender(), both)
                ]
        asked = results[2][0]
        if not asked:
            continue
        rows = []
        for name, right in asked.items():
            several = [found.get(name, []) for found, _ in results]
            hits = [sum(rank <= 10 for rank in one) for one in several]
            rows.append((*hits, *(sum(1 / rank for rank in one) for one in several), len(right)))
        sums += rows
        means = np.sum(rows, axis=0)[:6] / sum(row[6] for row in rows)
        shown = [" ".join(f"{mean:.3f}" for mean in half) for half in (means[:3], means[3:])]
        speeds = " ".join(f"{took:.0f}" for _, took in results)
        print(f"{path.stem[:28]:28} {len(rows):6}   {shown[0]:24} {shown[1]:23} {speeds}", flush=True)
    table = np.array(sums)
    for measure, columns in (("R@10", table[:, :3]), ("RR", table[:, 3:6])):
        better = columns[:, int(np.argmax(columns[:, :2].sum(axis=0)))]
        difference = columns[:, 2] - better
        low, high = interval(resampled_means(difference, table[:, 6], 1))
        means = columns.sum(axis=0) / table[:, 6].sum()
        print(
            f"{measure}: own {means[0]:.3f}, library {means[1]:.3f}, both {means[2]:.3f}; both - the better "
            f"{difference.sum() / table[:, 6].sum():+.4f} ({low:+.4f} to {high:+.4f})"
        )


if __name__ == "__main__":
    main()
