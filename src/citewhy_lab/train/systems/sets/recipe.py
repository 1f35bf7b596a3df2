"""Trains the set model: from finished drafts, and citing sentences of a library, to a model folder."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from citewhy.base.artifact import MANIFEST, checksum
from citewhy.base.assets import ranker_folder
from citewhy.base.config import VERSION
from citewhy.base.errors import InputError
from citewhy.base.progress import Progress
from citewhy.papers.library.store import Library
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.recommender import Recommender
from citewhy.ranking.sets.model import write_set_trees
from citewhy.search.encode import Encoder, open_encoder
from citewhy.search.index import open_index
from citewhy_lab.evaluate.datasets.local import topics as local_topics
from citewhy_lab.evaluate.datasets.topics import Options, Topic
from citewhy_lab.train.drafts import Draft, open_library, read_manifest, topics_of, use_of
from citewhy_lab.train.kept import code_digest, kept
from citewhy_lab.train.recipe import DeviceName, Trained, checkpoints
from citewhy_lab.train.systems.sets.fit import Answered, asked, fit_sets, packed, unpacked, variants
from citewhy_lab.train.systems.sets.settings import SetsInputs, SetsSettings

OF_DRAFT, SEVERAL_OF_DRAFT = 10, 8
"""Places of a draft that are asked as they occur, and of those that cite several papers."""

OF_FILE = 150
"""Sentences of a file that are asked as they occur; those that cite several papers are all asked."""

_FEWEST = 100


def train_sets(
    inputs: SetsInputs,
    settings: SetsSettings,
    out: Path,
    progress: Progress,
    device: DeviceName = "auto",
) -> Trained:
    """Writes the set model `out`. Raises InputError if there are too few examples, StorageError."""
    encoder = open_encoder(inputs.encoder)
    document = sets_document(inputs, settings, checkpoints(out), encoder, progress)
    making = document["making"]
    name = f"citewhy sets ({making['places']} places)"
    write_set_trees(out, name, document["trees"], document["thresholds"], making)
    summary = [
        f"{kind:8}  " + "  ".join(f"{measure} {value}" for measure, value in measures.items())
        for kind, measures in making["cross_fitted"].items()
    ]
    return Trained(making, summary)


def sets_document(
    inputs: SetsInputs, settings: SetsSettings, scratch: Path, encoder: Encoder, progress: Progress
) -> dict[str, Any]:
    """Makes what `fit_sets` returns, with ``making``. Libraries of drafts and what was asked are kept in the
    folder `scratch`, and asked again if what they were made of, such as the built-in ranker, has changed.
    Drafts of held-out authors are left out. Raises InputError if there are too few examples."""
    listed = read_manifest(inputs.manifest, inputs.documents, follow_outside=inputs.follow_outside)
    drafts = [draft for draft in listed if use_of(draft.author) != "measuring"]
    ranker, seed = str(checksum(ranker_folder() / MANIFEST)), settings.seed
    made_of = [code_digest("citewhy", "citewhy_lab"), ranker, encoder.fingerprint, str(seed)]
    of_drafts = [*made_of, "follow outside"] if inputs.follow_outside else made_of
    answered: list[Answered] = []
    for number, draft in enumerate(drafts):
        progress(f"asking: {draft.name}", number / len(drafts))
        ask = partial(_of_draft, draft, scratch, encoder, seed)
        sums = [str(checksum(path)) for path in (draft.root, *draft.bibliographies)]
        answered += kept(scratch / draft.name / "places.npz", [*of_drafts, *sums], ask, packed, unpacked)
    for folder, file in inputs.sentences:
        progress(f"asking: {file.name}", None)
        ask = partial(_of_sentences, folder, file, settings.since, encoder, seed)
        own = [str(folder.resolve()), str(settings.since), str(checksum(file))]
        answered += kept(scratch / f"{file.name}.npz", [*made_of, *own], ask, packed, unpacked)
    if len(answered) < _FEWEST:
        raise InputError(
            f"{len(answered)} places are too few to learn from", path=inputs.manifest, hint="give more drafts"
        )
    document = fit_sets(answered, seed, progress)
    files = (inputs.manifest, *(file for _, file in inputs.sentences))
    document["making"] = {
        "command": "citewhy train sets",
        "version": VERSION,
        "seed": seed,
        "places": len(answered),
        "drafts": len(drafts),
        "encoder": encoder.fingerprint,
        "data_crc32": {path.name: checksum(path) for path in files},
        "cross_fitted": document.pop("cross_fitted"),
    }
    return document


def _of_draft(draft: Draft, scratch: Path, encoder: Encoder, seed: int) -> list[Answered]:
    with open_library(draft, scratch / draft.name / "library") as library:
        recommender = Recommender(
            library, index=open_index(library, encoder), models=ModelSet(encoder=encoder)
        )
        return list(draft_places(recommender, topics_of(draft, library), draft, seed))


def draft_places(
    recommender: Recommender, topics: Sequence[Topic], draft: Draft, seed: int
) -> Iterator[Answered]:
    """Places of a draft as they occur, and places that cite several papers, with their `variants`."""
    rng = random.Random(f"sets {seed} {draft.name}")
    for topic in rng.sample(list(topics), min(OF_DRAFT, len(topics))):
        yield asked(recommender, topic, draft.author, natural=True)
    several = [each for each in topics if len(each.relevant) > 1]
    for topic in rng.sample(several, min(SEVERAL_OF_DRAFT, len(several))):
        yield asked(recommender, topic, draft.author, natural=False)
        for variant in variants(topic, rng):
            yield asked(recommender, variant, draft.author, natural=False)


def _of_sentences(folder: Path, file: Path, since: int, encoder: Encoder, seed: int) -> list[Answered]:
    with Library.open(folder) as library:
        recommender = Recommender(
            library, index=open_index(library, encoder), models=ModelSet(encoder=encoder)
        )
        topics = [each for each in local_topics(file, library, Options()) if (each.query.year or 0) >= since]
        return list(sentence_places(recommender, topics, seed))


def sentence_places(recommender: Recommender, topics: Sequence[Topic], seed: int) -> Iterator[Answered]:
    """Citing sentences as they occur, and all that cite several papers, with their `variants`."""
    rng = random.Random(f"sets {seed}")
    for topic in rng.sample(list(topics), min(OF_FILE, len(topics))):
        yield asked(recommender, topic, topic.query.citing_id, natural=True)
    for topic in (each for each in topics if len(each.relevant) > 1):
        yield asked(recommender, topic, topic.query.citing_id, natural=False)
        for variant in variants(topic, rng):
            yield asked(recommender, variant, topic.query.citing_id, natural=False)
