"""Features of the last step of ranking, which are meant to transfer between fields.

They do not depend on the style of a field or on how a library was made: ranks and shares among the candidates
of the query, parts of abstracts, the sentence that cites within a longer text, how the candidates resemble
each other, names in the sentence, the paragraph around it, and the draft's other citations
(`retrieve.draft`). The order of the previous steps is one of the features. For every feature except those in
`CONTEXT`, larger values are stronger evidence, and the trees are grown with this constraint, so that evidence
for a paper never lowers its score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from citewhy.ranking.rank.features import FEATURES, by_rank
from citewhy.ranking.rank.fusion import RRF
from citewhy.ranking.rank.linear import OLD_YEARS
from citewhy.search.index.arrays import Floats, Rows
from citewhy.search.retrieve.draft import DraftSignals
from citewhy.search.retrieve.naming import Uses
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.search.retrieve.sparse import relative

_TAKEN = (
    *("text", "text_rank", "text_gap", "title", "title_cover", "passage", "passage_gap"),
    *("cosine", "cosine_gap", "cosine_rank", "feedback", "feedback_rank"),
    *("known_cosine", "known_cosine_mean", "known_cosine_rank"),
)
"""Names of the features that are copied from `rank.features`."""

CONTEXT = ("papers", "query_words", "has_draft", "contexts_share", "has_marker")
"""Features that are the same for all candidates of a query: ln(1 + number of papers in the pool), ln(1 +
number of words), 1 with a draft, how much citing sentences count (`contexts_share`; 0 if the library has
none), 1 if the sentence marks the place of the open citation."""

LAST_STEP_FEATURES = (
    "base_rank",  # 1 / (1 + rank / 3) in the order of the previous steps
    "base_gap",  # the score of the previous steps, minus the best score
    "base_probability",  # the probability of the previous steps
    *_TAKEN,
    "fusion",  # sum of the reciprocal ranks by words and by vectors
    "text_share",  # share in a softmax over the scores by words
    "cosine_share",  # the same by vectors
    "part_cosine",  # of the query and the nearest part of the abstract
    "part_cosine_gap",  # that, minus the largest of all candidates
    "part_cosine_rank",
    "citing_text",  # BM25 for the words of the sentence that cites, relative
    "citing_cosine",  # of that sentence and the paper
    "citing_part_cosine",  # of that sentence and the nearest part of the abstract
    "citing_part_cosine_gap",
    "citing_part_cosine_rank",
    "profile",  # cosine of the sentence and the paper joined with the sentences that cite it
    "profile_gap",  # that, minus the largest of all candidates
    "followed",  # ln of similar papers after it over those before it; 0 if it has been cited
    "best_cosine",  # of the paper and the best candidates of the previous steps
    "paragraph_text",  # BM25 for the words of the paragraph, relative
    "paragraph_cosine",  # of paper and paragraph
    "preceding_text",  # BM25 for the words of the sentences before, relative
    "section_text",  # BM25 for the heading
    "first_author_named",  # 1 where the sentence has the surname of its first author
    "author_named",  # of any author
    "author_before",  # of the first author, within the five words before the citation (or the end)
    "year_named",  # 1 where the sentence has its year
    "name_introduced",  # its claim to a name in the sentence with a second capital or a digit, in [0, 1]
    "name_capitalised",  # the same for a word with a first capital alone
    "name_before",  # its claim to a name directly before the open citation (or the end)
    "name_original",  # its claim to a name, times the share of uses that are not older than the introduction
    "name_used",  # the same, times ln(1 + later uses) / 6
    *(f"draft_{field.name}" for field in fields(DraftSignals)),
    "draft_words_share",  # "draft_words" before it is made relative
    "draft_words_rank",
    "draft_cosine_gap",  # minus the largest of all candidates; -1 if the draft does not cite it elsewhere
    *CONTEXT,
)
"""Names of the columns, in order."""

PART_FEATURES = (
    *("part_cosine", "part_cosine_gap", "part_cosine_rank"),
    *("citing_text", "citing_cosine"),
    *("citing_part_cosine", "citing_part_cosine_gap", "citing_part_cosine_rank"),
)
"""These are of the parts of abstracts, and of the sentence that cites within a longer text."""

SIMILAR_FEATURES = ("followed", "best_cosine")
"""These compare the candidates with each other."""

NAME_FEATURES = ("name_introduced", "name_capitalised", "name_before", "name_original", "name_used")

MONOTONE = tuple(int(name not in CONTEXT) for name in LAST_STEP_FEATURES)
"""For each column, 1 where a larger value must not lower a paper's score."""

_COMPARED = 300
"""Number of the first candidates that all candidates are compared with: those that the previous step ordered
by its trees."""

_MANY_USES = 6.0
"""ln(1 + uses) from which a name counts as used by many."""

_TEXT_SHARPNESS, _COSINE_SHARPNESS = 8.0, 15.0
"""Factors of the softmax over relative scores by words, and over cosines."""

OLDEST = 10
"""Years from the newest citation to the question from which on the share stays the same."""

SIMILAR = 0.6
"""Cosine above which two papers count as being on the same subject."""

FOLLOWING_YEARS = 4
"""Years after a paper in which those that follow it are counted."""

BEST = 30
"""Number of the best candidates that every candidate is compared with."""


@dataclass(frozen=True, slots=True)
class BaseOrder:
    """The ranking of n candidates by the previous steps."""

    rows: Rows
    """[n] rows of the candidates, best first."""
    scores: Floats
    """[n], descending."""
    probabilities: NDArray[np.float64]
    """[n]."""
    table: NDArray[np.float32]
    """[n, len(FEATURES)]."""


def last_step_features(scoped: ScopedQuery, base: BaseOrder) -> NDArray[np.float32]:
    """[n, len(LAST_STEP_FEATURES)] the features of the candidates in `base`, in their order."""
    taken = {name: base.table[:, FEATURES.index(name)] for name in _TAKEN}
    columns = _base(base) | taken | _fusion(taken) | _around(scoped, base.rows) | _names(scoped, base.rows)
    columns |= _parts(scoped, base.rows) | _similar(scoped, base)
    profile = scoped.profile_cosines(base.rows)
    columns |= _draft(scoped, base.rows)
    columns |= {"profile": profile, "profile_gap": profile - profile.max(initial=-1)}
    columns |= {
        "papers": np.full(len(base.rows), np.log1p(scoped.view.pool_size())),
        "query_words": np.full(len(base.rows), np.log1p(sum(scoped.terms.values()))),
        "has_draft": np.full(len(base.rows), float(scoped.query.draft is not None)),
        "contexts_share": np.full(len(base.rows), _contexts_share(scoped)),
        "has_marker": np.full(len(base.rows), float("TARGETCIT" in scoped.query.text)),
    }
    return np.stack([columns[name] for name in LAST_STEP_FEATURES], axis=1).astype(np.float32)


def _contexts_share(scoped: ScopedQuery) -> float:
    if not scoped.view.has_contexts():
        return 0.0
    return contexts_share(scoped.now, scoped.view.evidence_until())


def contexts_share(year: int, until: int) -> float:
    """Returns, in [0.5, 1], how much citing sentences still tell in a question of `year`, if the newest
    citation is of the year `until`.

    They tell which papers are cited for what, but nothing of the papers that have appeared since. In a
    library whose newest citation is years older than the question, the scores for libraries with citing
    sentences (`rank.last_step`) are therefore averaged with those for libraries without. The share of the
    first is 1 up to `OLD_YEARS`, from which on the linear model takes them for old, too, and falls evenly to
    a half at `OLDEST`. Sentences of 2012, asked as if nothing of the years before were known, show when
    (docs/log/ranking.md).
    """
    return 1 - float(np.clip((year - until - OLD_YEARS) / (OLDEST - OLD_YEARS), 0, 1)) / 2


def _base(base: BaseOrder) -> dict[str, Floats]:
    return {
        "base_rank": by_rank(base.scores),
        "base_gap": base.scores - base.scores.max(initial=-np.inf),
        "base_probability": base.probabilities.astype(np.float32),
    }


def _fusion(taken: Mapping[str, Floats]) -> dict[str, Floats]:
    """Reciprocal rank fusion of words and vectors, and softmax shares of each."""
    text, cosine = taken["text"], taken["cosine"]
    fused = np.where(text > 0, 1 / (RRF + _ranks(text)), 0) + 1 / (RRF + _ranks(cosine))
    return {
        "fusion": (fused * RRF / 2).astype(np.float32),
        "text_share": _shares(text, _TEXT_SHARPNESS),
        "cosine_share": _shares(cosine, _COSINE_SHARPNESS),
    }


def _parts(scoped: ScopedQuery, rows: Rows) -> dict[str, Floats]:
    """Similarity to the parts of a paper's abstract, and to the sentence that cites within a longer text."""
    whole, sentence = scoped.part_cosines(rows)
    return {
        "part_cosine": whole,
        "part_cosine_gap": whole - whole.max(initial=-1),
        "part_cosine_rank": by_rank(whole),
        "citing_text": scoped.words_of(scoped.citing_sentence, rows),
        "citing_cosine": scoped.citing_cosines(rows),
        "citing_part_cosine": sentence,
        "citing_part_cosine_gap": sentence - sentence.max(initial=-1),
        "citing_part_cosine_rank": by_rank(sentence),
    }


def _similar(scoped: ScopedQuery, base: BaseOrder) -> dict[str, Floats]:
    """How the candidates resemble each other. Of a paper that has been cited, its citations already tell what
    its followers would. Papers count as followers by the same years as citations do."""
    first = base.rows[:_COMPARED]
    cosines = scoped.view.paper_cosines(base.rows, first)
    years, cited = scoped.view.facts(base.rows).years.astype(np.int64), base.table[:, FEATURES.index("cited")]
    others = years[:_COMPARED]
    ratio = followed(cosines, years, others, scoped.view.scope.early(others))
    return {
        "followed": np.where(cited > 0, 0, ratio).astype(np.float32),
        "best_cosine": best_cosines(cosines, base.scores[:_COMPARED]),
    }


def followed(
    cosines: Floats, years: NDArray[np.int64], others: NDArray[np.int64], early: NDArray[np.bool_]
) -> Floats:
    """Returns [n] ln((1 + later) / (1 + earlier)) for n papers of `years` [n] (0: unknown), from their
    `cosines` [n, m] with papers of the years `others` [m]: of those that are `SIMILAR`, how many appeared in
    the `FOLLOWING_YEARS` after a paper and are `early` [m] enough to be evidence, and how many in any year
    before it. Papers of its own year, and of unknown years, count for neither; 0 for a paper of unknown year.

    Papers that a field cites tend to be followed by papers on the same subject, which a library knows even
    where it has no citation of them. Of two papers on a subject, the earlier one is rather cited than the
    later one that resembles it.
    """
    papers, similar = np.nonzero(cosines > SIMILAR)
    own, other = years[papers], others[similar]
    dated = (own > 0) & (other > 0)
    later = dated & (other > own) & (other <= own + FOLLOWING_YEARS) & early[similar]
    earlier = dated & (other < own)
    counts = [1 + np.bincount(papers[counted], minlength=len(years)) for counted in (later, earlier)]
    ratio: Floats = np.log(counts[0] / counts[1]).astype(np.float32)
    return ratio


def best_cosines(cosines: Floats, scores: Floats) -> Floats:
    """Returns [n] the mean cosine with the `BEST` candidates, weighted by the softmax of their scores:
    `cosines` [n, m] with m candidates in descending order of their `scores` [m]; 0 if there are none. One of
    the best is compared with itself, too, so that its own weight is part of its value.

    A paper that resembles the best candidates is likely to be on the subject of the query, also where it
    shares few words with it.
    """
    best = scores[:BEST]
    weights = np.exp(best - best.max(initial=-np.inf))
    weights = weights / max(weights.sum(), 1e-9)
    # Not a matrix product, whose rounding of a row depends on its position among the others.
    mean: Floats = np.einsum("nm,m->n", cosines[:, : len(best)], weights).astype(np.float32)
    return mean


def _around(scoped: ScopedQuery, rows: Rows) -> dict[str, Floats]:
    """Similarity of a paper to the paragraph, the preceding sentences, and the heading."""
    return {
        "paragraph_text": scoped.words_of(scoped.query.paragraph, rows),
        "paragraph_cosine": scoped.paragraph_cosines(rows),
        "preceding_text": scoped.words_of(scoped.preceding, rows),
        "section_text": scoped.words_of(scoped.query.section, rows),
    }


def _names(scoped: ScopedQuery, rows: Rows) -> dict[str, Floats]:
    """People, years, systems and data sets that the sentence names."""
    named = scoped.named
    years = scoped.view.facts(rows).years
    return {
        "first_author_named": _among(rows, named.first_authors),
        "author_named": _among(rows, named.authors),
        "author_before": _among(rows, named.authors_before),
        "year_named": np.isin(years, sorted(named.years)).astype(np.float32),
        **_claims(scoped, rows),
    }


def _claims(scoped: ScopedQuery, rows: Rows) -> dict[str, Floats]:
    """[n] each, for each feature the best claim of a paper to one of the names in the sentence."""
    best = {name: np.zeros(len(rows), dtype=np.float32) for name in NAME_FEATURES}
    order = np.argsort(rows)
    for system in scoped.named.systems:
        claim = np.zeros(len(rows), dtype=np.float32)
        claim[order] = system.standings(scoped.index, scoped.view, rows[order])
        uses = (
            system.uses(scoped.view, scoped.parameters.text) if system.marked and claim.any() else Uses(0, 0)
        )
        used = min(np.log1p(uses.later) / _MANY_USES, 1.0)
        factors = (
            system.marked,
            not system.marked,
            system.before,
            system.marked * uses.original,
            uses.original * used,
        )
        for name, factor in zip(NAME_FEATURES, factors, strict=True):
            best[name] = np.maximum(best[name], claim * np.float32(factor))
    return best


def _draft(scoped: ScopedQuery, rows: Rows) -> dict[str, Floats]:
    signals = scoped.draft_signals(rows)
    columns = {f"draft_{field.name}": getattr(signals, field.name) for field in fields(signals)}
    cited = signals.words > 0
    return columns | {
        "draft_words": relative(signals.words),
        "draft_words_share": signals.words,
        "draft_words_rank": cited * by_rank(signals.words),
        "draft_cosine_gap": np.where(
            signals.cosine > 0, signals.cosine - signals.cosine.max(initial=0.0), -1
        ),
    }


def _among(rows: Rows, chosen: Rows) -> Floats:
    return np.isin(rows, chosen).astype(np.float32)


def _ranks(values: Floats) -> Floats:
    """[n] ranks from 1; equal values share the best rank."""
    descending = -np.sort(-values)
    ranks: Floats = (1 + np.searchsorted(-descending, -values)).astype(np.float32)
    return ranks


def _shares(values: Floats, sharpness: float) -> Floats:
    """[n] softmax of `sharpness` · values; zeros if no value is positive."""
    if not len(values) or values.max() <= 0:
        return np.zeros_like(values)
    raised = np.exp(sharpness * (values - values.max()))
    shares: Floats = (raised / raised.sum()).astype(np.float32)
    return shares
