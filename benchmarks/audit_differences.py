"""Whether what an audit remarks in authors' own bibliographies is right (`docs/audit.md`).

    python benchmarks/audit_differences.py --documents DIR --draw FILE [--seed N]    remarks to be read
    python benchmarks/audit_differences.py --documents DIR                           those that were judged

Each document's entries are audited against the entries of all other documents and the collection of
articles. Of what is remarked (a field that differs, parts of two papers, what cannot be, a preprint that was
published) 200 are drawn, and as many entries that are called duplicates. `audit_differences.judged.jsonl` has
what a reader judged: the document and the key, what was remarked, and whether there is something to correct,
and where: in the ``entry``, in the ``record`` that it was compared with, or in ``none`` of them. No text of
the entries is kept.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

from citewhy.answers.audit import AuditedEntry, ListedEntries, ListedPapers, audit
from citewhy.answers.audit.lists import papers_in
from citewhy.base.records import Paper, Reference
from citewhy.drafts.bibliography import references
from citewhy.drafts.files import DISK
from common import parser as shared_parser
from common import wilson

JUDGED = Path(__file__).with_suffix(".judged.jsonl")
DRAWN = 200


class Others:
    """The papers of all documents but one, and those of no document."""

    def __init__(self, papers: Iterable[Paper]) -> None:
        self._papers = ListedPapers(papers)
        self.document = ""

    def candidates(self, entries: Iterable[Paper]) -> list[list[Paper]]:
        return [self._others(found) for found in self._papers.candidates(list(entries))]

    def by(self, first_author: str, year: int | None) -> list[Paper]:
        return self._others(self._papers.by(first_author, year))

    def of_venue(self, venue: str) -> list[Paper]:
        return self._others(self._papers.of_venue(venue))

    def _others(self, papers: Iterable[Paper]) -> list[Paper]:
        return [paper for paper in papers if paper.id.partition(":")[0] != self.document]


@dataclass(frozen=True, slots=True)
class Remarked:
    """Something that was remarked of an entry."""

    entry: str
    """The document and the key."""
    what: str
    certain: bool
    text: str

    @property
    def name(self) -> tuple[str, str]:
        return self.entry, self.what


def documents(folder: Path, manifest: Path) -> dict[str, list[Reference]]:
    """The entries of each document; of several with one key, the first."""
    found: dict[str, list[Reference]] = {}
    for line in manifest.read_text(encoding="utf-8").splitlines():
        row = orjson.loads(line)
        files = [folder / row["name"] / name for name in row["bibs"]]
        listed, _, _ = references(DISK, [file for file in files if file.exists()])
        first = {reference.key: reference for reference in reversed(listed) if reference.paper.title}
        found[row["name"]] = [
            replace(reference, paper=replace(reference.paper, id=f"{row['name']}:{reference.key}"))
            for reference in first.values()
        ]
    return found


def remarked(entry: AuditedEntry) -> Iterator[Remarked]:
    """Yields what is remarked of an entry, but for what its type needs, and for capitals."""
    name, beside = entry.reference.paper.id, entry.paper
    where = f" [{beside.id}] {beside.title}" if beside else ""
    if entry.verdict == "impossible":
        yield Remarked(name, "impossible", True, "; ".join(entry.reasons))
    if entry.verdict == "mixed" and entry.other:
        parts = ", ".join(entry.parts)
        yield Remarked(
            name, "mixed", entry.certain, f"{parts} of [{entry.other.id}] {entry.other.title}{where}"
        )
    for one in entry.differences:
        yield Remarked(name, one.field, one.certain, f"{one.says} | {one.known}{where}")
    for remark in entry.remarks:
        if remark.kind in ("published", "duplicate"):
            yield Remarked(name, remark.kind, remark.certain, remark.text)


def main() -> None:
    parser = shared_parser(__doc__, "documents!", "manifest", "data", "json")
    parser.add_argument("--draw", type=Path, help="write drawn remarks to be judged to this file")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    found = documents(given.documents, given.manifest)
    papers = [reference.paper for listed in found.values() for reference in listed]
    others = Others([*papers, *papers_in([given.data / "papers.jsonl.gz"])[0]])
    remarks: list[Remarked] = []
    counts: Counter[str] = Counter()
    for name, listed in found.items():
        others.document = name
        audited = audit([ListedEntries(name, tuple(listed))], others)
        counts.update(audited.counts)
        remarks += [one for entry in audited.entries for one in remarked(entry)]
    if given.draw:
        rng = random.Random(given.seed)
        drawn = [
            rng.sample(some, min(DRAWN, len(some)))
            for some in (
                [one for one in remarks if one.what != "duplicate"],
                [one for one in remarks if one.what == "duplicate"],
            )
        ]
        lines = (
            {"entry": one.entry, "what": one.what, "text": one.text, "judged": ""}
            for some in drawn
            for one in some
        )
        given.draw.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
        return
    report(remarks, counts)


def report(remarks: list[Remarked], counts: Counter[str]) -> None:
    """Prints how many of the judged remarks are right: those that are still made."""
    judged = {
        (row["entry"], row["what"]): row["judged"]
        for row in map(orjson.loads, JUDGED.read_bytes().splitlines())
    }
    met = sum(counts[verdict] for verdict in ("known", "differs", "mixed"))
    print(f"{counts.total():,} entries, {met:,} of them known to the others: {dict(counts)}")
    groups: dict[str, list[Remarked]] = defaultdict(list)
    for one in remarks:
        for group in ("certain" if one.certain else "not certain", one.what):
            groups[group].append(one)
    print(f"{'':14}{'made':>6}{'judged':>8}{'entry':>7}{'record':>8}{'none':>6}  something to correct")
    for group, some in sorted(groups.items()):
        verdicts = Counter(judged[one.name] for one in some if one.name in judged)
        right = verdicts["entry"] + verdicts["record"]
        low, high = wilson(right, verdicts.total())
        share = f"{right / verdicts.total():.3f} ({low:.3f}–{high:.3f})" if verdicts.total() else ""
        print(
            f"{group:14}{len(some):6}{verdicts.total():8}{verdicts['entry']:7}{verdicts['record']:8}"
            f"{verdicts['none']:6}  {share}"
        )


if __name__ == "__main__":
    main()
