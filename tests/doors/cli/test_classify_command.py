"""`citewhy classify`: what a trained classifier says of sentences."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner

from citewhy.base.assets import encoder_folder
from citewhy.base.errors import CiteWhyError, QueryError, WrongKindError
from citewhy.doors.cli import cli
from citewhy.models import write_model
from citewhy.ranking.classify.features import Features


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Says "ours" of sentences with the word "we", "other" of all others: e² : 1 and 1 : 1."""
    document = {
        "labels": ["ours", "other"],
        "features": Features(words={"text": 1}, weighting="binary").document(),
        "vocabulary": ["text:we"],
        "buckets": 0,
        "idf": None,
        "scaling": {"slope": 1.0, "shift": [0.0, 0.0]},
        "encoder": None,
        "weights": [[2.0, 0.0]],
        "bias": [0.0, 0.0],
    }
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "classifier.json").write_bytes(orjson.dumps(document))
    write_model(folder, "classifier", "linear", "who speaks", {})
    return folder


def run(*arguments: object) -> str:
    done = CliRunner().invoke(cli, ["classify", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def test_a_sentence(model: Path) -> None:
    """Its label, and the probability of every label: e² / (e² + 1) = .881."""
    assert run("--text", "We show it.", "--model", model) == "ours, 88% sure\n   We show it.\n\n"
    answer = orjson.loads(run("--text", "We show it.", "--model", model, "--json"))
    (sentence,) = answer["sentences"]
    assert (answer["classifier"], answer["labels"], answer["draft"]) == (
        "who speaks",
        ["ours", "other"],
        None,
    )
    assert sentence.pop("probabilities") == pytest.approx({"ours": 0.8808, "other": 0.1192}, abs=1e-4)
    nowhere = dict.fromkeys(("file", "line", "start", "end"))
    assert sentence == {"text": "We show it.", "label": "ours", **nowhere}


def test_without_a_model() -> None:
    """The built-in classifier says why the sentence cites."""
    told = run("--text", "We use the toolkit of Koehn (2007).")
    assert told.split(",")[0] in ("background", "method", "result")


def test_a_draft(model: Path, tmp_path: Path) -> None:
    """Each sentence with its file and line; an encoder that the classifier does not need is no error."""
    draft = tmp_path / "draft.md"
    draft.write_text("We show it [@a].\n\nThey saw it.\n", encoding="utf-8")
    shown = run(draft, "--model", model, "--encoder", encoder_folder())
    assert shown.startswith(f"{draft}:1  ours, 88% sure\n   We show it.\n\n{draft}:3  o")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["--model", "MODEL"], QueryError, "give either a DRAFT or --text"),
        (["a.md", "--text", "b", "--model", "MODEL"], QueryError, "give either a DRAFT or --text"),
        (["--text", " ", "--model", "MODEL"], QueryError, "the text is empty"),
        (["--text", "a", "--model", encoder_folder()], WrongKindError, "expected a classifier"),
    ],
)
def test_what_cannot_be_asked(
    model: Path, arguments: list[object], error: type[CiteWhyError], message: str
) -> None:
    """One sentence says what is wrong."""
    given = [str(model if argument == "MODEL" else argument) for argument in arguments]
    raised = CliRunner().invoke(cli, ["classify", *given]).exception
    assert isinstance(raised, error)
    assert message in str(raised)
