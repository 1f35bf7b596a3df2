"""Sentences whose label depends on a single word: "propose" is ours, "follow" theirs; the rest is noise."""

from __future__ import annotations

import random

from citewhy.base.records import SentenceInContext
from citewhy_lab.train.classifier.data import Example

NOISE = ("parser", "trees", "corpus", "tagger", "model", "grammar", "tokens", "phrase", "score")

VERBS = {"ours": ("propose", "present"), "theirs": ("follow", "adopt"), "other": ("is", "has")}


def examples(count: int = 90, groups: int = 9, wrong: float = 0.0) -> list[Example]:
    """Half are "ours", a third "theirs", a sixth "other"; the share `wrong` has a label at random."""
    draw = random.Random(7)
    found = []
    for number in range(count):
        label = ("ours", "ours", "ours", "theirs", "theirs", "other")[number % 6]
        verb = draw.choice(VERBS[label])
        text = f"We {verb} a {draw.choice(NOISE)} with {draw.choice(NOISE)} (Lee, 2004)."
        label_given = draw.choice(sorted(VERBS)) if draw.random() < wrong else label
        position = (number % 10) / 10
        found.append(
            Example(SentenceInContext(text, position=position), (label_given,), f"paper {number % groups}")
        )
    return found
