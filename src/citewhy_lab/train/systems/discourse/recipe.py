"""Training the discourse tagger: figures by cross-validation, then a network trained on all paragraphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from citewhy.base.artifact import folder_aside
from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.models import check_new
from citewhy.ranking.classify.discourse import TAGS, in_context
from citewhy.ranking.classify.own_encoder import CITATION
from citewhy.ranking.classify.scored import DOCUMENT, parts_document
from citewhy.ranking.classify.sequence import READER
from citewhy.search.encode.onnx import describe_encoder
from citewhy_lab.evaluate.datasets.corwa import read_corwa
from citewhy_lab.evaluate.making import file_facts, software
from citewhy_lab.train.classifier.data import Data, folds
from citewhy_lab.train.classifier.examples import Example
from citewhy_lab.train.classifier.quality import fit_scaling, quality
from citewhy_lab.train.requirements import start_sha256
from citewhy_lab.train.scratch import checkpoints
from citewhy_lab.train.systems.discourse.export import write_networks
from citewhy_lab.train.systems.discourse.learner import cross_validate, fit
from citewhy_lab.train.systems.discourse.network import Tokens
from citewhy_lab.train.systems.discourse.settings import Settings
from citewhy_lab.train.vocabulary import keep_tokens

__all__ = ["examples", "train_discourse"]

_LEAST = 20
"""Number of times that a token must occur to be kept."""

_LONGEST = 512
"""Tokens of a text that are counted."""


def examples(path: Path) -> list[Example]:
    """Every sentence of the file or folder with its tag; sentences of a paper are one group. Raises
    InputError."""
    return [
        Example(sentence, (tag,), paragraph.paper)
        for paragraph in read_corwa(path)
        for sentence, tag in zip(in_context(paragraph.sentences), paragraph.tags, strict=True)
    ]


def train_discourse(
    data: Path, start: Path, out: Path, settings: Settings, progress: Progress, texts: Sequence[str] = ()
) -> dict[str, Any]:
    """Trains on `data` (CORWA) from the weights of the BERT folder `start`, writes the tagger `out`, and
    returns the facts of its manifest.

    `texts` are further texts whose words are kept in the vocabulary. Raises InputError for `data` in none of
    CORWA's layouts and if `out` exists, QueryError for paragraphs of a single paper, StorageError.
    """
    check_new(out)
    progress("reading the paragraphs", None)
    given = Data.of(examples(data), settings.features, TAGS)
    if len({each.group for each in given.examples}) < 2:
        raise QueryError(
            "all paragraphs are of one paper, so that none is left to test on", hint="give more papers"
        )
    files = sorted(each for each in data.iterdir() if each.is_file()) if data.is_dir() else [data]
    facts: dict[str, Any] = {
        "settings": settings.document(),
        "data": [file_facts(path) for path in files],
        "start": start_sha256(start),
        "examples": len(given.examples),
        "groups": len({each.group for each in given.examples}),
        "labels": dict(Counter(label for each in given.examples for label in each.labels)),
        "software": software(),
    }
    parts = folds(given, settings.folds, settings.seed)
    scores = cross_validate(given, start, settings, parts, progress)
    facts["cross_validated"] = quality(given, scores, parts)
    network, vectorizer = fit(given, start, settings, progress, checkpoints(out))
    progress("writing the tagger", None)
    words = Tokens(start / "tokenizer.json", _LONGEST)
    known = [*(each.sentence.text for each in given.examples), *texts]
    counts = Counter(number for row in words.ids(known) for number in row)
    tokenizer = keep_tokens(network.encoder, start / "tokenizer.json", counts, _LEAST, (CITATION,))
    document = parts_document(given.labels, vectorizer, fit_scaling(scores, given.truth))
    document["features"] = replace(settings.features, encoder=("text",)).document()
    with folder_aside(out) as folder:
        write_networks(folder, network, tokenizer)
        (folder / DOCUMENT).write_bytes(orjson.dumps(document))
        tokens = {"query": settings.tokens, "paper": settings.tokens}
        size = network.encoder.config.hidden_size
        describe_encoder(folder, "discourse tagger", size, tokens, facts, READER, "classifier")
    return facts
