"""Network and losses of a batch: projections and attention by hand, padding, and what each loss compares."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra lab")
pytest.importorskip("transformers", reason="needs the extra lab")

from tiny_bert import tiny_bert  # noqa: E402

from citewhy.base.errors import InputError, QueryError  # noqa: E402
from citewhy.base.records import Paper  # noqa: E402
from citewhy_lab.train.systems.aspects.instances import (  # noqa: E402
    Instances,
    read_instances,
    write_instances,
)
from citewhy_lab.train.systems.aspects.network import (  # noqa: E402
    AspectModel,
    AspectNetwork,
    attended,
    pooled,
)
from citewhy_lab.train.systems.aspects.recipe import contrast  # noqa: E402
from citewhy_lab.train.systems.aspects.settings import CONCAT, ENCODER, PRESETS, preset  # noqa: E402
from citewhy_lab.train.systems.encoder.network import by_length  # noqa: E402


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_bert(tmp_path_factory.mktemp("bert"))


def test_pooling_by_hand() -> None:
    """The mean of the tokens that are there, or the first one."""
    states, mask = torch.tensor([[[1.0], [3.0], [9.0]]]), torch.tensor([[1, 1, 0]])
    assert (pooled(states, mask, "mean").item(), pooled(states, mask, "cls").item()) == (2, 1)


def test_attention_by_hand() -> None:
    """Sentences 0 and ln 3 (the token between is none); d = 1. The query 1 gives them e⁰ : e^ln 3 = ¼ : ¾,
    the query 0 gives ½ : ½; the mean is 3/8 : 5/8."""
    states = torch.tensor([[[0.0], [7.0], [math.log(3)]]])
    starts = torch.tensor([[True, False, True]])
    found = attended(states, starts, torch.tensor([[1.0], [0.0]]))
    assert found.item() == pytest.approx(5 / 8 * math.log(3))


def test_the_weighted_network_by_hand() -> None:
    """Sentences begin at the first token and at each start token that is there; d = 1. The name 1 becomes the
    query ln 3 by the layer: states 0 and 1 weigh ¼ and ¾; if the second start is padding, 0 is all."""

    class Encoder(torch.nn.Module):  # type: ignore[misc,name-defined,unused-ignore]
        config = SimpleNamespace(hidden_size=1)

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            return SimpleNamespace(last_hidden_state=torch.tensor([[[0.0], [7.0], [1.0], [9.0]]]))

    network = AspectNetwork(Encoder(), ("method",), "cls", "identity", torch.tensor([[1.0]]), start_token=2)
    assert network.query is not None
    with torch.no_grad():
        network.query.weight.fill_(math.log(3))
        network.query.bias.zero_()
    ids = torch.tensor([[2, 5, 2, 6]])
    assert network(ids, torch.ones_like(ids)).item() == pytest.approx(0.75)
    assert network(ids, torch.tensor([[1, 1, 0, 0]])).item() == 0


def test_queries_are_the_names_of_the_aspects(start: Path) -> None:
    """Their embeddings by the starting weights."""
    names = AspectModel(start, preset("sciaspect-weighted")).network.names
    wanted = AspectModel(start, preset("sciaspect")).encode(["background", "method", "result"])
    assert torch.allclose(names, wanted, atol=0.05)
    assert not torch.allclose(names[1], names[2], atol=0.2)


def test_embeddings_of_aspects(start: Path) -> None:
    """An aspect's is W e + b (5.2), the concatenated one has those of the three aspects (5.3); at the start
    they are the encoder's."""
    model = AspectModel(start, preset("sciaspect", other=True))
    e = torch.randn(2, 32)
    layer = model.network.projections["method"]
    assert torch.equal(model.network.embedding(e, "method"), e)
    with torch.no_grad():
        layer.weight.mul_(2)
        layer.bias.add_(1)
    assert torch.allclose(model.network.embedding(e, "method"), 2 * e + 1)
    assert torch.equal(model.network.embedding(e, ENCODER), e)
    assert torch.allclose(model.network.embedding(e, CONCAT), torch.cat([e, 2 * e + 1, e], dim=1))
    assert model.network.projected(e).shape == (2, 4, 32)


def test_sentences_begin_with_a_token_of_their_own(start: Path) -> None:
    """The tokenizer of a weighted model puts [SEP] [CLS] between sentences, and nothing else changes; the
    embedding depends on where sentences end, the plain one does not."""
    model, plain = AspectModel(start, preset("sciaspect-weighted")), AspectModel(start, preset("sciaspect"))
    text = "the method. We evaluation, the score of the model. A phrase"
    tokens = model.tokenizer.encode(text).tokens
    ids = [token for token in tokens if token != "[PAD]"]
    assert (ids.count("[CLS]"), ids.count("[SEP]"), ids[0], ids[-1]) == (3, 3, "[CLS]", "[SEP]")
    bare = [token for token in ids if token not in ("[CLS]", "[SEP]")]
    assert bare == [t for t in plain.tokenizer.encode(text).tokens if t not in ("[CLS]", "[SEP]", "[PAD]")]
    assert model.encode([text]).isfinite().all()


def test_rows_of_like_length() -> None:
    """Eight tokens, and four, which is half; then three and two; in each group the longest first."""
    lengths = torch.tensor([2, 8, 3, 4])
    groups = by_length(torch.arange(8) < lengths[:, None])
    assert [rows.tolist() for rows in groups] == [[1, 3], [2, 0]]


def test_texts_of_unlike_length_together(start: Path) -> None:
    """Each has the vector that it has alone, in the order that they are given."""
    model = AspectModel(start, preset("specter-cl"))
    model.network.eval()
    words = "parse a sentence of words into a tree by rules that we learn from many trees"
    texts = ["parse", words, "a tree", f"{words} {words}"]
    with torch.no_grad():
        together, alone = model.vectors(texts), torch.cat([model.vectors([text]) for text in texts])
    assert torch.allclose(together, alone, atol=0.03)
    assert not torch.allclose(together[0], together[2], atol=0.03)


def test_a_model_that_cannot_be_read(tmp_path: Path) -> None:
    """One sentence, whatever the library says; nothing is downloaded."""
    with pytest.raises(InputError, match="cannot be read"):
        AspectModel(tmp_path, preset("specter"))
    with pytest.raises(InputError, match="'no-such/model' to start from cannot be read"):
        AspectModel("no-such/model", preset("specter"))


def test_losses_of_a_batch_by_hand() -> None:
    """Anchor (1, 0), positive (0, 1), negatives (2, 0) and padding. Triplet: √2 − 1 + 1. Contrastive: cosines
    0 and 1 at τ = ½ are the exponents 0 and 2: ln(1 + e²). A padded positive is none."""
    vectors = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    anchors, positives, negatives = torch.tensor([0]), torch.tensor([[1]]), torch.tensor([[2, -1]])

    def loss(kind: str, embeddings: Any = vectors) -> float:
        settings = preset("specter-cl", temperature=0.5)
        return float(contrast(embeddings, anchors, positives, negatives, settings, kind).item())

    assert loss("triplet") == pytest.approx(math.sqrt(2))
    assert loss("contrastive") == loss("n-pairs") == pytest.approx(math.log(1 + math.exp(2)))
    assert loss("contrastive", vectors[None]) == loss("contrastive")
    alone, positives = loss("contrastive"), torch.tensor([[1, -1]])
    assert loss("contrastive") == alone


def test_triplets_of_unequal_lists() -> None:
    """Two positives and one negative are two triplets; a padded positive is none."""
    vectors = torch.tensor([[0.0], [3.0], [5.0], [4.0]])
    settings = preset("specter")
    two = contrast(
        vectors, torch.tensor([0]), torch.tensor([[1, 2]]), torch.tensor([[3]]), settings, "triplet"
    )
    one = contrast(
        vectors, torch.tensor([0]), torch.tensor([[2, -1]]), torch.tensor([[3]]), settings, "triplet"
    )
    assert (two.item(), one.item()) == ((0 + 2) / 2, 2)


def test_each_instance_has_triplets_of_its_own_lists(tmp_path: Path) -> None:
    """Beside each other, one positive with three negatives, the second of which is padding, and three with
    one: three triplets each, those that are written to a file. The distances are those of the numbers that
    the papers are named after; an instance without negatives has no triplets."""
    numbers = [0.0, 1.0, 2.0, 4.0, 7.0, 11.0]
    papers = [Paper(str(number), f"{number:.0f}") for number in numbers]
    hard = np.array([[2, -1, 3], [5, -1, -1], [-1, -1, -1]])
    positives = np.array([[1, -1, -1], [1, 2, 3], [1, -1, -1]])
    given = Instances(
        ("",) * 3, np.array([0, 4, 5]), positives, hard, np.array([[5], [-1], [-1]]), np.empty((3, 0), int)
    )
    write_instances(tmp_path / "x.triples.jsonl", given, papers, triples=True)
    read, of_triples = read_instances(tmp_path / "x.triples.jsonl")
    assert len(read) == 6
    wanted = [
        max(0.0, abs(a - p) - abs(a - n) + 1)
        for a, p, n in (
            [
                float(of_triples[int(row)].title)
                for row in (read.anchors[k], *read.positives[k], *read.hard[k])
            ]
            for k in range(6)
        )
    ]
    anchors, near, far = (
        torch.from_numpy(each)
        for each in (given.anchors, positives, np.concatenate([hard, given.easy], axis=1))
    )
    vectors = torch.tensor(numbers)[:, None]
    found = contrast(vectors, anchors, near, far, preset("specter"), "triplet")
    assert found.item() == pytest.approx(sum(wanted) / 6)


def test_a_batch_without_triplets_teaches_nothing() -> None:
    """Its loss is 0, and so are the gradients: instances without negatives, padded or without columns."""
    for negatives in (torch.tensor([[-1, -1]]), torch.empty((1, 0), dtype=torch.int64)):
        vectors = torch.ones(2, 3, requires_grad=True)
        loss = contrast(
            vectors, torch.tensor([0]), torch.tensor([[1]]), negatives, preset("specter"), "triplet"
        )
        loss.backward()
        assert loss.item() == 0
        assert torch.equal(vectors.grad, torch.zeros(2, 3))


def test_recipes_are_those_of_the_table() -> None:
    """Table 5.1: how many positives and negatives, and which loss."""
    facts = {
        name: (s.loss, s.positives, s.hard + s.easy, s.distant, s.temperature) for name, s in PRESETS.items()
    }
    assert facts["specter-undirected"] == ("triplet", 5, 5, 0, 0.05)
    assert facts["specter-cl"] == ("contrastive", 1, 5, 0, 0.05)
    assert facts["sciaspect"] == ("contrastive", 1, 13, 0, 0.05)
    assert facts["sciaspect-hybrid"] == ("hybrid", 1, 5, 5, 0.05)
    assert facts["sciaspect-l2"] == ("contrastive", 1, 6, 0, 0.05)


def test_settings_that_contradict_each_other() -> None:
    """The error says what does not fit."""
    with pytest.raises(QueryError, match="the loss hybrid does not fit the strategy citations"):
        preset("specter-cl", loss="hybrid")
    with pytest.raises(QueryError, match="the N-pairs loss has one positive, not 5"):
        preset("specter", loss="n-pairs")
    with pytest.raises(QueryError, match="there are no negatives"):
        preset("specter-cl", hard=0, easy=0)
    wrong = [
        ("positives", 2, "one positive"),
        ("easy", 3, "no easy negatives"),
        ("other", True, "a known intent"),
    ]
    for name, value, told in [*wrong, ("level", 2, "local negatives of the first level")]:
        with pytest.raises(QueryError, match=f"an instance of a hybrid has {told}"):
            preset("sciaspect-hybrid", **{name: value})
    with pytest.raises(QueryError, match="there is no recipe 'bert'"):
        preset("bert")
