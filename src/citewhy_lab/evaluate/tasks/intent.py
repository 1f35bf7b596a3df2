"""Task `intent`: a classifier labels citations by their intent."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from citewhy.base.assets import intent_folder
from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.models import read_model
from citewhy.ranking.classify import Classifier, open_classifier
from citewhy.ranking.classify.fine_tuned import FineTunedClassifier
from citewhy_lab.evaluate.classification import accuracy, f1_by_label, interval_of_f1, macro_f1
from citewhy_lab.evaluate.datasets.intents import HEADS, LABELS, Citation, read_intents
from citewhy_lab.evaluate.making import made, peak_rss_mb, was_trained_on
from citewhy_lab.evaluate.outcome import Column, Outcome, Section, number
from citewhy_lab.evaluate.tasks.declared import IntentOptions

_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class IntentTask(IntentOptions):
    """Labels all citations of the sources for which the classifier has labels."""

    def measure(self, progress: Progress) -> Outcome:
        """Raises QueryError for a classifier with other labels than the file."""
        folder = self.model or intent_folder()
        citations, classifier = read_intents(self.file, self.papers), open_classifier(folder)
        labelled: dict[str, _Labelled] = {}
        for source, name in HEADS.items():
            head = _with_labels(classifier, name)
            asked = [citation for citation in citations if citation.source == source]
            if asked and head is not None:
                labelled[source] = _label(head, asked, source, progress)
        if not labelled:
            raise QueryError(
                f"the classifier's labels are {', '.join(classifier.labels)}, not those of this file",
                hint=f"expected {', '.join(LABELS['intent'])}, or {', '.join(LABELS['function'])}",
            )
        files = [path for path in (self.file, self.papers) if path is not None]
        remembered = "the classifier was trained on this file: the figures measure memory"
        known = was_trained_on(read_model(folder, "classifier").facts, [self.file])
        provenance = made(files, None, None, {"model": folder.name}, self.seed)
        return self._outcome(classifier.name, labelled, [remembered] if known else [], provenance)

    def _outcome(
        self, name: str, labelled: dict[str, _Labelled], notes: list[str], provenance: dict[str, object]
    ) -> Outcome:
        pairs = {
            source: (answers.labels, [(label,) for label in answers.truth])
            for source, answers in labelled.items()
        }
        count = sum(len(answers.labels) for answers in labelled.values())
        seconds = sum(answers.seconds for answers in labelled.values())
        rate = count / max(seconds, 1e-9)
        by_label = {source: dict(f1_by_label(*pair)) for source, pair in pairs.items()}
        intervals = {
            f"macro-F1/{source}": interval_of_f1(answers.labels, answers.truth, self.seed)
            for source, answers in labelled.items()
        }
        measures = {f"macro-F1/{source}": macro_f1(*pair) for source, pair in pairs.items()}
        measures |= {f"accuracy/{source}": accuracy(*pair) for source, pair in pairs.items()}
        details = {"F1": by_label, "sentences_per_second": rate}
        return Outcome(
            "intent",
            self.file.name,
            {"classifier": name, "queries": count},
            Column(name, measures, intervals, kind="", details=details),
            self.seed,
            facts=[f"{count:,} citations, {name}", "intervals: 95 %, bootstrap over citations"],
            costs=[f"{rate:,.0f} citations a second"],
            notes=notes,
            sections=[
                Section(f"F1, {source}", [f"{label:20} {number(f1):>5}" for label, f1 in scores.items()])
                for source, scores in by_label.items()
            ],
            peak_rss_mb=peak_rss_mb(),
            made=provenance,
        )


@dataclass(frozen=True, slots=True)
class _Labelled:
    """The citations of one source with their labels."""

    labels: Sequence[str]
    truth: Sequence[str]
    seconds: float
    """Wall time of all."""


def _with_labels(classifier: Classifier, head: str) -> Classifier | None:
    """Returns the classifier, or its head, with the labels of a source; None if it has none."""
    if set(classifier.labels) == set(LABELS[head]):
        return classifier
    if isinstance(classifier, FineTunedClassifier) and head in classifier.heads:
        return classifier.head(head)
    return None


def _label(classifier: Classifier, asked: Sequence[Citation], source: str, progress: Progress) -> _Labelled:
    labels: list[str] = []
    start = time.perf_counter()
    for first in range(0, len(asked), _AT_ONCE):
        labels += classifier.predict([citation.sentence for citation in asked[first : first + _AT_ONCE]])
        progress(f"{source}: {len(labels):,} of {len(asked):,} citations", len(labels) / len(asked))
    return _Labelled(labels, [citation.label for citation in asked], time.perf_counter() - start)
