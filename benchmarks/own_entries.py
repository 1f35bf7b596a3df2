"""How well entries of a draft's own bibliography that the library lacks fit its sentences (`own_entries`).

    python benchmarks/own_entries.py --documents DIR [--manifest FILE] [--places N] [--held-out]

Of each document, N citations are hidden in turn. Every second entry of its bibliography counts as known to
the library; the others are the candidates, compared with the sentence by words and names alone. A list shows
two at most. Reported, for entries that the sentence names and for those that share words with it, by the
share of the sentence's words (weighted by idf) that they have: how many are shown, and how many of these are
cited there. Documents of authors that models learned from are for choosing thresholds, those of the others
(`--held-out`) for measuring.
"""

from __future__ import annotations

import random
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from citewhy.answers import own_entries
from citewhy.answers.own_entries import OwnEntries
from citewhy.base.config import DEFAULT_SEED
from citewhy.base.records import Manuscript, Query, Unit
from citewhy.drafts import read
from citewhy_lab.train.drafts import read_manifest, use_of
from common import parser as shared_parser
from common import wilson

SHARES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
SHOWN = 2


@dataclass
class Counts:
    """What became of the hidden citations."""

    places: int = 0
    answerable: int = 0
    """Places with a cited entry among the candidates."""
    found: Counter[str] = field(default_factory=Counter)
    """Of these, those with a right entry among the two shown, by the kind of the right one."""
    shown: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)


def hidden(manuscript: Manuscript, places: int, rng: random.Random) -> Iterator[tuple[Unit, frozenset[str]]]:
    """Returns citations without their keys, and these."""
    cited = [
        (paragraph, sentence, number)
        for paragraph in manuscript.paragraphs
        for sentence in paragraph.sentences
        for number, marker in enumerate(sentence.markers)
        if marker.keys
    ]
    for paragraph, sentence, number in rng.sample(cited, min(places, len(cited))):
        marker = sentence.markers[number]
        bare = replace(marker, keys=(), open=True)
        markers = (*sentence.markers[:number], bare, *sentence.markers[number + 1 :])
        asked = replace(sentence, markers=markers)
        yield Unit("place", marker.place, bare, asked, paragraph), frozenset(marker.keys)


def bin_of(share: float) -> str:
    return f"words, share from {max((each for each in SHARES if each <= share), default=0.0):g}"


def count(manuscript: Manuscript, places: int, counts: Counts, rng: random.Random) -> None:
    keys = [reference.key for reference in manuscript.references]
    known = {key for key in keys if zlib.crc32(key.encode()) % 2}
    entries = OwnEntries.of(manuscript, known)
    candidates = {paper.id for paper in entries.papers}
    for unit, right in hidden(manuscript, places, rng):
        counts.places += 1
        counts.answerable += not right.isdisjoint(candidates)
        done = False
        for fit in entries.fitting(unit, Query("local"))[:SHOWN]:
            kind = fit.named or bin_of(fit.share)
            hit = fit.suggestion.paper.id in right
            counts.shown[kind] += 1
            counts.right[kind] += hit
            if hit and not done:
                counts.found[kind] += 1
                done = True


def table(counts: Counts) -> str:
    rows = ["| | shown | cited there | share |", "| --- | ---: | ---: | --- |"]
    for kind in sorted(counts.shown):
        right, shown = counts.right[kind], counts.shown[kind]
        low, high = wilson(right, shown)
        rows.append(f"| {kind} | {shown} | {right} | {right / shown:.3f} ({low:.3f} to {high:.3f}) |")
    found = sum(counts.found.values())
    low, high = wilson(found, counts.answerable)
    rows.append(
        f"\n{counts.places} places, {counts.answerable} of which cite a candidate; it is among the two shown "
        f"for {found} ({found / max(counts.answerable, 1):.3f}, {low:.3f} to {high:.3f})"
    )
    return "\n".join(rows)


def main() -> None:
    parser = shared_parser(__doc__, "documents!", "manifest")
    parser.add_argument("--places", type=int, default=20, metavar="N", help="of each document")
    parser.add_argument("--held-out", action="store_true", help="authors that nothing was learned from")
    parser.add_argument("--least-share", type=float, help="another threshold than that of the package")
    given = parser.parse_args()
    if given.least_share is not None:
        own_entries._LEAST_SHARE = given.least_share
    rng, counts = random.Random(DEFAULT_SEED), Counts()
    for draft in read_manifest(given.manifest, given.documents):
        if (use_of(draft.author) == "measuring") == given.held_out:
            count(read(draft.root), given.places, counts, rng)
    print(table(counts))


if __name__ == "__main__":
    main()
