"""Opening classifiers."""

from __future__ import annotations

import os
from typing import cast

from citewhy.models import open_model
from citewhy.ranking.classify.classifier import Classifier
from citewhy.search.encode.encoder import Encoder


def open_classifier(folder: str | os.PathLike[str], encoder: Encoder | None = None) -> Classifier:
    """The classifier in a model folder.

    `encoder`: the one with which it was trained, if that is not the built-in one; ignored for a classifier
    that needs none. Raises what `models.open_model` raises, and ModelError for an encoder other than that of
    the training.
    """
    given = {} if encoder is None else {"encoder": encoder}
    return cast("Classifier", open_model(folder, "classifier", **given))
