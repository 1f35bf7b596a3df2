"""Generates a corpus of any size with the statistics of a real one.

    python benchmarks/corpus.py --papers 1000000 --out FOLDER [--seed S] [--data DIR] [--json]

The folder gets `papers.jsonl.gz`, `citations.tsv.gz`, `contexts.train.jsonl.gz` and, of the last hundredth of
the papers, `contexts.val.jsonl.gz`, in the formats of the data folder: it can be given as CITEWHY_DATA. Then
the statistics of both corpora are printed beside each other.

- **Words.** The real papers are divided into topics: halves along the first principal component of their
  words, again and again, until about 32 remain. A text is a walk through the texts of a topic, which may go
  on after any other occurrence of its last word there or in the wider field. So frequencies, collocations
  and what occurs together are those of the topic, and hardly a sentence is a real one.
- **New words.** The vocabulary follows Heaps' law as fitted to the real papers: a rare word stands for a
  growing number of variants with other endings.
- **People** write within their topic and field; who has written more is chosen more often, and new names come
  by the law of the real ones. Years, venues, lengths and the share with a DOI are drawn from the real papers.
  Ids begin with a letter and a year, as at the ACL Anthology: their order is not that of years.
- **Citations** go to earlier papers: in proportion to their citations so far, within the field or everywhere
  (preferential attachment), or to recent ones of the topic. How many a paper has is log-normal.
- **Citing sentences** are walks through real ones, with words of the topic.

Papers are made in blocks and written at once: memory does not grow with their number. The same options give
the same files, with the same version of numpy.
"""

from __future__ import annotations

import csv
import gzip
import math
import re
import sys
import time
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import numpy as np
import orjson
from numpy.typing import NDArray
from scipy import sparse

from common import parser as shared_parser

Ints = NDArray[np.int64]
Item = TypeVar("Item")

TOPIC, FIELD = 32, 1024
"""About how many real papers make a topic, and a field of topics."""

_BLOCK = 4096
_IN_TOPIC, _IN_FIELD = 0.25, 0.15
"""How often a walk goes on elsewhere after a word: in its topic, in its field."""
_RARE = 3
"""A word that occurs so often in the real papers may stand for others."""
_ABOUT = 8
"""Number of words about its topic in a citing sentence."""
_MOST_TITLE, _MOST_ABSTRACT, _MOST_SENTENCE = 30, 400, 60
_SPREAD = 0.9
"""Standard deviation of the logarithm of the number of references."""

_CORE = re.compile(r"[A-Za-z]{4,}")
_WORDS = re.compile(r"[a-z0-9]+")
_SYLLABLES = [first + vowel for first in "bdfgklmnprtvz" for vowel in "aeiou"]


def read_papers(path: Path) -> list[dict[str, Any]]:
    """Reads all papers of a file of JSON lines, plain or gzip."""
    with _opened(path) as lines:
        return [orjson.loads(line) for line in lines]


def _opened(path: Path) -> Any:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


# Topics --------------------------------------------------------------------------------------------------


def ordered_by_topic(texts: Sequence[str], seed: int) -> tuple[Ints, Ints]:
    """An order of texts in which those of a topic are neighbours, and the topic of each place, ascending.

    Principal direction divisive partitioning (Boley 1998), with halves of equal size.
    """
    vocabulary: dict[str, int] = {}
    columns, rows = array("i"), array("q", [0])
    for text in texts:
        columns.extend(
            vocabulary.setdefault(word, len(vocabulary)) for word in set(_WORDS.findall(text.lower()))
        )
        rows.append(len(columns))
    ones = np.ones(len(columns), dtype=np.float32)
    matrix = sparse.csr_matrix((ones, columns, rows), shape=(len(texts), len(vocabulary) or 1))
    frequency = np.bincount(np.array(columns, dtype=np.int64), minlength=matrix.shape[1])
    weights = np.where(frequency > 1, np.log(len(texts) / np.maximum(frequency, 1)), 0.0)
    matrix = (matrix @ sparse.diags(weights.astype(np.float32))).tocsr()
    norms = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    matrix = (sparse.diags(1.0 / np.maximum(norms, 1e-6)) @ matrix).tocsr()
    rng = np.random.default_rng(seed)
    parts = [np.arange(len(texts))]
    while len(parts[0]) > 1.5 * TOPIC:
        parts = [half for part in parts for half in _halves(matrix, part, rng)]
    return np.concatenate(parts), np.repeat(np.arange(len(parts)), [len(part) for part in parts])


def _halves(matrix: Any, part: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    rows = matrix[part]
    used, columns = np.unique(rows.indices, return_inverse=True)
    rows = sparse.csr_matrix((rows.data, columns, rows.indptr), shape=(len(part), len(used)))
    mean = np.asarray(rows.mean(axis=0)).ravel()
    direction = rng.normal(size=rows.shape[1])
    for _ in range(8):  # power iteration on the centred rows
        scores = rows @ direction - mean @ direction
        direction = rows.T @ scores - mean * scores.sum()
        direction /= np.linalg.norm(direction) or 1.0
    order = np.argsort(rows @ direction, kind="stable")
    middle = len(part) // 2
    return part[order[:middle]], part[order[middle:]]


# Words ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Heaps:
    """Heaps' law: n occurrences have about scale · n ** power distinct values."""

    scale: float
    power: float

    @classmethod
    def fitted(cls, values: Ints) -> Heaps:
        """Fits the law to a sequence of values, from a hundredth of it to all."""
        firsts = np.sort(np.unique(values, return_index=True)[1])
        sizes = np.unique(np.geomspace(max(2, len(values) // 100), len(values), 20).astype(np.int64))
        distinct = np.searchsorted(firsts, sizes)
        power, logarithm = np.polyfit(np.log(sizes), np.log(np.maximum(distinct, 1)), 1)
        return cls(float(np.exp(logarithm)), float(power))

    def distinct(self, count: float) -> float:
        return float(self.scale * max(count, 1.0) ** self.power)

    def share_new(self, count: float) -> float:
        """How likely the next occurrence is a new value."""
        return min(1.0, self.power * self.distinct(count) / max(count, 1.0))


class Words:
    """All words of the real texts as they are written, by number, and which of them are rare."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {"": 0}
        """Number 0 ends a text."""

    def numbered(self, text: str) -> list[int]:
        numbers = self.numbers
        return [numbers.setdefault(word, len(numbers)) for word in text.split()]

    def finish(self, streams: Iterable[NDArray[Any]], seed: int) -> None:
        """Finds the rare words and the growth of the vocabulary in shuffled texts."""
        self.written = np.array(list(self.numbers), dtype=object)
        stems: dict[str, int] = {}
        stem_of = [
            stems.setdefault(core[0].lower() if (core := _CORE.search(word)) else "", len(stems))
            for word in self.numbers
        ]
        found = np.array(stem_of)[np.concatenate([_shuffled(stream, seed) for stream in streams])]
        counts = np.bincount(found, minlength=len(stems))
        counts[stem_of[0]] = len(found)
        self.heaps = Heaps.fitted(found)
        self.rare = (counts <= _RARE)[stem_of]
        counts[stem_of[0]] = 0
        self._real_words = int(counts.sum())
        self._stems_with = np.bincount(counts)
        """[c] how many words occur so often."""

    def variants(self, words_before: float) -> float:
        """For how many words a rare one stands after so many words: enough that as many different ones are to
        be expected as by Heaps' law."""
        wanted, low, high = self.heaps.distinct(words_before), 1.0, 2.0
        while self._expected(words_before, high) < wanted and high < 1e4:
            low, high = high, 2 * high
        while high - low > 0.01 * low:
            middle = (low + high) / 2
            low, high = (middle, high) if self._expected(words_before, middle) < wanted else (low, middle)
        return low

    def _expected(self, words: float, variants: float) -> float:
        """How many different words are to be expected among so many."""
        times = np.flatnonzero(self._stems_with)
        with_times = self._stems_with[times]
        drawn = times * words / self._real_words
        limits = np.minimum(np.arange(math.ceil(variants) + 1) / variants, 1.0)
        shares = np.diff(np.sqrt(limits))  # of the variants, as `Corpus` chooses them
        rare = times <= _RARE
        common = np.sum(with_times[~rare] * -np.expm1(-drawn[~rare]))
        return float(
            common + np.sum(with_times[rare] * -np.expm1(-np.outer(shares, drawn[rare])).sum(axis=0))
        )


def variant(word: str, number: int) -> str:
    """A rare word with another ending; 0 is the word itself."""
    core = _CORE.search(word)
    if number == 0 or core is None:
        return word
    ending = ""
    while number:
        number, digit = divmod(number, len(_SYLLABLES))
        ending += _SYLLABLES[digit]
    return word[: core.end() - 2] + ending + word[core.end() :]


def _shuffled(stream: NDArray[Any], seed: int) -> NDArray[Any]:
    """The words of a stream of texts, the texts in another order."""
    texts = np.split(stream, np.flatnonzero(stream == 0) + 1)
    np.random.default_rng(seed).shuffle(texts)
    return np.concatenate(texts) if texts else stream


class Walks:
    """Walks through texts that are ordered by topic.

    `stream`: numbers of words, with a 0 after each text; `topics`: the topic of each text, ascending.
    """

    def __init__(self, texts: Sequence[Sequence[int]], topics: Ints, field_of: Ints) -> None:
        self.stream = np.fromiter((word for text in texts for word in (*text, 0)), dtype=np.int32)
        self.lengths = np.array([len(text) for text in texts], dtype=np.int64)
        starts = np.cumsum(self.lengths + 1) - self.lengths - 1
        self._starts = starts
        self._topic_starts = np.searchsorted(topics, np.arange(len(field_of) + 1))
        topic = np.repeat(topics, self.lengths + 1)
        self._groups = [_same_words(self.stream, topic), _same_words(self.stream, field_of[topic])]

    def walk(self, topics: Ints, lengths: Ints, rng: np.random.Generator) -> list[NDArray[np.int32]]:
        """The words of a walk in each of the `topics`, so many."""
        order = np.argsort(-lengths, kind="stable")
        walking = np.searchsorted(-lengths[order], -np.arange(int(lengths.max(initial=0))))
        low = np.minimum(self._topic_starts[topics[order]], len(self._starts) - 1)
        high = np.maximum(self._topic_starts[topics[order] + 1], low + 1)
        place = self._starts[low + (rng.random(len(topics)) * (high - low)).astype(np.int64)]
        words = np.zeros((len(walking), len(topics)), dtype=np.int32)
        for step, count in enumerate(walking):
            place = place[:count]
            ended = np.flatnonzero(self.stream[place] == 0)
            place[ended] = self._next(self._elsewhere(0, place[ended], rng))
            words[step, :count] = self.stream[place]
            chance = rng.random(count)
            leaps = (chance < _IN_TOPIC, (chance >= _IN_TOPIC) & (chance < _IN_TOPIC + _IN_FIELD))
            for group, leaping in enumerate(leaps):
                place[leaping] = self._elsewhere(group, place[leaping], rng)
            place = self._next(place)
        found = [np.empty(0, dtype=np.int32)] * len(topics)
        for column, row in enumerate(order.tolist()):
            found[row] = words[: lengths[row], column]
        return found

    def _next(self, place: Ints) -> Ints:
        return (place + 1) % len(self.stream)

    def _elsewhere(self, group: int, place: Ints, rng: np.random.Generator) -> Ints:
        """Another place with the same word, in the topic (0) or the field (1)."""
        order, first, size = self._groups[group]
        return order[first[place] + (rng.random(len(place)) * size[place]).astype(np.int64)].astype(np.int64)


def _same_words(stream: NDArray[np.int32], groups: Ints) -> tuple[NDArray[np.int32], ...]:
    """The places sorted by group and word; of each place, where its equals begin in this order, and how many
    they are."""
    order = np.lexsort((stream, groups)).astype(np.int32)
    changes = np.diff(stream[order], prepend=-1).astype(bool) | np.diff(groups[order], prepend=-1).astype(
        bool
    )
    begins = np.flatnonzero(changes)
    sizes = np.diff(np.append(begins, len(order)))
    first, size = np.empty_like(order), np.empty_like(order)
    first[order], size[order] = np.repeat(begins, sizes), np.repeat(sizes, sizes)
    return order, first, size


# People and references -----------------------------------------------------------------------------------


class People:
    """Authors: those of a topic who have written lately, or new ones."""

    _OF_TOPIC, _OF_FIELD = 64, 4096
    """How many signatures are remembered."""

    def __init__(self, real: Sequence[Sequence[str]], field_of: Sequence[int], rng: Random) -> None:
        shuffled = [authors for authors in real if authors] or [["A. Author"]]
        self._how_many = [len(authors) for authors in shuffled]
        rng.shuffle(shuffled)
        numbers: dict[str, int] = {}
        signatures = [numbers.setdefault(name, len(numbers)) for authors in shuffled for name in authors]
        self._heaps = Heaps.fitted(np.array(signatures))
        parted = [name.rpartition(" ") for name in numbers]
        self._first = [first for first, _, _ in parted if first] or ["A."]
        self._last = [last for _, _, last in parted]
        self._field_of = field_of
        self._of_topic: list[list[str]] = [[] for _ in field_of]
        self._of_field: list[list[str]] = [[] for _ in field_of]
        self._rng, self._count = rng, 0

    def of(self, topic: int) -> list[str]:
        rng, near, far = self._rng, self._of_topic[topic], self._of_field[self._field_of[topic]]
        new = self._heaps.share_new(self._count)
        wanted = rng.choice(self._how_many)
        authors: dict[str, None] = {}
        for _ in range(2 * wanted):
            if len(authors) == wanted:
                break
            some = near if rng.random() < 0.6 else far
            if rng.random() < new or not some:
                authors[f"{rng.choice(self._first)} {rng.choice(self._last)}"] = None
            else:
                authors[some[int(rng.random() * len(some))]] = None
        self._count += len(authors)
        for name in authors:
            _remember(near, name, self._OF_TOPIC, rng)
            _remember(far, name, self._OF_FIELD, rng)
        return list(authors)


def _remember(some: MutableSequence[Item], one: Item, most: int, rng: Random) -> None:
    """Appends to a list that stays below a length: from then on, in place of any other."""
    if len(some) < most:
        some.append(one)
    else:
        some[int(rng.random() * most)] = one


class References:
    """What papers cite: of the field or of all in proportion to one more than their citations (Price 1976),
    and recent papers of the topic. A bounded number of papers and citations is remembered, and forgotten by
    chance: what is cited more often is remembered more often, for some time."""

    _ENDPOINTS, _RECENT = 1 << 16, 256

    def __init__(self, field_of: Sequence[int], mean: float, rng: Random) -> None:
        self._field_of, self._rng = field_of, rng
        self._centre = math.log(mean) - _SPREAD**2 / 2 if mean > 0 else None
        self._everywhere = array("q")
        self._of_field = [array("q") for _ in range(max(field_of, default=0) + 1)]
        self._of_topic = [array("q") for _ in field_of]

    def of(self, paper: int, topic: int) -> list[int]:
        rng = self._rng
        field, recent = self._of_field[self._field_of[topic]], self._of_topic[topic]
        cited: dict[int, None] = {}
        if self._centre is not None:
            for _ in range(min(int(rng.lognormvariate(self._centre, _SPREAD) + rng.random()), 300)):
                chance = rng.random()
                some = field if chance < 0.45 else recent if chance < 0.85 else self._everywhere
                if some:
                    cited[some[int(rng.random() * len(some))]] = None
        for one in (*cited, paper):
            _remember(field, one, self._ENDPOINTS, rng)
            _remember(self._everywhere, one, self._ENDPOINTS, rng)
        _remember(recent, paper, self._RECENT, rng)
        return list(cited)


# The corpus ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Options:
    papers: int
    seed: int = 0
    abstracts: float = 0.6
    """The share of papers with an abstract."""
    citations: float = 6.0
    """How many papers a paper cites, on average."""
    contexts: float = 0.13
    """How many citing sentences a paper has, on average."""


@dataclass(frozen=True)
class Generated:
    """A paper as a line of JSON, the ids that it cites, and its citing sentences as lines of JSON."""

    paper: bytes
    id: str
    cited: list[str]
    contexts: list[bytes]


class Corpus:
    """Learns from real papers and citing sentences, and makes new ones."""

    def __init__(
        self, papers: Sequence[dict[str, Any]], contexts: Sequence[dict[str, Any]], options: Options
    ) -> None:
        self._options, seed = options, options.seed
        order, topics = ordered_by_topic([f"{one['title']} {one['abstract']}" for one in papers], seed)
        real = [papers[place] for place in order]
        self._topics = int(topics[-1]) + 1
        self._field_of = np.arange(self._topics) // max(1, FIELD // TOPIC)
        self.words = Words()
        titles = [self.words.numbered(one["title"]) for one in real]
        with_abstract = [place for place, one in enumerate(real) if _spaced(one["abstract"])]
        abstracts = [self.words.numbered(real[place]["abstract"]) for place in with_abstract] or [titles[0]]
        sentences = [self.words.numbered(one["text"]) for one in contexts] or [titles[0]]
        # The topics of titles are as wide as fields: those of a narrow one would be made again and again.
        everywhere = np.zeros(self._topics, dtype=np.int64)
        self._titles = Walks(titles, self._field_of[topics], everywhere)
        self._abstracts = Walks(
            abstracts, topics[with_abstract] if with_abstract else topics[:1], self._field_of
        )
        self._sentences = Walks(sentences, np.zeros(len(sentences), dtype=np.int64), everywhere)
        self.words.finish([self._titles.stream, self._abstracts.stream], seed)
        self._numpy, self._random = np.random.default_rng(seed), Random(seed)
        self._people = People([one["authors"] for one in papers], self._field_of.tolist(), self._random)
        self._references = References(self._field_of.tolist(), options.citations, self._random)
        self._years = sorted(one["year"] for one in papers if one["year"])
        self._venues: dict[int, list[str]] = {}
        for one in papers:
            self._venues.setdefault(one["year"], []).append(one["venue"])
        self._dois = sum(bool(one.get("doi")) for one in papers) / len(papers)
        mean = float(np.mean(self._titles.lengths)) + options.abstracts * float(
            np.mean(self._abstracts.lengths)
        )
        self._words_a_paper = mean

    def year(self, paper: int) -> int:
        """Papers come in the order of their years."""
        return int(self._years[paper * len(self._years) // self._options.papers])

    def id(self, paper: int) -> str:
        letter = "ACDEHIJKLMNPQRSTUWXY"[paper * 7919 % 20]
        return f"{letter}{self.year(paper) % 100:02}-{paper:07}"

    def generated(self) -> Iterator[Generated]:
        for begin in range(0, self._options.papers, _BLOCK):
            yield from self._block(range(begin, min(begin + _BLOCK, self._options.papers)))

    def _block(self, papers: range) -> Iterator[Generated]:
        before = papers.start + len(papers) // 2
        topics = self._numpy.integers(0, self._topics, len(papers))
        titles = self._texts(self._titles, self._field_of[topics], _MOST_TITLE, before)
        has_abstract = self._numpy.random(len(papers)) < self._options.abstracts
        abstracts = [""] * len(papers)
        some = np.flatnonzero(has_abstract)
        for row, text in zip(
            some.tolist(),
            self._texts(self._abstracts, topics[some], _MOST_ABSTRACT, before),
            strict=True,
        ):
            abstracts[row] = text
        cited = [
            self._references.of(paper, topic) for paper, topic in zip(papers, topics.tolist(), strict=True)
        ]
        sentences = self._contexts(papers, topics, cited, before)
        random = self._random
        for paper, topic, title, abstract, ones, contexts in zip(
            papers, topics.tolist(), titles, abstracts, cited, sentences, strict=True
        ):
            year, name = self.year(paper), self.id(paper)
            record = {
                "id": name,
                "title": title.rstrip(".,:;"),
                "abstract": abstract,
                "year": year,
                "authors": self._people.of(topic),
                "venue": random.choice(self._venues[year]),
                "url": f"https://example.org/{name}",
            }
            if random.random() < self._dois:
                record["doi"] = f"10.5555/{name}"
            yield Generated(orjson.dumps(record), name, [self.id(one) for one in ones], contexts)

    def _contexts(
        self, papers: range, topics: Ints, cited: Sequence[list[int]], before: int
    ) -> list[list[bytes]]:
        """The citing sentences of each paper: of its first references, at most one each."""
        counts = self._numpy.poisson(self._options.contexts, len(papers))
        pairs = [(row, one) for row, ones in enumerate(cited) for one in ones[: counts[row]]]
        found: list[list[bytes]] = [[] for _ in papers]
        if not pairs:
            return found
        rows = np.array([row for row, _ in pairs])
        texts = self._texts(
            self._sentences, np.zeros(len(pairs), dtype=np.int64), _MOST_SENTENCE, before, _ABOUT
        )
        about = self._texts(self._abstracts, topics[rows], _ABOUT, before)
        for (row, one), text, words in zip(pairs, texts, about, strict=True):
            paper = papers[row]
            masked = f"{text.rstrip('.')} {words.rstrip('.')} (TARGETCIT)."
            record = {
                "context_id": f"{self.id(paper)}_{len(found[row]) + 1}",
                "citing_id": self.id(paper),
                "cited_ids": [self.id(one)],
                "text": masked.replace("TARGETCIT", "OTHERCIT", masked.count("TARGETCIT") - 1),
                "masked": True,
                "citing_year": self.year(paper),
            }
            found[row].append(orjson.dumps(record))
        return found

    def _texts(self, walks: Walks, topics: Ints, most: int, before: int, less: int = 0) -> list[str]:
        """A text for each topic, as long as a real one without `less` words, after so many papers."""
        lengths = np.clip(self._numpy.choice(walks.lengths, len(topics)) - less, 1, most)
        found = walks.walk(topics, lengths, self._numpy)
        variants = self.words.variants(before * self._words_a_paper)
        texts: list[str] = []
        written, rare, random = self.words.written, self.words.rare, self._random.random
        for numbers in found:
            text: list[str] = written[numbers].tolist()
            for place in np.flatnonzero(rare[numbers]).tolist():
                text[place] = variant(text[place], int(variants * random() ** 2))
            last = text[-1].rstrip(".,:;") if text else ""
            texts.append(" ".join([*text[:-1], f"{last}."]))
        return texts


def _spaced(text: str) -> bool:
    """Whether a text has words between spaces, which not all languages have."""
    return len(text) < 12 * len(text.split())


FILES = ("papers.jsonl.gz", "citations.tsv.gz", "contexts.train.jsonl.gz", "contexts.val.jsonl.gz")


def write(corpus: Corpus, options: Options, folder: Path) -> None:
    """Writes the files of a corpus, and tells on standard error how far it is."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        papers, citations, train, val = (
            stack.enter_context(gzip.open(folder / name, "wb", compresslevel=1)) for name in FILES
        )
        citations.write(b"citing_id\tcited_id\tsource\tn_contexts\n")
        for number, one in enumerate(corpus.generated()):
            papers.write(one.paper + b"\n")
            named = len(one.contexts)
            citations.write(
                "".join(
                    f"{one.id}\t{cited}\tgenerated\t{int(place < named)}\n"
                    for place, cited in enumerate(one.cited)
                ).encode()
            )
            lines = val if number >= options.papers * 0.99 else train
            lines.writelines(line + b"\n" for line in one.contexts)
            if number % 50_000 == 0:
                print(f"{number:,} papers", file=sys.stderr)


# Statistics ----------------------------------------------------------------------------------------------


def statistics(folder: Path) -> dict[str, float]:
    """Describes the corpus in a folder. Reads every paper."""
    rows = _paper_statistics(folder / FILES[0])
    with gzip.open(folder / FILES[1], "rt") as lines:
        reader = csv.reader(lines, delimiter="\t")
        next(reader)
        cited, citing = Counter[str](), Counter[str]()
        for row in reader:
            citing[row[0]] += 1
            cited[row[1]] += 1
    counts = np.sort(np.array(list(cited.values()) or [0]))[::-1]
    with gzip.open(folder / FILES[2], "rb") as sentences:
        lengths = [len(orjson.loads(line)["text"].split()) for line in sentences]
    return rows | {
        "citations": float(counts.sum()),
        "citations of a citing paper": float(counts.sum() / max(1, len(citing))),
        "citations of the most cited": float(counts[0]),
        "share of citations to the first 1 % of the cited": float(
            counts[: max(1, len(counts) // 100)].sum() / max(1, counts.sum())
        ),
        "citing sentences": float(len(lengths)),
        "words of a citing sentence": float(np.mean(lengths or [0])),
    }


def _paper_statistics(path: Path) -> dict[str, float]:
    vocabulary: dict[str, int] = {}
    found = array("i")
    authors, venues, titles = Counter[str](), set[str](), set[str]()
    papers = abstracts = dois = title_words = abstract_words = 0
    years: list[int] = []
    with _opened(path) as lines:
        for line in lines:
            one = orjson.loads(line)
            papers += 1
            abstracts += bool(one["abstract"])
            dois += bool(one.get("doi"))
            title_words += len(one["title"].split())
            abstract_words += len(one["abstract"].split())
            authors.update(one["authors"])
            venues.add(one["venue"])
            titles.add(one["title"].lower())
            years.append(one["year"])
            words = _WORDS.findall(f"{one['title']} {one['abstract']}".lower())
            found.extend([vocabulary.setdefault(word, len(vocabulary)) for word in words])
    words_found = np.frombuffer(found, dtype=np.int32)
    counts = np.sort(np.bincount(words_found))[::-1]
    return {
        "papers": papers,
        "with an abstract": abstracts / papers,
        "with a DOI": dois / papers,
        "median year": float(np.median(years)),
        "words of a title": title_words / papers,
        "words of an abstract": abstract_words / max(1, abstracts),
        "titles that are another's": 1 - len(titles) / papers,
        "authors of a paper": authors.total() / papers,
        "papers of an author": authors.total() / max(1, len(authors)),
        "papers of the most prolific": authors.most_common(1)[0][1],
        "venues": len(venues),
        "vocabulary": len(counts),
        "vocabulary of the first million words": len(np.unique(words_found[:1_000_000])),
        "words that occur once": float(np.mean(counts == 1)),
        "share of the first 100 words": float(counts[:100].sum() / counts.sum()),
        "share of the first 10,000 words": float(counts[:10_000].sum() / counts.sum()),
    }


def compared(real: dict[str, float], generated: dict[str, float]) -> str:
    """A table of both."""
    lines = [f"{'':50}{'real':>14}{'generated':>14}"]
    for name, value in real.items():
        lines.append(f"{name:50}{_shown(value):>14}{_shown(generated[name]):>14}")
    return "\n".join(lines)


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3f}"


def main() -> None:
    parser = shared_parser(__doc__, "data", "json")
    parser.add_argument("--papers", type=int, required=True, help="how many")
    parser.add_argument("--out", type=Path, required=True, help="folder of the new corpus")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--abstracts", type=float, default=Options.abstracts, help="share with an abstract")
    parser.add_argument("--citations", type=float, default=Options.citations, help="mean of a paper")
    parser.add_argument(
        "--contexts", type=float, default=Options.contexts, help="citing sentences, mean of a paper"
    )
    parser.add_argument("--no-statistics", action="store_true", help="compare nothing")
    given = parser.parse_args()
    options = Options(given.papers, given.seed, given.abstracts, given.citations, given.contexts)
    begun = time.perf_counter()
    papers, contexts = read_papers(given.data / FILES[0]), read_papers(given.data / FILES[2])
    corpus = Corpus(papers, contexts, options)
    del papers, contexts
    print(f"learned in {time.perf_counter() - begun:.0f} s", file=sys.stderr)
    write(corpus, options, given.out)
    print(f"written after {time.perf_counter() - begun:.0f} s", file=sys.stderr)
    if not given.no_statistics:
        real, made = statistics(given.data), statistics(given.out)
        if given.json:
            print(orjson.dumps({"real": real, "generated": made}, option=orjson.OPT_INDENT_2).decode())
        else:
            print(compared(real, made))


if __name__ == "__main__":
    main()
