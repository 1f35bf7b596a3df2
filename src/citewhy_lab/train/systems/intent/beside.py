"""What stands beside the network: a linear classifier for each head, whose scores are added to the network's.

For the intents, words, runs of letters and cues of the sentence. For the functions, of which a tenth as many
examples are labelled, whether authors cite a work of their own, and words for a purpose in the sentence and
those around it, each for its own function: both are among the features of Jurgens et al. (2018, section 4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from citewhy.ranking.classify.features import Features, Field
from citewhy.ranking.classify.linear import LinearClassifier
from citewhy_lab.evaluate.datasets.intents import LABELS
from citewhy_lab.train.classifier.beside import fit_beside
from citewhy_lab.train.classifier.data import Data, Doubles, Parts
from citewhy_lab.train.classifier.examples import Example
from citewhy_lab.train.classifier.linear import fit_linear
from citewhy_lab.train.classifier.settings import ClassifierSettings
from citewhy_lab.train.systems.intent.settings import Settings

__all__ = ["Beside", "cross_fitted", "fitted"]

Beside = tuple[float, LinearClassifier]
"""The weight of the scores, and the classifier."""

_WORDS = Features(words={"text": 2}, letters={"text": 4}, cues=("text",))

_AROUND: Sequence[Field] = ("text", "previous", "next")

_PURPOSES = Features(words={}, purposes=_AROUND, own_work=True, weighting="binary")

_FUNCTION_OF: Mapping[str, str] = {
    "future": "Future",
    "motivation": "Motivation",
    "extension": "Extends",
    "comparison": "CompareOrContrast",
    "use": "Uses",
}
_SPEAKS_FOR = {f"{field} for:{name}": label for field in _AROUND for name, label in _FUNCTION_OF.items()}


def fitted(head: str, examples: Sequence[Example], given: Doubles, settings: Settings) -> Beside | None:
    """The classifier beside the network for `head`; `given` [n, labels] are scores of networks that were not
    trained on the examples. None if the settings want none."""
    if head == "intent" and settings.words:
        data = Data.of(examples, _WORDS, LABELS[head])
        options = ClassifierSettings(features=_WORDS)
        return settings.words, fit_linear(data, options, settings.words_penalty)
    if head == "function" and settings.purposes:
        data = Data.of([*examples, *map(_of_unknown_authors, examples)], _PURPOSES, LABELS[head])
        twice = np.concatenate([given, given])
        penalty, least = settings.purposes_penalty, settings.purposes_least
        return 1.0, fit_beside(data, twice, _PURPOSES, penalty, least, _SPEAKS_FOR)
    return None


def cross_fitted(
    head: str, examples: Sequence[Example], given: Doubles, parts: Parts, settings: Settings
) -> Doubles:
    """[n, labels] scores of the network and what stands beside it, each fold of `parts` [n] by what was
    fitted to the others."""
    found = given.copy()
    for part in np.unique(parts).tolist():
        tested, others = np.flatnonzero(parts == part), np.flatnonzero(parts != part)
        beside = fitted(head, [examples[place] for place in others.tolist()], given[others], settings)
        if beside is not None:
            weight, linear = beside
            found[tested] += weight * linear.scores([examples[place].sentence for place in tested.tolist()])
    return found


def _of_unknown_authors(example: Example) -> Example:
    """The example as it would be read if nobody knew who wrote the paper, so that both cases are learned."""
    return replace(example, sentence=replace(example.sentence, own_work=None))
