"""How often records of two papers are joined, and records of one paper are not (`docs/library.md`).

    python benchmarks/duplicates.py --documents DIR --draw FILE [--seed N]    pairs to be read and judged
    python benchmarks/duplicates.py --documents DIR                           errors among the judged pairs

All papers of the collection of articles and all entries of the documents' `.bib` files are added to one
library, in one import. Of what it joined, 100 pairs are drawn each from articles, from entries, and from an
article and an entry; and as many of what it kept apart although it is similar: half of them with the same
title or DOI, half with the same first author and most words of the title, as far as there are any. Entries
with the same text are one record. `duplicates.judged.jsonl` has what a reader judged: the keys of two
records, and whether they are one paper. `PYTHONPATH=OTHER/src` measures another version by the same pairs.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import orjson

from citewhy.base.errors import CiteWhyError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Paper
from citewhy.papers.formats import read
from citewhy.papers.library.store import Library
from common import parser as shared_parser
from common import wilson

JUDGED = Path(__file__).with_suffix(".judged.jsonl")
PAIRS_OF_A_KIND = 100
KINDS = ("articles", "entries", "both")
_RARE = 3
"""Records are similar candidates if they share one of this many rarest words of their titles."""

Pair = tuple[str, str]


def records(data: Path, documents: Path) -> dict[str, Paper]:
    """All papers by key: the id of an article, or document, file and key of an entry."""
    found = {}
    for paper in read(data / "papers.jsonl.gz", ImportReport()):
        if isinstance(paper, Paper):
            found[paper.id] = paper
    for path in sorted(documents.rglob("*.bib")):
        try:
            papers = [each for each in read(path, ImportReport()) if isinstance(each, Paper)]
        except CiteWhyError as error:
            print(f"not read: {path.name}: {error}")
            continue
        for paper in papers:
            key = f"{path.relative_to(documents)}:{paper.id}"
            found[key] = replace(paper, id=key)
    return found


def joined(papers: Iterable[Paper]) -> dict[str, str]:
    """The entry of each key in one library of all papers."""
    with tempfile.TemporaryDirectory() as folder, Library.open(folder, create=True) as library:
        papers = list(papers)
        library.add(papers)
        return {paper.id: library.canonical(paper.id) or "" for paper in papers}


def kind(pair: Pair) -> str:
    entries = sum(".bib:" in key for key in pair)
    return KINDS[0] if not entries else KINDS[1] if entries == 2 else KINDS[2]


def draw(papers: dict[str, Paper], entry: dict[str, str], rng: random.Random) -> Iterator[tuple[Pair, str]]:
    """Gives pairs, each with what it was drawn as."""
    members = defaultdict(list)
    for key in sorted(papers):
        members[entry[key]].append(key)
    of_entries: dict[str, list[Pair]] = defaultdict(list)
    for keys in members.values():
        by_kind = defaultdict(list)
        for pair in combinations(keys[:30], 2):
            by_kind[kind(pair)].append(pair)
        for name, pairs in by_kind.items():
            of_entries[name].append(rng.choice(pairs))  # one of each entry, or large ones would be most
    near: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for pair, how in similar(papers):
        if entry[pair[0]] != entry[pair[1]]:
            near[kind(pair), how].append(pair)
    short = 0
    for name in KINDS:
        for pair in rng.sample(of_entries[name], min(PAIRS_OF_A_KIND, len(of_entries[name]))):
            yield pair, f"joined, {name}"
        for how in ("title", "words"):
            some = near[name, how]
            taken = rng.sample(some, min(PAIRS_OF_A_KIND // 2, len(some)))
            short += PAIRS_OF_A_KIND // 2 - len(taken)
            near[name, how] = [pair for pair in some if pair not in taken]
            yield from ((pair, f"apart, {name}, {how}") for pair in taken)
        print(f"{name}: {len(of_entries[name]):,} joined, ", end="")
        print(*(f"{len(near[name, how]):,} more apart ({how})" for how in ("title", "words")), sep=", ")
    for how, most in (("title", short // 2), ("words", short - short // 2)):  # the union has few of its own
        for pair in rng.sample(near["entries", how], most):
            yield pair, f"apart, entries, {how}"


def similar(papers: dict[str, Paper]) -> Iterator[tuple[Pair, str]]:
    """Gives pairs of records with one title or DOI (``title``), or with one first author and three quarters
    of the words (``words``)."""
    words = {key: tuple(sorted(set(_words(paper.title)))) for key, paper in papers.items()}
    count = Counter(word for each in words.values() for word in each)
    same: dict[object, list[str]] = defaultdict(list)
    close: dict[object, list[str]] = defaultdict(list)
    for key in sorted(papers):
        paper = papers[key]
        if len(words[key]) > 2:
            same[words[key]].append(key)
            author = paper.authors[0].split()[-1].lower() if paper.authors else ""
            for word in sorted(words[key], key=lambda word: (count[word], word))[:_RARE]:
                close[author, word].append(key)
        if paper.doi:
            same[paper.doi].append(key)
    seen = set()
    for how, groups in (("title", same), ("words", close)):
        for keys in groups.values():
            for pair in combinations(keys[:60], 2):
                one, other = (set(words[key]) for key in pair)
                if pair in seen or (how == "words" and 4 * len(one & other) < 3 * len(one | other)):
                    continue
                seen.add(pair)
                yield pair, how


def _words(title: str) -> list[str]:
    return re.findall(r"\w+", title.lower())


def shown(paper: Paper) -> str:
    """A record on one line."""
    fields = {name: getattr(paper.publication, name, "") for name in _SHOWN}
    said = " ".join(f"{name}={value}" for name, value in fields.items() if value)
    people = "; ".join(paper.authors[:4]) + (f" +{len(paper.authors) - 4}" if len(paper.authors) > 4 else "")
    return f"{paper.title} | {people} | {paper.year} | {paper.venue} | {paper.doi or paper.url} | {said}"


_SHOWN = ("type", "volume", "number", "pages", "edition", "publisher", "arxiv", "isbn")


def errors(entry: dict[str, str]) -> str:
    """A table of the errors among the judged pairs."""
    judged = [orjson.loads(line) for line in JUDGED.read_bytes().splitlines()]
    found = [pair for pair in judged if {pair["one"], pair["other"]} <= entry.keys()]
    known = [pair for pair in found if pair["same"] is not None]
    lines = [f"{'':10}{'two papers joined':>28}{'one paper kept apart':>28}{'wrong among the joined':>28}"]
    for name in (*KINDS, "all"):
        some = [pair for pair in known if name in ("all", kind((pair["one"], pair["other"])))]
        one = [entry[pair["one"]] == entry[pair["other"]] for pair in some if pair["same"]]
        two = [entry[pair["one"]] == entry[pair["other"]] for pair in some if not pair["same"]]
        shares = [(sum(two), len(two)), (len(one) - sum(one), len(one)), (sum(two), sum(one) + sum(two))]
        lines.append(f"{name:10}" + "".join(f"{_share(*each):>28}" for each in shares))
    unclear = len(found) - len(known)
    return "\n".join([*lines, f"unclear: {unclear}; records not found: {len(judged) - len(found)}"])


def _share(wrong: int, count: int) -> str:
    low, high = wilson(wrong, count)
    return f"{wrong} of {count} ({low:.3f}–{high:.3f})"


def main() -> None:
    parser = shared_parser(__doc__, "data", "documents!")
    parser.add_argument("--draw", type=Path, metavar="FILE", help="write pairs to be judged to this file")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    papers = records(options.data, options.documents)
    print(f"{len(papers):,} records")
    entry = joined(papers.values())
    if options.draw is not None:
        texts: dict[object, Paper] = {}
        for paper in papers.values():
            texts.setdefault(paper.source.text if paper.source else paper.id, paper)
        distinct = {paper.id: paper for paper in texts.values()}
        with options.draw.open("w", encoding="utf-8") as file:
            for number, (pair, drawn) in enumerate(draw(distinct, entry, random.Random(options.seed))):
                file.write(f"{number}\t{drawn}\t{pair[0]}\t{pair[1]}\n")
                file.writelines(f"  {shown(papers[key])}\n" for key in pair)
        return
    print(errors(entry))


if __name__ == "__main__":
    main()
