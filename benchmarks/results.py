"""Makes `docs/results.md` and the JSON behind it: what the default pipeline reaches on the shared data.

    python benchmarks/results.py [--data DIR] [--only NAME]

Each row is one call of `citewhy evaluate`, shown beside it; a library is made from the training files first.
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
    "global": "global global.val.jsonl.gz",
    "global-known": "global global.val.jsonl.gz --known 0.5",
    "global-title": "global global_title.val.jsonl.gz",
    "global-title-known": "global global_title.val.jsonl.gz --known 0.5",
}
INTRODUCTION = """# Results

What the default pipeline reaches on validation data, beside plain BM25 on the same queries and candidates.
The library has the papers, aliases, training contexts and citations; each query sees them as of its own year.
The weights were fitted on training queries (`benchmarks/fit_fusion.py`); a few choices, the balance between
cited and uncited papers above all, were made on these validation queries, so expect a little less elsewhere.
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
    return "\n".join(
        [
            f"## `citewhy evaluate {arguments}`",
            "",
            f"{result['queries']:,} queries, {result['judgements']:,} judgements, "
            f"{result['pool']:,} candidates.",
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
    parser.add_argument("--only", choices=RUNS, help="make one row again")
    arguments = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "library"
        citewhy("add", *(str(arguments.data / name) for name in LIBRARY), "--library", str(library))
        for name in [arguments.only] if arguments.only else RUNS:
            run(name, arguments.data, library)
            print(name)
    (ROOT / "docs" / "results.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
