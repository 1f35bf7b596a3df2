"""What is asked of one library for `scaling.py`, in a process of its own.

    python benchmarks/scaling_questions.py vectors|questions LIBRARY DATA --stand-in FOLDER
        [--questions 100] [--places 60]

Makes the vectors of the stand-in encoder (`stand_in.py`), one for each paper and each citing sentence and
none of parts of abstracts, as with ``--encode titles``; or opens the library with them, and asks. Prints one
JSON object of figures: times in milliseconds unless they end with "s", memory in megabytes.
Questions are the citing sentences that `corpus.py` keeps aside; they are encoded by the stand-in, which costs
less than the real encoder: a question's encoding is measured apart.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from citewhy import Session
from citewhy.base.trace import Stage, listening
from citewhy.papers.library.store import Library
from citewhy.search.encode import default_encoder
from citewhy.search.index.chosen import choose
from citewhy.search.index.engine import open_index
from stand_in import StandIn

_UNTIMED = 5
"""Questions that are asked before: the first ones find what later ones reuse."""


def rows(path: Path, count: int) -> list[dict[str, Any]]:
    """The first rows of a file of JSON lines."""
    with gzip.open(path) as lines:
        return [json.loads(line) for line in islice(lines, count)]


def seconds(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def percentiles(name: str, times: Sequence[float]) -> Iterator[tuple[str, float]]:
    """The median and the 95th percentile of seconds, in milliseconds."""
    yield f"{name}, p50", 1e3 * statistics.median(times)
    yield f"{name}, p95", 1e3 * statistics.quantiles(times, n=20)[-1]


def in_memory() -> Iterator[tuple[str, float]]:
    """Megabytes that the process has in memory now: all, and those that are no pages of mapped files."""
    kept = dict(
        line.split(":") for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    )
    for name, field in (("resident", "VmRSS"), ("of its own", "RssAnon")):
        yield f"{name} after the questions MB", int(kept[field].split()[0]) * 1024 / 1e6


def peak() -> float:
    """Megabytes that the process had in memory at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def asked(session: Session, texts: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Each text as a question, one at a time: time, processor time, and time of each stage alone."""
    for text in texts[:_UNTIMED]:
        session.suggest(text)
    stages: dict[str, float] = defaultdict(float)

    def told(one: Stage) -> None:
        stages[one.name] += one.own

    walls, cpus = [], []
    with listening(told):
        for text in texts[_UNTIMED:]:
            cpu = time.process_time()
            walls.append(seconds(partial(session.suggest, text)))
            cpus.append(time.process_time() - cpu)
    yield from percentiles("query", walls)
    yield "query, processor, p50", 1e3 * statistics.median(cpus)
    for name, total in sorted(stages.items(), key=lambda one: -one[1]):
        yield f"stage: {name}", 1e3 * total / len(walls)
    yield "stage: what is in none", 1e3 * (sum(walls) - sum(stages.values())) / len(walls)


def found(session: Session, papers: Iterable[dict[str, Any]]) -> Iterator[tuple[str, float]]:
    """Papers by a word of their title, by author and year, and by DOI."""
    asked: dict[str, list[str]] = {"name": [], "author": [], "DOI": []}
    for paper in papers:
        asked["name"].append(max(paper["title"].split(), key=len))
        if paper.get("authors") and paper.get("year"):
            asked["author"].append(f"{paper['authors'][0]} {paper['year']}")
        if paper.get("doi"):
            asked["DOI"].append(paper["doi"])
    for kind, texts in asked.items():
        if len(texts) > 1:
            session.find(texts[0])
            yield from percentiles(
                f"find by {kind}", [seconds(partial(session.find, text)) for text in texts]
            )


def draft(texts: Sequence[str]) -> dict[str, str]:
    """A draft of sentences with an open citation each, three to a paragraph."""
    lines = [text.replace("TARGETCIT", r"\cite{}").replace("OTHERCIT", "") for text in texts]
    body = "\n\n".join("\n".join(lines[start : start + 3]) for start in range(0, len(lines), 3))
    tex = "\\documentclass{article}\\title{A draft}\\begin{document}\n" + body + "\n\\end{document}\n"
    return {"main.tex": tex}


def encoded(library: Path, encoder: StandIn) -> dict[str, float]:
    """Makes the vectors."""
    choose(library, "titles")
    with Library.open(library) as opened:
        taken = seconds(partial(open_index, opened, encoder))
    return {"stand-in vectors s": taken, "stand-in vectors, peak MB": peak()}


def measure(library: Path, data: Path, encoder: StandIn, questions: int, places: int) -> dict[str, float]:
    """Asks questions, looks for papers, and reads a draft."""
    texts = [row["text"] for row in rows(data / "contexts.val.jsonl.gz", questions + _UNTIMED)]
    written = [row["text"] for row in rows(data / "contexts.train.jsonl.gz", places)]
    figures: dict[str, float] = {}
    with Session(library, encoder=encoder) as session:
        figures["opening to first suggestion s"] = seconds(lambda: session.suggest(texts[0]))
        figures |= dict(asked(session, texts))
        figures |= in_memory()
        figures |= dict(found(session, rows(data / "papers.jsonl.gz", 30)))
        files = draft(written)
        figures[f"draft of {places} places s"] = seconds(lambda: list(session.advise(files, root="main.tex")))
    real = default_encoder()
    real.encode(texts[:1], "query")
    figures |= percentiles(
        "a question encoded", [seconds(partial(real.encode, [text], "query")) for text in texts[:20]]
    )
    return figures | {"peak MB": peak()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["vectors", "questions"])
    parser.add_argument("library", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--stand-in", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--places", type=int, default=60)
    given = parser.parse_args()
    encoder = StandIn(given.stand_in)
    if given.what == "vectors":
        figures = encoded(given.library, encoder)
    else:
        figures = measure(given.library, given.data, encoder, given.questions, given.places)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
