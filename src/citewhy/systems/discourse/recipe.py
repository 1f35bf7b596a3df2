"""Training the discourse tagger, by the recipe of all classifiers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from citewhy.classify.discourse import TAGS, in_context
from citewhy.classify.features import Features
from citewhy.config import DEFAULT_SEED
from citewhy.encode import open_encoder
from citewhy.evaluate.datasets.corwa import read_corwa
from citewhy.progress import Tell
from citewhy.train.classifier.examples import Example
from citewhy.train.classifier.recipe import train_classifier
from citewhy.train.classifier.settings import ClassifierSettings

__all__ = ["SETTINGS", "examples", "train_discourse"]

SETTINGS = ClassifierSettings(
    features=Features(
        words={"text": 2}, cues=("text",), markers=("text",), encoder=("text",), position=True, citations=True
    ),
    model="sequence",
    least=10,
    balance=0.5,
    hidden=48,
    units=32,
    dropout=0.4,
    epochs=6,
    batch=16,
    learning_rate=2e-3,
)


def examples(path: Path) -> list[Example]:
    """Every sentence of the file or folder with its tag; sentences of a paper are one group. Raises
    InputError."""
    return [
        Example(sentence, (tag,), paragraph.paper)
        for paragraph in read_corwa(path)
        for sentence, tag in zip(in_context(paragraph.sentences), paragraph.tags, strict=True)
    ]


def train_discourse(
    data: Path, out: Path, tell: Tell, encoder: Path | None = None, seed: int = DEFAULT_SEED
) -> dict[str, Any]:
    """Writes the tagger `out`, and returns the facts of its manifest. Raises what `train_classifier` raises,
    and InputError for `data` in none of CORWA's layouts."""
    files = sorted(each for each in data.iterdir() if each.is_file()) if data.is_dir() else [data]
    return train_classifier(
        examples(data),
        replace(SETTINGS, seed=seed),
        out,
        "discourse tagger",
        tell,
        labels=TAGS,
        encoder=open_encoder(encoder),
        files=files,
    )
