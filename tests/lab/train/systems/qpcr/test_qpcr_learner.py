"""QPCR in training: the loss of a batch, what is drawn near a query, validation, the plan."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

for needed in ("torch", "transformers"):
    pytest.importorskip(needed, reason="needs the extra lab")

import torch  # noqa: E402
from small_collection import HIDDEN, SHOWN, lines, paper, write  # noqa: E402
from torch import Tensor, nn  # noqa: E402

from citewhy.base.errors import InputError  # noqa: E402
from citewhy.base.records import Paper, Query  # noqa: E402
from citewhy.search.encode.texts import paper_text  # noqa: E402
from citewhy_lab.experiments.paragraphs import SCALES  # noqa: E402
from citewhy_lab.train.collection import Collection  # noqa: E402
from citewhy_lab.train.loop import History, Learner, Plan  # noqa: E402
from citewhy_lab.train.systems.qpcr import recipe  # noqa: E402
from citewhy_lab.train.systems.qpcr import recipe as learners  # noqa: E402
from citewhy_lab.train.systems.qpcr.encoder import by_characters, paragraph_text, whole_text  # noqa: E402
from citewhy_lab.train.systems.qpcr.network import LastLayers  # noqa: E402
from citewhy_lab.train.systems.qpcr.recipe import (  # noqa: E402  # noqa: E402
    Example,
    PublishedLearner,
    QpcrLearner,
    Quadruplet,
    Validation,
    fit,
    train_qpcr,
    validated,
)
from citewhy_lab.train.systems.qpcr.recipe import examples as examples_in  # noqa: E402
from citewhy_lab.train.systems.qpcr.settings import RECIPE, QpcrInputs, QpcrSettings, Variant  # noqa: E402

MARGIN = 0.8


def silent(_what: str, _share: float | None) -> None:
    """A `Progress` that does nothing."""


class Fixed(LastLayers):
    """In place of a network: `given` vectors of texts, and for other texts one that depends on the text."""

    def __init__(self, given: Mapping[str, Sequence[float]] | None = None) -> None:
        nn.Module.__init__(self)
        self.layers = nn.ModuleList([nn.Linear(1, 1)])
        self.cut = by_characters
        self.given = dict(given or {})

    def vector(self, text: str) -> Tensor:
        if text in self.given:
            return torch.tensor(self.given[text])
        return torch.randn(3, generator=torch.Generator().manual_seed(zlib.crc32(text.encode())))

    def forward(self, texts: Sequence[str], kind: str) -> Tensor:
        return torch.stack([self.vector(text) for text in texts])

    encode = forward


PAPERS = {f"p{n}": Paper(f"p{n}", f"Title {n}", "An abstract.", year=2000 + n % 10) for n in range(60)}


def examples(count: int = 5) -> list[Example]:
    """Each cites three papers, and has pools of four others."""
    made = []
    for n in range(count):
        query = Query("paragraph", f"Topic {n}.", f"Paper {n}", "We do.", year=2005, id=f"q{n}")
        cited = tuple(f"p{n * 3 + k}" for k in range(3))
        pools = tuple(tuple(f"p{20 + pool * 12 + (n + k) % 12}" for k in range(4)) for pool in range(3))
        made.append(Example(query, cited, pools, frozenset(cited)))
    return made


def learner(variant: Variant = "qpcr", **changes: Any) -> Any:
    settings = replace(QpcrSettings(variant=variant, margin=MARGIN, paragraphs=9), **changes)
    kind = PublishedLearner if settings.as_published else QpcrLearner
    return kind(Fixed(), examples(), Validation([], PAPERS, []), PAPERS, sorted(PAPERS), settings)


def distance(one: Tensor, other: Tensor) -> float:
    return math.dist(one.tolist(), other.tolist())


def by_formula(variant: Variant, query: Tensor, each: Quadruplet, network: Fixed) -> float:
    one, two, far = (
        network.vector(paper_text(PAPERS[name])) for name in (each.first, each.second, each.negative)
    )
    near = max(0.0, distance(query, one) - distance(query, far) + MARGIN)
    if variant != "qpcr":
        return near
    second = max(0.0, distance(query, two) - distance(query, far) + MARGIN)
    between = distance(one, two)
    apart = [max(0.0, between - distance(positive, far) + MARGIN) for positive in (one, two)]
    return near + second + sum(apart)


@pytest.mark.parametrize("variant", ["qpcr", "tri", "aclrw"])
def test_the_loss_of_a_batch(variant: Variant) -> None:
    """Quadruplets: four terms each; triplets: the first positive alone. Whole papers are asked for without
    the topic sentence."""
    made, network = learner(variant), Fixed()
    form = whole_text if variant == "aclrw" else paragraph_text
    values = [
        by_formula(variant, network.vector(form(example.query)), each, network)
        for example, drawn in zip(examples(), made._drawn, strict=True)
        for each in drawn
    ]
    assert len(values) == 50
    assert made.loss(0).item() == pytest.approx(sum(values) / len(values), rel=1e-5)


def test_every_paragraph_once_an_epoch() -> None:
    """Five paragraphs, two in a step: three batches, all paragraphs; the next epoch has another order."""
    made = learner(paragraphs=2)
    assert made.batches == 3
    first, second = (
        [text for batch in range(3) for text in made._batch(epoch * 3 + batch).queries] for epoch in (0, 1)
    )
    assert sorted(first) == sorted(second) == sorted(paragraph_text(each.query) for each in examples())
    assert first != second


def test_the_nearest_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    """All ten negatives are the ten papers that the network ranks first, of those that are not cited and not
    newer than the paragraph."""
    monkeypatch.setattr(learners, "NEAREST", 10)
    network = Fixed()
    for example, drawn in zip(examples(), learner(nearest=10)._drawn, strict=True):
        query = network.vector(paragraph_text(example.query))
        allowed = [name for name, each in PAPERS.items() if (each.year or 0) <= 2005]
        ranked = sorted(
            (name for name in allowed if name not in example.positives),
            key=lambda name: -float(query @ network.vector(paper_text(PAPERS[name]))),
        )
        assert {each.negative for each in drawn} == set(ranked[:10])


def test_instances_are_drawn_anew_for_each_epoch() -> None:
    """Five paragraphs with three cited papers have 150 quadruplets, in five steps of 32 but the last, the
    paragraphs of a citing paper together; the next epoch has others, and so has another seed, while the same
    has the same."""
    made = learner(as_published=True)
    assert made.batches == 5
    first = [made._batch(batch) for batch in range(5)]
    assert [len(batch.query) for batch in first] == [32, 32, 32, 32, 22]
    assert sum(len(batch.queries) for batch in first) <= 5 + 4
    epochs = [made._instances(epoch) for epoch in (0, 1)]
    assert [len(epoch) for epoch in epochs] == [150, 150]
    assert set(epochs[0]) != set(epochs[1])
    assert learner(as_published=True)._instances(0) == epochs[0]
    assert learner(as_published=True, seed=8)._instances(0) != epochs[0]
    assert learner("tri", as_published=True)._instances(0)[0][1].first in {f"p{n}" for n in range(15)}


def test_the_loss_as_published() -> None:
    """The mean over the 32 instances of a step, which is what eight gradients of four add up to."""
    made, network = learner(as_published=True), Fixed()
    values = [
        by_formula("qpcr", network.vector(paragraph_text(examples()[number].query)), each, network)
        for number, each in made._instances(0)[:32]
    ]
    assert made.loss(0).item() == pytest.approx(sum(values) / 32, rel=1e-5)


def test_single_citations_alone_as_published() -> None:
    """They make no quadruplet: what to do is said."""
    alone = [replace(example, positives=example.positives[:1]) for example in examples()]
    settings = QpcrSettings(as_published=True)
    with pytest.raises(InputError, match="no paragraph cites two papers"):
        PublishedLearner(Fixed(), alone, Validation([], PAPERS, []), PAPERS, sorted(PAPERS), settings)


def test_settings_of_the_source() -> None:
    """Section 4: five epochs, the last two layers, AdamW with β₁ .99 and β₂ .999, weight decay .01, 10⁻⁵ with
    a rise over a tenth of the steps, margin .5, [CLS], 512 tokens; as the experiment has it, without early
    stopping, and what the paper leaves open as in its authors' code."""
    settings = SCALES["source"].settings
    assert (settings.epochs, settings.layers, settings.patience, settings.nearest) == (5, 2, 0, 0)
    assert (settings.margin, settings.learning_rate, settings.warm_up) == (0.5, 1e-5, 0.1)
    assert (settings.pooling, settings.unscaled, settings.tokens) == ("cls", True, 512)
    assert settings.as_published
    assert RECIPE.presets["source"] == settings
    assert QpcrSettings().patience == 2
    (optimizer,) = learner().optimizers
    found = optimizer.defaults
    assert (found["lr"], found["betas"], found["weight_decay"]) == (1e-5, (0.99, 0.999), 0.01)
    assert isinstance(optimizer, torch.optim.AdamW)


def test_the_plan_of_a_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four epochs of five steps: validated after each, ended by patience; the rate rises over two steps, and
    is half of its peak after ten."""
    plans: list[Plan] = []

    def caught(_learner: Learner, plan: Plan, *_more: object) -> History:
        plans.append(plan)
        return History([1.0] * plan.steps)

    monkeypatch.setattr(recipe, "train_network", caught)
    collection = Collection(write(tmp_path, [paper("p0")]))
    settings = QpcrSettings(epochs=4, patience=3, paragraphs=1, clip=0.7)
    collection.papers.update(PAPERS)
    fit(Fixed(), collection, examples(), Validation(examples(), PAPERS, sorted(PAPERS)), settings, silent)
    (plan,) = plans
    assert (plan.steps, plan.validate_every, plan.patience, plan.clip) == (20, 5, 3, 0.7)
    assert plan.rate is not None
    assert [plan.rate(step) for step in (0, 10)] == pytest.approx([5e-6, 5e-6])
    published = replace(settings, as_published=True)
    fit(Fixed(), collection, examples(), Validation(examples(), PAPERS, sorted(PAPERS)), published, silent)
    assert plans[1].clip is None
    assert plans[1].rate is not None  # 20 steps, two of which rise: as in the authors' code
    assert [plans[1].rate(step) for step in (0, 1, 2, 11)] == pytest.approx([0, 5e-6, 1e-5, 5e-6])


def test_the_own_paper_is_no_candidate() -> None:
    """The paper that a paragraph is from is nearest to it, and is not ranked: the cited paper is first."""
    papers = {name: Paper(name, name) for name in ("cited", "own", "far")}
    query = Query("paragraph", "Topic.", "T", id="q", citing_id="own")
    vectors = {"cited": [1.0, 0.0], "own": [2.0, 0.0], "far": [0.0, 1.0], paragraph_text(query): [1.0, 0.0]}
    held = [Example(query, ("cited",), ((), (), ()), frozenset({"cited", "own"}))]
    assert Validation(held, papers, sorted(papers)).r_precision(Fixed(vectors)) == 1


def small(folder: Path) -> Path:
    """A paragraph cites a paper and one of two that are held out; one is newer, one is without abstract."""
    rows = [paper(each, 2000, "Text.") for each in (*SHOWN[:6], *HIDDEN[:2])]
    rows += [paper("newer", 2009, "Text."), paper("bare", 2000)]
    row = {
        "query_id": "q0",
        "paper": "q",
        "year": 2004,
        "title": "Ours",
        "topic_sentence": "It is old.",
        "cited_ids": [SHOWN[0], HIDDEN[0]],
        "related_ids": [SHOWN[1]],
    }
    (folder / "rows.jsonl").write_bytes(lines([row]))
    return write(folder, rows, citations=[(SHOWN[1], SHOWN[2])])


def test_what_validation_ranks(tmp_path: Path) -> None:
    """Relevant papers, what else their papers cite, and so many others: with an abstract, not newer than the
    paragraphs, and not held out."""
    collection = Collection(small(tmp_path))
    held = examples_in([tmp_path / "rows.jsonl"], collection)
    few, all_ = (validated(collection, held, QpcrSettings(pool=pool)).pool for pool in (0, 99))
    assert set(few) == {SHOWN[0], SHOWN[1], HIDDEN[0]}
    assert set(all_) == {*SHOWN[:6], HIDDEN[0]}


@pytest.mark.parametrize(("variant", "positives"), [("qpcr", SHOWN[:1]), ("aclrw", SHOWN[:2])])
def test_what_is_learned_from(
    variant: Variant, positives: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Held-out papers are no positives; for ``aclrw`` a paper has all that its related work cites as one."""

    class TaughtError(Exception):
        pass

    def caught(_network: object, _collection: object, taught: list[Example], *_more: object) -> None:
        raise TaughtError(*taught)

    monkeypatch.setattr(recipe, "fit", caught)
    monkeypatch.setattr(recipe, "TextModel", lambda *_given, **_how: None)
    monkeypatch.setattr(recipe, "LastLayers", lambda *_given, **_how: Fixed())
    monkeypatch.setattr(recipe, "marked_tokenizer", lambda *_given: None)
    monkeypatch.setattr(recipe, "start_sha256", lambda _folder: "")
    files = (small(tmp_path) / "rows.jsonl",)
    with pytest.raises(TaughtError) as raised:
        train_qpcr(
            QpcrInputs(tmp_path, files, files, tmp_path),
            QpcrSettings(variant=variant),
            tmp_path / "out",
            silent,
        )
    (example,) = raised.value.args
    assert example.positives == tuple(sorted(positives))
