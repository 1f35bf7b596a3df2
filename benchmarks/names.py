"""Makes questions without a draft from the abstracts of a library: names of systems and data sets, and needs.

    python benchmarks/names.py --library DIR --out DIR [--since YEAR]

``names.jsonl`` asks for a system or data set by its name, alone or in a short sentence; ``needs.jsonl`` asks
with the sentence of an abstract from which the name was taken. The right answer is the paper whose title
introduces the name first. Names are those that no model has learned from
(`systems.ranker.questions.held_out_name`), of papers published since YEAR. `citewhy evaluate local` reads
both files.
"""

from __future__ import annotations

import random
from pathlib import Path

import orjson

from citewhy.base.config import DEFAULT_SEED
from citewhy.papers.library.store import Library
from citewhy_lab.train.systems.ranker.questions import Form, Mention, held_out_name, mentions, name_topic
from common import parser as shared_parser

FILES: dict[str, tuple[Form, ...]] = {"names.jsonl": ("alone", "short"), "needs.jsonl": ("hidden",)}


def context(number: int, mention: Mention, form: Form, rng: random.Random) -> dict[str, object]:
    """Makes a line of a file of the task ``local``."""
    topic = name_topic(mention, form, rng)
    return {
        "context_id": f"{topic.query.id}/{form}/{number}",
        "citing_id": topic.query.citing_id,
        "cited_ids": list(topic.relevant),
        "text": topic.query.text,
        "masked": True,
        "citing_year": topic.query.year,
    }


def main() -> None:
    parser = shared_parser(__doc__, "library!")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--since", type=int, default=2013, metavar="YEAR")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    rng = random.Random(DEFAULT_SEED)
    with Library.open(given.library) as library:
        found = [each for each in mentions(library, rng) if held_out_name(each.name)]
        introduced = library.papers({each.introduced_by for each in found})
        kept = [each for each in found if (introduced[each.introduced_by].year or 0) >= given.since]
    one_each = {each.name: each for each in kept}.values()
    for name, forms in FILES.items():
        asked = one_each if name == "names.jsonl" else kept
        lines = [context(number, each, form, rng) for number, each in enumerate(asked) for form in forms]
        (given.out / name).write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
        print(f"{name}: {len(lines)} questions about {len(one_each)} names")


if __name__ == "__main__":
    main()
