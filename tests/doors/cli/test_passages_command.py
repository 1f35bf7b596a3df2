"""`citewhy passages`, as someone at a terminal meets it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from small_library import make_toy, unsynced

TUNING = "Weights are tuned on a development set."

PASSAGE = {"text", "section", "sid", "last_sid", "facet", "credits", "before", "after", "score"}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    with unsynced(), make_toy(folder, Path(__file__).parents[2] / "toy") as made:
        return made.folder


def run(library: Path, *arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "citewhy", "passages", *arguments, "--library", str(library)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_full_text(library: Path) -> None:
    """The passage, its section and number, within 80 columns."""
    code, out, err = run(library, "P02-1040", "--text", "BLEU compares n-grams with a reference.")
    assert (code, err) == (0, "")
    assert "from its full text:" in out
    assert "sentence" in out
    assert max(map(len, out.splitlines())) <= 80


def test_for_programs(library: Path) -> None:
    """One document with the source and all fields of each passage, at most -k, the best first."""
    code, out, err = run(library, "P02-1040", "--text", "n-grams of a reference", "-k", "2", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert (answer["id"], answer["source"]) == ("P02-1040", "full text")
    assert 1 <= len(answer["passages"]) <= 2
    for passage in answer["passages"]:
        assert passage.keys() == PASSAGE
    scores = [passage["score"] for passage in answer["passages"]]
    assert scores == sorted(scores, reverse=True)


def test_only_an_abstract(library: Path) -> None:
    """It is said that there is no full text; the abstract answers."""
    code, out, _ = run(library, "J93-2003", "--text", "Five models of translation have parameters.")
    assert code == 0
    assert "no full text of it; from its abstract:" in out


def test_an_unknown_id(library: Path) -> None:
    """One line that names ids which are spelt nearly so."""
    code, out, err = run(library, "P02-104", "--text", TUNING)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "P02-1040" in err
    code, _, err = run(library, "no such paper at all", "--text", TUNING)
    assert code == 2
    assert "look for it with: citewhy find" in err


@pytest.mark.parametrize(
    "paper",
    ["P02-1040", "papineni2002bleu", "BLEU: a Method for Automatic Evaluation of Machine Translation"],
)
def test_whatever_names_one_paper(library: Path, paper: str) -> None:
    """An id, a citation key, a title: as for `citewhy find`."""
    code, out, _ = run(library, paper, "--text", "n-grams of a reference", "--json")
    assert (code, json.loads(out)["id"]) == (0, "P02-1040")


def test_nothing_asked(library: Path) -> None:
    """An empty text is no question."""
    assert run(library, "P02-1040", "--text", "  ")[0] == 2


def test_no_common_word(library: Path) -> None:
    """Nothing is made up where no sentence shares a word."""
    code, out, _ = run(library, "P02-1040", "--text", "Xylophone.")
    assert code == 0
    assert "No sentence of its full text shares a word" in out
