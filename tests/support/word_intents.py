"""A classifier of intents by a single word of the sentence, so that tests can say what each sentence is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from citewhy.base.records import SentenceInContext
from citewhy.ranking.classify import Probabilities
from citewhy.ranking.intents.labels import INTENTS

__all__ = ["WordIntents"]


class WordIntents:
    """The intent whose name is in the sentence has the probability `sure`; without one, all are equal, and
    the first is predicted; "perhaps" in a sentence makes ``result`` its predicted label, whatever is most
    probable. `asked` counts the sentences whose labels were predicted."""

    name = "words"
    fingerprint = "abad1dea"
    labels: tuple[str, ...] = INTENTS

    def __init__(self, sure: float = 0.8) -> None:
        self.sure = sure
        self.asked = 0

    def probabilities(self, sentences: Sequence[SentenceInContext]) -> Probabilities:
        rows = [
            [self.sure if name in each.text else (1 - self.sure) / 2 for name in INTENTS]
            for each in sentences
        ]
        table = np.array(rows, dtype=np.float32).reshape(len(rows), len(INTENTS))
        found: Probabilities = table / table.sum(axis=1, keepdims=True)
        return found

    def predict(self, sentences: Sequence[SentenceInContext]) -> list[str]:
        self.asked += len(sentences)
        likely = self.probabilities(sentences).argmax(axis=1).tolist()
        return [
            "result" if "perhaps" in each.text else self.labels[place]
            for each, place in zip(sentences, likely, strict=True)
        ]
