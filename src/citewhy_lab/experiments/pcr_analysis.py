"""Experiment `pcr-analysis`: which papers does QPCR rank low, and does it read the topic sentence?

The analyses of Medić (2023, section 6.4) and of Medić and Šnajder (2023, section 5): figure 6.3, the
correlations of rank, year gap and word overlap, the distance between topic sentences and recommended titles,
and the attention to topic sentences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citewhy.base.progress import Progress
from citewhy.base.records import Paper, Query
from citewhy.search.encode import default_encoder
from citewhy.text.tokens import words
from citewhy_lab.evaluate.bootstrap import RESAMPLES, interval
from citewhy_lab.evaluate.plots import bars, svg
from citewhy_lab.experiments.engine import Cell, Result, Setup, Table, shown
from citewhy_lab.experiments.paragraphs import FIRST, ParagraphLab, RankedPapers, open_lab, provenance
from citewhy_lab.experiments.significance import Correlation, Difference, crossed, pearson
from citewhy_lab.train.systems.qpcr.settings import Variant

SYSTEMS: tuple[Variant, ...] = ("ts", "qpcr")


@dataclass(frozen=True, slots=True)
class Judgement:
    """A relevant paper of a question: its mean rank over seeds, and its year."""

    question: int
    rank: float
    year: int
    gap: int
    """Years from the cited paper to the question."""
    overlap: float
    """Jaccard index of the words of the query and of the paper."""


def run(files: Sequence[Path], setup: Setup, progress: Progress) -> Result:
    """Correlates ranks with years and words, and looks at what the systems read."""
    lab = open_lab(files, setup, progress)
    runs = {variant: lab.runs(variant) for variant in SYSTEMS}
    judged = {variant: judgements(of_variant, lab) for variant, of_variant in runs.items()}
    distances = {variant: _distances(of_variant, lab, progress) for variant, of_variant in runs.items()}
    attention = {variant: lab.attention(variant) for variant in SYSTEMS}
    shares = {variant: weights.mean(axis=1) for variant, weights in attention.items()}  # over layers
    readings = [_reading("distance", distances), _reading("attention", shares)]
    years = by_year(judged["qpcr"])
    return Result(
        title="What QPCR finds, and what it reads",
        summary=_summary(judged["qpcr"], readings, setup.seed),
        tables=[
            _years(years),
            _correlations(judged, setup.seed),
            _readings(readings, lab),
            *side_by_side(runs["ts"][0], runs["qpcr"][0], lab, setup.examples),
        ],
        plots={
            "years": svg(
                bars(
                    {str(year): rank for year, (rank, _) in years.items()},
                    "Figure 6.3: mean rank of relevant papers by the year of publication",
                    "year of the relevant paper",
                    "mean rank",
                )
            )
        },
        facts={
            "attention by layer": {
                variant: weights.mean(axis=(0, 2)).tolist() for variant, weights in attention.items()
            }
        },
        made=provenance(lab),
    )


# Old papers -------------------------------------------------------------------------------------------------


def judgements(runs: Sequence[RankedPapers], lab: ParagraphLab) -> list[Judgement]:
    """Returns the relevant papers that are candidates of questions whose year is known."""
    ranks = np.mean([run.ranks for run in runs], axis=0)
    pairs = [(number, paper_id) for number, topic in enumerate(lab.topics) for paper_id in topic.relevant]
    judged = []
    for (number, paper_id), rank in zip(pairs, ranks, strict=True):
        query, paper = lab.topics[number].query, lab.collection.papers.get(paper_id)
        if rank and paper is not None and paper.year and query.year:
            gap = query.year - paper.year
            judged.append(Judgement(number, float(rank), paper.year, gap, jaccard(query, paper)))
    return judged


def jaccard(query: Query, paper: Paper) -> float:
    """Returns |A ∩ B| / |A ∪ B| of the words A of title, abstract and topic sentence, and B of the paper's
    title and abstract; 0 if there are none."""
    asked = {*words(query.title), *words(query.abstract), *words(query.text)}
    own = {*words(paper.title), *words(paper.abstract)}
    return len(asked & own) / max(len(asked | own), 1)


def by_year(judged: Sequence[Judgement]) -> dict[int, tuple[float, int]]:
    """Computes the mean rank, and number of judgements, by the year of the relevant paper."""
    ranks: dict[int, list[float]] = defaultdict(list)
    for judgement in judged:
        ranks[judgement.year].append(judgement.rank)
    return {year: (float(np.mean(of_year)), len(of_year)) for year, of_year in sorted(ranks.items())}


def _correlation(
    one: str, other: str, judged: Sequence[Judgement], seed: int
) -> tuple[Correlation, float, float] | None:
    """Correlates two figures, with a 95 % interval by the bootstrap over questions, whose judgements are not
    independent. None if values are too few, or all the same."""
    first, second = (
        np.array([getattr(judgement, name) for judgement in judged], dtype=float) for name in (one, other)
    )
    if len(judged) < 3 or not np.ptp(first) or not np.ptp(second):
        return None
    rows: dict[int, list[int]] = defaultdict(list)
    for row, judgement in enumerate(judged):
        rows[judgement.question].append(row)
    questions = list(rows.values())
    rng, drawn = np.random.default_rng(seed), []
    for _ in range(RESAMPLES):
        chosen = [row for at in rng.integers(len(questions), size=len(questions)) for row in questions[at]]
        if np.ptp(first[chosen]) and np.ptp(second[chosen]):
            drawn.append(float(np.corrcoef(first[chosen], second[chosen])[0, 1]))
    return pearson(first, second), *interval(np.array(drawn))


# What is read -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Reading:
    """A figure of each question for both systems, [n, seeds]."""

    name: str
    means: Mapping[Variant, float]
    difference: Difference
    """QPCR minus the start encoder."""


def _reading(name: str, values: Mapping[Variant, NDArray[np.float64]]) -> _Reading:
    """Compares `values` [n, seeds]; one seed stands for all."""
    means = {variant: float(distances_of.mean()) for variant, distances_of in values.items()}
    return _Reading(name, means, crossed(values["qpcr"] - values["ts"]))


def _distances(runs: Sequence[RankedPapers], lab: ParagraphLab, progress: Progress) -> NDArray[np.float64]:
    """Returns [n, seeds] mean Euclidean distance between the topic sentence and the titles of the first
    papers, as the built-in encoder sees them."""
    progress("comparing titles with topic sentences", None)
    encoder, papers = default_encoder(), lab.papers()
    shown = sorted({row for run in runs for row in run.first.ravel().tolist() if row >= 0})
    titles = encoder.encode([papers[row].title for row in shown], "query")
    position = {row: at for at, row in enumerate(shown)}
    asked = encoder.encode([topic.query.text for topic in lab.topics], "query")

    def mean(at: int, rows: NDArray[np.int64]) -> float:
        vectors = titles[[position[row] for row in rows.tolist() if row >= 0]]
        return float(np.linalg.norm(vectors - asked[at], axis=1).mean())

    return np.array([[mean(at, run.first[at]) for run in runs] for at in range(len(lab.topics))])


# Pages ------------------------------------------------------------------------------------------------------


def _years(years: Mapping[int, tuple[float, int]]) -> Table:
    rows: list[list[Cell]] = [[str(year), count, f"{rank:,.1f}"] for year, (rank, count) in years.items()]
    note = (
        "Ranks by QPCR among all candidates of the question, none of them cut, means over seeds; cited papers"
        " that are no candidates are left out. In the source older papers"
    )
    return Table(
        "Figure 6.3: mean rank by the year of the relevant paper",
        ["year", "relevant papers", "mean rank"],
        rows,
        [f"{note} are ranked lower."],
    )


def _correlations(judged: Mapping[Variant, Sequence[Judgement]], seed: int) -> Table:
    asked: list[tuple[str, Variant, str, str, float | None]] = [
        ("rank and year gap, QPCR", "qpcr", "gap", "rank", 0.15),
        ("rank and year gap, start encoder", "ts", "gap", "rank", None),
        ("year gap and word overlap", "qpcr", "gap", "overlap", -0.24),
    ]
    rows: list[list[Cell]] = []
    for name, variant, one, other, source in asked:
        correlation = _correlation(one, other, judged[variant], seed)
        figures = (
            (None, None, None, None)
            if correlation is None
            else (correlation[0].value, *correlation[1:], correlation[0].p)
        )
        rows.append([name, *figures, source])
    note = (
        f"Pearson's r over {len(judged['qpcr']):,} relevant papers; 95 % intervals by the bootstrap over"
        " paragraphs; p as in the source, which takes the papers of a paragraph as independent. Word overlap:"
        " Jaccard index of the words of query and paper."
    )
    return Table("Correlations", ["", "r", "low", "high", "p", "source"], rows, [note])


def _readings(readings: Sequence[_Reading], lab: ParagraphLab) -> Table:
    names = {
        "distance": (f"distance of the topic sentence to the first {FIRST} titles", 14.38, 14.16),
        "attention": ("share of attention on the topic sentence", 0.12, 0.25),
    }
    rows: list[list[Cell]] = []
    for reading in readings:
        name, ts, qpcr = names[reading.name]
        difference = reading.difference
        rows.append(
            [
                name,
                reading.means["ts"],
                reading.means["qpcr"],
                difference.value,
                difference.low,
                difference.high,
                ts,
                qpcr,
            ]
        )
    trained = lab.scale.settings.layers
    note = (
        "Distance: Euclidean, by the built-in encoder, whose vectors have length 1 (the source: CoSentBert)."
        " Attention: averaged over heads, layers and attending tokens; by default, training changes the last"
        f" {trained} layers only; the source's code also trains the embeddings, and so the attention of all."
    )
    columns = ["", "start encoder", "QPCR", "difference", "low", "high", "source: TS", "source: QPCR"]
    return Table("What is read", columns, rows, [note])


def side_by_side(ts: RankedPapers, qpcr: RankedPapers, lab: ParagraphLab, count: int) -> list[Table]:
    """Returns what both find first for the `count` paragraphs whose first papers differ most, by the first
    seed, with the ranks of the papers that are cited (tables 6.3 to 6.9 of the thesis)."""
    papers, ends = lab.papers(), np.cumsum([len(topic.relevant) for topic in lab.topics]).tolist()
    shared = [len({*one} & {*other} - {-1}) for one, other in zip(ts.first, qpcr.first, strict=True)]
    tables = []
    for at in sorted(range(len(shared)), key=lambda number: (shared[number], number))[:count]:
        topic, end = lab.topics[at], ends[at]
        rows: list[list[Cell]] = [
            [str(rank), *("–" if row < 0 else papers[row].title for row in pair)]
            for rank, pair in enumerate(zip(ts.first[at].tolist(), qpcr.first[at].tolist(), strict=True), 1)
        ]
        cited = [
            f"{paper.title if (paper := lab.collection.papers.get(paper_id)) else paper_id}"
            f" ({ts.ranks[place] or '–'}, {qpcr.ranks[place] or '–'})"
            for place, paper_id in enumerate(topic.relevant, end - len(topic.relevant))
        ]
        note = f"{topic.query.text} Cited, with both ranks: {'; '.join(cited)}."
        title = f"Side by side: {topic.query.title or topic.query.id}"
        tables.append(Table(title, ["rank", "start encoder", "QPCR"], rows, [note]))
    return tables


def _summary(judged: Sequence[Judgement], readings: Sequence[_Reading], seed: int) -> list[str]:
    told: list[str] = []
    if (correlation := _correlation("gap", "rank", judged, seed)) is not None:
        r, low, high = correlation
        told.append(f"Rank and year gap correlate with {shown(r.value)} ({shown(low)} to {shown(high)}).")
    for reading in readings:
        change = reading.difference
        told.append(
            f"The {reading.name} differs from that of the start encoder by {shown(change.value)}"
            f" ({shown(change.low)} to {shown(change.high)})."
        )
    return told
