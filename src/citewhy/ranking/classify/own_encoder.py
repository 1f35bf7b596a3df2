"""An encoder in the folder of a classifier, fine-tuned with it.

    model.onnx, tokenizer.json    as those of an encoder (`encode.onnx`), with its facts in the manifest

It reads a printed citation, whatever its form, as one token.
"""

from __future__ import annotations

from collections.abc import Sequence

from citewhy.models import ModelFolder
from citewhy.search.encode.encoder import TextKind, Vectors
from citewhy.search.encode.onnx import OnnxEncoder
from citewhy.text.markers import OTHER, TARGET, mask

CITATION = "§"
"""The token that stands for a citation."""


class OwnEncoder:
    """Thread-safe. Raises what `OnnxEncoder` raises."""

    def __init__(self, folder: ModelFolder) -> None:
        self._encoder = OnnxEncoder(folder)
        self.name, self.fingerprint = self._encoder.name, self._encoder.fingerprint
        self.dimensions = self._encoder.dimensions

    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """Encodes as `Encoder.encode`."""
        return self._encoder.encode([marked(text) for text in texts], kind)


def marked(text: str) -> str:
    """Returns the text with `CITATION` in place of each printed citation."""
    return mask(text).replace(TARGET, CITATION).replace(OTHER, CITATION)
