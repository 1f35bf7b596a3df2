"""The recipe: sentences of published papers and finished drafts, with their citations taken out, as examples
of the common recipe of classifiers."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.drafts import read
from citewhy.ranking.classify.features import Features
from citewhy_lab.evaluate.datasets.held_out import held_out
from citewhy_lab.evaluate.datasets.needs import JudgedSentence, of_draft, of_full_texts, sample
from citewhy_lab.evaluate.needs import CITES
from citewhy_lab.train.classifier import ClassifierSettings, Example, train_classifier
from citewhy_lab.train.drafts import read_manifest, use_of

__all__ = ["LABELS", "NeedsSources", "examples_of", "settings_of", "train_needs"]

LABELS = (CITES, "plain")

_FEATURES = Features(words={"text": 2}, letters={"text": 4}, cues=("text",))
"""Of the sentence itself. No vectors: those of the encoder added less than the intervals tell (docs/log.md),
and cost a review seconds."""

_BESIDE = Features(
    words={},
    cues=("text",),
    markers=("previous", "next"),
    section=True,
    position=True,
    surroundings=True,
    weighting="binary",
)
"""Of the document around it, for the trees: what a citation close by means depends on the sentence."""

_RISING = ("around:part_share", "around:document_share")
"""More citations around are never a sign against one. Without this, the trees would learn documents by heart:
the share of the *other* sentences is a little lower for each sentence that cites."""

_WITHOUT_NEIGHBOURS = 4
"""In one of so many papers and drafts, nothing is known of the document around, as in a draft that has no
citations yet."""

_LEAST = 20
_PENALTIES = (5e-6, 1e-5)
_FOLDS = 3


@dataclass(frozen=True, slots=True)
class NeedsSources:
    """What is learned from. Papers that are held out, and drafts of authors who measure, teach nothing."""

    texts: Sequence[Path]
    """Files of full texts with citations as printed."""
    manifest: Path | None = None
    """Finished drafts (`train.drafts.read_manifest`), in `documents`."""
    documents: Path | None = None
    of_paper: int = 120
    """Maximum number of sentences of a paper."""
    of_draft: int = 400


def settings_of(seed: int) -> ClassifierSettings:
    """`balance` 0, since the order of the sentences is what counts, not the rarer label."""
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


def train_needs(sources: NeedsSources, out: Path, seed: int, progress: Progress) -> dict[str, Any]:
    """Writes the model folder `out`, and returns the facts of its manifest. Raises what `train_classifier`
    raises, and QueryError without examples."""
    examples = list(examples_of(sources, seed, progress))
    if not examples:
        raise QueryError("no sentence to learn from is in these files", hint="name full texts with citations")
    files = [*sources.texts, *([sources.manifest] if sources.manifest else [])]
    return train_classifier(
        examples, settings_of(seed), out, "needs a citation", progress, LABELS, files=files
    )


def examples_of(sources: NeedsSources, seed: int, progress: Progress) -> Iterator[Example]:
    """Sentences that a review may remark on, sampled from each paper and draft."""
    for file in sources.texts:
        for _, of_paper in groupby(of_full_texts(file), key=attrgetter("group")):
            taught = [each for each in of_paper if not held_out(each.group)]
            yield from _examples(taught, sources.of_paper, seed)
    if sources.manifest is not None and sources.documents is not None:
        drafts = [
            each
            for each in read_manifest(sources.manifest, sources.documents)
            if use_of(each.author) != "measuring"
        ]
        for done, draft in enumerate(drafts):
            progress(f"reading {len(drafts)} drafts", done / len(drafts))
            yield from _examples(list(of_draft(read(draft.root), draft.author)), sources.of_draft, seed)


def _examples(judged: Sequence[JudgedSentence], most: int, seed: int) -> Iterator[Example]:
    for each in sample([each for each in judged if not each.silent], most, seed):
        bare = zlib.crc32(f"alone {each.group}".encode()) % _WITHOUT_NEIGHBOURS == 0
        sentence = each.sentence
        if bare:
            sentence = replace(sentence, previous="", next="", surroundings=None)
        yield Example(sentence, (LABELS[0] if each.cites else LABELS[1],), each.group)
