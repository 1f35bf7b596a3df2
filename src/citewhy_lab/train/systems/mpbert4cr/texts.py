"""Manuscripts and cited papers as sampled sentences: dynamic context sampling (section 4.1.1); and the
examples of fine-tuning: a query, one of the papers that it cites, and papers cited together with it.

A text has fundamental sentences, which are always read, and a pool of supplemental ones, of which some are
drawn: for a manuscript the sentences with the citation, before and after it, and the text before these; for a
cited paper its abstract, and its body.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import FullText, Paper, Query
from citewhy.papers.formats import read
from citewhy.text.sentences import split
from citewhy_lab.train.sampling.co_citations import CitedTogether, CoCitations
from citewhy_lab.train.systems.mpbert4cr.settings import Sampled

_SHARED = 0.7
"""Least share of a context's words that a sentence of the full text has if it is the same sentence."""


@dataclass(frozen=True, slots=True)
class Text:
    """The sentences of a manuscript or of a cited paper."""

    id: str
    fundamental: tuple[str, ...]
    """In reading order; at least one."""
    pool: tuple[str, ...] = ()
    """Supplemental sentences in reading order; those nearest to the fundamental ones are the last of a
    manuscript, and the first of a cited paper."""
    nearest_last: bool = False
    described: bool = True
    """Whether the fundamental sentences of a cited paper are of its abstract; else they are its title."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """Selects what is read of a text: its fundamental sentences, and `count` of its pool."""

    count: int
    dynamic: bool
    seed: int

    def draw(self, text: Text, epoch: int = 0) -> list[str]:
        """Returns sentences in the order of the text: drawn ones come before the fundamental ones of a
        manuscript, and after those of a paper. All of a pool that has no more than `count`; the same for the
        same epoch, in any order of texts."""
        pool, count = text.pool, min(self.count, len(text.pool))
        if not self.dynamic:
            drawn = list(pool[len(pool) - count :] if text.nearest_last else pool[:count])
        else:
            rng = np.random.default_rng((self.seed, epoch, zlib.crc32(text.id.encode())))
            positions = rng.choice(len(pool), count, replace=False).tolist() if count else []
            drawn = [pool[position] for position in sorted(positions)]
        return [*drawn, *text.fundamental] if text.nearest_last else [*text.fundamental, *drawn]


def paper_text(paper: Paper, full_text: FullText | None, sampled: Sampled) -> Text:
    """Returns a cited paper: the first sentences of its abstract, or its title where there is none, and its
    body."""
    abstract = split(paper.abstract)[: sampled.abstract] if paper.abstract.strip() else []
    body: list[str] = []
    if full_text is not None:
        inside = [sentence for sentence in full_text.sentences if sentence.sid and sentence.text.strip()]
        if not abstract:
            own = [sentence.text for sentence in inside if sentence.section == "abstract"]
            abstract = own[: sampled.abstract]
        body = [sentence.text for sentence in inside if sentence.section not in ("title", "abstract")]
    fundamental = tuple(abstract or [paper.title or paper.id])
    return Text(paper.id, fundamental, tuple(body), described=bool(abstract))


def manuscript_text(query: Query, sentences: Sequence[str], position: int) -> Text:
    """Returns a manuscript whose finished text is `sentences`, with a citation in the one at `position`,
    which is read as `query.text`."""
    before, after = sentences[:position], sentences[position + 1 : position + 2]
    fundamental = (*before[-1:], query.text, *after)
    return Text(query.id or query.text, fundamental, tuple(before[:-1]), nearest_last=True)


class Papers:
    """The texts of cited papers, each made once."""

    def __init__(self, full_text: Callable[[str], FullText | None], sampled: Sampled) -> None:
        """`full_text` finds that of a paper by id."""
        self._full_text = full_text
        self._sampled = sampled
        self._made: dict[str, Text] = {}

    def __call__(self, paper: Paper) -> Text:
        if paper.id not in self._made:
            self._made[paper.id] = paper_text(paper, self._full_text(paper.id), self._sampled)
        return self._made[paper.id]


class Manuscripts:
    """The texts of queries: in the full text of their paper, if that is known and has the sentence; or else
    after what the query says of its draft, its title, its abstract, and the text that precedes the sentence
    or stands in its paragraph."""

    def __init__(self, full_texts: Mapping[str, FullText]) -> None:
        self._full_texts = full_texts
        self._read: dict[str, tuple[list[str], list[frozenset[str]]]] = {}

    def __call__(self, query: Query) -> Text:
        if query.citing_id in self._full_texts:
            sentences, words = self._of(query.citing_id)
            position = _place_in(words, query.text)
            if position is not None:
                return manuscript_text(query, sentences, position)
        start, _, end = query.paragraph.partition(query.text) if query.text else ("", "", "")
        before = _sentences(query.preceding or start)
        text = manuscript_text(query, [*before, query.text, *_sentences(end)], len(before))
        described = [part for part in (query.title, *_sentences(query.abstract)) if part.strip()]
        return replace(text, pool=(*described, *text.pool))

    def _of(self, paper_id: str) -> tuple[list[str], list[frozenset[str]]]:
        if paper_id not in self._read:
            sentences = [
                sentence.text for sentence in self._full_texts[paper_id].sentences if sentence.text.strip()
            ]
            self._read[paper_id] = sentences, [frozenset(sentence.lower().split()) for sentence in sentences]
        return self._read[paper_id]


def _sentences(text: str) -> list[str]:
    return split(text) if text.strip() else []


def _place_in(sentences: Sequence[frozenset[str]], text: str) -> int | None:
    """Returns the sentence that shares most words with a text, of which placeholders are no words."""
    wanted = {word for word in text.lower().split() if word.isalpha() and not word.endswith("cit")}
    if not wanted or not sentences:
        return None
    shares = [len(wanted & sentence) / len(wanted) for sentence in sentences]
    best = int(np.argmax(shares))
    return best if shares[best] >= _SHARED else None


def read_full_texts(files: Sequence[Path]) -> dict[str, FullText]:
    """Returns the full texts of files by paper id; of several of a paper the first. Raises InputError for a
    file that cannot be read, or has none; single invalid records are skipped."""
    by_paper: dict[str, FullText] = {}
    for file in files:
        texts = [record for record in read(file, ImportReport()) if isinstance(record, FullText)]
        if not texts:
            raise InputError(
                "the file has no full text", path=file, hint="docs/formats.md says what it holds"
            )
        for text in texts:
            by_paper.setdefault(text.paper_id, text)
    return by_paper


# Examples for fine-tuning -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Example:
    """Papers are numbers."""

    query: Query
    target: int
    cited: frozenset[int]
    """All papers that the query cites, the target included."""
    year: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """The other papers of an example in one epoch."""

    positives: tuple[int, ...]
    negatives: tuple[int, ...]


def examples_of(query: Query, cited: Iterable[int]) -> list[Example]:
    """Returns one for each of the `cited` papers; none for a query of unknown year."""
    every = frozenset(cited)
    year = query.year
    return [] if year is None else [Example(query, paper_id, every, year) for paper_id in sorted(every)]


class History:
    """Draws positives by co-citations, and negatives by citations, of years before that of an example."""

    def __init__(
        self,
        cited_together: Iterable[CitedTogether],
        papers: Sequence[int],
        seed: int,
        sentence_first: bool = True,
    ) -> None:
        """`papers`: what negatives are drawn from where the years before have too few, at least one.
        `sentence_first`: the other papers of a sentence are positives before any are drawn; if false, all are
        drawn by equation 1, whose co-citations are then counted up to the year of the example: in the source
        those of the data set, the sentence's own among them."""
        self._co_citations = CoCitations(cited_together)
        self._papers = np.array(papers, dtype=np.int64)
        self._seed = seed
        self._sentence_first = sentence_first

    def draw(self, example: Example, positives: int, negatives: int, epoch: int, number: int) -> Drawn:
        """At most so many positives, first the other papers of the sentence if so set, then papers that were
        cited with the target (equation 1); and so many negatives (equation 2), none of which is the target or
        a positive, as long as there are other papers. The same for the same epoch and number of the
        example."""
        rng = np.random.default_rng((self._seed, epoch, number))
        others: list[int] = []
        counted, barred = example.year + 1, frozenset({example.target})
        if self._sentence_first:
            others = rng.permutation(sorted(example.cited - {example.target})).tolist()[:positives]
            counted, barred = example.year, example.cited
        missing = positives - len(others)
        together = self._co_citations.positives(example.target, counted, missing, rng, barred)
        taken = {*example.cited, *together}
        drawn = self._co_citations.negatives(taken, example.year, negatives, rng)
        if missing := negatives - len(drawn):
            rest = np.setdiff1d(self._papers, [*taken, *drawn])
            rest = rest if len(rest) else np.array(drawn or self._papers)
            drawn += rng.choice(rest, missing, replace=len(rest) < missing).tolist()
        return Drawn((*others, *together), tuple(drawn))
