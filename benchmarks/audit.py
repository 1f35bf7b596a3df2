"""How many invented and valid entries an audit tells apart, on rows of HALLMARK (`docs/audit.md`).

    python benchmarks/audit.py ROWS.jsonl… [--seed N]

The library has the valid rows in another style: initials for given names, full names of venues, and a third
of them without a DOI. Detected is what differs, is mixed, or is impossible. The true paper of an invented row
is there if a valid row has its title, its DOI, or, where the title was changed, its authors.
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

from citewhy.answers.audit import ListedPapers, ReferenceList, audit
from citewhy.base.records import Paper, Reference
from citewhy.papers.formats.bibtex import read_entries
from common import parser as shared_parser

FULL = {
    "NeurIPS": "Advances in Neural Information Processing Systems",
    "ICML": "International Conference on Machine Learning",
    "CVPR": "Proceedings of the IEEE/CVF Conference on Computer Vision and Pattern Recognition",
    "AAAI": "Proceedings of the AAAI Conference on Artificial Intelligence",
    "ICLR": "International Conference on Learning Representations",
    "Mach. Learn.": "Machine Learning",
    "J. Mach. Learn. Res.": "Journal of Machine Learning Research",
    "Trans. Mach. Learn. Res.": "Transactions on Machine Learning Research",
}
RETITLED = ("chimeric_title", "near_miss_title")
DETECTED = ("differs", "mixed", "impossible")


def papers_of(rows: list[dict[str, Any]]) -> list[Paper]:
    entries = (
        f"@{row['bibtex_type']}{{{row['bibtex_key']},\n"
        + "".join(f"  {name} = {{{value}}},\n" for name, value in row["fields"].items())
        + "}\n"
        for row in rows
    )
    return [entry.paper for entry in read_entries("".join(entries), "rows.bib", [], {})]


def restyled(paper: Paper, rng: random.Random) -> Paper:
    names = [name.split() for name in map(str, paper.authors)]
    authors = tuple(" ".join([*(f"{word[0]}." for word in name[:-1]), name[-1]]) for name in names)
    publication = paper.publication and replace(
        paper.publication, container=FULL.get(paper.publication.container, paper.publication.container)
    )
    return replace(
        paper,
        authors=authors,
        venue=FULL.get(paper.venue, paper.venue),
        publication=publication,
        source=None,
        doi="" if rng.random() < 1 / 3 else paper.doi,
    )


def main() -> None:
    parser = shared_parser(__doc__)
    parser.add_argument("rows", type=Path, nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    lines = [line for path in given.rows for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in map(json.loads, lines) if "fields" in row]
    valid = [row for row in rows if row["label"] == "VALID"]
    rng = random.Random(given.seed)
    known = ListedPapers([restyled(paper, rng) for paper in papers_of(valid)])
    found = audit([ReferenceList("rows", tuple(Reference(one.id, one) for one in papers_of(rows)))], known)
    titles = {row["fields"]["title"].casefold() for row in valid}
    dois = {row["fields"].get("doi", "").casefold() for row in valid} - {""}
    people = {row["fields"]["author"] for row in valid}
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row, entry in zip(rows, found.entries, strict=True):
        fields, kind = row["fields"], row.get("hallucination_type") or "valid"
        there = fields["title"].casefold() in titles or fields.get("doi", "").casefold() in dois
        there = there or (kind in RETITLED and fields["author"] in people)
        counts[kind, "there" if there else "absent"][entry.verdict] += 1
    for (kind, where), verdicts in sorted(counts.items()):
        share = sum(verdicts[verdict] for verdict in DETECTED) / verdicts.total()
        print(f"{kind:24} {where:7} {verdicts.total():5} {share:6.3f}  {dict(verdicts)}")


if __name__ == "__main__":
    main()
