"""The classifier of intents that ships."""

from __future__ import annotations

import functools

from citewhy.base.assets import intent_folder
from citewhy.ranking.classify import Classifier, open_classifier


@functools.lru_cache(maxsize=1)
def default_intents() -> Classifier:
    """The built-in classifier, with the labels `labels.INTENTS`."""
    return open_classifier(intent_folder())
