"""Fitting the set model: what is planted is learned, and evidence never counts against a paper."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hash_encoder import HashEncoder
from numpy.typing import NDArray
from small_drafts import authors_of, write_drafts

from citewhy.base.progress import silent
from citewhy.base.records import Query
from citewhy.models.trees import Forest
from citewhy.ranking.sets.features import SET_FEATURES, CitationCandidates
from citewhy.ranking.sets.model import EMPTY, STARTED
from citewhy.ranking.sets.relations import RELATIONS
from citewhy_lab.evaluate.datasets.topics import Topic
from citewhy_lab.train.drafts import Draft, read_manifest
from citewhy_lab.train.kept import kept
from citewhy_lab.train.systems.sets import recipe
from citewhy_lab.train.systems.sets.recipe import (
    FREE,
    Answered,
    Selection,
    fit_sets,
    nearly_best,
    packed,
    set_f1,
    size_error,
    states,
    unpacked,
    variants,
)
from citewhy_lab.train.systems.sets.settings import SetsInputs, SetsSettings

TOGETHER = RELATIONS.index("papers_cosine")


def answered(number: int) -> Answered:
    """12 candidates. Of two right ones, one is probable, and the other is cited together with it; every other
    place has the first one as its member, which is candidate 90 then."""
    rng = np.random.default_rng(number)
    rows = np.arange(12)
    chances = rng.uniform(0.001, 0.1, 12)
    first, second = (int(each) for each in rng.permutation(12)[:2])
    chances[first] = 0.6
    right = np.zeros(12, dtype=np.bool_)
    right[second] = True
    members: tuple[int, ...] = (90,)
    if number % 2:
        right[first], members = True, ()

    def relate(row: int) -> NDArray[np.float32]:
        table = np.zeros((12, len(RELATIONS)), dtype=np.float32)
        if row in (first, 90):
            table[second, TOGETHER] = 0.5
        if row == second:
            table[first, TOGETHER] = 0.5
        return table

    related = {row: relate(row) for row in (*rows.tolist(), 90)}
    context = dict.fromkeys(SET_FEATURES[-10:], 0.0) | {"members": float(len(members))}
    ranks = np.argsort(np.argsort(-chances))
    place = CitationCandidates(rows, chances, ranks, members, related.__getitem__, context)
    return Answered(place, right, 0, f"author {number % 7}", natural=True)


@pytest.fixture(scope="module")
def fitted() -> dict[str, Any]:
    pytest.importorskip("lightgbm", reason="trees are grown where LightGBM is installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recipe, "TREES", {**recipe.TREES, "min_data_in_leaf": 5})
        return fit_sets([answered(number) for number in range(120)], 7, silent)


def test_the_planted_pairs_are_learned(fitted: dict[str, Any]) -> None:
    """By authors that the trees have not seen: the paper that is cited with the first one belongs to it."""
    found = fitted["cross_fitted"]
    assert found[EMPTY]["set-F1"] > 0.9
    assert found[STARTED]["set-F1"] > 0.9
    assert found[EMPTY]["set-size-error"] < 0.2
    assert found[STARTED]["hit@5 sets"] > 0.9


def test_evidence_never_lowers_a_probability(fitted: dict[str, Any]) -> None:
    """Whatever feature is raised, other than those that are free to."""
    forest = Forest.of(fitted["trees"])
    table = np.concatenate([answered(number).place.table(()) for number in range(6)])
    before = forest.scores(table)
    for column, name in enumerate(SET_FEATURES):
        if name not in FREE:
            raised = table.copy()
            raised[:, column] += np.float32(0.5)
            assert (forest.scores(raised) >= before - 1e-6).all(), name


def test_free_features() -> None:
    """Those of similarity, of years, and the facts of a place; not those of co-citation."""
    assert {"member_cosine", "chosen_mean_cosine", "chosen_year", "members", "has_draft"} <= FREE
    assert {"fit", "member_papers_cosine", "chosen_sentences_cosine", "member_bibliography"}.isdisjoint(FREE)


def test_places_are_kept(tmp_path: Path) -> None:
    """What is read has the same features in every state, to the precision of the file."""
    found = [answered(number) for number in range(3)]

    def read() -> list[Answered]:
        return kept(tmp_path / "new" / "places.npz", ["toy"], lambda: found, packed, unpacked)

    read()
    for one, other in zip(found, read(), strict=True):
        assert one is not other
        for chosen in states(one, random.Random(7)):
            assert np.allclose(one.place.table(chosen), other.place.table(chosen), atol=1e-3)
        assert np.array_equal(one.right, other.right)
        assert (one.missed, one.author, one.natural) == (other.missed, other.author, other.natural)


def test_what_was_asked_otherwise_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drafts stay inside their projects unless this is asked for; places that were kept are used again by the
    same training alone, however damaged their file is."""
    manifest = write_drafts(tmp_path, authors_of("ranker", 2))
    asked: list[tuple[str, bool]] = []

    def of_draft(draft: Draft, *rest: object) -> list[Answered]:
        asked.append((draft.name, draft.follow_outside))
        return [answered(number) for number in range(50)]

    def train(*, follow_outside: bool) -> list[tuple[str, bool]]:
        asked.clear()
        inputs = SetsInputs(manifest, tmp_path, follow_outside=follow_outside)
        made = recipe.sets_document(inputs, SetsSettings(seed=7), tmp_path / "scratch", HashEncoder(), silent)
        assert made["making"]["places"] == 100
        return list(asked)

    monkeypatch.setattr(recipe, "fit_sets", lambda found, seed, progress: {"cross_fitted": len(found)})
    monkeypatch.setattr(recipe, "_of_draft", of_draft)
    names = [each.name for each in read_manifest(manifest, tmp_path)]
    assert train(follow_outside=False) == [(name, False) for name in names]
    assert train(follow_outside=False) == []
    assert train(follow_outside=True) == [(name, True) for name in names]
    (tmp_path / "scratch" / names[0] / "places.npz").write_bytes(b"PK")
    assert train(follow_outside=True) == [(names[0], True)]


def test_variants_hide_some() -> None:
    """Of three papers, two are members in one variant; a single paper has none. Members are known, and no
    longer excluded."""
    topic = Topic(Query("local", "text", known_ids=("k",), excluded_ids=("a", "x")), ("a", "b", "c"))
    found = list(variants(topic, random.Random(7)))
    assert {len(each.relevant) for each in found} >= {1}
    for each in found:
        assert each.query.kind == "set"
        assert sorted({*each.query.member_ids, *each.relevant}) == ["a", "b", "c"]
        assert set(each.query.member_ids) <= set(each.query.known_ids)
        assert set(each.query.excluded_ids).isdisjoint(each.query.member_ids)
    assert list(variants(Topic(Query("local", "text"), ("a",)), random.Random(7))) == []


def test_where_a_selection_stops() -> None:
    """Before the first gain below the threshold, but not before the least number. F1 of two right ones of
    three, when two are chosen: 2 · 2 / (2 + 3)."""
    path = Selection(np.array([0.9, 0.5, 0.2]), np.array([True, True, False]), answers=3, at_least=1)
    assert [path.size(threshold) for threshold in (0.1, 0.3, 0.6, 0.95)] == [3, 2, 1, 1]
    assert set_f1([path], 0.3) == pytest.approx(4 / 5)
    assert size_error([path], 0.3) == 1
    assert (set_f1([], 0.3), size_error([], 0.3)) == (0.0, 0.0)


def test_thresholds_that_are_equally_good() -> None:
    """Of a right paper with .7 and a wrong one with .3, the first alone is chosen with thresholds above .3
    and up to .7. Where no threshold makes a difference, the lowest and the highest of all."""
    paths = [Selection(np.array([0.7, 0.3]), np.array([True, False]), answers=1, at_least=0)]
    assert nearly_best(paths) == (0.325, 0.7)
    alike = [Selection(np.array([0.9]), np.array([True]), answers=1, at_least=1)]
    assert nearly_best(alike) == (0.05, 0.725)
