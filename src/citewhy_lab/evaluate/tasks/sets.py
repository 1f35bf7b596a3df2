"""Task `sets`: places with one or several papers, and the set that is proposed for each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from citewhy.base.config import default_library
from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.papers.library.store import Library
from citewhy.session.session import Session
from citewhy_lab.evaluate.compare import Difference
from citewhy_lab.evaluate.copies import exclude_copies
from citewhy_lab.evaluate.datasets import local
from citewhy_lab.evaluate.datasets.topics import Options, Topic, check_answerable
from citewhy_lab.evaluate.making import library_facts, made, peak_rss_mb
from citewhy_lab.evaluate.pages import markdown_page, text_page
from citewhy_lab.evaluate.sets import AskedPlace, ask_place, comparisons, intervals
from citewhy_lab.evaluate.tasks import Evaluator

if TYPE_CHECKING:
    from citewhy.search.rules import Pool

__all__ = ["EVALUATOR", "SetsReport", "Settings", "evaluate", "pair_shares"]

_THIRDS = ("low", "middle", "high")


@dataclass(frozen=True, slots=True)
class Settings:
    """Options of the command line, checked where they are used."""

    task: str
    file: Path
    """Citing sentences, as for the task `local`."""
    library: Path | None
    encoder: Path | None
    ranker: Path | None
    pool: str
    model: Path | None
    """Folder of a set model; None: the built-in one."""
    seed: int
    limit: int | None


@dataclass(frozen=True, slots=True)
class SetsReport:
    """How well sets are found."""

    file: str
    places: Sequence[AskedPlace]
    pairs: Mapping[str, tuple[float, int]]
    """By third of the frequency of co-citation: the share of pairs of which the first ten have both, and
    their number."""
    seed: int
    notes: Sequence[str] = ()
    made: Mapping[str, Any] = field(default_factory=dict)
    peak_rss_mb: float | None = None

    def document(self) -> dict[str, Any]:
        """The JSON document; `docs/evaluation.md` explains its fields."""
        found = intervals(self.places, self.seed)
        values = {name: value for name, (value, _) in found.items()}
        values |= {f"pair-R@10/{third}": share for third, (share, _) in self.pairs.items()}
        return {
            "task": "sets",
            "file": self.file,
            "queries": len(self.places),
            "judgements": sum(len(each.right) for each in self.places),
            "several": sum(len(each.right) > 1 for each in self.places),
            "pairs": {third: count for third, (_, count) in self.pairs.items()},
            "measures": values,
            "intervals": {name: list(around) for name, (_, around) in found.items()},
            "comparisons": {
                name: {
                    "times": times,
                    "difference": each.value,
                    "interval": list(each.interval),
                    "p_randomisation": each.p_randomisation,
                    "p_bootstrap": each.p_bootstrap,
                }
                for name, (times, each) in comparisons(self.places, self.seed).items()
            },
            "peak_rss_mb": self.peak_rss_mb,
            "notes": list(self.notes),
            "made": dict(self.made),
        }

    def text(self) -> str:
        return text_page(f"sets: {self.file}", [self._fact()], self._rows(), self._comparisons())

    def markdown(self) -> str:
        return markdown_page(f"sets: {self.file}", [self._fact()], self._rows(), self._comparisons())

    def run(self) -> NoReturn:
        raise QueryError("the task sets has several rankings of a place", hint="omit --run")

    def plot(self) -> NoReturn:
        raise QueryError("the task sets has no diagram", hint="omit --plot")

    def _fact(self) -> str:
        several = sum(len(each.right) > 1 for each in self.places)
        return f"{len(self.places):,} places, {several:,} of them cite several papers"

    def _rows(self) -> list[list[str]]:
        rows = [
            [name, f"{value:.3f}", f"{low:.3f} to {high:.3f}"]
            for name, (value, (low, high)) in intervals(self.places, self.seed).items()
        ]
        rows += [
            [f"pair-R@10/{third}", f"{share:.3f}", f"{count} pairs"]
            for third, (share, count) in self.pairs.items()
        ]
        return [["measure", "value", "95 %"], *rows]

    def _comparisons(self) -> list[str]:
        found = comparisons(self.places, self.seed).items()
        return [*(_told(name, times, each) for name, (times, each) in found), *self.notes]


def _told(name: str, times: float, found: Difference) -> str:
    low, high = found.interval
    return (
        f"{name}: {found.value:+.3f} ({low:+.3f} to {high:+.3f}), "
        f"{times:.2f} times, p = {found.p_randomisation:.4f}"
    )


def evaluate(settings: Settings, progress: Progress) -> SetsReport:
    """Asks every place, and every place with several papers again for each of them."""
    with Session(
        settings.library or default_library(),
        pool=cast("Pool", settings.pool),
        encoder=settings.encoder,
        ranker=settings.ranker,
        sets=settings.model,
    ) as session:
        library = session.library
        topics = exclude_copies(library, local.topics(settings.file, library, Options()))
        check_answerable(topics, library, settings.file)
        notes = [] if settings.limit is None else [f"the first {settings.limit:,} places only"]
        topics = topics[: settings.limit]
        recommender, plain = (
            session.recommender("full", progress=progress),
            session.recommender("bm25", progress=progress),
        )
        found = []
        for number, topic in enumerate(topics):
            progress(f"{number} of {len(topics)} places", number / len(topics))
            found.append(ask_place(recommender, plain, topic, topic.query.citing_id or topic.query.id))
        options = {"pool": settings.pool, "limit": settings.limit}
        return SetsReport(
            settings.file.name,
            found,
            pair_shares(library, topics, found),
            settings.seed,
            notes,
            made([settings.file], None, library_facts(library), options, settings.seed),
            peak_rss_mb(),
        )


EVALUATOR = Evaluator(Settings, evaluate)


def pair_shares(
    library: Library, topics: Sequence[Topic], places: Sequence[AskedPlace]
) -> dict[str, tuple[float, int]]:
    """For pairs of papers that one place cites, by thirds of the number of papers before its year that cite
    both: the share of pairs of which the first ten have both, and their number."""
    citing: dict[str, set[str]] = defaultdict(set)
    for one, other in library.edges():
        citing[other].add(one)
    years = {paper.id: paper.year or 9999 for _, paper in library.numbered_papers()}
    pairs: list[tuple[int, bool]] = []
    for topic, place in zip(topics, places, strict=True):
        year = topic.query.year or 9999
        for one, other in combinations(place.right, 2):
            both = citing[one] & citing[other] - {topic.query.citing_id}
            count = sum(years.get(each, 9999) < year for each in both)
            pairs.append((count, {one, other} <= set(place.ranking)))
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
