"""Linkage networks as linkers that are served without torch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

for needed in ("torch", "scipy", "sklearn"):
    pytest.importorskip(needed, reason="needs the extra lab")

import orjson  # noqa: E402

from citewhy.base.errors import DamagedError, QueryError  # noqa: E402
from citewhy.base.import_report import ImportReport  # noqa: E402
from citewhy.base.records import FullText, Sentence  # noqa: E402
from citewhy.models import read_model  # noqa: E402
from citewhy.ranking.linkage import open_linker  # noqa: E402
from citewhy.ranking.linkage.network import NetworkLinker  # noqa: E402
from citewhy_lab.evaluate.datasets.linkage import read_clusters  # noqa: E402
from citewhy_lab.train.systems.linkage_networks import served  # noqa: E402
from citewhy_lab.train.systems.linkage_networks.data import LinkageData  # noqa: E402
from citewhy_lab.train.systems.linkage_networks.recipe import (  # noqa: E402
    LinkageSettings,
    Network,
    TowerLayer,
    train,
)
from citewhy_lab.train.systems.linkage_networks.settings import (  # noqa: E402
    NetworkInputs,
    NetworkSettings,
)

WORDS = ("parser", "grammar", "corpus", "tree", "score", "model", "noise", "channel")


def silent(_what: str, _share: float | None) -> None:
    """A `Progress` that does nothing."""


@pytest.fixture(scope="module")
def citances(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three papers of twenty-four sentences, and three citing sentences of each."""
    folder = tmp_path_factory.mktemp("linkage")
    rng = np.random.default_rng(3)

    def sentence() -> str:
        return f"The {' '.join(rng.choice(WORDS, 4))} is new."

    clusters, lines = [], []
    for paper in "abc":
        rows = [{"sid": sid, "section": "1 Introduction", "text": sentence()} for sid in range(24)]
        clusters.append({"set": "toy", "cluster": paper, "reference_sentences": rows})
        lines += [
            {
                "set": "toy",
                "cluster": paper,
                "citance_id": f"{paper}{number}",
                "citing_id": f"q{number}",
                "citance_text": f"As {sentence()}",
                "target_sids": [number],
            }
            for number in range(3)
        ]
    (folder / "toy.clusters.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in clusters))
    path = folder / "toy.citances.jsonl"
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in lines))
    return path


TEXT = FullText(
    "z",
    (
        Sentence(0, "title", "A parser and a grammar"),
        Sentence(1, "1 Introduction", "The corpus has a tree and a tree."),
        Sentence(2, "1 Introduction", "The parser scores models of grammar."),
        Sentence(3, "2 End", "We thank all."),
    ),
)


@pytest.mark.parametrize(
    ("psi", "loss", "joint"),
    [
        ("binary", "entropy", "mul"),
        ("binary", "triplet", "sqrd"),
        ("tfidf", "triplet", "mul"),
        ("tfidf", "entropy", "sqrd"),
        ("embedding", "triplet", "mul"),
        ("word2vec", "triplet", "mul"),
    ],
)
def test_a_folder_scores_as_the_network(
    psi: str, loss: str, joint: str, citances: Path, tmp_path: Path
) -> None:
    """What is opened without torch has the scores of the network that was trained, for every ψ, loss and f,
    also for words that it does not know."""
    if psi == "word2vec":
        pytest.importorskip("gensim", reason="needs the extra lab")
    settings = replace(NetworkSettings(), psi=psi, loss=loss, joint=joint, vector_size=6)  # type: ignore[arg-type]
    made = served.train_network_linker(NetworkInputs((citances,)), settings, tmp_path / "net", silent)
    assert made.facts["examples"] == {"papers": 3, "citances": 9}
    data = LinkageData(read_clusters(citances, ImportReport()))
    data.learn_vectors(6, 5, settings.seed)
    network = Network(settings.psi, settings.loss, settings.joint)
    trained = train(network, data, "CCS", None, LinkageSettings(epochs=2, seed=settings.seed))
    asked = ["Parsers have a grammar and a tree (Lee, 2004).", "Unheard of."]
    linker = open_linker(tmp_path / "net")
    assert isinstance(linker, NetworkLinker)
    np.testing.assert_allclose(linker(asked, TEXT), trained(asked, TEXT), rtol=2e-4, atol=1e-5)
    assert read_model(tmp_path / "net", "linker").facts["settings"]["psi"] == psi


def test_links(citances: Path, tmp_path: Path) -> None:
    """Sentences with a word in common, without the title; the best first, and no facet."""
    settings = NetworkSettings(begin="counting")
    served.train_network_linker(NetworkInputs((citances,)), settings, tmp_path / "net", silent)
    links = open_linker(tmp_path / "net").links("A grammar, a parser, and a corpus.", TEXT, 3)
    assert {link.best for link in links} == {1, 2}
    assert all(link.first == link.last == link.best and link.facet == "" for link in links)
    assert links[0].score >= links[1].score


def test_what_is_refused(citances: Path, tmp_path: Path) -> None:
    """Supplied vectors that are not given; a squared difference of vectors; a layer that is no sum over
    words; files that do not fit each other."""
    with pytest.raises(QueryError, match="there are no word vectors"):
        served.train_network_linker(
            NetworkInputs((citances,)), NetworkSettings(psi="supplied"), tmp_path / "no", silent
        )
    with pytest.raises(QueryError, match="squared difference is of bags of words"):
        NetworkSettings(psi="embedding", joint="sqrd").check()
    with pytest.raises(TypeError, match="TowerLayer is no sum"):
        served.folded(TowerLayer(3, 2))


def test_a_damaged_folder(citances: Path, tmp_path: Path) -> None:
    """Weights of another number of words than there are words."""
    served.train_network_linker(NetworkInputs((citances,)), NetworkSettings(), tmp_path / "net", silent)
    np.save(tmp_path / "net" / "weights.npy", np.zeros((1, 100), dtype=np.float32))
    with pytest.raises(DamagedError):
        open_linker(tmp_path / "net")
