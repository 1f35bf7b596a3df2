"""Pretrained word vectors in the formats of word2vec, GloVe and fastText.

gensim reads them, but never its own format, which is a pickle. A file is text (a word and its numbers on each
line, after a line with the number of vectors and their size, or without it, as in GloVe) or word2vec's binary
format. It can be compressed by gzip if its name says so, which gensim relies on.
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

__all__ = ["read_word_vectors", "vector_size"]

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
    found = _load(KeyedVectors, path, form)
    table = np.zeros((len(words), form.size), dtype=np.float32)
    known = [(row, found.key_to_index[word]) for row, word in enumerate(words) if word in found.key_to_index]
    if not known:
        raise InputError("no word of the papers is in this file", path=path, hint="give vectors of words")
    rows, places = np.array(known).T
    table[rows] = found.vectors[places]
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
    found = 0
    for number, line in open_raw_lines(path):
        if number == 1 and form.count is not None:
            continue
        if (size := line.rstrip().count(b" ")) != form.size:
            problem = f"a vector of {size} numbers, expected {form.size}"
            raise InputError(problem, path=path, line=number, hint=_HINT)
        found += 1
    if form.count not in (None, found):
        problem = f"{found:,} vectors, expected {form.count:,} as it says"
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
