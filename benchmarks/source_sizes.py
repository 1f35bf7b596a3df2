"""Trains a system of the literature for some steps at its source's own sizes, or at those that the pages of
CiteWhy are made with, and draws the curves.

    python benchmarks/source_sizes.py train qpcr --scale source --steps 20 --paragraphs p --out source.json
    python benchmarks/source_sizes.py draw small.json source.json --title QPCR --out qpcr.svg

Settings and schedule are those of the whole training (`citewhy experiment … --scale source`), of which the
first steps alone are made. What a step and a validation cost is in the JSON, in seconds of the processor.
BERT models of the sources have the sizes of BERT base and random weights, unless --start names a folder:
SciBERT and SciNCL are no part of the package.

linkage    word2vec, triplet, CCS; MRR on inner folds, beside one held-out cluster of each data set
documents  SPECTERCL; mean average precision of *cite* on --validated questions
qpcr       R-precision on the validation paragraphs of --paragraphs, among --validated other papers
sets       pre-training of MP-BERT4CR, which has no validation
textbib    MRR on --validated validation contexts, by BM25 in --library
ncn        the same
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
import transformers

import common
from citewhy.base.import_report import ImportReport
from citewhy.base.progress import silent
from citewhy.base.records import Query
from citewhy.papers.library.store import Library
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import default_encoder
from citewhy.search.encode.texts import paper_text
from citewhy_lab.evaluate.aspects import average_precision
from citewhy_lab.evaluate.datasets.linkage import read_clusters
from citewhy_lab.evaluate.making import made
from citewhy_lab.evaluate.plots import curves, svg
from citewhy_lab.experiments import documents, linkage, paragraphs, reranking, sets
from citewhy_lab.experiments.linkage_runs import groups, split_citances
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.loop import History, Learner, Plan, train_network
from citewhy_lab.train.requirements import default_start
from citewhy_lab.train.reranking.data import RerankingData
from citewhy_lab.train.sampling.mixes import Mix
from citewhy_lab.train.systems.aspects import recipe as aspects
from citewhy_lab.train.systems.aspects.data import read_corpus
from citewhy_lab.train.systems.aspects.network import AspectModel
from citewhy_lab.train.systems.aspects.settings import ENCODER
from citewhy_lab.train.systems.linkage_networks import recipe as networks
from citewhy_lab.train.systems.linkage_networks.data import LinkageData
from citewhy_lab.train.systems.mpbert4cr import recipe as mpbert
from citewhy_lab.train.systems.mpbert4cr.network import Reader, ReadyVectors, Vocabulary
from citewhy_lab.train.systems.mpbert4cr.texts import read_full_texts
from citewhy_lab.train.systems.ncn import recipe as ncn
from citewhy_lab.train.systems.qpcr import recipe as qpcr
from citewhy_lab.train.systems.qpcr.network import LastLayers
from citewhy_lab.train.systems.textbib import recipe as textbib

# The curve of a training ------------------------------------------------------------------------------------


class EnoughError(Exception):
    """Ends a recipe whose training has been recorded."""


@dataclass
class Curve:
    """The first steps of a training."""

    whole: int
    """Steps of the whole training."""
    seconds: list[float] = field(default_factory=list)
    """Processor seconds of each step."""
    losses: list[float] = field(default_factory=list)
    validations: list[tuple[int, float]] = field(default_factory=list)
    """Steps done, and quality; the first is before training."""
    validating: list[float] = field(default_factory=list)
    """Processor seconds of each validation."""


@dataclass
class Recorder:
    """Stands in for `train_network`: makes the first `steps` of a plan, at its learning rates."""

    steps: int
    every: int
    """Steps between validations, -1: epochs; 0: there are none."""
    judge: Callable[[], float] | None = None
    """The quality of the network as it is; None: the learner's own validation."""
    ends: bool = True
    """Whether the recipe ends with the training."""
    curves: list[Curve] = field(default_factory=list)

    def __call__(self, learner: Learner, plan: Plan, *_others: object) -> History:
        curve, own = Curve(plan.steps), self.judge or learner.validate
        self.curves.append(curve)

        def validate() -> float:
            begun = time.process_time()
            score = own()
            curve.validating.append(time.process_time() - begun)
            return score

        every = plan.checkpoint_every if self.every < 0 else self.every
        if every:
            learner.network.eval()
            with torch.no_grad():
                curve.validations.append((0, validate()))
        learner.validate = validate  # type: ignore[method-assign]
        last = time.process_time()

        def told(what: str, _share: float | None) -> None:
            nonlocal last
            now = time.process_time()
            if what.startswith("step "):
                curve.seconds.append(now - last)
            if self.ends:
                print(f"{what}; {curve.seconds[-1]:.2f} s", file=sys.stderr, flush=True)
            last = now

        steps = min(self.steps, plan.steps) if self.steps else plan.steps
        short = replace(plan, steps=steps, checkpoint_every=0, validate_every=every, patience=0)
        history = train_network(learner, short, told)
        curve.losses = history.losses
        curve.validations += [(one.step, one.score) for one in history.validations]
        if self.ends:
            raise EnoughError
        return history


# The systems ------------------------------------------------------------------------------------------------


def train_linkage(asked: argparse.Namespace, recorder: Recorder) -> list[Path]:
    """Trains on the inner folds of the first cluster of each data set."""
    recorder.ends, recorder.every = False, -1
    file = asked.data / "linkage.dev.citances.jsonl.gz"
    scale, network = linkage.SCALES[asked.scale], networks.Network("word2vec", "triplet")
    for group in groups(read_clusters(file, ImportReport())):
        clusters = [split_citances(cluster) if scale.split else cluster for cluster in group.clusters]
        data = LinkageData(clusters)
        data.learn_vectors(scale.vector_size, scale.vector_epochs, asked.seed)
        settings = networks.LinkageSettings(epochs=scale.epochs, seed=asked.seed)
        each = patch.object(networks, "EVERY", 1)  # validations are after each epoch, here
        with each, patch.object(networks, "train_network", recorder):
            networks.choose_epochs(network, data, "CCS", 0, settings)
    return [file]


def train_documents(asked: argparse.Namespace, recorder: Recorder) -> list[Path]:
    collection, until = Collection(asked.data), documents.UNTIL
    trial = documents.contrastive(asked.scale).trial
    assert trial is not None
    settings = trial.settings({"until": until, **documents.COMMON[asked.scale]}, asked.seed)
    corpus = read_corpus(collection, until, None)
    questions = documents.questions(collection, until + 1, None, asked.validated, asked.seed)["cite"]
    rows: dict[str, int] = {}
    for one in questions:
        for paper in (one.query, *one.relevant, *one.others):
            rows.setdefault(paper, len(rows))
    texts = [paper_text(collection.papers[paper]) for paper in rows]
    model = AspectModel(_start(asked), settings)

    def precision() -> float:
        vectors = model.embeddings(model.encode(texts), ENCODER)
        found = []
        for one in questions:
            scores = (
                vectors[[rows[paper] for paper in (*one.relevant, *one.others)]] @ vectors[rows[one.query]]
            )
            found.append(average_precision(scores[: len(one.relevant)], scores[len(one.relevant) :]))
        return float(np.mean(found))

    recorder.judge = precision
    with patch.object(aspects, "train_network", recorder), contextlib.suppress(EnoughError):
        aspects.fit(model, corpus, settings, silent)
    return list(collection.files.values())


def train_qpcr(asked: argparse.Namespace, recorder: Recorder) -> list[Path]:
    collection = Collection(asked.data)
    settings = replace(paragraphs.SCALES[asked.scale].settings, pool=asked.validated, seed=asked.seed)
    if asked.scale == "small":
        settings = replace(paragraphs.SCALES["full"].settings, pool=asked.validated, seed=asked.seed)
    files = [asked.paragraphs / f"paragraphs.{part}.jsonl" for part in ("train", "val")]
    taught = qpcr.examples(files[:1], collection, collection.held_out)
    held = qpcr.examples(files[1:], collection)
    start = _start(asked)
    with tempfile.TemporaryDirectory(prefix="citewhy-") as scratch:
        tokenizer = Path(scratch) / "tokenizer.json"
        qpcr.marked_tokenizer(start / "tokenizer.json", tokenizer)
        model = qpcr.opened_model(start, tokenizer, settings)
    network = qpcr.last_layers(model, settings)
    validation = qpcr.validated(collection, held, settings)
    print(f"{len(taught):,} paragraphs, {len(validation.pool):,} papers to find", file=sys.stderr)
    own, asked_before = qpcr.Validation.r_precision, itertools.count()

    def precision(self: qpcr.Validation, network: LastLayers) -> float:
        """The recipe validates before training, too, as the recorder does."""
        return own(self, network) if next(asked_before) else 0.0

    with (
        patch.object(qpcr.Validation, "r_precision", precision),
        patch.object(qpcr, "train_network", recorder),
        contextlib.suppress(EnoughError),
    ):
        qpcr.fit(network, collection, taught, validation, settings, silent)
    return [*collection.files.values(), *files]


def train_sets(asked: argparse.Namespace, recorder: Recorder) -> list[Path]:
    recorder.every = 0
    files = [asked.data / name for name in ("fulltext.citing.jsonl.gz", "fulltext.jsonl.gz")]
    scale = sets.SCALES[asked.scale]
    settings = replace(scale.settings, seed=asked.seed)
    if asked.batch:
        settings = replace(settings, pretraining_batch=asked.batch)
    read = mpbert.documents_of((), read_full_texts(files))
    vocabulary = Vocabulary.of((sentence for text in read for sentence in text), settings.shape)
    reader: Reader = vocabulary
    if scale.ready:
        encoder = default_encoder()
        settings = replace(settings, shape=replace(settings.shape, inputs=encoder.dimensions))
        reader = ReadyVectors(encoder, settings.shape)
    with patch.object(mpbert, "train_network", recorder), contextlib.suppress(EnoughError):
        mpbert.pretrain(read, reader, vocabulary, settings, torch.device("cpu"), silent)
    return files


def train_reranker(asked: argparse.Namespace, recorder: Recorder) -> list[Path]:
    """Trains TEXTBIB or NCN, the standard regime, random negatives: the first stage is asked for validation
    alone, since nothing else depends on it."""
    collection, scale = Collection(asked.data), reranking.SCALES[asked.scale]
    learned, validated = collection.split(documents.UNTIL - 1)
    with Library.open(asked.library) as library:
        recommender = Recommender(library, "bm25")
        told = {context.id for context in validated}

        def found(query: Query) -> Sequence[str]:
            return recommender.rank(query, 1000).ids if query.id in told else []

        data = RerankingData(
            list(collection.papers.values()),
            learned,
            validated,
            collection.citations,
            found,
            collection.aliases,
            encoder=default_encoder(),
        )
        out = Path(tempfile.mkdtemp(prefix="citewhy-")) / "model"
        with contextlib.suppress(EnoughError):
            if asked.system == "ncn":
                with patch.object(ncn, "train_network", recorder):
                    settings = replace(scale.ncn, validated=asked.validated, seed=asked.seed)
                    ncn.train_ncn(data, settings, out, silent, "cpu")
            else:
                with patch.object(textbib, "train_network", recorder):
                    fixed = replace(scale.settings, regime="standard", negatives=Mix.named("random"))
                    read = replace(fixed, validated=asked.validated, seed=asked.seed)
                    textbib.train_textbib(data, read, out, silent, "cpu")
    return list(collection.files.values())


SYSTEMS: dict[str, Callable[[argparse.Namespace, Recorder], list[Path]]] = {
    "linkage": train_linkage,
    "documents": train_documents,
    "qpcr": train_qpcr,
    "sets": train_sets,
    "textbib": train_reranker,
    "ncn": train_reranker,
}


def _start(asked: argparse.Namespace) -> Path:
    """Returns the folder of the BERT model that training starts from."""
    if asked.start is not None or asked.scale == "small":
        return asked.start or default_start()
    torch.manual_seed(asked.seed)
    folder = Path(tempfile.mkdtemp(prefix="citewhy-"))
    transformers.utils.logging.set_verbosity_error()
    transformers.BertModel(transformers.BertConfig()).save_pretrained(folder)
    (folder / "tokenizer.json").write_bytes((default_start() / "tokenizer.json").read_bytes())
    return folder


# Files and pictures -----------------------------------------------------------------------------------------


def train(asked: argparse.Namespace) -> None:
    torch.set_num_threads(asked.threads)
    recorder = Recorder(asked.steps, asked.every)
    files = SYSTEMS[asked.system](asked, recorder)
    begun = recorder.curves[0]
    document = {
        "system": asked.system,
        "scale": asked.scale,
        "trainings": len(recorder.curves),
        "whole": begun.whole,
        "steps": len(begun.losses),
        "seconds": {
            "first step": round(begun.seconds[0], 2),
            "step": round(statistics.median(s for curve in recorder.curves for s in curve.seconds), 3),
            "validation": round(statistics.median(begun.validating), 2) if begun.validating else None,
        },
        "losses": [round(loss, 4) for loss in begun.losses],
        "validations": _means(recorder.curves),
        "made": made(files, None, None, _options(asked), asked.seed),
    }
    asked.out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({key: document[key] for key in ("whole", "steps", "seconds", "validations")}))


def _means(trainings: Sequence[Curve]) -> list[tuple[float, float]]:
    """Returns steps done and quality, both averaged over trainings of as many validations."""
    each = [curve.validations for curve in trainings]
    return [
        (float(np.mean([step for step, _ in one])), round(float(np.mean([score for _, score in one])), 4))
        for one in zip(*each, strict=True)
    ]


def _options(asked: argparse.Namespace) -> dict[str, Any]:
    names = ("system", "scale", "steps", "every", "validated", "batch")
    start = "random weights" if asked.start is None and asked.scale == "source" else "the recipe's"
    return {name: getattr(asked, name) for name in names} | {
        "start": asked.start.name if asked.start else start,
        "threads": asked.threads,
    }


def draw(asked: argparse.Namespace) -> None:
    """Draws validations by steps; of trainings without any, losses as shares of the largest."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for path in asked.files:
        document = json.loads(path.read_text(encoding="utf-8"))
        name, most = document["scale"], max(document["losses"])
        if document["validations"]:
            lines[f"{name}: {asked.measure}"] = [(step, score) for step, score in document["validations"]]
        else:
            label = f"{name}: loss, of {most:.2f}"
            lines[label] = [(step, loss / most) for step, loss in enumerate(document["losses"], 1)]
    highest = max(value for points in lines.values() for _, value in points)
    up = "share of the largest loss" if highest == 1 else asked.measure
    picture = curves(lines, asked.title, "steps", up, most=min(1.0, 1.2 * highest))
    asked.out.write_text(svg(picture), encoding="utf-8")


def _arguments() -> argparse.Namespace:
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = made.add_subparsers(required=True)
    training = parts.add_parser("train", help="record the first steps of a training")
    training.set_defaults(run=train)
    training.add_argument("system", choices=SYSTEMS)
    training.add_argument("--scale", choices=("small", "source"), required=True)
    training.add_argument("--data", type=Path, default=common.DATA, help="folder of the collections")
    training.add_argument("--library", type=Path, help="library of its papers, for textbib and ncn")
    training.add_argument("--paragraphs", type=Path, help="folder of built paragraphs, for qpcr")
    training.add_argument("--start", type=Path, help="BERT folder to start from, for documents and qpcr")
    training.add_argument("--steps", type=int, default=0, help="steps to make; 0: all")
    training.add_argument("--every", type=int, default=0, help="steps between validations; 0: none")
    training.add_argument("--validated", type=int, default=40, help="questions of a validation")
    training.add_argument("--batch", type=int, default=0, help="documents of a step of sets; 0: the scale's")
    training.add_argument("--threads", type=int, default=1)
    training.add_argument("--seed", type=int, default=7)
    training.add_argument("--out", type=Path, required=True)
    drawing = parts.add_parser("draw", help="draw recorded curves")
    drawing.set_defaults(run=draw)
    drawing.add_argument("files", nargs="+", type=Path)
    drawing.add_argument("--title", required=True)
    drawing.add_argument("--measure", default="validation", help="what a validation measures")
    drawing.add_argument("--out", type=Path, required=True)
    return made.parse_args()


if __name__ == "__main__":
    arguments = _arguments()
    arguments.run(arguments)
