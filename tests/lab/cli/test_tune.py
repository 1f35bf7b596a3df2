"""`citewhy tune`: what it needs, what it says, and where what it fitted is seen."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner, Result
from small_library import make, paper, unsynced

from citewhy.base.errors import QueryError
from citewhy.doors.cli import cli
from citewhy.ranking.rank.calibration import Calibration
from citewhy.ranking.rank.model import default_model
from citewhy.ranking.rank.tuning import FILE_NAME, Tuning, write_tuning

WORDS = ("oaks", "elms", "firs", "pines", "birches", "willows", "maples", "cedars")
VERBS = ("saw", "count", "grow", "draw", "name")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tuned") / "library"
    papers = [
        paper(word, f"A study of {word}", year=2001, authors=(f"Ann {word.title()}",)) for word in WORDS
    ]
    with unsynced(), make(folder, papers):
        pass
    return folder


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    """Forty places."""
    entries = (
        f"@article{{{word}, title={{A study of {word}}}, author={{Ann {word.title()}}}, year={{2001}}}}"
        for word in WORDS
    )
    (tmp_path / "refs.bib").write_text("\n".join(entries))
    body = "\n\n".join(f"We {verb} {word} first \\cite{{{word}}}." for verb in VERBS for word in WORDS)
    draft = tmp_path / "thesis.tex"
    draft.write_text(
        f"\\documentclass{{article}}\\title{{Trees}}\\date{{2010}}\\begin{{document}}\n{body}\n"
        "\\bibliography{refs}\\end{document}\n"
    )
    return draft


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)))


def test_it_is_fitted_and_judged(library: Path, draft: Path) -> None:
    """Both figures of the cross-validation are told, and what is kept is what helps."""
    found = run("tune", draft, "--library", library, "--quiet")
    assert found.exception is None
    first, *rest = found.output.splitlines()
    assert first.startswith("40 citations of 1 draft; reciprocal rank in cross-validation: ")
    assert (library / FILE_NAME).exists() == rest[-1].startswith("kept in ")
    run("tune", "--forget", "--library", library)


def test_it_is_shown_and_forgotten(library: Path) -> None:
    """`info` says on what it was fitted; removing it twice is no error."""
    model = default_model().last_step
    assert model is not None
    facts = {"drafts": 2, "places": 80, "RR before": 0.4, "RR after": 0.5}
    weights = {"own-citation": 0.5, "named": 0.0}
    write_tuning(library, Tuning(model.fingerprint, weights, Calibration(1.0, 0.0), facts))
    shown = run("info", "--library", library).output
    told = "tuned        on 2 finished drafts, 80 citations: your other citations of a paper\n"
    assert f"{told}             × 1.5; probabilities\n" in shown
    document = orjson.loads(run("info", "--library", library, "--json").output)
    assert document["tuning"] == {"used": True, "weights": weights, "calibration": True, **facts}
    write_tuning(library, Tuning(model.fingerprint + 1, weights, Calibration(1.0, 0.0), facts))
    shown = " ".join(run("info", "--library", library).output.split())
    assert "for another ranker, and not used: fit again with `citewhy tune`" in shown
    assert run("tune", "--forget", "--library", library).output == "removed\n"
    assert run("tune", "--forget", "--library", library).output == "there was nothing to remove\n"
    assert "\ntuned " not in run("info", "--library", library).output


def test_too_few_places(library: Path, draft: Path) -> None:
    """A draft of a page is no evidence."""
    draft.write_text(draft.read_text().replace("\\cite{", "\\emph{", 20))
    error = run("tune", draft, "--library", library, "--quiet").exception
    assert isinstance(error, QueryError)
    assert "20 citations of papers in the library are too few to tune on" in str(error)


@pytest.mark.parametrize("arguments", [(), ("a.tex", "--forget")])
def test_drafts_or_forget(library: Path, arguments: tuple[str, ...]) -> None:
    error = run("tune", *arguments, "--library", library).exception
    assert isinstance(error, QueryError)
    assert "either finished drafts or --forget" in str(error)
