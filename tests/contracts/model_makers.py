"""Makes a small model folder for every reader: those of CiteWhy and those of a toy package.

To test a new reader, add a function that makes a small model to `MAKERS`: the suite of its kind and the tests
of damaged folders then include it. Add models that come with the package to `SHIPPED`.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import orjson
import pytest
from small_ranker import document
from tiny_cross import tiny_cross
from tiny_onnx import tiny_onnx

from citewhy.base.assets import (
    discourse_folder,
    encoder_folder,
    intent_folder,
    linker_folder,
    missing_folder,
    needs_folder,
    ranker_folder,
    sets_folder,
)
from citewhy.base.records import Query
from citewhy.models import Kind, read_model, write_model
from citewhy.ranking.classify.features import Features
from citewhy.ranking.classify.scored import DOCUMENT as CLASSIFIER
from citewhy.ranking.linkage.facets import FACETS
from citewhy.ranking.linkage.facets import FEATURES as FACET_FEATURES
from citewhy.ranking.linkage.features import FEATURES
from citewhy.ranking.linkage.folder import write_linker
from citewhy.ranking.linkage.network import write_network
from citewhy.ranking.missing.model import write_missing_trees
from citewhy.ranking.rank.folder import write_ranker
from citewhy.ranking.sets.model import EMPTY, STARTED, write_set_trees
from citewhy.search.encode.onnx import describe_encoder
from citewhy.search.encode.published import adopt
from citewhy.text.tokens import stems

__all__ = ["MAKERS", "SHIPPED", "in_threads", "made", "of_kind"]

T = TypeVar("T")


def copied(source: Callable[[], Path]) -> Callable[[Path], None]:
    """A function that copies a model of the package to a folder."""

    def make(folder: Path) -> None:
        for file in source().iterdir():
            shutil.copyfile(file, folder / file.name)

    return make


def onnx(folder: Path) -> None:
    tiny_onnx(folder)


def published(folder: Path) -> None:
    """Vectors of two papers, with a network for all other texts."""
    folder.rmdir()
    (network := folder.with_name("network")).mkdir()
    tiny_onnx(network)
    rows = [([f"Paper {one}"], np.eye(8, dtype=np.float32)[one]) for one in range(2)]
    facts = {"source": "nobody", "licence": "none", "ids": ["id"], "papers": 2}
    adopt(folder, "by hand", lambda: facts, rows, network)
    shutil.rmtree(network)


def linear_ranker(folder: Path) -> None:
    folder.rmdir()
    write_ranker(folder, "by hand", document() | {"making": {}})


def set_trees(folder: Path) -> None:
    """A set model of one tree, which asks whether the ranker's probability is above one half."""
    folder.rmdir()
    tree = [[0, 0.0, 1, 2, 0.0], [-1, 0, 1, 1, -2.0], [-1, 0, 2, 2, 2.0]]
    write_set_trees(folder, "by hand", [tree], {EMPTY: 0.3, STARTED: 0.4}, {})


def missing_trees(folder: Path) -> None:
    """A model of missing works of one tree, which asks whether the ranker's probability is above one half."""
    folder.rmdir()
    tree = [[0, 0.0, 1, 2, 0.0], [-1, 0, 1, 1, -2.0], [-1, 0, 2, 2, 2.0]]
    write_missing_trees(folder, "by hand", [tree], 0.3, {})


def linear_linker(folder: Path) -> None:
    """A linker that scores sentences by the number of shared words."""
    shared = FEATURES.index("shared")
    zeros = [0.0] * len(FACETS)
    folder.rmdir()
    content = {
        "columns": list(FEATURES),
        "linear": {"shared": 1.0},
        "trees": [[[shared, 1.5, 1, 2, 0.0], [-1, 0, 1, 1, 0.0], [-1, 0, 2, 2, 1.0]]],
        "margin": 0.5,
        "facets": {
            "labels": list(FACETS),
            "features": FACET_FEATURES.document(),
            "vocabulary": ["text:zebras"],
            "buckets": 0,
            "idf": None,
            "scaling": {"slope": 1.0, "shift": zeros},
            "encoder": None,
            "weights": [[1.0, *zeros[1:]]],
            "bias": zeros,
        },
        "common": {"size": 10, "counts": {"zebra": 3}},
    }
    write_linker(folder, "by hand", content | {"making": {}})


def network_linker(folder: Path) -> None:
    """A linker of one unit, which counts the words that both sentences have of three."""
    folder.rmdir()
    words = [*stems("zebras"), *stems("lions"), *stems("saw")]
    weights, bias = np.ones((3, 1), dtype=np.float32), np.zeros(1, dtype=np.float32)
    write_network(folder, "by hand", words, None, "mul", weights, bias, {})


def classifier_document() -> dict[str, Any]:
    """A linear classifier with two labels, and two words and the position as features."""
    return {
        "labels": ["claim", "other"],
        "features": Features(words={"text": 1}, position=True).document(),
        "vocabulary": ["text:we", "text:show", "position"],
        "buckets": 0,
        "idf": [1.0, 2.0, 1.0],
        "scaling": {"slope": 0.5, "shift": [0.25, -0.25]},
        "encoder": None,
        "weights": [[1.0, -1.0], [2.0, 0.0], [0.5, -0.5]],
        "bias": [-0.5, 0.5],
    }


def linear_classifier(folder: Path) -> None:
    (folder / CLASSIFIER).write_bytes(orjson.dumps(classifier_document()))
    write_model(folder, "classifier", "linear", "claims", {})


def trees_classifier(folder: Path) -> None:
    """One tree over the same classifier, which asks whether its score favours the first label."""
    linear = classifier_document()
    beside = Features(words={}, position=True, weighting="binary").document()
    own = {"features": beside, "vocabulary": ["position"], "idf": None}
    tree = [[0, 0.0, 1, 2, 0.0], [-1, 0, 1, 1, -1.0], [-1, 0, 2, 2, 1.0]]
    shared = {key: value for key, value in linear.items() if key not in ("weights", "bias")}
    document = {**shared, **own, "linear": linear, "trees": [tree]}
    (folder / CLASSIFIER).write_bytes(orjson.dumps(document))
    write_model(folder, "classifier", "trees", "claims", {})


def onnx_classifier(folder: Path) -> None:
    """An untrained network over the same features."""
    for needed in ("torch", "onnx", "sklearn"):
        pytest.importorskip(needed, reason="needs the extra lab")
    import torch

    from citewhy_lab.train.classifier.network import Head, write_head

    parts = {key: value for key, value in classifier_document().items() if key not in ("weights", "bias")}
    torch.manual_seed(0)
    (folder / CLASSIFIER).write_bytes(orjson.dumps(parts))
    write_head(folder, Head(3, 2, hidden=4, dropout=0.0))
    write_model(folder, "classifier", "onnx", "claims", {})


def sequence_classifier(folder: Path) -> None:
    """An untrained recurrent network over the same features and the vectors of the small encoder."""
    for needed in ("torch", "onnx", "transformers"):
        pytest.importorskip(needed, reason="needs the extra lab")
    import torch

    from citewhy.ranking.classify.sequence import NETWORK
    from citewhy_lab.train.systems.discourse.recipe import ParagraphNetwork, write_paragraph_network
    from citewhy_lab.train.systems.discourse.settings import DiscourseSettings

    tiny_onnx(folder)
    facts = read_model(folder, "encoder").facts
    parts = {key: value for key, value in classifier_document().items() if key not in ("weights", "bias")}
    features = {**parts["features"], "encoder": ["text"]}
    (folder / CLASSIFIER).write_bytes(orjson.dumps({**parts, "features": features, "encoder": None}))
    torch.manual_seed(0)
    network = ParagraphNetwork(3 + facts["dimensions"], 2, DiscourseSettings(hidden=4, units=2))
    write_paragraph_network(folder / NETWORK, network)
    describe_encoder(folder, "claims", facts["dimensions"], facts["tokens"], {}, "sequence", "classifier")


def qpcr(folder: Path) -> None:
    """The small encoder, as one that reads paragraphs."""
    tiny_onnx(folder)
    facts = read_model(folder, "encoder").facts
    describe_encoder(folder, "by hand", facts["dimensions"], facts["tokens"], {"paragraphs": "topic"}, "qpcr")


def fine_tuned_classifier(folder: Path) -> None:
    """An untrained network with the heads of the classifier of intents."""
    for needed in ("torch", "onnx", "transformers"):
        pytest.importorskip(needed, reason="needs the extra lab")
    from tiny_bert import tiny_bert

    from citewhy.ranking.classify.scaling import Scaling
    from citewhy_lab.evaluate.datasets.intents import LABELS
    from citewhy_lab.train.systems.intent.network import IntentNetwork, write_files
    from citewhy_lab.train.systems.intent.settings import OTHER_TOKEN, TARGET_TOKEN, IntentSettings

    with tempfile.TemporaryDirectory() as scratch:
        start = tiny_bert(Path(scratch) / "start", more=(TARGET_TOKEN, OTHER_TOKEN))
        network = IntentNetwork(start, 9, IntentSettings(layers=2))
        heads = {name: (labels, Scaling(1.0, [0.0] * len(labels))) for name, labels in LABELS.items()}
        write_files(folder, network, (start / "tokenizer.json").read_bytes(), 32, heads)
    write_model(folder, "classifier", "fine-tuned", "intents", {})


def facets(folder: Path) -> None:
    """The classifier of facets that is part of the built-in linker."""
    document = read_model(linker_folder(), "linker").json("model.json")["facets"]
    (folder / CLASSIFIER).write_bytes(orjson.dumps(document))
    write_model(folder, "classifier", "linear", "facets", {})


def toy_classifier(folder: Path) -> None:
    (folder / "labels.json").write_bytes(orjson.dumps(["short", "long"]))
    write_model(folder, "classifier", "toy", "length", {})


def textbib(folder: Path) -> None:
    """An untrained TEXTBIB network."""
    for needed in ("torch", "safetensors"):
        pytest.importorskip(needed, reason="needs the extra lab")
    import torch
    from small_field import PAPERS, TOPICS, context, tiny

    from citewhy_lab.train.systems.textbib.network import Reader, TextBib
    from citewhy_lab.train.systems.textbib.served import save

    shape = tiny().shape
    reader = Reader.of(PAPERS, [context(topic, 0).text for topic in TOPICS], shape)
    torch.manual_seed(0)
    folder.rmdir()
    save(folder, TextBib(len(reader.words), len(reader.authors), shape), reader, {})


def ncn(folder: Path) -> None:
    """An untrained NCN network."""
    for needed in ("torch", "safetensors"):
        pytest.importorskip(needed, reason="needs the extra lab")
    import torch
    from small_field import PAPERS, TOPICS, context

    from citewhy_lab.train.systems.ncn.network import Ncn, Reader, save
    from citewhy_lab.train.systems.ncn.settings import NcnShape

    shape = NcnShape(word=8, state=8, filters=8, author=8)
    queries = [Query("local", context(topic, 0).text) for topic in TOPICS]
    reader = Reader.of(PAPERS, queries, shape)
    torch.manual_seed(0)
    folder.rmdir()
    network = Ncn(len(reader.words), len(reader.titles), len(reader.authors), shape)
    save(folder, network, reader, {})


def mpbert4cr(folder: Path) -> None:
    """An untrained MP-BERT4CR network."""
    for needed in ("torch", "safetensors"):
        pytest.importorskip(needed, reason="needs the extra lab")
    import torch
    from small_field import PAPERS

    from citewhy_lab.train.systems.mpbert4cr.network import MpBert, Vocabulary, save
    from citewhy_lab.train.systems.mpbert4cr.settings import MpBertShape

    shape = MpBertShape(layers=1, size=8, heads=2, sentence=8, sentences=8)
    vocabulary = Vocabulary.of([paper.abstract for paper in PAPERS], shape)
    torch.manual_seed(0)
    folder.rmdir()
    sampled = {"manuscript": 3, "abstract": 2, "body": 3}
    facts = {"sampled": sampled, "dynamic": True, "seed": 7, "encoder": None}
    save(folder, MpBert(len(vocabulary), shape), vocabulary, facts)


def cross_encoder(folder: Path) -> None:
    tiny_cross(folder)


def toy_encoder(folder: Path) -> None:
    vectors = np.random.default_rng(7).normal(size=(26, 8)).astype(np.float32)
    np.save(folder / "letters.npy", vectors, allow_pickle=False)
    write_model(folder, "encoder", "toy", "letters", {})


def toy_reranker(folder: Path) -> None:
    (folder / "weights.json").write_bytes(orjson.dumps({"citations": 0.5}))
    write_model(folder, "reranker", "toy", "shared words", {"depth": 5})


def toy_ranker(folder: Path) -> None:
    (folder / "feature.json").write_bytes(orjson.dumps("text"))
    write_model(folder, "ranker", "toy", "by words", {"chance": 0.25})


def toy_linker(folder: Path) -> None:
    (folder / "ignored.json").write_bytes(orjson.dumps(["the", "of"]))
    write_model(folder, "linker", "toy", "shared words", {})


def toy_first_stage(folder: Path) -> None:
    (folder / "papers.json").write_bytes(orjson.dumps(["J93-2004", "no such paper", "P02-1040"]))
    write_model(folder, "first-stage", "toy", "by hand", {})


MAKERS: dict[str, Callable[[Path], None]] = {
    "classifier/fine-tuned": fine_tuned_classifier,
    "classifier/linear": linear_classifier,
    "classifier/onnx": onnx_classifier,
    "classifier/sequence": sequence_classifier,
    "classifier/toy": toy_classifier,
    "classifier/trees": trees_classifier,
    "encoder/onnx": onnx,
    "encoder/published": published,
    "encoder/qpcr": qpcr,
    "encoder/toy": toy_encoder,
    "first-stage/toy": toy_first_stage,
    "linker/linear-trees": linear_linker,
    "linker/network": network_linker,
    "linker/toy": toy_linker,
    "missing/trees": missing_trees,
    "ranker/linear-trees": linear_ranker,
    "ranker/toy": toy_ranker,
    "reranker/cross-encoder": cross_encoder,
    "reranker/mpbert4cr": mpbert4cr,
    "reranker/ncn": ncn,
    "reranker/textbib": textbib,
    "reranker/toy": toy_reranker,
    "set/trees": set_trees,
}
"""Maps ``kind/reader`` to a function that fills an empty folder."""

SHIPPED: dict[str, Callable[[Path], None]] = {
    "classifier/shipped discourse": copied(discourse_folder),
    "classifier/shipped facets": facets,
    "classifier/shipped intents": copied(intent_folder),
    "classifier/shipped needs": copied(needs_folder),
    "encoder/shipped": copied(encoder_folder),
    "linker/shipped": copied(linker_folder),
    "missing/shipped": copied(missing_folder),
    "ranker/shipped": copied(ranker_folder),
    "set/shipped": copied(sets_folder),
}


def of_kind(kind: Kind) -> list[str]:
    """The keys of one kind in `MAKERS` and `SHIPPED`."""
    return [key for key in MAKERS | SHIPPED if key.startswith(f"{kind}/")]


def made(key: str, parent: Path) -> Path:
    """Makes the model of `key` in a new folder in `parent`. Skips the test if an extra is missing."""
    folder = parent / key.replace("/", "-")
    folder.mkdir()
    (MAKERS | SHIPPED)[key](folder)
    return folder


def in_threads(work: Callable[[int], T], times: Sequence[int]) -> list[T]:
    """The results of `work` for each of `times`, computed by eight threads."""
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(work, times))
