"""From named features to rows of numbers."""

from __future__ import annotations

import math
import zlib

import numpy as np
import pytest
from hash_encoder import HashEncoder

from citewhy.base.records import SentenceInContext
from citewhy.ranking.classify.features import Features
from citewhy.ranking.classify.vectorizer import Vectorizer

SENTENCES = [SentenceInContext(text) for text in ("trees trees parse", "trees", "a cat")]


def rows(vectorizer: Vectorizer, sentences: list[SentenceInContext]) -> np.ndarray:
    """[n, columns]"""
    found = vectorizer.sparse(sentences)
    table = np.zeros((len(sentences), vectorizer.columns))
    for row, (first, last) in enumerate(zip(found.starts, found.starts[1:], strict=False)):
        np.add.at(table[row], found.columns[first:last], found.values[first:last])
    return table


def test_tf_idf() -> None:
    """Names that two of three sentences have, or all: here "trees" alone, with idf ln 4/3 + 1, scaled to
    length 1; with names of one sentence, "trees" counts 1 + ln 2 times beside "parse"."""
    learned = Vectorizer.learn(Features(words={"text": 1}), SENTENCES, least=2)
    assert learned.vocabulary == ("text:trees",)
    assert learned.idf == pytest.approx([math.log(4 / 3) + 1])
    assert rows(learned, SENTENCES).tolist() == [[1], [1], [0]]
    whole = Vectorizer.learn(Features(words={"text": 1}), SENTENCES, least=1)
    assert whole.vocabulary == ("text:a", "text:cat", "text:parse", "text:trees")
    parse, trees = math.log(2) + 1, (1 + math.log(2)) * (math.log(4 / 3) + 1)
    assert rows(whole, SENTENCES)[0] == pytest.approx(
        np.array([0, 0, parse, trees]) / math.hypot(parse, trees)
    )


def test_each_text_has_length_one() -> None:
    """Words of the sentence and of the one before are scaled apart; what is no n-gram is left as it is."""
    features = Features(words={"text": 1, "previous": 1}, section=True)
    sentence = SentenceInContext("a b", previous="c", section="Results")
    learned = Vectorizer.learn(features, [sentence], least=1)
    assert learned.vocabulary == ("in:results", "previous:c", "text:a", "text:b")
    assert rows(learned, [sentence])[0] == pytest.approx([1, 1, math.sqrt(0.5), math.sqrt(0.5)])


def test_binary() -> None:
    """1 for what is there, and no idf."""
    learned = Vectorizer.learn(Features(words={"text": 1}, weighting="binary"), SENTENCES, least=1)
    assert learned.idf is None
    assert rows(learned, SENTENCES)[0].tolist() == [0, 0, 1, 1]


def test_hashed() -> None:
    """A name's column is its CRC-32 on every machine; two names in one column count together."""
    learned = Vectorizer.learn(Features(words={"text": 1}, weighting="binary"), SENTENCES, 1, buckets=8)
    assert (learned.vocabulary, learned.columns) == (None, 8)
    column = zlib.crc32(b"text:cat") % 8
    assert rows(learned, [SentenceInContext("cat")])[0].tolist() == [float(n == column) for n in range(8)]
    one = Vectorizer.learn(Features(words={"text": 1}), SENTENCES, 1, buckets=1)
    assert rows(one, SENTENCES).tolist() == [[1], [1], [1]]


def test_vectors_of_an_encoder() -> None:
    """Behind the names, text after text."""
    encoder = HashEncoder()
    features = Features(words={"text": 1}, encoder=("text", "previous"))
    learned = Vectorizer.learn(features, SENTENCES, 1, encoder=encoder)
    assert learned.width == learned.columns + 2 * encoder.dimensions
    asked = [SentenceInContext("trees", previous="a cat")]
    wanted = np.concatenate([encoder.encode(["trees"], "query"), encoder.encode(["a cat"], "query")], axis=1)
    assert np.array_equal(learned.dense(asked), wanted)
    assert Vectorizer.learn(Features(), SENTENCES, 1).dense(asked).shape == (1, 0)


def test_parts_that_do_not_fit() -> None:
    """No idf for tf-idf, no encoder for its vectors."""
    with pytest.raises(ValueError, match="expected 1 inverse document frequencies"):
        Vectorizer(Features(), ["text:a"])
    with pytest.raises(ValueError, match="need an encoder"):
        Vectorizer(Features(encoder=("text",)), ["text:a"], idf=np.ones(1, dtype=np.float32))
