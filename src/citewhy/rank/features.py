"""Features of candidates: what each signal says of a paper, as a named number.

Relative features divide by the best value for the query, so that long and short queries compare. A paper that
nobody has cited is judged by what it can have: its words, its meaning, the words of the papers beside it, and
how often its authors and venue are cited. No feature says whether the library has an abstract or a full text
of a paper: that tells how the library was made.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from citewhy.index.local.bm25 import Floats
from citewhy.index.local.tables import Tables
from citewhy.retrieve.screen import relative
from citewhy.retrieve.signals import Signals

__all__ = ["FEATURES", "features"]

FEATURES = (
    "text",  # BM25 of title and abstract, relative
    "text_peak",  # its fourth power: a paper that stands out
    "text_rank",  # 1 / (1 + rank / 3) by that score
    "text_gap",  # for the best by that score: how far ahead of the second
    "new_text_gap",
    "title",  # BM25 of the title, relative
    "title_cover",  # share of the title's rarity (idf) that the query has
    "new_title_cover",
    "passage",  # share of the query's rarity that stands together in one passage
    "passage_gap",  # that, less the largest of all candidates
    "new_passage",
    "cited",  # 1 where somebody has cited the paper
    "cited_text",  # the same times "text"
    "cited_best_text",  # how well the best paper of all matches a word of the query, for cited papers
    "new_best_text",  # that, times "text"
    "sentence",  # BM25 of the nearest sentence that cites it, relative
    "sentence_peak",  # its third power
    "sentence_each",  # the same for each word of the query, not relative
    "sentences",  # BM25 of all of them together, relative
    "sentences_rank",
    "cited_sentence",  # how near the nearest sentence of all comes to the query, for cited papers
    "sentence_meaning",  # cosine of the query and the sentence nearest in meaning that cites it
    "sentence_meaning_gap",  # that, less the largest of all candidates
    "sentence_meaning_rank",
    "citations",  # ln(1 + citing papers)
    "mentions",  # ln(1 + citing sentences)
    "feedback",  # BM25 for the words of the best papers, relative
    "feedback_peak",  # its third power
    "feedback_rank",
    "new_feedback",
    "new_feedback_peak",
    "new_feedback_rank",
    "author_fame",
    "venue_fame",
    "new_author_fame",
    "new_venue_fame",
    "new_author_text",  # fame of the authors times "text"
    "new_venue_text",
    "own",  # 1 where the draft has an author of the paper
    "history",  # ln(1 + times its authors cited the paper before)
    "age",  # ln(1 + years since publication)
    "this_year",  # 1 where it appeared in the query's year
    "cocited",  # with what the draft already cites, relative
    "cocited_sum",  # ln(1 + the sum of cosines)
    "coupled",  # relative
    "linked",  # ln(1 + known papers that it cites or that cite it)
    "company",  # cosine of the paper and the paper nearest to it among those that the draft cites
    "company_three",  # mean of the three largest such cosines
    "company_rank",  # by that
    "meaning",  # cosine of the vectors of query and paper
    "meaning_gap",  # that, less the largest of all candidates
    "meaning_rank",
    "new_meaning",
    "new_meaning_gap",
    "new_meaning_rank",
)
"""Names of the columns, in order. ``new_…`` is 0 for a paper that somebody has cited."""


def features(
    signals: Signals, tables: Tables, rows: NDArray[np.int64], year: int | None
) -> NDArray[np.float32]:
    """[n, len(FEATURES)] for the candidates in `rows`."""
    words = max(sum(signals.terms.values()), 1.0)
    said = _said(signals, rows, words)
    cited = ((signals.evidence.times_cited[rows] > 0) | (said["mentions"] > 0)).astype(np.float32)
    columns = _words(signals, rows, cited, words) | said | _standing(signals, tables, rows, cited, year)
    columns["cited"] = cited
    columns["cited_sentence"] = cited * said["sentence_each"].max(initial=0.0)
    columns["new_author_text"] = columns["new_author_fame"] * columns["text"]
    columns["new_venue_text"] = columns["new_venue_fame"] * columns["text"]
    columns |= _near(signals, rows) | _meaning(signals, rows, cited) | _echoes(signals, rows)
    columns |= _company(signals, rows)
    return np.stack([columns[name] for name in FEATURES], axis=1).astype(np.float32)


def _words(signals: Signals, rows: NDArray[np.int64], cited: Floats, words: float) -> dict[str, Floats]:
    """What the paper's own words say."""
    new = 1 - cited
    best = float(signals.text[rows].max(initial=0.0)) / words / 10
    text, feedback = relative(signals.text[rows]), relative(signals.feedback[rows])
    second, first = np.partition(text, -2)[-2:] if len(text) > 1 else (0.0, 1.0)
    gap = np.where(text == first, first - second, 0)
    passage = signals.passages.shares(rows)
    cover, feedback_rank, feedback_peak = signals.title_cover[rows], _by_rank(feedback), feedback**3
    return {
        "text": text,
        "text_peak": text**4,
        "text_rank": _by_rank(text),
        "text_gap": gap,
        "new_text_gap": new * gap,
        "title": relative(signals.title[rows]),
        "title_cover": cover,
        "new_title_cover": new * cover,
        "passage": passage,
        "passage_gap": passage - passage.max(initial=0.0),
        "new_passage": new * passage,
        "cited_text": cited * text,
        "cited_best_text": cited * best,
        "new_best_text": new * text * best,
        "feedback": feedback,
        "feedback_peak": feedback_peak,
        "feedback_rank": feedback_rank,
        "new_feedback": new * feedback,
        "new_feedback_peak": new * feedback_peak,
        "new_feedback_rank": new * feedback_rank,
    }


def _said(signals: Signals, rows: NDArray[np.int64], words: float) -> dict[str, Floats]:
    """What the sentences that cite the paper say."""
    sentences = signals.sentences
    mentions = np.bincount(signals.evidence.pair_places, minlength=len(sentences.papers))
    there, place = _find(rows, sentences.papers)
    nearest = _pick(sentences.nearest, place, there)
    together = _pick(sentences.together, place, there)
    return {
        "sentence": relative(nearest),
        "sentence_peak": relative(nearest) ** 3,
        "sentence_each": nearest / words,
        "sentences": relative(together),
        "sentences_rank": _by_rank(together),
        "mentions": np.log1p(_pick(mentions.astype(np.float32), place, there)),
    }


def _standing(
    signals: Signals, tables: Tables, rows: NDArray[np.int64], cited: Floats, year: int | None
) -> dict[str, Floats]:
    """Citations, people, venue and age."""
    evidence, new = signals.evidence, 1 - cited
    author_fame, venue_fame = evidence.author_fame[rows], evidence.venue_fame[rows]
    published = tables.years[rows].astype(np.float32)
    now = float(year or tables.years.max(initial=0))
    return {
        "citations": np.log1p(evidence.times_cited[rows]),
        "author_fame": author_fame,
        "venue_fame": venue_fame,
        "new_author_fame": new * author_fame,
        "new_venue_fame": new * venue_fame,
        "own": np.minimum(signals.own[rows], 1),
        "history": np.log1p(signals.history[rows]),
        "age": np.log1p(np.where(published > 0, np.maximum(now - published, 0), 0)),
        "this_year": (published == now).astype(np.float32),
    }


def _near(signals: Signals, rows: NDArray[np.int64]) -> dict[str, Floats]:
    """How the paper stands to what the draft cites already."""
    near = signals.neighbours
    if near is None:
        none = np.zeros(len(rows), dtype=np.float32)
        return dict.fromkeys(("cocited", "cocited_sum", "coupled", "linked"), none)
    return {
        "cocited": relative(near.cocited[rows]),
        "cocited_sum": np.log1p(near.cocited[rows]),
        "coupled": relative(near.coupled[rows]),
        "linked": np.log1p(near.linked[rows]),
    }


def _meaning(signals: Signals, rows: NDArray[np.int64], cited: Floats) -> dict[str, Floats]:
    """How near the paper's vector is to the query's."""
    cosines, new = signals.meaning.scores(rows), 1 - cited
    gap, rank = cosines - cosines.max(initial=-1.0), _by_rank(cosines)
    return {
        "meaning": cosines,
        "meaning_gap": gap,
        "meaning_rank": rank,
        "new_meaning": new * cosines,
        "new_meaning_gap": new * gap,
        "new_meaning_rank": new * rank,
    }


def _company(signals: Signals, rows: NDArray[np.int64]) -> dict[str, Floats]:
    """How near the paper is in meaning to what the draft cites already."""
    cosines = signals.meaning.company(rows, signals.known, 3)
    together: Floats = cosines.sum(axis=1) / np.float32(3)
    return {
        "company": cosines[:, 0],
        "company_three": together,
        "company_rank": _by_rank(together) if signals.known else np.zeros_like(together),
    }


def _echoes(signals: Signals, rows: NDArray[np.int64]) -> dict[str, Floats]:
    """What the citing sentences that are near in meaning say."""
    there, place = _find(rows, signals.echoes.papers)
    cosines = _pick(signals.echoes.nearest, place, there)
    return {
        "sentence_meaning": cosines,
        "sentence_meaning_gap": cosines - cosines.max(initial=0.0),
        "sentence_meaning_rank": there * _by_rank(cosines),
    }


def _find(rows: NDArray[np.int64], papers: NDArray[np.int32]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """[n] each: is the row among `papers` (ascending), and where."""
    if not len(papers):
        return np.zeros(len(rows), dtype=np.bool_), np.zeros(len(rows), dtype=np.int64)
    place = np.minimum(np.searchsorted(papers, rows), len(papers) - 1)
    return papers[place] == rows, place


def _pick(values: Floats, place: NDArray[np.int64], there: NDArray[np.bool_]) -> Floats:
    """`values` at `place`, 0 where the paper has none."""
    if not len(values):
        return np.zeros(len(place), dtype=np.float32)
    return np.where(there, values[place], np.float32(0))


def _by_rank(values: Floats) -> Floats:
    """[n] 1 / (1 + rank / 3), the rank from 1, the largest first; equal values share their best rank."""
    below = -values
    order = np.argsort(below)
    ranked = below[order]
    first = np.concatenate([[True], ranked[1:] != ranked[:-1]])[: len(ranked)]
    ranks = np.empty(len(values), dtype=np.float32)
    ranks[order] = np.flatnonzero(first)[np.cumsum(first) - 1] + 1
    return np.float32(1) / (1 + ranks / np.float32(3))
