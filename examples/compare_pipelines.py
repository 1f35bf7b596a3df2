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

from citewhy import Library, Recommender
from citewhy.evaluate.compare import compare
from citewhy.evaluate.datasets import task
from citewhy.evaluate.datasets.topics import Options
from citewhy.evaluate.ranking import collect, judge
from citewhy.formats import read
from citewhy.formats.report import ImportReport

TOY = Path(__file__).parents[1] / "tests" / "toy"
SEED = 7


def main(questions: str = str(TOY / "contexts.jsonl"), *files: str) -> None:
    """`questions` holds citing sentences, `files` what the library is made of."""
    local, report = task("local"), ImportReport()
    sources = [Path(file) for file in files] or [
        TOY / "papers.jsonl",
        TOY / "contexts.jsonl",
        TOY / "citations.tsv",
    ]
    with tempfile.TemporaryDirectory() as folder, Library.open(folder, create=True) as library:
        library.add_all([(file.name, read(file, report)) for file in sources], report)
        topics = local.topics(Path(questions), library, Options())
        print(f"{len(topics)} citing sentences")
        columns = []
        for name in ("bm25", "full"):
            answers = collect(Recommender(library, name), topics, depth=100)
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
