"""Time and memory of what people wait for, beside plain peers in the same run: `make bench`.

    python benchmarks/speed.py [--data DIR] [--quick] [--json] [--out FILE]

- `citewhy add` of all papers into a new library, against a bare script (`speed_peers.py`) that reads the same
  JSON, builds a bm25s index and saves it: whole processes, in turn. Neither makes vectors (`--no-vectors`).
- Encoding these papers afterwards: papers a second.
- A query of the full pipeline on the library of all papers, aliases, training contexts and citations; and,
  for comparison, a bm25s query with the same text, in turn, tokenisation included on both sides. The first
  encodes the query, looks at every vector and asks the ranker; the second does not.
- `citewhy suggest --text` as a whole process on that library: wall time and peak memory.
- CPU time of `citewhy --help`, of every verb's, and of `import citewhy`.

Speed is reported, not enforced: the exit code is 0 unless something breaks. Where other programs are running,
trust the ratios, not the seconds.
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import Line, document, ratio, table
from common import parser as shared_parser

PAPERS = "papers.jsonl.gz"
LIBRARY = (PAPERS, "paper_aliases.tsv.gz", "contexts.train.jsonl.gz", "citations.tsv.gz")
QUERIES = "contexts.val.jsonl.gz"
SENTENCE = "Minimum error rate training optimizes the weights of a translation model directly for BLEU."

ADD_RATIO, SUGGEST_SECONDS, HELP_SECONDS = 3.0, 1.5, 0.3
QUERY_P50, QUERY_P95, QUERY_MB = 60.0, 120.0, 700.0

CITEWHY = str(Path(sys.executable).with_name("citewhy"))
BARE = str(Path(__file__).with_name("speed_peers.py"))

Samples = dict[str, list[float]]


@dataclass(frozen=True, slots=True)
class Run:
    """What a process took."""

    wall: float
    """Seconds."""
    cpu: float
    """Seconds, of all its threads, in user and system mode."""
    peak: float
    """Megabytes of resident memory."""


def run(command: Sequence[str]) -> Run:
    """Runs a command to its end. Raises CalledProcessError where it fails, with what it said."""
    # The peak of a new process counts that of its parent until `exec`: this one must stay small, and imports
    # neither numpy nor anything of citewhy before the last process has been measured.
    with tempfile.TemporaryFile() as errors:
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            sys.stderr.write(errors.read().decode(errors="replace"))
            raise subprocess.CalledProcessError(process.returncode, command)
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)  # in bytes there, in KiB elsewhere
    return Run(wall, usage.ru_utime + usage.ru_stime, peak / 1e6)


def measure_add(data: Path, aside: Path, runs: int, samples: Samples) -> list[Line]:
    ours, peers = [], []
    for number in range(runs):
        peers.append(run([sys.executable, BARE, str(data / PAPERS), str(aside / f"bm25s-{number}")]))
        library = str(aside / f"papers-{number}")
        ours.append(
            run([CITEWHY, "add", str(data / PAPERS), "--no-vectors", "--library", library, "--quiet"])
        )
    samples["add"], samples["bare bm25s script"] = [each.wall for each in ours], [each.wall for each in peers]
    return [
        Line(
            "citewhy add, beside a bare script", _ratio(samples, "add", "bare bm25s script"), "×", ADD_RATIO
        ),
        Line("  citewhy add", statistics.median(samples["add"]), "s"),
        Line("  bare script: JSON, bm25s", statistics.median(samples["bare bm25s script"]), "s"),
        Line("  citewhy add, peak memory", max(each.peak for each in ours), "MB"),
        Line("  bare script, peak memory", max(each.peak for each in peers), "MB"),
    ]


def measure_suggest(library: Path, runs: int, samples: Samples) -> list[Line]:
    command = [CITEWHY, "suggest", "--text", SENTENCE, "--library", str(library)]
    run(command)  # what the disk holds is in memory from here on
    found = [run(command) for _ in range(runs)]
    samples["suggest"] = [each.wall for each in found]
    samples["suggest, peak MB"] = [each.peak for each in found]
    return [
        Line("citewhy suggest --text", statistics.median(samples["suggest"]), "s", SUGGEST_SECONDS),
        Line("  CPU time", statistics.median([each.cpu for each in found]), "s"),
        Line("  peak memory", max(samples["suggest, peak MB"]), "MB"),
    ]


def measure_help(runs: int, samples: Samples) -> list[Line]:
    """Measures CPU time: what else runs on the machine counts little."""
    lines = []
    for words in ((), *((verb,) for verb in _verbs())):
        name = " ".join(["citewhy", *words, "--help"])
        samples[name] = [run([CITEWHY, *words, "--help"]).cpu for _ in range(runs)]
        lines.append(Line(f"{name}, CPU", statistics.median(samples[name]), "s", HELP_SECONDS))
    samples["import citewhy"] = [run([sys.executable, "-c", "import citewhy"]).cpu for _ in range(runs)]
    samples["python"] = [run([sys.executable, "-c", ""]).cpu for _ in range(runs)]
    return [
        *lines,
        Line("import citewhy, CPU", statistics.median(samples["import citewhy"]), "s", HELP_SECONDS),
        Line("  Python alone", statistics.median(samples["python"]), "s"),
    ]


def measure_queries(data: Path, library: Path, count: int, samples: Samples) -> list[Line]:
    from citewhy_lab.evaluate.making import peak_rss_mb
    from speed_peers import time_queries

    samples["query"], samples["bm25s query"], peak = time_queries(
        data / PAPERS, data / QUERIES, library, count, peak_rss_mb
    )
    return [
        Line("a query, full pipeline, p50", 1e3 * statistics.median(samples["query"]), "ms", QUERY_P50),
        Line("  p95", 1e3 * statistics.quantiles(samples["query"], n=20)[-1], "ms", QUERY_P95),
        Line("  peak memory", peak or 0.0, "MB", QUERY_MB),
        Line("  bm25s", 1e3 * statistics.median(samples["bm25s query"]), "ms"),
        Line("  full pipeline, beside bm25s", _ratio(samples, "query", "bm25s query"), "×"),
    ]


def making(data: Path, options: dict[str, Any]) -> dict[str, Any]:
    from importlib.metadata import version

    from citewhy_lab.evaluate.making import file_facts, software

    return {
        "command": "python benchmarks/speed.py",
        "options": options,
        **software(),
        "libraries": {name: version(name) for name in ("bm25s", "numpy", "orjson", "PyStemmer")},
        "machine": {"cores": os.cpu_count(), "processor": _processor(), "load": list(os.getloadavg())},
        "data": [file_facts(data / name) for name in (*LIBRARY, QUERIES)],
    }


def _ratio(samples: Samples, ours: str, peers: str) -> float:
    return ratio(samples[ours], samples[peers])


def _verbs() -> list[str]:
    """Asks for the verbs of the command itself, in a process of its own: this one stays small."""
    program = "from citewhy.doors.cli import COMMANDS; print(*COMMANDS)"
    found = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True)
    return found.stdout.split()


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def main() -> None:
    parser = shared_parser(__doc__, "data", "json", "out")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    arguments = parser.parse_args()
    missing = [name for name in (*LIBRARY, QUERIES) if not (arguments.data / name).is_file()]
    if missing:
        parser.error(f"{arguments.data} lacks {', '.join(missing)}; name the folder with --data")
    quick, data = arguments.quick, arguments.data
    samples: Samples = {}
    with tempfile.TemporaryDirectory(prefix="citewhy-speed-") as folder:
        aside = Path(folder)
        lines = measure_help(1 if quick else 5, samples)
        added = measure_add(data, aside, 1 if quick else 3, samples)
        library = aside / "library"
        everything = [*(str(data / name) for name in LIBRARY), "--library", str(library), "--quiet"]
        run([CITEWHY, "add", "--no-vectors", *everything])
        encoded = run([CITEWHY, "add", *everything])  # adds nothing, and makes the vectors
        samples["encode"] = [encoded.wall]
        added.append(Line("encoding these papers", encoded.wall, "s"))
        suggested = measure_suggest(library, 2 if quick else 5, samples)
        queries = measure_queries(data, library, 50 if quick else 200, samples)
    lines = [*added, *queries, *suggested, *lines]
    result = document(lines, samples, making(data, {"quick": quick}))

    import orjson

    written = orjson.dumps(result, option=orjson.OPT_INDENT_2)
    if arguments.out:
        arguments.out.write_bytes(written + b"\n")
    print(written.decode() if arguments.json else table(lines))


if __name__ == "__main__":
    main()
