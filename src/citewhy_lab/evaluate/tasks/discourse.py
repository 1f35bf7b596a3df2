"""Task `discourse`: the discourse tag of every sentence of paragraphs on related work."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from citewhy.base.artifact import MANIFEST
from citewhy.base.assets import discourse_folder
from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.models import ModelFolder, read_model
from citewhy.ranking.classify import open_classifier
from citewhy.ranking.classify.discourse import TAGS, in_context
from citewhy_lab.evaluate.datasets.corwa import read_corwa
from citewhy_lab.evaluate.label_report import LabelReport
from citewhy_lab.evaluate.making import made, peak_rss_mb, was_trained_on
from citewhy_lab.evaluate.tasks import Evaluator

__all__ = ["EVALUATOR", "Settings", "evaluate"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Options of the command line, checked where they are used."""

    task: str
    file: Path
    model: Path | None
    """Folder of a trained tagger; None: the built-in one."""
    seed: int


def evaluate(settings: Settings, progress: Progress) -> LabelReport:
    """Tags every sentence of the file. Raises QueryError for a classifier with other labels."""
    tagger = open_classifier(settings.model or discourse_folder())
    model = read_model(settings.model or discourse_folder(), "classifier")
    if unknown := [label for label in tagger.labels if label not in TAGS]:
        raise QueryError(
            f"{tagger.name} is no discourse tagger: it has the label {unknown[0]!r}",
            hint="train one with: citewhy train discourse",
        )
    paragraphs = read_corwa(settings.file)
    files = _files(settings.file)
    answers: list[str] = []
    start = time.perf_counter()
    for done, paragraph in enumerate(paragraphs, start=1):
        answers += tagger.predict(in_context(paragraph.sentences))
        progress(f"{done:,} of {len(paragraphs):,} paragraphs", done / len(paragraphs))
    return LabelReport(
        task="discourse",
        file=settings.file.name,
        model=tagger.name,
        labels=TAGS,
        answers=answers,
        truth=[tag for each in paragraphs for tag in each.tags],
        groups=[each.paper for each in paragraphs for _ in each.tags],
        seed=settings.seed,
        seconds=time.perf_counter() - start,
        peak_rss_mb=peak_rss_mb(),
        notes=_remembered(model, files),
        made=made([*files, model.path / MANIFEST], None, None, {}, settings.seed),
    )


EVALUATOR = Evaluator(Settings, evaluate)


def _files(path: Path) -> list[Path]:
    return sorted(each for each in path.iterdir() if each.is_file()) if path.is_dir() else [path]


def _remembered(model: ModelFolder, files: Sequence[Path]) -> list[str]:
    """A note if the model was trained on these files."""
    if not was_trained_on(model.facts, files):
        return []
    return ["the tagger was trained on this file: the figures measure memory"]
