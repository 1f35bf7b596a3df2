"""Encoders of published vectors: those that others have computed of papers, and give away with their ids. The
reader ``published`` of the kind ``encoder``.

    keys.npy          [n, 16] hashes of the papers' texts, ascending
    rows.npy          [n] the row of each in vectors.npy
    vectors.npy       [m, d] in half precision, of length 1
    model.onnx, tokenizer.json    of an encoder of other texts in the same space (`onnx`), if there is one
    manifest.json     facts: `dimensions`, d; `source`, whose vectors they are; `licence`; `ids`, those by
                      which they were found; `papers`, how many; `reads_texts`, whether there is a
                      network, and then its `tokens`

A folder is made for the papers of one library (`adopt`), by the ids of the rows and the texts of the papers.
A text that has no row is given to the network; where there is none, it has the vector of a text without
words, which nothing is near to.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.artifact import folder_aside
from citewhy.base.errors import DamagedError, ModelError
from citewhy.base.trace import traced
from citewhy.models import ModelFolder, read_model, write_model
from citewhy.search.encode.encoder import TextKind, Vectors
from citewhy.search.encode.onnx import MODEL, TOKENIZER, OnnxEncoder, fingerprint_of

READER = "published"

_KEYS, _ROWS, _VECTORS = "keys.npy", "rows.npy", "vectors.npy"
_KEY = 16
"""Bytes of a hash."""

_HEADER = 128
"""Bytes of the header of vectors.npy, which is written last."""

_CHECKED = 8192
"""Vectors that are checked at once."""

_LENGTH_ERROR = 0.01


class PublishedEncoder:
    """Opens `folder`. Thread-safe. Raises DamagedError if it does not contain valid vectors, or a network of
    other dimensions, and what `OnnxEncoder` raises."""

    def __init__(self, folder: ModelFolder) -> None:
        self.name = folder.name
        self.dimensions = folder.fact("dimensions", int)
        self.source, self.licence = folder.fact("source", str), folder.fact("licence", str)
        self._keys, self._rows = _array(folder, _KEYS), _array(folder, _ROWS)
        self._vectors = _array(folder, _VECTORS)
        self._network = OnnxEncoder(folder) if folder.fact("reads_texts", bool) else None
        tokens = {} if self._network is None else folder.fact("tokens", dict)
        self.fingerprint = fingerprint_of(folder.files, tokens)
        _check(folder, self._keys, self._rows, self._vectors, self.dimensions)
        self._starts = _starts(self._keys)

    @property
    def reads_texts(self) -> bool:
        """Whether it has vectors of texts other than those of the papers that were published."""
        return self._network is not None

    @traced("texts encoded")
    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """[len(texts), dimensions], of length 1; of length 0 for a text without words, and without a network
        also for one that has no row. Raises what `OnnxEncoder.encode` raises."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        others = []
        for position, text in enumerate(texts):
            row = self._row(text) if kind == "paper" and text.strip() else None
            if row is None:
                others.append(position)
            else:
                vector = self._vectors[row].astype(np.float32)
                vectors[position] = vector / np.linalg.norm(vector)
        if others and self._network is not None:
            vectors[others] = self._network.encode([texts[position] for position in others], kind)
        return vectors

    def _row(self, text: str) -> int | None:
        key = np.frombuffer(_key(text), dtype=np.uint8)
        first = np.searchsorted(self._starts, _starts(key[None])[0])
        for place in range(int(first), len(self._starts)):
            if self._starts[place] != _starts(key[None])[0]:
                break
            if np.array_equal(self._keys[place], key):
                return int(self._rows[place])
        return None


class Adopted:
    """What `adopt` writes: vectors of papers, as they come; within its block."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._rows: dict[bytes, int] = {}
        self._count = 0
        self.dimensions = 0
        file.write(b"\0" * _HEADER)

    def put(self, texts: Iterable[str], vector: NDArray[np.float32]) -> bool:
        """Keeps the `vector` [d] of a paper with these texts; the first that comes for a text counts. False
        for a vector that has other dimensions than the first, no length, or values that are not finite."""
        self.dimensions = self.dimensions or len(vector)
        length = float(np.linalg.norm(vector.astype(np.float64)))
        if len(vector) != self.dimensions or not length or not np.isfinite(length):
            return False
        new = [key for key in map(_key, texts) if key not in self._rows]
        if new:
            self._rows.update(dict.fromkeys(new, self._count))
            self._count += 1
            self._file.write((vector / length).astype(np.float16).tobytes())
        return True

    def finish(self, folder: Path) -> None:
        """Writes the keys, and what the file of vectors begins with."""
        header = {"descr": "<f2", "fortran_order": False, "shape": (self._count, self.dimensions)}
        self._file.seek(0)
        np.lib.format.write_array_header_1_0(self._file, header)
        assert self._file.tell() == _HEADER
        ordered = sorted(self._rows)
        keys = np.frombuffer(b"".join(ordered), dtype=np.uint8).reshape(-1, _KEY)
        np.save(folder / _KEYS, keys, allow_pickle=False)
        rows = np.array([self._rows[key] for key in ordered], dtype=np.int64)
        np.save(folder / _ROWS, rows, allow_pickle=False)


def adopt(
    out: Path,
    name: str,
    facts: Callable[[], Mapping[str, Any]],
    rows: Iterable[tuple[Iterable[str], NDArray[np.float32]]],
    network: Path | None = None,
) -> int:
    """Writes an encoder folder of published vectors, given with the texts of their papers; `network` is the
    folder of an encoder of other texts in the same space, `facts` gives what the manifest says when all rows
    are read. Returns the number of rows that are no vectors of
    these dimensions, and left out. Raises ModelError if no row is one, or if the network has other
    dimensions; StorageError."""
    refused = 0
    with folder_aside(out) as folder:
        with (folder / _VECTORS).open("wb+") as file:
            adopted = Adopted(file)
            for texts, vector in rows:
                refused += not adopted.put(texts, vector)
            if not adopted.dimensions:
                raise ModelError("no row has a vector of a paper of the library", hint="check the ids")
            adopted.finish(folder)
        needed: dict[str, Any] = {
            "dimensions": adopted.dimensions,
            "reads_texts": network is not None,
            **facts(),
        }
        shapes = None
        if network is not None:
            model = read_model(network, "encoder")
            if model.fact("dimensions", int) != adopted.dimensions:
                raise ModelError(
                    f"it has {model.fact('dimensions', int)} dimensions, expected {adopted.dimensions}, as "
                    "the vectors have",
                    path=network,
                )
            for part in (MODEL, TOKENIZER):
                (folder / part).write_bytes(model.read(part))
            needed["tokens"] = model.fact("tokens", dict)
            shapes = {MODEL: model.shapes(MODEL)}
        write_model(folder, "encoder", READER, name, needed, shapes)
    return refused


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=_KEY).digest()


def _starts(keys: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """[n] the first half of each key as a number, in the order of keys."""
    starts: NDArray[np.uint64] = np.ascontiguousarray(keys[:, :8]).view(">u8")[:, 0].astype(np.uint64)
    return starts


def _array(folder: ModelFolder, name: str) -> NDArray[Any]:
    mapped: NDArray[Any] = np.load(os.fspath(folder.file(name)), mmap_mode="r", allow_pickle=False)
    return mapped


def _check(
    folder: ModelFolder, keys: NDArray[Any], rows: NDArray[Any], vectors: NDArray[Any], dimensions: int
) -> None:
    """Raises DamagedError unless the arrays belong together, and each vector has length 1."""
    expected = keys.dtype == np.uint8 and rows.dtype == np.int64 and vectors.dtype == np.float16
    fits = expected and keys.shape == (len(rows), _KEY) and rows.ndim == 1 and vectors.ndim == 2
    if not fits or vectors.shape[1] != dimensions or not len(vectors):
        raise DamagedError("the arrays of vectors do not belong together", path=folder.path)
    if rows.size and not (rows.min() >= 0 and rows.max() < len(vectors)):
        raise DamagedError("a hash has no vector", path=folder.path / _ROWS)
    if (np.diff(_starts(keys).astype(np.float64)) < 0).any():
        raise DamagedError("the hashes are not in order", path=folder.path / _KEYS)
    for start in range(0, len(vectors), _CHECKED):
        lengths = np.linalg.norm(vectors[start : start + _CHECKED].astype(np.float32), axis=1)
        if not (np.abs(lengths - 1) <= _LENGTH_ERROR).all():
            raise DamagedError("a vector has not length 1", path=folder.path / _VECTORS)
