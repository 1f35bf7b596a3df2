"""The baselines learn which paper ten topics cite, and know nothing of papers that nobody cites."""

from __future__ import annotations

from typing import get_args

import pytest

for needed in ("torch", "gensim"):
    pytest.importorskip(needed, reason="needs the extra lab")

import numpy as np  # noqa: E402
import torch  # noqa: E402
from small_field import TOPICS, silent  # noqa: E402

from citewhy.text.sections import KINDS  # noqa: E402
from citewhy_lab.train.systems.citation_vectors.settings import Method, VectorSettings  # noqa: E402
from citewhy_lab.train.systems.citation_vectors.training import (  # noqa: E402  # noqa: E402
    CitingSentence,
    Corpus,
    Dacr,
    DualAttention,
    HyperDoc,
    Pairs,
    VectorQuestion,
    by_cosine,
    mean_words,
    negative_sampling,
    read,
    trained,
    with_papers,
)

CORPUS = Corpus(
    [f"A model of {topic}. We study {topic} again." for topic in TOPICS] + ["Nobody cites this model."],
    [],
    [
        CitingSentence(f"We do {topic} {words} TARGETCIT .", "1 Introduction", (), -1, (row,))
        for row, topic in enumerate(TOPICS)
        for words in ("as in", "following", "like")
    ],
)

BRIEF = VectorSettings(
    size=16, epochs=60, citation_epochs=60, learning_rate=0.02, heads=2, batch=8, negatives=4
)


@pytest.mark.parametrize("method", get_args(Method))
def test_ten_topics(method: Method) -> None:
    """A score for each question and paper; papers without a vector have none. What learns from citations
    finds the cited paper of most topics."""
    questions = [VectorQuestion(f"In {topic} we do TARGETCIT") for topic in TOPICS]
    scores = trained(method, CORPUS, BRIEF, silent).scores(questions)
    assert scores.shape == (10, 11)
    assert np.isfinite(scores[:, :10]).all()
    if method != "doc2vec":
        assert np.isneginf(scores[:, 10]).all()
    if method in ("hyperdoc2vec", "dacr"):
        assert sum(int(row.argmax()) == number for number, row in enumerate(scores)) >= 7


def test_papers_in_place_of_the_placeholder() -> None:
    """All cited papers stand where the first placeholder stood."""
    sentence = CitingSentence("We parse OTHERCIT with TARGETCIT trees TARGETCIT", "", (), -1, (4, 7))
    assert with_papers(sentence) == ["parse", "paper:4", "paper:7", "trees"]


def test_cosines() -> None:
    """Of 3, 4 and 4, 3: 24 / 25; a paper without vector has none."""
    found = by_cosine(np.array([[3, 4]], dtype=np.float32), np.array([[4, 3], [0, 0]], dtype=np.float32))
    assert found[0].tolist() == [pytest.approx(0.96), -np.inf]


def test_the_mean_of_a_citation() -> None:
    """Of two words and the citing paper, and of one word alone."""
    words = np.array([[1, 0], [3, 0]], dtype=np.float32)
    network = HyperDoc(words, np.array([[5, 3]], dtype=np.float32))
    found = network(torch.tensor([[0, 1], [1, -1]]), torch.tensor([0, -1]))
    assert found.tolist() == [[3.0, 1.0], [3.0, 0.0]]


def test_negative_sampling() -> None:
    """With products of 0, ln 2 for the target and for each negative that is not the target."""
    zeros = torch.zeros(1, 2)
    loss = negative_sampling(zeros, torch.zeros(3, 2), torch.tensor([0]), torch.tensor([[1, 2, 0]]))
    assert loss.item() == pytest.approx(3 * np.log(2), abs=1e-6)


def test_negatives_by_frequency() -> None:
    """A paper cited sixteen times is drawn eight times as often as one that is cited once; one that is cited
    never is not drawn."""
    citations = [CitingSentence("x", "", (), -1, (row,)) for row in [0] * 16 + [2]]
    drawn = torch.cat(
        [batch[2] for batch in Pairs(citations, VectorSettings(batch=17, negatives=1000)).batches(0)]
    )
    assert float((drawn == 0).float().mean()) == pytest.approx(8 / 9, abs=0.02)
    assert not bool((drawn == 1).any())


def test_rare_papers_and_papers_without_words() -> None:
    """A paper that is cited once has a word2vec vector, though rare words have none; one without words has no
    vector by doc2vec."""
    corpus = Corpus(
        [*CORPUS.papers, ""],
        [],
        [*CORPUS.citations, CitingSentence("We do parsing TARGETCIT", "", (), -1, (10,))],
    )
    question = [VectorQuestion("In parsing we do TARGETCIT")]
    one, other = (
        trained(method, corpus, BRIEF, silent).scores(question)[0] for method in ("word2vec", "doc2vec")
    )
    assert np.isfinite(one[10])
    assert np.isfinite(other[:11]).all()
    assert np.isneginf(other[11])


def test_the_mean_of_a_question() -> None:
    """Of its known words, without placeholders; zeros where there is none."""
    words = {"parse": np.array([1.0, 0.0]), "trees": np.array([3.0, 2.0])}
    asked = [VectorQuestion("parse unknown trees TARGETCIT"), VectorQuestion("TARGETCIT")]
    assert mean_words(words, asked, 2).tolist() == [[2.0, 1.0], [0.0, 0.0]]


def test_what_dacr_is_asked() -> None:
    """The first sixty words, the kind of the section, and the last twenty papers that are known."""
    numbers = {f"w{n}": n for n in range(70)}
    asked = VectorQuestion(" ".join(numbers), "2 Related Work", tuple(range(30)))
    words, sections, known = read([asked], numbers)
    assert words.tolist() == [list(range(60))]
    assert KINDS[int(sections[0])] == "related"
    assert known.tolist() == [list(range(10, 30))]


def test_dacr_without_attention() -> None:
    """Where self-attention adds nothing and additive attention weighs all alike, a question is the mean of
    its words, section and papers; it is compared with the OUT vectors."""
    network = DualAttention(np.eye(3, 4, dtype=np.float32), np.eye(2, 4, k=2, dtype=np.float32), 2)
    with torch.no_grad():
        network.self_attention.out_proj.weight.zero_()
        network.self_attention.out_proj.bias.zero_()
        network.additive[2].weight.zero_()
        network.out.copy_(torch.tensor([[0.0, 0, 0, 0], [1.0, 1, 1, 1]]))
    found = network(torch.tensor([[0, 1]]), torch.tensor([0]), torch.tensor([[1]]))
    assert found.tolist() == [[0.25, 0.25, 0.0, 0.25]]
    scores = Dacr(network, {"parse": 0, "trees": 1}).scores([VectorQuestion("parse trees", "", (1,))])[0]
    assert scores.tolist() == [-np.inf, pytest.approx(0.75**0.5)]


def test_every_pair_once_an_epoch() -> None:
    """Each citation is in one batch; another epoch has another order."""
    settings = VectorSettings(batch=4, negatives=2)
    pairs = Pairs(CORPUS.citations, settings)
    first, second = ([place for batch in pairs.batches(epoch) for place in batch[0]] for epoch in (0, 1))
    assert sorted(first) == sorted(second) == list(range(30))
    assert first != second
    assert all(batch[2].shape[1] == 2 for batch in pairs.batches(0))


def test_what_attention_reads() -> None:
    """The words, the section and the known papers; not padding."""
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    network = DualAttention(
        rng.normal(size=(5, 4)).astype(np.float32), rng.normal(size=(3, 4)).astype(np.float32), 2
    )
    with torch.no_grad():
        network.sections.normal_()

        def vector(words: list[int], section: int, known: list[int]) -> torch.Tensor:
            found: torch.Tensor = network(
                torch.tensor([words]), torch.tensor([section]), torch.tensor([known])
            )
            return found[0]

        base = vector([0, 1], 1, [2])
        assert torch.allclose(vector([0, 1, -1], 1, [2, -1]), base, atol=1e-6)
        for other in (vector([0, 2], 1, [2]), vector([0, 1], 2, [2]), vector([0, 1], 1, [1])):
            assert not torch.allclose(other, base, atol=1e-4)
