"""How long the audit of a bibliography takes beside a library (`docs/audit.md`).

    python benchmarks/audit_speed.py --library DIR [--entries N] [--seed N]

N papers of the library, drawn at random, are written in another style into a .bib file (initials for given
names, full names of venues, a third without a DOI), every fifth with the title of another paper. The library
is opened once; the file is audited five times. Told are the first time, and the median and the longest of
the others.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from citewhy import Session
from citewhy.papers.library.store import Library
from citewhy.writers.bibtex import entry
from citewhy_lab.evaluate.audits import restyled
from common import parser as shared_parser

_TIMES, _OTHER_TITLE = 5, 5


def main() -> None:
    parser = shared_parser(__doc__, "library!")
    parser.add_argument("--entries", type=int, default=500)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    with Library.open(given.library) as library:
        ids = sorted(library.ids())
        drawn = list(library.papers(rng.sample(ids, min(given.entries, len(ids)))).values())
    entries = [restyled(paper, rng) for paper in drawn]
    for place in range(0, len(entries), _OTHER_TITLE):
        entries[place] = replace(entries[place], title=drawn[place - 1].title)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "refs.bib"
        file.write_text("\n\n".join(entry(paper, f"k{number}") for number, paper in enumerate(entries)))
        with Session(given.library) as session:
            seconds = []
            for _ in range(_TIMES):
                start = time.perf_counter()
                answer = session.audit([file])
                seconds.append(time.perf_counter() - start)
    print(f"{len(entries)} entries beside {len(ids):,} papers: {answer.counts}")
    later = seconds[1:]
    print(f"first {seconds[0]:.2f} s; later {statistics.median(later):.2f} s, at most {max(later):.2f} s")


if __name__ == "__main__":
    main()
