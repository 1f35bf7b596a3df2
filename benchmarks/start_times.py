"""Times source trees in turn: 200 questions in one process, and the start of two commands.

    python benchmarks/start_times.py TREE TREE --data DIR --work DIR
        [--rounds 3] [--starts 7] [--questions 200]

A TREE is a checkout with the folder `src`. `--data` and `--work` are those of `recorded_answers.py`, which
has made the library `large` in `--work`. Where other programs are running, trust the ratios, not the seconds.
The seconds of one processor (`cpu`) depend less on what else is running than those of the clock."""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from citewhy.session.session import Session
from recorded_answers import Question, answer_text, rows_of

WARM_UP = 5
SENTENCE = "Minimum error rate training optimizes the weights of a translation model directly for BLEU."

Figures = dict[str, list[float]]


def ask(data: Path, library: str, count: int) -> None:
    """Asks the first questions of a file, and prints what that took: the work of one process."""
    texts = [(row["text"], row["citing_year"]) for row in rows_of(data / "contexts.val.jsonl.gz")[:count]]
    asked = [Question(library, text, year=year) for text, year in texts]
    walls, cpus = [], []
    begun = time.perf_counter()
    with Session(library) as session:
        answer_text(session, asked[0])
        opening = time.perf_counter() - begun
        for question in [*asked[:WARM_UP], *asked]:
            wall, cpu = time.perf_counter(), time.process_time()
            answer_text(session, question)
            walls.append(time.perf_counter() - wall)
            cpus.append(time.process_time() - cpu)
    print(json.dumps({"opening s": opening, **_figures(walls[WARM_UP:], cpus[WARM_UP:])}))


def _figures(walls: list[float], cpus: list[float]) -> dict[str, float]:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    walls_at, cpus_at = (statistics.quantiles(each, n=20) for each in (walls, cpus))
    return {
        "question p50 ms": walls_at[9] * 1e3,
        "question p95 ms": walls_at[18] * 1e3,
        "question cpu p50 ms": cpus_at[9] * 1e3,
        "question cpu p95 ms": cpus_at[18] * 1e3,
        "peak MB": peak,
    }


def run(tree: Path, work: Path, command: list[str]) -> tuple[float, float, str]:
    """Returns the seconds of the clock and of processors that a process with the code of `tree` takes, and
    what it prints."""
    environment = os.environ | {"PYTHONPATH": str(tree / "src"), "CITEWHY_CACHE": str(work / "cache")}
    environment["CITEWHY_LIBRARY"] = str(work / "none")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *command], cwd=work, env=environment, capture_output=True, text=True, check=True
    )
    wall = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, done.stdout


def measure(trees: list[Path], given: argparse.Namespace) -> list[Figures]:
    """Takes the figures of each tree; the trees take turns."""
    work = given.work.resolve()
    found: list[Figures] = [{} for _ in trees]
    worker = [str(Path(__file__).resolve()), "--ask", "--data", str(given.data.resolve())]
    worker += ["--work", str(work), "--questions", str(given.questions)]
    commands = {
        "--help": ["-m", "citewhy", "--help"],
        "suggest --text, starter": ["-m", "citewhy", "suggest", "--text", SENTENCE, "--json"],
        "suggest --text, large": [
            "-m",
            "citewhy",
            "suggest",
            "--text",
            SENTENCE,
            "--json",
            "--library",
            "large",
        ],
    }
    for tree in trees:  # nothing is compiled, built or read from disk while the clock runs
        for command in commands.values():
            run(tree, work, command)
    for _ in range(given.starts):
        for name, command in commands.items():
            for tree, figures in zip(trees, found, strict=True):
                wall, cpu, _ = run(tree, work, command)
                figures.setdefault(f"{name} s", []).append(wall)
                figures.setdefault(f"{name} cpu s", []).append(cpu)
    for _ in range(given.rounds):
        for tree, figures in zip(trees, found, strict=True):
            for name, value in json.loads(run(tree, work, worker)[2]).items():
                figures.setdefault(name, []).append(value)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("trees", type=Path, nargs="*", metavar="TREE")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--starts", type=int, default=7)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--ask", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.ask:
        ask(given.data, "large", given.questions)
        return
    trees = [each.resolve() for each in given.trees]
    found = measure(trees, given)
    print(f"| median | {' | '.join(map(str, trees))} | last / first |")
    print("| --- |" + " ---: |" * (len(trees) + 1))
    for name in found[0]:
        medians = [statistics.median(figures[name]) for figures in found]
        shown = " | ".join(f"{median:,.3f}" if median < 10 else f"{median:,.1f}" for median in medians)
        print(f"| {name} | {shown} | {medians[-1] / medians[0]:.3f} |")


if __name__ == "__main__":
    main()
