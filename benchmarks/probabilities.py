"""Whether probabilities hold for authors' own libraries, and the fit of them.

    python benchmarks/probabilities.py --documents DIR [--manifest FILE] [--libraries DIR] [--places N]
        [--fit OUT [--fitted N]] [--old LIBRARY FILE]

The citations of documents are hidden in turn, each in the library of the document's own bibliography. The
documents that measure are those of held-out authors (`train.drafts.use_of`). ``--fit`` fits the probabilities
for drafts (`rank.calibration`) to the documents of the authors that the trees have not learned from either,
because they taught the encoder, and writes the ranker OUT with these numbers, all else as it is.

``--old`` does the same for sentences alone (FILE, of the task ``local``) in a library whose citing sentences
are years older; what is fitted to a half of the sentences (a hash of their ids) is measured on the other.

Prints, for first suggestions and for the first ten: the mean probability, the share that is right, the
expected calibration error (and what it would be for exact probabilities), and the reliability table; how many
first suggestions above .8 are wrong, with a 95 % interval; and for places with one right paper and with
several the mean probability of the first beside how often it is right.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.assets import ranker_folder
from citewhy.base.config import DEFAULT_SEED
from citewhy.papers.library.store import Library
from citewhy.ranking.rank.calibration import Calibration
from citewhy.ranking.rank.folder import read_document, write_ranker
from citewhy.ranking.rank.last_step import (
    ADDED,
    OLD_CALIBRATION,
    OWN_CALIBRATION,
    REGIMES,
    familiarity,
    most_probable,
    oldness,
)
from citewhy.ranking.recommender import Recommender
from citewhy_lab.evaluate.calibration import FIRST, calibration
from citewhy_lab.evaluate.datasets.local import topics as read_sentences
from citewhy_lab.evaluate.datasets.topics import Options, Topic
from citewhy_lab.train.drafts import Draft, Use, open_library, read_manifest, topics_of, use_of
from citewhy_lab.train.systems.ranker.probabilities import Place, fit
from common import parser as shared_parser
from common import wilson

SURE = 0.8
"""Probability above which a first suggestion counts as sure."""

DRAWS = 50
"""Draws of what exact probabilities would find."""


def places_of(draft: Draft, folder: Path, most: int) -> list[Place]:
    """Asks for at most `most` citations of a draft."""
    with open_library(draft, folder) as library:
        topics = topics_of(draft, library)
        if len(topics) > most:
            topics = random.Random(draft.name).sample(topics, most)
        recommender = Recommender(library)
        places = [place_of(recommender, topic) for topic in topics]
        return [place for place in places if place is not None]


def place_of(recommender: Recommender, topic: Topic, recent: Calibration | None = None) -> Place | None:
    """Asks one question; None where nothing is found. With `recent`, the calibration of sentences alone."""
    ranked = recommender.begun(topic.query, FIRST).ranked
    if ranked.last_table is None or ranked.last_step is None or not len(ranked.rows):
        return None
    seen = np.flatnonzero(~np.isnan(ranked.last_table[:, 0]))
    table = ranked.last_table[seen]
    right = np.isin(ranked.rows[seen], recommender.index.rows(list(topic.relevant)))
    old = 1.0 if recent is None else oldness(table)
    scores = ranked.last_step.scores(table)  # probabilities are of these, whatever has risen since
    most = most_probable(table, scores)
    scores = np.sort(scores)[::-1]
    return Place(scores, right, familiarity(table), len(topic.relevant), old, recent, most)


def sentences(folder: Path, file: Path, most: int, recent: Calibration) -> tuple[list[Place], list[Place]]:
    """Asks sentences alone, at most `most`, in two halves."""
    halves: tuple[list[Place], list[Place]] = ([], [])
    with Library.open(folder) as library:
        topics = read_sentences(file, library, Options())
        recommender = Recommender(library)
        for topic in random.Random(DEFAULT_SEED).sample(topics, min(most, len(topics))):
            place = place_of(recommender, topic, recent)
            if place is not None:
                halves[zlib.crc32(topic.query.id.encode()) % 2].append(place)
    return halves


def ece_by_chance(shown: NDArray[np.float64]) -> float:
    """Computes the expected calibration error that probabilities [n] have in the mean if each is exact: with
    few of them, shares differ from probabilities by chance."""
    rng = np.random.default_rng(DEFAULT_SEED)
    errors = []
    for _ in range(DRAWS):
        right = rng.random(len(shown)) < shown
        found = calibration([[pair] for pair in zip(shown.tolist(), right.tolist(), strict=True)])
        assert found is not None
        errors.append(found.ece)
    return float(np.mean(errors))


def report(places: Sequence[Place], fitted: Calibration) -> None:
    """Prints what the probabilities are worth."""
    answers = [place.pairs(fitted) for place in places]
    for name, shown in (("first", [pairs[:1] for pairs in answers]), (f"first {FIRST}", answers)):
        pairs = np.array([pair for each in shown for pair in each])
        found = calibration(shown)
        assert found is not None
        print(f"{name}: {len(pairs)}, mean {pairs[:, 0].mean():.3f}, right {pairs[:, 1].mean():.3f}", end="")
        chance = ece_by_chance(pairs[:, 0])
        print(f", expected calibration error {found.ece:.4f} ({chance:.4f} if they were exact)")
        for each in found.bins:
            print(f"  {each.low:.1f} to {each.high:.1f}: {each.count:5}  {each.mean:.3f}  {each.right:.3f}")
    sure = np.array([pairs[0] for pairs in answers if pairs[0][0] > SURE]).reshape(-1, 2)
    wrong = int((1 - sure[:, 1]).sum())
    low, high = wilson(wrong, len(sure))
    print(f"first above {SURE}: {len(sure)}, wrong {wrong} ({low:.3f} to {high:.3f})")
    for name, chosen in (("one right paper", (1, 1)), ("several", (2, 1000))):
        of_size = [
            pairs[0]
            for place, pairs in zip(places, answers, strict=True)
            if chosen[0] <= place.answers <= chosen[1]
        ]
        if not of_size:
            continue
        shown, right = np.array(of_size).mean(axis=0)
        print(f"{name}: {len(of_size)} places, the first has {shown:.3f}, is right {right:.3f}")


def old_calibration(given: argparse.Namespace, calibrations: Mapping[str, Any]) -> Calibration:
    """Fits the calibration for old citing sentences; reports on each half of the sentences what was fitted to
    the other."""
    recent = Calibration(**calibrations[ADDED])
    library, file = given.old
    halves = sentences(library, file, given.sentences, recent)
    for number, (learned, measuring) in enumerate((halves, halves[::-1])):
        fitted = fit(learned, recent)
        for name, one in (("as it is", recent), (f"fitted to {len(learned)} sentences", fitted)):
            print(f"{given.old[1].name}, half {number}, {name}: {one}")
            report(measuring, one)
    return fit([place for half in halves for place in half], recent)


def main() -> None:
    """Fits, if that is asked for, and reports."""
    parser = shared_parser(__doc__, "documents!", "manifest", "libraries")
    parser.add_argument("--places", type=int, default=40, help="places of a document")
    parser.add_argument("--fit", type=Path, metavar="OUT", help="write a ranker with what was fitted")
    parser.add_argument("--fitted", type=int, default=1000, metavar="N", help="documents to fit to")
    parser.add_argument("--old", type=Path, nargs=2, metavar=("LIBRARY", "FILE"), help="sentences to fit to")
    parser.add_argument("--sentences", type=int, default=700, help="sentences of FILE")
    given = parser.parse_args()
    drafts = read_manifest(given.manifest, given.documents)
    base = read_document(ranker_folder())
    fitted = Calibration(**base["calibration"].get(OWN_CALIBRATION, base["calibration"][REGIMES[0]]))
    with tempfile.TemporaryDirectory() as scratch:

        def asked(use: Use, number: int) -> list[Place]:
            folder = given.libraries or Path(scratch)
            chosen = [draft for draft in drafts if use_of(draft.author) == use][:number]
            return [
                place for draft in chosen for place in places_of(draft, folder / draft.name, given.places)
            ]

        measuring = asked("measuring", len(drafts))
        print(f"as it is: {fitted}")
        report(measuring, fitted)
        if given.fit:
            learned = asked("encoder", given.fitted)
            fitted = fit(learned)
            print(f"fitted to {len(learned)} places: {fitted}")
            report(measuring, fitted)
            base["calibration"][OWN_CALIBRATION] = asdict(fitted)
            base["making"]["last_step"]["calibrated"] = {
                "command": "benchmarks/probabilities.py --fit",
                "sentences": given.sentences if given.old else 0,
                "documents": given.fitted,
                "places": len(learned),
            }
            if given.old:
                base["calibration"][OLD_CALIBRATION] = asdict(old_calibration(given, base["calibration"]))
            write_ranker(given.fit, base["name"], base)


if __name__ == "__main__":
    main()
