"""Makes `docs/results.md` and the JSON behind it: what the default ranking reaches, beside BM25 and hybrid.

    python benchmarks/results.py [--data DIR] [--only NAME …] [--library DIR] [--page]

Each row is a call of `citewhy evaluate` or `citewhy backtest`, shown above its section, made for three
pipelines. The libraries are made first, unless one is named that was made of the same files. The rows about
documents of other fields are those of `benchmarks/fields.py` (``results/documents.json``). ``--page`` makes
the page alone again.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from common import parser as shared_parser

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
    """Returns what the command line of this environment prints."""
    return subprocess.run(
        [sys.executable, "-m", "citewhy", *arguments], check=True, stdout=subprocess.PIPE
    ).stdout


def run(name: str, data: Path, made: Path, library: Path) -> None:
    """Runs all three pipelines; the default is compared with hybrid, question by question."""
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
    """Returns the files of a pattern, from the first of the `folders` that has any; other words as they
    are."""
    if "." not in word:
        return [word]
    found = next((files for folder in folders if (files := sorted(map(str, folder.glob(word))))), None)
    return found or [word]


def make_libraries(
    data: Path, given: Path | None, folder: Path, names: Iterable[str]
) -> dict[tuple[str, ...], Path]:
    """Makes libraries, by the files that they are made of: those of the runs `names` are made, and that of
    the field."""
    libraries = {FIELD: given or folder / "field", ARXIV: folder / "arxiv"}
    needed = {FIELD, *(RUNS[name].library for name in names)}
    for files, library in libraries.items():
        if library != given and files in needed:
            citewhy("add", *(str(data / name) for name in files), "--library", str(library), "--quiet")
    return libraries


# The page -------------------------------------------------------------------------------------------------

INTRODUCTION = """# Results

What the default ranking reaches, beside the plain methods that it is made of: BM25, and its fusion with the
vectors of the same encoder (hybrid). The first rows are of other fields and of authors' own libraries; the
last are of the field and the years that the models come from, where they do best.

- *Own library*: documents of held-out authors of many fields, each with a library of its own bibliography;
  its citations are hidden in turn, near-duplicates of the sentence left out.
- *Other field*: sentences of arXiv papers; their library has no citing sentences.
- *Later papers*: sentences of 2013 and later, of which the library's citing sentences know nothing.
- *Names*, *needs*: questions made of abstracts, with names that the last step was not trained on.
  Names are found by the rule that a feature of the ranking follows, and ambiguous ones are left out.
- *Nobody has cited*: the library has no citing sentences and no citations of these papers.
- *Its own field*: the encoder learned from citations made up to 2010, the ranker from those of 2011; the
  questions are of 2012.

Libraries of the field have the papers, aliases, training contexts and citations; each question sees them as
of its own year. Some choices of the ranking in its own field were made on its validation questions, so expect
a little less elsewhere. [evaluation.md](evaluation.md) says what the measures mean; the [log](log/README.md)
what was tried and did not help. [sets.md](sets.md) has the figures of citations with several papers.
`python benchmarks/fields.py` and `python benchmarks/results.py` make this page again;
the JSON of each row is in `results/`.

Models beside the ranking are measured on pages of their own: [intents.md](intents.md#the-classifier) has
the classifier of intents, and how well papers are found that are cited with an intent.
"""

NAMES = {"bm25": "BM25", "hybrid": "hybrid", "full": "default"}


def page(runs: Mapping[str, tuple[str, str]], folder: Path) -> str:
    """Writes the page; `runs`: name → title and arguments of `citewhy`; rows without JSON in `folder` are
    left out."""
    documents = _read(folder / "documents.json")
    results = {name: found for name in runs if (found := _read(folder / f"{name}.json"))}
    lines = [
        *("## All of it", "", "R@10 / reciprocal rank (nDCG@10 for whole papers); intervals of 95 %.", ""),
        "| questions | number | BM25 | hybrid | default | default, 95 % |",
        "| --- | ---: | ---: | ---: | ---: | :---: |",
    ]
    lines += _documents_row(documents)
    for name, result in results.items():
        lines.append(_row(runs[name][0], result))
    parts = [INTRODUCTION, "\n".join([*lines, ""])]
    if documents:
        parts.append("\n".join(_documents(documents)))
    parts += ["\n".join(_section(runs[name][1], result)) for name, result in results.items()]
    return "\n".join(parts)


def _read(path: Path) -> dict[str, Any] | None:
    return orjson.loads(path.read_bytes()) if path.exists() else None


def _pair(measures: Mapping[str, float]) -> str:
    second = "nDCG@10" if "nDCG@10" in measures else "RR"
    return f"{measures['R@10']:.3f} / {measures[second]:.3f}"


def _row(title: str, result: Mapping[str, Any]) -> str:
    second = "nDCG@10" if "nDCG@10" in result["measures"] else "RR"
    spans = [result["intervals"][name] for name in ("R@10", second)]
    told = " / ".join(f"{low:.3f}–{high:.3f}" for low, high in spans)
    return (
        f"| {title} | {result['queries']:,} | {_pair(result['bm25']['measures'])} "
        f"| {_pair(result['baseline']['measures'])} | **{_pair(result['measures'])}** | {told} |"
    )


def _documents_row(documents: Mapping[str, Any] | None) -> Iterator[str]:
    if documents:
        found = documents["summary"]
        pairs = [f"{found['R@10'][each]['mean']:.3f} / {found['RR'][each]['mean']:.3f}" for each in NAMES]
        spans = [found[name]["full"]["interval"] for name in ("R@10", "RR")]
        told = " / ".join(f"{low:.3f}–{high:.3f}" for low, high in spans)
        count = sum(row["answers"] for row in documents["rows"])
        title = f"own library: {documents['documents']} documents of other fields (answers)"
        yield f"| {title} | {count:,} | {pairs[0]} | {pairs[1]} | **{pairs[2]}** | {told} |"


def _documents(documents: Mapping[str, Any]) -> Iterator[str]:
    yield from ("## `python benchmarks/fields.py`", "")
    for name, found in documents["summary"].items():
        times = [
            f"{each['value']:.2f} × {NAMES[other]} ({each['interval'][0]:.2f}–{each['interval'][1]:.2f})"
            for other, each in found["times"].items()
        ]
        yield f"{name} of the default: {', '.join(times)}, means over documents."
        yield ""
    worse = documents["behind"]
    yield f"Documents in which BM25 or hybrid is significantly better (p < .05): {len(worse)}."
    for title, key in (
        ("area", "by_area"),
        ("papers in the library", "by_papers"),
        ("the answer is cited elsewhere in the document", "by_elsewhere"),
    ):
        yield from (
            "",
            f"| {title} | answers | BM25 | hybrid | default |",
            "| --- | ---: | ---: | ---: | ---: |",
        )
        for group, found in documents[key].items():
            pairs = " | ".join(_pair(found[pipeline]) for pipeline in NAMES)
            yield f"| {group} | {found['answers']:,} | {pairs} |"
    yield ""


def _section(arguments: str, result: Mapping[str, Any]) -> Iterator[str]:
    seconds = result.get("seconds_per_query")
    said = [f"{1e3 * seconds['p50']:.0f} ms a query (p95 {1e3 * seconds['p95']:.0f} ms)"] if seconds else []
    if result.get("calibration"):
        said.append(f"expected calibration error {result['calibration']['ece']:.3f}")
    yield from (f"## `citewhy {arguments}`", "")
    yield (
        f"{result['queries']:,} queries, {result['judgements']:,} judgements, {result['pool']:,} candidates; "
        f"{', '.join(said)}."
    )
    yield from ("", "| measure | default | 95 % | hybrid | BM25 | p, beside hybrid |")
    yield "| --- | ---: | :---: | ---: | ---: | ---: |"
    for measure, value in result["measures"].items():
        low, high = result["intervals"][measure]
        others = f"{result['baseline']['measures'][measure]:.3f} | {result['bm25']['measures'][measure]:.3f}"
        p = result["difference"][measure]["p_randomisation"]
        yield f"| {measure} | {value:.3f} | {low:.3f}–{high:.3f} | {others} | {p:.4f} |"
    yield ""


def main() -> None:
    parser = shared_parser(__doc__, "data")
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
