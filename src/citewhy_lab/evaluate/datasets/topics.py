"""Common parts of all ranking tasks: topics, the papers that they need, and the description of a task."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol

from citewhy.base.config import DEFAULT_SEED
from citewhy.base.errors import QueryError
from citewhy.base.records import Paper, Query
from citewhy_lab.evaluate.datasets.held_out import held_out


class Papers(Protocol):
    """The part of a library that a task needs."""

    def canonical(self, paper_id: str, /) -> str | None: ...

    def papers(self, ids: Collection[str], /) -> Mapping[str, Paper]: ...


@dataclass(frozen=True, slots=True)
class Topic:
    """A query and its relevant papers: canonical ids, each once; unknown ids are unchanged."""

    query: Query
    relevant: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.relevant or len(set(self.relevant)) < len(self.relevant):
            raise ValueError(f"a topic needs relevant papers, each once: {self.query.id}")


@dataclass(frozen=True, slots=True)
class Options:
    """How a file is converted to topics."""

    known: float = 0.0
    """Share of the references that are given with the query; in [0, 1). Only for a task with
    `takes_known`."""
    seed: int = DEFAULT_SEED

    def __post_init__(self) -> None:
        if not 0 <= self.known < 1:
            raise QueryError(
                f"--known {self.known:g} is not a share of the references", hint="give 0 or more, below 1"
            )


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A ranking task: `read` converts a file to topics, in the order of the file."""

    name: str
    measures: tuple[str, ...]
    average: Literal["judgements", "queries"]
    read: Callable[[Path, Papers, Options], list[Topic]]
    takes_known: bool = False

    def topics(self, path: Path, papers: Papers, options: Options) -> list[Topic]:
        """Raises InputError with file and line, QueryError for options that the task does not support."""
        if options.known and not self.takes_known:
            raise QueryError(
                f"--known is not for the task {self.name}",
                hint="it hides a part of a whole paper's references",
            )
        topics = self.read(path, papers, options)
        check_answerable(topics, papers, path)
        return topics


def canonical_ids(ids: Iterable[str], papers: Papers) -> tuple[str, ...]:
    """Returns each paper once, in order; an id that is not in the library is kept, because it counts as
    missed."""
    return tuple(dict.fromkeys(papers.canonical(paper_id) or paper_id for paper_id in ids))


def check_answerable(topics: Sequence[Topic], papers: Papers, path: Path) -> None:
    """Raises QueryError if none of the relevant papers is in the library: it is the wrong library rather than
    a bad ranker."""
    if not any(papers.canonical(paper_id) for topic in topics for paper_id in topic.relevant):
        raise QueryError(
            f"the library has none of the papers that are cited in {path}",
            hint="add them with `citewhy add`, or name the right library with --library",
        )


def hide(
    topics: Sequence[Topic], count: int, seed: int, papers: Papers
) -> tuple[list[Topic], frozenset[str]]:
    """Samples `count` relevant papers that are in the library; returns the topics that ask for them, and
    their ids.

    Only the sampled papers are relevant in these topics. Raises QueryError if there are too few.
    """
    there = sorted(
        {paper_id for topic in topics for paper_id in topic.relevant if papers.canonical(paper_id)}
    )
    if not 1 <= count <= len(there):
        raise QueryError(
            f"--unseen {count} papers cannot be hidden", hint=f"give 1 to {len(there)} for this file"
        )
    hidden = frozenset(random.Random(seed).sample(there, count))
    return _about(topics, hidden), hidden


def hide_held_out(topics: Sequence[Topic]) -> tuple[list[Topic], frozenset[str]]:
    """Does as `hide`, for the relevant papers that are held out from all training (`datasets.held_out`).

    Raises QueryError if there are none.
    """
    hidden = frozenset(paper_id for topic in topics for paper_id in topic.relevant if held_out(paper_id))
    if not hidden:
        raise QueryError("none of the cited papers is held out", hint="hide any of them with --unseen N")
    return _about(topics, hidden), hidden


def _about(topics: Sequence[Topic], hidden: frozenset[str]) -> list[Topic]:
    """Returns the topics that ask for hidden papers, and only for those."""
    return [
        replace(topic, relevant=tuple(paper_id for paper_id in topic.relevant if paper_id in hidden))
        for topic in topics
        if not hidden.isdisjoint(topic.relevant)
    ]
