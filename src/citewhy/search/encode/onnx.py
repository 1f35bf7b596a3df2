"""Encoders that `onnxruntime` runs: no torch, no download. The reader ``onnx`` of the kind ``encoder``.

    model.onnx        token ids and mask [n, t] in, vectors [n, d] of length 1 out (pooling is in the graph)
    tokenizer.json    of the `tokenizers` library
    manifest.json     facts: `dimensions`, d; `tokens`, how many are read of a query and of a paper

Texts are run one at a time, one on each core. An 8-bit model scales its activations by the largest of the
whole batch: alone, a text has the same vector whatever else is encoded, nothing is padded, and on a few cores
this is as fast as batches are (docs/log/encoders.md). A graphics card gets texts of one length together.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from citewhy.base.assets import encoder_folder
from citewhy.base.errors import DamagedError, ModelError
from citewhy.base.trace import traced
from citewhy.models import Kind, ModelFolder, Shapes, open_model, write_model
from citewhy.models.networks import Device, Network, on_cores, tokens
from citewhy.search.encode.encoder import Encoder, TextKind, Vectors

READER = "onnx"

MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
"""The files of an encoder's folder."""

_INPUTS = {"input_ids", "attention_mask"}

_TOKENS = range(3, 8193)
"""Range of the maximum number of tokens; two of them mark the start and the end."""


_BATCH = 64
"""Texts of one length that run together on a graphics card."""


class OnnxEncoder:
    """Opens `folder`; `threads` 0: one for each core. Thread-safe.

    Raises DamagedError if the folder does not contain a valid network of this form, ModelError if there is no
    such `device`.
    """

    def __init__(self, folder: ModelFolder, threads: int = 0, device: Device = "cpu") -> None:
        self._folder = folder
        self._batch = 1 if device == "cpu" else _BATCH
        self.name = folder.name
        self.dimensions = folder.fact("dimensions", int)
        self._tokens = _token_limits(folder)
        self.fingerprint = fingerprint_of(folder.files, self._tokens)
        self._threads = threads if device == "cpu" else 1
        self._path = folder.path
        self._tokenizer_file = folder.read(TOKENIZER)
        self._tokenizers: dict[int, Any] = {}
        self._network = _opened(folder.read(MODEL), folder.path / MODEL, device)
        _check_shapes(folder, _shapes(self._network), self.dimensions)
        self._probe()

    def on(self, device: Device) -> OnnxEncoder:
        """The same encoder on a device. Raises ModelError if there is none such."""
        return OnnxEncoder(self._folder, self._threads, device)

    @traced("texts encoded")
    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """[len(texts), dimensions], of length 1; of length 0 for a text without words. On a graphics card the
        vectors of 8-bit networks depend a little on what else is encoded. Raises ModelError if the tokenizer
        or the network fails, or returns values that are not finite."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        ids = tokens(self._tokenizer(self._tokens[kind]), texts, self._path)
        worded = [position for position, text in enumerate(texts) if text.strip()]

        batches = _equally_long(ids, worded, self._batch)

        def put(number: int) -> None:
            some = batches[number]
            vectors[some] = self._vectors(np.array([ids[position] for position in some], dtype=np.int64))

        on_cores(put, range(len(batches)), self._threads)
        return vectors

    def _vectors(self, ids: np.ndarray[Any, Any]) -> Vectors:
        """[n, dimensions] for token ids [n, t]."""
        return cast("Vectors", self._network({"input_ids": ids, "attention_mask": np.ones_like(ids)}))

    def _probe(self) -> None:
        """Runs the longest text, which ends with the last token of the vocabulary."""
        last = self._tokenizer(self._tokens["query"]).get_vocab_size() - 1
        ids = np.zeros((1, max(self._tokens.values())), dtype=np.int64)
        ids[0, -1] = last
        try:
            length = float(np.linalg.norm(self._vectors(ids)))
        except ModelError as error:
            raise DamagedError(error.problem, path=error.path, hint=error.hint) from error
        if abs(length - 1) >= 1e-3:
            raise DamagedError(
                f"the network gives a vector of length {length:g}, expected 1", path=self._path / MODEL
            )

    def _tokenizer(self, longest: int) -> Any:
        import tokenizers

        # Kept in the encoder, not in a cache of the method, which would keep the encoder itself.
        if longest not in self._tokenizers:
            tokenizer = tokenizers.Tokenizer.from_buffer(self._tokenizer_file)
            tokenizer.no_padding()
            tokenizer.enable_truncation(longest)
            self._tokenizers[longest] = tokenizer
        return self._tokenizers[longest]


def describe_encoder(
    folder: Path,
    name: str,
    dimensions: int,
    tokens: Mapping[str, int],
    facts: Mapping[str, Any],
    reader: str = READER,
    kind: Kind = "encoder",
) -> None:
    """Writes the manifest of an encoder whose network and tokenizer are in `folder`, or of a model of another
    `kind` that contains one.

    `tokens` is the maximum number of tokens of a ``query`` and of a ``paper``; `reader` opens the folder.
    Raises DamagedError for a network that cannot be loaded.
    """
    network = (folder / MODEL).read_bytes()
    shapes = {MODEL: _shapes(_opened(network, folder / MODEL))}
    needed = {"dimensions": dimensions, "tokens": dict(tokens)}
    write_model(folder, kind, reader, name, {**needed, **facts}, shapes)


def _equally_long(ids: Sequence[Sequence[int]], positions: Sequence[int], most: int) -> list[list[int]]:
    """Groups of at most `most` of the `positions`, whose texts have the same number of tokens."""
    if most == 1:
        return [[position] for position in positions]
    ordered = sorted(positions, key=lambda position: len(ids[position]))
    alike = (list(some) for _, some in itertools.groupby(ordered, key=lambda position: len(ids[position])))
    return [some[start : start + most] for some in alike for start in range(0, len(some), most)]


def _opened(network: bytes, path: Path, device: Device = "cpu") -> Network:
    """`path` is for error messages."""
    try:
        return Network(network, path, device)
    except ModelError:
        raise
    except Exception as error:  # onnxruntime's errors have no common base class
        raise DamagedError(f"the model cannot be loaded ({error})", path=path) from error


def _shapes(network: Network) -> Shapes:
    """Shapes of the network's inputs and outputs, by name."""
    return {**network.inputs, **network.outputs}


def _token_limits(folder: ModelFolder) -> dict[str, int]:
    tokens = folder.fact("tokens", dict)
    limits = {kind: tokens.get(kind) for kind in ("query", "paper")}
    if tokens.keys() != limits.keys() or not all(
        type(limit) is int and limit in _TOKENS for limit in limits.values()
    ):
        raise DamagedError(
            f"the fact 'tokens' is {tokens!r}, expected numbers of tokens for query and paper, "
            f"each from {_TOKENS[0]} to {_TOKENS[-1]}",
            path=folder.path,
        )
    return cast("dict[str, int]", limits)


def _check_shapes(folder: ModelFolder, shapes: Shapes, dimensions: int) -> None:
    """Raises DamagedError for a network of another form, or other than the manifest describes."""
    outputs = [shape for name, shape in shapes.items() if name not in _INPUTS]
    if not shapes.keys() > _INPUTS or len(outputs) != 1 or outputs[0][1:] != (dimensions,):
        raise DamagedError(
            f"the network's inputs and outputs are {_listed(shapes)}, expected input_ids and attention_mask "
            f"[n, t] and one output [n, {dimensions}]",
            path=folder.path / MODEL,
        )
    if folder.shapes(MODEL) != shapes:
        raise DamagedError(
            f"the network's inputs and outputs are {_listed(shapes)}, the manifest says "
            f"{_listed(folder.shapes(MODEL))}",
            path=folder.path / MODEL,
        )


def _listed(shapes: Shapes) -> str:
    return ", ".join(f"{name} [{', '.join(map(str, shape))}]" for name, shape in shapes.items()) or "none"


def fingerprint_of(files: Mapping[str, Mapping[str, Any]], tokens: Mapping[str, int]) -> str:
    """A digest of the files of a model folder, and of how much it reads."""
    listed = sorted((name, file["crc32"], file["bytes"]) for name, file in files.items())
    return hashlib.blake2b(repr((listed, sorted(tokens.items()))).encode(), digest_size=8).hexdigest()


def open_encoder(folder: Path | None, device: Device = "cpu") -> Encoder:
    """The encoder in a model folder; None: the built-in one. Raises what `models.open_model` raises, and
    ModelError if it cannot be run on the `device`."""
    encoder = default_encoder() if folder is None else cast("Encoder", open_model(folder, "encoder"))
    if device == "cpu":
        return encoder
    if not isinstance(encoder, OnnxEncoder):
        raise ModelError(
            f"the encoder {encoder.name} decides itself where it runs", path=folder, hint="leave out --device"
        )
    return encoder.on(device)


@functools.lru_cache(maxsize=1)
def default_encoder() -> Encoder:
    """The built-in encoder."""
    return open_encoder(encoder_folder())
