"""From a folder of data to a model folder that `--encoder` opens."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from citewhy.base.errors import InputError, QueryError
from citewhy.base.progress import Progress
from citewhy.base.records import Paper
from citewhy.models import check_new
from citewhy.ranking.classify import Classifier, open_classifier
from citewhy.ranking.intents.classifier import default_intents
from citewhy.search.encode.texts import paper_text
from citewhy_lab.evaluate.making import file_facts, software
from citewhy_lab.train import processes
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.devices import DeviceName, choose_device
from citewhy_lab.train.loop import Plan, train_network
from citewhy_lab.train.schedules import cosine
from citewhy_lab.train.scratch import checkpoints
from citewhy_lab.train.systems.aspects.data import Corpus, read_corpus
from citewhy_lab.train.systems.aspects.files import read_instances, write_instances
from citewhy_lab.train.systems.aspects.instances import Instances
from citewhy_lab.train.systems.aspects.leakage import leaked, without
from citewhy_lab.train.systems.aspects.learner import AspectLearner, Mine
from citewhy_lab.train.systems.aspects.mining import by_aspect, by_citations, hybrid
from citewhy_lab.train.systems.aspects.model import AspectModel
from citewhy_lab.train.systems.aspects.neighbourhoods import Neighbourhoods, embed_graph
from citewhy_lab.train.systems.aspects.network import Embedding
from citewhy_lab.train.systems.aspects.settings import CONCAT, ENCODER, Settings
from citewhy_lab.train.systems.encoder.export import Exported, export

__all__ = ["Sources", "exported", "fit", "mine_to", "miner", "train_aspects"]

EPOCHS = 2

_COMPARED = 100
"""Texts on which the exported model is compared with the trained network."""

_TOLD = 25
"""The manifest has the mean loss over each so many steps."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What is learned from."""

    data: Path
    """Folder with papers and citations."""
    classifier: Path | None = None
    """Folder of a classifier of intents; None: the built-in one."""
    exclude: Sequence[Path] = ()
    """Files of evaluation sets, on whose papers nothing is trained."""
    instances: Path | None = None
    """Instances that are used instead of mined ones, but for those with a paper that is not trained on
    (`leakage.without`)."""

    def facts(self) -> dict[str, Any]:
        files = [*self.exclude, *([] if self.instances is None else [self.instances])]
        return {"files": [file_facts(path) for path in files]}


def train_aspects(
    sources: Sources,
    start: str | Path,
    out: Path,
    settings: Settings,
    progress: Progress,
    name: str = "",
    embeddings: Sequence[str] = (ENCODER,),
    device: DeviceName = "auto",
) -> dict[str, Any]:
    """Trains from the model `start`, and writes an encoder for each of `embeddings`: the first to `out`, each
    other one beside it, with its name behind a hyphen.

    An interrupted training is resumed from the checkpoints beside `out`; a finished one writes further
    embeddings without training. Returns what was measured. Raises InputError, QueryError, StorageError.
    """
    targets = _targets(out, embeddings, settings)
    for target in targets.values():
        check_new(target)
    progress("reading the data", None)
    collection = Collection(sources.data)
    corpus, facts = _read(collection, sources, settings, progress)
    given = _given(sources, collection, corpus)
    model = AspectModel(start, settings)
    model.network.to(choose_device(device))
    facts |= {"recipe": name, "settings": asdict(settings), "start": str(start)}
    losses, instances = fit(model, corpus, settings, progress, checkpoints(out), facts, given)
    report = {"instances": instances, "citations": facts["citations"], "loss": losses[-1]}
    if not processes.is_first():
        return report
    progress("writing the encoder", None)
    facts |= {"losses": losses, "instances": instances}
    facts["software"] = {**software(), "torch": str(torch.__version__)}
    papers = random.Random(settings.seed).sample(corpus.papers, min(_COMPARED, len(corpus.papers)))
    texts = [paper_text(paper) for paper in papers]
    model.network.cpu()
    agreed = {}
    for embedding, target in targets.items():
        shown = f"{name or settings.strategy}, {embedding} (papers up to {settings.until})"
        agreed[embedding] = export(
            exported(model, embedding), target, shown, {**facts, "embedding": embedding}, texts
        )
    return {**report, "agreement": agreed}


def mine_to(path: Path, sources: Sources, settings: Settings, progress: Progress) -> int:
    """Writes the instances of an epoch (`files`): as SPECTER's triples to ``….triples.jsonl``, as SciNCL's to
    ``…_triples.csv``, else whole. Returns their number."""
    progress("reading the data", None)
    corpus, _ = _read(Collection(sources.data), sources, settings, progress)
    found = miner(corpus, settings)(np.random.default_rng([settings.seed, 0]))
    write_instances(path, found, corpus.papers, triples=path.name.endswith(".triples.jsonl"))
    return len(found)


def _read(
    collection: Collection, sources: Sources, settings: Settings, progress: Progress
) -> tuple[Corpus, dict[str, Any]]:
    not_used = leaked(collection, sources.exclude)
    classifier = _classifier(sources.classifier) if settings.aspects else None
    progress("reading the citations", None)
    corpus = read_corpus(collection, settings.until, classifier, not_used)
    facts = {
        "data": {kind: file_facts(path) for kind, path in collection.files.items()} | sources.facts(),
        "classifier": classifier and classifier.fingerprint,
        "citations": corpus.links(),
        "left_out": corpus.left_out,
    }
    return corpus, facts


def _given(
    sources: Sources, collection: Collection, corpus: Corpus
) -> tuple[Instances, tuple[Paper, ...]] | None:
    """The given instances without those that must not be trained on, and the papers of their rows."""
    if sources.instances is None:
        return None
    found, papers = read_instances(sources.instances)
    kept = without(found, papers, collection, set(corpus.graph.ids), sources.exclude)
    if not len(kept):
        raise InputError(
            "there are no training instances left",
            path=sources.instances,
            hint="all have papers that are held out, newer than --until, or in --exclude",
        )
    return kept, papers


def fit(
    model: AspectModel,
    corpus: Corpus,
    settings: Settings,
    progress: Progress,
    checkpoints: Path | None = None,
    task: Mapping[str, Any] | None = None,
    given: tuple[Instances, Sequence[Paper]] | None = None,
) -> tuple[list[float], int]:
    """Trains the model, on `given` instances or on mined ones. Returns mean losses of consecutive steps, and
    the number of instances of an epoch."""
    papers = corpus.papers if given is None else given[1]
    mine = miner(corpus, settings) if given is None else lambda _rng: given[0]
    learner = AspectLearner(model, mine, papers, settings, processes.of())
    steps = settings.steps or math.ceil(EPOCHS * learner.size / learner.units_a_step)
    plan = Plan(
        steps,
        settings.seed,
        rate=cosine(settings.learning_rate, steps, settings.warm_up),
        checkpoint_every=settings.checkpoint_every,
    )
    history = train_network(learner, plan, progress, checkpoints, task)
    return [round(loss, 4) for loss in history.means(_TOLD)], learner.size


def miner(corpus: Corpus, settings: Settings) -> Mine:
    """The instances of an epoch, by its random numbers."""
    graph, s = corpus.graph, settings
    if s.strategy == "neighbourhoods":
        near = Neighbourhoods(embed_graph(graph, s.seed))
        return lambda rng: near.mine(rng, s.positives, s.hard, s.easy)

    def mine(rng: np.random.Generator) -> Instances:
        if s.strategy == "hybrid":
            return hybrid(graph, rng, s.hard, s.distant, in_all=s.in_all)
        if s.strategy == "aspects":
            return by_aspect(
                graph, rng, s.positives, s.hard, s.easy, level=s.level, other=s.other, in_all=s.in_all
            )
        return by_citations(graph, rng, s.positives, s.hard, s.easy, directed=s.strategy == "references")

    return mine


def exported(model: AspectModel, embedding: str) -> Exported:
    """The model as it is served, with one of its embeddings."""
    dimensions = model.exact("dimensions", embedding).shape[0]
    tokens = dict.fromkeys(("query", "paper"), model.settings.tokens)
    return Exported(
        Embedding(model.network, embedding),
        model.network.encoder.config,
        dimensions,
        model.tokenizer.to_str().encode(),
        tokens,
        lambda text: model.exact(text, embedding),
    )


def _targets(out: Path, embeddings: Sequence[str], settings: Settings) -> dict[str, Path]:
    known = (ENCODER, *settings.aspects, *([CONCAT] if settings.aspects else []))
    for embedding in embeddings:
        if embedding not in known:
            raise QueryError(
                f"this model has no embedding {embedding!r}", hint=f"choose from: {', '.join(known)}"
            )
    first = next(iter(embeddings))
    return {each: out if each == first else out.with_name(f"{out.name}-{each}") for each in embeddings}


def _classifier(folder: Path | None) -> Classifier:
    return default_intents() if folder is None else open_classifier(folder)
