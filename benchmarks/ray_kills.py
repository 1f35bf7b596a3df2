"""Adds papers with a Ray cluster of which something is killed while it encodes, and compares the library with
that of one process.

    python benchmarks/ray_kills.py [--papers N] [--kills N] [--seed N] [--json]

Needs the extra `ray` (`make test-ray` makes an environment). The papers are generated; they have long
abstracts and citing sentences. The cluster has two machines that work. Each kind of kill is tried as often as
is asked: a *machine* is taken away without notice; a *worker* process gets SIGKILL; the *driver*, which
stores, gets SIGKILL and is started again. Of each: how many runs ended with the library of one process (rows
of `library.db`, vectors to 1e-6), and how many texts were lost or altered. Ray wants a machine of the cluster
to be there in half a minute: on a busy computer, the benchmark may end before a kill.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from citewhy import Session
from citewhy.session import on_ray

_KINDS = ("machine", "worker", "driver")
_PART = 16
"""Texts a part: so that a kill comes between many of them."""

_FILES = 6
_NEAR = 1e-6

_PATIENCE = 300
"""Seconds within which a machine of the cluster is there, also if this one is busy."""


def corpus(folder: Path, papers: int, seed: int) -> list[Path]:
    """Writes files of generated papers and citing sentences."""
    chance = random.Random(seed)
    words = ["".join(chance.choices("bcdfglmnprst", k=2)) + chance.choice("aeiou") * 2 for _ in range(400)]

    def sentence() -> str:
        return " ".join(chance.choices(words, k=14)).capitalize() + "."

    rows = [
        {
            "id": f"p{number}",
            "title": " ".join(chance.choices(words, k=6)),
            "abstract": " ".join(sentence() for _ in range(12)),
            "year": chance.randrange(1990, 2020),
            "authors": [f"A. {chance.choice(words).capitalize()}"],
        }
        for number in range(papers)
    ]
    rows += [dict(row, id=f"q{number}") for number, row in enumerate(rows[::7])]  # duplicates
    contexts = [
        {
            "context_id": f"c{number}",
            "citing_id": f"p{chance.randrange(papers)}",
            "cited_ids": [f"p{chance.randrange(papers)}"],
            "text": f"{sentence()[:-1]} (TARGETCIT).",
        }
        for number in range(papers)
    ]
    folder.mkdir()
    files = []
    for name, some in (("papers", rows), ("contexts", contexts)):
        for part in range(_FILES):
            files.append(folder / f"{name}-{part}.jsonl")
            files[-1].write_text("\n".join(map(json.dumps, some[part::_FILES])), encoding="utf-8")
    return files


def records_of(folder: Path) -> dict[str, list[Any]]:
    """All rows of a library but the marks of its commits, which are random, and the times of files."""
    with contextlib.closing(sqlite3.connect(folder / "library.db")) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {name: db.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in names}
    found.pop("commits")
    return {**found, "sums": [row for row in found["sums"] if row[0] != "commits"]}


def vectors_of(folder: Path) -> dict[bytes, np.ndarray[Any, Any]]:
    """The vectors in the cache of a library, by the hash of their text."""
    with contextlib.closing(sqlite3.connect(folder / "vectors" / "cache.sqlite")) as db:
        rows = db.execute("SELECT key, code FROM vectors").fetchall()
    return {key: np.frombuffer(code[:-4], dtype=np.float16).astype(np.float64) for key, code in rows}


def lost(folder: Path, whole: Path) -> int:
    """The number of texts that have no vector in a library, or another one than in the whole one."""
    ours, theirs = vectors_of(folder), vectors_of(whole)
    same = [key in ours and np.abs(ours[key] - vector).max() <= _NEAR for key, vector in theirs.items()]
    return same.count(False)


@contextlib.contextmanager
def two_workers() -> Iterator[tuple[Any, list[Any]]]:
    """A cluster of Ray with two machines that work, beside one that does not, and the former."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": 100 << 20})
    try:
        nodes = [cluster.add_node(num_cpus=1, object_store_memory=100 << 20) for _ in range(2)]
        cluster.wait_for_nodes(_PATIENCE)
        yield cluster, nodes
    finally:
        cluster.shutdown()


def add(folder: Path, files: list[Path], address: str, told: Callable[[int], None]) -> None:
    """Adds files with a cluster; `told` is called with the number of texts that are encoded."""
    on_ray._PART = _PART

    def progress(what: str, _share: float | None) -> None:
        if what.startswith("encoding "):
            told(int(what.split()[1].replace(",", "")))

    with Session(folder, create=True) as session:
        on_ray.add_on_ray(session, list(map(str, files)), address, progress=progress)


def workers_of(process: int) -> list[int]:
    """The processes that encode, among the descendants of a process."""
    parents = {}
    encoding = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if b"EncodingWorker" in (entry / "cmdline").read_bytes():
                encoding.append(int(entry.name))
    found = []
    for one in encoding:
        above = one
        while above > 1 and above != process:
            above = parents.get(above, 0)
        if above == process:
            found.append(one)
    return found


def killed(kind: str, folder: Path, files: list[Path], after: int) -> bool:
    """Adds files, and kills once `after` texts are encoded. Whether something was killed before the end."""
    with two_workers() as (cluster, nodes):
        done = False

        def told(count: int) -> None:
            nonlocal done
            if done or count < after:
                return
            if kind == "machine":
                cluster.remove_node(nodes.pop(), allow_graceful=False)
                done = True
            elif running := workers_of(os.getpid()):
                os.kill(running[0], signal.SIGKILL)
                done = True

        if kind == "driver":
            command = [sys.executable, __file__, "--driver", str(folder), cluster.address, str(after)]
            first = subprocess.run([*command, *map(str, files)], check=False)
            done = first.returncode == -signal.SIGKILL
            add(folder, files, cluster.address, lambda _count: None)
        else:
            add(folder, files, cluster.address, told)
    return done


def driver(folder: str, address: str, after: str, *files: str) -> None:
    """Adds files, and kills itself once `after` texts are encoded."""

    def told(count: int) -> None:
        if count >= int(after):
            os.kill(os.getpid(), signal.SIGKILL)

    add(Path(folder), list(map(Path, files)), address, told)


def main() -> None:
    """Prints a line for each kind of kill."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    options.add_argument("--papers", type=int, default=60)
    options.add_argument("--kills", type=int, default=3, help="of each kind")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--json", action="store_true", help="print one JSON document")
    given = options.parse_args()
    chance = random.Random(given.seed)
    outcome: dict[str, dict[str, int]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        files = corpus(root / "files", given.papers, given.seed)
        begun = time.perf_counter()
        with Session(root / "whole", create=True) as session:
            session.add(files)
        texts = len(vectors_of(root / "whole"))
        if not given.json:
            print(f"One process: {texts} texts in {time.perf_counter() - begun:.0f} seconds.", flush=True)
        for kind in _KINDS:
            counts = outcome[kind] = {"tried": 0, "survived": 0, "lost": 0}
            for run in range(given.kills):
                folder = root / f"{kind}-{run}"
                after = chance.randrange(1, max(2, texts * 3 // 4))
                hit = killed(kind, folder, files, after)
                gone = lost(folder, root / "whole")
                same = records_of(folder) == records_of(root / "whole")
                counts["tried"] += hit
                counts["survived"] += hit and same and not gone
                counts["lost"] += gone
                if not given.json:
                    how = "" if hit else " (it ended before)"
                    print(f"{kind} {run + 1}, after {after} texts{how}: {gone} lost, {same}", flush=True)
    if given.json:
        print(json.dumps({"texts": texts, "kills": outcome}))
        return
    for kind, counts in outcome.items():
        print(f"{kind:8} tried {counts['tried']}, survived {counts['survived']}, lost {counts['lost']}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--driver"]:
        driver(*sys.argv[2:])
    else:
        main()
