"""A folder of data becomes a model folder that `--encoder` opens."""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

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
from citewhy_lab.train.devices import choose_device
from citewhy_lab.train.loop import Learner, Plan, cosine, train_network
from citewhy_lab.train.losses import hybrid as hybrid_loss
from citewhy_lab.train.losses import multi_positive_contrastive, n_pairs, triplet_margin
from citewhy_lab.train.recipe import DeviceName, Trained, checkpoints
from citewhy_lab.train.requirements import default_start
from citewhy_lab.train.systems.aspects.data import Corpus, leaked, read_corpus, without
from citewhy_lab.train.systems.aspects.graph import Rows
from citewhy_lab.train.systems.aspects.instances import NONE, Instances, read_instances, write_instances
from citewhy_lab.train.systems.aspects.mining import (
    Neighbourhoods,
    by_aspect,
    by_citations,
    embed_graph,
    hybrid,
)
from citewhy_lab.train.systems.aspects.network import AspectModel, Embedding
from citewhy_lab.train.systems.aspects.settings import CONCAT, ENCODER, AspectInputs, AspectSettings
from citewhy_lab.train.systems.encoder.export import Exported, export

EPOCHS = 2

_COMPARED = 100
"""Texts on which the exported model is compared with the trained network."""

_BLOCK = 25
"""The manifest has the mean loss of each block of so many steps."""

EPSILON = 1e-8
"""ε of AdamW (section 4.4)."""

Mine = Callable[[np.random.Generator], Instances]


def train_aspects(
    inputs: AspectInputs, settings: AspectSettings, out: Path, progress: Progress, device: DeviceName = "auto"
) -> Trained:
    """Trains from the start model, and writes an encoder for each embedding of the inputs: the first to
    `out`, each other one beside it, with its name behind a hyphen. With `write_instances`, it writes these
    alone.

    An interrupted training is resumed from the checkpoints beside `out`; a finished one writes further
    embeddings without training. Raises InputError, QueryError, StorageError.
    """
    targets = _targets(out, inputs.embedding, settings)
    for target in targets.values():
        check_new(target)
    progress("reading the data", None)
    collection = Collection(inputs.data)
    corpus, facts = _read(collection, inputs, settings, progress)
    if inputs.write_instances is not None:
        return _write_mined(inputs.write_instances, corpus, settings)
    given = _given(inputs, collection, corpus)
    start = inputs.start or default_start()
    model = AspectModel(start, settings)
    model.network.to(choose_device(device))
    facts |= {"recipe": inputs.preset, "settings": asdict(settings), "start": str(start)}
    losses: list[float] = []
    instances = 0
    if not settings.untrained:
        losses, instances = fit(model, corpus, settings, progress, checkpoints(out), facts, given)
    facts |= {"losses": losses, "instances": instances}
    if not processes.is_first():
        return Trained(facts)
    progress("writing the encoder", None)
    facts["software"] = {**software(), "torch": str(torch.__version__)}
    agreement = _write(model, corpus, targets, inputs.preset, facts)
    counts = ", ".join(f"{number:,} {aspect}" for aspect, number in facts["citations"].items())
    summary = [
        f"citations  {counts}",
        f"instances  {instances:,} an epoch",
        f"loss       {losses[-1]:.3f} in the last steps" if losses else "loss       not trained",
    ]
    summary += [
        f"agreement  {cosine:.4f} mean cosine of {targets[name]}: {name} with the trained network"
        for name, cosine in agreement.items()
    ]
    return Trained(facts | {"agreement": agreement}, summary)


def _write(
    model: AspectModel, corpus: Corpus, targets: Mapping[str, Path], preset: str, facts: Mapping[str, Any]
) -> dict[str, float]:
    """Writes an encoder for each embedding, and returns how much they agree with the network."""
    settings = model.settings
    papers = random.Random(settings.seed).sample(corpus.papers, min(_COMPARED, len(corpus.papers)))
    texts = [paper_text(paper) for paper in papers]
    model.network.cpu()
    agreement = {}
    for embedding, target in targets.items():
        name = f"{preset or settings.strategy}, {embedding} (papers up to {settings.until})"
        described = {**facts, "embedding": embedding}
        agreement[embedding] = export(exported(model, embedding), target, name, described, texts)
    return agreement


def _write_mined(path: Path, corpus: Corpus, settings: AspectSettings) -> Trained:
    """Writes the instances of an epoch."""
    instances = miner(corpus, settings)(np.random.default_rng([settings.seed, 0]))
    write_instances(path, instances, corpus.papers, triples=path.name.endswith(".triples.jsonl"))
    count = len(instances)
    return Trained({"instances": count}, [f"instances  {count:,}, written to {path}"])


def _read(
    collection: Collection, inputs: AspectInputs, settings: AspectSettings, progress: Progress
) -> tuple[Corpus, dict[str, Any]]:
    not_used = leaked(collection, inputs.exclude)
    classifier = _classifier(inputs.classifier) if settings.aspects else None
    progress("reading the citations", None)
    corpus = read_corpus(collection, settings.until, classifier, not_used)
    facts = {
        "data": {kind: file_facts(path) for kind, path in collection.files.items()} | _facts(inputs),
        "classifier": classifier and classifier.fingerprint,
        "citations": corpus.links(),
        "left_out": corpus.left_out,
    }
    return corpus, facts


def _given(
    inputs: AspectInputs, collection: Collection, corpus: Corpus
) -> tuple[Instances, tuple[Paper, ...]] | None:
    """Returns the given instances without those that must not be trained on, and the papers of their rows."""
    if inputs.instances is None:
        return None
    instances, papers = read_instances(inputs.instances)
    kept = without(instances, papers, collection, set(corpus.graph.ids), inputs.exclude)
    if not len(kept):
        raise InputError(
            "there are no training instances left",
            path=inputs.instances,
            hint="all have papers that are held out, newer than --until, or in --exclude",
        )
    return kept, papers


def fit(
    model: AspectModel,
    corpus: Corpus,
    settings: AspectSettings,
    progress: Progress,
    checkpoints: Path | None = None,
    task: Mapping[str, Any] | None = None,
    given: tuple[Instances, Sequence[Paper]] | None = None,
) -> tuple[list[float], int]:
    """Trains the model, on `given` instances or on mined ones. Returns mean losses of consecutive steps, and
    the number of instances of an epoch."""
    papers = corpus.papers if given is None else given[1]
    mine = miner(corpus, settings) if given is None else lambda _rng: given[0]
    learner = AspectLearner(model, mine, papers, settings, processes.count())
    steps = settings.steps or math.ceil(EPOCHS * learner.size / learner.units_a_step)
    plan = Plan(
        steps,
        settings.seed,
        rate=cosine(settings.learning_rate, steps, settings.warm_up),
        checkpoint_every=settings.checkpoint_every,
    )
    history = train_network(learner, plan, progress, checkpoints, task)
    return [round(loss, 4) for loss in history.means(_BLOCK)], learner.size


def miner(corpus: Corpus, settings: AspectSettings) -> Mine:
    """Returns the instances of an epoch, by its random numbers."""
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
    """Returns the model as it is served, with one of its embeddings."""
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


def _targets(out: Path, embeddings: Sequence[str], settings: AspectSettings) -> dict[str, Path]:
    known = (ENCODER, *settings.aspects, *([CONCAT] if settings.aspects else []))
    for embedding in embeddings:
        if embedding not in known:
            raise QueryError(
                f"this model has no embedding {embedding!r}", hint=f"choose from: {', '.join(known)}"
            )
    first = next(iter(embeddings))
    return {name: out if name == first else out.with_name(f"{out.name}-{name}") for name in embeddings}


def _classifier(folder: Path | None) -> Classifier:
    return default_intents() if folder is None else open_classifier(folder)


def _facts(inputs: AspectInputs) -> dict[str, Any]:
    files = [*inputs.exclude, *([] if inputs.instances is None else [inputs.instances])]
    return {"files": [file_facts(path) for path in files]}


class AspectLearner(Learner):
    """`mine` makes the instances of an epoch; `papers` are in the order of its rows."""

    unit = "instances"

    def __init__(
        self,
        model: AspectModel,
        mine: Mine,
        papers: Sequence[Paper],
        settings: AspectSettings,
        processes: int = 1,
    ) -> None:
        parameters = list(model.network.parameters())
        optimizer = torch.optim.AdamW(
            parameters, lr=settings.learning_rate, eps=EPSILON, weight_decay=settings.weight_decay
        )
        super().__init__(model.network, [optimizer])
        self._model = model
        self._mine = mine
        self._papers = papers
        self._settings = settings
        self.units_a_step = settings.batch * processes
        self.size = len(self._epoch(0))

    def loss(self, batch: int) -> Tensor:
        instances = self.batch(batch)
        asked = np.setdiff1d(instances.papers, [NONE])
        embeddings = self._model.vectors([paper_text(self._papers[row]) for row in asked.tolist()])

        def placed(rows: Rows) -> Tensor:
            return torch.from_numpy(np.where(rows == NONE, NONE, np.searchsorted(asked, rows)))

        return self._loss(embeddings, instances, placed)

    def batch(self, number: int) -> Instances:
        """Returns the instances of a batch, from 0: of an order that is drawn anew for each epoch."""
        first = number * self._settings.batch
        positions = range(first, first + self._settings.batch)
        parts = [
            self._epoch(position // self.size).take(np.array([position % self.size]))
            for position in positions
        ]
        return Instances.joined(parts)

    @functools.lru_cache(maxsize=2)  # noqa: B019 # a batch is of one epoch, or at the border of two
    def _epoch(self, number: int) -> Instances:
        rng = np.random.default_rng([self._settings.seed, number])
        instances = self._mine(rng)
        return instances.take(rng.permutation(len(instances)))

    def _loss(self, embeddings: Tensor, instances: Instances, placed: Callable[[Rows], Tensor]) -> Tensor:
        settings = self._settings
        anchors = placed(instances.anchors)
        positives = placed(instances.positives)
        near = placed(np.concatenate([instances.hard, instances.easy], axis=1))
        local = self._in_aspects(embeddings, instances.aspects) if settings.aspects else embeddings
        if settings.loss != "hybrid":
            return contrast(local, anchors, positives, near, settings, settings.loss)
        far = placed(instances.distant)
        return hybrid_loss(
            contrast(embeddings, anchors, positives, far, settings, "contrastive"),
            contrast(local, anchors, positives, near, settings, "contrastive"),
            settings.alpha,
        )

    def _in_aspects(self, embeddings: Tensor, aspects: Sequence[str]) -> Tensor:
        """[u, d] → [b, u, d]: all papers of the batch in the aspect of each instance."""
        position = [self._model.network.aspects.index(aspect) for aspect in aspects]
        return self._model.network.projected(embeddings).transpose(0, 1)[position]


def contrast(
    embeddings: Tensor,
    anchors: Tensor,
    positives: Tensor,
    negatives: Tensor,
    settings: AspectSettings,
    loss: str,
) -> Tensor:
    """Returns the loss of a batch. embeddings [u, d], or [b, u, d] where each instance has its own; anchors
    [b], positives [b, p] and negatives [b, n] are positions among the u, padded with NONE.

    Similarity is the cosine, distance is Euclidean between embeddings as they are. The triplets of an
    instance are its first positive with its first negative, its second with its second, and so on; its
    shorter list begins again. The loss of a batch without a triplet is 0.
    """
    rows = torch.arange(len(anchors))[:, None]

    def chosen(positions: Tensor) -> Tensor:  # [b, k] → [b, k, d]
        positions = positions.clamp(min=0)
        return embeddings[positions] if embeddings.ndim == 2 else embeddings[rows, positions]

    if loss == "triplet":
        one, other = _paired(positives, negatives)
        there = one != NONE
        if not there.any():
            return embeddings.sum() * 0
        first = chosen(anchors[:, None]).expand(-1, one.shape[1], -1)
        return triplet_margin(first[there], chosen(one)[there], chosen(other)[there], settings.margin)
    positions = torch.cat([positives, negatives], dim=1)
    unit = functional.normalize(chosen(positions), dim=-1)
    scores = (functional.normalize(chosen(anchors[:, None]), dim=-1) * unit).sum(-1)  # [b, p + n]
    missing = (positions == NONE).to(scores.device)
    if loss == "n-pairs":
        return n_pairs(
            scores[:, 0], scores[:, 1:].masked_fill(missing[:, 1:], -torch.inf), settings.temperature
        )
    positive = torch.zeros_like(missing)
    positive[:, : positives.shape[1]] = ~missing[:, : positives.shape[1]]
    return multi_positive_contrastive(scores, positive, settings.temperature, missing)


def _paired(positives: Tensor, negatives: Tensor) -> tuple[Tensor, Tensor]:
    """[b, max(p, n)] each: the positives and the negatives of the triplets of each instance, as many as its
    longer list has, then NONE. An instance that lacks positives or negatives has none."""
    width = max(positives.shape[1], negatives.shape[1])
    counts = torch.stack([(positions != NONE).sum(dim=1) for positions in (positives, negatives)], dim=1)
    triplets = torch.where(counts.amin(dim=1) > 0, counts.amax(dim=1), 0)
    there = torch.arange(width) < triplets[:, None]
    one, other = (
        _repeated(positions, width).masked_fill(~there, NONE) for positions in (positives, negatives)
    )
    return one, other


def _repeated(positions: Tensor, width: int) -> Tensor:
    """[b, width] the positions of each row that are not NONE, in order, again and again."""
    padded = functional.pad(positions, (0, width - positions.shape[1]), value=NONE)
    there = padded != NONE
    first = padded.gather(1, there.int().argsort(dim=1, descending=True, stable=True))
    return first.gather(1, torch.arange(width) % there.sum(dim=1, keepdim=True).clamp(min=1))
