"""The features of candidates, from which the ranker computes their scores.

Relative features are divided by the best value among the candidates, so that long and short queries are
comparable. Papers that were never cited have features of their own: their words, their vector, feedback terms
from similar papers, and how often their authors and venue are cited. No feature represents whether the
library has the abstract or full text of a paper, because that depends on how the library was made.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from citewhy.base.trace import traced
from citewhy.ranking.rank.signals import Signals
from citewhy.search.index.arrays import Floats
from citewhy.search.retrieve.sparse import relative

FEATURES = (
    "text",  # BM25 of title and abstract, relative
    "text_peak",  # its fourth power, which emphasises outstanding papers
    "text_rank",  # 1 / (1 + rank / 3) by that score
    "text_gap",  # for the best paper by that score: its lead over the second
    "uncited_text_gap",
    "title",  # BM25 of the title, relative
    "title_cover",  # share of the summed idf of the title's words that are in the query
    "uncited_title_cover",
    "passage",  # share of the summed idf of the query's words that are in one passage
    "passage_gap",  # that, minus the largest of all candidates
    "uncited_passage",
    "cited",  # 1 if the paper has been cited
    "cited_text",  # the same, times "text"
    "cited_best_text",  # score of the best of all papers for each word of the query, for cited papers
    "uncited_best_text",  # that, times "text"
    "nearest_context",  # BM25 of the most similar sentence that cites it, relative
    "nearest_context_peak",  # its third power
    "nearest_context_per_word",  # the same for each word of the query, not relative
    "contexts",  # BM25 of all sentences that cite it together, relative
    "contexts_rank",
    "cited_best_context",  # how near the most similar sentence of all comes to the query, for cited papers
    "context_cosine",  # cosine of the query and the sentence nearest in meaning that cites it
    "context_cosine_gap",  # that, minus the largest of all candidates
    "context_cosine_rank",
    "citations",  # ln(1 + citing papers)
    "mentions",  # ln(1 + citing sentences)
    "feedback",  # BM25 for the words of the best papers, relative
    "feedback_peak",  # its third power
    "feedback_rank",
    "uncited_feedback",
    "uncited_feedback_peak",
    "uncited_feedback_rank",
    "author_citations",  # ln(1 + citations of the other papers of its most cited author)
    "venue_citations",  # mean of ln(1 + citations) of the other papers in its series of venues
    "uncited_author_citations",
    "uncited_venue_citations",
    "uncited_author_text",  # citations of the authors times "text"
    "uncited_venue_text",
    "shared_author",  # 1 where the draft has an author of the paper
    "cited_before",  # ln(1 + times that the draft's authors cited the paper before)
    "age",  # ln(1 + years since publication)
    "same_year",  # 1 where it appeared in the query's year
    "cocited",  # co-citation with the known papers, relative
    "cocited_sum",  # ln(1 + the sum of cosines)
    "coupled",  # relative
    "linked",  # ln(1 + known papers that it cites or that cite it)
    "known_cosine",  # cosine of the paper and the paper nearest to it among those that the draft cites
    "known_cosine_mean",  # mean of the three largest such cosines
    "known_cosine_rank",  # by that
    "cosine",  # of the vectors of query and paper
    "cosine_gap",  # that, minus the largest of all candidates
    "cosine_rank",
    "uncited_cosine",
    "uncited_cosine_gap",
    "uncited_cosine_rank",
)
"""Names of the columns, in order. ``uncited_…`` is 0 for a paper that has been cited."""


MOST_PER_WORD = 0.35
"""Score by words for each word of the query, a tenth of BM25's, above which more says nothing. That of nine
in ten sentences is below it; a name alone, all of whose words are rare, has up to 1.7, with which a weight
that was fitted to sentences would outweigh everything else."""


@traced("features of candidates")
def features(signals: Signals) -> NDArray[np.float32]:
    """[n, len(FEATURES)] the features of the n candidates."""
    facts = signals.facts
    cited = ((facts.times_cited > 0) | (facts.mentions > 0)).astype(np.float32)
    columns = _words(signals, cited) | _contexts(signals, cited) | _standing(signals, cited)
    columns |= _citations(signals) | _cosines(signals, cited) | _known_cosines(signals)
    columns["cited"] = cited
    columns["uncited_author_text"] = columns["uncited_author_citations"] * columns["text"]
    columns["uncited_venue_text"] = columns["uncited_venue_citations"] * columns["text"]
    return np.stack([columns[name] for name in FEATURES], axis=1).astype(np.float32)


def _words(signals: Signals, cited: Floats) -> dict[str, Floats]:
    """Features of the paper's own words."""
    best = min(float(signals.text.max(initial=0.0)) / signals.query_words / 10, MOST_PER_WORD)
    text, feedback = relative(signals.text), relative(signals.feedback)
    second, first = np.partition(text, -2)[-2:] if len(text) > 1 else (0.0, 1.0)
    columns = {
        "text": text,
        "text_peak": text**4,
        "text_rank": by_rank(text),
        "text_gap": np.where(text == first, first - second, 0),
        "title": relative(signals.title),
        "title_cover": signals.title_cover,
        "passage": signals.passage,
        "passage_gap": signals.passage - signals.passage.max(initial=0.0),
        "cited_text": cited * text,
        "cited_best_text": cited * best,
        "feedback": feedback,
        "feedback_peak": feedback**3,
        "feedback_rank": by_rank(feedback),
    }
    copied = ("text_gap", "title_cover", "passage", "feedback", "feedback_peak", "feedback_rank")
    return columns | _of_uncited(columns, copied, cited) | {"uncited_best_text": (1 - cited) * text * best}


def _contexts(signals: Signals, cited: Floats) -> dict[str, Floats]:
    """Features of the citing sentences, by words and by meaning."""
    nearest, cosines = relative(signals.nearest_context), signals.context_cosine
    per_word = signals.nearest_context / signals.query_words
    return {
        "nearest_context": nearest,
        "nearest_context_peak": nearest**3,
        "nearest_context_per_word": per_word,
        "contexts": relative(signals.contexts),
        "contexts_rank": by_rank(signals.contexts),
        "cited_best_context": cited * per_word.max(initial=0.0),
        "context_cosine": cosines,
        "context_cosine_gap": cosines - cosines.max(initial=0.0),
        "context_cosine_rank": signals.has_context_cosine * by_rank(cosines),
        "mentions": np.log1p(signals.facts.mentions),
    }


def _standing(signals: Signals, cited: Floats) -> dict[str, Floats]:
    """Features of citation counts, authors, venue and age."""
    facts = signals.facts
    published = facts.years.astype(np.float32)
    columns = {
        "citations": np.log1p(facts.times_cited),
        "author_citations": facts.author_citations,
        "venue_citations": facts.venue_citations,
        "shared_author": np.minimum(signals.written, 1),
        "cited_before": np.log1p(signals.cited_before),
        "age": np.log1p(np.where(published > 0, np.maximum(signals.now - published, 0), 0)),
        "same_year": (published == signals.now).astype(np.float32),
    }
    return columns | _of_uncited(columns, ("author_citations", "venue_citations"), cited)


def _citations(signals: Signals) -> dict[str, Floats]:
    """Closeness to the known papers in the citation graph."""
    return {
        "cocited": relative(signals.cocited),
        "cocited_sum": np.log1p(signals.cocited),
        "coupled": relative(signals.coupled),
        "linked": np.log1p(signals.linked),
    }


def _cosines(signals: Signals, cited: Floats) -> dict[str, Floats]:
    """Similarity of the vectors of paper and query."""
    cosines = signals.cosine
    columns = {
        "cosine": cosines,
        "cosine_gap": cosines - cosines.max(initial=-1.0),
        "cosine_rank": by_rank(cosines),
    }
    return columns | _of_uncited(columns, tuple(columns), cited)


def _known_cosines(signals: Signals) -> dict[str, Floats]:
    """Similarity of the vectors of the paper and the known papers."""
    cosines = signals.known_cosines
    mean: Floats = cosines.sum(axis=1) / np.float32(cosines.shape[1])
    return {
        "known_cosine": cosines[:, 0],
        "known_cosine_mean": mean,
        "known_cosine_rank": by_rank(mean) if signals.knows else np.zeros_like(mean),
    }


def _of_uncited(columns: dict[str, Floats], names: tuple[str, ...], cited: Floats) -> dict[str, Floats]:
    """Copies of the columns `names` for papers that were never cited, 0 for all others."""
    return {f"uncited_{name}": (1 - cited) * columns[name] for name in names}


def by_rank(values: Floats) -> Floats:
    """[n] 1 / (1 + rank / 3), with ranks from 1 for the largest value; equal values share the best rank."""
    below = -values
    order = np.argsort(below)
    ranked = below[order]
    first = np.concatenate([[True], ranked[1:] != ranked[:-1]])[: len(ranked)]
    ranks = np.empty(len(values), dtype=np.float32)
    ranks[order] = np.flatnonzero(first)[np.cumsum(first) - 1] + 1
    return np.float32(1) / (1 + ranks / np.float32(3))
