"""Word vectors: pretrained ones in the formats of word2vec, GloVe and fastText, and those from the texts at
hand.

gensim reads pretrained ones, but never its own format, which is a pickle. A file is text (a word and its
numbers on each line, after a line with the number of vectors and their size, or without it, as in GloVe) or
word2vec's binary format. It can be compressed by gzip if its name says so, which gensim relies on.

From texts: words with the same neighbours get similar vectors. Factorising positive pointwise mutual
information is equivalent to word2vec (Levy and Goldberg 2014), takes seconds for a collection of papers, and
is deterministic. The length of a vector is the word's idf, so that rare words count for more in a sum.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import InputError, MissingExtraError
from citewhy.text.source import open_lines, open_raw_lines, read_head

_HEAD = 1 << 20
"""Bytes that are read to detect the format: enough for two vectors of any size."""

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
"""The first bytes of compressed data."""

_HINT = "mend the file, or give another"


@dataclass(frozen=True, slots=True)
class _Form:
    """The format of a file; `count` is the number in its first line, None if there is no such line."""

    size: int
    count: int | None
    binary: bool = False


def vector_size(path: Path) -> int:
    """Dimensions of the vectors in a file. Raises InputError for a file without word vectors."""
    return _form(path).size


def read_word_vectors(path: Path, words: Sequence[str]) -> NDArray[np.float32]:
    """[words, size]; a word that is not in the file has a row of zeros. All vectors of the file are in memory
    while it is read.

    Raises InputError for a damaged file, with the line if it is text, or one with none of the words;
    MissingExtraError without gensim.
    """
    try:
        from gensim.models import KeyedVectors
    except ImportError as error:
        raise MissingExtraError("reading word vectors", "lab") from error
    form = _form(path)
    if not form.binary:
        _check_lines(path, form)
    vectors = _load(KeyedVectors, path, form)
    table = np.zeros((len(words), form.size), dtype=np.float32)
    known = [
        (row, vectors.key_to_index[word]) for row, word in enumerate(words) if word in vectors.key_to_index
    ]
    if not known:
        raise InputError("no word of the papers is in this file", path=path, hint="give vectors of words")
    rows, positions = np.array(known).T
    table[rows] = vectors.vectors[positions]
    if not np.isfinite(table).all():
        raise InputError("a vector has a number that is not finite", path=path, hint=_HINT)
    return table


def _load(reader: Any, path: Path, form: _Form) -> Any:
    """gensim's vectors of the whole file."""
    name = str(path.resolve())  # a name that looks like a URL is a file, too
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ResourceWarning
        )  # gensim leaves a file without a first line of counts open
        try:
            return reader.load_word2vec_format(name, binary=form.binary, no_header=form.count is None)
        except (ValueError, EOFError, OSError, MemoryError, AssertionError, zlib.error) as error:
            problem = f"damaged word vectors ({error})"
    _refuse_bad_number(path, form)
    raise InputError(problem, path=path, hint=_HINT)


def _form(path: Path) -> _Form:
    first, _, rest = read_head(path, _HEAD).partition(b"\n")
    with path.open("rb") as file:
        begins = file.read(4)
    if begins == _ZSTD or (begins.startswith(_GZIP) and path.suffix != ".gz"):
        hint = "let the name of a gzip file end in .gz; decompress any other"
        raise InputError("compressed word vectors that cannot be read", path=path, hint=hint)
    parts = first.split()
    if len(parts) == 2 and all(part.isdigit() for part in parts):
        return _Form(int(parts[1]), int(parts[0]), binary=not _is_text(rest.partition(b"\n")[0]))
    if _are_numbers(parts[1:]):
        return _Form(len(parts) - 1, None)
    hint = "give vectors in the format of word2vec (text or binary) or of GloVe"
    raise InputError("no word vectors are in this file", path=path, line=1, hint=hint)


def _is_text(line: bytes) -> bool:
    """32-bit numbers are hardly ever letters alone."""
    try:
        return line.decode().rstrip().isprintable()
    except UnicodeDecodeError:
        return False


def _check_lines(path: Path, form: _Form) -> None:
    """Raises InputError for a line whose vector has another size than the first one (which gensim accepts),
    and for the wrong number of lines."""
    lines = 0
    for number, line in open_raw_lines(path):
        if number == 1 and form.count is not None:
            continue
        if (size := line.rstrip().count(b" ")) != form.size:
            problem = f"a vector of {size} numbers, expected {form.size}"
            raise InputError(problem, path=path, line=number, hint=_HINT)
        lines += 1
    if form.count not in (None, lines):
        problem = f"{lines:,} vectors, expected {form.count:,} as it says"
        raise InputError(problem, path=path, line=1, hint=_HINT)


def _refuse_bad_number(path: Path, form: _Form) -> None:
    """Raises InputError for the first line of a text file with something other than numbers."""
    if form.binary:
        return
    for number, line in open_lines(path):
        if not _are_numbers(line.encode().split()[1:]):
            raise InputError("not a vector of numbers", path=path, line=number, hint=_HINT)


def _are_numbers(parts: Sequence[bytes]) -> bool:
    """At least one."""
    try:
        return bool([float(part) for part in parts])
    except ValueError:
        return False


# From the texts at hand -------------------------------------------------------------------------------------


WINDOW = 5
"""Words to the left and to the right that count as near."""

_MORE, _ROUNDS = 10, 4
"""Dimensions of the random projection beyond those that are kept, and its power iterations."""


def corpus_vectors(texts: Sequence[Sequence[int]], rows: int, size: int, seed: int) -> NDArray[np.float32]:
    """[rows, size] for the numbers of words in `texts`; their mean length is 1. Row 0, that of unknown words,
    is like any other. A word without neighbours has a vector of zeros. Needs SciPy (extra ``train``)."""
    from scipy.sparse import coo_matrix

    lengths = np.array([len(text) for text in texts])
    flat = np.concatenate([np.asarray(text, dtype=np.int64) for text in texts])
    owner = np.repeat(np.arange(len(texts)), lengths)
    near = coo_matrix((rows, rows), dtype=np.float64).tocsr()
    for step in range(1, min(WINDOW, len(flat) - 1) + 1):
        same = owner[step:] == owner[:-step]
        pairs = (flat[:-step][same], flat[step:][same])
        near = near + coo_matrix((np.ones(len(pairs[0])), pairs), shape=(rows, rows)).tocsr()
    near = (near + near.T).tocoo()
    times = np.asarray(near.sum(axis=1)).ravel()
    information = np.log(near.data * times.sum() / (times[near.row] * times[near.col]))
    kept = information > 0
    table = coo_matrix((information[kept], (near.row[kept], near.col[kept])), shape=(rows, rows)).tocsr()
    vectors = _factors(table, size, seed)
    vectors = _unit(vectors)
    vectors *= _rarity(flat, owner, rows)
    vectors /= max(float(np.linalg.norm(vectors, axis=1).mean()), 1e-9)
    table32: NDArray[np.float32] = vectors.astype(np.float32)
    return table32


def joined_vectors(
    neighbours: NDArray[np.float32], encoded: NDArray[np.float32], size: int
) -> NDArray[np.float32]:
    """[rows, size] one vector for each word from two tables, [rows, …] each: the principal components of
    both side by side (meta-embeddings: Yin and Schütze 2016), `encoded` centred around its mean. Rows keep
    the length that they have in `neighbours`; a word without a vector in one table has that of the other.
    """
    long = np.linalg.norm(neighbours, axis=1)
    there = np.linalg.norm(encoded, axis=1) > 0
    centred = np.where(there[:, None], encoded - encoded[there].mean(axis=0), 0) if there.any() else encoded
    both = np.hstack([_unit(neighbours), _unit(centred)]).astype(np.float64)
    _, directions = np.linalg.eigh(both.T @ both)
    kept = _unit(both @ directions[:, ::-1][:, :size])
    kept *= np.where(long > 0, long, long[long > 0].mean() if (long > 0).any() else 1.0)[:, None]
    table: NDArray[np.float32] = np.zeros((len(neighbours), size), dtype=np.float32)
    table[:, : kept.shape[1]] = kept
    return table


def _unit(vectors: NDArray[Any]) -> NDArray[Any]:
    long = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[Any] = np.divide(vectors, long, out=np.zeros_like(vectors), where=long > 1e-9)
    return unit


def _factors(table: Any, size: int, seed: int) -> NDArray[np.float64]:
    """[rows, size] U √S of a symmetric sparse table, from a random projection (Halko et al. 2011): some
    products, where the exact factors take minutes."""
    rows = table.shape[0]
    sought = min(size + _MORE, rows)
    basis = np.random.default_rng(seed).normal(size=(rows, sought))
    for _ in range(_ROUNDS):
        basis, _ = np.linalg.qr(table @ basis)
    small, strength, _ = np.linalg.svd(basis.T @ (table @ basis))
    vectors = np.zeros((rows, size))
    kept = min(size, sought)
    vectors[:, :kept] = (basis @ small[:, :kept]) * np.sqrt(strength[:kept])
    return vectors


def _rarity(flat: NDArray[np.int64], owner: NDArray[np.int64], rows: int) -> NDArray[np.float64]:
    """[rows, 1] ln(texts / texts with the word), at least 0."""
    texts = int(owner.max()) + 1
    having = np.bincount(np.unique(owner * rows + flat) % rows, minlength=rows)
    rarity: NDArray[np.float64] = np.log(texts / np.maximum(having, 1))
    return rarity[:, None]
