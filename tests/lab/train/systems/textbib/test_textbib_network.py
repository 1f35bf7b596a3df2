"""The TEXTBIB network, part by part, against values worked out by hand."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch", reason="needs the extra lab")

from citewhy_lab.train.systems.textbib.network import (  # noqa: E402
    Attention,
    Bibliographic,
    Candidates,
    Contexts,
    Encoder,
    Ragged,
    TextBib,
)
from citewhy_lab.train.systems.textbib.settings import VARIANTS, TextBibShape, Variant  # noqa: E402

TINY = TextBibShape(word=3, state=2, attention=2, author=2, people=2)


def ragged(*texts: list[int]) -> Ragged:
    return Ragged.of(texts)


def test_ragged_softmax_and_sum() -> None:
    """Within each text: e⁰ : e^ln 3 is 1 : 3, one value alone is 1; sums are of each text's own values."""
    values = Ragged(torch.tensor([0.0, math.log(3), 80.0]), torch.tensor([2, 1]))
    assert values.softmax().tolist() == pytest.approx([0.25, 0.75, 1.0])
    assert values.sum().tolist() == pytest.approx([math.log(3), 80.0])


def test_ragged_take() -> None:
    """Texts in any order, the same one twice."""
    taken = ragged([1, 2, 3], [4], [5, 6]).take(torch.tensor([2, 0, 2]))
    assert taken.values.tolist() == [5, 6, 1, 2, 3, 5, 6]
    assert taken.lengths.tolist() == [2, 3, 2]


def test_additive_attention() -> None:
    """a_i = v · tanh(W [q; h_i]) with W = [1 0 | 0 1], v = 2, q = (ln 3 / 2, 5), states (7, 0) and
    (7, −ln 3 / 2): tanh(ln 3 / 2) = ½, so that the scores are 1 and 0, the weights
    e : 1, and the embedding their mean."""
    attention = Attention(TextBibShape(state=1, attention=1))
    half = math.log(3) / 2
    with torch.no_grad():
        attention.query.weight.copy_(torch.tensor([[1.0, 0.0]]))
        attention.state.weight.copy_(torch.tensor([[0.0, 1.0]]))
        attention.v.weight.fill_(2.0)
    states = Ragged(torch.tensor([[7.0, 0.0], [7.0, -half]]), torch.tensor([2]))
    embedding, weights = attention(torch.tensor([[half, 5.0]]), states)
    first = math.e / (math.e + 1)
    assert weights.tolist() == pytest.approx([first, 1 - first])
    assert embedding.tolist()[0] == pytest.approx([7.0, -half * (1 - first)], rel=1e-5)


def test_states_do_not_depend_on_other_texts() -> None:
    """Texts of many lengths, read together, have the states of a plain bidirectional LSTM that reads each
    alone."""
    torch.manual_seed(0)
    encoder = Encoder(20, TINY, dropout=0.0)
    plain = torch.nn.LSTM(3, 2, bidirectional=True, batch_first=True)
    for mine, suffix in ((encoder.forwards, ""), (encoder.backwards, "_reverse")):
        for name, value in mine.named_parameters():
            getattr(plain, name + suffix).data.copy_(value.data)
    texts = [torch.randint(20, (length,)).tolist() for length in (5, 1, 40, 9, 2, 13, 40, 7)]
    together = encoder(Ragged.of(texts)).values
    alone = torch.cat([plain(encoder.embedding(torch.tensor([text])))[0][0] for text in texts])
    assert torch.allclose(together, alone, atol=1e-6)


HALF = math.log(3) / 2
"""tanh(HALF) is ½, tanh(0) is 0."""


def handmade(variant: Variant) -> TextBib:
    """States of two numbers; the score of a state h for a query q is ln 9 · tanh(q₁ + h₂). So a state with
    q₁ + h₂ = HALF weighs 3, one with 0 weighs 1, and one with −HALF a third."""
    network = TextBib(10, 3, TextBibShape(variant=variant, state=1, attention=1, author=1, people=1, span=1))
    with torch.no_grad():
        network.attention.query.weight.copy_(torch.tensor([[1.0, 0.0]]))
        network.attention.state.weight.copy_(torch.tensor([[0.0, 1.0]]))
        network.attention.v.weight.fill_(math.log(9))
    return network


def states(*of_texts: list[list[float]]) -> Ragged:
    lengths = torch.tensor([len(text) for text in of_texts])
    return Ragged(torch.tensor([state for text in of_texts for state in text]), lengths)


def test_what_each_attention_is_asked_with() -> None:
    """The context is asked with the state of its ``TARGETCIT``, title and abstract of the citing paper with
    the context's embedding, the candidate with the sum of both; c is HALF.

    Context (c, 0) and (−3c, −c), the first the target: q₁ = c, weights ¾ and ¼, z_c = (0, −c/4). With the
    mean of the states, or with another state, as the query, they would be others.
    Citing paper (c, c) and (c, 0): q₁ = 0, weights ¾ and ¼, z_ca = (c, ¾c), z = z_c + z_ca = (c, c/2).
    Candidate (10, 0) and (20, −2c): q₁ = c, scores ½ and −½ of ln 9, weights 9/10 and 1/10: (11, −c/5). Asked
    with z_c, the weights would be as 1 to 9^−0.8.
    """
    c = HALF
    network = handmade("TEXTENH")
    context, citing = states([[c, 0.0], [-3 * c, -c]]), states([[c, c], [c, 0.0]])
    plain, enhanced = network.context(context, torch.tensor([True, False]), citing)
    assert plain.tolist()[0] == pytest.approx([0.0, -c / 4], abs=1e-6)
    assert enhanced.tolist()[0] == pytest.approx([c, c / 2])
    scores = network.score(plain, enhanced, states([[10.0, 0.0], [20.0, -2 * c]]), one_candidate())
    wanted = (11 * c - c * c / 10) / (math.hypot(c, c / 2) * math.hypot(11, c / 5))
    assert scores.text.tolist() == pytest.approx([wanted])


def test_a_context_that_is_not_enhanced() -> None:
    """Without the citing paper the candidate is asked with z_c itself."""
    context = states([[HALF, 0.0], [-3 * HALF, -HALF]])
    plain, enhanced = handmade("TEXTCON").context(context, torch.tensor([True, False]), None)
    assert plain.tolist()[0] == pytest.approx([0.0, -HALF / 4], abs=1e-6)
    assert torch.equal(plain, enhanced)


@pytest.mark.parametrize(
    ("variant", "shares"),
    [
        ("TEXTENH", (1, 0)),
        ("TEXTBIBENH-S", (1, 1)),
        ("TEXTBIBENH-WS", (3 / 4, 1 / 4)),
        ("TEXTBIBCON-WS", (3 / 4, 1 / 4)),
    ],
)
def test_the_final_score(variant: Variant, shares: tuple[float, float]) -> None:
    """The text score is 4/5, a cosine; the bibliographic one tanh(ln 2) = 3/5. They are added, or weighed by
    a softmax over the context's embedding (0, 1), which gives ln 3 and 0: ¾ and ¼. Over the enhanced one,
    (4, 3), it would be another one."""
    network = handmade(variant)
    with torch.no_grad():
        if network.shape.bibliographic:
            torch.nn.init.zeros_(network.bibliographic.score.weight)
            network.bibliographic.score.bias.fill_(math.log(2))
        if network.shape.weighted:
            network.weights.weight.copy_(torch.tensor([[7.0, math.log(3)], [0.0, 0.0]]))
            torch.nn.init.zeros_(network.weights.bias)
    plain, enhanced = torch.tensor([[0.0, 1.0]]), torch.tensor([[4.0, 3.0]])
    scores = network.score(plain, enhanced, states([[2.0, 0.0]]), one_candidate())
    assert scores.text.tolist() == pytest.approx([4 / 5])
    assert scores.shares.tolist()[0] == pytest.approx(shares)
    assert scores.final.tolist() == pytest.approx([shares[0] * 4 / 5 + shares[1] * 3 / 5])


def one_candidate() -> Candidates:
    """Beside one context."""
    none = torch.zeros(1, dtype=torch.long)
    return Candidates(ragged([1]), torch.tensor([[1]]), none, none, torch.zeros(1, 2))


def test_several_targets_ask_together() -> None:
    """The query is the mean of the states of all ``TARGETCIT``."""
    network = TextBib(10, 5, TINY)
    asked = []
    network.attention.query.register_forward_hook(lambda _module, given, _out: asked.append(given[0]))
    states = Ragged(torch.tensor([[1.0] * 4, [5.0] * 4, [9.0] * 4]), torch.tensor([3]))
    network.context(states, torch.tensor([True, False, True]), None)
    assert asked[0].tolist() == [[5.0] * 4]


def test_bibliographic_score() -> None:
    """Two authors with embeddings 1 and 3, convolution of width 1 doubling them, the largest is 6; with
    counts 2 and 1 and weights ½, ¼, −1: tanh(3 + ½ − 1)."""
    module = Bibliographic(3, TextBibShape(author=1, people=1, span=1))
    with torch.no_grad():
        module.embedding.weight.copy_(torch.tensor([[-9.0], [1.0], [3.0]]))
        module.convolution.weight.fill_(2.0)
        torch.nn.init.zeros_(module.convolution.bias)
        module.score.weight.copy_(torch.tensor([[0.5, 0.25, -1.0]]))
        module.score.bias.zero_()
    authors = torch.tensor([[1, 2, -1], [1, -1, -1]])
    scores = module(authors, torch.tensor([0, 1, 0]), torch.tensor([[2.0, 1.0], [0.0, 0.0], [0.0, 0.0]]))
    assert scores.tolist() == pytest.approx([math.tanh(2.5), math.tanh(1.0), math.tanh(3.0)])


def test_an_author_who_is_not_there_adds_nothing() -> None:
    """Filling up a row with none changes no score, where a wide convolution sees the gap, too."""
    torch.manual_seed(0)
    module = Bibliographic(4, TINY)
    paper, cited = torch.tensor([0]), torch.tensor([[0.0, 0.0]])
    short = module(torch.tensor([[1, 2]]), paper, cited)
    long = module(torch.tensor([[1, 2, -1, -1, -1]]), paper, cited)
    assert torch.allclose(short, long)


def batch() -> tuple[Contexts, Candidates]:
    contexts = Contexts(
        ragged([1, 2, 3], [1, 4]), torch.tensor([True, False, False, True, False]), ragged([5, 6], [7])
    )
    candidates = Candidates(
        tokens=ragged([2, 3], [8, 9, 4], [5]),
        authors=torch.tensor([[1, 2], [3, -1], [0, -1]]),
        context=torch.tensor([0, 0, 1, 1]),
        paper=torch.tensor([0, 1, 1, 2]),
        cited=torch.tensor([[1.0, 0.0], [0.0, 0.0], [2.0, 1.0], [0.5, 0.0]]),
    )
    return contexts, candidates


@pytest.mark.parametrize("variant", VARIANTS)
def test_variants(variant: Variant) -> None:
    """Exactly the parts that a variant names change its score; shares of WS depend on the context."""
    torch.manual_seed(1)
    shape = TextBibShape(variant=variant, word=3, state=2, attention=2, author=2, people=2)
    network = TextBib(10, 5, shape)
    contexts, candidates = batch()
    scores = network(contexts, candidates)
    other = Contexts(contexts.tokens, contexts.targets, ragged([8], [9, 3]))
    assert torch.equal(network(other, candidates).final, scores.final) == ("CON" in variant)
    people = Candidates(
        candidates.tokens, candidates.authors.flip(0), candidates.context, candidates.paper, candidates.cited
    )
    assert torch.equal(network(contexts, people).final, scores.final) == ("BIB" not in variant)
    shares = scores.shares.detach()
    assert torch.equal(shares[0], shares[2]) == (not variant.endswith("-WS"))  # those of two contexts
