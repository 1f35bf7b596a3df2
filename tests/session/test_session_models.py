"""Models of other packages behind a session: each is asked, from Python and on the command line."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner
from small_library import make_toy, unsynced

from citewhy.base.assets import encoder_folder
from citewhy.base.errors import QueryError, WrongKindError
from citewhy.base.records import SentenceInContext
from citewhy.doors.cli import cli
from citewhy.ranking.rank.reranker import ChosenWeight
from citewhy.search.encode import default_encoder
from citewhy.session.session import Session

CONTRACTS = Path(__file__).parents[1] / "contracts"

TEXT = "Translations are scored by n-grams."


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """A folder of every kind, whose readers a toy package brings."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(CONTRACTS)
        from model_makers import made

        parent = tmp_path_factory.mktemp("models")
        kinds = ("encoder", "first-stage", "reranker", "ranker", "linker", "classifier")
        yield {kind: made(f"{kind}/toy", parent) for kind in kinds}


@pytest.fixture(scope="module")
def library(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    with unsynced(), make_toy(tmp_path_factory.mktemp("toy"), toy) as made:
        return made.folder


def test_every_model_is_asked(models: dict[str, Path], library: Path) -> None:
    """The encoder makes the vectors, the ranker's chance is the best paper's probability, the linker scores
    the passages, the first stage finds papers."""
    ranker, linker = models["ranker"], models["linker"]
    with Session(library, encoder=models["encoder"], ranker=ranker, linker=linker) as session:
        assert session.suggest(TEXT)[0].probability == 0.25
        assert session.models.encoder is not None
        assert (library / "vectors" / f"papers-{session.models.encoder.fingerprint}").is_dir()
        shared = session.passages("P02-1040", "the n-grams of a reference", 1).passages[0]
        assert shared.score == int(shared.score) > 0
    with Session(library, pipeline="bm25", first_stages=[models["first-stage"]]) as session:
        found = {
            each.paper.id: {reason.kind for reason in each.reasons} for each in session.suggest(TEXT, 13)
        }
        assert "first-stage" in found["J93-2004"]


def test_rerankers(models: dict[str, Path], library: Path) -> None:
    """One answers sentences and paragraphs; whole papers are as without it; two of one kind are refused."""
    reranker = models["reranker"]
    with (
        Session(library, pipeline="bm25", rerankers=[reranker]) as session,
        Session(library, pipeline="bm25") as plain,
    ):
        for kind in ("local", "paragraph"):
            (best, *_) = session.suggest(TEXT, kind=kind)
            assert best.reasons[0].text.startswith("shares ")
        whole = session.suggest(title=TEXT)
        assert list(whole) == list(plain.suggest(title=TEXT))
        assert whole.remarks[0].endswith(" ranks no whole papers: their order is that without it")
        assert not any("ranks no" in remark for remark in session.suggest(TEXT, kind="paragraph").remarks)
    with (
        Session(library, pipeline="bm25", rerankers=[reranker, reranker]) as session,
        pytest.raises(QueryError, match="both rerank"),
    ):
        session.suggest(TEXT)


def test_classifiers(models: dict[str, Path], library: Path) -> None:
    """A folder is opened once; the label, and the probability of each."""
    with Session(library) as session:
        sentence = SentenceInContext(" ".join(["word"] * 15))
        short, long = session.classify(models["classifier"], ["Short.", sentence])
        assert (short.label, long.label) == ("short", "long")
        assert long.probabilities == {"short": 0.25, "long": 0.75}
        assert session.classifier(models["classifier"]) is session.classifier(models["classifier"])


def test_probabilities_belong_to_an_encoder(models: dict[str, Path], library: Path) -> None:
    """With another encoder than that for which the ranker was fitted, none is shown, and a remark says why;
    with a ranker that knows no encoder, or the one that was fitted, they are. What counts is the pipeline of
    the question, not that of the session."""
    with Session(library, encoder=models["encoder"]) as other:
        answer = other.suggest(TEXT, threshold=0.0)
        assert answer
        assert [suggestion.probability for suggestion in answer] == [None] * len(answer)
        assert "were fitted with another encoder than" in answer.remarks[0]
        draft = other.advise({"draft.md": "Translations are scored by n-grams [@].\n"}, threshold=0.0)
        assert [suggestion.probability for suggestion in draft[0].suggestions] == [None] * len(
            draft[0].suggestions
        )
        assert draft.remarks == answer.remarks
        assert other.suggest(TEXT, pipeline="bm25").remarks == ()
    with Session(library, pipeline="bm25", encoder=models["encoder"]) as by_words:
        draft = by_words.advise({"draft.md": "Translations are scored by n-grams [@].\n"}, pipeline="full")
        for answered in (by_words.suggest(TEXT, threshold=0.0, pipeline="full"), draft):
            assert answered.remarks == answer.remarks
        assert by_words.suggest(TEXT, threshold=0.0, pipeline="full").suggestions == answer.suggestions
        assert {suggestion.probability for suggestion in draft[0].suggestions} == {None}
    for fields in ({"encoder": models["encoder"], "ranker": models["ranker"]}, {"encoder": encoder_folder()}):
        with Session(library, **fields) as fitted:  # type: ignore[arg-type]
            answer = fitted.suggest(TEXT, threshold=0.0)
            assert answer[0].probability is not None
            assert answer.remarks == ()


def test_the_weight_of_a_reranker_belongs_to_a_pipeline(
    models: dict[str, Path], library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question in another pipeline than the session's has the weight, and the remark, of its own."""
    from toy_models import ToyReranker

    chosen = (ChosenWeight("bm25", 0.5, 0.5, 0.25), ChosenWeight("full", 2.0, 0.25, 0.5))
    monkeypatch.setattr(ToyReranker, "chosen_weights", chosen, raising=False)
    with Session(library, pipeline="bm25", rerankers=[models["reranker"]]) as session:
        assert [reranker.first_stage_weight for reranker in session.models.rerankers] == [0.5]
        assert session.suggest(TEXT).remarks == ()
        assert "no better than full alone" in session.suggest(TEXT, pipeline="full").remarks[0]


def test_models_are_released(models: dict[str, Path], library: Path) -> None:
    """Encoder, classifier and recommender leave the memory; the next query opens them again and answers the
    same."""
    with Session(library, encoder=models["encoder"], ranker=models["ranker"]) as session:
        before = session.suggest(TEXT)
        opened = [session.models.encoder, session.classifier(models["classifier"]), session.recommender()]
        references: list[weakref.ref[object]] = [weakref.ref(model) for model in opened if model is not None]
        assert len(references) == len(opened)
        del opened
        session.release()
        gc.collect()
        assert [reference() for reference in references] == [None] * 3
        assert session.suggest(TEXT) == before


def test_the_models_of_the_package_are_released(library: Path) -> None:
    """Though every session shares them."""
    with Session(library) as session:
        before = session.suggest(TEXT)
        references: list[weakref.ref[object]] = [
            weakref.ref(default_encoder()),
            weakref.ref(session.recommender()),
        ]
        session.release()
        gc.collect()
        assert [reference() for reference in references] == [None, None]
        assert session.suggest(TEXT) == before


def test_on_the_command_line(models: dict[str, Path], library: Path) -> None:
    """The same answers as in Python."""

    def run(*arguments: object) -> dict[str, Any]:
        command = ["suggest", "--text", TEXT, "--library", library, "--json", *arguments]
        done = CliRunner().invoke(cli, list(map(str, command)), catch_exceptions=False)
        found: dict[str, Any] = orjson.loads(done.stdout)
        return found

    reranker, stage = models["reranker"], models["first-stage"]
    shown = run("--encoder", models["encoder"], "--first-stage", stage, "--reranker", reranker)
    with Session(library, encoder=models["encoder"], first_stages=[stage], rerankers=[reranker]) as session:
        assert [each["id"] for each in shown["suggestions"]] == [
            each.paper.id for each in session.suggest(TEXT)
        ]
    assert shown["suggestions"] != run("--encoder", models["encoder"])["suggestions"]


def test_a_model_of_another_kind(models: dict[str, Path], library: Path) -> None:
    """It is refused when the session is opened, by what it is and what it should be."""
    with pytest.raises(WrongKindError, match=r"this is a linker .*, expected a first stage"):
        Session(library, first_stages=[models["linker"]])
    with pytest.raises(QueryError, match="--first-stage-weight needs a reranker"):
        Session(library, first_stage_weight=0.5)
