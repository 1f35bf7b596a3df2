"""What a library of any size needs, from bytes and seconds that were measured at a size that was run.

    python benchmarks/sizing.py MEASURED.json [--papers N …] [--json]

MEASURED.json is the report of `benchmarks/scaling.py`; its largest size is taken. Everything here is
arithmetic with the assumptions below, which are printed with it: nothing was run at these sizes. Memory and
disk grow in proportion to the papers; so does the work of adding and of encoding; a query is divided among
shards, each of a size that was run.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import orjson

from common import parser as shared_parser

GB = 1e9
DIMENSION = 384


@dataclass(frozen=True)
class Measured:
    """What was measured, for one paper where it grows with them."""

    papers: float
    """The size at which it was measured."""
    library: float
    """Bytes of the library's file, a paper: records, words, citations, citing sentences."""
    index: float
    """Bytes of postings and tables, a paper."""
    vectors: float
    """Number of vectors, a paper: of its text, of parts of its abstract, of sentences that cite it."""
    add: float
    """Processor seconds to add a paper, without encoding."""
    encode: float
    """Processor seconds to encode one text."""
    fixed: float
    """Processor seconds of a query whatever the size: those at the smallest size."""
    query: float
    """Processor seconds that a query costs more at this size."""
    resident: float
    """Bytes that a process has in memory after a hundred queries."""


@dataclass(frozen=True)
class Assumed:
    """What is assumed, and not measured."""

    memory: float = 128 * GB
    """Bytes of memory of a machine."""
    processors: int = 16
    used: float = 0.7
    """The share of memory and processors that is planned with; the rest is for merges and peaks."""
    replicas: int = 2
    """Machines that hold each shard, so that one may fail."""
    price: float = 0.8
    """Price of a machine for an hour, in dollars."""
    storage: float = 0.023
    """Price of a gigabyte of object storage for a month, in dollars."""
    new: float = 0.01
    """Papers that are new in a month, as a share."""
    changed: float = 0.02
    """Papers of which a source changes something in a month, as a share."""
    busy: float = 20.0
    """Queries a second in the busiest hour."""


@dataclass(frozen=True)
class Vectors:
    """How an engine keeps a vector of 384 dimensions, in bytes."""

    name: str
    in_memory: float
    on_disk: float


KINDS = (
    Vectors("HNSW over 8 bits (M = 32)", DIMENSION + 2 * 32 * 4 * 1.03, DIMENSION + 2 * 32 * 4 * 1.03),
    Vectors("IVF over 8 bits", DIMENSION + 8, DIMENSION + 8),
    Vectors("IVF over 1 bit (RaBitQ), refined from 8 bits on disk", DIMENSION / 8 + 8 + 8, DIMENSION + 8),
)
"""8 bits are a byte a dimension; HNSW has 2 M links of 4 bytes in its lowest layer and a thirtieth of that
above it; lists of IVF have an id of 8 bytes; RaBitQ has a bit a dimension and two numbers of 4 bytes."""


@dataclass(frozen=True)
class Need:
    """What a number of papers needs with one kind of vectors."""

    papers: float
    kind: str
    texts: float
    disk: float
    """Bytes of one copy: library, words, vectors."""
    memory: float
    """Bytes of one copy: words and tables, and what of the vectors is in memory."""
    shards: int
    machines: int
    build_hours: float
    """On these machines, with all their processors."""
    build_cost: float
    refresh_hours: float
    """A month's new and changed papers, on these machines."""
    month_cost: float
    """Of the machines and of the storage of one copy, in dollars."""


def need(papers: float, kind: Vectors, measured: Measured, assumed: Assumed = Assumed()) -> Need:
    """The arithmetic. A shard is as large as a machine's memory allows, and no larger than what answers the
    busiest hour: a query has a cost whatever the size, and another one in proportion to the papers, which the
    shards divide."""
    texts = papers * measured.vectors
    disk = papers * (measured.library + measured.index) + texts * kind.on_disk
    memory = papers * measured.index + texts * kind.in_memory
    by_memory = memory / (assumed.memory * assumed.used)
    grown = measured.query * papers / measured.papers
    work = assumed.busy * (measured.fixed + grown)  # processors that are busy
    by_work = work / (assumed.processors * assumed.used) / assumed.replicas  # copies share the queries
    shards = math.ceil(max(by_memory, by_work))
    machines = shards * assumed.replicas
    hour = machines * assumed.processors * assumed.used * 3600
    whole = papers * measured.add + texts * measured.encode
    build, refresh = whole / hour, whole * (assumed.new + assumed.changed) / hour
    return Need(
        papers=papers,
        kind=kind.name,
        texts=texts,
        disk=disk,
        memory=memory,
        shards=shards,
        machines=machines,
        build_hours=build,
        build_cost=build * machines * assumed.price,
        refresh_hours=refresh,
        month_cost=machines * assumed.price * 730 + disk / GB * assumed.storage,
    )


def read_measured(path: Path) -> Measured:
    """Reads the section ``measured`` of a report. Exits with a sentence where it lacks a figure."""
    facts = orjson.loads(path.read_bytes()).get("measured", {})
    missing = [field.name for field in fields(Measured) if field.name not in facts]
    if missing:
        sys.exit(f"{path}: no figure for {', '.join(missing)}, expected the report of benchmarks/scaling.py")
    return Measured(**{field.name: float(facts[field.name]) for field in fields(Measured)})


def rows(needs: Sequence[Need]) -> Iterator[str]:
    """A table in Markdown."""
    heads = [
        *("papers", "vectors", "texts", "disk, one copy", "memory, one copy", "shards × copies"),
        *("to build", "a month's changes", "a month"),
    ]
    yield f"| {' | '.join(heads)} |"
    yield "| ---: | --- |" + " ---: |" * (len(heads) - 2)
    for one in needs:
        yield (
            f"| {one.papers / 1e6:,.0f} million | {one.kind} | {one.texts / 1e6:,.0f} million "
            f"| {one.disk / GB:,.0f} GB | {one.memory / GB:,.0f} GB | {one.shards} × "
            f"{one.machines // one.shards} "
            f"| {one.build_hours:,.1f} h, ${one.build_cost:,.0f} | {one.refresh_hours:,.1f} h "
            f"| ${one.month_cost:,.0f} |"
        )


def main() -> None:
    arguments = shared_parser(__doc__, "json")
    arguments.add_argument("measured", type=Path)
    arguments.add_argument("--papers", type=float, nargs="+", default=[1e7, 2.5e8])
    given = arguments.parse_args()
    measured, assumed = read_measured(given.measured), Assumed()
    needs = [need(papers, kind, measured, assumed) for papers in given.papers for kind in KINDS]
    if given.json:
        document = {
            "measured": asdict(measured),
            "assumed": asdict(assumed),
            "needs": list(map(asdict, needs)),
        }
        print(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
        return
    print("\n".join(rows(needs)))
    print("\nMeasured: " + ", ".join(f"{name} {value:.4g}" for name, value in asdict(measured).items()))
    print("Assumed: " + ", ".join(f"{name} {value:.4g}" for name, value in asdict(assumed).items()))


if __name__ == "__main__":
    main()
