"""Labelled sentences become a model folder of the kind ``classifier``, which `classify.open_classifier`
opens.

The model is a multinomial logistic regression (scikit-learn), alone or under trees, or a small network, over
the features of `classify.features`. All figures are cross-validated: examples of one group, such as the
sentences of a paper, are either all used for training or all for testing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from citewhy.base.artifact import folder_aside
from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.models import write_model
from citewhy.ranking.classify.linear import READER as LINEAR
from citewhy.ranking.classify.onnx import READER as ONNX
from citewhy.ranking.classify.scored import DOCUMENT, parts_document
from citewhy.ranking.classify.trees import READER as TREES
from citewhy.search.encode import open_encoder
from citewhy.search.encode.encoder import Encoder
from citewhy_lab.evaluate.making import file_facts, software
from citewhy_lab.train.classifier.data import (
    Data,
    Example,
    FieldNames,
    fit_scaling,
    folds,
    quality,
    read_examples,
    summary,
)
from citewhy_lab.train.classifier.linear import (
    cross_validate_linear,
    cross_validate_trees,
    fit_linear,
    fit_trees,
)
from citewhy_lab.train.classifier.settings import ClassifierInputs, ClassifierSettings
from citewhy_lab.train.recipe import DeviceName, Trained, checkpoints
from citewhy_lab.train.requirements import check_modules

_READERS = {"linear": LINEAR, "network": ONNX, "trees": TREES}


def train_classifier(
    inputs: ClassifierInputs,
    settings: ClassifierSettings,
    out: Path,
    progress: Progress,
    device: DeviceName = "auto",
) -> Trained:
    """Trains on the labelled sentences of a file, and writes the model folder `out`. Raises InputError for
    rows that have no text or no label, and what `write_classifier` raises."""
    names = FieldNames(**{field.name: getattr(inputs, f"{field.name}_field") for field in fields(FieldNames)})
    settings = replace(settings, features=inputs.chosen_features())
    examples = read_examples(inputs.data, names, inputs.conditions())
    encoder = open_encoder(inputs.encoder) if settings.features.encoder else None
    name = f"classifier of {inputs.label_field}"
    return write_classifier(examples, settings, out, name, progress, encoder=encoder, files=[inputs.data])


def write_classifier(
    examples: Sequence[Example],
    settings: ClassifierSettings,
    out: Path,
    name: str,
    progress: Progress,
    labels: Sequence[str] = (),
    encoder: Encoder | None = None,
    files: Sequence[Path] = (),
) -> Trained:
    """Trains on `examples`, and writes the model folder `out`.

    `name` is for display; `labels` in the desired order (none: alphabetical); `encoder` for features that
    need one; `files` are those of the examples. Raises QueryError for fewer than two labels or groups,
    MissingExtraError without the extra ``lab``, StorageError.
    """
    if settings.model == "network":
        check_modules("torch", "onnx", "safetensors")
    progress("reading the sentences", None)
    data = Data.of(examples, settings.features, labels, encoder)
    _check(data, settings)
    facts = {
        "settings": settings.document(),
        "data": [file_facts(path) for path in files],
        "examples": len(examples),
        "groups": len({example.group for example in examples}),
        "labels": _counts(data),
        "software": software(),
    }
    fit = {"linear": _train_linear, "network": _train_network, "trees": _train_linear}
    facts = fit[settings.model](data, settings, out, name, facts, progress)
    return Trained(facts, tuple(summary(facts)))


def _train_linear(
    data: Data, settings: ClassifierSettings, out: Path, name: str, facts: dict[str, Any], progress: Progress
) -> dict[str, Any]:
    """Returns a linear classifier, alone or with trees over it."""
    parts = folds(data, settings.folds, settings.seed)
    linear, penalty, f1 = cross_validate_linear(data, settings, parts, progress)
    tried = {f"{weight:g}": round(value, 4) for weight, value in f1.items()}
    facts |= {"penalty": penalty, "macro-F1 by penalty": tried}
    scores = linear
    if settings.model == "trees":
        progress("growing trees", None)
        scores = cross_validate_trees(data, settings, linear, parts)
    facts["cross_validated"] = quality(data, scores, parts)
    progress("training on all examples", None)
    scaling = fit_scaling(scores, data.truth)
    classifier = (
        fit_trees(data, settings, penalty, linear, name, scaling)
        if settings.model == "trees"
        else fit_linear(data, settings, penalty, name, scaling)
    )
    with folder_aside(out) as folder:
        (folder / DOCUMENT).write_bytes(orjson.dumps(classifier.document()))
        write_model(folder, "classifier", _READERS[settings.model], name, facts)
    return facts


def _train_network(
    data: Data, settings: ClassifierSettings, out: Path, name: str, facts: dict[str, Any], progress: Progress
) -> dict[str, Any]:
    """The final network is trained on all folds but the first, which is used for early stopping."""
    from citewhy_lab.train.classifier.network import cross_validate_network, fit_network, write_head

    parts = folds(data, settings.folds, settings.seed)
    scores = cross_validate_network(data, settings, parts, progress)
    facts["cross_validated"] = quality(data, scores, parts)
    held = parts == 0
    head, vectorizer = fit_network(
        data.take(np.flatnonzero(~held)),
        data.take(np.flatnonzero(held)),
        settings,
        progress,
        checkpoints(out),
    )
    with folder_aside(out) as folder:
        write_head(folder, head)
        document = parts_document(data.labels, vectorizer, fit_scaling(scores, data.truth))
        (folder / DOCUMENT).write_bytes(orjson.dumps(document))
        write_model(folder, "classifier", _READERS[settings.model], name, facts)
    return facts


def _check(data: Data, settings: ClassifierSettings) -> None:
    if settings.model == "trees" and len(data.labels) > 2:
        raise QueryError(
            f"trees are for two labels, these examples have {len(data.labels)}",
            hint="choose another kind of model",
        )
    if len(data.labels) < 2:
        raise QueryError(
            f"a classifier needs two labels or more, these examples have {len(data.labels)}",
            hint="check the field of the labels",
        )
    if len({example.group for example in data.examples}) < 2:
        raise QueryError(
            "all examples are of one group, so that none is left to test on",
            hint="check the field of the groups",
        )


def _counts(data: Data) -> dict[str, int]:
    counts = Counter(label for example in data.examples for label in example.labels)
    return {label: counts[label] for label in data.labels}
