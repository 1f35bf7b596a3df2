"""Makes `docs/results.md` and the JSON behind it: what the default pipeline reaches on the shared data.

    python benchmarks/results.py [--data DIR] [--only NAME] [--library DIR]

Each part is one call of `citewhy evaluate`, shown above it; a library is made from the training files first,
unless one is named that was made of them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import orjson

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results"
LIBRARY = ("papers.jsonl.gz", "paper_aliases.tsv.gz", "contexts.train.jsonl.gz", "citations.tsv.gz")
LOCAL, UNSEEN = "local contexts.val.jsonl.gz", "--unseen 100 --seed"
RUNS = {
    "local-all": LOCAL,
    "local-abstract": f"{LOCAL} --pool abstract",
    **{
        f"unseen-{seed}-{pool}": f"{LOCAL} {UNSEEN} {seed} --pool {pool}"
        for seed in (7, 8, 9)
        for pool in ("all", "abstract")
    },
    "held-out-all": f"{LOCAL} --held-out",
    "held-out-abstract": f"{LOCAL} --held-out --pool abstract",
    "global": "global global.val.jsonl.gz",
    "global-known": "global global.val.jsonl.gz --known 0.5",
    "global-title": "global global_title.val.jsonl.gz",
    "global-title-known": "global global_title.val.jsonl.gz --known 0.5",
}
INTRODUCTION = """# Results

What the default pipeline reaches on validation data, beside plain BM25 on the same queries and candidates.
The library has the papers, aliases, training contexts and citations; each query sees them as of its own year.
The encoder learned from citations made up to 2010, the ranker from those of 2011; the queries are of 2012.
A few choices, the balance between cited and uncited papers above all, were made on these validation queries,
so expect a little less elsewhere. `--unseen` hides from the library what others say of a paper; the encoder
may have learned from it; `--held-out` asks for papers that trained nothing: the honest measure of new papers.
[evaluation.md](evaluation.md) says what the measures mean; [log.md](log.md) what was tried and did not help.
`python benchmarks/results.py` makes this page again; the JSON of each row is in `results/`.
"""


def citewhy(*arguments: str) -> None:
    """Runs the command line of this environment; its output is not shown."""
    subprocess.run([sys.executable, "-m", "citewhy", *arguments], check=True, stdout=subprocess.DEVNULL)


def run(name: str, data: Path, library: Path) -> None:
    task, file, *options = RUNS[name].split()
    citewhy(
        "evaluate",
        task,
        str(data / file),
        "--library",
        str(library),
        "--baseline",
        "bm25",
        "--out",
        str(RESULTS / name),
        *options,
    )
    (RESULTS / f"{name}.md").unlink(missing_ok=True)  # the page has it


def page() -> str:
    """The page, from the JSON of every row that was made."""
    parts = [INTRODUCTION]
    for name, arguments in RUNS.items():
        file = RESULTS / f"{name}.json"
        if file.exists():
            parts.append(section(arguments, orjson.loads(file.read_bytes())))
    return "\n".join(parts)


def section(arguments: str, result: dict[str, Any]) -> str:
    rows = [
        f"| {measure} | {value:.3f} | {low:.3f}–{high:.3f} | {result['baseline']['measures'][measure]:.3f} |"
        for measure, value in result["measures"].items()
        for low, high in [result["intervals"][measure]]
    ]
    seconds = result["seconds_per_query"]
    said = [f"{1e3 * seconds['p50']:.0f} ms a query (p95 {1e3 * seconds['p95']:.0f} ms)"]
    if result.get("calibration"):
        said.append(f"expected calibration error {result['calibration']['ece']:.3f}")
    return "\n".join(
        [
            f"## `citewhy evaluate {arguments}`",
            "",
            f"{result['queries']:,} queries, {result['judgements']:,} judgements, "
            f"{result['pool']:,} candidates; {', '.join(said)}.",
            "",
            "| measure | full | 95 % | BM25 |",
            "| --- | ---: | :---: | ---: |",
            *rows,
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    shared = Path(os.environ.get("CITEWHY_DATA", ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=shared)
    parser.add_argument("--only", choices=RUNS, help="make one part again")
    parser.add_argument("--library", type=Path, help="a library of the training files, in place of a new one")
    arguments = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        library = arguments.library or Path(folder) / "library"
        if not arguments.library:
            citewhy("add", *(str(arguments.data / name) for name in LIBRARY), "--library", str(library))
        for name in [arguments.only] if arguments.only else RUNS:
            run(name, arguments.data, library)
            print(name)
    (ROOT / "docs" / "results.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
