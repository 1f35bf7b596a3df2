"""The cross-encoder's recipe from end to end, with a network of two layers."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import cast

import numpy as np
import pytest

for needed in ("torch", "transformers", "onnx", "safetensors"):
    pytest.importorskip(needed, reason="needs the extra lab")

from small_drafts import WORDS, authors_of, write_drafts  # noqa: E402
from tiny_bert import tiny_bert  # noqa: E402

from citewhy.base.artifact import read_manifest  # noqa: E402
from citewhy.base.errors import InputError, QueryError  # noqa: E402
from citewhy.models import read_model  # noqa: E402
from citewhy.ranking.model_set import ModelSet  # noqa: E402
from citewhy.ranking.rank.cross_encoder import CrossEncoder  # noqa: E402
from citewhy.ranking.recommender import Recommender  # noqa: E402
from citewhy.search.encode import open_encoder  # noqa: E402
from citewhy_lab.train.drafts import open_library, topics_of  # noqa: E402
from citewhy_lab.train.drafts import read_manifest as read_drafts  # noqa: E402
from citewhy_lab.train.recipe import checkpoints, run  # noqa: E402
from citewhy_lab.train.systems.crossencoder.data import Listed, draft_lists  # noqa: E402
from citewhy_lab.train.systems.crossencoder.network import CrossNetwork, batch, scores  # noqa: E402
from citewhy_lab.train.systems.crossencoder.recipe import train_crossencoder  # noqa: E402
from citewhy_lab.train.systems.crossencoder.settings import (  # noqa: E402
    RECIPE,
    CrossInputs,
    CrossSettings,
)

pytestmark = pytest.mark.filterwarnings("default")  # those of the exporters are not ours

SETTINGS = CrossSettings(layers=2, joint=1, depth=6, steps=4, lists=2, negatives=3, learning_rate=1e-4)


def silent(_what: str, _share: float | None) -> None:
    pass


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_bert(tmp_path_factory.mktemp("start"), more=("[MASK]", *WORDS))


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drafts")
    authors = [*authors_of("encoder", 2), *authors_of("ranker", 2), *authors_of("measuring", 1)]
    return write_drafts(folder / "drafts", authors)


@pytest.fixture(scope="module")
def inputs(manifest: Path, start: Path) -> CrossInputs:
    return CrossInputs(manifest, manifest.parent, start=start)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, inputs: CrossInputs) -> Path:
    out = tmp_path_factory.mktemp("trained") / "cross"
    train_crossencoder(inputs, SETTINGS, out, silent)
    return out


def test_what_is_written(trained: Path) -> None:
    """The folder is a reranker, says how much the default order counts, and what it was made of."""
    manifest = read_manifest(trained)
    facts = manifest["facts"]
    assert (manifest["kind"], manifest["reader"]) == ("reranker", "cross-encoder")
    assert facts["tokens"] == {"sentence": 46, "paper": 58, "citing": 38}
    assert facts["depth"] == 6
    assert facts["agreement"] >= 0.98
    assert facts["order"] > 0
    assert facts["mrr"] >= facts["before"] - 0.5
    assert facts["questions"]["learned"] + facts["questions"]["validated"] > 0
    assert len(facts["start"]) == 64


def test_it_answers_in_the_pipeline(trained: Path, manifest: Path, tmp_path: Path) -> None:
    """The default ranking with it ranks the same papers, and every suggestion has a reason of the network."""
    reranker = CrossEncoder(read_model(trained, "reranker"))
    (draft,) = [
        each for each in read_drafts(manifest, manifest.parent) if each.author in authors_of("measuring", 1)
    ]
    with open_library(draft, tmp_path / "library") as library:
        topic = topics_of(draft, library)[0]
        alone = Recommender(library).rank(topic.query, 6).ids
        recommender = Recommender(library, models=ModelSet(rerankers=(reranker,)))
        assert sorted(recommender.rank(topic.query, 6).ids) == sorted(alone)
        suggestions = recommender.suggest(topic.query, 3)
        assert suggestions
        assert all(any("read together" in reason.text for reason in one.reasons) for one in suggestions)


def test_authors_that_measure_are_left_out(tmp_path: Path, inputs: CrossInputs, start: Path) -> None:
    """With their drafts alone, there is nothing to learn from."""
    measuring = write_drafts(tmp_path / "drafts", authors_of("measuring", 1))
    alone = dataclasses.replace(inputs, manifest=measuring, documents=measuring.parent)
    with pytest.raises(InputError, match="no question has a right paper"):
        train_crossencoder(alone, SETTINGS, tmp_path / "cross", silent)


@pytest.mark.parametrize("stop", [1, 3])
def test_resuming_changes_nothing(stop: int, tmp_path: Path, inputs: CrossInputs, trained: Path) -> None:
    """Stopped and started again, the result is that of one go."""

    def interrupt(what: str, _share: float | None) -> None:
        if what.startswith(f"step {stop} of"):
            raise KeyboardInterrupt

    settings = dataclasses.replace(SETTINGS, checkpoint_every=1)
    whole, resumed = tmp_path / "whole", tmp_path / "resumed"
    train_crossencoder(inputs, settings, whole, silent)
    with pytest.raises(KeyboardInterrupt):
        train_crossencoder(inputs, settings, resumed, interrupt)
    assert not resumed.exists()
    train_crossencoder(inputs, settings, resumed, silent)
    assert (whole / "model.onnx").read_bytes() == (resumed / "model.onnx").read_bytes()


def test_candidates_are_asked_once(
    tmp_path: Path, inputs: CrossInputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second training with other steps finds the candidates of the first."""
    (draft, *_) = read_drafts(inputs.manifest, inputs.documents)
    encoder = open_encoder(None)
    first = draft_lists(draft, tmp_path, encoder, SETTINGS)
    monkeypatch.setattr(Recommender, "rank", None)
    assert draft_lists(draft, tmp_path, encoder, SETTINGS) == first
    assert all(isinstance(each, Listed) and each.papers for each in first)


def test_padding_changes_nothing(start: Path) -> None:
    """A pair has the same score beside a longer one."""
    network = CrossNetwork(start, SETTINGS).eval()
    pairs = [((2, 5, 3), (2, 6, 3), ()), ((2, 5, 7, 8, 3), (2, 9, 9, 3), (2, 11, 3))]
    together = network(*batch(pairs)).detach().numpy()
    assert scores(network, pairs) == pytest.approx(together, abs=1e-4)


def test_lower_layers_read_each_text_alone(start: Path) -> None:
    """With closed gates, a paper does not change what is read of a sentence, in no layer."""
    network = CrossNetwork(start, dataclasses.replace(SETTINGS, gate=-1e4)).eval()
    states = []
    hook = network.encoder.encoder.layer[-1].register_forward_hook(
        lambda _module, _given, output: states.append(output[0] if isinstance(output, tuple) else output)
    )
    scores(network, [((2, 5, 3), (2, 6, 3), ()), ((2, 5, 3), (2, 9, 8, 3), ())])
    hook.remove()
    one, other = (cast("np.ndarray", each[0, :3].detach().numpy()) for each in states)
    assert one == pytest.approx(other, abs=1e-5)


def test_it_learns(tmp_path: Path, inputs: CrossInputs) -> None:
    """On two dozen questions the loss falls."""
    out = tmp_path / "cross"
    settings = dataclasses.replace(SETTINGS, steps=100, learning_rate=1e-3)
    train_crossencoder(inputs, settings, out, silent)
    losses = read_manifest(out)["facts"]["losses"]
    assert losses[-1] < losses[0]


def test_more_joint_layers_than_there_are(tmp_path: Path, inputs: CrossInputs) -> None:
    """Are refused before anything is asked."""
    with pytest.raises(QueryError, match="3 of 2 layers cannot be joint"):
        run(RECIPE, inputs, dataclasses.replace(SETTINGS, joint=3), tmp_path / "cross")
    assert not checkpoints(tmp_path / "cross").exists()
