"""Task `aspects`: papers that a paper cites with a given intent, above those that it cites with others; on a
folder in CSFCube's layout, papers like a given one in a facet (`csfcube`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from citewhy.base.assets import intent_folder
from citewhy.base.config import default_library
from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy.base.records import Query
from citewhy.models import read_model
from citewhy.ranking.classify import open_classifier
from citewhy.ranking.intents.classifier import default_intents
from citewhy.ranking.intents.labels import INTENTS
from citewhy.ranking.recommender import Recommender
from citewhy.session.session import Session
from citewhy_lab.evaluate.aspects import (
    AnsweredQuestion,
    MeasuredSystem,
    aspect_outcome,
    average_precision,
    pairs_in_order,
)
from citewhy_lab.evaluate.datasets.aspects import SEEN, AspectQuestion, read_aspects, write_aspects
from citewhy_lab.evaluate.making import library_facts, made, peak_rss_mb
from citewhy_lab.evaluate.outcome import Outcome
from citewhy_lab.evaluate.tasks.csfcube import measure_csfcube
from citewhy_lab.evaluate.tasks.declared import AspectsOptions

if TYPE_CHECKING:
    from citewhy.papers.library.store import Library
    from citewhy.ranking.rank.ranker import Pipeline

PLAIN = "plain"
"""The baseline that does not know the intent: the same pipeline without it."""

_DEPTH = 2500
"""Number of candidates of a query among which the cited papers are looked for; the others tie at the end."""


@dataclass(frozen=True, slots=True)
class AspectsTask(AspectsOptions):
    """Makes the questions, asks the pipeline with the intent (and without it), and scores the orders."""

    def measure(self, progress: Progress) -> Outcome:
        """Raises QueryError for a baseline that there is none of, InputError for another file."""
        if self.file.is_dir():
            return measure_csfcube(
                self.file,
                self.pipeline,
                self.encoder,
                self.baseline,
                self.seed,
                self.limit,
                progress,
            )
        if self.baseline not in (None, PLAIN):
            raise QueryError(f"there is no baseline {self.baseline!r}", hint=f"known: {PLAIN}")
        judge = default_intents() if self.model is None else open_classifier(self.model)
        trained_on = read_model(self.model or intent_folder(), "classifier").facts.get(SEEN, ())
        with Session(
            self.library or default_library(),
            pipeline=cast("Pipeline", self.pipeline),
            encoder=self.encoder,
        ) as session:
            library = session.library
            aspects = read_aspects(self.file, library, judge, frozenset(trained_on))
            if self.write_questions is not None:
                write_aspects(self.write_questions, aspects.questions)
            questions = aspects.questions[: self.limit]
            notes = [f"{count:,} {what} were left out" for what, count in sorted(aspects.left_out.items())]
            if len(questions) < len(aspects.questions):
                notes.append(f"the first {len(questions):,} of {len(aspects.questions):,} questions only")
            recommender = session.recommender(progress=progress)
            system = _measured(f"{self.pipeline}+intent", recommender, library, questions, False, progress)
            memory = peak_rss_mb()
            baseline = None
            if self.baseline is not None:
                baseline = _measured(PLAIN, recommender, library, questions, True, progress)
            options: dict[str, Any] = {
                "pipeline": self.pipeline,
                "encoder": self.encoder and self.encoder.name,
                "model": self.model and self.model.name,
                "baseline": self.baseline,
                "limit": self.limit,
                "judge": judge.fingerprint,
            }
            return aspect_outcome(
                self.file.name,
                INTENTS,
                system,
                self.seed,
                baseline,
                notes,
                made([self.file], None, library_facts(library), options, self.seed),
                memory,
            )


def _measured(
    name: str,
    recommender: Recommender,
    library: Library,
    questions: Sequence[AspectQuestion],
    plain: bool,
    progress: Progress,
) -> MeasuredSystem:
    papers = library.papers({question.citing_id for question in questions})
    judged = []
    for done, question in enumerate(questions, start=1):
        query = question.query(papers[question.citing_id], plain=plain)
        judged.append(_judged(recommender, question, query))
        progress(f"{name}: {done:,} of {len(questions):,} questions", done / len(questions))
    return MeasuredSystem(name, judged)


def _judged(recommender: Recommender, question: AspectQuestion, query: Query) -> AnsweredQuestion:
    """Returns the cited papers in the order of the pipeline; what it does not find ties at the end."""
    retrieved = recommender.rank(query, _DEPTH).ids
    score = {paper: -float(rank) for rank, paper in enumerate(retrieved)}
    scores = {paper: score.get(paper, -float(_DEPTH)) for paper in question.candidates}
    relevant = np.array([scores[paper] for paper in question.relevant_ids])
    others = np.array([scores[paper] for paper in question.other_ids])
    values = {"pairs": pairs_in_order(relevant, others), "AP": average_precision(relevant, others)}
    ranking = sorted(question.candidates, key=lambda paper: (-scores[paper], paper))
    return AnsweredQuestion(question.id, question.intent, values, ranking)
