"""word2vec (Mikolov et al. 2013) and doc2vec (Le and Mikolov 2014) as citation models, with gensim.

As in section 5.3 of Zhang and Ma (2021): a question is the mean of the vectors of its words. For word2vec the
papers are words of the text that cites them; for doc2vec, documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy_lab.train.systems.citation_vectors.data import (
    Corpus,
    Question,
    by_cosine,
    paper_token,
    with_papers,
    words_of,
)
from citewhy_lab.train.systems.citation_vectors.settings import Settings

__all__ = ["Neighbours", "doc2vec", "mean_words", "word2vec"]


class Neighbours:
    """Vectors of words, and one for each paper."""

    def __init__(self, words: Any, papers: NDArray[np.float32]) -> None:
        self.words, self.papers = words, papers

    def scores(self, questions: Sequence[Question]) -> NDArray[np.float32]:
        """[n, papers] cosines; -inf for a paper without vector."""
        return by_cosine(mean_words(self.words, questions, self.papers.shape[1]), self.papers)


def mean_words(words: Any, questions: Sequence[Question], size: int) -> NDArray[np.float32]:
    """[n, size]; zeros for a question without known words."""
    found = np.zeros((len(questions), size), dtype=np.float32)
    for row, each in zip(found, questions, strict=True):
        known = [words[word] for word in words_of(each.text) if word in words]
        if known:
            row[:] = np.mean(known, axis=0)
    return found


def word2vec(corpus: Corpus, settings: Settings) -> Neighbours:
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


def doc2vec(corpus: Corpus, settings: Settings) -> Neighbours:
    from gensim.models.doc2vec import Doc2Vec, TaggedDocument

    texts = [words_of(text) for text in corpus.papers]
    documents = [TaggedDocument(words, [row]) for row, words in enumerate(texts)]
    model = Doc2Vec(documents, vector_size=settings.size, **_options(settings))
    papers = model.dv.vectors[: len(texts)].copy()
    papers[[row for row, words in enumerate(texts) if not words]] = 0
    return Neighbours(model.wv, papers)


def _options(settings: Settings) -> dict[str, Any]:
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
