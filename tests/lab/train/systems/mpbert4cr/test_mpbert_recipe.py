"""MP-BERT4CR from end to end, on ten topics."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

for needed in ("torch", "safetensors"):
    pytest.importorskip(needed, reason="needs the extra lab")

from hash_encoder import HashEncoder  # noqa: E402
from small_field import DATA, PAPERS, TOPICS, silent  # noqa: E402

from citewhy.base.artifact import read_manifest  # noqa: E402
from citewhy.base.errors import InputError, ModelError  # noqa: E402
from citewhy.base.records import FullText, Paper, Query, Sentence  # noqa: E402
from citewhy.models import open_model  # noqa: E402
from citewhy.ranking.rank.reranker import RerankRequest  # noqa: E402
from citewhy_lab.train.recipe import run  # noqa: E402
from citewhy_lab.train.sampling.co_citations import CitedTogether  # noqa: E402
from citewhy_lab.train.systems.mpbert4cr import network  # noqa: E402
from citewhy_lab.train.systems.mpbert4cr.network import MpBertReranker  # noqa: E402
from citewhy_lab.train.systems.mpbert4cr.recipe import train_mpbert4cr  # noqa: E402
from citewhy_lab.train.systems.mpbert4cr.settings import (  # noqa: E402
    RECIPE,
    MpBertSettings,
    MpBertShape,
    Objective,
    Sampled,
)
from citewhy_lab.train.systems.mpbert4cr.texts import Example, History  # noqa: E402

TEXTS = {
    f"cited-{topic}": FullText(
        f"cited-{topic}",
        tuple(Sentence(at, "1 Body", f"The {topic} of part {at} is good.") for at in (1, 2, 3)),
    )
    for topic in TOPICS
}


def brief(objective: Objective = "mpt-src-tgt", **more: int) -> MpBertSettings:
    return MpBertSettings(
        shape=MpBertShape(layers=1, size=16, heads=2, words=100, sentence=8, sentences=8),
        sampled=Sampled(2, 2, 2),
        objective=objective,
        pretraining=more.get("pretraining", 1),
        pretraining_batch=10,
        epochs=more.get("epochs", 2),
        batch=5,
        learning_rate=0.005,
        warm_up=1,
        dropout=0.0,
        held_out=False,
        seed=3,
    )


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("mpbert4cr") / "model"
    train_mpbert4cr(dataclasses.replace(DATA, full_texts=TEXTS), brief(epochs=30), out, silent)
    return out


def opened(folder: Path) -> MpBertReranker:
    found = open_model(folder, "reranker")
    assert isinstance(found, MpBertReranker)
    return found


def test_it_learns_ten_topics(trained: Path) -> None:
    """For most sentences of training, asked with title and abstract of their paper, the paper that they cite
    is the first of twenty."""
    reranker, citing = opened(trained), {paper.id: paper for paper in PAPERS}
    papers = [paper for paper in PAPERS if paper.year != 2005]
    nobody = [np.zeros(0, dtype=np.int16)] * len(papers)
    texts = [TEXTS.get(paper.id) for paper in papers]
    right = 0
    for each in DATA.train:
        own = citing[each.citing_id]
        query = Query("local", each.text, own.title, own.abstract, year=2005, citing_id=own.id, id=each.id)
        scores = reranker.scores(RerankRequest(query, papers, nobody, texts))
        assert np.abs(scores).max() <= 1 + 1e-5
        right += papers[int(scores.argmax())].id == each.cited_ids[0]
    assert right >= 8


def test_what_is_written(trained: Path) -> None:
    """The folder says what it learned from; a weight for the first stage was chosen."""
    manifest = read_manifest(trained)
    facts = manifest["facts"]
    assert [manifest[key] for key in ("kind", "reader", "name")] == ["reranker", "mpbert4cr", "MP-BERT4CR"]
    data = facts["data"]
    assert (data["pairs"], data["contexts"], data["full texts"], data["newest"]) == (10, 10, 10, 2005)
    assert len(facts["pretraining losses"]) == 1
    assert len(facts["validations"]) == 30
    assert opened(trained).first_stage_weight == facts["weights"][0]["weight"]
    with pytest.raises(InputError, match="it already exists"):
        run(RECIPE, DATA, brief(), trained, silent)


@pytest.mark.parametrize("objective", get_args(Objective))
def test_every_objective(objective: Objective, tmp_path: Path) -> None:
    """With abstracts alone, and without pre-training."""
    made = train_mpbert4cr(DATA, brief(objective, pretraining=0), tmp_path / "model", silent).facts
    assert made["settings"]["objective"] == objective
    assert len(made["losses"]) == 2
    assert made["pretraining losses"] == []


def test_a_ready_sentence_encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its vectors replace the lower level; a folder trained on another encoder than the built-in one is
    refused with what to do."""
    encoder = HashEncoder()
    data = dataclasses.replace(DATA, encoder=encoder)
    out = tmp_path / "model"
    made = train_mpbert4cr(dataclasses.replace(data, full_texts=TEXTS), brief(), out, silent).facts
    assert made["encoder"] == encoder.fingerprint
    assert made["settings"]["shape"]["inputs"] == encoder.dimensions
    monkeypatch.setattr(network, "default_encoder", lambda: encoder)
    papers = PAPERS[:3]
    request = RerankRequest(Query("local", "We parse."), papers, [np.zeros(0, dtype=np.int16)] * 3)
    reranker = opened(out)
    assert len(reranker.scores(request)) == 3
    (reason,) = reranker.reasons(request, 0)
    assert reason.text.startswith("your text and its abstract are alike as a whole: cosine ")
    untold = RerankRequest(Query("set", "We parse."), [Paper("p", "Parsing")], [np.zeros(0, dtype=np.int16)])
    (reason,) = reranker.reasons(untold, 0)
    assert reason.text.startswith("your text and its title are alike as a whole: cosine ")
    monkeypatch.undo()
    with pytest.raises(ModelError, match="reads sentence vectors of the encoder"):
        opened(out)


def test_the_same_again(tmp_path: Path) -> None:
    """The same seed gives the same losses."""
    first, second = (
        train_mpbert4cr(dataclasses.replace(DATA, full_texts=TEXTS), brief(), tmp_path / name, silent).facts
        for name in "ab"
    )
    assert first["losses"] == second["losses"]


def test_nothing_to_learn_from(tmp_path: Path) -> None:
    """Contexts whose papers are unknown are not enough."""
    data = dataclasses.replace(DATA, papers=[PAPERS[0]], train=DATA.train[1:])
    with pytest.raises(InputError, match="no context can be learned from"):
        train_mpbert4cr(data, brief(), tmp_path / "model", silent)


def test_positives_and_negatives() -> None:
    """First the other papers of the sentence, then papers cited with the target before its year, never later;
    negatives are none of them."""
    together = [CitedTogether((1, 2, 3), 2000), CitedTogether((1, 9), 2010), CitedTogether((4, 5), 2000)]
    history = History(together, [4, 5], seed=1)
    example = Example(Query("local"), 1, frozenset({1, 7}), 2005)
    for number in range(20):
        drawn = history.draw(example, 3, 2, epoch=0, number=number)
        assert drawn.positives[0] == 7
        assert set(drawn.positives[1:]) == {2, 3}
        assert set(drawn.negatives) == {4, 5}
    assert history.draw(example, 0, 2, 0, 0).positives == ()
    early = Example(Query("local"), 1, frozenset({1}), 1990)
    assert set(history.draw(early, 3, 4, 0, 0).negatives) <= {4, 5}
