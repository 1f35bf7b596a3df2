"""The page of results, from the JSON of its rows (`benchmarks/results.py`, `benchmarks/fields.py`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

__all__ = ["page"]

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
a little less elsewhere. [evaluation.md](evaluation.md) says what the measures mean; [log.md](log.md) what was
tried and did not help. [sets.md](sets.md) has the figures of citations with several papers.
`python benchmarks/fields.py` and `python benchmarks/results.py` make this page again;
the JSON of each row is in `results/`.

Models beside the ranking are measured on pages of their own: [intents.md](intents.md#the-classifier) has
the classifier of intents, and how well papers are found that are cited with an intent.
"""

NAMES = {"bm25": "BM25", "hybrid": "hybrid", "full": "default"}


def page(runs: Mapping[str, tuple[str, str]], folder: Path) -> str:
    """`runs`: name → title and arguments of `citewhy`; rows without JSON in `folder` are left out."""
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
