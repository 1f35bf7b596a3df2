"""Task `linkage`: a linker finds the target sentences in the cited papers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from citewhy.base.artifact import MANIFEST
from citewhy.base.assets import linker_folder
from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.models import ModelFolder, read_model
from citewhy.papers.formats.report import ImportReport
from citewhy.ranking.linkage import open_linker
from citewhy.ranking.linkage.baselines import BASELINES, by_meaning
from citewhy.search.encode import default_encoder
from citewhy_lab.evaluate.datasets.linkage import Cluster, benchmark_files, read_clusters
from citewhy_lab.evaluate.linkage import Judged, Scorer, judge
from citewhy_lab.evaluate.linkage_report import LinkageReport, Measured
from citewhy_lab.evaluate.making import made, peak_rss_mb, was_trained_on
from citewhy_lab.evaluate.tasks import Evaluator

__all__ = ["EVALUATOR", "Settings", "evaluate"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Options of the command line, checked where they are used."""

    task: str
    file: Path
    baseline: str | None
    model: Path | None
    """Folder of a trained linker; None: the built-in one."""
    seed: int


def evaluate(settings: Settings, progress: Progress) -> LinkageReport:
    """Ranks the sentences of every cluster, and scores the ranks."""
    baseline = None if settings.baseline is None else _baseline(settings.baseline)
    linker = open_linker(settings.model)
    model = read_model(settings.model or linker_folder(), "linker")
    report = ImportReport()
    clusters = read_clusters(settings.file, report)
    system = _measured(
        settings.model.name if settings.model else "shipped linker", linker, clusters, progress
    )
    memory = peak_rss_mb()  # of the measured linker, before a baseline adds its own
    files = benchmark_files(settings.file)
    return LinkageReport(
        file=settings.file.name,
        clusters=clusters,
        system=system,
        seed=settings.seed,
        baseline=None
        if baseline is None
        else _measured(str(settings.baseline), baseline, clusters, progress),
        skipped=report.skipped,
        peak_rss_mb=memory,
        notes=[*_remembered(model, files), *map(str, report.skips), *map(str, report.warnings)],
        made=made([*files, *_files(model)], None, None, {"baseline": settings.baseline}, settings.seed),
    )


EVALUATOR = Evaluator(Settings, evaluate)


def _files(model: ModelFolder) -> list[Path]:
    return [model.path / MANIFEST, *map(model.file, model.files)]


def _remembered(model: ModelFolder, files: Sequence[Path]) -> list[str]:
    """A note if the model was trained on these files."""
    if not was_trained_on(model.facts, files):
        return []
    return ["the linker was trained on this file: the figures measure memory rather than linking"]


def _baseline(name: str) -> Scorer:
    if name == "encoder":
        return by_meaning(default_encoder())
    if name not in BASELINES:
        known = ", ".join([*BASELINES, "encoder"])
        raise QueryError(f"there is no linker {name!r} to compare with", hint=f"known: {known}")
    return BASELINES[name]


def _measured(name: str, linker: Scorer, clusters: Sequence[Cluster], progress: Progress) -> Measured:
    """All clusters in turn; a citance's time is an equal share of its cluster's."""
    judged: list[Judged] = []
    seconds: list[float] = []
    for done, cluster in enumerate(clusters, start=1):
        start = time.perf_counter()
        judged.append(judge(linker, cluster))
        each = (time.perf_counter() - start) / len(cluster.citances)
        seconds += [each] * len(cluster.citances)
        progress(f"{name}: {done} of {len(clusters)} papers", done / len(clusters))
    return Measured(name, judged, seconds)
