"""Opening classifiers."""

from __future__ import annotations

import os
from typing import cast

from citewhy.classify.classifier import Classifier
from citewhy.encode.encoder import Encoder
from citewhy.models import open_model

__all__ = ["open_classifier"]


def open_classifier(folder: str | os.PathLike[str], encoder: Encoder | None = None) -> Classifier:
    """The classifier in a model folder. `encoder`: the one that it was trained with, where that is not the
    package's own; for a classifier that needs none it makes no difference. Raises as `models.open_model`, and
    ModelError for an encoder that the classifier was not trained with."""
    given = {} if encoder is None else {"encoder": encoder}
    return cast("Classifier", open_model(folder, "classifier", **given))
