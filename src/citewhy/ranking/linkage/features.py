"""Features of the sentences of the cited paper for one citing sentence.

No feature depends on other citing sentences, so that a score does not depend on what else is asked.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from citewhy.ranking.linkage.commonness import Commonness
from citewhy.ranking.linkage.view import FIXED, Doubles, Ints, PaperView, grams
from citewhy.text.markers import OTHER, TARGET, mask
from citewhy.text.tokens import stems, words

OVERLAPS = (
    "shared",
    "jaccard",
    "share",
    "idf",
    "idf_share",
    "paper_idf",
    "tfidf",
    "rarest",
    "rarest_here",
    "bm25",
    "pairs",
    "letters",
    "numbers",
    "capitals",
    "beyond_title",
    "near_marker",
)
"""Measures of overlap with the citing sentence."""

_OF_BEST = ("shared", "idf", "tfidf", "bm25", "letters")
"""Overlaps that are also given relative to the largest in the paper."""

_AROUND = ("idf", "bm25", "letters")
"""Overlaps that are also given for the surrounding sentences."""

_WINDOWS = (1, 2, 3, 5)

FEATURES = (
    *FIXED,
    *OVERLAPS,
    *(f"{name}_of_best" for name in _OF_BEST),
    *(f"{name}_within_{width}" for name in _AROUND for width in _WINDOWS),
    *(f"{name}_{where}" for name in _AROUND for where in ("before", "after", "best_near")),
)
"""Columns of a table."""

_K1, _B = 1.2, 0.6
_NEAR = 8.0
"""Distance in words from a marker at which the weight of a word is 1/e."""

_FAR = 10
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_PLACEHOLDER = re.compile(rf"{TARGET}|{OTHER}")


def table(citance: str, view: PaperView, common: Commonness) -> NDArray[np.float32]:
    """[n, len(FEATURES)] for the n sentences of a paper."""
    overlaps = _overlaps(citance, view, common)
    best = [overlaps[name] / (overlaps[name].max() + 1e-9) for name in _OF_BEST]
    near = np.stack([overlaps[name] for name in _AROUND])
    around = [column for of_one in np.stack(list(_windows(near)), axis=1) for column in of_one]
    beside = [column for of_one in np.stack(list(_neighbours(near)), axis=1) for column in of_one]
    columns = [*(overlaps[name] for name in OVERLAPS), *best, *around, *beside]
    return np.concatenate([view.fixed, np.stack(columns, axis=1)], axis=1).astype(np.float32)


def shared_words(citance: str, view: PaperView) -> Doubles:
    """[n] number of different index terms that each sentence shares with the citing sentence."""
    there = [view.vocabulary[stem] for stem in _asked(citance).counted if stem in view.vocabulary]
    weights = np.zeros(len(view.vocabulary))
    weights[there] = 1.0
    return view.words.total(weights)


def _overlaps(citance: str, view: PaperView, common: Commonness) -> dict[str, Doubles]:
    asked = _asked(citance)
    counted = asked.counted
    there = [stem for stem in counted if stem in view.vocabulary]
    positions = [view.vocabulary[stem] for stem in there]

    def total(weights: Doubles, times: Doubles | None = None) -> Doubles:
        """Sums over query words only, weighted by `weights` [V]."""
        return view.words.total(weights * is_asked, times)

    is_asked = np.zeros(len(view.vocabulary))
    is_asked[positions] = 1.0
    often = np.zeros(len(view.vocabulary))
    often[positions] = [counted[stem] for stem in there]
    near = np.zeros(len(view.vocabulary))
    near[positions] = [math.exp(-asked.distances.get(stem, _FAR) / _NEAR) for stem in there]

    shared = total(is_asked)
    idf = total(view.general)
    everything = sum(common.idf(stem) for stem in counted)
    asked_norm = math.sqrt(float(np.sum((often * view.rarity) ** 2))) + 1e-9
    return {
        "shared": shared,
        "jaccard": shared / np.maximum(1, len(counted) + view.distinct - shared),
        "share": shared / np.maximum(1, view.distinct),
        "idf": idf,
        "idf_share": idf / max(everything, 1e-9),
        "paper_idf": total(view.rarity),
        "tfidf": total(view.rarity**2 * often, view.words.counts) / ((view.tfidf_norm + 1e-9) * asked_norm),
        "rarest": view.words.largest(view.general * is_asked),
        "rarest_here": view.words.largest(view.rarity * is_asked),
        "bm25": _bm25(view, is_asked),
        "pairs": _pairs(asked.stems, view),
        "letters": _letters(asked, view),
        "numbers": _having(asked.numbers, view.texts),
        "capitals": _having(asked.capitals, view.texts),
        "beyond_title": total(view.general * ~view.in_title),
        "near_marker": total(view.general * near),
    }


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is known of a citing sentence alone."""

    stems: list[str]
    counted: Counter[str]
    distances: dict[str, int]
    numbers: set[str]
    capitals: set[str]
    grams: Ints
    """Its character n-grams, ascending, each once."""
    gram_counts: Ints


@lru_cache(maxsize=8)
def _asked(citance: str) -> _Asked:
    """Kept, because several papers are compared with the same sentence."""
    text = mask(citance)
    ids, counts = np.unique(grams([" ".join(words(text))])[0], return_counts=True)
    asked = stems(text)
    numbers = set(_NUMBER.findall(text))
    return _Asked(asked, Counter(asked), _distances(text), numbers, _capitals(text), ids, counts)


def _distances(text: str) -> dict[str, int]:
    """Stem → distance in words from the nearest citation marker; empty for a text without one."""
    parts = text.split()
    marked = [position for position, part in enumerate(parts) if _PLACEHOLDER.search(part)]
    distances: dict[str, int] = {}
    if marked:
        for position, part in enumerate(parts):
            away = min(abs(position - marker) for marker in marked)
            for stem in stems(part):
                distances[stem] = min(distances.get(stem, _FAR), away)
    return distances


def _bm25(view: PaperView, is_asked: Doubles) -> Doubles:
    """BM25 (Robertson and Zaragoza 2009), with the sentences of the paper as documents."""
    idf = np.log1p((view.n - view.words.spread + 0.5) / (view.words.spread + 0.5))
    norm = _K1 * (1 - _B + _B * view.lengths / max(float(view.lengths.mean()), 1.0))
    counts = view.words.counts
    return view.words.total(idf * is_asked, counts * (_K1 + 1) / (counts + norm[view.words.sentences]))


def _pairs(asked: list[str], view: PaperView) -> Doubles:
    weights = np.zeros(len(view.pairs))
    weights[[view.pairs[pair] for pair in set(pairwise(asked)) if pair in view.pairs]] = 1
    return view.pair_entries.total(weights)


def _letters(asked: _Asked, view: PaperView) -> Doubles:
    """Cosine of TF-IDF over character n-grams."""
    ids, counts = asked.grams, asked.gram_counts
    positions = np.minimum(np.searchsorted(view.gram_ids, ids), max(len(view.gram_ids) - 1, 0))
    weights = np.zeros(len(view.gram_ids))
    norm = 0.0
    if len(ids) and len(view.gram_ids):
        known = view.gram_ids[positions] == ids
        weights[positions[known]] = (counts * view.gram_rarity[positions])[known]
        rarity = np.where(known, view.gram_rarity[positions], math.log1p(view.n))
        norm = math.sqrt(float(np.sum((counts * rarity) ** 2)))
    gains = view.gram_entries.total(weights * view.gram_rarity, view.gram_entries.counts)
    return gains / ((view.gram_norm + 1e-9) * (norm + 1e-9))


def _capitals(text: str) -> set[str]:
    """Words with at least two capitals: abbreviations, names of systems and data."""
    plain = _PLACEHOLDER.sub(" ", text)
    return {word for word in _WORD.findall(plain) if sum(letter.isupper() for letter in word) > 1}


def _having(asked: set[str], texts: Sequence[str]) -> Doubles:
    """[n] how many of the strings `asked` each text contains."""
    counts = np.zeros(len(texts))
    for string in asked:
        whole = re.compile(rf"(?<![\w.-]){re.escape(string)}(?![\w-])")
        counts += [string in text and whole.search(text) is not None for text in texts]
    return counts


def _windows(values: Doubles) -> Iterator[Doubles]:
    """[m, n] means of each of m rows over each of `_WINDOWS` around the sentence, with zeros beyond the
    ends."""
    widest = max(_WINDOWS)
    sums = np.zeros((len(values), values.shape[1] + 2 * widest + 1))
    sums[:, widest + 1 : widest + 1 + values.shape[1]] = values
    np.cumsum(sums, axis=1, out=sums)
    n = values.shape[1]
    for width in _WINDOWS:
        first = widest - width
        size = 2 * width + 1
        yield (sums[:, first + size : first + size + n] - sums[:, first : first + n]) / size


def _neighbours(values: Doubles) -> Iterator[Doubles]:
    """[m, n] for each of m rows the values of the previous sentence, of the next one, and the best within
    two."""
    n = values.shape[1]
    padded = np.zeros((len(values), n + 4))
    padded[:, 2 : 2 + n] = values
    yield padded[:, 1 : 1 + n]
    yield padded[:, 3 : 3 + n]
    yield np.max([padded[:, step : step + n] for step in range(5)], axis=0)
