"""Baselines that learn vectors from citing sentences, and a baseline by name.

HyperDoc2Vec (Han et al. 2018): papers have a vector as citing papers (IN) and one as cited papers (OUT). The
mean of the IN vectors of the citing paper and of the words around a citation predicts the OUT vector of the
cited paper, against negatives drawn by frequency. IN vectors start from doc2vec. Questions are the means of
their words, and papers their OUT vectors, as in section 5.3 of Zhang and Ma (2021).

DACR, the dual attention model (Zhang and Ma 2020): self-attention over the words around a citation, the
heading of its section and the other papers that the manuscript cites, and additive attention that weighs what
comes out, predict the OUT vector of the cited paper. All vectors start from HyperDoc2Vec.

They learn from text, and from sentences that cite numbered papers. gensim has two further baselines, word2vec
(Mikolov et al. 2013) and doc2vec (Le and Mikolov 2014) as citation models.

As in section 5.3 of Zhang and Ma (2021): a question is the mean of the vectors of its words. For word2vec the
papers are words of the text that cites them; for doc2vec, documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from citewhy.base.progress import Progress
from citewhy.text.sections import KINDS, section_kind
from citewhy_lab.train.requirements import check_modules
from citewhy_lab.train.reranking.words import OTHER, TARGET, padded, tokens
from citewhy_lab.train.sampling.co_citations import AliasTable
from citewhy_lab.train.systems.citation_vectors.settings import Method, VectorSettings


@dataclass(frozen=True, slots=True)
class VectorQuestion:
    """A manuscript at a citation."""

    text: str
    """The citing sentence and its neighbours, with the placeholder of the citation."""
    section: str = ""
    known: tuple[int, ...] = ()
    """Other papers that the manuscript cites."""


@dataclass(frozen=True, slots=True)
class CitingSentence(VectorQuestion):
    """A question with its answers."""

    citing: int = -1
    """The citing paper; -1 if it is none of the numbered ones."""
    cited: tuple[int, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Corpus:
    """Training data."""

    papers: Sequence[str]
    """The text of each numbered paper."""
    sentences: Sequence[str]
    """Further running text."""
    citations: Sequence[CitingSentence]


def words_of(text: str) -> list[str]:
    """Returns the words of a text without placeholders and function words."""
    return [token for token in tokens(text) if token not in (TARGET, OTHER)]


def paper_token(row: int) -> str:
    """Returns the word that stands for a paper in running text."""
    return f"paper:{row}"


def with_papers(sentence: CitingSentence) -> list[str]:
    """Returns the words of a citing sentence, with those of the cited papers in place of the first
    placeholder."""
    words = tokens(sentence.text)
    target = words.index(TARGET) if TARGET in words else len(words)
    cited = [paper_token(row) for row in sentence.cited]
    rest = [word for word in words[target:] if word not in (TARGET, OTHER)]
    return [*(word for word in words[:target] if word != OTHER), *cited, *rest]


def by_cosine(queries: NDArray[np.float32], papers: NDArray[np.float32]) -> NDArray[np.float32]:
    """[n, p] cosines; -inf for papers whose vector is zero, which are not known."""
    cosines: NDArray[np.float32] = _unit(queries) @ _unit(papers).T
    cosines[:, ~papers.any(axis=1)] = -np.inf
    return cosines


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[np.float32] = (vectors / np.where(lengths, lengths, 1)).astype(np.float32)
    return unit


# word2vec and doc2vec --------------------------------------------------------------------------------------


class Neighbours:
    """Vectors of words, and one for each paper."""

    def __init__(self, words: Any, papers: NDArray[np.float32]) -> None:
        self.words, self.papers = words, papers

    def scores(self, questions: Sequence[VectorQuestion]) -> NDArray[np.float32]:
        """[n, papers] cosines; -inf for a paper without vector."""
        return by_cosine(mean_words(self.words, questions, self.papers.shape[1]), self.papers)


def mean_words(words: Any, questions: Sequence[VectorQuestion], size: int) -> NDArray[np.float32]:
    """[n, size] the mean vectors of the words; zeros for a question without known words."""
    means = np.zeros((len(questions), size), dtype=np.float32)
    for row, question in zip(means, questions, strict=True):
        known = [words[word] for word in words_of(question.text) if word in words]
        if known:
            row[:] = np.mean(known, axis=0)
    return means


def word2vec(corpus: Corpus, settings: VectorSettings) -> Neighbours:
    """Returns vectors of words, with papers as words."""
    from gensim.models import Word2Vec

    sentences = [words_of(text) for text in (*corpus.papers, *corpus.sentences)]
    sentences += [with_papers(citation) for citation in corpus.citations]
    model = Word2Vec(vector_size=settings.size, **_options(settings))
    model.build_vocab(sentences, trim_rule=_keep_papers)
    model.train(sentences, total_examples=len(sentences), epochs=settings.epochs)
    papers = np.zeros((len(corpus.papers), settings.size), dtype=np.float32)
    for row in range(len(papers)):
        if paper_token(row) in model.wv:
            papers[row] = model.wv[paper_token(row)]
    return Neighbours(model.wv, papers)


def doc2vec(corpus: Corpus, settings: VectorSettings) -> Neighbours:
    """Returns vectors of words, with papers as documents."""
    from gensim.models.doc2vec import Doc2Vec, TaggedDocument

    texts = [words_of(text) for text in corpus.papers]
    documents = [TaggedDocument(words, [row]) for row, words in enumerate(texts)]
    model = Doc2Vec(documents, vector_size=settings.size, **_options(settings))
    papers = model.dv.vectors[: len(texts)].copy()
    papers[[row for row, words in enumerate(texts) if not words]] = 0
    return Neighbours(model.wv, papers)


def _options(settings: VectorSettings) -> dict[str, Any]:
    return {
        "window": settings.window,
        "negative": settings.negatives,
        "min_count": settings.least,
        "epochs": settings.epochs,
        "seed": settings.seed,
        "workers": 1,  # with more, the order of updates depends on the clock
    }


def _keep_papers(word: str, _count: int, _least: int) -> int:
    from gensim.utils import RULE_DEFAULT, RULE_KEEP

    rule: int = RULE_KEEP if word.startswith("paper:") else RULE_DEFAULT
    return rule


_WORDS, _PAPERS = 60, 20
"""Words around a citation, and other cited papers, that are read."""


class TrainedVectors(Protocol):
    """A trained baseline."""

    def scores(self, questions: Sequence[VectorQuestion]) -> NDArray[np.float32]:
        """[n, papers]; higher is better, -inf for papers that the model does not know."""
        ...


def trained(method: Method, corpus: Corpus, settings: VectorSettings, progress: Progress) -> TrainedVectors:
    """Returns a baseline by name. Raises MissingExtraError without gensim."""
    check_modules("gensim")
    if method == "word2vec":
        return word2vec(corpus, settings)
    if method == "doc2vec":
        return doc2vec(corpus, settings)
    if method == "hyperdoc2vec":
        return hyperdoc2vec(corpus, settings, progress)
    return dacr(corpus, settings, progress)


# HyperDoc2Vec ----------------------------------------------------------------------------------------------


class HyperDoc(nn.Module):  # type: ignore[misc,unused-ignore]
    """Tables of IN vectors of words and of papers, and of OUT vectors of papers."""

    def __init__(self, words: NDArray[np.float32], papers: NDArray[np.float32]) -> None:
        """Both [n, d]: the IN vectors before training. OUT vectors start from zero."""
        super().__init__()
        self.words = nn.Parameter(torch.from_numpy(words.copy()))
        self.papers = nn.Parameter(torch.from_numpy(papers.copy()))
        self.out = nn.Parameter(torch.zeros(papers.shape))

    def forward(self, words: Tensor, citing: Tensor) -> Tensor:
        """[n, d] means of `words` [n, w] and of the paper `citing` [n], of which -1 are none."""
        there = torch.cat([words >= 0, citing[:, None] >= 0], dim=1)
        vectors = torch.cat(
            [self.words[words.clamp(min=0)], self.papers[citing.clamp(min=0)][:, None]], dim=1
        )
        mean: Tensor = (vectors * there[:, :, None]).sum(dim=1) / there.sum(dim=1, keepdim=True).clamp(min=1)
        return mean


class Pairs:
    """A citing sentence and one of its papers, in batches with negatives; shuffled anew in each epoch."""

    def __init__(self, citations: Sequence[CitingSentence], settings: VectorSettings) -> None:
        self._pairs = [
            (position, row) for position, citation in enumerate(citations) for row in citation.cited
        ]
        self._cited, counts = np.unique([row for _, row in self._pairs], return_counts=True)
        self._table = AliasTable(counts.astype(np.float64) ** 0.75)
        self._settings = settings

    def batches(self, epoch: int) -> Iterator[tuple[list[int], Tensor, Tensor]]:
        """Yields places of sentences, cited papers [n], and negatives [n, m]."""
        rng = np.random.default_rng((self._settings.seed, epoch))
        order, size = rng.permutation(len(self._pairs)), self._settings.batch
        for start in range(0, len(order), size):
            chosen = [self._pairs[position] for position in order[start : start + size].tolist()]
            drawn = self._cited[self._table.draw(len(chosen) * self._settings.negatives, rng)]
            targets = torch.tensor([row for _, row in chosen])
            yield [position for position, _ in chosen], targets, torch.from_numpy(drawn).view(len(chosen), -1)


def negative_sampling(queries: Tensor, out: Tensor, targets: Tensor, negatives: Tensor) -> Tensor:
    """Computes the mean of −log σ(q · o_t) − Σ log σ(−q · o_n) (Mikolov et al. 2013); a negative that is the
    target counts for nothing. Shapes: queries [n, d], out [papers, d], targets [n], negatives [n, m]."""
    right = functional.logsigmoid((queries * out[targets]).sum(dim=1))
    wrong = functional.logsigmoid(-torch.einsum("nd,nmd->nm", queries, out[negatives]))
    return -(right + wrong.masked_fill(negatives == targets[:, None], 0.0).sum(dim=1)).mean()


def steps(network: nn.Module, losses: Iterator[Tensor], rate: float) -> None:
    """Makes a step of Adam for each loss."""
    optimizer = torch.optim.Adam(network.parameters(), rate)
    for loss in losses:
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def hyperdoc2vec(corpus: Corpus, settings: VectorSettings, progress: Progress) -> Neighbours:
    """Trains HyperDoc2Vec."""
    start = doc2vec(corpus, settings)
    numbers: dict[str, int] = start.words.key_to_index
    network = HyperDoc(start.words.vectors, start.papers)
    pairs = Pairs(corpus.citations, settings)
    words = [
        [numbers[word] for word in words_of(citation.text) if word in numbers]
        for citation in corpus.citations
    ]

    def losses() -> Iterator[Tensor]:
        for epoch in range(settings.citation_epochs):
            progress("citations", epoch / settings.citation_epochs)
            for positions, targets, negatives in pairs.batches(epoch):
                citing = torch.tensor([corpus.citations[position].citing for position in positions])
                near = torch.from_numpy(padded([words[position] for position in positions]))
                queries = network(near, citing)
                yield negative_sampling(queries, network.out, targets, negatives)

    steps(network, losses(), settings.learning_rate)
    trained = dict(zip(numbers, network.words.detach().numpy(), strict=True))
    return Neighbours(trained, network.out.detach().numpy())


# DACR ------------------------------------------------------------------------------------------------------


class DualAttention(nn.Module):  # type: ignore[misc,unused-ignore]
    """[n, d] vectors of questions."""

    def __init__(self, words: NDArray[np.float32], papers: NDArray[np.float32], heads: int) -> None:
        """Both [n, d]: vectors before training; `heads` divides d."""
        super().__init__()
        size = words.shape[1]
        self.words = nn.Parameter(torch.from_numpy(words.copy()))
        self.papers = nn.Parameter(torch.from_numpy(papers.copy()))
        self.out = nn.Parameter(torch.from_numpy(papers.copy()))
        self.sections = nn.Parameter(torch.zeros(len(KINDS), size))
        self.self_attention = nn.MultiheadAttention(size, heads, batch_first=True)
        self.additive = nn.Sequential(nn.Linear(size, size), nn.Tanh(), nn.Linear(size, 1, bias=False))

    def forward(self, words: Tensor, sections: Tensor, known: Tensor) -> Tensor:
        """`words` [n, w] and `known` papers [n, k], of which -1 are none; `sections` [n]."""
        parts = [
            self.words[words.clamp(min=0)],
            self.sections[sections][:, None],
            self.papers[known.clamp(min=0)],
        ]
        there = torch.cat(
            [words >= 0, torch.ones_like(sections, dtype=torch.bool)[:, None], known >= 0], dim=1
        )
        inputs = torch.cat(parts, dim=1)
        states = inputs + self.self_attention(inputs, inputs, inputs, key_padding_mask=~there)[0]
        weights = self.additive(states)[:, :, 0].masked_fill(~there, -torch.inf).softmax(dim=1)
        mean: Tensor = torch.einsum("ns,nsd->nd", weights, states)
        return mean


class Dacr:
    """A trained network of DACR."""

    def __init__(self, network: DualAttention, numbers: dict[str, int]) -> None:
        self._network = network.eval()
        self._numbers = numbers

    def scores(self, questions: Sequence[VectorQuestion]) -> NDArray[np.float32]:
        """[n, papers] cosines; -inf for a paper without vector."""
        with torch.no_grad():
            parts = [
                self._network(*read(questions[start : start + 256], self._numbers)).numpy()
                for start in range(0, len(questions), 256)
            ]
        return by_cosine(np.concatenate(parts), self._network.out.detach().numpy())


def read(questions: Sequence[VectorQuestion], numbers: dict[str, int]) -> tuple[Tensor, Tensor, Tensor]:
    """Words, sections and known papers of n questions as numbers."""
    words = [
        [numbers[word] for word in words_of(question.text) if word in numbers][:_WORDS]
        for question in questions
    ]
    sections = [KINDS.index(section_kind(question.section, 1)) for question in questions]
    known = padded([question.known[-_PAPERS:] for question in questions])
    return torch.from_numpy(padded(words)), torch.tensor(sections), torch.from_numpy(known)


def dacr(corpus: Corpus, settings: VectorSettings, progress: Progress) -> Dacr:
    """Trains DACR."""
    start = hyperdoc2vec(corpus, settings, progress)
    numbers = {word: number for number, word in enumerate(start.words)}
    torch.manual_seed(settings.seed)
    network = DualAttention(np.stack(list(start.words.values())), start.papers, settings.heads)
    pairs = Pairs(corpus.citations, settings)

    def losses() -> Iterator[Tensor]:
        for epoch in range(settings.citation_epochs):
            progress("attention", epoch / settings.citation_epochs)
            for positions, targets, negatives in pairs.batches(epoch):
                queries = network(*read([corpus.citations[position] for position in positions], numbers))
                yield negative_sampling(queries, network.out, targets, negatives)

    steps(network, losses(), settings.learning_rate)
    return Dacr(network, numbers)
