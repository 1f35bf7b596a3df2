"""Task `discourse`: the discourse tag of every sentence of paragraphs on related work."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy

from citewhy.base.artifact import MANIFEST
from citewhy.base.assets import discourse_folder
from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.models import read_model
from citewhy.ranking.classify import open_classifier
from citewhy.ranking.classify.discourse import TAGS, in_context
from citewhy_lab.evaluate.classification import label_counts, label_intervals, label_measures
from citewhy_lab.evaluate.datasets.corwa import read_corwa
from citewhy_lab.evaluate.making import made, peak_rss_mb, was_trained_on
from citewhy_lab.evaluate.outcome import Column, Outcome
from citewhy_lab.evaluate.plots import dot_plot, svg
from citewhy_lab.evaluate.tasks.declared import DiscourseOptions


@dataclass(frozen=True, slots=True)
class DiscourseTask(DiscourseOptions):
    """Tags every sentence of the file."""

    def measure(self, progress: Progress) -> Outcome:
        """Raises QueryError for a classifier with other labels."""
        tagger = open_classifier(self.model or discourse_folder())
        model = read_model(self.model or discourse_folder(), "classifier")
        if unknown := [label for label in tagger.labels if label not in TAGS]:
            raise QueryError(
                f"{tagger.name} is no discourse tagger: it has the label {unknown[0]!r}",
                hint="train one with: citewhy train discourse",
            )
        paragraphs = read_corwa(self.file)
        is_folder = self.file.is_dir()
        files = sorted(filter(Path.is_file, self.file.iterdir())) if is_folder else [self.file]
        answers: list[str] = []
        start = time.perf_counter()
        for done, paragraph in enumerate(paragraphs, start=1):
            answers += tagger.predict(in_context(paragraph.sentences))
            progress(f"{done:,} of {len(paragraphs):,} paragraphs", done / len(paragraphs))
        remembered = "the tagger was trained on this file: the figures measure memory"
        return label_outcome(
            "discourse",
            self.file.name,
            tagger.name,
            TAGS,
            answers,
            [tag for paragraph in paragraphs for tag in paragraph.tags],
            [paragraph.paper for paragraph in paragraphs for _ in paragraph.tags],
            self.seed,
            seconds=time.perf_counter() - start,
            peak_rss_mb=peak_rss_mb(),
            notes=[remembered] if was_trained_on(model.facts, files) else [],
            made=made([*files, model.path / MANIFEST], None, None, {}, self.seed),
        )


def label_outcome(
    task: str,
    file: str,
    model: str,
    labels: Sequence[str],
    answers: Sequence[str],
    truth: Sequence[str],
    groups: Sequence[str],
    seed: int,
    seconds: float = 0.0,
    peak_rss_mb: float | None = None,
    notes: Sequence[str] = (),
    made: Mapping[str, Any] | None = None,
) -> Outcome:
    """Makes the outcome of a classifier's `answers` for sentences, with the true labels and the groups
    (papers) that they are of. Intervals are those of a bootstrap over groups."""
    by_group = label_counts(answers, truth, groups, labels)
    counts = by_group.sum(axis=0)
    rows = counts.astype(int).tolist()
    details = {
        "confusion": {
            label: dict(zip(labels, row, strict=True)) for label, row in zip(labels, rows, strict=True)
        },
        "seconds_per_query": {"mean": seconds / max(len(truth), 1)},
    }
    measures, intervals = label_measures(counts, labels), label_intervals(by_group, labels, seed)
    return Outcome(
        task,
        file,
        {"model": model, "queries": len(truth), "groups": len(by_group)},
        Column(model, measures, intervals, kind="", details=details),
        seed,
        facts=[
            f"{len(truth):,} sentences of {len(by_group):,} papers; {model}",
            "intervals: 95 %, bootstrap over papers",
        ],
        notes=notes,
        peak_rss_mb=peak_rss_mb,
        made=made or {},
        draw=lambda: _plot(counts, labels, task, f"{task}: {file}"),
    )


def _plot(counts: Any, labels: Sequence[str], task: str, title: str) -> str:
    """Draws precision, recall and F1 of each label."""
    hits, true, named = numpy.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
    shares = [hits / numpy.maximum(total, 1) for total in (named, true, (named + true) / 2)]
    rows = [(task, label, [float(share[number]) for share in shares]) for number, label in enumerate(labels)]
    return svg(dot_plot(title, ("precision", "recall", "F1"), rows))
