"""The recipe of the classifier of sentences that need a citation."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from citewhy.base.progress import silent
from citewhy.ranking.classify import open_classifier
from citewhy_lab.evaluate.datasets.held_out import held_out
from citewhy_lab.train.systems.needs import recipe
from citewhy_lab.train.systems.needs.recipe import LABELS, examples_of, train_needs
from citewhy_lab.train.systems.needs.settings import NeedsInputs, NeedsSettings

CITING = "Earlier studies of parser {n} have been published for years (Lee, 1999)."
PLAIN = "The module {n} of this system reads the words from left to right."


def texts(folder: Path, papers: int = 30) -> Path:
    """Full texts: one sentence in three cites."""
    rows = [
        {
            "id": f"P{paper}",
            "sentences": [
                {"sid": n, "section": "One", "text": (PLAIN if n % 3 else CITING).format(n=n)}
                for n in range(18)
            ],
        }
        for paper in range(papers)
    ]
    path = folder / "texts.jsonl"
    path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return path


def test_held_out_papers_teach_nothing(tmp_path: Path) -> None:
    groups = {
        each.group for each in examples_of(NeedsInputs((texts(tmp_path),)), NeedsSettings(seed=7), silent)
    }
    assert groups == {f"P{n}" for n in range(30) if not held_out(f"P{n}")}


def test_some_papers_are_read_without_neighbours(tmp_path: Path) -> None:
    """Of each paper all sentences or none know the sentences around them, which cite in one form."""
    known: dict[str, set[bool]] = defaultdict(set)
    for each in examples_of(NeedsInputs((texts(tmp_path, 60),)), NeedsSettings(seed=7), silent):
        around = each.sentence.previous + each.sentence.next
        known[each.group].add(bool(around))
        assert (each.sentence.surroundings is None) == (not around)
        assert "Lee" not in around
    assert {frozenset(each) for each in known.values()} == {frozenset({True}), frozenset({False})}
    bare = sum(each == {False} for each in known.values())
    assert 0.1 < bare / len(known) < 0.4


def test_the_folder_tells_claims_from_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trained folder opens as any classifier."""
    pytest.importorskip("sklearn")
    pytest.importorskip("lightgbm")
    small = recipe.settings_of

    def settings(seed: int) -> object:
        return replace(small(seed), least=2, folds=2, penalties=(1e-4,))

    monkeypatch.setattr(recipe, "settings_of", settings)
    facts = train_needs(
        NeedsInputs((texts(tmp_path),)), NeedsSettings(seed=7), tmp_path / "model", silent
    ).facts
    assert facts["labels"].keys() == set(LABELS)
    classifier = open_classifier(tmp_path / "model")
    sentences = [
        each.sentence
        for each in examples_of(NeedsInputs((texts(tmp_path, 1),)), NeedsSettings(seed=7), silent)
    ]
    assert set(classifier.predict(sentences)) <= set(LABELS)
