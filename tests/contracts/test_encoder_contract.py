"""Contract of all encoders (`citewhy.search.encode.Encoder`)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from model_makers import in_threads, made, of_kind

from citewhy.search.encode import CachedEncoder, Encoder, TextKind, open_encoder

TEXTS = [
    "BLEU: a Method for Automatic Evaluation of Machine Translation",
    "We parse sentences with trees . " * 40,
    "x",
    "ü 机器翻译 ∑ \u202e",
    "1984, 12.5 % (!)",
]

KINDS: tuple[TextKind, ...] = get_args(TextKind)


@pytest.fixture(scope="module", params=of_kind("encoder"))
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(request.param, tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def encoder(folder: Path) -> Encoder:
    return open_encoder(folder)


def test_what_it_says_of_itself(encoder: Encoder) -> None:
    """It has a name, a hexadecimal fingerprint, and a number of dimensions."""
    assert encoder.name.strip()
    assert re.fullmatch("[0-9a-f]{8,}", encoder.fingerprint)
    assert encoder.dimensions > 0


@pytest.mark.parametrize("kind", KINDS)
def test_shape_and_length(encoder: Encoder, kind: TextKind) -> None:
    """[texts, dimensions], 32 bits, with vectors of length 1; a text without words has length 0."""
    vectors = encoder.encode([*TEXTS, "", " \n\t"], kind)
    assert vectors.shape == (len(TEXTS) + 2, encoder.dimensions)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1] * len(TEXTS) + [0, 0], abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_encode(encoder: Encoder, kind: TextKind) -> None:
    """Without texts there are no vectors, and the array has the right width."""
    assert encoder.encode([], kind).shape == (0, encoder.dimensions)
    assert encoder.encode([], kind).dtype == np.float32


@pytest.mark.parametrize("kind", KINDS)
def test_a_vector_is_that_of_its_text_alone(encoder: Encoder, kind: TextKind) -> None:
    """A vector is bitwise the same alone, among others, in another order, twice in a batch, and again."""
    together = encoder.encode(TEXTS, kind)
    alone = np.concatenate([encoder.encode([text], kind) for text in TEXTS])
    assert np.array_equal(together, alone)
    assert np.array_equal(encoder.encode(TEXTS[::-1], kind), together[::-1])
    assert np.array_equal(encoder.encode([TEXTS[2], *TEXTS, TEXTS[2]], kind)[1:-1], together)


def test_opened_twice(folder: Path, encoder: Encoder) -> None:
    """Opened twice, a folder gives the same fingerprint and vectors."""
    again = open_encoder(folder)
    assert again.fingerprint == encoder.fingerprint
    assert np.array_equal(again.encode(TEXTS, "paper"), encoder.encode(TEXTS, "paper"))


def test_many_threads(encoder: Encoder) -> None:
    """Eight threads get the same vectors as one."""
    alone = encoder.encode(TEXTS, "query")
    for found in in_threads(lambda _time: encoder.encode(TEXTS, "query"), range(16)):
        assert np.array_equal(found, alone)


def test_what_is_kept_is_the_same(encoder: Encoder) -> None:
    """A caching encoder keeps the contract: it returns the same vectors, at first and from the cache."""
    cached = CachedEncoder(encoder)
    assert (cached.name, cached.fingerprint) == (encoder.name, encoder.fingerprint)
    for kind in KINDS:
        for texts in (TEXTS, TEXTS[::-1], [TEXTS[1]], []):
            assert np.array_equal(cached.encode(texts, kind), encoder.encode(texts, kind))
