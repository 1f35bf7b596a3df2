"""Runs: a system's answers to queries, in memory and as TREC files.

A TREC line is ``query Q0 paper rank score tag``. Ids with spaces, which its columns do not allow, are
percent-encoded (``a b`` as ``a%20b``) and decoded when read.
"""

from __future__ import annotations

import math
import os
import re
import sys
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from citewhy.base.errors import InputError
from citewhy.base.records import Candidate
from citewhy.text.source import open_lines


@dataclass(frozen=True, slots=True)
class Ranking:
    """The answer to a query, best first: no paper twice, scores in descending order, ties in order of paper
    id."""

    paper_ids: tuple[str, ...]
    scores: Sequence[float]

    @classmethod
    def of(cls, candidates: Iterable[Candidate]) -> Ranking:
        """Takes ids and scores of a ranker's answer, after checking the ranker's contract.

        Raises ValueError if the answer violates it. Such an answer is not repaired: users would see it
        unrepaired, and figures of a repaired one would be too good.
        """
        papers: list[str] = []
        scores = array("d")
        seen: set[str] = set()
        for candidate in candidates:
            paper, score = sys.intern(candidate.paper_id), float(candidate.score)
            if math.isnan(score):
                raise ValueError(f"the score of {paper} is not a number")
            if paper in seen:
                raise ValueError(f"{paper} was ranked twice")
            if papers and (-score, paper) < (-scores[-1], papers[-1]):
                raise ValueError(f"{paper} ({score!r}) stands below {papers[-1]} ({scores[-1]!r})")
            seen.add(paper)
            papers.append(paper)
            scores.append(score)
        return cls(tuple(papers), scores)

    def top(self, depth: int) -> Ranking:
        """Returns the first `depth` papers."""
        return Ranking(self.paper_ids[:depth], self.scores[:depth])

    def __len__(self) -> int:
        return len(self.paper_ids)


Run = Mapping[str, Ranking]
"""Query id to answer. A missing query has an empty answer."""


def trec(run: Run, tag: str) -> bytes:
    """Writes `run` as a TREC file, with its original scores, queries in order."""
    return b"".join(_lines(_column(query), ranking, _column(tag)) for query, ranking in run.items())


def read_trec(
    path: str | os.PathLike[str], canonical: Callable[[str], str | None] = lambda paper_id: paper_id
) -> dict[str, Ranking]:
    """Reads a run of any system, compressed with gzip or not.

    It is sorted by score, as in trec_eval, with ties by paper id; the rank column is not used. Ids that
    `canonical` knows are replaced; if two ids of one paper occur, the better rank counts. Raises InputError
    with file and line.
    """
    by_query: dict[str, dict[str, float]] = {}
    written: set[tuple[str, str]] = set()
    for line, text in open_lines(path):
        columns = text.split()
        if not columns:
            continue
        query, paper, score = _parse(columns, path, line)
        if (query, paper) in written:
            raise InputError(f"paper {paper} is ranked twice for query {query}", path=path, line=line)
        written.add((query, paper))
        papers = by_query.setdefault(query, {})
        paper = canonical(paper) or paper
        papers[paper] = max(score, papers.get(paper, score))
    if not by_query:
        raise InputError(
            "the run is empty", path=path, hint="expected lines such as: query Q0 paper 1 12.5 name"
        )
    return {query: _ranked(papers) for query, papers in by_query.items()}


def _parse(columns: list[str], path: str | os.PathLike[str], line: int) -> tuple[str, str, float]:
    hint = "expected six columns: query Q0 paper rank score name"
    if len(columns) != 6:
        raise InputError(
            f"{len(columns)} columns are not a line of a TREC run", path=path, line=line, hint=hint
        )
    try:
        score = float(columns[4])
    except ValueError:
        score = math.nan
    if math.isnan(score):
        raise InputError(f"score {columns[4]!r} is not a number", path=path, line=line, hint=hint)
    return unquote(columns[0]), unquote(columns[2]), score


def _lines(query: str, ranking: Ranking, tag: str) -> bytes:
    ranks = enumerate(zip(ranking.paper_ids, ranking.scores, strict=True), start=1)
    lines = [f"{query} Q0 {_column(paper)} {rank} {score!r} {tag}\n" for rank, (paper, score) in ranks]
    return "".join(lines).encode()


def _ranked(papers: Mapping[str, float]) -> Ranking:
    order = sorted(papers, key=lambda paper: (-papers[paper], paper))
    return Ranking(tuple(order), array("d", (papers[paper] for paper in order)))


def _column(text: str) -> str:
    return re.sub(r"[\s%]", lambda character: "".join(f"%{byte:02X}" for byte in character[0].encode()), text)
