"""Measures `find` on misspelt surnames and rare words of titles, and on right ones.

    python benchmarks/misspelt.py --library DIR [--json]

200 surnames with the year of the paper ("Foucalt 1975"), and 200 words that at most three papers have in
their titles and abstracts, are drawn at random. In each of them one letter or two are replaced, left out,
added, or exchanged with the next, so that the library does not have the word. The table shows for how many
the paper that was drawn is among the first ten: as they are spelled in the library, misspelt without
correction (as written), and misspelt. The last lines show times; right texts are asked with and without the
correction in turn.
"""

from __future__ import annotations

import json
import random
import statistics
import string
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from citewhy.answers.resolve import Resolver
from citewhy.base.config import DEFAULT_SEED
from citewhy.base.records import Paper
from citewhy.base.reports import Finding
from citewhy.papers.library.store import Library
from citewhy.search.index import Index
from citewhy.session.session import Session
from citewhy.text.names import surname
from citewhy.text.tokens import fold, stems, words
from common import Line, document, ratio, table
from common import parser as shared_parser

EACH, SHOWN, RARE = 200, 10, 3
SHORTEST = 5
"""Letters of a word that is misspelt."""


@dataclass(frozen=True, slots=True)
class Question:
    """A text for a paper, as it should be written and as it is."""

    kind: str
    edits: int
    right: str
    wrong: str
    paper_id: str


def misspelt(word: str, edits: int, rng: random.Random) -> str:
    """The word with letters replaced, left out, added, or exchanged with the next."""
    letters = list(word)
    for _ in range(edits):
        place = rng.randrange(len(letters))
        letter = rng.choice(string.ascii_lowercase)
        what = rng.choice(("replaced", "left out", "added", "exchanged"))
        if what == "exchanged" and place + 1 < len(letters):
            letters[place], letters[place + 1] = letters[place + 1], letters[place]
        elif what == "added":
            letters.insert(place, letter)
        elif what == "left out":
            del letters[place]
        else:
            letters[place] = letter
    return "".join(letters)


def surnames(index: Index, papers: list[Paper], rng: random.Random) -> Iterator[Question]:
    """Yields questions with the surname of a first author and a year."""
    for number, paper in enumerate(papers):
        name = surname(paper.authors[0]) if paper.authors else ""
        edits = 1 + number % 2
        usable = len(name) >= SHORTEST and name.isascii() and name.isalpha()
        wrong = misspelt(name, edits, rng) if usable else ""
        if paper.year and wrong and not len(index.named("author", [wrong])) and not known(index, wrong):
            right, asked = (f"{text.capitalize()} {paper.year}" for text in (name, wrong))
            yield Question("surnames", edits, right, asked, paper.id)


def rare_words(index: Index, papers: list[Paper], rng: random.Random) -> Iterator[Question]:
    """Yields questions with a word of a title that few papers have."""
    for number, paper in enumerate(papers):
        rare = [word for word in words(paper.title) if is_rare(index, word)]
        edits = 1 + number % 2
        if rare:
            right = rng.choice(rare)
            wrong = misspelt(right, edits, rng)
            if not known(index, wrong) and not len(index.named("author", [fold(wrong)])):
                yield Question("rare words", edits, right, wrong, paper.id)


def is_rare(index: Index, word: str) -> bool:
    terms = stems(word)
    having = index.text.document_frequencies(terms)
    return len(word) >= SHORTEST and word.isalpha() and bool(terms) and 0 < having[0] <= RARE


def known(index: Index, word: str) -> bool:
    return any(index.text.document_frequencies(stems(word)))


def drawn(index: Index, library: Library) -> list[Question]:
    """Draws the questions of both kinds."""
    rng = random.Random(DEFAULT_SEED)
    ids = rng.sample(sorted(library.ids()), min(30 * EACH, len(library.ids())))
    papers = list(library.papers(ids).values())
    questions: list[Question] = []
    for kind in (surnames, rare_words):
        asked = kind(index, papers, rng)
        questions += [question for question, _ in zip(asked, range(EACH), strict=False)]
    return questions


def timed(find: Callable[[str, int], Finding], text: str, times: list[float]) -> list[str]:
    """The ids of the papers that are found; adds the time that it took."""
    start = time.perf_counter()
    finding = find(text, SHOWN)
    times.append(1000 * (time.perf_counter() - start))
    return [paper.id for paper in finding.papers]


def main() -> None:
    given = shared_parser(__doc__, "library!", "json").parse_args()
    hits: dict[str, list[float]] = {}
    times: dict[str, list[float]] = {}
    with Session(given.library) as session:
        opened = session._current()
        index, library = opened.index(), opened.library
        resolver = Resolver(library, index)
        corrected, as_written = resolver.find, resolver.as_written
        timed(corrected, "wrods to open what the first qusetion opens", [])
        for question in drawn(index, library):
            answers = {
                "right": timed(corrected, question.right, times.setdefault("right", [])),
                "misspelt, as written": timed(as_written, question.wrong, []),
                "misspelt": timed(corrected, question.wrong, times.setdefault("misspelt", [])),
            }
            uncorrected = timed(as_written, question.right, times.setdefault("right, as written", []))
            hits.setdefault("right texts answered as without correction", []).append(
                uncorrected == answers["right"]
            )
            for way, ids in answers.items():
                name = f"{question.kind}, {question.edits} wrong: {way}"
                hits.setdefault(name, []).append(question.paper_id in ids)
    lines = [Line(f"{name} (of {len(told)})", statistics.mean(told), "") for name, told in hits.items()]
    lines += [Line(f"median time, {way}", statistics.median(taken), "ms") for way, taken in times.items()]
    lines += [Line(f"longest time, {way}", max(taken), "ms") for way, taken in times.items()]
    lines.append(
        Line("right, with correction / without", ratio(times["right"], times["right, as written"]), "×")
    )
    print(json.dumps(document(lines, times, {}), indent=2) if given.json else table(lines))


if __name__ == "__main__":
    main()
