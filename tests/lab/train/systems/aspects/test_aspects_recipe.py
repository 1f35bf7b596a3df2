"""The recipes: what is written can be served; trainings resume, and run in several processes; no leaks."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra lab")
pytest.importorskip("onnx", reason="needs the extra lab")

from safetensors.torch import load_file  # noqa: E402
from small_collection import HIDDEN, SHOWN, lines, paper  # noqa: E402
from small_intents import with_intents  # noqa: E402
from tiny_bert import tiny_bert  # noqa: E402

from citewhy.base.artifact import read_manifest  # noqa: E402
from citewhy.base.errors import InputError, QueryError  # noqa: E402
from citewhy.search.encode import open_encoder  # noqa: E402
from citewhy_lab.train.collection import Collection  # noqa: E402
from citewhy_lab.train.systems.aspects.data import Corpus  # noqa: E402
from citewhy_lab.train.systems.aspects.instances import NONE  # noqa: E402
from citewhy_lab.train.systems.aspects.network import AspectModel  # noqa: E402
from citewhy_lab.train.systems.aspects.recipe import (  # noqa: E402
    AspectLearner,
    _read,
    miner,
    train_aspects,
)
from citewhy_lab.train.systems.aspects.settings import PRESETS, AspectInputs, AspectSettings, preset  # noqa: E402

SMALL = {"steps": 3, "batch": 2, "tokens": 24, "warm_up": 1, "checkpoint_every": 1, "learning_rate": 1e-3}


def silent(_what: str, _share: float | None) -> None:
    """A `Progress` that does nothing."""


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_intents(tmp_path_factory.mktemp("data"))


def settings(name: str, **changes: Any) -> AspectSettings:
    return preset(name, **{**SMALL, **changes})


def read(inputs: AspectInputs, chosen: AspectSettings) -> tuple[Corpus, dict[str, Any]]:
    return _read(Collection(inputs.data), inputs, chosen, silent)


def weights(out: Path) -> dict[str, Any]:
    (folder,) = out.with_name(f"{out.name}.training").glob("step-*")
    found: dict[str, Any] = load_file(folder / "state.safetensors")
    return found


@pytest.mark.parametrize("name", ["specter", "scincl", "sciaspect-hybrid", "sciaspect-weighted"])
def test_what_is_trained_is_served(name: str, tmp_path: Path, start: Path, data: Path) -> None:
    """The written encoder gives the vectors of the trained network, whose weights are others than before, and
    says what it was trained on; each further embedding is a folder of its own, in its own size."""
    chosen = settings(name)
    embeddings = ["encoder", *(["method", "concat"] if chosen.aspects else [])]
    made = train_aspects(
        AspectInputs(data, start=str(start), embedding=tuple(embeddings), preset=name),
        chosen,
        tmp_path / "out",
        silent,
        "cpu",
    ).facts
    assert list(made["agreement"]) == embeddings
    assert made["citations"] == {"background": 22, "method": 22, "result": 22, "unknown": 0}
    sizes = {each: open_encoder(tmp_path / f"out-{each}").dimensions for each in embeddings[1:]}
    assert sizes == ({"method": 32, "concat": 96} if chosen.aspects else {})
    vectors = open_encoder(tmp_path / "out").encode(["We learn the model. It is a score.", ""], "paper")
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0], abs=1e-3)
    before = AspectModel(start, chosen).exact("We learn the model. It is a score.", "encoder")
    assert float(before @ vectors[0]) < 0.9995
    facts = read_manifest(tmp_path / "out")["facts"]
    assert (facts["recipe"], facts["embedding"], facts["settings"]["seed"]) == (name, "encoder", chosen.seed)


def test_a_model_as_it_is(tmp_path: Path, start: Path, data: Path) -> None:
    """Without training an encoder is the start model, with the state of [CLS]; no checkpoints are left."""
    chosen = settings("specter", untrained=True, pooling="cls")
    made = train_aspects(AspectInputs(data, start=str(start)), chosen, tmp_path / "out", silent, "cpu")
    assert made.facts["losses"] == []
    assert "loss       not trained" in made.summary
    text = "We learn the model. It is a score."
    (vector,) = open_encoder(tmp_path / "out").encode([text], "paper")
    assert float(AspectModel(start, chosen).exact(text, "encoder") @ vector) > 0.99
    assert not (tmp_path / "out.training").exists()


def test_dropout_is_for_training_alone(start: Path) -> None:
    """With it the same text has different vectors in training, and one when it is encoded."""
    model = AspectModel(start, settings("specter", dropout=0.5))
    model.network.train()
    one, other = (model.vectors(["We learn the model."]) for _ in "ab")
    assert not torch.allclose(one, other)
    assert torch.equal(*(model.encode(["We learn the model."]) for _ in "ab"))


def test_further_embeddings_need_no_training(tmp_path: Path, start: Path, data: Path) -> None:
    """Asked again with the checkpoints beside it, a finished training writes another embedding at once."""
    out, told = tmp_path / "out", []

    def progress(what: str, _share: float | None) -> None:
        told.append(what)

    train_aspects(AspectInputs(data, start=str(start)), settings("sciaspect"), out, silent, "cpu")
    trained = weights(out)
    out.rename(tmp_path / "first")
    train_aspects(
        AspectInputs(data, start=str(start), embedding=("result",)),
        settings("sciaspect"),
        out,
        progress,
        "cpu",
    )
    assert not [what for what in told if what.startswith("step")]
    assert all(torch.equal(value, weights(out)[name]) for name, value in trained.items())
    assert read_manifest(out)["facts"]["embedding"] == "result"


def test_killed_and_continued(tmp_path: Path, start: Path, data: Path) -> None:
    """A training that is interrupted after its first step ends with the same weights, to the bit."""

    def interrupt(what: str, _share: float | None) -> None:
        if what.startswith("step 2 "):
            raise KeyboardInterrupt

    chosen = settings("sciaspect-hybrid")
    train_aspects(AspectInputs(data, start=str(start)), chosen, tmp_path / "whole", silent, "cpu")
    with pytest.raises(KeyboardInterrupt):
        train_aspects(AspectInputs(data, start=str(start)), chosen, tmp_path / "parts", interrupt, "cpu")
    train_aspects(AspectInputs(data, start=str(start)), chosen, tmp_path / "parts", silent, "cpu")
    one, other = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert one.keys() == other.keys()
    assert all(torch.equal(value, other[name]) for name, value in one.items())


def test_two_processes(tmp_path: Path, start: Path, data: Path) -> None:
    """Under torchrun, two processes of one instance each (gloo) come to the weights of one process with both
    in a batch, but for rounding: their gradients are averaged. Only the first one writes."""
    out = tmp_path / "two"
    options = [
        "--steps",
        "2",
        "--tokens",
        "24",
        "--warm-up",
        "1",
        "--learning-rate",
        "1e-3",
        "--device",
        "cpu",
        "--quiet",
    ]
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command += ["-m", "--", "citewhy", "train", "specter-cl", "--data", str(data), "--start", str(start)]
    command += ["--out", str(out)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*command, *options, "--batch", "1"], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("written") == 1
    alone = settings("specter-cl", steps=2, batch=2)
    train_aspects(AspectInputs(data, start=str(start)), alone, tmp_path / "one", silent, "cpu")
    one, two = weights(tmp_path / "one"), weights(out)
    before = AspectModel(start, alone).network.state_dict()
    names = [name for name in before if f"weights/{name}" in one]
    moved = sum(float((one[f"weights/{name}"] - before[name]).abs().sum()) for name in names)
    apart = sum(float((one[f"weights/{name}"] - two[f"weights/{name}"]).abs().sum()) for name in names)
    assert apart < 0.2 * moved


def test_each_instance_is_seen_once_an_epoch(start: Path, data: Path) -> None:
    """Twenty-four instances in batches of five: the first 24 are all anchors, and the next epoch has another
    order and other negatives."""
    chosen = settings("specter-cl", batch=5)
    corpus, _ = read(AspectInputs(data), chosen)
    learner = AspectLearner(AspectModel(start, chosen), miner(corpus, chosen), corpus.papers, chosen)
    anchors = np.concatenate([learner.batch(number).anchors for number in range(10)])
    assert sorted(anchors[:24]) == list(range(24))
    assert sorted(anchors[24:48]) == list(range(24))
    assert list(anchors[:24]) != list(anchors[24:48])


def test_what_is_not_trained_on(tmp_path: Path, start: Path, data: Path) -> None:
    """Papers after the last year, held-out ones, and those of evaluation sets are in no instance; given
    instances lose those with such a paper."""
    benchmark = tmp_path / "benchmark.jsonl"
    benchmark.write_bytes(lines([{"paper_id": "x", "title": "It has a paper of this title"}]))
    other = with_intents(tmp_path / "other")
    rows = [paper(each) for each in SHOWN[:24]]
    rows[3]["title"], rows[5]["year"] = "It has a paper of this title", 2011
    (other / "papers.jsonl").write_bytes(lines(rows))
    corpus, facts = read(AspectInputs(other, exclude=(benchmark,)), settings("specter"))
    assert set(corpus.graph.ids) == set(SHOWN[:24]) - {SHOWN[3], SHOWN[5]}
    assert facts["left_out"] == {"in an evaluation set": 1, "after 2010, or of an unknown year": 1}
    given = tmp_path / "given.jsonl"
    mined = train_aspects(
        AspectInputs(other, write_instances=given), settings("specter"), tmp_path / "none", silent
    )
    assert mined.facts["instances"] == 22
    assert not (tmp_path / "none").exists()
    made = train_aspects(
        AspectInputs(other, exclude=(benchmark,), instances=given, start=str(start)),
        settings("specter", steps=1),
        tmp_path / "out",
        silent,
        "cpu",
    ).facts
    assert 0 < made["instances"] < 22


def test_given_instances_with_held_out_papers(tmp_path: Path, start: Path) -> None:
    """They are not trained on, and if there are no others, the error says why."""
    folder, given = with_intents(tmp_path / "data"), tmp_path / "given.jsonl"
    with (folder / "papers.jsonl").open("ab") as file:
        file.write(lines([paper(HIDDEN[0])]))
    triple = {"query": paper(SHOWN[1]), "pos": paper(HIDDEN[0]), "neg": paper(SHOWN[2])}
    given.write_bytes(lines([triple]))
    with pytest.raises(InputError, match="there are no training instances left") as raised:
        train_aspects(
            AspectInputs(folder, instances=given, start=str(start)),
            settings("specter"),
            tmp_path / "x",
            silent,
            "cpu",
        )
    assert "held out" in str(raised.value.hint)


def test_wrong_names_and_empty_data(tmp_path: Path, start: Path, data: Path) -> None:
    """Errors come before the work, and say what there is instead."""
    with pytest.raises(QueryError, match="this model has no embedding 'method'"):
        train_aspects(
            AspectInputs(data, start=str(start), embedding=("method",)),
            settings("specter"),
            tmp_path / "x",
            silent,
        )
    with pytest.raises(InputError, match="no paper cites another one that is known"):
        train_aspects(
            AspectInputs(data, start=str(start)), settings("specter", until=1950), tmp_path / "x", silent
        )


def test_every_recipe_has_instances(data: Path) -> None:
    """None of the recipes fails on a small collection, and each instance has a positive and a negative."""
    for name in PRESETS:
        chosen = dataclasses.replace(PRESETS[name])
        corpus, _ = read(AspectInputs(data), chosen)
        found = miner(corpus, chosen)(np.random.default_rng(0))
        assert (found.positives[:, 0] != NONE).all(), name
        negatives = np.concatenate([found.hard, found.easy], axis=1)
        assert (negatives != NONE).any(axis=1).all(), name
