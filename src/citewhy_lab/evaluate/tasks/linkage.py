"""Task `linkage`: a linker finds the target sentences in the cited papers."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from citewhy.base.artifact import MANIFEST
from citewhy.base.assets import linker_folder
from citewhy.base.errors import QueryError
from citewhy.base.import_report import ImportReport
from citewhy.base.progress import Progress
from citewhy.models import read_model
from citewhy.ranking.linkage import open_linker
from citewhy.ranking.linkage.baselines import BASELINES, by_meaning
from citewhy.search.encode import default_encoder
from citewhy_lab.evaluate.datasets.linkage import Cluster, benchmark_files, read_clusters
from citewhy_lab.evaluate.linkage import Judged, Scorer, average, judge, overlap_f1
from citewhy_lab.evaluate.making import made, peak_rss_mb, was_trained_on
from citewhy_lab.evaluate.outcome import Column, Outcome, number
from citewhy_lab.evaluate.plots import dot_plot, svg
from citewhy_lab.evaluate.runs import Ranking, Run
from citewhy_lab.evaluate.tasks.declared import LinkageOptions

TOPS = (1, 3, 5)
"""Numbers of sentences for the measure of overlap."""


@dataclass(frozen=True, slots=True)
class LinkageTask(LinkageOptions):
    """Ranks the sentences of every cluster, and scores the ranks."""

    def measure(self, progress: Progress) -> Outcome:
        """Raises QueryError for an unknown baseline, InputError for another file."""
        baseline = None if self.baseline is None else _baseline(self.baseline)
        linker = open_linker(self.model)
        model = read_model(self.model or linker_folder(), "linker")
        report = ImportReport()
        clusters = read_clusters(self.file, report)
        name = self.model.name if self.model else "shipped linker"
        system = _measured(name, linker, clusters, progress)
        memory = peak_rss_mb()  # of the measured linker, before a baseline adds its own
        files = benchmark_files(self.file)
        remembered = "the linker was trained on this file: the figures measure memory rather than linking"
        notes = [remembered] if was_trained_on(model.facts, files) else []
        model_files = [model.path / MANIFEST, *map(model.file, model.files)]
        return linkage_outcome(
            self.file.name,
            clusters,
            system,
            self.seed,
            None if baseline is None else _measured(str(self.baseline), baseline, clusters, progress),
            report.skipped,
            memory,
            [*notes, *map(str, report.skips), *map(str, report.warnings)],
            made([*files, *model_files], None, None, {"baseline": self.baseline}, self.seed),
        )


def _baseline(name: str) -> Scorer:
    if name == "encoder":
        return by_meaning(default_encoder())
    if name not in BASELINES:
        known = ", ".join([*BASELINES, "encoder"])
        raise QueryError(f"there is no linker {name!r} to compare with", hint=f"known: {known}")
    return BASELINES[name]


@dataclass(frozen=True, slots=True)
class MeasuredLinker:
    """A linker's rankings, one for each cluster."""

    name: str
    judged: Sequence[Judged]
    seconds: Sequence[float]
    """Wall time of each citance: an equal share of its cluster's."""

    def column(self, seed: int) -> Column:
        """Makes the column of the means over citances, with those over clusters and the overlap."""
        p50, p95 = numpy.percentile(self.seconds, [50, 95]).tolist()
        details = {
            "by_clusters": average(self.judged, "clusters").means(),
            "overlap": {f"F1@{top}": overlap_f1(self.judged, top)[2] for top in TOPS},
            "seconds_per_query": {"p50": p50, "p95": p95},
        }
        return Column.of(self.name, [average(self.judged, "citances")], seed, "linker", details)


def _measured(name: str, linker: Scorer, clusters: Sequence[Cluster], progress: Progress) -> MeasuredLinker:
    """Ranks the sentences of all clusters in turn."""
    judged: list[Judged] = []
    seconds: list[float] = []
    for done, cluster in enumerate(clusters, start=1):
        start = time.perf_counter()
        judged.append(judge(linker, cluster))
        share = (time.perf_counter() - start) / len(cluster.citances)
        seconds += [share] * len(cluster.citances)
        progress(f"{name}: {done} of {len(clusters)} papers", done / len(clusters))
    return MeasuredLinker(name, judged, seconds)


def linkage_outcome(
    file: str,
    clusters: Sequence[Cluster],
    system: MeasuredLinker,
    seed: int,
    baseline: MeasuredLinker | None = None,
    skipped: int = 0,
    peak_rss_mb: float | None = None,
    notes: Sequence[str] = (),
    made: Mapping[str, Any] | None = None,
) -> Outcome:
    """Makes the outcome of the task; `skipped` citances of the file cannot be scored."""
    column = system.column(seed)
    head = {
        "queries": sum(len(cluster.targets) for cluster in system.judged),
        "clusters": len(clusters),
        "judgements": sum(int(cluster.targets.sum()) for cluster in system.judged),
        "average": "queries",
        "skipped": skipped,
    }
    overlap = column.details["overlap"]
    facts = [
        f"{head['queries']:,} citing sentences of {head['clusters']} cited papers, "
        f"{head['judgements']:,} sentences meant; each citing sentence counts once",
        f"F1 of the first sentence: {number(overlap['F1@1'])}; of the first three: {number(overlap['F1@3'])}",
        "intervals: 95 %, bootstrap over cited papers; p: randomisation test",
    ]
    if skipped:
        facts.append(f"{skipped:,} citing sentences of the file could not be used")
    return Outcome(
        "linkage",
        file,
        head,
        column,
        seed,
        None if baseline is None else baseline.column(seed),
        facts=facts,
        notes=notes,
        peak_rss_mb=peak_rss_mb,
        made=made or {},
        rankings=_rankings(clusters, system),
        draw=lambda: _plot(clusters, system, f"linkage: {file}"),
    )


def _rankings(clusters: Sequence[Cluster], system: MeasuredLinker) -> Run:
    """Lists every sentence of the cited paper for each citance, as ``paper/sid``; scores are minus the rank,
    because equal scores keep the order of the paper."""
    rankings = {}
    for cluster, judged in zip(clusters, system.judged, strict=True):
        names = [f"{cluster.id}/{sentence.sid}" for sentence in cluster.text.sentences]
        minus = [-float(rank) for rank in range(1, len(names) + 1)]
        for citance, order in zip(cluster.citances, judged.ranking, strict=True):
            rankings[citance.id] = Ranking(tuple(names[index] for index in order.tolist()), minus)
    return rankings


def _plot(clusters: Sequence[Cluster], system: MeasuredLinker, title: str) -> str:
    """Draws the mean reciprocal rank of each cluster at three radii."""
    scores = average(system.judged, "clusters")
    shown = ("RR", "RR±3", "RR±10")
    rows = [
        (cluster.release, cluster.id, [float(scores.sums[name][index]) for name in shown])
        for index, cluster in enumerate(clusters)
    ]
    rows.sort(key=lambda row: row[:2])
    return svg(dot_plot(f"{title}, {system.name}", shown, rows))
