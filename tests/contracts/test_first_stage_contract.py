"""What every first stage keeps to: `citewhy.retrieve.first_stage.FirstStage`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast, get_args

import numpy as np
import pytest
from model_makers import in_threads, made, of_kind

from citewhy.index import open_index
from citewhy.index.engine import Index
from citewhy.models import open_model
from citewhy.records import Query, QueryKind
from citewhy.retrieve.first_stage import FirstStage, Treatment
from citewhy.retrieve.scoped import ScopedQuery
from citewhy.retrieve.stages import FIRST_STAGES
from citewhy.rules import QueryRows, Rules
from hash_encoder import HashEncoder
from small_library import make_toy, unsynced

BUILT_IN = {stage.name: stage for stage in FIRST_STAGES}

KINDS: tuple[QueryKind, ...] = get_args(QueryKind)


@pytest.fixture(scope="module")
def index(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with unsynced(), make_toy(tmp_path_factory.mktemp("toy"), toy) as library:
        yield open_index(library, HashEncoder())


@pytest.fixture(scope="module", params=[*BUILT_IN, *of_kind("first-stage")])
def stage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> FirstStage:
    if request.param in BUILT_IN:
        return BUILT_IN[request.param]
    return cast(
        "FirstStage", open_model(made(request.param, tmp_path_factory.mktemp("models")), "first-stage")
    )


def asked(index: Index, kind: QueryKind = "local", text: str = "n-grams of translations") -> ScopedQuery:
    """As of 2015, by a draft that cites BLEU."""
    query = Query(kind, text, "Scores", year=2015, authors=("Franz Josef Och",), known_ids=("P02-1040",))
    known = tuple(index.rows(["P02-1040"]).tolist())
    return ScopedQuery(query, QueryRows(known=known), index, Rules(), HashEncoder())


def test_what_it_is(stage: FirstStage) -> None:
    """It has a name, and says what becomes of its papers."""
    assert stage.name
    assert stage.treatment in get_args(Treatment)


@pytest.mark.parametrize("kind", KINDS)
def test_candidates(stage: FirstStage, index: Index, kind: QueryKind) -> None:
    """Papers of the index, none twice, the best first, for queries of every kind."""
    found = stage.candidates(asked(index, kind))
    assert len(found.rows) == len(found.scores) == len(set(found.rows.tolist()))
    assert all(index.knows(row) for row in found.rows.tolist())
    assert np.isfinite(found.scores).all()
    assert list(found.scores) == sorted(found.scores, reverse=True)


def test_a_query_without_words(stage: FirstStage, index: Index) -> None:
    """There may be nothing to look for."""
    query = ScopedQuery(Query("local", "of the"), QueryRows(), index, Rules(), HashEncoder())
    stage.candidates(query)


def test_threads(stage: FirstStage, index: Index) -> None:
    """Many at once are given what one alone is given."""
    texts = ["n-grams of translations", "trees of sentences", "semantic frames", "weights are tuned"]

    def work(number: int) -> list[tuple[int, float]]:
        found = stage.candidates(asked(index, KINDS[number % 4], texts[number % 3]))
        return list(zip(found.rows.tolist(), found.scores.tolist(), strict=True))

    assert in_threads(work, range(48)) == [work(number) for number in range(48)]
