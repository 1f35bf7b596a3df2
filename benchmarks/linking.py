"""Time of citation linkage: which sentence of a paper does a citing sentence mean?

    python benchmarks/linking.py [--links 5000] [--papers 250] [--sentences 200] [--processes 2] [--seed 7]

Papers of made-up sentences with the word frequencies of English (Zipf), each asked by several sentences,
in as many processes as `--processes`. The time of one link is told with the paper new to the linker and known
to it; CPU time too, which other programs disturb less.
"""

from __future__ import annotations

import argparse
import statistics
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from citewhy.base.records import FullText, Sentence
from citewhy.ranking.linkage import default_linker

WORDS = 8000
SENTENCE_WORDS = 22
ONE_MS, ALL_SECONDS = 20.0, 60.0
"""What it is to stay under."""


def paper(number: int, sentences: int, seed: int) -> FullText:
    draw = np.random.default_rng([seed, number])
    rows = [
        Sentence(place, "title" if place == 0 else f"{place // 30} Section", sentence(draw))
        for place in range(sentences)
    ]
    return FullText(f"p{number}", tuple(rows))


def sentence(draw: np.random.Generator) -> str:
    ranks = np.minimum(draw.zipf(1.3, SENTENCE_WORDS), WORDS)
    return " ".join(spelled(int(rank)) for rank in ranks) + "."


def spelled(rank: int) -> str:
    """Returns a word of letters for each rank, the frequent ones short."""
    letters = "etaoinshrdlucmfwypvbgk"
    word = ""
    while rank:
        rank, letter = divmod(rank, len(letters))
        word += letters[letter]
    return word


def link(task: tuple[int, int, int, int]) -> list[tuple[float, float]]:
    """Returns milliseconds of each link to a paper, by the clock and by the CPU."""
    number, sentences, citances, seed = task
    linker, text = default_linker(), paper(number, sentences, seed)
    draw = np.random.default_rng([seed, number, 1])
    times = []
    for _ in range(citances):
        citance = sentence(draw)
        start, cpu = time.perf_counter(), time.process_time()
        linker.links(citance, text)
        times.append((1000 * (time.perf_counter() - start), 1000 * (time.process_time() - cpu)))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in (
        ("links", 5000),
        ("papers", 250),
        ("sentences", 200),
        ("processes", 2),
        ("seed", 7),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    each = asked.links // asked.papers
    tasks = [(number, asked.sentences, each, asked.seed) for number in range(asked.papers)]
    start = time.perf_counter()
    with ProcessPoolExecutor(asked.processes) as pool:
        done = list(pool.map(link, tasks, chunksize=4))
    seconds = time.perf_counter() - start
    print(f"{sum(map(len, done)):,} links in {seconds:.1f} s (aim: under {ALL_SECONDS:.0f} s for 5,000)")
    told("a new paper", [times[0] for times in done])
    told("a known one", [each for times in done for each in times[1:]])


def told(what: str, times: list[tuple[float, float]]) -> None:
    wall, cpu = (statistics.median(column) for column in zip(*times, strict=True))
    print(f"one link to {what}, median: {wall:.1f} ms, {cpu:.1f} ms of CPU (aim: {ONE_MS:.0f} ms)")


if __name__ == "__main__":
    main()
