"""Reviews of drafts, for a session: uncited claims, missing works, the report of both with an audit, and the
labels of sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from citewhy.answers.answering import DraftAnswering, uncalibrated, without_probabilities
from citewhy.answers.options import DraftOptions
from citewhy.base.assets import needs_folder
from citewhy.base.records import Advice, Manuscript, SentenceInContext
from citewhy.base.reports import Classified
from citewhy.ranking.classify import answers_of
from citewhy.ranking.recommender import Recommender
from citewhy.session.libraries import Libraries
from citewhy.session.models import FilePath
from citewhy.session.opened import Opened, Setting, attributed, in_transactions

if TYPE_CHECKING:
    from citewhy.answers.audit import Audit, ListedEntries
    from citewhy.answers.missing import MissingWorks
    from citewhy.answers.report import ReviewReport
    from citewhy.answers.review import ReviewFields
    from citewhy.ranking.classify import Classifier
    from citewhy.ranking.rank.ranker import Pipeline


class Reviewer(Protocol):
    """Is what a review needs of a session."""

    year: int | None
    threshold: float | None
    _libraries: Libraries

    def _setting(self, pipeline: Pipeline | None) -> Setting: ...

    def classifier(self, given: Classifier | FilePath) -> Classifier: ...

    def audit(self, files: list[ListedEntries]) -> Audit: ...


def reviewed(
    session: Reviewer, manuscript: Manuscript, k: int, judge: Classifier | FilePath | None, by: ReviewFields
) -> Iterator[Advice]:
    """Yields what `Session.review` does."""
    from citewhy.answers.review import review  # as much to import as all of `edits`, for one command

    classifier = session.classifier(judge or needs_folder())
    opened, recommender = _recommender(session, manuscript)
    threshold = opened.threshold(session.threshold, recommender)
    options = DraftOptions(k, only=by.get("only"), threshold=threshold, year=by.get("year", session.year))
    remarks = review(recommender, classifier, manuscript, options, by.get("budget"))
    remarks = attributed(opened, remarks if recommender.calibrated else uncalibrated(remarks))
    return in_transactions(opened, remarks)


def missing(session: Reviewer, manuscript: Manuscript, by: ReviewFields) -> MissingWorks:
    """What `Session.missing` returns."""
    opened, recommender = _recommender(session, manuscript)
    with opened.reading():
        answering = DraftAnswering(recommender, manuscript, by.get("year", session.year))
        found = answering.missing(by.get("budget"), by.get("only"))
        works = []
        for work in found.works:
            (suggestion,) = opened.with_libraries([work.suggestion])
            if not recommender.calibrated:
                (suggestion,) = without_probabilities([suggestion])
            works.append(replace(work, suggestion=suggestion))
    return replace(found, works=tuple(works))


def report(
    session: Reviewer, manuscript: Manuscript, k: int, judge: Classifier | FilePath | None, by: ReviewFields
) -> ReviewReport:
    """What `Session.report` returns."""
    from citewhy.answers.report import cited_list, report, report_budget

    budget = by.get("budget")
    # What was found does not depend on how little of it is shown.
    each: ReviewFields = {**by, "budget": max(report_budget(manuscript), budget or 0)}
    uncited = list(reviewed(session, manuscript, k, judge, each))
    lacking = missing(session, manuscript, each)
    return report(manuscript, session.audit([cited_list(manuscript)]), lacking, uncited, budget)


def _recommender(session: Reviewer, manuscript: Manuscript) -> tuple[Opened, Recommender]:
    return session._libraries.recommender([manuscript], session._setting(None))


def labelled(classifier: Classifier, sentences: Sequence[SentenceInContext | str]) -> list[Classified]:
    """What `Session.classify` returns."""
    inputs = [SentenceInContext(one) if isinstance(one, str) else one for one in sentences]
    labels, table = answers_of(classifier, inputs)
    return [
        Classified(one.text, label, dict(zip(classifier.labels, row, strict=True)))
        for one, label, row in zip(inputs, labels, table.tolist(), strict=True)
    ]
