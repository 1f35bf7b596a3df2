"""MP-BERT4CR in training: which vectors an objective compares, what is learned from, the plans, and what the
decoder predicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
import pytest

for needed in ("torch", "safetensors"):
    pytest.importorskip(needed, reason="needs the extra lab")

import torch  # noqa: E402
from small_collection import HIDDEN, SHOWN  # noqa: E402
from torch import Tensor, nn  # noqa: E402

from citewhy.base.records import Context, FullText, Paper, Query, Sentence  # noqa: E402
from citewhy_lab.train.collection import KnownPapers  # noqa: E402
from citewhy_lab.train.loop import History as Losses  # noqa: E402
from citewhy_lab.train.loop import Learner, Plan  # noqa: E402
from citewhy_lab.train.losses import multi_positive_triplet  # noqa: E402
from citewhy_lab.train.reranking.data import Questions  # noqa: E402
from citewhy_lab.train.sampling.citation_graph import CitationGraph  # noqa: E402
from citewhy_lab.train.sampling.co_citations import CitedTogether  # noqa: E402
from citewhy_lab.train.systems.mpbert4cr import recipe  # noqa: E402
from citewhy_lab.train.systems.mpbert4cr.network import (  # noqa: E402
    END,
    PADDING,
    Decoder,
    Encoder,
    MpBert,
    Scorer,
    Vocabulary,
)
from citewhy_lab.train.systems.mpbert4cr.recipe import MpBertLearner, PretrainingLearner  # noqa: E402
from citewhy_lab.train.systems.mpbert4cr.recipe import _examples as examples_in  # noqa: E402
from citewhy_lab.train.systems.mpbert4cr.settings import (  # noqa: E402
    MpBertSettings,
    MpBertShape,
    Objective,
    Sampled,
)
from citewhy_lab.train.systems.mpbert4cr.texts import (  # noqa: E402
    Example,
    History,
    Text,
    examples_of,
)

SHAPE = MpBertShape(layers=1, size=4, heads=2, words=50, sentence=6, sentences=8)


def silent(_what: str, _share: float | None) -> None:
    """A `Progress` that does nothing."""


class Table(nn.Module):  # type: ignore[misc,unused-ignore]
    """In place of an encoder: a vector for each number that a text begins with."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(1)
        self.vectors = torch.randn(40, 4, generator=torch.Generator().manual_seed(seed))

    def forward(self, numbers: Tensor, _there: Tensor) -> Tensor:
        return self.vectors[numbers]


class Tables(nn.Module):  # type: ignore[misc,unused-ignore]
    def __init__(self) -> None:
        super().__init__()
        self.shape = SHAPE
        self.manuscript, self.citation = Table(1), Table(2)


class Numbers:
    """Reads the first sentence of each text as a number."""

    def documents(self, texts: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
        return torch.tensor([int(text[0]) for text in texts]), torch.ones(len(texts), 1, dtype=torch.bool)


TOGETHER = [CitedTogether((1, 2, 3, 4), 2000), CitedTogether((5, 6, 7), 2001), CitedTogether((8, 9), 2001)]
CITED = (frozenset({1, 2}), frozenset({5}), frozenset({8, 9}), frozenset({10}))
EXAMPLES = [
    Example(Query("local", str(20 + number)), min(cited), cited, 2005) for number, cited in enumerate(CITED)
]
HISTORY = History(TOGETHER, list(range(1, 11)), 3)


def learner(objective: Objective, batch: int = 8) -> MpBertLearner:
    settings = MpBertSettings(shape=SHAPE, objective=objective, batch=batch, margin=1.5, seed=3)
    network: Any = Tables()
    graph: Any = None

    def manuscript(query: Query) -> Text:
        return Text(query.text, (query.text,))

    def paper(row: int) -> Text:
        return Text(str(row), (str(row),))

    corpus = recipe.Corpus(graph, EXAMPLES, HISTORY, manuscript, paper)
    return MpBertLearner(network, Numbers(), corpus, settings, silent)


@pytest.mark.parametrize("objective", get_args(Objective))
def test_what_an_objective_compares(objective: Objective) -> None:
    """A sentence by the manuscript encoder; target, positives and negatives by that of citations. Equation 3
    is a mean over the negatives of each sentence."""
    network, values = Tables(), []
    for number, example in enumerate(EXAMPLES):
        drawn = HISTORY.draw(example, 0 if objective == "triplet" else 3, 4, 0, number)
        source = network.manuscript.vectors[int(example.query.text)]
        target, negatives = (network.citation.vectors[at] for at in (example.target, list(drawn.negatives)))
        if objective == "triplet":
            near = math.dist(source, target)
            values += [max(0.0, near - math.dist(source, each) + 1.5) for each in negatives]
            continue
        positives = network.citation.vectors[list(drawn.positives)]
        present = torch.ones(1, len(positives), dtype=torch.bool)
        given = (source[None], target[None], positives[None], present, negatives[None])
        values.append(multi_positive_triplet(objective, *given).item())
    assert learner(objective).loss(0).item() == pytest.approx(sum(values) / len(values), rel=1e-5)


def test_every_pair_once_an_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four pairs, three in a step: two batches; epochs have other negatives, and other orders."""
    made, asked = learner("mpt-src-tgt", batch=3), []
    draw = HISTORY.draw

    def noted(example: Example, positives: int, negatives: int, epoch: int, number: int) -> Any:
        asked.append((epoch, number))
        return draw(example, positives, negatives, epoch, number)

    monkeypatch.setattr(HISTORY, "draw", noted)
    for batch in range(8):
        made.loss(batch)
    assert made.batches == 2
    assert sorted(asked) == [(epoch, number) for epoch in range(4) for number in range(4)]
    assert len({tuple(asked[4 * epoch + at][1] for at in range(4)) for epoch in range(4)}) > 1


def test_negatives_of_the_first_years() -> None:
    """Without citations before the year they are other papers, also if these are few, and never the target or
    a positive; unless there is no other paper at all."""
    query = Query("local", "x")
    few = History([], [4, 5, 6], seed=1)
    for number in range(20):
        drawn = few.draw(Example(query, 4, frozenset({4, 5}), 1990), 3, 4, 0, number)
        assert (drawn.positives, drawn.negatives) == ((5,), (6,) * 4)
        many = History([], list(range(9)), seed=1).draw(
            Example(query, 4, frozenset({4}), 1990), 3, 4, 0, number
        )
        assert len({*many.negatives} - {4}) == 4
        short = History([CitedTogether((1, 2), 1980)], [1, 2, 3, 4], seed=1)
        found = short.draw(Example(query, 4, frozenset({4}), 1990), 3, 4, 0, number).negatives
        assert {1, 2, 3} == {*found}
    assert few.draw(Example(query, 4, frozenset({4, 5, 6}), 1990), 0, 2, 0, 0).negatives


_TWENTY = [[(epoch, 0) for epoch in range(20)], [(0, number) for number in range(20)]]
"""Epochs and numbers."""


def test_which_positives_and_negatives() -> None:
    """Three papers were cited together with 1. If the sentence cites one of them, the other two are drawn; if
    it cites another paper, and two are asked for, one of the three. Positives are no negatives. Each
    example and each epoch draws others."""
    draws = [[HISTORY.draw(EXAMPLES[1], 3, 2, *at) for at in some] for some in _TWENTY]
    assert all(len({each.negatives for each in some}) > 5 for some in draws)
    for number in range(20):
        same = HISTORY.draw(EXAMPLES[0], 3, 4, 0, number)
        assert (same.positives[0], sorted(same.positives)) == (2, [2, 3, 4])
        assert {*same.negatives} <= {5, 6, 7, 8, 9}
        drawn = HISTORY.draw(Example(Query("local", "x"), 1, frozenset({1, 7}), 2005), 2, 1, 0, number)
        assert (len(drawn.positives), drawn.positives[0]) == (2, 7)
        assert drawn.positives[1] in {2, 3, 4}


def test_positives_by_equation_1_alone() -> None:
    """Of texts up to the sentence's year three cite 1 and 2, and one 1 and 3, one of them in that year: 2 is
    drawn with 3^¾ / (3^¾ + 1) = .695, 3 otherwise; 7, which the sentence cites and no text with 1, never, and
    4, cited with 1 in a later year, neither."""
    history = [CitedTogether((1, 2), year) for year in (1990, 1995, 2005)]
    history += [CitedTogether((1, 3), 1999), CitedTogether((1, 4), 2006)]
    example = Example(Query("local", "x"), 1, frozenset({1, 7}), 2005)
    drawing = History(history, list(range(9)), seed=1, sentence_first=False)
    drawn = [drawing.draw(example, 1, 1, 0, number).positives for number in range(2000)]
    assert drawn.count((2,)) + drawn.count((3,)) == 2000
    assert drawn.count((2,)) / 2000 == pytest.approx(3**0.75 / (3**0.75 + 1), abs=0.03)
    assert not {7, 4} & {each for some in (drawing.draw(example, 3, 1, 1, 0),) for each in some.positives}


def test_a_pair_for_each_cited_paper() -> None:
    """A sentence of unknown year has none."""
    query = Query("local", "x", year=2000)
    found = examples_of(query, [7, 3])
    assert [(each.target, each.cited, each.year) for each in found] == [
        (3, frozenset({3, 7}), 2000),
        (7, frozenset({3, 7}), 2000),
    ]
    assert examples_of(Query("local", "x"), [7]) == []


@pytest.mark.parametrize("held_out", [True, False])
def test_held_out_papers(held_out: bool) -> None:
    """They are no targets, and no positives or negatives either."""
    papers = [Paper(each, each, year=2000) for each in (SHOWN[0], SHOWN[1], HIDDEN[0])]
    citing = Paper("citing", "citing", year=2005)
    known = KnownPapers([*papers, citing], ())
    graph = CitationGraph(list(known.all.values()), (), known.canonical)
    contexts = [
        Context("c0", "citing", (SHOWN[0], HIDDEN[0]), "We TARGETCIT .", 2005),
        Context("c1", "citing", (SHOWN[1],), "They TARGETCIT .", 2006),
    ]
    settings = MpBertSettings(held_out=held_out)
    given = Questions(known, graph, lambda _query: [], settings, silent)
    examples, history = examples_in(contexts, known, graph, given, settings)
    row = {each: graph.row(each) for each in (SHOWN[0], SHOWN[1], HIDDEN[0])}
    targets = {row[SHOWN[0]], row[SHOWN[1]], *(() if held_out else (row[HIDDEN[0]],))}
    assert {each.target for each in examples} == targets
    drawn = [history.draw(each, 3, 4, 0, number) for number, each in enumerate(examples)]
    used = {paper for each in drawn for paper in (*each.positives, *each.negatives)}
    assert (row[HIDDEN[0]] in used) is not held_out


def test_the_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    """Table 2: AdamW with β₂ .999 and .98, weight decay .01; rates that rise over 2,000 steps, from 10⁻⁷ to
    10⁻⁴ and from 10⁻⁹ to 2 · 10⁻⁵, and then fall with the inverse square root."""
    plans: list[tuple[Plan, dict[str, Any]]] = []

    def caught(made: Learner, plan: Plan, *_more: object) -> Losses:
        plans.append((plan, made.optimizers[0].defaults))
        return Losses([1.0] * plan.steps)

    monkeypatch.setattr(recipe, "train_network", caught)
    settings = MpBertSettings(shape=SHAPE)
    words = Vocabulary(["a"], SHAPE)
    start, losses = recipe.pretrain([["a", "a"]], words, words, settings, torch.device("cpu"), silent)
    given: list[Any] = [None, EXAMPLES, HISTORY, None, None]
    tuned, _ = recipe.fine_tune(start, recipe.Corpus(*given), words, len(words), settings, silent)
    (first, first_options), (second, second_options) = plans
    assert (first.steps, len(losses), second.steps) == (10, 10, 2)
    assert (first_options["betas"], second_options["betas"]) == ((0.9, 0.999), (0.9, 0.98))
    assert first_options["weight_decay"] == second_options["weight_decay"] == 0.01
    for name, weight in start.state_dict().items():  # both encoders begin with the pre-trained weights
        both = [tuned.network.state_dict()[f"{part}.{name}"] for part in ("manuscript", "citation")]
        assert all(torch.equal(each, weight) for each in both)
    for plan, low, high in ((first, 1e-7, 1e-4), (second, 1e-9, 2e-5)):
        assert plan.rate is not None
        rates = [plan.rate(step) for step in (0, 2000, 8000)]
        assert rates == pytest.approx([low, high, high / 2])


def test_documents_and_words() -> None:
    """Of a paper with a full text that is read, of others the abstract; the most frequent words, equally
    frequent ones by the alphabet, behind the placeholder."""
    papers = [Paper("a", "A", "One. Two."), Paper("b", "B", "Three. Four."), Paper("c", "C")]
    full = {"b": FullText("b", (Sentence(1, "1", "Body."),))}
    assert recipe.documents_of(papers, full) == [["One.", "Two."], ["Body."]]
    shape = MpBertShape(layers=1, size=4, heads=2, words=3)
    assert Vocabulary.of(["parse trees parse", "chart trees words"], shape).names[1:] == [
        "parse",
        "trees",
        "chart",
    ]


def test_parts_of_long_documents() -> None:
    """Of ten sentences eight are read that follow each other, from another place in another epoch."""
    words = Vocabulary(["a"], SHAPE)
    document = [str(number) for number in range(10)]
    networks = Encoder(len(words), SHAPE), Decoder(len(words), SHAPE)
    made = PretrainingLearner(*networks, [document], words, words, MpBertSettings(shape=SHAPE))
    parts = [tuple(made._part(0, epoch)) for epoch in range(20)]
    assert {*parts} == {tuple(document[start : start + 8]) for start in range(3)}


def test_what_the_decoder_predicts() -> None:
    """Each word of a masked sentence, and its end, from those before it; padding counts nothing. With equal
    scores for all words the loss is the logarithm of their number."""
    words = Vocabulary(["a", "b", "c"], SHAPE)
    settings = MpBertSettings(shape=SHAPE, masked=1.0)
    made = PretrainingLearner(
        Encoder(len(words), SHAPE), Decoder(len(words), SHAPE), [["a b", "c"]], words, words, settings
    )
    seen: list[Tensor] = []

    def decoder(states: Tensor, before: Tensor) -> Tensor:
        assert states.shape == (2, 4)
        seen.append(before)
        return torch.eye(len(words))[torch.zeros_like(before)] * 0 + torch.tensor(
            [9.0, *[0.0] * (len(words) - 1)]
        )

    made._decoder = decoder  # type: ignore[assignment]
    loss = made.loss(0).item()
    a, b, c = (words.numbers(each)[0] for each in "abc")
    assert seen[0].tolist() == [[END, a, b], [END, c, END]]
    assert loss == pytest.approx(math.log(len(words) - 1 + math.exp(9)), rel=1e-5)
    assert PADDING == 0  # the word that this decoder prefers is none of those that count


def test_vectors_of_manuscripts_and_papers() -> None:
    """A cosine is of vectors by the manuscript encoder and the citation encoder, whatever their lengths."""
    network: Any = Tables()
    scorer = Scorer(network, Numbers(), Sampled(), True, 1)
    found = scorer.scores(Text("m", ("20",)), [Text(each, (each,)) for each in "123"])
    source, papers = network.manuscript.vectors[20], network.citation.vectors[1:4]
    assert found == pytest.approx((papers @ source / papers.norm(dim=1) / source.norm()).numpy(), rel=1e-5)


def test_starting_weights() -> None:
    """Normal with deviation .02, the row of padding zero."""
    network = MpBert(500, MpBertShape(layers=1, size=64, heads=4)).citation
    for each in (network.places.weight, network.lower.words.weight, network.upper.layers[0].linear1.weight):
        assert float(each.detach().std()) == pytest.approx(0.02, rel=0.1)
    assert float(network.upper.layers[0].self_attn.in_proj_weight.detach().std()) == pytest.approx(
        0.02, rel=0.1
    )
    assert not np.any(network.lower.words.weight[PADDING].detach().numpy())
