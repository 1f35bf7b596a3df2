"""Tasks that ask for papers: the `Recommender` answers every query of a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from citewhy.base.config import default_library
from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.papers.library.store import Library
from citewhy.ranking.rank.ranker import PIPELINES
from citewhy.ranking.recommender import Recommender
from citewhy.session.session import Session
from citewhy_lab.evaluate.backtest.hiding import copies_note, exclude_copies
from citewhy_lab.evaluate.datasets import task
from citewhy_lab.evaluate.datasets.topics import Benchmark, Options, Topic, hide, hide_held_out
from citewhy_lab.evaluate.making import library_facts, made
from citewhy_lab.evaluate.outcome import Outcome
from citewhy_lab.evaluate.ranking import Asker, check_baseline, measurable
from citewhy_lab.evaluate.tasks.declared import RankingOptions

if TYPE_CHECKING:
    from citewhy.ranking.rank.ranker import Pipeline
    from citewhy.search.rules import Pool


@dataclass(frozen=True, slots=True)
class RankingTask(RankingOptions):
    """Reads the queries, runs the pipeline (and the baseline), scores, and records the provenance."""

    def options(self) -> dict[str, Any]:
        """Returns options that affect a result, by their names on the command line."""
        named = (
            "pipeline",
            "first_stage_weight",
            "baseline",
            "pool",
            "known",
            "unseen",
            "held_out",
            "limit",
        )
        given = {name: getattr(self, name) for name in named} | {"k": self.depth}
        return given | {
            "encoder": self.encoder and self.encoder.name,
            "ranker": self.ranker and self.ranker.name,
            "first-stage": [folder.name for folder in self.first_stages],
            "reranker": [folder.name for folder in self.rerankers],
        }

    def measure(self, progress: Progress) -> Outcome:
        """Raises QueryError for options that do not fit, InputError for another file."""
        check_baseline(self.baseline, PIPELINES)
        benchmark = task(self.task)
        measures, too_deep = measurable(self.measures or benchmark.measures, self.depth)
        with Session(
            self.library or default_library(),  # not the starter library, for which there are no tasks
            pipeline=cast("Pipeline", self.pipeline),
            pool=cast("Pool", self.pool),
            encoder=self.encoder,
            ranker=self.ranker,
            rerankers=self.rerankers,
            first_stage_weight=self.first_stage_weight,
            first_stages=self.first_stages,
        ) as session:
            library, models = session.library, session.models
            topics, hidden, notes = self._questions(benchmark, library)
            if too_deep:
                notes.append(f"not measurable with {self.depth} candidates: {', '.join(too_deep)}")
            options = self.options()
            options["first_stage_weight"] = [reranker.first_stage_weight for reranker in models.rerankers]
            for reranker in models.rerankers:
                weight = reranker.first_stage_weight
                notes.append(f"the order before {reranker.name} has the weight {weight:g} beside it")
            notes += models.remarks
            stages, rerankers = (
                [model.name for model in some] for some in (models.first_stages, models.rerankers)
            )
            system = "+".join([self.pipeline, *stages, *rerankers])

            def ranker(name: str) -> Recommender:
                pipeline = cast("Pipeline", name.partition("+")[0])  # it checks the name
                return session.recommender(
                    pipeline, hidden_ids=hidden, plain=name != system, progress=progress
                )

            ask = Asker(
                topics,
                self.depth,
                measures,
                benchmark.average,
                self.seed,
                ranker,
                library.canonical,
                progress,
            )
            return ask.outcome(
                benchmark.name,
                self.file.name,
                system,
                self.baseline,
                pool_kind=self.pool,
                notes=notes,
                made=made([self.file], self.baseline, library_facts(library), options, self.seed),
            )

    def _questions(
        self, benchmark: Benchmark, library: Library
    ) -> tuple[list[Topic], frozenset[str], list[str]]:
        """Returns the topics to score, the ids to hide, and notes about both."""
        topics = benchmark.topics(self.file, library, Options(self.known, self.seed))
        hidden: frozenset[str] = frozenset()
        notes = []
        if self.known:
            notes.append(f"{self.known:.0%} of each query's references are known to it and not asked for")
        if self.held_out:
            if self.unseen is not None:
                raise QueryError("--unseen and --held-out hide different papers", hint="give one of them")
            topics, hidden = hide_held_out(topics)
            notes.append(f"{len(hidden)} held-out cited papers were hidden; only they are judged")
        if self.unseen is not None:
            topics, hidden = hide(topics, self.unseen, self.seed, library)
            notes.append(f"{len(hidden)} cited papers were hidden (seed {self.seed}); only they are judged")
        topics = exclude_copies(library, topics)
        notes += copies_note(topics)
        if self.limit is not None and self.limit < len(topics):
            notes.append(f"the first {self.limit:,} of {len(topics):,} queries only")
            topics = topics[: self.limit]
        return topics, hidden, notes
