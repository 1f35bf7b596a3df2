"""The recipe: sentences of published papers and finished drafts, with their citations taken out, as examples
of the common recipe of classifiers."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.drafts import read
from citewhy.ranking.classify.features import Features
from citewhy_lab.evaluate.datasets.held_out import held_out
from citewhy_lab.evaluate.datasets.needs import JudgedSentence, of_draft, of_full_texts, sample
from citewhy_lab.evaluate.needs import CITES
from citewhy_lab.train.classifier.data import Example
from citewhy_lab.train.classifier.recipe import write_classifier
from citewhy_lab.train.classifier.settings import ClassifierSettings
from citewhy_lab.train.drafts import read_manifest, use_of
from citewhy_lab.train.recipe import DeviceName, Trained
from citewhy_lab.train.systems.needs.settings import NeedsInputs, NeedsSettings

LABELS = (CITES, "plain")

_FEATURES = Features(words={"text": 2}, letters={"text": 4}, cues=("text",))
"""Features of the sentence itself. No vectors: those of the encoder added less than the intervals tell
(docs/log/classifiers.md), and cost a review seconds."""

_BESIDE = Features(
    words={},
    cues=("text",),
    markers=("previous", "next"),
    section=True,
    position=True,
    surroundings=True,
    weighting="binary",
)
"""Features of the document around it, for the trees: what a citation close by means depends on the
sentence."""

_RISING = ("around:part_share", "around:document_share")
"""More citations around are never a sign against one. Without this, the trees would learn documents by heart:
the share of the *other* sentences is a little lower for each sentence that cites."""

_WITHOUT_NEIGHBOURS = 4
"""In one of so many papers and drafts, nothing is known of the document around, as in a draft that has no
citations yet."""

_LEAST = 20
_PENALTIES = (5e-6, 1e-5)
_FOLDS = 3


def settings_of(seed: int) -> ClassifierSettings:
    """Returns the settings of the classifier: `balance` 0, since the order of the sentences is what counts,
    not the rarer label."""
    return ClassifierSettings(
        _FEATURES,
        model="trees",
        least=_LEAST,
        balance=0.0,
        folds=_FOLDS,
        penalties=_PENALTIES,
        beside=_BESIDE,
        rising=_RISING,
        seed=seed,
    )


def train_needs(
    inputs: NeedsInputs, settings: NeedsSettings, out: Path, progress: Progress, device: DeviceName = "auto"
) -> Trained:
    """Writes the model folder `out`. Raises what `write_classifier` raises, and QueryError without
    examples."""
    examples = list(examples_of(inputs, settings, progress))
    if not examples:
        raise QueryError("no sentence to learn from is in these files", hint="name full texts with citations")
    files = [*inputs.texts, *([inputs.drafts] if inputs.drafts else [])]
    chosen = settings_of(settings.seed)
    return write_classifier(examples, chosen, out, "needs a citation", progress, LABELS, files=files)


def examples_of(inputs: NeedsInputs, settings: NeedsSettings, progress: Progress) -> Iterator[Example]:
    """Yields sentences that a review may remark on, sampled from each paper and draft."""
    for file in inputs.texts:
        for _, of_paper in groupby(of_full_texts(file), key=attrgetter("group")):
            taught = [judgement for judgement in of_paper if not held_out(judgement.group)]
            yield from _examples(taught, settings.of_paper, settings.seed)
    if inputs.drafts is not None and inputs.documents is not None:
        listed = read_manifest(inputs.drafts, inputs.documents)
        drafts = [draft for draft in listed if use_of(draft.author) != "measuring"]
        for done, draft in enumerate(drafts):
            progress(f"reading {len(drafts)} drafts", done / len(drafts))
            sentences = list(of_draft(read(draft.root), draft.author))
            yield from _examples(sentences, settings.of_draft, settings.seed)


def _examples(judged: Sequence[JudgedSentence], most: int, seed: int) -> Iterator[Example]:
    for drawn in sample([judgement for judgement in judged if not judgement.silent], most, seed):
        bare = zlib.crc32(f"alone {drawn.group}".encode()) % _WITHOUT_NEIGHBOURS == 0
        sentence = drawn.sentence
        if bare:
            sentence = replace(sentence, previous="", next="", surroundings=None)
        yield Example(sentence, (LABELS[0] if drawn.cites else LABELS[1],), drawn.group)
