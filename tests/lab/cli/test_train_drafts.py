"""`citewhy train drafts`: from a few drafts and a small library to a ranker that answers."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import orjson
import pytest
from click.testing import CliRunner, Result
from small_drafts import PARAGRAPH, WORDS, authors_of, write_drafts
from small_library import context, make, paper, unsynced

from citewhy.base.assets import ranker_folder
from citewhy.base.errors import InputError
from citewhy.base.records import Query
from citewhy.doors.cli import cli
from citewhy.models import open_model
from citewhy.papers.formats import Record
from citewhy.ranking.model_set import ModelSet
from citewhy.ranking.rank.linear_trees import LinearTrees
from citewhy.ranking.recommender import Recommender
from citewhy_lab.train.systems.ranker import last_step

AUTHORS = authors_of("ranker", 4)


def write_library(folder: Path) -> tuple[Path, Path]:
    """A library with citing sentences, and a file that asks for what they cite."""
    records: list[Record] = [
        *(paper(word, f"A study of {word}", year=2001) for word in WORDS),
        paper("writes", "Writes", year=2005),
        context("said", "writes", "oaks", "Of oaks TARGETCIT.", 2005),
        paper("bank", "OakNet: a Bank", year=2002),
        paper("user", "Users", "We grow all of our trees in OakNet.", year=2004),
    ]
    with unsynced(), make(folder / "library", records):
        pass
    row = {"citing_id": "asks", "text": "Much about firs TARGETCIT .", "cited_ids": ["firs"]}
    rows = [row | {"context_id": f"q{year}", "citing_year": year} for year in (2003, 2006)]
    questions = folder / "contexts.jsonl"
    questions.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return folder / "library", questions


def train(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["train", "drafts", *map(str, arguments)], catch_exceptions=True)


def test_a_ranker_is_made(tmp_path: Path) -> None:
    """What was asked is told by world, once however often training runs; the rest of the ranker is as it
    was."""
    pytest.importorskip("lightgbm", reason="trees are grown where LightGBM is installed")
    manifest = write_drafts(tmp_path / "documents", [*AUTHORS, *authors_of("encoder", 1)], [PARAGRAPH])
    library, questions = write_library(tmp_path)
    built = tmp_path / "paragraphs.jsonl"
    row = {
        "query_id": "p",
        "paper": "asks",
        "topic_sentence": "Firs and oaks are many.",
        "cited_ids": ["firs"],
    }
    built.write_bytes(orjson.dumps(row))
    given = [manifest, "--documents", tmp_path / "documents", "--quiet", "--after", 2003]
    given += ["--sentences", library, questions, "--paragraphs", library, built]
    small = {**last_step.TREES, "min_data_in_leaf": 2}
    with unsynced(), mock.patch.multiple(last_step, ROUNDS=4, TREES=small, SMALL_TREES=small):
        first = train(*given, "--out", tmp_path / "ranker")
        assert first.exception is None, first.exception
        with (
            mock.patch.object(last_step, "draft_questions", side_effect=AssertionError),
            mock.patch.object(last_step, "draft_paragraphs", side_effect=AssertionError),
        ):
            (tmp_path / "ranker").rename(tmp_path / "first")
            again = train(*given, "--out", tmp_path / "ranker")
    worlds = [line.partition("  R@10")[0].rstrip() for line in first.output.splitlines()[:-1]]
    assert worlds[:3] == ["contexts.jsonl", "drafts", "drafts, less evidence"]
    assert worlds[3].startswith("library, name ")
    assert again.output == first.output
    model, base = open_model(tmp_path / "ranker", "ranker"), open_model(ranker_folder(), "ranker")
    assert isinstance(model, LinearTrees)
    assert isinstance(base, LinearTrees)
    assert model.weights == base.weights
    assert model.last_step is not None
    assert len(model.last_step.forests["last/draft"].values) == 4
    making = orjson.loads((tmp_path / "ranker/manifest.json").read_bytes())["facts"]["last_step"]
    assert making["paragraphs"] == 3  # one of a draft, with and without the draft, and one of the file
    with make(tmp_path / "small", [paper("oaks", "A study of oaks"), paper("elms", "Elms")]) as small_library:
        assert Recommender(small_library, models=ModelSet(ranker=model)).rank(
            Query("local", "oaks"), 1
        ).ids == ["oaks"]


def test_a_draft_that_is_not_there(tmp_path: Path) -> None:
    """The file that is missing is named."""
    pytest.importorskip("lightgbm", reason="trees are grown where LightGBM is installed")
    manifest = write_drafts(tmp_path / "documents", AUTHORS)
    found = train(manifest, "--documents", tmp_path, "--out", tmp_path / "ranker", "--quiet").exception
    assert isinstance(found, InputError)
    assert f"{AUTHORS[0]}+thesis is not there" in str(found)
    assert not (tmp_path / "ranker").exists()
