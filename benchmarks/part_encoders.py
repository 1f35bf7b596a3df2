"""What a smaller encoder for the parts of abstracts would save and cost.

    python benchmarks/part_encoders.py --library DIR --questions FILE… [--data DIR] [--layers N…] [--texts N]
                                       [--epochs N] [--number N] [--seed N]

Most texts of a library are parts of abstracts. The smaller encoder has some layers of the network from which
the package's encoder was made, and learns to give the vectors of the latter (mean squared error) for parts of
papers of the data folder; it is exported like any encoder. Then the questions are asked with the vectors of
the parts by either encoder, and with none. Use a library and questions of another field than the data
folder's. A line for each: R@10 and reciprocal rank with 95 % intervals, the paired difference of the latter
to the package's encoder, and texts a second on one core.
"""

from __future__ import annotations

import gzip
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import orjson
import torch
from numpy.typing import NDArray
from torch.nn import functional

from citewhy.base.records import Paper
from citewhy.papers.library.store import Library
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import Encoder, Vectors, default_encoder, open_encoder
from citewhy.search.encode.texts import part_texts
from citewhy.search.index import Index, open_index
from citewhy.search.index.arrays import Rows
from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from citewhy_lab.evaluate.datasets.local import topics
from citewhy_lab.evaluate.datasets.topics import Options
from citewhy_lab.train.requirements import default_start
from citewhy_lab.train.systems.encoder.export import export, sentence_encoder
from citewhy_lab.train.systems.encoder.network import TextModel
from citewhy_lab.train.systems.encoder.settings import TOKENS
from common import parser as shared_parser
from partial_vectors import answered

_USUAL = "the package's"
_BATCH = 32
_RATE = 2e-4
_TIMED = 300


@dataclass(frozen=True)
class PartsOf:
    """Vectors of the parts of papers, by row: `Parts`."""

    starts: NDArray[np.int64]
    vectors: Vectors

    def of(self, rows: Rows) -> tuple[NDArray[np.int64], Vectors]:
        """Gives the vectors of the parts of `rows`, with the positions of these."""
        positions = [
            (position, number)
            for position, row in enumerate(rows.tolist())
            for number in range(self.starts[row], self.starts[row + 1])
        ]
        chosen = np.array(positions, dtype=np.int64).reshape(-1, 2)
        return chosen[:, 0], self.vectors[chosen[:, 1]]


def parts_in(data: Path, number: int, seed: int) -> list[str]:
    """Draws parts of abstracts of the data folder."""
    with gzip.open(data / "papers.jsonl.gz") as lines:
        rows = [orjson.loads(line) for line in lines]
    papers = (Paper(row["id"], row["title"], row["abstract"]) for row in rows if row.get("abstract"))
    texts = [text for paper in papers for text in part_texts(paper)]
    return random.Random(seed).sample(texts, min(number, len(texts)))


def distilled(layers: Sequence[int], texts: Sequence[str], epochs: int, folder: Path, seed: int) -> Encoder:
    """Trains the smaller encoder on `texts`, and exports it to `folder`."""
    torch.manual_seed(seed)
    start = default_start()
    student = TextModel(start)
    stack = student.network.encoder
    stack.layer = torch.nn.ModuleList(stack.layer[layer] for layer in layers)
    student.network.config.num_hidden_layers = len(layers)
    targets = torch.from_numpy(default_encoder().encode(texts, "paper"))
    optimizer = torch.optim.AdamW(student.network.parameters(), lr=_RATE)
    steps = epochs * (len(texts) // _BATCH)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, steps)
    chance, losses = random.Random(seed), []
    for epoch in range(epochs):
        order = sorted(chance.sample(range(len(texts)), len(texts)), key=lambda at: len(texts[at]) // 40)
        batches = [order[at : at + _BATCH] for at in range(0, len(order) - _BATCH + 1, _BATCH)]
        for batch in chance.sample(batches, len(batches)):
            vectors = student.vectors([texts[at] for at in batch], TOKENS["paper"])
            loss = functional.mse_loss(vectors, targets[batch]) * vectors.shape[1]
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        near = 1 - np.mean(losses[-100:]) / 2
        print(f"{len(layers)} layers, epoch {epoch + 1}: cosine {near:.3f}", flush=True)
    student.network.eval()
    export(sentence_encoder(student, start / "tokenizer.json"), folder, "parts", {}, texts[:50])
    return open_encoder(folder)


def with_parts(index: Index, library: Library, encoder: Encoder | None) -> Index:
    """The index with the vectors of parts by another encoder, or without any."""
    ids = index.ids(np.arange(index.tables.rows))
    papers = library.papers(ids)
    texts = [part_texts(papers[one]) if encoder and one in papers else [] for one in ids]
    starts = np.concatenate([[0], np.cumsum([len(some) for some in texts])]).astype(np.int64)
    flat = [text for some in texts for text in some]
    size = default_encoder().dimensions
    vectors = encoder.encode(flat, "paper") if encoder else np.zeros((0, size), dtype=np.float32)
    return replace(index, part_vectors=PartsOf(starts, vectors.astype(np.float16).astype(np.float32)))


def speed(encoder: Encoder, texts: Sequence[str]) -> float:
    """Texts a second on one core, without sharing any."""
    begun = time.process_time()
    encoder.encode(texts, "paper")
    return len(texts) / (time.process_time() - begun)


def shown(measures: NDArray[np.float64], usual: NDArray[np.float64], seed: int) -> str:
    """The figures of a line."""
    hits, reciprocals, weights = measures.T
    figures = []
    for sums in (hits, reciprocals, reciprocals - usual[:, 1]):
        low, high = interval(resampled_means(sums, weights, seed))
        figures.append(f"{sums.sum() / weights.sum():6.3f} ({low:.3f} to {high:.3f})")
    return "  ".join(figures)


def main() -> None:
    """Prints a line for each encoder of parts and each file of questions."""
    options = shared_parser(__doc__, "data", "library!")
    options.add_argument("--questions", type=Path, nargs="+", required=True, help="as of `evaluate local`")
    options.add_argument("--layers", type=int, nargs="+", default=[0, 2, 5], help="which are kept, from 0")
    options.add_argument("--texts", type=int, default=20_000, help="texts to learn from")
    options.add_argument("--epochs", type=int, default=2)
    options.add_argument("--number", type=int, default=400, help="questions of each file, drawn at random")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    texts = parts_in(given.data, given.texts + _TIMED, given.seed)
    learnt, timed = texts[_TIMED:], texts[:_TIMED]
    with tempfile.TemporaryDirectory() as scratch, Library.open(given.library) as library:
        smaller = distilled(given.layers, learnt, given.epochs, Path(scratch) / "encoder", given.seed)
        encoders = {_USUAL: default_encoder(), "smaller": smaller, "no parts": None}
        for name, encoder in encoders.items():
            if encoder is not None:
                print(f"{name}: {speed(encoder, timed):.0f} texts a second")
        index = open_index(library, default_encoder())
        indexes = {name: with_parts(index, library, encoder) for name, encoder in encoders.items()}
        for file in given.questions:
            asked = topics(file, library, Options())
            asked = random.Random(given.seed).sample(asked, min(given.number, len(asked)))
            rows = {
                name: answered(Recommender(library, "full", index=contents), asked)
                for name, contents in indexes.items()
            }
            for name, measures in rows.items():
                print(f"{file.name[:24]:26}{name:16}{shown(measures, rows[_USUAL], given.seed)}")


if __name__ == "__main__":
    main()
