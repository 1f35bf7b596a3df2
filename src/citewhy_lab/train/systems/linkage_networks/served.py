"""Linkage networks as model folders: what a word of a pair adds to each unit of G1 is all that is kept, so
that they are served without torch (`citewhy.ranking.linkage.network`)."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from citewhy.base.errors import QueryError
from citewhy.base.import_report import ImportReport
from citewhy.base.progress import Progress
from citewhy.ranking.linkage.network import write_network
from citewhy_lab.evaluate.datasets.linkage import benchmark_files, read_clusters
from citewhy_lab.evaluate.making import file_facts, software
from citewhy_lab.train.recipe import DeviceName, Trained
from citewhy_lab.train.requirements import check_modules
from citewhy_lab.train.systems.linkage_networks.data import LinkageData
from citewhy_lab.train.systems.linkage_networks.recipe import (
    EMBEDDING,
    EmbeddedLayer,
    FixedSlotsLayer,
    LinkageSettings,
    Network,
    PairLayer,
    SparseLayer,
    train,
)
from citewhy_lab.train.systems.linkage_networks.settings import VECTOR_EPOCHS, NetworkInputs, NetworkSettings


def train_network_linker(
    inputs: NetworkInputs,
    settings: NetworkSettings,
    out: Path,
    progress: Progress,
    device: DeviceName = "auto",
) -> Trained:
    """Writes the linker `out`, trained on all clusters. Raises InputError for data that cannot be read,
    QueryError for vectors that are missing, StorageError."""
    progress("reading clusters", None)
    report = ImportReport()
    clusters = [cluster for path in inputs.citances for cluster in read_clusters(path, report)]
    data = LinkageData(clusters)
    if settings.psi == "word2vec":
        check_modules("gensim")
        progress("training word vectors", None)
        data.learn_vectors(settings.vector_size, VECTOR_EPOCHS, settings.seed)
    if settings.psi == "supplied":
        if inputs.vectors is None:
            raise QueryError("there are no word vectors to read", hint="give --vectors FILE")
        data.read_vectors(inputs.vectors)
    progress("training", None)
    network = Network(settings.psi, settings.loss, settings.joint, start=settings.begin)
    chosen = LinkageSettings(epochs=settings.epochs, seed=settings.seed)
    layer = train(network, data, settings.supervision, None, chosen).network.layer
    citances = sum(len(cluster.citances) for cluster in clusters)
    files = [file for path in inputs.citances if path.is_file() for file in benchmark_files(path)]
    facts = {
        "settings": asdict(settings),
        "data": [file_facts(file) for file in files],
        "examples": {"papers": len(clusters), "citances": citances},
        "software": {**software(), "torch": str(torch.__version__)},
    }
    name = f"linkage network ({settings.psi}, {settings.loss}, {settings.supervision})"
    idf = data.vocabulary.idf if network.weighting == "tfidf" else None
    weights, bias = folded(layer)
    write_network(out, name, data.vocabulary.words, idf, settings.joint, weights, bias, facts)
    summary = [f"{citances:,} citing sentences of {len(clusters)} papers, {len(data.vocabulary):,} words"]
    return Trained(facts, summary)


def folded(layer: PairLayer) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Returns [words, units] what a word adds to each unit where f is 1, and the bias [units].

    Raises TypeError for a layer that is no sum over the words of a pair.
    """
    with torch.no_grad():
        if isinstance(layer, SparseLayer):
            added = layer.gathered
        elif isinstance(layer, EmbeddedLayer):
            slots = layer.gathered.view(len(layer.vectors), EMBEDDING, layer.units)
            added = torch.einsum("ws,wsk->wk", layer.vectors**2, slots)
        elif isinstance(layer, FixedSlotsLayer):
            added = layer.begun + layer.lengths[:, None] * layer.learned
        else:
            raise TypeError(f"{type(layer).__name__} is no sum over words")
        return added.detach().numpy().copy(), layer.bias.detach().numpy().copy()
