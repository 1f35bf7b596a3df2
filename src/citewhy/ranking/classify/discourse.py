"""Discourse tags: what each sentence of a paragraph on related work does, after CORWA (Li et al. 2022)."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from citewhy.base.assets import discourse_folder
from citewhy.base.records import SentenceInContext
from citewhy.ranking.classify.classifier import Classifier
from citewhy.ranking.classify.opening import open_classifier

TAGS = ("Single_summ", "Multi_summ", "Narrative_cite", "Transition", "Reflection", "Other")
"""The summary of one work; of several works together; a statement with citations; the introduction of a
topic, or the change to another one; a comparison with the own work; anything else."""

TOPIC = "Transition"
"""The tag of a topic sentence."""


def in_context(sentences: Sequence[str]) -> list[SentenceInContext]:
    """The sentences of a paragraph as the tagger classifies them: with the whole paragraph, both
    neighbours, and their position, from 0 (first) to 1 (last; 0 in a paragraph of one sentence)."""
    last = len(sentences) - 1
    return [
        SentenceInContext(
            text,
            previous=sentences[number - 1] if number else "",
            next=sentences[number + 1] if number < last else "",
            position=number / max(last, 1),
            paragraph=tuple(sentences),
            place=number,
        )
        for number, text in enumerate(sentences)
    ]


@functools.lru_cache(maxsize=1)
def default_tagger() -> Classifier:
    """The built-in tagger."""
    return open_classifier(discourse_folder())
