"""What the experiment linkage remembers: each kind of training is a record of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra lab")
pytest.importorskip("sklearn", reason="needs the extra lab")
pytest.importorskip("gensim", reason="needs the extra lab")

from citewhy.base.records import Citance, FullText, Sentence
from citewhy.search.encode import default_encoder
from citewhy_lab.evaluate.datasets.linkage import Cluster
from citewhy_lab.evaluate.linkage import Matrix
from citewhy_lab.experiments import Setup, linkage_runs
from citewhy_lab.experiments import linkage as experiment
from citewhy_lab.experiments.linkage import SCALES
from citewhy_lab.experiments.linkage_runs import Group, LinkageLab
from citewhy_lab.train.systems.linkage_networks.data import LinkageData
from citewhy_lab.train.systems.linkage_networks.recipe import LinkageSettings, Network
from citewhy_lab.train.systems.linkage_networks.settings import Supervision

NETWORKS = {
    "binary": Network("binary", "triplet"),
    "counting": Network("binary", "triplet", start="counting"),
}


def clusters(text: str = "a parser learns") -> list[Cluster]:
    sentences = tuple(Sentence(sid, "", f"{text} {sid}") for sid in range(3))
    citance = Citance("c", "Q", "P", "a parser", (1,))
    return [Cluster(FullText(name, sentences), (citance,), "one") for name in ("P", "R")]


def lab(folder: Path, seeds: Sequence[int] = (1, 2)) -> LinkageLab:
    found = clusters()
    data = LinkageData(found)
    settings = LinkageSettings(epochs=4)
    group = Group("one", found)
    return LinkageLab(group, data, settings, seeds, folder, "facts", default_encoder(), lambda *_: None)


def test_each_training_is_remembered_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two networks, two kinds of supervision and two seeds are trained on each of two clusters; a second run
    trains nothing; another number of epochs, chosen on inner folds, is another training."""
    trained: list[tuple[Network, str, int, int]] = []
    epochs = 2

    def train(
        network: Network, data: object, supervision: Supervision, place: int, settings: LinkageSettings
    ) -> Callable[..., Matrix]:
        if settings.epochs:
            trained.append((network, supervision, settings.seed, place))
        return lambda citances, text: np.zeros((len(citances), len(text.sentences)), dtype=np.float32)

    monkeypatch.setattr(linkage_runs, "train", train)
    monkeypatch.setattr(linkage_runs, "choose_epochs", lambda *_: epochs)

    def run(folder: Path) -> int:
        trained.clear()
        for name, network in NETWORKS.items():
            lab(folder).measure(name, network, ("CCS", "TCS"))
        return len(trained)

    assert run(tmp_path / "one") == 16
    assert set(trained) == set(product(NETWORKS.values(), ("CCS", "TCS"), (1, 2), (0, 1)))
    assert run(tmp_path / "one") == 0
    epochs = 4
    assert run(tmp_path / "one") == 0  # what inner folds chose is remembered, too
    for kept in (tmp_path / "one").iterdir():
        with np.load(kept) as arrays:
            names = arrays.files
        if names == ["epochs"]:
            kept.unlink()
    assert run(tmp_path / "one") == 16


def test_facts_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other clusters, another scale, another seed, other word vectors and other code are other facts."""
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("parser 1\n")
    setup, scale = Setup(scale="small"), SCALES["small"]
    other = tmp_path / "other.txt"
    other.write_text("parser 2\n")
    facts = [
        experiment._facts(clusters(), scale, setup),
        experiment._facts(clusters("trees grow"), scale, setup),
        experiment._facts(clusters(), dataclasses.replace(scale, epochs=8), setup),
        experiment._facts(clusters(), scale, dataclasses.replace(setup, seed=8)),
        experiment._facts(clusters(), scale, dataclasses.replace(setup, vectors=vectors)),
        experiment._facts(clusters(), scale, dataclasses.replace(setup, vectors=other)),
    ]
    monkeypatch.setattr(experiment, "code_digest", lambda *_: "other code")
    facts.append(experiment._facts(clusters(), scale, setup))
    assert len(set(facts)) == len(facts)
    monkeypatch.undo()
    assert experiment._facts(clusters(), scale, setup) == facts[0]
