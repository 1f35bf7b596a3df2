"""SciAspect in training: which papers each loss compares in which space, the plan; SciNCL's ranks."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra lab")
pytest.importorskip("transformers", reason="needs the extra lab")

from citewhy.base.records import Paper  # noqa: E402
from citewhy_lab.train.loop import History, Learner, Plan  # noqa: E402
from citewhy_lab.train.losses import multi_positive_contrastive  # noqa: E402
from citewhy_lab.train.systems.aspects import recipe as recipes  # noqa: E402
from citewhy_lab.train.systems.aspects.data import Corpus  # noqa: E402
from citewhy_lab.train.systems.aspects.graph import IntentGraph  # noqa: E402
from citewhy_lab.train.systems.aspects.instances import Instances  # noqa: E402
from citewhy_lab.train.systems.aspects.mining import Neighbourhoods, embed_graph  # noqa: E402
from citewhy_lab.train.systems.aspects.network import AspectNetwork, attended  # noqa: E402
from citewhy_lab.train.systems.aspects.recipe import AspectLearner, fit  # noqa: E402
from citewhy_lab.train.systems.aspects.settings import PRESETS, AspectSettings, preset  # noqa: E402

VECTORS = torch.randn(9, 2, generator=torch.Generator().manual_seed(1))
PAPERS = [Paper(str(row), str(row)) for row in range(9)]


class Model:
    """In place of a model: `VECTORS` of the papers, and projections that are drawn."""

    def __init__(self, aspects: Sequence[str]) -> None:
        torch.manual_seed(2)
        encoder = torch.nn.Linear(1, 1)
        encoder.config = SimpleNamespace(hidden_size=2)
        self.network = AspectNetwork(encoder, aspects, "mean", "random")

    def vectors(self, texts: Sequence[str]) -> Any:
        return VECTORS[[int(text) for text in texts]]


def rows(*values: list[int]) -> Any:
    return np.array(values, dtype=np.int64).reshape(len(values), -1)


INSTANCES = Instances(
    ("method", "result"),
    np.array([0, 5]),
    rows([1], [6]),
    rows([2, 3], [7, -1]),
    rows([4], [8]),
    rows([7, 8], [1, 2]),
)
"""Anchors 0 and 5; of the second, a hard negative is missing."""


def learner(settings: AspectSettings) -> AspectLearner:
    made = AspectLearner(Model(settings.aspects), lambda _rng: INSTANCES, PAPERS, settings)  # type: ignore[arg-type]
    made.batch = lambda number: INSTANCES  # type: ignore[method-assign]
    return made


def contrastive(vectors: Any, anchor: int, positive: int, negatives: Sequence[int]) -> Any:
    """−log of the positive's share at τ = .05, by cosines."""
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    scores = unit[[positive, *negatives]] @ unit[anchor]
    return multi_positive_contrastive(scores[None], torch.tensor([[True, *[False] * len(negatives)]]), 0.05)


@pytest.mark.parametrize("name", ["specter-cl", "sciaspect", "sciaspect-hybrid"])
def test_what_a_loss_compares(name: str) -> None:
    """The general loss and the global one of a hybrid compare embeddings of the encoder, the local one those
    of each instance's aspect; hard and easy negatives are local, distant ones are global; α is .7."""
    made = learner(preset(name))
    network = made.network
    with torch.no_grad():
        spaces = {aspect: layer(VECTORS) for aspect, layer in network.projections.items()}
        plain = [contrastive(VECTORS, 0, 1, [2, 3, 4]), contrastive(VECTORS, 5, 6, [7, 8])]
        if name == "specter-cl":
            wanted = sum(plain) / 2
        else:
            local = [
                contrastive(spaces["method"], 0, 1, [2, 3, 4]),
                contrastive(spaces["result"], 5, 6, [7, 8]),
            ]
            wanted = sum(local) / 2
        if name == "sciaspect-hybrid":
            far = [contrastive(VECTORS, 0, 1, [7, 8]), contrastive(VECTORS, 5, 6, [1, 2])]
            wanted = 0.7 * sum(far) / 2 + 0.3 * wanted
    assert made.loss(0).item() == pytest.approx(float(wanted), rel=1e-4)


def test_settings_of_the_source() -> None:
    """Section 4.4 and table 5.1: AdamW with ε 10⁻⁸ at 2 · 10⁻⁵, a rise over 100 steps, eight instances in a
    batch (SPECTER: 32 triplets, here 30); 10 and 3 negatives, 3 and 3 of the second level, 5 and 5."""
    (optimizer,) = learner(preset("sciaspect")).optimizers
    assert isinstance(optimizer, torch.optim.AdamW)
    assert (optimizer.defaults["eps"], optimizer.defaults["lr"]) == (1e-8, 2e-5)
    assert optimizer.defaults["weight_decay"] == 0.01
    facts = {name: (s.batch, s.hard, s.easy, s.distant, s.level) for name, s in PRESETS.items()}
    assert facts["specter-undirected"] == (6, 2, 3, 0, 1)
    assert facts["specter-cl"] == (8, 2, 3, 0, 1)
    assert facts["sciaspect"] == facts["sciaspect-weighted"] == (8, 10, 3, 0, 1)
    assert facts["sciaspect-l2"] == (8, 3, 3, 0, 2)
    assert facts["sciaspect-hybrid"] == (8, 5, 0, 5, 1)
    for settings in PRESETS.values():
        assert (settings.learning_rate, settings.warm_up, settings.temperature) == (2e-5, 100, 0.05)
        assert (settings.margin, settings.alpha, settings.in_all, settings.other) == (1, 0.7, True, False)


def test_the_plan_of_a_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two epochs of five instances in steps of two: five steps; the rate rises over two of them."""
    plans: list[Plan] = []

    def caught(_learner: Learner, plan: Plan, *_more: object) -> History:
        plans.append(plan)
        return History([1.0])

    monkeypatch.setattr(recipes, "train_network", caught)
    ids = [str(row) for row in range(5)]
    corpus = Corpus(
        IntentGraph(ids, [(ids[row], ids[row - 1], 0) for row in range(5)]), tuple(PAPERS[:5]), {}
    )
    fit(Model(()), corpus, preset("specter-cl", batch=2, warm_up=2), lambda *_told: None)  # type: ignore[arg-type]
    (plan,) = plans
    assert plan.steps == 5
    assert plan.rate is not None
    assert [plan.rate(step) for step in (0, 1, 2)] == pytest.approx([1e-5, 2e-5, 2e-5])


@pytest.mark.parametrize(
    ("name", "positives", "hard"),
    [
        ("specter", {"b"}, {"d"}),
        ("specter-undirected", {"b", "x"}, {"d"}),
        ("sciaspect-l2", {"b"}, {"d"}),
        ("sciaspect", {"b"}, {"x"}),
        ("sciaspect-hybrid", {"b"}, {"x"}),
    ],
)
def test_what_a_recipe_mines(name: str, positives: set[str], hard: set[str]) -> None:
    """a cites b (background), and b cites d (method); x cites a (method). For the hybrid d is distant."""
    graph = IntentGraph(list("abdx123"), [("a", "b", 1), ("b", "d", 2), ("x", "a", 2)])
    settings = preset(name, positives=1 if "hybrid" in name else 2, hard=1, easy=0, in_all=False, distant=1)
    found = recipes.miner(Corpus(graph, (), {}), settings)(np.random.default_rng(0))
    own = [place for place in range(len(found)) if found.anchors[place] == 0]
    own = [place for place in own if found.aspects[place] in ("", "background")]

    def named(rows: Any) -> set[str]:
        return {graph.ids[row] for row in rows[own[0]] if row >= 0}

    assert (named(found.positives), named(found.hard)) == (positives, hard)
    assert named(found.distant) == ({"d"} if name == "sciaspect-hybrid" else set())


def test_attention_divides_by_the_root_of_the_dimensions() -> None:
    """Sentences 0 and 2 ln 3 in the first of four dimensions, the query 1: products 0 and 2 ln 3, halved."""
    states = torch.zeros(1, 2, 4)
    states[0, 1, 0] = 2 * np.log(3)
    found = attended(states, torch.tensor([[True, True]]), torch.tensor([[1.0, 0, 0, 0]]))
    assert found[0, 0].item() == pytest.approx(0.75 * 2 * np.log(3))


def test_ranks_in_an_embedding_of_the_graph() -> None:
    """Papers around a circle, so that the nearest ones of each are known: positives are of ranks 1 to 4, hard
    negatives of 7 to 9, and easy ones are none of the first nine."""
    angles = np.cumsum(np.linspace(0.05, 0.06, 60))
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    found = Neighbourhoods(vectors, (1, 4), (7, 9)).mine(np.random.default_rng(0), 4, 3, 5)
    for place, anchor in enumerate(found.anchors):
        order = np.argsort(-(vectors @ vectors[anchor]), kind="stable")
        order = order[order != anchor]
        assert set(found.positives[place]) == set(order[:4])
        assert set(found.hard[place]) == set(order[6:9])
        assert not {anchor, *order[:9]} & set(found.easy[place])


def test_the_embedding_of_a_graph() -> None:
    """The singular vectors of A + A² by a dense decomposition, for two triangles that share a paper: equal up
    to signs, that is, in their products; a paper without links has none."""
    edges = [("a", "b"), ("c", "b"), ("c", "a"), ("c", "d"), ("e", "d"), ("e", "c")]
    graph = IntentGraph(list("abcdefg"), [(*edge, 0) for edge in edges])
    links = np.eye(7)
    for one, other in edges:
        row, column = graph.ids.index(one), graph.ids.index(other)
        links[row, column] = links[column, row] = 1
    degree = links.sum(axis=1) ** -0.5
    near = degree[:, None] * links * degree
    left, values, _ = np.linalg.svd(near + near @ near)
    wanted = left[:, :3] * np.sqrt(values[:3])
    wanted[5:] = 0
    lengths = np.linalg.norm(wanted, axis=1, keepdims=True)
    wanted = np.divide(wanted, lengths, out=np.zeros_like(wanted), where=lengths > 0)
    found = embed_graph(graph, 7, 3)
    assert found @ found.T == pytest.approx(wanted @ wanted.T, abs=1e-4)
