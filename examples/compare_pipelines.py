"""Two pipelines on questions with known answers: the toy corpus of the tests, or files of your own.

    $ python examples/compare_pipelines.py
    14 citing sentences
    bm25   R@1 …  RR …
    full   R@1 …  RR …
    full - bm25, RR: …

Fourteen sentences tell how it is done; they do not tell which pipeline is better.
"""

import sys
import tempfile
from pathlib import Path
from typing import Literal

from citewhy import Session
from citewhy_lab.evaluate.compare import compare
from citewhy_lab.evaluate.datasets import task
from citewhy_lab.evaluate.datasets.topics import Options
from citewhy_lab.evaluate.ranking import collect, judge

TOY = Path(__file__).parents[1] / "tests" / "toy"
PIPELINES: tuple[Literal["bm25"], Literal["full"]] = ("bm25", "full")
SEED = 7


def main(questions: str = str(TOY / "contexts.jsonl"), *files: str) -> None:
    """`questions` holds citing sentences, `files` what the library is made of."""
    local = task("local")
    sources = files or [str(TOY / name) for name in ("papers.jsonl", "contexts.jsonl", "citations.tsv")]
    with tempfile.TemporaryDirectory() as folder, Session(folder, create=True) as session:
        session.add(sources)
        topics = local.topics(Path(questions), session.library, Options())
        print(f"{len(topics)} citing sentences")
        columns = []
        for name in PIPELINES:
            answers = collect(session.recommender(name), topics, depth=100)
            column = judge(name, answers, topics, ["R@1", "RR"], local.average, SEED)
            columns.append(column)
            means = column.scores.means()
            print(f"{name:6} R@1 {means['R@1']:.3f}  RR {means['RR']:.3f}")
        plain, full = columns
        difference = compare(full.scores, plain.scores, SEED)["RR"]
        low, high = difference.interval
        print(f"full - bm25, RR: {difference.value:+.3f} (95 % {low:+.3f} to {high:+.3f})")


if __name__ == "__main__":
    main(*sys.argv[1:])
