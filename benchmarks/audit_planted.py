"""How many planted errors an audit detects in authors' own bibliographies, by kind (`docs/audit.md`).

    python benchmarks/audit_planted.py --documents DIR [--seed N] [--entries N]

The entries of the documents' `.bib` files that have a title of five words, two to eight authors, a year, a
venue and a DOI are what is known, in another style: initials for given names, a third of them without a DOI.
Into each of N entries of a half of the fields, one error of each kind is planted; N others are audited as
they are. Detected is what differs, is mixed, or is impossible. Fields are in one half or the other by a hash
of their names: rules may be tuned on one, and are measured on the other.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import orjson

from audit_differences import documents
from citewhy.answers.audit import ListedEntries, ListedPapers, audit
from citewhy.answers.audit.fields import venue_of
from citewhy.answers.audit.titles import distinctive
from citewhy.base.records import Name, Paper, Reference
from citewhy_lab.evaluate.audits import DETECTED, restyled
from common import parser as shared_parser
from common import wilson

Plant = Callable[[Paper, Paper, random.Random], Paper]
"""Makes an entry with an error of an entry, and of another one."""


def _year(paper: Paper, other: Paper, rng: random.Random) -> Paper:
    return replace(paper, year=(paper.year or 0) - rng.choice((3, 4, 5, 6)))


def _future(paper: Paper, other: Paper, rng: random.Random) -> Paper:
    return replace(paper, year=2100 + rng.randrange(50))


def _people(paper: Paper, other: Paper, rng: random.Random) -> Paper:
    return replace(paper, authors=other.authors)


def _dropped(paper: Paper, other: Paper, rng: random.Random) -> Paper:
    place = rng.randrange(len(paper.authors))
    return replace(paper, authors=(*paper.authors[:place], *paper.authors[place + 1 :]))


def _added(paper: Paper, other: Paper, rng: random.Random) -> Paper:
    place = rng.randrange(len(paper.authors))
    return replace(paper, authors=(*paper.authors[:place], other.authors[0], *paper.authors[place:]))


def _misspelt(paper: Paper, other: Paper, rng: random.Random) -> Paper:
    place = rng.randrange(len(paper.authors))
    given, _, family = str(paper.authors[place]).rpartition(" ")
    at = rng.randrange(1, max(2, len(family) - 1))
    wrong = family[:at] + rng.choice("bcdfgklmnprst") + family[at + 1 :]
    authors = (*paper.authors[:place], f"{given} {wrong}".strip(), *paper.authors[place + 1 :])
    return replace(paper, authors=authors)


def _word(paper: Paper, other: Paper, rng: random.Random) -> Paper:
    words = paper.title.split()
    places = [number for number, word in enumerate(words) if len(word) > 4] or [0]
    strange = [word for word in other.title.split() if len(word) > 4 and word not in words] or ["lattices"]
    words[rng.choice(places)] = rng.choice(strange)
    return replace(paper, title=" ".join(words))


def _title(paper: Paper, other: Paper, rng: random.Random) -> Paper:
    return replace(paper, title=other.title)


def _doi(paper: Paper, other: Paper, rng: random.Random) -> Paper:
    return replace(paper, doi=other.doi)


def _venue(paper: Paper, other: Paper, rng: random.Random) -> Paper:
    publication = paper.publication and replace(paper.publication, container=venue_of(other))
    return replace(paper, venue=other.venue, publication=publication)


KINDS: dict[str, Plant] = {
    "a wrong year": _year,
    "a year to come": _future,
    "authors of another": _people,
    "an author too few": _dropped,
    "an author too many": _added,
    "a surname misspelt": _misspelt,
    "a word of the title": _word,
    "the title of another": _title,
    "the DOI of another": _doi,
    "the venue of another": _venue,
}


def _is_complete(paper: Paper) -> bool:
    names = all(not (isinstance(name, Name) and name.is_literal) and " " in name for name in paper.authors)
    few = 1 < len(paper.authors) < 9
    return bool(few and names and paper.year and paper.doi and venue_of(paper) and distinctive(paper.title))


def main() -> None:
    parser = shared_parser(__doc__, "documents!", "manifest")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--entries", type=int, default=300, help="entries of each half")
    given = parser.parse_args()
    rng = random.Random(given.seed)
    areas = {row["name"]: row["area"] for row in map(orjson.loads, given.manifest.read_bytes().splitlines())}
    by_doi: dict[str, tuple[str, Paper]] = {}
    for name, listed in documents(given.documents, given.manifest).items():
        for reference in listed:
            if _is_complete(reference.paper):
                by_doi.setdefault(reference.paper.doi, (name, replace(reference.paper, source=None)))
    known = ListedPapers([restyled(paper, rng) for _, paper in by_doi.values()])
    print(f"{len(by_doi):,} papers are known")
    for half, what in enumerate(("for tuning", "for measuring")):
        of_half = [
            (areas[name], paper)
            for name, paper in by_doi.values()
            if hashlib.sha1(areas[name].encode(), usedforsecurity=False).digest()[0] % 2 == half
        ]
        entries = [paper for _, paper in of_half]
        drawn = rng.sample(entries, min(2 * given.entries, len(entries)))
        some, others = drawn[: len(drawn) // 2], drawn[len(drawn) // 2 :]
        print(f"\nFields {what}: {len({area for area, _ in of_half})}")
        _report("nothing planted", others, known)
        for kind, plant in KINDS.items():
            _report(kind, [plant(*pair, rng) for pair in zip(some, others, strict=False)], known)


def _report(kind: str, papers: Sequence[Paper], known: ListedPapers) -> None:
    references = tuple(Reference(paper.id, paper) for paper in papers)
    counts = audit([ListedEntries("planted", references)], known).counts
    found = sum(counts[verdict] for verdict in DETECTED)
    low, high = wilson(found, len(papers))
    verdicts = {verdict: count for verdict, count in Counter(counts).most_common() if count}
    print(f"{kind:22}{len(papers):5}  {found / len(papers):.3f} ({low:.3f}–{high:.3f})  {verdicts}")


if __name__ == "__main__":
    main()
