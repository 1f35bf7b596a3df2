"""Makes `docs/results.md` and the JSON behind it: what the default ranking reaches, beside BM25 and hybrid.

    python benchmarks/results.py [--data DIR] [--only NAME …] [--library DIR] [--page]

Each row is a call of `citewhy evaluate` or `citewhy backtest`, shown above its section, made for three
pipelines. The libraries are made first, unless one is named that was made of the same files. The rows about
documents of other fields are those of `benchmarks/fields.py` (``results/documents.json``). ``--page`` makes
the page alone again.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from results_page import page
from shared_folders import DATA

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results"
FIELD = ("papers.jsonl.gz", "paper_aliases.tsv.gz", "contexts.train.jsonl.gz", "citations.tsv.gz")
ARXIV = ("external/reasons.papers.jsonl.gz",)


@dataclass(frozen=True)
class Run:
    """One set of questions."""

    title: str
    arguments: str
    """Of `citewhy`; files are those of the data folder, or made by `benchmarks/names.py`."""
    library: tuple[str, ...] = FIELD
    """Files that it is made of."""


VAL = "evaluate local contexts.val.jsonl.gz"
RUNS = {
    "graphics": Run(
        "other field: sentences of graphics",
        "evaluate local external/reasons-Graphics.contexts.jsonl.gz",
        ARXIV,
    ),
    "robotics": Run(
        "other field: sentences of robotics",
        "evaluate local external/reasons-Robotics.contexts.jsonl.gz",
        ARXIV,
    ),
    "later": Run("later papers of the same field", "evaluate local external/multicite.dev.contexts.jsonl.gz"),
    "names": Run("names of systems and data sets, no draft", "evaluate local names.jsonl"),
    "needs": Run("needs in a sentence, no draft", "evaluate local needs.jsonl"),
    **{
        f"unseen-{seed}": Run(
            f"papers that nobody has cited, draw {seed}", f"{VAL} --unseen 100 --seed {seed} --pool abstract"
        )
        for seed in (7, 8, 9)
    },
    "held-out": Run(
        "held-out papers, which the encoder has not seen cited", f"{VAL} --held-out --pool abstract"
    ),
    "drafts": Run("drafts of its own field, a library of 73,000 papers", "backtest drafts/*.tex"),
    "local-all": Run("its own field, sentences alone", VAL),
    "local-abstract": Run("its own field, papers with an abstract", f"{VAL} --pool abstract"),
    "global": Run("whole paper, title and abstract", "evaluate global global.val.jsonl.gz"),
    "global-known": Run(
        "whole paper, half of the references known", "evaluate global global.val.jsonl.gz --known 0.5"
    ),
    "global-title": Run("whole paper, title alone", "evaluate global global_title.val.jsonl.gz"),
    "global-title-known": Run(
        "whole paper, title and half of the references",
        "evaluate global global_title.val.jsonl.gz --known 0.5",
    ),
}


def citewhy(*arguments: str) -> bytes:
    """What the command line of this environment prints."""
    return subprocess.run(
        [sys.executable, "-m", "citewhy", *arguments], check=True, stdout=subprocess.PIPE
    ).stdout


def run(name: str, data: Path, made: Path, library: Path) -> None:
    """All three pipelines; the default is compared with hybrid, question by question."""
    words = [
        word for word in RUNS[name].arguments.split() for word in _expanded(word, (data, made, data.parent))
    ]
    asked = [*words, "--library", str(library), "--json", "--quiet"]
    result = orjson.loads(citewhy(*asked, "--baseline", "hybrid"))
    bm25 = orjson.loads(citewhy(*asked, "--pipeline", "bm25"))
    result["bm25"] = {key: bm25[key] for key in ("measures", "intervals", "seconds_per_query")}
    result = relative(result, (data, made, data.parent))
    (RESULTS / f"{name}.json").write_bytes(orjson.dumps(result, option=orjson.OPT_INDENT_2) + b"\n")


def relative(value: Any, folders: Sequence[Path]) -> Any:
    """Names every file of a JSON document by its path within the first of the `folders` that has it."""
    if isinstance(value, dict):
        return {relative(key, folders): relative(item, folders) for key, item in value.items()}
    if isinstance(value, list):
        return [relative(item, folders) for item in value]
    if isinstance(value, str):
        for folder in folders:
            value = value.replace(f"{folder.absolute()}/", "").replace(f"{folder}/", "")
    return value


def _expanded(word: str, folders: Sequence[Path]) -> list[str]:
    """The files of a pattern, from the first of the `folders` that has any; other words as they are."""
    if "." not in word:
        return [word]
    found = next((files for folder in folders if (files := sorted(map(str, folder.glob(word))))), None)
    return found or [word]


def make_libraries(
    data: Path, given: Path | None, folder: Path, names: Iterable[str]
) -> dict[tuple[str, ...], Path]:
    """Library by the files that it is made of; those of the runs `names` are made, and that of the field."""
    libraries = {FIELD: given or folder / "field", ARXIV: folder / "arxiv"}
    needed = {FIELD, *(RUNS[name].library for name in names)}
    for files, library in libraries.items():
        if library != given and files in needed:
            citewhy("add", *(str(data / name) for name in files), "--library", str(library), "--quiet")
    return libraries


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--only", choices=RUNS, nargs="+", help="make some rows again")
    parser.add_argument("--library", type=Path, help="a library of the field's files, in place of a new one")
    parser.add_argument("--page", action="store_true", help="make the page of the rows that are there")
    given = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if not given.page:
            asked = given.only or list(RUNS)
            libraries = make_libraries(given.data, given.library, folder, asked)
            names = [str(ROOT / "benchmarks" / "names.py"), "--library", str(libraries[FIELD])]
            subprocess.run([sys.executable, *names, "--out", str(folder)], check=True)
            for name in asked:
                run(name, given.data, folder, libraries[RUNS[name].library])
                print(name, flush=True)
    (ROOT / "docs" / "results.md").write_text(
        page({name: (each.title, each.arguments) for name, each in RUNS.items()}, RESULTS), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
