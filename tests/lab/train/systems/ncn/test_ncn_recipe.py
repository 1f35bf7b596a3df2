"""NCN from end to end, on ten topics."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

for needed in ("torch", "safetensors"):
    pytest.importorskip(needed, reason="needs the extra lab")

from small_field import DATA, PAPERS, TOPICS, context, silent  # noqa: E402

from citewhy.base.artifact import read_manifest  # noqa: E402
from citewhy.base.errors import InputError  # noqa: E402
from citewhy.base.records import Paper, Query  # noqa: E402
from citewhy.models import open_model  # noqa: E402
from citewhy.ranking.rank.reranker import RerankRequest  # noqa: E402
from citewhy_lab.train.recipe import run  # noqa: E402
from citewhy_lab.train.systems.ncn.network import (  # noqa: E402
    Contexts,
    NcnReranker,
    Reader,
)
from citewhy_lab.train.systems.ncn.recipe import train_ncn  # noqa: E402
from citewhy_lab.train.systems.ncn.settings import RECIPE, NcnSettings, NcnShape  # noqa: E402

TWICE = dataclasses.replace(DATA, train=[context(topic, number) for number in (0, 2) for topic in TOPICS])
"""Two sentences a topic: what occurs once in the sentences is unknown."""


def brief(epochs: int = 12, regime: str = "standard") -> NcnSettings:
    return NcnSettings(
        shape=NcnShape(word=16, state=16, filters=16, author=8),
        regime=regime,  # type: ignore[arg-type]
        epochs=epochs,
        batches=10,
        pairs=20,
        learning_rate=0.01,
        dropout=0.0,
        validate_every=epochs // 2,
        held_out=False,
        seed=3,
    )


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("ncn") / "model"
    train_ncn(TWICE, brief(), out, silent)
    return out


def opened(folder: Path) -> NcnReranker:
    found = open_model(folder, "reranker")
    assert isinstance(found, NcnReranker)
    return found


def test_it_learns_ten_titles(trained: Path) -> None:
    """The title of the paper that a sentence of training cites is the most probable of all."""
    reranker = opened(trained)
    candidates = [paper for paper in PAPERS if paper.year != 2005]
    nobody = [np.zeros(0, dtype=np.int16)] * len(candidates)
    best = []
    for each in TWICE.train:
        scores = reranker.scores(RerankRequest(Query("local", each.text, year=2005), candidates, nobody))
        assert scores.max() <= 0
        best.append(candidates[int(scores.argmax())].id)
    assert best == [each.cited_ids[0] for each in TWICE.train]


def test_what_is_written(trained: Path) -> None:
    """The folder says what it learned from, and keeps the weights of the best validation; a weight for the
    first stage was chosen."""
    manifest = read_manifest(trained)
    facts = manifest["facts"]
    assert [manifest[key] for key in ("kind", "reader", "name")] == ["reranker", "ncn", "NCN"]
    assert (facts["data"]["pairs"], facts["data"]["missed"], facts["data"]["newest"]) == (20, 2, 2005)
    assert [each["epoch"] for each in facts["validations"]] == [6, 12]
    assert [each["pipeline"] for each in facts["weights"]] == ["bm25"]
    assert opened(trained).first_stage_weight == facts["weights"][0]["weight"]
    with pytest.raises(InputError, match="it already exists"):
        run(RECIPE, DATA, brief(), trained, silent)


def test_reasons_of_a_title(trained: Path) -> None:
    """The mean probability of a word of the title, and its most probable words."""
    query = Query("local", DATA.train[0].text, year=2005)
    request = RerankRequest(query, PAPERS[:1], [np.zeros(0, dtype=np.int16)])
    (reason,) = opened(trained).reasons(request, 0)
    assert reason.text.startswith("after the sentence, a word of the title has probability ")
    assert "“parsing”" in reason.text


def test_the_strict_regime(tmp_path: Path) -> None:
    """It learns from eighteen of twenty pairs, and cannot learn without a first stage that finds anything."""
    made = train_ncn(TWICE, brief(epochs=2, regime="strict"), tmp_path / "strict", silent).facts
    assert (made["data"]["pairs"], made["data"]["missed"]) == (18, 2)
    none = dataclasses.replace(TWICE, first_stage=lambda _query: [])
    with pytest.raises(InputError, match="no context can be learned from"):
        train_ncn(none, brief(regime="strict"), tmp_path / "none", silent)


def test_what_is_read() -> None:
    """Words around the marker, which is left out as others are; names that occur once are unknown; a title
    without words is one unknown word."""
    shape = NcnShape(word=2, state=2, filters=2, context_tokens=4, widths=(1,), title_tokens=2, authors=2)
    papers = [
        Paper("a", "Trees of words", authors=("Ann Lee", "Bo Kim", "Cy Ray")),
        Paper("b", "Words of trees"),
    ]
    queries = [
        Query("local", "one two three TARGETCIT four five six OTHERCIT"),
        Query("local", "two three four five"),
    ]
    reader = Reader.of(papers, queries, shape)
    names = ["", *reader.words.names]
    (row,) = reader.contexts(queries[:1]).words.tolist()
    assert [names[number] for number in row] == ["two", "three", "four", "five"]
    assert sorted(reader.titles.names) == ["of", "trees", "words"]
    assert reader.authors.names == []
    titles = reader.candidates([*papers, Paper("c", "")], reader.contexts(queries).words[0])
    assert titles.words.shape == (3, 2)
    assert titles.words[2].tolist() == [0, -1]
    assert titles.authors.tolist() == [[0, 0], [-1, -1], [-1, -1]]
    assert isinstance(reader.contexts(queries), Contexts)
