"""Encoders that `onnxruntime` runs: a folder with a model, a tokenizer and a manifest. No torch, no download.

    model.onnx        token ids and mask [n, t] in, vectors [n, d] of length 1 out (pooling is in the graph)
    tokenizer.json    of the `tokenizers` library
    manifest.json     name, origin, tokens that are read of a query and of a paper, size and CRC of the files

Texts are run one at a time, one on each core. An 8-bit model scales its activations by the largest of the
whole batch: alone, a text has the same vector whatever else is encoded, nothing is padded, and on a few cores
this is as fast as batches are (docs/log.md).
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from citewhy.artifact import read_manifest
from citewhy.assets import encoder_folder
from citewhy.encode.encoder import TextKind, Vectors
from citewhy.errors import DamagedError

__all__ = ["OnnxEncoder", "default_encoder", "open_encoder"]

_MODEL, _TOKENIZER = "model.onnx", "tokenizer.json"


class OnnxEncoder:
    """Opens `folder`; `threads` 0: as many as there are cores.

    Raises DamagedError where a file is missing or not as it was written.
    """

    def __init__(self, folder: Path, threads: int = 0) -> None:
        facts = read_manifest(folder)
        self.name: str = facts["name"]
        self.dimensions: int = facts["dimensions"]
        self.fingerprint = _fingerprint(facts)
        self._tokens: dict[str, int] = facts["tokens"]
        self._folder = folder
        self._threads = threads or _cores()

    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """[len(texts), dimensions], of length 1; of length 0 for a text without words."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        tokens = self._tokenizer(self._tokens[kind]).encode_batch_fast([*texts])
        worded = [place for place, text in enumerate(texts) if text.strip()]
        run = self._session.run

        def put(place: int) -> None:
            ids = np.array([tokens[place].ids], dtype=np.int64)
            vectors[place] = run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]

        if len(worded) <= 1:
            for place in worded:
                put(place)
            return vectors
        # The session lets go of the interpreter while it works.
        with ThreadPoolExecutor(self._threads) as pool:
            for _ in pool.map(put, worded):
                pass
        return vectors

    @functools.cached_property
    def _session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            return onnxruntime.InferenceSession(
                str(self._folder / _MODEL), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime's own errors have no common class
            raise DamagedError(f"the model cannot be loaded ({error})", path=self._folder / _MODEL) from error

    @functools.lru_cache(maxsize=2)  # noqa: B019 # as long as the encoder lives; there is one a process
    def _tokenizer(self, longest: int) -> Any:
        import tokenizers

        tokenizer = tokenizers.Tokenizer.from_file(str(self._folder / _TOKENIZER))
        tokenizer.no_padding()
        tokenizer.enable_truncation(longest)
        return tokenizer


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _fingerprint(facts: Mapping[str, Any]) -> str:
    files = sorted((name, file["crc32"], file["bytes"]) for name, file in facts["files"].items())
    return hashlib.blake2b(repr((files, sorted(facts["tokens"].items()))).encode(), digest_size=8).hexdigest()


@functools.lru_cache(maxsize=1)
def default_encoder() -> OnnxEncoder:
    """The encoder that comes with the package."""
    return OnnxEncoder(encoder_folder())


def open_encoder(folder: Path | None) -> OnnxEncoder:
    """The encoder in `folder`, as `citewhy train encoder` writes it; None: the package's own."""
    return default_encoder() if folder is None else OnnxEncoder(folder)
