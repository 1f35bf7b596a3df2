"""The NCN network, with values worked out by hand."""

from __future__ import annotations

import math

import pytest

for needed in ("torch", "safetensors"):
    pytest.importorskip(needed, reason="needs the extra lab")

import torch  # noqa: E402

from citewhy_lab.train.systems.ncn.network import Contexts, Convolutions, Decoder, Ncn, Titles  # noqa: E402
from citewhy_lab.train.systems.ncn.settings import NcnShape  # noqa: E402

SHAPE = NcnShape(
    word=2,
    state=2,
    filters=2,
    widths=(1, 2),
    author=2,
    author_widths=(1,),
    context_tokens=4,
    title_tokens=3,
    authors=2,
)


def test_convolutions() -> None:
    """Of 1, 3, 2: the filter of width one that doubles has 2, 6, 4, at most 6; that of width two that
    subtracts the first of two from the second has 2 and -1, at most 2; one that is never positive has 0."""
    network = Convolutions(1, 2, (1, 2))
    with torch.no_grad():
        network.layers[0].weight.copy_(torch.tensor([[[2.0]], [[-1.0]]]))
        network.layers[1].weight.copy_(torch.tensor([[[-1.0, 1.0]], [[-1.0, -1.0]]]))
        for layer in network.layers:
            layer.bias.zero_()
        found = network(torch.tensor([[[1.0], [3.0], [2.0]]]))
    assert found.tolist() == [[[6.0, 0.0], [2.0, 0.0]]]


def test_attention() -> None:
    """v · tanh(W s + U h) is tanh(1 + ln 2) for the first output and tanh(ln 2) = .6 for the second; the mean
    is weighted by the softmax of both."""
    decoder = Decoder(3, SHAPE, 0.0)
    with torch.no_grad():
        decoder.keys.weight.copy_(torch.eye(2))
        decoder.query.weight.copy_(torch.eye(2))
        decoder.query.bias.zero_()
        decoder.v.weight.copy_(torch.tensor([[1.0, 0.0]]))
        encoded = torch.tensor([[[1.0, 0.0], [0.0, 1.0]]])
        found = decoder.attend(encoded, decoder.keys(encoded), torch.tensor([[math.log(2), 0.0]]))
    first = 1 / (1 + math.exp(0.6 - math.tanh(1 + math.log(2))))
    assert found[0].tolist() == pytest.approx([first, 1 - first])


def untrained() -> Ncn:
    torch.manual_seed(0)
    network = Ncn(5, 4, 3, SHAPE)
    network.eval()
    return network


def test_words_that_are_equally_probable() -> None:
    """An output layer of zeros gives each of four words the probability 1/4; padding has 0; the score is the
    mean over words, not over places."""
    network = untrained()
    with torch.no_grad():
        network.decoder.output.weight.zero_()
        network.decoder.output.bias.zero_()
    contexts = Contexts(torch.tensor([[1, 2, -1, -1]]), torch.tensor([[1, -1]]))
    titles = Titles(
        torch.tensor([[1, 2, 3], [3, -1, -1]]),
        torch.tensor([[1, 2], [-1, -1]]),
        torch.tensor([0, 0]),
    )
    quarter = math.log(1 / 4)
    chances = network(contexts, titles)
    assert chances.flatten().tolist() == pytest.approx([quarter] * 4 + [0, 0])
    assert network.scores(contexts, titles).tolist() == pytest.approx([quarter, quarter])


def test_probabilities_add_up_to_one() -> None:
    """Over all titles of two words."""
    network = untrained()
    words = torch.tensor([[one, two, -1] for one in range(4) for two in range(4)])
    titles = Titles(words, torch.full((16, 2), -1), torch.zeros(16, dtype=torch.long))
    contexts = Contexts(torch.tensor([[1, 2, 3, 4]]), torch.tensor([[2, 1]]))
    with torch.no_grad():
        total = network(contexts, titles).sum(dim=1).exp().sum()
    assert float(total) == pytest.approx(1.0)


def test_dropout_is_on_the_input_of_the_recurrent_layer() -> None:
    """If all of its input is dropped, the words before make no difference. The state itself is read all the
    same: where the output counts its first number alone, words are not equally probable."""
    torch.manual_seed(0)
    decoder = Decoder(3, SHAPE, dropout=1.0)
    decoder.train()
    with torch.no_grad():
        decoder.output.weight.zero_()
        decoder.output.weight[0, 0] = 5.0
        torch.nn.init.zeros_(decoder.output.bias)
        chances = decoder(torch.rand(1, 4, 2).expand(2, 4, 2), torch.tensor([[0, 1, -1], [2, 1, -1]]))
    assert chances[0, 1].item() == pytest.approx(chances[1, 1].item())
    assert abs(chances[0, 1].item() - math.log(1 / 3)) > 1e-3


def test_what_a_score_depends_on() -> None:
    """Each of the words of the context, its authors, the words of the title and its authors; not the other
    pairs of the batch."""
    network = untrained()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.uniform_(0.1, 1)  # so that ReLU drops nothing

    def score(
        context: list[int], citing: list[int], title: list[int], cited: list[int], others: int = 0
    ) -> float:
        titles = torch.tensor([title, *[[3, 3, 3]] * others])
        people = torch.tensor([cited, *[[1, 1]] * others])
        places = torch.zeros(1 + others, dtype=torch.long)
        contexts = Contexts(torch.tensor([context]), torch.tensor([citing]))
        with torch.no_grad():
            return float(network.scores(contexts, Titles(titles, people, places))[0])

    given = ([1, 2, -1, -1], [1, -1], [1, 2, -1], [2, -1])
    base = score(*given)
    assert score(*given, others=3) == pytest.approx(base, abs=1e-6)
    context, citing, title, cited = given
    assert abs(score([1, 3, -1, -1], citing, title, cited) - base) > 1e-6
    assert abs(score(context, [2, -1], title, cited) - base) > 1e-6
    assert abs(score(context, citing, [2, 1, -1], cited) - base) > 1e-6
    assert abs(score(context, citing, title, [1, -1]) - base) > 1e-6
