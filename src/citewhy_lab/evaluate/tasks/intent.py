"""Task `intent`: a classifier labels citations by their intent."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citewhy.base.assets import intent_folder
from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.models import read_model
from citewhy.ranking.classify import Classifier, open_classifier
from citewhy.ranking.classify.fine_tuned import FineTunedClassifier
from citewhy_lab.evaluate.bootstrap import LEVEL, RESAMPLES
from citewhy_lab.evaluate.classification import accuracy, f1_by_label, macro_f1
from citewhy_lab.evaluate.datasets.intents import HEADS, LABELS, Citation, read_intents
from citewhy_lab.evaluate.making import file_facts, made, peak_rss_mb
from citewhy_lab.evaluate.tasks import Evaluator

__all__ = ["EVALUATOR", "IntentReport", "Settings", "evaluate", "interval_of_f1"]

_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Settings:
    """Options of the command line, checked where they are used."""

    task: str
    file: Path
    model: Path | None
    """Folder of a trained classifier; None: the built-in one."""
    papers: Path | None
    """Records of the citing papers, whose authors tell which cited works are their own."""
    seed: int


def evaluate(settings: Settings, progress: Progress) -> IntentReport:
    """Labels all citations of the sources for which the classifier has labels."""
    folder = settings.model or intent_folder()
    citations, opened = read_intents(settings.file, settings.papers), open_classifier(folder)
    answers: dict[str, Answers] = {}
    for source, head in HEADS.items():
        classifier = _with_labels(opened, head)
        asked = [each for each in citations if each.source == source]
        if asked and classifier is not None:
            answers[source] = _answered(classifier, asked, source, progress)
    if not answers:
        raise QueryError(
            f"the classifier's labels are {', '.join(opened.labels)}, not those of this file",
            hint=f"expected {', '.join(LABELS['intent'])}, or {', '.join(LABELS['function'])}",
        )
    model = read_model(folder, "classifier")
    files = [path for path in (settings.file, settings.papers) if path is not None]
    learned = {each.get("sha256") for each in model.facts.get("data", []) if isinstance(each, dict)}
    notes = []
    if file_facts(settings.file)["sha256"] in learned:
        notes.append("the classifier was trained on this file: the figures measure memory")
    return IntentReport(
        file=settings.file.name,
        classifier=opened.name,
        answers=answers,
        seed=settings.seed,
        notes=notes,
        peak_rss_mb=peak_rss_mb(),
        made=made(files, None, None, {"model": folder.name}, settings.seed),
    )


EVALUATOR = Evaluator(Settings, evaluate)


@dataclass(frozen=True, slots=True)
class Answers:
    """Of one source."""

    labels: Sequence[str]
    truth: Sequence[str]
    seconds: float
    """Wall time of all."""


@dataclass(frozen=True, slots=True)
class IntentReport:
    """The complete report on an evaluation of the task `intent`."""

    file: str
    classifier: str
    answers: Mapping[str, Answers]
    seed: int
    notes: Sequence[str] = ()
    peak_rss_mb: float | None = None
    made: Mapping[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """The JSON document; `docs/evaluation.md` explains its fields."""
        found = {
            source: (each.labels, [(label,) for label in each.truth]) for source, each in self.answers.items()
        }
        seconds = sum(each.seconds for each in self.answers.values())
        count = sum(len(each.labels) for each in self.answers.values())
        return {
            "task": "intent",
            "file": self.file,
            "classifier": self.classifier,
            "queries": count,
            "measures": {f"macro-F1/{source}": macro_f1(*pair) for source, pair in found.items()}
            | {f"accuracy/{source}": accuracy(*pair) for source, pair in found.items()},
            "intervals": {
                f"macro-F1/{source}": interval_of_f1(each.labels, each.truth, self.seed)
                for source, each in self.answers.items()
            },
            "F1": {source: dict(f1_by_label(*pair)) for source, pair in found.items()},
            "sentences_per_second": count / max(seconds, 1e-9),
            "peak_rss_mb": self.peak_rss_mb,
            "notes": list(self.notes),
            "made": dict(self.made),
        }

    def text(self) -> str:
        """For a terminal of 80 columns."""
        document = self.document()
        lines = [f"intent: {self.file}", f"{document['queries']:,} citations, {self.classifier}", ""]
        for source in self.answers:
            low, high = document["intervals"][f"macro-F1/{source}"]
            value = document["measures"][f"macro-F1/{source}"]
            lines.append(f"macro-F1/{source:10} {value:.3f}  95 % {low:.3f}-{high:.3f}")
            lines += [f"  {label:20} {f1:.3f}" for label, f1 in document["F1"][source].items()]
        lines += ["", f"{document['sentences_per_second']:,.0f} citations a second", *self.notes]
        return "\n".join(lines)

    def markdown(self) -> str:
        """A heading, a table and notes."""
        document = self.document()
        rows = ["| measure | value | 95 % |", "| --- | ---: | ---: |"]
        for name, (low, high) in document["intervals"].items():
            rows.append(f"| {name} | {document['measures'][name]:.3f} | {low:.3f}-{high:.3f} |")
        notes = [f"- {note}" for note in (f"{document['queries']:,} citations", *self.notes)]
        return "\n".join([f"# intent: {self.file}", "", *rows, "", *notes, ""])

    def run(self) -> bytes:
        raise QueryError("the task intent ranks nothing", hint="omit --run")

    def plot(self) -> str:
        raise QueryError("the task intent has no diagram", hint="omit --plot")


def interval_of_f1(answers: Sequence[str], truth: Sequence[str], seed: int) -> tuple[float, float]:
    """95 % interval of macro-F1: percentile bootstrap over citations. Labels that a resample lacks are not
    averaged."""
    names = sorted({*answers, *truth})
    said, true = (np.array([names.index(each) for each in side]) for side in (answers, truth))
    real = sorted({names.index(each) for each in truth})
    random = np.random.default_rng(seed)
    values: list[float] = []
    for _ in range(RESAMPLES):
        drawn = random.integers(0, len(said), len(said))
        values.append(_macro_f1(said[drawn], true[drawn], real))
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _macro_f1(said: NDArray[np.int64], true: NDArray[np.int64], labels: Sequence[int]) -> float:
    found = []
    for label in labels:
        hits = int(((said == label) & (true == label)).sum())
        total = int((said == label).sum() + (true == label).sum())
        if (true == label).any():
            found.append(2 * hits / total)
    return sum(found) / len(found)


def _with_labels(opened: Classifier, head: str) -> Classifier | None:
    """The classifier, or its head, with the labels of a source; None if it has none."""
    if set(opened.labels) == set(LABELS[head]):
        return opened
    if isinstance(opened, FineTunedClassifier) and head in opened.heads:
        return opened.head(head)
    return None


def _answered(classifier: Classifier, asked: Sequence[Citation], source: str, progress: Progress) -> Answers:
    labels: list[str] = []
    start = time.perf_counter()
    for first in range(0, len(asked), _AT_ONCE):
        labels += classifier.predict([each.sentence for each in asked[first : first + _AT_ONCE]])
        progress(f"{source}: {len(labels):,} of {len(asked):,} citations", len(labels) / len(asked))
    return Answers(labels, [each.label for each in asked], time.perf_counter() - start)
