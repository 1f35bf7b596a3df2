"""Task `needs`: which sentences of finished papers cite, told from what remains without their citations."""

from __future__ import annotations

from dataclasses import dataclass

from citewhy.base.assets import needs_folder
from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.drafts import read
from citewhy.drafts.formats import format_by_suffix
from citewhy.models import read_model
from citewhy.ranking.classify import open_classifier
from citewhy_lab.evaluate.datasets.held_out import held_out
from citewhy_lab.evaluate.datasets.needs import JudgedSentence, of_draft, of_full_texts
from citewhy_lab.evaluate.making import made, peak_rss_mb, was_trained_on
from citewhy_lab.evaluate.needs import chances, intervals, measures
from citewhy_lab.evaluate.outcome import Column, Outcome
from citewhy_lab.evaluate.tasks.declared import NeedsOptions


@dataclass(frozen=True, slots=True)
class NeedsTask(NeedsOptions):
    """Judges every sentence that reads without its citations."""

    def measure(self, progress: Progress) -> Outcome:
        """Raises QueryError for a file without citing sentences."""
        folder = self.model or needs_folder()
        classifier = open_classifier(folder)
        progress("reading the sentences", None)
        judged = self._judged()
        if not any(sentence.cites for sentence in judged):
            raise QueryError(
                f"no sentence of {self.file.name} cites",
                hint="name full texts with their citations, or a draft",
            )
        progress(f"{len(judged):,} sentences", None)
        facts = read_model(folder, "classifier").facts
        remembered = not self.held_out and was_trained_on(facts, [self.file])
        note = "the classifier was trained on this file: choose its other papers with --held-out"
        scores = chances(classifier, judged)
        citing, papers = int(scores.cites.sum()), len(set(scores.groups))
        head = {
            "model": classifier.name,
            "queries": len(scores.cites),
            "judgements": citing,
            "papers": papers,
        }
        return Outcome(
            "needs",
            self.file.name,
            head,
            Column(classifier.name, measures(scores), intervals(scores, self.seed), kind=""),
            self.seed,
            facts=[f"{len(scores.cites):,} sentences of {papers} papers, {citing:,} of them cite"],
            notes=[note] if remembered else [],
            peak_rss_mb=peak_rss_mb(),
            made=made([self.file], None, None, {"held_out": self.held_out}, self.seed),
            title=f"needs: {self.file.name}, {classifier.name}",
        )

    def _judged(self) -> list[JudgedSentence]:
        """Reads the sentences of a draft, or those of the papers that are asked for."""
        if format_by_suffix(self.file) is not None:
            return list(of_draft(read(self.file), self.file.stem))
        sentences: list[JudgedSentence] = []
        papers: set[str] = set()
        for sentence in of_full_texts(self.file):
            if self.held_out and not held_out(sentence.group):
                continue
            papers.add(sentence.group)
            if self.limit is not None and len(papers) > self.limit:
                break
            sentences.append(sentence)
        return sentences
