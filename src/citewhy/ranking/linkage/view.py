"""A cited paper prepared for linking: everything about its sentences that does not depend on a citing
sentence.

Words, bigrams and character n-grams of all sentences are lists of entries (sentence, item, count), so that
every measure of overlap is a weighted sum over entries.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from citewhy.base.records import FullText
from citewhy.ranking.linkage.commonness import Commonness
from citewhy.text.cues import CUES, cues
from citewhy.text.sections import KINDS, section_kind
from citewhy.text.tokens import fold, stems

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
_Item = TypeVar("_Item", bound=Hashable)

FIXED = (
    "position",
    "start",
    "section_start",
    "section_position",
    "length",
    "title_words",
    "abstract_words",
    "common_words",
    *(f"in_{kind}" for kind in KINDS),
    *(f"says_{cue}" for cue in CUES),
)
"""Features of a sentence alone, in the order of `PaperView.fixed`."""

_ABSTRACT_ASSUMED = 6
"""Number of sentences after the title that are taken for the abstract if no section is called so."""

_GRAM = 4
_LETTERS = 37
_NOT_TEXT = re.compile(r"[^a-z0-9]+")
_CODES = np.zeros(256, dtype=np.int64)
_CODES[ord("a") : ord("z") + 1] = np.arange(1, 27)
_CODES[ord("0") : ord("9") + 1] = np.arange(27, 37)


@dataclass(frozen=True, slots=True)
class Entries:
    """Counts of items in sentences: E entries with U items and n sentences."""

    sentences: Ints
    """[E] index of the sentence."""
    items: Ints
    """[E] number of the item."""
    counts: Doubles
    """[E]."""
    spread: Doubles
    """[U] number of sentences with the item."""
    n: int

    @classmethod
    def of(cls, sentences: Ints, items: Ints, n: int, size: int) -> Entries:
        """Counts `items` [k], numbers below `size`, each in a sentence [k]."""
        keys, counts = np.unique(sentences * max(size, 1) + items, return_counts=True)
        where, what = np.divmod(keys, max(size, 1))
        return cls(where, what, counts.astype(float), np.bincount(what, minlength=size).astype(float), n)

    def total(self, weights: Doubles, times: Doubles | None = None) -> Doubles:
        """[n] for each sentence the sum of `weights` [U] of its items, multiplied by `times` [E]."""
        gains = weights[self.items] if times is None else weights[self.items] * times
        sums: Doubles = np.bincount(self.sentences, gains, minlength=self.n).astype(np.float64)
        return sums

    def largest(self, weights: Doubles) -> Doubles:
        """[n] for each sentence the largest of `weights` [U], all ≥ 0, of its items; 0 if it has none."""
        best = np.zeros(self.n)
        np.maximum.at(best, self.sentences, weights[self.items])
        return best


@dataclass(frozen=True, slots=True)
class PaperView:
    """A paper with n sentences, V stems, B pairs of adjacent stems and G character n-grams."""

    n: int
    vocabulary: Mapping[str, int]
    words: Entries
    lengths: Doubles
    """[n] number of stems, with repetitions."""
    distinct: Doubles
    """[n] number of different stems."""
    rarity: Doubles
    """[V] ln(1 + n / sentences with the stem)."""
    general: Doubles
    """[V] idf in papers in general."""
    tfidf_norm: Doubles
    """[n] Euclidean norm of the sentence's TF-IDF vector."""
    in_title: NDArray[np.bool_]
    """[V]."""
    pairs: Mapping[tuple[str, str], int]
    pair_entries: Entries
    gram_ids: Ints
    """[G] ascending; the index of an n-gram is its number."""
    gram_entries: Entries
    gram_rarity: Doubles
    """[G]."""
    gram_norm: Doubles
    """[n]."""
    texts: tuple[str, ...]
    """[n] as printed."""
    fixed: Doubles
    """[n, len(FIXED)]."""

    @classmethod
    def of(cls, text: FullText, common: Commonness) -> PaperView:
        """Makes it of a paper with at least one sentence; the first one is its title."""
        # Folded once, so that folding again below is fast.
        sentences = [fold(sentence.text) for sentence in text.sentences]
        stemmed = [stems(sentence) for sentence in sentences]
        n = len(sentences)
        vocabulary, entries = _entries(stemmed)
        pairs, pair_entries = _entries([[*pairwise(words)] for words in stemmed])
        rarity = np.log1p(n / entries.spread)
        general = np.array([common.idf(stem) for stem in vocabulary])
        in_title = np.zeros(len(vocabulary), dtype=np.bool_)
        in_title[[vocabulary[stem] for stem in stemmed[0]]] = True
        gram_ids, gram_entries = _gram_entries(sentences)
        gram_rarity = np.log1p(n / gram_entries.spread)
        kinds = [section_kind(sentence.section, position) for position, sentence in enumerate(text.sentences)]
        return cls(
            n=n,
            vocabulary=vocabulary,
            words=entries,
            lengths=np.array([float(len(words)) for words in stemmed]),
            distinct=entries.total(np.ones(len(vocabulary))),
            rarity=rarity,
            general=general,
            tfidf_norm=np.sqrt(entries.total(rarity**2, entries.counts**2)),
            in_title=in_title,
            pairs=pairs,
            pair_entries=pair_entries,
            gram_ids=gram_ids,
            gram_entries=gram_entries,
            gram_rarity=gram_rarity,
            gram_norm=np.sqrt(gram_entries.total(gram_rarity**2, gram_entries.counts**2)),
            texts=tuple(sentence.text for sentence in text.sentences),
            fixed=_fixed(text, sentences, kinds, entries, general, in_title),
        )


def grams(texts: Sequence[str]) -> tuple[Ints, Ints]:
    """Numbers of all character n-grams (`_GRAM`) [k] of the folded texts, and the indices of their texts [k].

    Characters other than letters and digits become single spaces. Words that differ by hyphens, plurals or
    OCR errors still have n-grams in common.
    """
    plain = [f" {_NOT_TEXT.sub(' ', fold(text)).strip()} " for text in texts]
    codes = _CODES[np.frombuffer("".join(plain).encode("ascii"), dtype=np.uint8)]
    where = np.repeat(np.arange(len(plain)), [len(words) for words in plain])
    runs = max(len(codes) - _GRAM + 1, 0)
    ids = np.zeros(runs, dtype=np.int64)
    for step in range(_GRAM):
        ids = ids * _LETTERS + codes[step : step + runs]
    whole = where[:runs] == where[_GRAM - 1 :]  # of one text
    return ids[whole], where[:runs][whole]


def _entries(rows: Sequence[Sequence[_Item]]) -> tuple[dict[_Item, int], Entries]:
    numbering: dict[_Item, int] = {}
    items = [numbering.setdefault(item, len(numbering)) for row in rows for item in row]
    sentences = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    return numbering, Entries.of(sentences, np.array(items, dtype=np.int64), len(rows), len(numbering))


def _gram_entries(sentences: Sequence[str]) -> tuple[Ints, Entries]:
    all_ids, where = grams(sentences)
    ids, items = np.unique(all_ids, return_inverse=True)
    return ids, Entries.of(where, items, len(sentences), len(ids))


def _fixed(
    text: FullText,
    folded: Sequence[str],
    kinds: Sequence[str],
    entries: Entries,
    general: Doubles,
    in_title: NDArray[np.bool_],
) -> Doubles:
    """[n, len(FIXED)]"""
    n = len(kinds)
    positions = np.arange(n)
    sections = [sentence.section for sentence in text.sentences]
    new = np.array([position > 0 and sections[position] != sections[position - 1] for position in range(n)])
    number = np.cumsum(new)
    begins = np.maximum.accumulate(np.where(new, positions, 0))
    abstract = _abstract(kinds)
    in_abstract = np.zeros(len(general))
    in_abstract[entries.items[abstract[entries.sentences]]] = 1.0
    distinct = np.maximum(entries.total(np.ones(len(general))), 1)
    columns: dict[str, Doubles] = {
        "position": positions / max(1, n - 1),
        "start": np.log1p(positions),
        "section_start": np.log1p(positions - begins),
        "section_position": number / max(1, number[-1]),
        "length": np.log1p(np.bincount(entries.sentences, entries.counts, minlength=n)),
        "title_words": entries.total(in_title.astype(float)) / max(1, int(in_title.sum())),
        "abstract_words": entries.total(in_abstract * general) / (np.sqrt(entries.total(general**2)) + 1e-9),
        "common_words": entries.total(np.log(entries.spread)) / distinct,
    }
    by_kind = {f"in_{kind}": np.array([float(section == kind) for section in kinds]) for kind in KINDS}
    cue_counts = np.array([cues(sentence) for sentence in folded])
    by_cue = {f"says_{cue}": cue_counts[:, column] for column, cue in enumerate(CUES)}
    every_column = columns | by_kind | by_cue
    return np.stack([every_column[name] for name in FIXED], axis=1)


def _abstract(kinds: Sequence[str]) -> NDArray[np.bool_]:
    """[n] which sentences are in the abstract."""
    summing = np.array([kind == "abstract" for kind in kinds])
    if not summing.any():
        summing[1 : 1 + _ABSTRACT_ASSUMED] = True
    return summing
