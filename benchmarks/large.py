"""The full pipeline on libraries of several sizes: opening, first and later answers, memory.

    python benchmarks/stand_in.py STAND_IN
    python benchmarks/corpus.py …                     a corpus of any size, to be added with --no-vectors
    python benchmarks/large.py STAND_IN LIBRARY… [--data DIR] [--count 100] [--json]

Each library is opened by a process of its own, which first encodes what has no vector yet with the encoder in
STAND_IN (that is not measured), and again by another one, which answers citing sentences as of their years.
Told are seconds from the start of the process to the first suggestion; milliseconds a question; the stages
that take most; resident memory; and what each figure is to that of the first library. The seconds of one
processor (`cpu`) depend less on what else is running than those of the clock.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

from common import parser

_WARM = 5
_STAGES = 8
_PAGE = os.sysconf("SC_PAGE_SIZE")


def encode(stand_in: Path, library: Path) -> None:
    """Makes the vectors of a library."""
    from citewhy.papers.library.store import Library
    from citewhy.search.index import open_index
    from stand_in import StandIn

    with Library.open(library) as opened:
        open_index(opened, StandIn(stand_in))


def ask(stand_in: Path, library: Path, questions: list[dict[str, Any]]) -> dict[str, Any]:
    """Opens a library and asks: the work of one process."""
    wall, cpu = time.perf_counter(), time.process_time()
    from citewhy.base.records import Query
    from citewhy.base.trace import Stage, listening
    from citewhy.papers.library.store import Library
    from citewhy.ranking.model_set import PACKAGE_MODELS
    from citewhy.ranking.recommender import Recommender
    from citewhy.search.index import open_index
    from stand_in import StandIn

    encoder, stages = StandIn(stand_in), list[Stage]()
    asked = [
        Query("local", row["text"], year=row["citing_year"], citing_id=row["citing_id"]) for row in questions
    ]
    with Library.open(library) as opened:
        index = open_index(opened, encoder)
        recommender = Recommender(opened, index=index, models=replace(PACKAGE_MODELS, encoder=encoder))
        figures: dict[str, Any] = {"papers": len(index.papers()), "open cpu s": time.process_time() - cpu}
        recommender.suggest(asked[0], 10)
        figures |= {"first s": time.perf_counter() - wall, "first cpu s": time.process_time() - cpu}
        figures["MB after the first"] = _resident()
        for query in asked[1 : _WARM + 1]:
            recommender.suggest(query, 10)
        walls, cpus = [], []
        with listening(stages.append):
            for query in asked:
                wall, cpu = time.perf_counter(), time.process_time()
                recommender.suggest(query, 10)
                walls.append(1e3 * (time.perf_counter() - wall))
                cpus.append(1e3 * (time.process_time() - cpu))
    for name, times in (("ms", walls), ("cpu ms", cpus)):
        ordered = sorted(times)
        figures |= {f"p{share} {name}": ordered[len(ordered) * share // 100] for share in (50, 95)}
    own: dict[str, float] = defaultdict(float)
    for stage in stages:
        own[stage.name] += 1e3 * stage.own / len(asked)
    first = sorted(own.items(), key=lambda each: -each[1])[:_STAGES]
    figures |= {"MB": _resident(), "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}
    return figures | {"stages, ms": dict(first)}


def _resident() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE / 1e6


def _options() -> argparse.ArgumentParser:
    arguments = parser(__doc__, "data", "json")
    arguments.add_argument("stand_in", type=Path)
    arguments.add_argument("libraries", type=Path, nargs="+")
    arguments.add_argument("--count", type=int, default=100)
    arguments.add_argument("--only", choices=("encode", "ask"), help="the work of one process")
    return arguments


def main() -> None:
    chosen = _options().parse_args()
    if chosen.only == "encode":
        encode(chosen.stand_in, chosen.libraries[0])
        return
    if chosen.only == "ask":
        with gzip.open(chosen.data / "contexts.val.jsonl.gz") as lines:
            questions = [json.loads(line) for _, line in zip(range(chosen.count), lines, strict=False)]
        print(json.dumps(ask(chosen.stand_in, chosen.libraries[0], questions)))
        return
    rows = []
    for library in chosen.libraries:
        command = [sys.executable, __file__, str(chosen.stand_in), str(library), "--data", str(chosen.data)]
        subprocess.run([*command, "--only", "encode"], check=True)
        answered = subprocess.check_output(
            [*command, "--count", str(chosen.count), "--only", "ask"], text=True
        )
        rows.append(json.loads(answered))
    if chosen.json:
        print(json.dumps(rows))
        return
    for name, value in rows[0].items():
        if isinstance(value, dict):
            stages = dict.fromkeys(stage for row in rows for stage in row[name])
            told = [(stage, [row[name].get(stage, 0.0) for row in rows]) for stage in stages]
        else:
            told = [(name, [row[name] for row in rows])]
        for what, values in told:
            cells = "".join(f"{each:>14,.2f}" for each in values)
            print(f"{what:36}{cells}{values[-1] / max(values[0], 1e-9):>10.2f} ×")


if __name__ == "__main__":
    main()
