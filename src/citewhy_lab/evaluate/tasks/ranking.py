"""Tasks that ask for papers: the `Recommender` answers every query of a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from citewhy.base.config import default_library
from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.papers.library.store import Library
from citewhy.ranking.recommender import PIPELINES, Recommender
from citewhy.session.session import Session
from citewhy_lab.evaluate.asking import Asker, check_baseline
from citewhy_lab.evaluate.copies import copies_note, exclude_copies
from citewhy_lab.evaluate.datasets import task
from citewhy_lab.evaluate.datasets.topics import Options, Task, Topic, hide, hide_held_out
from citewhy_lab.evaluate.making import library_facts, made
from citewhy_lab.evaluate.ranking import measurable
from citewhy_lab.evaluate.report import Report
from citewhy_lab.evaluate.tasks import Evaluator

if TYPE_CHECKING:
    from citewhy.ranking.rank.ranker import Pipeline
    from citewhy.search.rules import Pool

__all__ = ["EVALUATOR", "Settings", "evaluate"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Options of the command line, checked where they are used."""

    task: str
    file: Path
    library: Path | None
    """None: the user's library."""
    pipeline: str
    encoder: Path | None
    """Folder of a trained encoder; None: the built-in one."""
    ranker: Path | None
    """Folder of a trained ranker; None: the built-in one."""
    first_stages: tuple[Path, ...]
    """Folders of trained first stages; not used for the baseline."""
    rerankers: tuple[Path, ...]
    """Folders of trained rerankers; not used for the baseline."""
    first_stage_weight: float | None
    """Weight beside the reranker's scores; None: as chosen in training."""
    baseline: str | None
    pool: str
    known: float
    unseen: int | None
    held_out: bool
    seed: int
    depth: int
    limit: int | None
    measures: tuple[str, ...]

    def options(self) -> dict[str, Any]:
        """Options that affect a result, by their names on the command line."""
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


def evaluate(settings: Settings, progress: Progress) -> Report:
    """Reads the queries, runs the pipeline (and the baseline), scores, and records the provenance."""
    check_baseline(settings.baseline, PIPELINES)
    the_task = task(settings.task)
    measures, too_deep = measurable(settings.measures or the_task.measures, settings.depth)
    with Session(
        settings.library or default_library(),  # not the starter library, for which there are no tasks
        pipeline=cast("Pipeline", settings.pipeline),
        pool=cast("Pool", settings.pool),
        encoder=settings.encoder,
        ranker=settings.ranker,
        rerankers=settings.rerankers,
        first_stage_weight=settings.first_stage_weight,
        first_stages=settings.first_stages,
    ) as session:
        library, models = session.library, session.models
        topics, hidden, notes = _questions(settings, the_task, library)
        if too_deep:
            notes.append(f"not measurable with {settings.depth} candidates: {', '.join(too_deep)}")
        options = settings.options()
        options["first_stage_weight"] = [reranker.first_stage_weight for reranker in models.rerankers]
        for reranker in models.rerankers:
            weight = reranker.first_stage_weight
            notes.append(f"the order before {reranker.name} has the weight {weight:g} beside it")
        notes += models.remarks
        stages, rerankers = ([each.name for each in some] for some in (models.first_stages, models.rerankers))
        system = "+".join([settings.pipeline, *stages, *rerankers])

        def ranker(name: str) -> Recommender:
            pipeline = cast("Pipeline", name.partition("+")[0])  # it checks the name
            return session.recommender(pipeline, hidden_ids=hidden, plain=name != system, progress=progress)

        ask = Asker(
            topics,
            settings.depth,
            measures,
            the_task.average,
            settings.seed,
            ranker,
            library.canonical,
            progress,
        )
        return ask.report(
            the_task.name,
            settings.file.name,
            system,
            settings.baseline,
            pool_kind=settings.pool,
            notes=notes,
            made=made([settings.file], settings.baseline, library_facts(library), options, settings.seed),
        )


EVALUATOR = Evaluator(Settings, evaluate)


def _questions(
    settings: Settings, task: Task, library: Library
) -> tuple[list[Topic], frozenset[str], list[str]]:
    """The topics to score, the ids to hide, and notes about both."""
    topics = task.topics(settings.file, library, Options(settings.known, settings.seed))
    hidden: frozenset[str] = frozenset()
    notes = []
    if settings.known:
        notes.append(f"{settings.known:.0%} of each query's references are known to it and not asked for")
    if settings.held_out:
        if settings.unseen is not None:
            raise QueryError("--unseen and --held-out hide different papers", hint="give one of them")
        topics, hidden = hide_held_out(topics)
        notes.append(f"{len(hidden)} held-out cited papers were hidden; only they are judged")
    if settings.unseen is not None:
        topics, hidden = hide(topics, settings.unseen, settings.seed, library)
        notes.append(f"{len(hidden)} cited papers were hidden (seed {settings.seed}); only they are judged")
    topics = exclude_copies(library, topics)
    notes += copies_note(topics)
    if settings.limit is not None and settings.limit < len(topics):
        notes.append(f"the first {settings.limit:,} of {len(topics):,} queries only")
        topics = topics[: settings.limit]
    return topics, hidden, notes
