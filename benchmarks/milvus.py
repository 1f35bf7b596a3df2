"""A library in Milvus beside the same library in local files.

    pip install 'citewhy[milvus,lab]'
    python benchmarks/milvus.py --library DIR --index milvus://HOST:PORT/NAME [--papers N] [--number N]

`--library` is made if it is missing: the papers that the questions cite, and others drawn at random up to
`--papers`, with citing sentences and citations of the training years. The questions are citing sentences
of the year after. Printed are, for each pipeline: for which share of the questions the first 100 papers of
both are the same, in the same order and as a set; R@10 and reciprocal rank of both with 95 % intervals; the
median time of a question. Then what it would cost if the server said more: to look up vectors in it, and to
have the citing sentences scored by statistics of all years, or not as one text, as a server could.

    python benchmarks/milvus.py --library DIR --kills N

starts a server of its own (`tests/support/milvus_servers.py`, `--kind`), and ends it with SIGKILL while it is
loaded, N times, each time after another share of the rows; then counts what is there.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.errors import CiteWhyError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Citation, Context, Paper
from citewhy.papers.formats import Record, read
from citewhy.papers.library.store import Library
from citewhy.ranking.rank.ranker import Pipeline
from citewhy.ranking.recommender import Recommender
from citewhy.search.encode import default_encoder
from citewhy.search.index import Index, View, find_engine, open_index
from citewhy.search.index.arrays import Floats
from citewhy.search.index.bm25 import idfs, norm
from citewhy.search.index.contexts import ContextWords
from citewhy.search.index.fields import BM25, Terms
from citewhy.search.index.milvus.collection import Collection
from citewhy.search.index.milvus.engine import MilvusEngine
from citewhy.search.rules import Scope
from citewhy_lab.evaluate.bootstrap import interval, resampled_means
from citewhy_lab.evaluate.datasets.local import topics
from citewhy_lab.evaluate.datasets.topics import Options, Topic
from common import parser as shared_parser

FIRST = 100
"""Papers that are compared."""

PIPELINES: tuple[Pipeline, ...] = ("dense", "hybrid", "full")

LOOKED_UP = 2500
"""Papers whose vectors a question needs, at most."""


# The library ----------------------------------------------------------------------------------------------


def records(data: Path, papers: int, sentences: int, seed: int) -> Iterator[Record]:
    """A part of the collections: what the questions cite, others, and some of what was said before."""
    wanted = {
        paper
        for record in _read(data / "contexts.val.jsonl.gz")
        if isinstance(record, Context)
        for paper in record.cited_ids
    }
    everyone = [record for record in _read(data / "papers.jsonl.gz") if isinstance(record, Paper)]
    others = [paper.id for paper in everyone if paper.id not in wanted]
    random.Random(seed).shuffle(others)
    kept = wanted | set(others[: max(papers - len(wanted), 0)])
    yield from (paper for paper in everyone if paper.id in kept)
    said = [
        record
        for record in _read(data / "contexts.train.jsonl.gz")
        if isinstance(record, Context) and kept.intersection(record.cited_ids)
    ]
    yield from said[:sentences]
    for record in _read(data / "citations.tsv.gz"):
        if isinstance(record, Citation) and {record.citing_id, record.cited_id} <= kept:
            yield record


def _read(path: Path) -> Iterator[Record]:
    return read(path, ImportReport())


def library_in(folder: Path, data: Path, papers: int, sentences: int, seed: int) -> Library:
    """The library in a folder, which is made and encoded if it is missing."""
    if (folder / "library.db").exists():
        return Library.open(folder)
    library = Library.open(folder, create=True)
    library.add(records(data, papers, sentences, seed))
    open_index(library, default_encoder(), lambda done, total: _tell(f"encoded {done:,} of {total:,}"))
    return library


def _tell(text: str) -> None:
    print(f"\r{text}", end="", file=sys.stderr, flush=True)


# Beside each other ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answers:
    """What a recommender answers to all questions."""

    first: list[list[str]]
    """[q] the first papers."""
    measures: NDArray[np.float64]
    """[q, 3] hits in the first ten, the sum of reciprocal ranks, the number of papers."""
    seconds: list[float]

    def line(self, what: str, seed: int) -> str:
        """The figures, for people."""
        hits, reciprocals, weights = self.measures.T
        shown = []
        for sums in (hits, reciprocals):
            low, high = interval(resampled_means(sums, weights, seed))
            shown.append(f"{sums.sum() / weights.sum():.3f} ({low:.3f}-{high:.3f})")
        return f"{what:44}{shown[0]}  {shown[1]}  {1000 * float(np.median(self.seconds)):6.0f}"


def ask(recommenders: Sequence[Recommender], asked: Sequence[Topic]) -> list[Answers]:
    """The answers of several recommenders, which are asked in turn: a busy machine is busy for all."""
    firsts: list[list[list[str]]] = [[] for _ in recommenders]
    measures: list[list[tuple[float, float, float]]] = [[] for _ in recommenders]
    seconds: list[list[float]] = [[] for _ in recommenders]
    for number, topic in enumerate(asked):
        for place, recommender in enumerate(recommenders):
            begun = time.perf_counter()
            ids = recommender.rank(topic.query, 1000).ids
            seconds[place].append(time.perf_counter() - begun)
            ranks = [ids.index(one) + 1 if one in ids else np.inf for one in sorted(topic.relevant)]
            firsts[place].append(ids[:FIRST])
            measures[place].append(
                (sum(rank <= 10 for rank in ranks), sum(1 / rank for rank in ranks), len(ranks))
            )
        _tell(f"{number + 1} of {len(asked)} questions")
    return [
        Answers(first, np.array(measure, dtype=np.float64), times)
        for first, measure, times in zip(firsts, measures, seconds, strict=True)
    ]


def agreement(one: Answers, other: Answers) -> tuple[float, float]:
    """The shares of questions of which the first papers are the same: in the same order, and as a set."""
    pairs = list(zip(one.first, other.first, strict=True))
    ordered = sum(first == second for first, second in pairs)
    return ordered / len(pairs), sum(set(first) == set(second) for first, second in pairs) / len(pairs)


# What a server could say ----------------------------------------------------------------------------------


class ServedContextWords(ContextWords):
    """The sentences that count, found by a year, with the statistics of all sentences."""

    of_all: Any = None
    joined_too = True

    def single(self, terms: Terms, bm25: BM25) -> Floats:
        """[C] score of each sentence, with frequencies and mean length of all years."""
        field, evidence = self.of_all, self._evidence
        having = np.array(field.document_frequencies(list(terms)), dtype=np.int64)
        everywhere = idfs(field.size, having)
        here = idfs(evidence.sentence_count, self._found.counts)
        weights = np.array(list(terms.values())) * everywhere / np.maximum(here, 1e-9)
        norms = norm(bm25, field.lengths, field.mean_length)
        return self._found.scores(weights.tolist(), evidence.sentence_count, norms, bm25)

    def joined(self, terms: Terms, bm25: BM25) -> Floats:
        """[D] as ever, or nothing: there is no such text in a server."""
        return (
            super().joined(terms, bm25)
            if self.joined_too
            else np.zeros(len(self._evidence.papers), np.float32)
        )


class ServedContextsView(View):
    """A view whose citing sentences are scored as a server would."""

    joined = True

    def _context_words(self, terms: tuple[str, ...]) -> ContextWords:
        def make() -> ContextWords:
            words = ServedContextWords(self._contents.contexts, self._evidence, terms)
            words.of_all, words.joined_too = self._contents.contexts, self.joined
            return words

        return self._once(("context words", terms), make)


class WithoutJoinedView(ServedContextsView):
    """The same without the sentences of a paper as one text."""

    joined = False


class OtherIndex(Index):
    """An index with views of another kind."""

    kind: type[View]

    def view(self, scope: Scope) -> View:
        """The answers as of a scope."""
        return self.kind(self, scope, *self._within(scope))


def viewed(index: Index, kind: type[View]) -> Index:
    """The same index with views of a kind."""
    made = type("Made", (OtherIndex,), {"kind": kind})
    return made(**{field.name: getattr(index, field.name) for field in fields(Index)})  # type: ignore[no-any-return]


def look_ups(engine: MilvusEngine, index: Index, seed: int) -> str:
    """How long it takes to look up vectors in the server, and here."""
    assert index.paper_vectors is not None
    rows = np.random.default_rng(seed).permutation(index.papers())[:LOOKED_UP]
    begun = time.perf_counter()
    found = engine._server.call(
        lambda client: client.query(
            engine._papers.name, ids=rows.tolist(), output_fields=["vector"], timeout=60
        )
    )
    vectors = np.array([row["vector"] for row in found], dtype=np.float32)
    there = time.perf_counter() - begun
    begun = time.perf_counter()
    index.paper_vectors.vectors(rows)
    here = time.perf_counter() - begun
    times = f"{1000 * there:.0f} ms from the server, {1000 * here:.1f} ms here"
    return f"vectors of {len(vectors):,} papers: {times}"


def compare(library: Library, address: str, asked: Sequence[Topic], variants: int, seed: int) -> None:
    """Prints all figures."""
    engine = find_engine(address)
    assert isinstance(engine, MilvusEngine)
    encoder = default_encoder()
    local = open_index(library, encoder)
    begun = time.perf_counter()
    served = engine.open(library, encoder)
    loaded = time.perf_counter() - begun
    sentences = int(np.count_nonzero(local._evidence.of(Scope()).sentences))
    print(
        f"{len(local.papers()):,} papers, {sentences:,} citing sentences; {len(asked):,} questions; "
        f"server {engine._server.version}; loaded in {loaded:.0f} s"
    )
    print(f"{'':44}{'R@10':22}{'RR':22}ms")
    for pipeline in PIPELINES:
        pair = [Recommender(library, pipeline, index=index) for index in (local, served)]
        one, other = ask(pair, asked)
        print(one.line(f"{pipeline}, local files", seed))
        print(other.line(f"{pipeline}, Milvus", seed))
        ordered, as_set = agreement(one, other)
        print(
            f"    the same first {FIRST}: {ordered:.2%} in the same order, {as_set:.2%} as a set", flush=True
        )
    print(look_ups(engine, local, seed))
    some = random.Random(seed).sample(list(asked), min(variants, len(asked)))
    kinds: list[tuple[str, Index]] = [
        ("as of the year, as it is", local),
        ("sentences by statistics of all years", viewed(local, ServedContextsView)),
        ("and no sentences as one text", viewed(local, WithoutJoinedView)),
    ]
    recommenders = [Recommender(library, "full", index=index) for _, index in kinds]
    for (what, _), answers in zip(kinds, ask(recommenders, some), strict=True):
        print(answers.line(what, seed), flush=True)


# Kills ----------------------------------------------------------------------------------------------------


def kills(library: Library, kind: str, times: int, seed: int) -> None:
    """Kills a server while it is loaded, at another place each time, and counts what it has in the end."""
    from milvus_servers import new

    encoder = default_encoder()
    local = open_index(library, encoder)
    running, chance = new(kind), random.Random(seed)
    write, left = Collection.write, 0

    def counting(self: Collection, year: int, rows: Any) -> None:
        nonlocal left
        write(self, year, rows)
        left -= 1
        if left == 0:
            running.kill()

    Collection.write = counting  # type: ignore[method-assign]
    survived = 0
    for number in range(times):
        left = chance.randrange(1, 30)
        begun = time.perf_counter()
        engine = MilvusEngine(running.address("papers"))
        for attempt in range(3):
            try:
                engine.open(library, encoder)
                break
            except CiteWhyError as error:
                if left > 0 or attempt == 2:
                    raise
                _tell(str(error))
                running.start()
                engine = MilvusEngine(running.address("papers"))
        papers, sentences = engine._papers.count(), engine._sentences.count()
        whole = papers == len(local.papers()) and engine.state(library) == ("current", "current")
        survived += whole
        print(
            f"kill {number + 1}: {papers:,} papers and {sentences:,} sentences after "
            f"{time.perf_counter() - begun:.0f} s; {'whole' if whole else 'NOT WHOLE'}",
            flush=True,
        )
        engine._papers.drop()
        engine._sentences.drop()
    print(f"kills: {times} tried, {survived} survived, {times - survived} lost")


def main() -> None:
    """Compares, or kills."""
    options = shared_parser(__doc__, "library", "data")
    options.add_argument("--index", help="address of a collection")
    options.add_argument("--papers", type=int, default=6_000, help="papers of a library that is made")
    options.add_argument("--sentences", type=int, default=100_000, help="its citing sentences, at most")
    options.add_argument("--number", type=int, default=2_000, help="questions, drawn at random")
    options.add_argument("--variants", type=int, default=500, help="questions for what a server could say")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--kills", type=int, default=0, help="kill a server so often, and compare nothing")
    options.add_argument("--kind", choices=["lite", "standalone"], default="standalone")
    given = options.parse_args()
    folder = given.library or Path(tempfile.mkdtemp(prefix="citewhy-milvus-"))
    with library_in(folder, given.data, given.papers, given.sentences, given.seed) as library:
        if given.kills:
            kills(library, given.kind, given.kills, given.seed)
        if given.index:
            asked = topics(given.data / "contexts.val.jsonl.gz", library, Options())
            asked = random.Random(given.seed).sample(asked, min(given.number, len(asked)))
            compare(library, given.index, asked, given.variants, given.seed)


if __name__ == "__main__":
    main()
