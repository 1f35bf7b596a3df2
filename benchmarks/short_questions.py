"""How well a paper is found by a few words alone: the name that it introduces, a rare word of its title, the
beginning of its title.

    python benchmarks/short_questions.py --library DIR [--number N] [--part measuring|choosing]

The questions are made of the library. *Names* are those that one title introduces first and that the
abstracts of five or more papers use; ordinary words are left out. *Rare words* stand in one title alone, have
a capital there, and are no names by any rule. *Beginnings* are the first four words of longer titles. Each is
asked as it is written and in small letters, without a year and as of a year after all papers, which makes
every citing sentence old. A half of the papers (a hash of their ids) is there to choose numbers by, the other
to measure. Prints R@10 and the reciprocal rank of BM25, hybrid, and the default.
"""

from __future__ import annotations

import random
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from citewhy.base.config import DEFAULT_SEED
from citewhy.base.records import Paper, Query
from citewhy.papers.library.store import Library
from citewhy.ranking.rank.ranker import Pipeline
from citewhy.ranking.recommender import Recommender
from citewhy.text.ordinary_words import is_ordinary
from citewhy.text.system_names import introduced_names, title_names
from common import parser as shared_parser

WORD = re.compile(r"[^\W_][\w+\-]*")
PIPELINES: tuple[Pipeline, ...] = ("bm25", "hybrid", "full")
USERS = range(2, 41)
"""Abstracts that a rare word is in."""

Question = tuple[str, str]
"""The text, and the id of the right paper."""


def words_of(text: str) -> set[str]:
    return {word.casefold() for word in WORD.findall(text)}


def names(papers: Mapping[str, Paper], used: Mapping[str, int]) -> Iterator[Question]:
    """Yields the names that one title introduces first, alone in its year."""
    claims: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for paper in papers.values():
        for name in title_names(paper.title) if paper.year else ():
            claims[name].append((paper.year or 0, paper.id))
    for name, all_of in claims.items():
        first, *others = sorted(all_of)
        written = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", papers[first[1]].title, re.IGNORECASE)
        alone = not others or others[0][0] > first[0]
        if alone and written and used.get(name, 0) >= 5 and not is_ordinary(name):
            yield written[0], first[1]


def rare_words(papers: Mapping[str, Paper], used: Mapping[str, int]) -> Iterator[Question]:
    """Yields words of a single title that nothing introduces."""
    titles = Counter(word for paper in papers.values() for word in words_of(paper.title))
    introduced = {
        name for paper in papers.values() for name in introduced_names(paper.title, paper.abstract or "")
    }
    for paper in papers.values():
        for word in WORD.findall(paper.title):
            folded = word.casefold()
            rare = titles[folded] == 1 and used.get(folded, 0) in USERS and folded not in introduced
            if rare and word[0].isupper() and len(word) >= 4 and "-" not in word and not is_ordinary(folded):
                yield word, paper.id


def beginnings(papers: Mapping[str, Paper]) -> Iterator[Question]:
    for paper in papers.values():
        words = paper.title.split()
        if len(words) >= 7:
            yield " ".join(words[:4]), paper.id


def measured(
    recommender: Recommender, asked: Sequence[Question], written: Callable[[str], str], year: int | None
) -> str:
    """Writes R@10 and the mean reciprocal rank."""
    ranks = []
    for text, paper_id in asked:
        ids = recommender.rank(Query("local", written(text), year=year), 1000).ids
        ranks.append(ids.index(paper_id) + 1.0 if paper_id in ids else np.inf)
    return f"{np.mean(np.array(ranks) <= 10):.3f} / {np.mean(1 / np.array(ranks)):.3f}"


def main() -> None:
    """Prints a table for each kind of question."""
    parser = shared_parser(__doc__, "library!")
    parser.add_argument("--number", type=int, default=100, help="questions of each kind")
    parser.add_argument("--part", choices=("measuring", "choosing"), default="measuring")
    given = parser.parse_args()
    with Library.open(given.library) as library:
        papers = library.papers(library.ids())
        used = Counter(word for paper in papers.values() for word in words_of(paper.abstract or ""))
        kinds = {
            "names": names(papers, used),
            "rare words": rare_words(papers, used),
            "beginnings": beginnings(papers),
        }
        later = max(paper.year or 0 for paper in papers.values()) + 1
        recommenders = {pipeline: Recommender(library, pipeline) for pipeline in PIPELINES}
        for kind, made in kinds.items():
            part = int(given.part == "measuring")
            every = [each for each in made if zlib.crc32(each[1].encode()) % 2 == part]
            asked = random.Random(DEFAULT_SEED).sample(every, min(given.number, len(every)))
            print(f"{kind}: {len(asked)}")
            for year in (None, later):
                for case, written in (("as written", str), ("small letters", str.lower)):
                    row = [measured(each, asked, written, year) for each in recommenders.values()]
                    print(f"  {case:14} {year or 'no year':8}", *row, sep="   ", flush=True)


if __name__ == "__main__":
    main()
