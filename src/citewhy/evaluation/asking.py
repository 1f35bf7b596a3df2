"""Puts the same questions to one system after another: a pipeline, or a run that another system left."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from citewhy.datasets.topics import Topic
from citewhy.errors import QueryError, StorageError
from citewhy.evaluation.measures import Average
from citewhy.evaluation.ranking import Answers, Column, Ranker, collect, judge
from citewhy.evaluation.runs import read_trec

__all__ = ["Asker", "refuse_early"]


def refuse_early(baseline: str | None, written: Sequence[Path | None], pipelines: Collection[str]) -> None:
    """What would fail after minutes of work: a baseline that is nothing (QueryError), a file that cannot be
    written (StorageError)."""
    for path in written:
        if path is not None and not path.parent.is_dir():
            hint = "make it, or name another file"
            raise StorageError("there is no such folder", path=path.parent, hint=hint)
    if baseline is not None and baseline not in pipelines and not Path(baseline).is_file():
        raise QueryError(
            f"the baseline {baseline!r} is neither a pipeline nor a file",
            hint=f"give a pipeline ({', '.join(pipelines)}), or the path of a TREC run file",
        )


@dataclass(frozen=True, slots=True)
class Asker:
    """The questions, and how answers are scored. `depth` candidates are asked for."""

    topics: Sequence[Topic]
    depth: int
    measures: Sequence[str]
    average: Average
    seed: int
    ranker: Callable[[str], Ranker]
    """Makes the ranker of a pipeline; refuses names that it does not know."""
    canonical: Callable[[str], str | None]
    """The id under which a paper is listed; None for an id that nothing leads from."""
    tell: Callable[[str, float | None], None]
    """Is told what is being done, and the share of it that is done."""

    def pipeline(self, name: str) -> Column:
        """Asks a pipeline every question."""
        asked = len(self.topics)
        answers = collect(
            self.ranker(name),
            self.topics,
            self.depth,
            tick=lambda done: self.tell(f"{name}: {done:,} of {asked:,} queries", done / asked),
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
                f"the run {path} answers none of these queries", hint="it is of another file or task"
            )
        return self._judged(path.name, Answers(run))

    def _judged(self, name: str, answers: Answers) -> Column:
        return judge(name, answers, self.topics, self.measures, self.average, self.seed)
