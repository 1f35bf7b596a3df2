"""Task `needs`: which sentences of finished papers cite, told from what remains without their citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from citewhy.base.assets import needs_folder
from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.drafts import read
from citewhy.drafts.root import is_latex, is_marked_up
from citewhy.models import read_model
from citewhy.ranking.classify import open_classifier
from citewhy_lab.evaluate.datasets.held_out import held_out
from citewhy_lab.evaluate.datasets.needs import Judged, of_draft, of_full_texts
from citewhy_lab.evaluate.making import file_facts, made, peak_rss_mb
from citewhy_lab.evaluate.needs import MEASURES, Scores, chances, intervals, measures
from citewhy_lab.evaluate.pages import markdown_page, text_page
from citewhy_lab.evaluate.tasks import Evaluator

__all__ = ["EVALUATOR", "NeedsReport", "Settings", "evaluate"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Options of the command line, checked where they are used."""

    task: str
    file: Path
    """Full texts with citations as printed, or a finished draft."""
    model: Path | None
    """Folder of a trained classifier; None: the built-in one."""
    held_out: bool
    """Only papers that no built-in model was trained on (`datasets.held_out`)."""
    limit: int | None
    """Maximum number of papers."""
    seed: int


@dataclass(frozen=True, slots=True)
class NeedsReport:
    """How well the citing sentences of papers are told from the others."""

    file: str
    model: str
    scores: Scores
    seed: int
    notes: Sequence[str] = ()
    made: Mapping[str, Any] = field(default_factory=dict)
    peak_rss_mb: float | None = None

    def document(self) -> dict[str, Any]:
        """The JSON document; `docs/evaluation.md` explains its fields."""
        return {
            "task": "needs",
            "file": self.file,
            "model": self.model,
            "queries": len(self.scores.cites),
            "judgements": int(self.scores.cites.sum()),
            "papers": len(set(self.scores.groups)),
            "measures": measures(self.scores),
            "intervals": {name: list(each) for name, each in intervals(self.scores, self.seed).items()},
            "peak_rss_mb": self.peak_rss_mb,
            "notes": list(self.notes),
            "made": dict(self.made),
        }

    def text(self) -> str:
        return text_page(self._title(), [self._fact()], self._rows(), self.notes)

    def markdown(self) -> str:
        return markdown_page(self._title(), [self._fact()], self._rows(), self.notes)

    def run(self) -> NoReturn:
        raise QueryError("the task needs ranks no papers", hint="omit --run")

    def plot(self) -> NoReturn:
        raise QueryError("the task needs has no diagram", hint="omit --plot")

    def _title(self) -> str:
        return f"needs: {self.file}, {self.model}"

    def _fact(self) -> str:
        cites, papers = int(self.scores.cites.sum()), len(set(self.scores.groups))
        return f"{len(self.scores.cites):,} sentences of {papers} papers, {cites:,} of them cite"

    def _rows(self) -> list[list[str]]:
        found, around = measures(self.scores), intervals(self.scores, self.seed)
        rows = [
            [name, f"{found[name]:.3f}", f"{around[name][0]:.3f} to {around[name][1]:.3f}"]
            for name in MEASURES
        ]
        return [["measure", "value", "95 %"], *rows]


def evaluate(settings: Settings, progress: Progress) -> NeedsReport:
    """Judges every sentence that reads without its citations."""
    folder = settings.model or needs_folder()
    classifier = open_classifier(folder)
    progress("reading the sentences", None)
    judged = _judged(settings)
    if not any(each.cites for each in judged):
        raise QueryError(
            f"no sentence of {settings.file.name} cites",
            hint="name full texts with their citations, or a draft",
        )
    progress(f"{len(judged):,} sentences", None)
    learned = read_model(folder, "classifier").facts.get("data")
    known = (
        {each.get("sha256") for each in learned if isinstance(each, dict)}
        if isinstance(learned, list)
        else set()
    )
    memory = file_facts(settings.file)["sha256"] in known and not settings.held_out
    note = "the classifier was trained on this file: choose its other papers with --held-out"
    return NeedsReport(
        file=settings.file.name,
        model=classifier.name,
        scores=chances(classifier, judged),
        seed=settings.seed,
        notes=[note] if memory else [],
        made=made([settings.file], None, None, {"held_out": settings.held_out}, settings.seed),
        peak_rss_mb=peak_rss_mb(),
    )


EVALUATOR = Evaluator(Settings, evaluate)


def _judged(settings: Settings) -> list[Judged]:
    file = settings.file
    if is_latex(file) or is_marked_up(file):
        return list(of_draft(read(file), file.stem))
    found: list[Judged] = []
    papers: set[str] = set()
    for each in of_full_texts(file):
        if settings.held_out and not held_out(each.group):
            continue
        papers.add(each.group)
        if settings.limit is not None and len(papers) > settings.limit:
            break
        found.append(each)
    return found
