"""`citewhy find`, and the exports of `citewhy suggest`, as someone at a terminal meets them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from small_library import make_toy, unsynced


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    with unsynced(), make_toy(folder, Path(__file__).parents[2] / "toy") as made:
        return made.folder


def run(library: Path, *arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "citewhy", *arguments, "--library", str(library)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_a_key(library: Path) -> None:
    """The paper that it names, alone, within 80 columns."""
    code, out, err = run(library, "find", "och2003minimum")
    assert (code, err) == (0, "")
    assert "Minimum Error Rate Training" in out
    assert "id P03-1021" in out
    assert out.count("id ") == 1
    assert max(map(len, out.splitlines())) <= 80


def test_words(library: Path) -> None:
    """Several arguments are one text; -k papers at most."""
    code, out, _ = run(library, "find", "statistical", "machine", "translation", "-k", "2")
    assert code == 0
    assert "    2  " in out
    assert "    3  " not in out


def test_formats(library: Path) -> None:
    """Each prints the papers and nothing else."""
    assert run(library, "find", "P02-1040", "--bibtex")[1].startswith("@inproceedings{P02-1040,\n")
    assert run(library, "find", "P02-1040", "--ris")[1].startswith("TY  - CPAPER\nID  - P02-1040\n")
    assert [paper["id"] for paper in json.loads(run(library, "find", "P02-1040", "--csl")[1])] == ["P02-1040"]
    answer = json.loads(run(library, "find", "P02-1040", "--json")[1])
    assert answer["resolution"] == {"text": "P02-1040", "kind": "id", "ids": ["P02-1040"], "certain": True}
    assert [paper["id"] for paper in answer["papers"]] == ["P02-1040"]


def test_nothing(library: Path) -> None:
    """A line on standard error, an exit code, and a document without papers. The words of a DOI are not
    looked for."""
    assert run(library, "find", "zebras") == (1, "", "nothing in the library fits 'zebras'\n")
    for text, why in (
        ("10.9999/none", "no paper in the library has the DOI 10.9999/none"),
        ("10.1086/999999", "no paper in the library has the DOI 10.1086/999999"),
        ("10.9999/koehn2003", "no paper in the library has the DOI 10.9999/koehn2003"),
        ("arXiv:1999.12345", "no paper in the library has the arXiv number arXiv:1999.12345"),
    ):
        assert run(library, "find", text) == (1, "", f"{why}\n")
    code, out, _ = run(library, "find", "zebras", "--json")
    assert (code, json.loads(out)["papers"]) == (1, [])


def test_suggestions_as_bibtex(library: Path, tmp_path: Path) -> None:
    """The suggested papers under their keys, each once, without those that the bibliography has."""
    draft = tmp_path / "draft.md"
    draft.write_text(
        "Weights are tuned [@och2003minimum].\n\nWeights are tuned again [@?].\n", encoding="utf-8"
    )
    code, out, _ = run(library, "suggest", str(draft), "-k", "1", "--bibtex", "--pipeline", "bm25")
    assert code == 0
    assert out.startswith("@inproceedings{och2003minimum,\n")
    assert out.count("@") == 1
    code, out, err = run(library, "suggest", str(draft), "--bibtex", "--json")
    assert (code, out) == (2, "")
    assert "--bibtex prints nothing else; omit --json" in err


def test_one_form_of_papers_at_a_time(library: Path) -> None:
    """None of two is silently chosen."""
    code, out, err = run(library, "find", "och", "--bibtex", "--ris")
    assert (code, out) == (2, "")
    assert "--bibtex prints nothing else; omit --ris" in err


def test_passages_of_a_key(library: Path) -> None:
    """`passages` takes what `find` takes."""
    code, out, _ = run(library, "passages", "papineni2002bleu", "--text", "BLEU compares n-grams.")
    assert code == 0
    assert "id P02-1040" in out


def test_papers_like_one(library: Path) -> None:
    """The first reason of each paper counts the contexts with the aspect; the paper itself is not listed."""
    code, out, _ = run(library, "find", "--like", "P03-1021", "--aspect", "method", "-k", "3", "--json")
    assert code == 0
    document = json.loads(out)
    assert (document["like"], document["aspect"]) == ("P03-1021", "method")
    papers = document["suggestions"]
    assert len(papers) == 3
    assert "P03-1021" not in [paper["id"] for paper in papers]
    for paper in papers:
        kind, text = paper["reasons"][0]["kind"], paper["reasons"][0]["text"]
        assert kind == "intent"
        assert "cited as a method" in text


def test_papers_like_one_in_all(library: Path) -> None:
    """Without an aspect, what is suggested for the whole paper, and not the paper itself."""
    code, out, _ = run(library, "find", "--like", "P03-1021", "-k", "2", "--json")
    document = json.loads(out)
    assert (code, document["aspect"], len(document["suggestions"])) == (0, None, 2)
    assert "P03-1021" not in [paper["id"] for paper in document["suggestions"]]


def test_a_misspelt_text(library: Path) -> None:
    """A sentence says what was looked for, on standard error where entries are printed; so does a field."""
    code, out, err = run(library, "find", "Papinenni 2002")
    assert (code, err) == (0, "")
    assert out.startswith("Showing results for “Papineni 2002”.\n")
    assert "id P02-1040" in out
    code, out, err = run(library, "find", "Papinenni 2002", "--bibtex")
    assert (code, err) == (0, "Showing results for “Papineni 2002”.\n")
    assert out.startswith("@inproceedings{P02-1040,")
    document = json.loads(run(library, "find", "Papinenni 2002", "--json")[1])
    assert (document["text"], document["corrected"]) == ("Papinenni 2002", "Papineni 2002")
    assert json.loads(run(library, "find", "Papineni 2002", "--json")[1])["corrected"] == ""


def test_how_many_fit(library: Path) -> None:
    """Those that fit are counted, not those that are shown."""
    document = json.loads(run(library, "find", "machine translation", "-k", "50", "--json")[1])
    fitting = document["fitting"]
    assert fitting > 2
    out = run(library, "find", "machine translation", "-k", "1")[1]
    assert out.startswith(f"{fitting} papers fit equally; the first 1:\n")


def test_options_that_do_not_fit(library: Path) -> None:
    """--aspect belongs to --like, which replaces the text."""
    for arguments, problem in (
        (["--aspect", "method", "BLEU"], "--aspect is for --like; name the paper"),
        (["BLEU", "--like", "P03-1021", "--aspect", "method"], "give either a TEXT or --like"),
        ([], "give either a TEXT or --like"),
        (["BLEU", "--as-of", "2003"], "--as-of and --encoder are for --like"),
    ):
        code, _, err = run(library, "find", *arguments)
        assert code == 2
        assert problem in err
