"""Trials of rerankers: what is trained, judged, remembered, and said of it."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from math import inf, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from local_folder import make_folder
from tiny_onnx import tiny_onnx

from citewhy.base.config import CACHE_VARIABLE
from citewhy.base.errors import MissingExtraError
from citewhy.base.progress import Progress
from citewhy.ranking.rank.reranker import RerankRequest
from citewhy.search.index.fields import BM25
from citewhy_lab import experiments
from citewhy_lab.experiments import Setup, experiment, reranking
from citewhy_lab.experiments.bench import Bench, open_bench, sample
from citewhy_lab.experiments.reranking import SCALES, SEEDS, JudgedRanks, RerankerLab, Trial
from citewhy_lab.train.recipe import Trained
from citewhy_lab.train.reranking.data import RerankingData
from citewhy_lab.train.systems.ncn.settings import NcnSettings
from citewhy_lab.train.systems.textbib.recipe import train_textbib
from citewhy_lab.train.systems.textbib.settings import TextBibSettings

if TYPE_CHECKING:
    from citewhy_lab.train.recipe import DeviceName

SMALL = Setup(scale="small", seed=3)


def quiet(_what: str, _share: float | None) -> None:
    pass


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    return make_folder(tmp_path / "toyset")


@pytest.fixture
def bench(folder: Path) -> Iterator[Bench]:
    with open_bench([folder], quiet) as opened:
        yield opened


def test_the_library_is_made_once(folder: Path) -> None:
    """The second time, the library of the same files is opened; other files have another one."""
    with open_bench([folder], quiet) as first:
        assert first.pool == 18
        made = first.library.folder
    with open_bench([folder], quiet) as second:
        assert second.library.folder == made
    (folder / "train.json").write_text((folder / "train.json").read_text() + "\n")
    with open_bench([folder], quiet) as third:
        assert third.library.folder != made


def test_asked_contexts_are_no_evidence(bench: Bench) -> None:
    """The library has the contexts of training alone."""
    known = {context.id for _, context in bench.library.numbered_contexts()}
    assert known == {context.id for context in bench.data.train}


def test_a_trial(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A network is trained for each seed, asked every test context, and judged in three ways; after an
    interruption it goes on; what was judged is remembered, and nothing else is left."""
    pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    monkeypatch.setattr(reranking, "SEEDS", 2)
    small = SCALES["small"]
    brief = dataclasses.replace(small, settings=dataclasses.replace(small.settings, epochs=1, batches=2))
    monkeypatch.setitem(SCALES, "small", brief)
    trial = Trial(window=10)

    def interrupt(what: str, _share: float | None) -> None:
        if "test contexts" in what:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        RerankerLab(bench, SMALL, interrupt).runs(trial)
    trained: list[int] = []

    def counting(
        data: RerankingData, settings: TextBibSettings, out: Path, progress: Progress, device: DeviceName
    ) -> Trained:
        trained.append(settings.seed)
        return train_textbib(data, settings, out, progress, device)

    monkeypatch.setattr(reranking, "train_textbib", counting)
    found = RerankerLab(bench, SMALL, quiet).runs(trial)
    assert trained == [4]  # the model of the first seed, 3, was there already
    assert len(found) == 2
    papers = sum(len(context.cited_ids) for context in bench.data.test)
    for judged in found:
        assert len(judged.counted) == len(judged.solved) == len(judged.inserted) == papers
        assert all(1 <= place <= bench.pool for place in judged.inserted)
    kept = sorted((bench.library.folder / "trials").iterdir())
    assert [path.suffix for path in kept] == [".npz", ".npz"]

    def never(*_: object) -> None:
        raise AssertionError("trained again")

    monkeypatch.setattr(reranking, "train_textbib", never)
    assert RerankerLab(bench, SMALL, quiet).runs(trial) == found
    with pytest.raises(AssertionError, match="trained again"):
        RerankerLab(bench, dataclasses.replace(SMALL, seed=9), quiet).runs(trial)


def test_what_is_remembered_depends_on_the_drawn_contexts(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second training of an experiment with seed 3 and the first of one with seed 4 have the same seed;
    their judgements are the same only if the same contexts were drawn."""

    def key(most: int | None, setup_seed: int) -> str:
        monkeypatch.setitem(SCALES, "small", dataclasses.replace(SCALES["small"], asked=most))
        return RerankerLab(bench, Setup(scale="small", seed=setup_seed), quiet).named(Trial(), 4)

    drawn = [[each.id for each in sample(bench.data.test, 3, seed)] for seed in (3, 4)]
    assert drawn[0] != drawn[1]
    assert key(3, 3) != key(3, 4)
    assert key(None, 3) == key(None, 4)


def test_what_a_remembered_trial_depends_on(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On the seed, every part of the trial, the settings, the contexts, the encoder, the content of a file of
    word vectors, the parameters of BM25, and the code."""

    def lab(**options: Any) -> RerankerLab:
        return RerankerLab(bench, dataclasses.replace(SMALL, **options), quiet)

    vectors = tmp_path / "vectors.txt"
    vectors.write_text("parser 1 0\n")
    (tmp_path / "tiny").mkdir()
    trials = [
        Trial("TEXTENH"),
        Trial(prefilter="dense"),
        Trial(regime="strict"),
        Trial(negatives="cited"),
        Trial(window=10),
        Trial(enough=("neighbours", 10)),
    ]
    keys = [lab().named(Trial(), 3), lab().named(Trial(), 4), *(lab().named(each, 3) for each in trials)]
    keys.append(lab(encoder=tiny_onnx(tmp_path / "tiny")).named(Trial(), 3))
    keys.append(lab(vectors=vectors).named(Trial(), 3))
    vectors.write_text("parser 0 1\n")
    keys.append(lab(vectors=vectors).named(Trial(), 3))
    others = [lab() for _ in range(4)]
    others[0].train = others[0].train[1:]
    others[1].test = others[1].test[1:]
    others[2].scale = dataclasses.replace(
        lab().scale, settings=dataclasses.replace(lab().scale.settings, margin=0.5)
    )
    others[3].__dict__["_bm25"] = BM25(k1=9.0, b=0.5)
    keys += [each.named(Trial(), 3) for each in others]
    monkeypatch.setattr(reranking, "code_digest", lambda *_: "other code")
    keys.append(lab().named(Trial(), 3))
    assert len(set(keys)) == len(keys)


def test_candidates_are_those_of_their_context(bench: Bench) -> None:
    """What is cached for one context, or one first stage, is not given to another."""
    lab = RerankerLab(bench, SMALL, quiet)
    for stage in (lab.stage("BM25"), lab.stage("dense")):
        for question in bench.questions(lab.test):
            wanted = stage.best(question.query, question.rows, 5).tolist()
            assert lab._candidates_of(stage, question.query, 5).tolist() == wanted


def test_the_order_of_a_first_stage(bench: Bench) -> None:
    """Counted, each cited paper has its own place, or is missed; inserted, a missed one comes last."""
    lab = RerankerLab(bench, SMALL, quiet)
    lab.scale = dataclasses.replace(lab.scale, settings=dataclasses.replace(lab.scale.settings, depth=2))
    others = [*lab.test[4:], *lab.test[:4]]
    lab.test = [
        dataclasses.replace(each, cited_ids=other.cited_ids)
        for each, other in zip(lab.test, others, strict=True)
    ]
    found = lab.order("BM25")
    stage = lab.stage("BM25")
    places = [
        (best.index(row) + 1.0 if row in best else inf)
        for question in bench.questions(lab.test)
        for best in [stage.best(question.query, question.rows, 2).tolist()]
        for row in question.answers
    ]
    assert list(found.counted) == places
    assert inf in places
    assert {found.inserted[at] for at, place in enumerate(places) if place == inf} == {3.0}
    asked = len(places)
    assert lab.solved("BM25")[1] == asked - places.count(inf)


def test_missed_papers(bench: Bench) -> None:
    """A reranker that prefers what the first stage missed: counted it is missed, inserted it is first."""

    class Contrary:
        name, depth, kinds = "contrary", 3, frozenset({"local"})

        def scores(self, request: RerankRequest) -> object:
            import numpy as np

            return np.arange(len(request.papers), dtype=np.float32)

    lab = RerankerLab(bench, SMALL, quiet)
    lab.scale = dataclasses.replace(lab.scale, settings=dataclasses.replace(lab.scale.settings, depth=3))
    stage = lab.stage("BM25")
    (question, *_) = bench.questions(bench.data.test)
    best = stage.best(question.query, question.rows, 3).tolist()
    others = [row for row in lab.papers if row not in best]
    asked = dataclasses.replace(question, answers=(others[0], -1))
    found = lab.ranks(Contrary(), stage, asked)  # type: ignore[arg-type]
    assert [(counted, inserted) for counted, _, inserted in found] == [(inf, 1.0), (inf, inf)]


def judged_by(trial: Trial) -> JudgedRanks:
    """Enhanced networks find the right paper first, others second; strict ones find one more."""
    place = 1.0 if "ENH" in trial.variant else 2.0
    other = 5.0 if trial.regime == "strict" or trial.negatives == "cited" else 20.0
    return JudgedRanks((place, other, inf), (place, other, nan), (place, other, 3.0))


def without_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials come out as `judged_by` says."""
    monkeypatch.setattr(experiments, "check_modules", lambda *_: None)
    monkeypatch.setattr(RerankerLab, "run", lambda _self, trial, _seed: judged_by(trial))
    monkeypatch.setattr(RerankerLab, "order", lambda _self, _prefilter: judged_by(Trial("TEXTCON")))


def test_without_torch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be trained is said before anything is read."""
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(reranking, "open_bench", lambda *_: pytest.fail("the data was read"))
    with pytest.raises(MissingExtraError, match=r"citewhy\[lab\]"):
        experiment("lcr-regimes").run([folder], SMALL, quiet)


@pytest.mark.parametrize("name", ["lcr-enhancement", "lcr-regimes", "lcr-negatives"])
def test_pages(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Every table comes in three ways of counting, each by its name; findings have the numbers of the tables;
    the page and the JSON can be written."""
    without_training(monkeypatch)
    result = experiment(name).run([folder], SMALL, quiet)
    page = result.markdown(name)
    for way in ("counted", "solved", "inserted"):
        assert (
            sum(table.title.endswith(way) for table in result.tables)
            == ({"lcr-enhancement": 2, "lcr-regimes": 1, "lcr-negatives": 3}[name])
        )
    assert f"of {SEEDS} trainings" in page
    assert "Scale small" in page
    said = {
        "lcr-enhancement": "change RR, counted, by +.167 (",
        "lcr-regimes": "judged where the first stage solved: +.500 (",
        "lcr-negatives": "highest: cited .600, against random +.075 (",
    }
    assert said[name] in page
    assert (
        len(result.document(name)["trials"])
        == {"lcr-enhancement": 14, "lcr-regimes": 8, "lcr-negatives": 51}[name]
    )
    assert result.json(name).startswith("{")


def test_context_sizes_of_the_source(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Table 4.2 compares 600 with 200 characters on both sides; tables 5.4 to 5.6 have 200."""
    read: dict[str, set[int | None]] = {}
    for name in ("lcr-enhancement", "lcr-regimes", "lcr-negatives"):
        asked: set[int | None] = set()

        def judged(
            _lab: RerankerLab, trial: Trial, _seed: int, asked: set[int | None] = asked
        ) -> JudgedRanks:
            asked.add(trial.window)
            return judged_by(trial)

        without_training(monkeypatch)
        monkeypatch.setattr(RerankerLab, "run", judged)
        experiment(name).run([folder], Setup(scale="source", seed=3), quiet)
        read[name] = asked
    assert read == {"lcr-enhancement": {600, 200}, "lcr-regimes": {200}, "lcr-negatives": {200}}


def test_tests_of_significance(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R@10 does not differ (p = 1); RR does by (1 - 1/2) / 3, but for three papers that may be chance."""
    pytest.importorskip("scipy")
    without_training(monkeypatch)
    result = experiment("lcr-enhancement").run([folder], SMALL, quiet)
    (table,) = (table for table in result.tables if table.title == "Is it by chance?")
    row = next(row for row in table.rows if row[0] == "TEXTENH against TEXTCON, whole contexts, counted")
    assert row[1:5] == [0.0, 0.0, 0.0, 1.0]
    assert row[5] == pytest.approx(1 / 6)
    assert float(row[6] or 0) < 0 < float(row[7] or 0)
    assert 0.05 < float(row[8] or 0) < 1


def test_the_first_stage_and_the_size_of_contexts_are_tested(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every variant against BM25, whose order puts the papers at 2, 20 and nowhere. Enhanced networks find
    the first of three papers first on short contexts, and second on whole ones, where they gain nothing: RR
    rises by (1 - 1/2) / 3 more on short ones."""
    pytest.importorskip("scipy")
    without_training(monkeypatch)

    def judged(_lab: RerankerLab, trial: Trial, _seed: int) -> JudgedRanks:
        return judged_by(trial if trial.window else dataclasses.replace(trial, variant="TEXTCON"))

    monkeypatch.setattr(RerankerLab, "run", judged)
    table = experiment("lcr-enhancement").run([folder], SMALL, quiet).tables[-1]
    rows = {row[0]: row for row in table.rows}
    short = "40 characters on both sides"
    assert rows[f"TEXTENH against BM25 alone, {short}, counted"][5] == pytest.approx(1 / 6)
    assert rows["TEXTENH against BM25 alone, whole contexts, counted"][5] == 0
    assert rows[f"TEXTBIBENH-S against TEXTBIBCON-S, {short} against whole contexts, counted"][5] == (
        pytest.approx(1 / 6)
    )
    assert f"Of {2 * len(rows)} tests" in table.notes[0]


def test_hard_negatives_alone_and_regimes_are_tested(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With hard and easy negatives of cited papers a paper is at place 5 instead of 20, and so in the strict
    regime: of two judged papers, that is 1/2 in R@10."""
    pytest.importorskip("scipy")
    without_training(monkeypatch)
    tables = experiment("lcr-negatives").run([folder], SMALL, quiet).tables
    (table,) = (table for table in tables if table.title == "Is it by chance?")
    rows = {row[0]: row for row in table.rows}
    assert rows["standard, BM25, TEXTENH, cited (only), against cited"][1] == -0.5
    assert rows["standard, BM25, TEXTENH, neighbours (only), against neighbours"][1] == 0
    assert rows["dense, TEXTBIBENH-WS, random, strict against standard"][1] == 0.5
    assert rows["dense, TEXTBIBENH-WS, cited, strict against standard"][1] == 0


def test_prefilter(folder: Path) -> None:
    """All tables and the figure, on a toy; the settings that are best are said."""
    result = experiment("lcr-prefilter").run([folder], SMALL, quiet)
    assert [table.title.split(":")[0] for table in result.tables] == [
        "Table 5.1",
        "Table 5.2",
        "Table 5.3",
        "Is it by chance?",
    ]
    assert all(f">{row[0]}</text>" in result.plots["recall"] for row in result.tables[2].rows)
    assert "BM25 is asked best with context, k1 = 0.5, b = 0" in result.summary[0]
    assert result.json("lcr-prefilter").startswith("{")


def test_an_encoder_from_a_folder(folder: Path, tmp_path: Path) -> None:
    """Given an encoder, the tables have it and, beside it, the built-in one, with their difference."""
    (tmp_path / "tiny").mkdir()
    setup = dataclasses.replace(SMALL, encoder=tiny_onnx(tmp_path / "tiny"))
    _, inputs, stages, chance = experiment("lcr-prefilter").run([folder], setup, quiet).tables
    assert inputs.notes[0].startswith("Encoder: tiny.")
    *_, given, own = [str(row[0]) for row in stages.rows]
    assert given.startswith("dense, ")
    assert own == f"{given}, built-in encoder"
    assert f"{given} against {own}, R@10" in [row[0] for row in chance.rows]


def test_what_a_trial_trains(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the full scale, what the source trained: 100 epochs of 100 batches of 300 triplets, ten a pair, over
    all papers and training contexts, with held-out papers, and the trial's own variant, regime, negatives and
    seed. At the small one, a sample of the contexts and the papers that they are about."""
    trial = Trial("TEXTENH", "BM25", "strict", "cited=4,easy=6")

    class AskedError(Exception):
        """For a training, which would take days."""

    def refuse(data: RerankingData, settings: TextBibSettings, *_: object) -> dict[str, Any]:
        raise AskedError(data, settings)

    def asked(scale: Any) -> tuple[RerankingData, TextBibSettings]:
        with pytest.raises(AskedError) as training:
            RerankerLab(bench, Setup(scale=scale, seed=3), quiet).runs(trial)
        data, settings = training.value.args
        return data, settings

    monkeypatch.setattr(reranking, "train_textbib", refuse)
    data, settings = asked("full")
    assert (settings.epochs, settings.batches, settings.pairs, settings.negatives.count) == (100, 100, 30, 10)
    assert (settings.depth, settings.validate_every, settings.held_out) == (1000, 5, False)
    assert (settings.shape.variant, settings.regime, str(settings.negatives)) == (
        "TEXTENH",
        "strict",
        "cited=4,easy=6",
    )
    assert settings.seed == 3
    assert len(data.papers) == len(bench.data.papers)
    assert list(data.train) == list(bench.data.train)
    monkeypatch.setitem(SCALES, "small", dataclasses.replace(SCALES["small"], taught=2))
    small, brief = asked("small")
    assert len(small.train) == 2 < len(data.train)
    assert brief.epochs * brief.batches < 1000
    cited = {paper for context in small.train for paper in context.cited_ids}
    assert cited <= {paper.id for paper in small.papers}


def test_the_baseline_of_table_4_2(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """NCN is trained with settings of its own, on the same contexts; what is remembered of it depends on
    them."""

    class AskedError(Exception):
        """For a training that is not run."""

    def refuse(data: RerankingData, settings: NcnSettings, *_: object) -> dict[str, Any]:
        raise AskedError(data, settings)

    monkeypatch.setattr(reranking, "train_ncn", refuse)
    lab = RerankerLab(bench, SMALL, quiet)
    with pytest.raises(AskedError) as training:
        lab.runs(Trial("NCN"))
    data, settings = training.value.args
    assert isinstance(settings, NcnSettings)
    assert (settings.seed, settings.regime, settings.held_out) == (3, "standard", False)
    assert list(data.train) == lab.train
    before = lab.named(Trial("NCN"), 3), lab.named(Trial(), 3)
    longer = dataclasses.replace(lab.scale.ncn, epochs=99)
    lab.scale = dataclasses.replace(lab.scale, ncn=longer)
    assert lab.named(Trial("NCN"), 3) != before[0]
    assert lab.named(Trial(), 3) == before[1]
