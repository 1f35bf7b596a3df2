"""Rankings: which weights a query takes, models of one's own, and first stages that have no features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_library import cites, context, make, paper, unsynced
from small_questions import Questions
from small_ranker import small_model

from citewhy.base.records import DraftEvidence, Query
from citewhy.models.trees import Forest
from citewhy.papers.formats import Record
from citewhy.ranking.rank.calibration import Calibration, RankCalibration
from citewhy.ranking.rank.fusion import reciprocal_ranks
from citewhy.ranking.rank.last_step import REGIMES, LastStep
from citewhy.ranking.rank.last_step_features import LAST_STEP_FEATURES
from citewhy.ranking.rank.linear import weights_name
from citewhy.ranking.rank.ranker import PIPELINES, Pipeline, Ranker
from citewhy.ranking.rank.tuning import Tuning
from citewhy.search.index import Hits
from citewhy.search.retrieve.first_stage import Treatment
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.search.retrieve.stages import FIRST_STAGES

RECORDS: list[Record] = [
    *(paper(f"tree{place}", f"Trees {place}", year=1990 + place) for place in range(5)),
    paper("horse", "Horses", year=1990),
    paper("writes", "Writes", year=1998),
    context("s", "writes", "tree0", "Of trees TARGETCIT."),
    *cites("writes tree1"),
]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Questions]:
    with unsynced(), make(tmp_path_factory.mktemp("asked"), RECORDS) as library:
        yield Questions(library)


@pytest.mark.parametrize(
    ("kind", "knows", "has_contexts", "year", "until", "expected"),
    [
        ("local", False, True, 2003, 2002, "local"),
        ("paragraph", False, True, None, 0, "local"),
        ("set", True, True, 2003, 2001, "local+known"),
        ("global", True, True, 2003, 2000, "global+known/old-evidence"),
        ("global", False, False, 2003, 2002, "global/no-contexts"),
        ("local", True, False, 2003, 1990, "local+known/no-contexts"),
    ],
)
def test_which_weights(
    kind: str, knows: bool, has_contexts: bool, year: int | None, until: int, expected: str
) -> None:
    """By kind, known papers and evidence: old is what ends more than two years before the query."""
    assert weights_name(kind, knows, has_contexts, year, until) == expected


def test_the_weights_of_a_query(asked: Questions) -> None:
    """The library has evidence until 1998: of 2000 and 2001 it is fresh and old, of 1998 there is none."""
    model = small_model()
    for year, name in ((2000, "local"), (2001, "local/old-evidence"), (1998, "local/no-contexts")):
        ranked = Ranker(model=model).rank(asked.scoped(Query("local", "trees", year=year)), 3)
        assert ranked.weights is model.weights[name]


def test_a_model_of_its_own(asked: Questions) -> None:
    """The order is that of the model that was given: by age, ties by id."""
    ranked = Ranker(model=small_model({"age": -1.0})).rank(asked.scoped(Query("local", "trees")), 3)
    assert asked.ids(ranked.rows) == ["writes", "tree4", "tree3"]
    probabilities = ranked.probabilities.tolist()
    assert probabilities == sorted(probabilities, reverse=True)
    assert 0 < probabilities[0] < 1


def test_reciprocal_ranks() -> None:
    """The sum of 1 / (60 + rank); equal scores share a rank, and a paper that one ranking lacks gains nothing
    there."""
    one = Hits(np.array([7, 3, 5]), np.array([9, 4, 4], np.float32))
    other = Hits(np.array([5, 8]), np.array([0.2, 0.1], np.float32))
    rows, scores = reciprocal_ranks([one, other])
    assert rows.tolist() == [3, 5, 7, 8]
    assert scores == pytest.approx([1 / 62, 1 / 62 + 1 / 61, 1 / 61, 1 / 62])
    assert [each.tolist() for each in reciprocal_ranks([])] == [[], []]


class Named:
    """A first stage without features that finds these papers, for queries about a word."""

    treatment: Treatment = "fused"

    def __init__(self, *ids: str, word: str = "trees") -> None:
        self.name = "named"
        self.ids = ids
        self.word = word

    def candidates(self, scoped: ScopedQuery) -> Hits:
        rows = scoped.index.rows(self.ids if self.word in scoped.query.text else [])
        return Hits(rows, np.arange(len(rows), 0, -1, dtype=np.float32))


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_a_stage_without_features(asked: Questions, pipeline: Pipeline) -> None:
    """What it alone finds comes into the answer; no probability is known of an order that nobody learned."""
    scoped = asked.scoped(Query("local", "trees"))
    plain = Ranker(pipeline, model=small_model()).rank(scoped, 3)
    assert "horse" not in asked.ids(plain.rows)
    fused = Ranker(pipeline, [*FIRST_STAGES, Named("horse", "tree2")], small_model()).rank(scoped, 3)
    assert "horse" in asked.ids(fused.rows)
    assert fused.scores.tolist() == sorted(fused.scores.tolist(), reverse=True)
    assert len(fused.probabilities) == 0
    assert asked.ids(fused.added["named"].rows) == ["horse", "tree2"]
    assert fused.table.shape == (3, plain.table.shape[1])


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_a_stage_that_finds_nothing(asked: Questions, pipeline: Pipeline) -> None:
    """Leaves everything as it was: order, scores and probabilities."""
    scoped = asked.scoped(Query("local", "trees"))
    plain = Ranker(pipeline, model=small_model()).rank(scoped, 5)
    added = Ranker(pipeline, [*FIRST_STAGES, Named("horse", word="zebra")], small_model()).rank(scoped, 5)
    for field in ("rows", "scores", "table", "probabilities"):
        assert getattr(added, field).tolist() == getattr(plain, field).tolist()
    assert added.added == {}


def test_added_stages_keep_the_rules(asked: Questions, tmp_path: Path) -> None:
    """What the scope forbids, no stage can add."""
    scoped = asked.scoped(Query("local", "trees", excluded_ids=("horse",), year=1992))
    ranked = Ranker("bm25", [Named("horse", "tree4", "writes")]).rank(scoped, 10)
    assert asked.ids(ranked.rows) == ["tree0", "tree1", "tree2"]
    assert ranked.added == {}


def last_step() -> LastStep:
    """A name in the sentence is worth 1, the first place in the order of the previous steps 1.5."""
    column = LAST_STEP_FEATURES.index("name_introduced")
    tree = [[column, 0.5, 1, 2, 0.0], [-1, 0.0, 0, 0, 0.0], [-1, 0.0, 0, 0, 1.0]]
    base = [
        [LAST_STEP_FEATURES.index("base_rank"), 0.7, 1, 2, 0.0],
        [-1, 0.0, 0, 0, 0.0],
        [-1, 0.0, 0, 0, 1.5],
    ]
    forest = Forest.of([tree, base])
    calibrations = dict.fromkeys(REGIMES, Calibration(1.0, 0.0))
    paragraphs = dict.fromkeys(REGIMES, RankCalibration(1.0, 0.0, 0.0))
    return LastStep(dict.fromkeys(REGIMES, forest), calibrations, paragraphs)


@pytest.mark.parametrize(
    ("year", "expected"), [(2000, 1.0), (2004, 0.75), (2012, 0.5), (1995, 0.0), (None, 1.0)]
)
def test_how_much_citing_sentences_count(asked: Questions, year: int | None, expected: float) -> None:
    """The newest citation is of 1998, as the newest paper: a question without a year is of the present."""
    _, table = Ranker(model=small_model({"text": 1.0})).last_step(
        asked.scoped(Query("local", "Trees", year=year))
    )
    assert set(table[:, LAST_STEP_FEATURES.index("contexts_share")].tolist()) == {expected}


def test_what_was_tuned_is_used(tmp_path: Path) -> None:
    """In drafts alone: names outweigh the previous steps, and probabilities follow the calibration."""
    records = [paper("net", "TreeNet: a Bank"), paper("oaks", "Oaks and firs in the wood")]
    model = replace(small_model({"text": 1.0}), last_step=last_step())
    step = last_step()
    tuning = Tuning(step.fingerprint, {"named": 2.0}, Calibration(1.0, 9.0), {})
    draft = DraftEvidence((), 0, 0, "", ())
    with unsynced(), make(tmp_path / "library", records) as library:
        asked = Questions(library)
        found = {}
        for name, ranker in (("plain", Ranker(model=model)), ("tuned", Ranker(model=model, tuning=tuning))):
            for evidence in (None, draft):
                query = Query("local", "Oaks and firs in the wood of TreeNet", draft=evidence)
                ranked = ranker.rank(asked.scoped(query), 2)
                found[name, evidence is not None] = asked.ids(ranked.rows), float(ranked.probabilities[0])
    assert found["plain", False] == found["tuned", False]
    assert found["plain", True][0] == ["oaks", "net"]
    assert found["tuned", True][0] == ["net", "oaks"]
    assert found["tuned", True][1] < 0.01 < found["plain", True][1]
