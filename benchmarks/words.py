"""BM25 over many papers: our postings beside bm25s and tantivy.

    python benchmarks/words.py PAPERS.jsonl [--queries FILE] [--count 200] [--skip bm25s,tantivy] [--json]

PAPERS has a JSON object a line, with `id`, `title`, `abstract` and `year` (`benchmarks/corpus.py` makes such
files). All three index the same stems of titles and abstracts, with k1 = 1.2 and b = 0.75, which tantivy
fixes, and are asked for the best 100 for the stems of citing sentences: among all papers and, but for bm25s
which has no filters, among those not newer than the year of the sentence. Told are processor seconds of
building, bytes on disk, processor milliseconds a question, and the share of our first 100 that the others
find. tantivy (`pip install tantivy`) keeps the length of a text in one byte, so that its scores differ.
"""

from __future__ import annotations

import importlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from citewhy.base.records import Paper
from citewhy.search.index.bm25 import Field
from citewhy.search.index.fields import BM25
from citewhy.search.index.hits import best
from citewhy.search.index.local import refresh
from citewhy.search.index.segments import PaperSegment
from citewhy.text.tokens import stems
from common import DATA, parser

K = 100
PLAIN = BM25(k1=1.2, b=0.75)
_WARM = 10

Ask = Callable[[Sequence[str], int | None], list[int]]
"""The best papers for some stems, not newer than a year; None: of any year."""


def papers_in(file: Path) -> Iterator[dict[str, Any]]:
    """Yields the papers of a file of JSON lines."""
    with file.open("rb") as lines:
        yield from map(json.loads, lines)


def stems_of(row: dict[str, Any]) -> list[str]:
    """Lists the stems of title and abstract."""
    return stems(f"{row['title']} {row.get('abstract') or ''}")


def ours(file: Path, folder: Path, years: np.ndarray[Any, Any]) -> Ask:
    """Indexes the papers in batches as a library does."""
    coming = enumerate(papers_in(file))
    records = ((n, Paper(str(n), row["title"], row.get("abstract") or "")) for n, row in coming)
    (name,) = refresh._save(folder, PaperSegment, records)
    segment = PaperSegment.load(folder / name)
    field = Field([segment.text], [None], len(years))
    ranks = np.arange(len(years), dtype=np.int32)

    def ask(terms: Sequence[str], year: int | None) -> list[int]:
        query = {term: float(terms.count(term)) for term in terms}
        scores = field.scores(query, PLAIN)
        if year is not None:
            scores = scores * (years <= year)
        return [int(row) for row in best(None, scores, ranks, K).rows]

    return ask


def with_bm25s(file: Path, folder: Path, years: np.ndarray[Any, Any]) -> Ask:
    """Indexes the papers with bm25s, which scores them when it indexes them."""
    import bm25s

    vocabulary: dict[str, int] = {}
    ids = [
        [vocabulary.setdefault(stem, len(vocabulary)) for stem in stems_of(row)] for row in papers_in(file)
    ]
    index = bm25s.BM25(k1=PLAIN.k1, b=PLAIN.b, method="lucene")
    index.index((ids, vocabulary), show_progress=False)
    index.save(folder)
    del ids
    index = bm25s.BM25.load(folder, mmap=True)

    def ask(terms: Sequence[str], _year: int | None) -> list[int]:
        known = [[vocabulary[term] for term in terms if term in vocabulary]]
        found, _ = index.retrieve(known, k=K, show_progress=False)
        return [int(row) for row in found[0]]

    return ask


def with_tantivy(file: Path, folder: Path, years: np.ndarray[Any, Any]) -> Ask:
    """Indexes the papers with tantivy, in one thread."""
    tantivy: Any = importlib.import_module("tantivy")  # it is not among what is installed for development
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="whitespace", index_option="freq")
    builder.add_unsigned_field("row", stored=True, fast=True)
    builder.add_unsigned_field("year", indexed=True, fast=True)
    schema = builder.build()
    index = tantivy.Index(schema, path=str(folder))
    writer = index.writer(heap_size=400_000_000, num_threads=1)
    for row, paper in enumerate(papers_in(file)):
        fields = {"text": " ".join(stems_of(paper)), "row": row, "year": int(years[row])}
        writer.add_document(tantivy.Document.from_dict(fields, schema))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def ask(terms: Sequence[str], year: int | None) -> list[int]:
        should = [
            (tantivy.Occur.Should, tantivy.Query.term_query(schema, "text", term, "freq")) for term in terms
        ]
        query = tantivy.Query.boolean_query(should)
        if year is not None:
            early = tantivy.Query.range_query(schema, "year", tantivy.FieldType.Unsigned, 0, year)
            early = tantivy.Query.const_score_query(early, 0.0)
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Must, early)])
        hits = searcher.search(query, K, count=False).hits
        return [searcher.doc(address)["row"][0] for _, address in hits]

    return ask


ENGINES = {"our postings": ours, "bm25s": with_bm25s, "tantivy": with_tantivy}


def measured(
    ask: Ask, questions: Sequence[tuple[list[str], int | None]]
) -> tuple[list[float], list[list[int]]]:
    """Measures processor milliseconds of each question, and keeps what was found."""
    for terms, year in questions[:_WARM]:
        ask(terms, year)
    times, found = [], []
    for terms, year in questions:
        begun = time.process_time()
        found.append(ask(terms, year))
        times.append(1e3 * (time.process_time() - begun))
    return times, found


def compare(
    file: Path, questions: Sequence[tuple[list[str], int]], skip: Sequence[str]
) -> list[dict[str, Any]]:
    """Builds and asks each engine in turn."""
    years = np.array([row.get("year") or 0 for row in papers_in(file)], dtype=np.int64)
    rows, reference = [], list[list[int]]()
    for name, make in ENGINES.items():
        if name in skip:
            continue
        folder = Path(tempfile.mkdtemp(prefix="citewhy-words-"))
        try:
            begun = time.process_time()
            ask = make(file, folder, years)
            built = time.process_time() - begun
            size = sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())
            times, found = measured(ask, [(terms, None) for terms, _ in questions])
            row = {"engine": name, "papers": len(years), "build s": built, "MB": size / 1e6}
            row |= {"p50 ms": float(np.quantile(times, 0.5)), "p95 ms": float(np.quantile(times, 0.95))}
            if name != "bm25s":
                row["p50 ms, year"] = float(np.quantile(measured(ask, questions)[0], 0.5))
            reference = reference or found
            shared = [
                len(set(one) & set(own)) / max(len(own), 1) for one, own in zip(found, reference, strict=True)
            ]
            rows.append(row | {"first 100 shared": float(np.mean(shared))})
        finally:
            shutil.rmtree(folder)
    return rows


def main() -> None:
    arguments = parser(__doc__, "json")
    arguments.add_argument("papers", type=Path)
    arguments.add_argument("--queries", type=Path, default=DATA / "contexts.val.jsonl.gz")
    arguments.add_argument("--count", type=int, default=200)
    arguments.add_argument("--skip", default="", help="engines that are left out, separated by commas")
    chosen = arguments.parse_args()
    import gzip

    with gzip.open(chosen.queries) as lines:
        asked = [json.loads(line) for _, line in zip(range(chosen.count), lines, strict=False)]
    questions = [(stems(row["text"]), int(row["citing_year"])) for row in asked]
    rows = compare(chosen.papers, questions, chosen.skip.split(","))
    if chosen.json:
        print(json.dumps(rows))
        return
    columns = list(dict.fromkeys(column for row in rows for column in row))
    print("| " + " | ".join(columns) + " |\n|" + " --- |" * len(columns))
    for row in rows:
        cells = [row.get(column, "") for column in columns]
        print(
            "| "
            + " | ".join(f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in cells)
            + " |"
        )


if __name__ == "__main__":
    main()
