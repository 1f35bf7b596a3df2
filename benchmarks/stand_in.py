"""An encoder that costs nothing, for measuring libraries that the real one would take days to encode.

    python benchmarks/stand_in.py FOLDER [--data DIR] [--words 20000]

makes its folder: vectors of the most frequent stems of the papers in DIR, by the built-in encoder, without
their mean, each times its idf. A text's vector is the sum of those of its stems. So texts lie as close to
each other, and in as many groups, as their words do to the real encoder: what is approximate finds neighbours
about as hard as there. What it finds says nothing about quality.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from citewhy.search.encode import default_encoder
from citewhy.search.encode.encoder import TextKind, Vectors
from citewhy.text.tokens import stems
from common import parser

_OTHERS = 4096
"""Vectors that words share which the folder does not have."""

_WORDS, _VECTORS = "words.txt", "vectors.npy"


class StandIn:
    """An `Encoder` of the words in `folder`."""

    name = "stand-in"

    def __init__(self, folder: Path) -> None:
        words = (folder / _WORDS).read_text().split()
        self._row = {word: row for row, word in enumerate(words)}
        self._vectors: Vectors = np.load(folder / _VECTORS)
        self.dimensions = self._vectors.shape[1]
        self.fingerprint = hashlib.blake2b(self._vectors.tobytes(), digest_size=8).hexdigest()

    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """Encodes as `Encoder.encode`; queries and papers alike."""
        encoded = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for place, text in enumerate(texts):
            rows = [self._rows_of(stem) for stem in stems(text)]
            if rows:
                vector = self._vectors[rows].sum(axis=0)
                encoded[place] = vector / max(float(np.linalg.norm(vector)), 1e-9)
        return encoded

    def _rows_of(self, stem: str) -> int:
        row = self._row.get(stem)
        if row is None:
            digest = hashlib.blake2b(stem.encode(), digest_size=4).digest()
            row = self._row[stem] = len(self._vectors) - 1 - int.from_bytes(digest, "little") % _OTHERS
        return row


def make(folder: Path, texts: Sequence[str], most: int) -> None:
    """Writes the folder of a `StandIn` for the `most` frequent stems of `texts`."""
    having = Counter(stem for text in texts for stem in set(stems(text)))
    words = [word for word, _ in having.most_common(most)]
    vectors = default_encoder().encode(words, "query")
    vectors -= vectors.mean(axis=0)
    vectors *= np.array([math.log(len(texts) / having[word]) for word in words], dtype=np.float32)[:, None]
    rare = np.random.default_rng(0).standard_normal((_OTHERS, vectors.shape[1]))
    rare *= np.linalg.norm(vectors[-1]) / np.linalg.norm(rare, axis=1, keepdims=True)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _WORDS).write_text("\n".join(words))
    np.save(folder / _VECTORS, np.concatenate([vectors, rare]).astype(np.float32))


def texts_of(data: Path) -> list[str]:
    """Title and abstract of the papers of a collection."""
    import gzip

    import orjson

    with gzip.open(data / "papers.jsonl.gz") as lines:
        return [f"{row['title']} {row.get('abstract') or ''}" for row in map(orjson.loads, lines)]


def main() -> None:
    arguments = parser(__doc__, "data")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--words", type=int, default=20_000)
    chosen = arguments.parse_args()
    make(chosen.folder, texts_of(chosen.data), chosen.words)


if __name__ == "__main__":
    main()
