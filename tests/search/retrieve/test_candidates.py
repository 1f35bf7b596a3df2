"""Candidates: what first stages find and screening keeps, as of the query's scope."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from small_library import cites, context, make, paper, unsynced
from small_questions import Questions

from citewhy.base.records import Paper, Query
from citewhy.papers.formats import Record
from citewhy.search.index import Hits
from citewhy.search.retrieve.candidates import candidates, screens
from citewhy.search.retrieve.first_stage import FirstStage, Treatment
from citewhy.search.retrieve.scoped import History, Neighbours, ScopedQuery
from citewhy.search.retrieve.sparse import Sparse, best, relative, union
from citewhy.search.retrieve.stages import (
    FIRST_STAGES,
    ContextMeaning,
    ContextWords,
    Graph,
    OwnHistory,
    Vectors,
    Words,
)

SILENT = [paper(f"silent{place}", f"Horses {place}", year=1990) for place in range(30)]

FOUND: dict[str, tuple[FirstStage, Query]] = {
    "text": (Words(), Query("local", "chart of everything")),
    "feedback": (Words(), Query("local", "everything about lanterns")),
    "sentence": (ContextWords(), Query("local", "everything marvellous")),
    "meant": (ContextMeaning(), Query("local", "photographs")),
    "cocited": (Graph(), Query("local", "everything", known_ids=("beside",))),
    "coupled": (Graph(), Query("local", "everything", known_ids=("likewise",))),
    "linked": (Graph(), Query("local", "everything", known_ids=("citer",))),
    "own": (OwnHistory(), Query("local", "everything", authors=("Dee Ray",))),
    "history": (OwnHistory(), Query("local", "everything", authors=("Cy Ma",))),
    "meaning": (Vectors(), Query("local", "photographs")),
}
"""A paper → a query for which one thing alone speaks for it, and the first stage that looks at this."""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Questions]:
    records: list[Record] = [
        *SILENT,
        paper("text", "Chart", year=1990),
        paper("lantern", "Lanterns and shutters", year=1990),
        paper("meaning", "Pictures", year=1990),
        paper("feedback", "Shutters", year=1990),
        *(paper(name, name.title(), year=1990) for name in ("sentence", "meant")),
        paper("own", "Mine", year=1990, authors=("Dee Ray",)),
        *(paper(name, name.title(), year=1990) for name in ("history", "cocited", "beside", "linked")),
        *(paper(name, name.title(), year=1990) for name in ("likewise", "coupled", "shared")),
        paper("citer", "Citer", year=1991),
        paper("witness", "Witness", year=1991),
        paper("before", "Before", year=1991, authors=("Cy Ma",)),
        context("s", "citer", "sentence", "A marvellous TARGETCIT."),
        context("p", "witness", "meant", "Pictures TARGETCIT."),
        *cites("before history", "witness cocited", "witness beside", "citer linked"),
        *cites("likewise shared", "coupled shared"),
    ]
    with unsynced(), make(tmp_path_factory.mktemp("asked"), records) as library:
        yield Questions(library)


@pytest.mark.parametrize("name", FOUND)
def test_one_thing_speaks_for_a_paper(asked: Questions, name: str) -> None:
    """The stage that looks at it finds the paper, before all papers that nothing speaks for; and it stays a
    candidate among the few that are kept of many."""
    stage, query = FOUND[name]
    scoped = asked.scoped(query)
    found = asked.ids(stage.candidates(scoped).rows)
    assert name in found
    assert not any(other.startswith("silent") for other in found[: found.index(name)])
    if stage.treatment == "screened":
        kept = screens(scoped, asked.index.papers(), count=6)
        assert name in {paper_id for hits in kept.values() for paper_id in asked.ids(hits.rows)}
    assert name in asked.ids(candidates(scoped, FIRST_STAGES).rows)


def test_candidates_are_admitted(asked: Questions) -> None:
    """Nothing that the scope forbids comes through, whichever stage finds it; each paper comes once."""
    query = Query("local", "chart pictures marvellous", known_ids=("beside", "citer"), authors=("Cy Ma",))
    excluded = ("text", "history", "sentence", "meaning", "meant")
    scoped = asked.scoped(Query("local", query.text, authors=query.authors, excluded_ids=excluded, year=1990))
    rows = candidates(scoped, (*FIRST_STAGES, Everything())).rows
    assert rows.tolist() == sorted(set(rows.tolist()))
    assert not {*excluded, "citer", "witness", "before"} & {*asked.ids(rows)}
    assert {"lantern", "shared"} <= {*asked.ids(rows)}, "the stage that finds everything finds these"


class Everything:
    """A stage from elsewhere that minds no rule."""

    name = "everything"
    treatment: Treatment = "fused"

    def candidates(self, scoped: ScopedQuery) -> Hits:
        rows = scoped.index.papers()
        return Hits(rows, np.linspace(1, 0, len(rows), dtype=np.float32))


def test_no_stage_no_candidates(asked: Questions) -> None:
    """Without stages there is nothing to rank, and no error."""
    assert candidates(asked.scoped(Query("local", "chart")), []).rows.tolist() == []


@pytest.mark.parametrize("most", [1, 2, 3, 10])
def test_bounded(asked: Questions, most: int) -> None:
    """Of too many, those stay that stand highest in some stage; of equal places, the first by id."""

    class Listed:
        treatment: Treatment = "fused"

        def __init__(self, name: str, *ids: str) -> None:
            self.name = name
            self.ids = ids

        def candidates(self, scoped: ScopedQuery) -> Hits:
            rows = scoped.index.rows(self.ids)
            return Hits(rows, np.arange(len(rows), 0, -1, dtype=np.float32))

    stages = [Listed("one", "text", "own", "silent3"), Listed("other", "meaning", "text", "before", "linked")]
    found = candidates(asked.scoped(Query("local", "chart")), stages, most)
    order = ["meaning", "text", "own", "before", "silent3", "linked"]
    assert sorted(asked.ids(found.rows)) == sorted(order[:most])
    assert asked.ids(found.hits["one"].rows) == ["text", "own", "silent3"]


def test_ties_by_id(tmp_path: Path) -> None:
    """Of papers that nothing tells apart, the first by id are kept."""
    names = [chr(ord("z") - place) for place in range(20)]
    with unsynced(), make(tmp_path, []) as library:
        for name in names:  # the last one by id comes first
            library.add([Paper(name, "Trees of words", year=2000)])
        asked = Questions(library)
        for hits in screens(asked.scoped(Query("local", "trees")), asked.index.papers(), count=3).values():
            assert asked.ids(hits.rows) == sorted(names)[:3]


def test_what_similar_contexts_cite(asked: Questions) -> None:
    """A sentence is compared without the title around it: with one, the same sentences are near."""
    alone = asked.scoped(Query("local", "Photographs")).contexts_near
    titled = asked.scoped(Query("local", "Photographs", title="Horses of everything")).contexts_near
    assert asked.ids(alone.rows)[int(np.argmax(alone.cosines))] == "meant"
    assert (titled.rows.tolist(), titled.cosines.tolist()) == (alone.rows.tolist(), alone.cosines.tolist())


def test_known_papers_are_members_too(asked: Questions) -> None:
    """What a draft cites and what its bracket holds are known alike, each once."""
    scoped = asked.scoped(Query("set", "chart", known_ids=("own", "text"), member_ids=("text", "linked")))
    assert sorted(asked.ids(scoped.known)) == ["linked", "own", "text"]
    assert scoped.known.tolist() == sorted(scoped.known.tolist())


# Numbers about a few papers ---------------------------------------------------------------------------------


def test_relative() -> None:
    """The best is 1; where nothing is positive, all are 0."""
    assert relative(np.array([1, 4, 0], np.float32)).tolist() == [0.25, 1, 0]
    assert relative(np.zeros(2, np.float32)).tolist() == [0, 0]
    assert relative(np.zeros(0, np.float32)).shape == (0,)


def test_sparse() -> None:
    """Papers without a number have 0, in whatever order they are asked for."""
    some = Sparse(np.array([2, 5, 9]), np.array([1, 2, 3], np.float32))
    assert some.at(np.array([9, 0, 5, 10, 2])).tolist() == [3, 0, 2, 0, 1]
    assert Sparse(np.zeros(0, np.int64), np.zeros(0, np.float32)).at(np.array([1, 2])).tolist() == [0, 0]


def test_union() -> None:
    """Each once, ascending."""
    assert union(np.array([3, 1]), np.array([2, 3]), np.zeros(0, np.int64)).tolist() == [1, 2, 3]
    assert union().tolist() == []


def test_best(asked: Questions) -> None:
    """The largest first, equal ones by id, at most so many."""
    rows = asked.index.rows(["text", "own", "linked", "meaning"])
    hits = best(asked.index, rows, np.array([1, 2, 1, 0], np.float32), 3)
    assert (asked.ids(hits.rows), hits.scores.tolist()) == (["own", "linked", "text"], [2, 1, 1])


def test_closeness_to_what_the_draft_cites_counts_in_both_screens() -> None:
    """Of two papers that nothing else tells apart, each screen keeps the one that is cited together with the
    known papers, though its id is the later one."""
    rows, nobody = np.array([1, 2]), Sparse(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32))
    near = Sparse(np.array([2]), np.ones(1, dtype=np.float32))
    zeros = np.zeros(2, dtype=np.float32)
    asked: Any = SimpleNamespace(
        relative=lambda field, rows, terms=None: zeros.copy(),
        neighbours=Neighbours(cocited=near, coupled=nobody, linked=nobody),
        history=History(written=nobody, cited=nobody),
        feedback_terms={},
        view=SimpleNamespace(facts=lambda rows: SimpleNamespace(author_citations=zeros)),
        index=SimpleNamespace(id_ranks=lambda rows: rows),
    )
    found = {name: hits.rows.tolist() for name, hits in screens(asked, rows, 1).items()}
    assert found == {"own words": [2], "citing sentences": [2]}
