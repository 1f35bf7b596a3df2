"""Runs the same queries with one system after another: a pipeline, or a stored run of another system."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewhy.base.errors import QueryError
from citewhy.base.progress import Progress
from citewhy_lab.evaluate.compare import compare
from citewhy_lab.evaluate.datasets.topics import Topic
from citewhy_lab.evaluate.making import peak_rss_mb
from citewhy_lab.evaluate.measures import Average
from citewhy_lab.evaluate.ranking import Answers, Column, Ranker, collect, judge
from citewhy_lab.evaluate.report import Report
from citewhy_lab.evaluate.runs import read_trec

__all__ = ["Asker", "check_baseline"]


def check_baseline(baseline: str | None, pipelines: Collection[str]) -> None:
    """Raises QueryError for an invalid baseline, which would otherwise fail after minutes of work."""
    if baseline is not None and baseline not in pipelines and not Path(baseline).is_file():
        raise QueryError(
            f"the baseline {baseline!r} is neither a pipeline nor a file",
            hint=f"give a pipeline ({', '.join(pipelines)}), or the path of a TREC run file",
        )


@dataclass(frozen=True, slots=True)
class Asker:
    """The queries, and how answers are scored. `depth` candidates are requested."""

    topics: Sequence[Topic]
    depth: int
    measures: Sequence[str]
    average: Average
    seed: int
    ranker: Callable[[str], Ranker]
    """Makes the ranker of a pipeline; raises an error for unknown names."""
    canonical: Callable[[str], str | None]
    """The canonical id of a paper; None for an unknown id."""
    progress: Progress

    def report(
        self,
        task: str,
        file: str,
        pipeline: str,
        baseline: str | None,
        *,
        pool_kind: str,
        made: Mapping[str, Any],
        notes: Sequence[str] = (),
    ) -> Report:
        """The report on `pipeline`, compared with `baseline` (a pipeline, or the path of a run) if there is
        one."""
        system = self.pipeline(pipeline)
        memory = peak_rss_mb()  # of the measured pipeline, before a baseline adds its own
        other = None if baseline is None else self.baseline(baseline)
        relevant = [paper_id for topic in self.topics for paper_id in topic.relevant]
        return Report(
            task=task,
            file=file,
            queries=len(self.topics),
            judgements=len(relevant),
            average=self.average,
            not_in_library=sum(self.canonical(paper_id) is None for paper_id in relevant),
            pool_kind=pool_kind,
            depth=self.depth,
            system=system,
            baseline=other,
            difference={} if other is None else compare(system.scores, other.scores, self.seed),
            peak_rss_mb=memory,
            notes=notes,
            made=made,
        )

    def pipeline(self, name: str) -> Column:
        """Runs all queries with a pipeline."""
        asked = len(self.topics)
        answers = collect(
            self.ranker(name),
            self.topics,
            self.depth,
            tick=lambda done: self.progress(f"{name}: {done:,} of {asked:,} queries", done / asked),
        )
        return self._judged(name, answers)

    def baseline(self, name: str) -> Column:
        """A pipeline, or the run in a file, cut at `depth`. Raises QueryError for a run of other queries."""
        path = Path(name)
        if not path.is_file():
            return self.pipeline(name)
        run = {query: ranking.top(self.depth) for query, ranking in read_trec(path, self.canonical).items()}
        if not any(topic.query.id in run for topic in self.topics):
            raise QueryError(
                f"the run {path} contains none of these queries", hint="it belongs to another file or task"
            )
        return self._judged(path.name, Answers(run))

    def _judged(self, name: str, answers: Answers) -> Column:
        return judge(name, answers, self.topics, self.measures, self.average, self.seed)
