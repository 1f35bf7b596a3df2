"""Task `sets`: places with one or several papers, and the set that is proposed for each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from citewhy.base.config import default_library
from citewhy.base.progress import Progress
from citewhy.papers.library.store import Library
from citewhy.session.session import Session
from citewhy_lab.evaluate.backtest.hiding import exclude_copies
from citewhy_lab.evaluate.compare import Difference
from citewhy_lab.evaluate.datasets import local
from citewhy_lab.evaluate.datasets.topics import Options, Topic, check_answerable
from citewhy_lab.evaluate.making import library_facts, made, peak_rss_mb
from citewhy_lab.evaluate.outcome import Column, Outcome
from citewhy_lab.evaluate.sets import AnsweredCitation, answer, comparisons, intervals
from citewhy_lab.evaluate.tasks.declared import SetsOptions

if TYPE_CHECKING:
    from citewhy.search.rules import Pool

_THIRDS = ("low", "middle", "high")


@dataclass(frozen=True, slots=True)
class SetsTask(SetsOptions):
    """Asks for every citation, and for every one of several papers again with each of them hidden."""

    def measure(self, progress: Progress) -> Outcome:
        """Raises QueryError if the library has none of the cited papers, InputError for another file."""
        with Session(
            self.library or default_library(),
            pool=cast("Pool", self.pool),
            encoder=self.encoder,
            ranker=self.ranker,
            sets=self.model,
        ) as session:
            library = session.library
            topics = exclude_copies(library, local.topics(self.file, library, Options()))
            check_answerable(topics, library, self.file)
            notes = [] if self.limit is None else [f"the first {self.limit:,} places only"]
            topics = topics[: self.limit]
            recommender = session.recommender("full", progress=progress)
            plain = session.recommender("bm25", progress=progress)
            answers = []
            for number, topic in enumerate(topics):
                progress(f"{number} of {len(topics)} places", number / len(topics))
                group = topic.query.citing_id or topic.query.id
                answers.append(answer(recommender, plain, topic, group))
            options = {"pool": self.pool, "limit": self.limit}
            return self._outcome(
                answers,
                pair_shares(library, topics, answers),
                notes,
                made([self.file], None, library_facts(library), options, self.seed),
            )

    def _outcome(
        self,
        answers: Sequence[AnsweredCitation],
        pairs: dict[str, tuple[float, int]],
        notes: Sequence[str],
        provenance: dict[str, Any],
    ) -> Outcome:
        """Makes the outcome; `pairs` has the share and the number of pairs by third (`pair_shares`)."""
        measured = intervals(answers, self.seed)
        values = {name: value for name, (value, _) in measured.items()}
        values |= {f"pair-R@10/{third}": share for third, (share, _) in pairs.items()}
        several = sum(len(citation.right) > 1 for citation in answers)
        compared = comparisons(answers, self.seed)
        details = {
            "comparisons": {
                name: {
                    "times": times,
                    "difference": difference.value,
                    "interval": list(difference.interval),
                    "p_randomisation": difference.p_randomisation,
                    "p_bootstrap": difference.p_bootstrap,
                }
                for name, (times, difference) in compared.items()
            }
        }
        facts = [f"{len(answers):,} places, {several:,} of them cite several papers"]
        if pairs:
            counts = ", ".join(f"{third} {count:,}" for third, (_, count) in pairs.items())
            facts.append(f"pairs that one place cites, by how often they were cited together: {counts}")
        return Outcome(
            "sets",
            self.file.name,
            {
                "queries": len(answers),
                "judgements": sum(len(citation.right) for citation in answers),
                "several": several,
                "pairs": {third: count for third, (_, count) in pairs.items()},
            },
            Column("full", values, {name: pair for name, (_, pair) in measured.items()}, (), "", details),
            self.seed,
            facts=facts,
            costs=[_sentence(name, times, difference) for name, (times, difference) in compared.items()],
            notes=notes,
            peak_rss_mb=peak_rss_mb(),
            made=provenance,
        )


def _sentence(name: str, times: float, difference: Difference) -> str:
    low, high = difference.interval
    return (
        f"{name}: {difference.value:+.3f} ({low:+.3f} to {high:+.3f}), "
        f"{times:.2f} times, p = {difference.p_randomisation:.4f}"
    )


def pair_shares(
    library: Library, topics: Sequence[Topic], answers: Sequence[AnsweredCitation]
) -> dict[str, tuple[float, int]]:
    """Computes, for pairs of papers that one place cites, by thirds of the number of papers before its
    year that cite both: the share of pairs of which the first ten have both, and their number."""
    citing: dict[str, set[str]] = defaultdict(set)
    for one, other in library.edges():
        citing[other].add(one)
    years = {paper.id: paper.year or 9999 for _, paper in library.numbered_papers()}
    pairs: list[tuple[int, bool]] = []
    for topic, citation in zip(topics, answers, strict=True):
        year = topic.query.year or 9999
        for one, other in combinations(citation.right, 2):
            both = citing[one] & citing[other] - {topic.query.citing_id}
            count = sum(years.get(paper_id, 9999) < year for paper_id in both)
            pairs.append((count, {one, other} <= set(citation.ranking)))
    if not pairs:
        return {}
    counts = np.array([count for count, _ in pairs])
    low, high = np.quantile(counts, [1 / 3, 2 / 3])
    third = np.where(counts <= low, 0, np.where(counts <= high, 1, 2))
    hits = np.array([hit for _, hit in pairs])
    return {
        name: (float(hits[third == number].mean()), int((third == number).sum()))
        for number, name in enumerate(_THIRDS)
        if (third == number).any()
    }
