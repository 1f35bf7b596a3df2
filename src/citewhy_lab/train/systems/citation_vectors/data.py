"""What the baselines learn from: text, and sentences that cite numbered papers; and the baselines of gensim,
word2vec (Mikolov et al. 2013) and doc2vec (Le and Mikolov 2014) as citation models.

As in section 5.3 of Zhang and Ma (2021): a question is the mean of the vectors of its words. For word2vec the
papers are words of the text that cites them; for doc2vec, documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy_lab.train.reranking.words import OTHER, TARGET, tokens
from citewhy_lab.train.systems.citation_vectors.settings import VectorSettings


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
    """The words of a text without placeholders and function words."""
    return [each for each in tokens(text) if each not in (TARGET, OTHER)]


def paper_token(row: int) -> str:
    """The word that stands for a paper in running text."""
    return f"paper:{row}"


def with_papers(each: CitingSentence) -> list[str]:
    """The words of a citing sentence, with those of the cited papers in place of the first placeholder."""
    words = tokens(each.text)
    target = words.index(TARGET) if TARGET in words else len(words)
    cited = [paper_token(row) for row in each.cited]
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
    for row, each in zip(means, questions, strict=True):
        known = [words[word] for word in words_of(each.text) if word in words]
        if known:
            row[:] = np.mean(known, axis=0)
    return means


def word2vec(corpus: Corpus, settings: VectorSettings) -> Neighbours:
    """Vectors of words, with papers as words."""
    from gensim.models import Word2Vec

    sentences = [words_of(text) for text in (*corpus.papers, *corpus.sentences)]
    sentences += [with_papers(each) for each in corpus.citations]
    model = Word2Vec(vector_size=settings.size, **_options(settings))
    model.build_vocab(sentences, trim_rule=_keep_papers)
    model.train(sentences, total_examples=len(sentences), epochs=settings.epochs)
    papers = np.zeros((len(corpus.papers), settings.size), dtype=np.float32)
    for row in range(len(papers)):
        if paper_token(row) in model.wv:
            papers[row] = model.wv[paper_token(row)]
    return Neighbours(model.wv, papers)


def doc2vec(corpus: Corpus, settings: VectorSettings) -> Neighbours:
    """Vectors of words, with papers as documents."""
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
