"""What `citewhy tune` is worth: fitted on the first two thirds of a document, measured on the last third.

    python benchmarks/tuning.py --documents DIR [--manifest FILE] [--places N] [--out FILE.json]

The documents are long ones of authors that measure (`train.drafts.use_of`), each with the library of its own
bibliography. Of an author with several drafts, whole drafts are left out (`citewhy tune`); here, where every
author has one, later chapters take their place. The citations are those that a backtest hides; of long
documents the first N are used. Prints, for each document, the reciprocal rank on the last third without and
with what was fitted, and the mean with the interval of the difference, by bootstrap over documents.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import orjson

from citewhy.base.config import DEFAULT_SEED
from citewhy.ranking.rank.last_step import EVIDENCE, LastStep
from citewhy.ranking.recommender import Recommender
from citewhy_lab.evaluate.backtest.tuning import FEWEST, HiddenCitation, fit, places_of
from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from citewhy_lab.evaluate.calibration import FIRST, calibration
from citewhy_lab.train.drafts import open_library, read_manifest, topics_of, use_of
from common import parser as shared_parser


def measured(
    model: LastStep, places: Sequence[HiddenCitation]
) -> tuple[float, list[list[tuple[float, bool]]]]:
    """Computes the mean reciprocal rank, and the probabilities of the first candidates with whether they are
    right."""
    found, answers = [], []
    for place in places:
        added = place.contributions @ np.array([model.weights.get(kind, 0.0) for kind in EVIDENCE])
        scores = (place.scores + added).astype(np.float32)
        ranks = [1 / (1 + int((scores > scores[row]).sum())) for row in np.flatnonzero(place.right)]
        found.append(sum(ranks) / max(len(ranks) + place.missed, 1))
        first = np.argsort(-scores, kind="stable")[:FIRST]
        sure = model.in_drafts.probabilities(scores)[first].tolist()
        answers.append(list(zip(sure, place.right[first].tolist(), strict=True)))
    return float(np.mean(found)), answers


def main() -> None:
    parser = shared_parser(__doc__, "documents!", "manifest", "out")
    parser.add_argument("--places", type=int, default=150, help="places of a document")
    given = parser.parse_args()
    rows, before_all, after_all = [], [], []
    for draft in read_manifest(given.manifest, given.documents):
        if use_of(draft.author) != "measuring":
            continue
        with tempfile.TemporaryDirectory() as folder, open_library(draft, Path(folder)) as library:
            topics = topics_of(draft, library)[: given.places]
            cut = len(topics) * 2 // 3
            if cut < FEWEST:
                continue
            recommender = Recommender(library)
            model = recommender.ranker.last_step_model
            assert model is not None
            places = places_of(recommender, model, topics)
        fitted = fit(model, places[:cut], np.arange(cut) * 3 // cut, 1)
        tuned = model.tuned(fitted.tuning)
        (before, own), (after, theirs) = measured(model, places[cut:]), measured(tuned, places[cut:])
        before_all += own
        after_all += theirs
        rows.append({"places": len(topics), "before": before, "after": after, "used": fitted.helps})
        print(f"{len(topics):4} places  RR {before:.3f} → {after:.3f}  {dict(tuned.weights)}", flush=True)
    gains = np.array([row["after"] - row["before"] for row in rows])
    errors = [found.ece for each in (before_all, after_all) if (found := calibration(each)) is not None]
    document = {
        "documents": len(rows),
        "before": float(np.mean([row["before"] for row in rows])),
        "after": float(np.mean([row["after"] for row in rows])),
        "difference": interval(resampled_means(gains, np.ones(len(gains)), DEFAULT_SEED)),
        "ece": errors,
        "rows": rows,
    }
    print(orjson.dumps({**document, "rows": len(rows)}, option=orjson.OPT_INDENT_2).decode())
    if given.out:
        given.out.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2))


if __name__ == "__main__":
    main()
