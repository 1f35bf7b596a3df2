"""The encoder's recipe from end to end, with a network of two layers."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

for needed in ("torch", "transformers", "onnx", "safetensors"):
    pytest.importorskip(needed, reason="needs the extra lab")

import torch  # noqa: E402
from safetensors.numpy import load_file  # noqa: E402
from small_drafts import authors_of, write_drafts  # noqa: E402
from tiny_bert import tiny_bert  # noqa: E402

from citewhy.base.artifact import read_manifest  # noqa: E402
from citewhy.base.errors import CiteWhyError, DamagedError, InputError  # noqa: E402
from citewhy.search.encode import open_encoder  # noqa: E402
from citewhy_lab.train.recipe import checkpoints, run  # noqa: E402
from citewhy_lab.train.systems.encoder import export as exporting  # noqa: E402
from citewhy_lab.train.systems.encoder.network import TextModel, interpolate  # noqa: E402
from citewhy_lab.train.systems.encoder.recipe import train_encoder  # noqa: E402
from citewhy_lab.train.systems.encoder.settings import RECIPE, EncoderInputs, EncoderSettings  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # those of the exporters are not ours

SETTINGS = EncoderSettings(until=2020, steps=8, batch=4, learning_rate=1e-3, checkpoint_every=3)


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_bert(tmp_path_factory.mktemp("start"))


def silent(_what: str, _share: float | None) -> None:
    pass


def state(out: Path) -> dict[str, Any]:
    """The last checkpoint of what was trained for `out`."""
    (folder,) = checkpoints(out).iterdir()
    history = read_manifest(folder)["history"]
    return {"losses": history["losses"], **load_file(folder / "state.safetensors")}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, start: Path) -> Path:
    """An encoder that was trained without interruption."""
    out = tmp_path_factory.mktemp("whole") / "encoder"
    train_encoder(EncoderInputs(Path(__file__).parents[4] / "toy", start), SETTINGS, out, silent)
    return out


@pytest.mark.parametrize("stop", [1, 4, 5, 8])
def test_resuming_changes_nothing(stop: int, tmp_path: Path, start: Path, toy: Path, trained: Path) -> None:
    """Stopped in a step of either round and started again, the result is that of one go, to the bit."""

    def interrupt(what: str, _share: float | None) -> None:
        if what.startswith(f"step {stop} of"):
            raise KeyboardInterrupt

    out = tmp_path / "encoder"
    with pytest.raises(KeyboardInterrupt):
        train_encoder(EncoderInputs(toy, start), SETTINGS, out, interrupt)
    assert not out.exists()
    train_encoder(EncoderInputs(toy, start), SETTINGS, out, silent)
    whole, resumed = state(trained), state(out)
    assert whole.keys() == resumed.keys()
    assert {"learner/negatives", "optimizer-0/exp_avg/embeddings.word_embeddings.weight"} <= whole.keys()
    assert [name for name in whole if not np.array_equal(whole[name], resumed[name])] == []
    assert open_encoder(out).fingerprint == open_encoder(trained).fingerprint


def test_it_learns(tmp_path: Path, start: Path, toy: Path) -> None:
    """On a dozen pairs the loss falls."""
    out = tmp_path / "encoder"
    train_encoder(EncoderInputs(toy, start), dataclasses.replace(SETTINGS, steps=60), out, silent)
    losses = state(out)["losses"]
    assert np.mean(losses[-10:]) < np.mean(losses[:10]) - 0.3


def test_what_is_written(trained: Path) -> None:
    """The folder is what the encoder opens, and its manifest says what it was made of."""
    manifest = read_manifest(trained)
    facts = manifest["facts"]
    assert (manifest["kind"], manifest["reader"]) == ("encoder", "onnx")
    assert (facts["dimensions"], facts["tokens"]) == (32, {"query": 72, "paper": 128})
    assert facts["settings"]["seed"] == SETTINGS.seed
    assert set(facts["data"]) == {"papers", "aliases", "contexts", "citations"}
    assert len(facts["data"]["papers"]["sha256"]) == len(facts["origin"]["sha256"]) == 64
    assert facts["software"]["torch"]
    assert facts["agreement"]["mean"] >= exporting.LEAST_AGREEMENT
    assert set(manifest["files"]) == {"model.onnx", "tokenizer.json"}
    vectors = open_encoder(trained).encode(["a statistical model of translation", ""], "paper")
    assert vectors.shape == (2, 32)
    assert np.linalg.norm(vectors, axis=1).tolist() == pytest.approx([1.0, 0.0], abs=1e-6)


def test_a_share_of_the_weights_is_kept(start: Path) -> None:
    """A quarter of the way from the first weights to the trained ones."""
    trained, first = TextModel(start).network, TextModel(start).network
    name = "embeddings.word_embeddings.weight"
    with torch.no_grad():
        trained.get_parameter(name).add_(1.0)
    interpolate(trained, first, 0.25)
    moved = (trained.get_parameter(name) - first.get_parameter(name)).detach().numpy()
    assert moved == pytest.approx(np.full_like(moved, 0.25), abs=1e-6)


def test_another_share_needs_no_training(tmp_path: Path, start: Path, toy: Path) -> None:
    """Drafts are learned from as well; with another share of the weights, the finished training is used."""
    manifest = write_drafts(tmp_path / "drafts", [*authors_of("encoder", 1), *authors_of("ranker", 1)])
    made = []
    for name, share in (("whole", 1.0), ("half", 0.5)):
        settings = dataclasses.replace(SETTINGS, steps=3, trained_share=share)
        progress = mock.Mock()
        report = train_encoder(
            EncoderInputs(toy, start, drafts=manifest), settings, tmp_path / "encoder", progress
        ).facts
        assert report["pairs"]["draft"] == 12  # of one author: twelve sentences with a citation each
        assert any(call.args[0].startswith("step ") for call in progress.call_args_list) == (share == 1.0)
        made.append((tmp_path / "encoder").rename(tmp_path / name))
    assert open_encoder(made[0]).fingerprint != open_encoder(made[1]).fingerprint
    facts = read_manifest(made[1])["facts"]
    assert (facts["settings"]["trained_share"], "drafts" in facts["data"]) == (0.5, True)


def test_a_poor_export_is_refused(
    tmp_path: Path, start: Path, toy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below the least agreement nothing is written, and the trained weights stay."""
    monkeypatch.setattr(exporting, "LEAST_AGREEMENT", 1.01)
    out = tmp_path / "encoder"
    with pytest.raises(CiteWhyError, match=r"mean cosine [01]\.\d+ on \d+ texts, expected 1\.01 or more"):
        train_encoder(EncoderInputs(toy, start), dataclasses.replace(SETTINGS, steps=1), out, silent)
    assert not out.exists()
    assert len(list(checkpoints(out).iterdir())) == 1


def test_another_task_in_its_place(tmp_path: Path, start: Path, toy: Path) -> None:
    """A finished encoder is not overwritten; a checkpoint of other settings is not continued, a damaged one
    not read."""
    out = tmp_path / "encoder"
    train_encoder(EncoderInputs(toy, start), dataclasses.replace(SETTINGS, steps=2), out, silent)
    with pytest.raises(InputError, match="it already exists"):
        run(RECIPE, EncoderInputs(toy, start), SETTINGS, out)
    out.rename(tmp_path / "other")
    with pytest.raises(InputError, match="a training with other settings was begun here"):
        train_encoder(EncoderInputs(toy, start), SETTINGS, out, silent)
    (damaged,) = checkpoints(out).glob("*/state.safetensors")
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    with pytest.raises(DamagedError, match="changed since it was written"):
        train_encoder(EncoderInputs(toy, start), dataclasses.replace(SETTINGS, steps=2), out, silent)


def test_nothing_to_learn_from(tmp_path: Path, start: Path, toy: Path) -> None:
    """A year before all citing papers is said to be the reason."""
    with pytest.raises(InputError, match="nothing to learn from up to 1950"):
        train_encoder(
            EncoderInputs(toy, start), dataclasses.replace(SETTINGS, until=1950), tmp_path / "out", silent
        )
