"""Sentences of a draft beside the text that a library has of the papers that they cite."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner
from hash_encoder import HashEncoder
from small_library import make

from citewhy.answers.audit.claims import agreements
from citewhy.base.errors import QueryError
from citewhy.base.records import FullText, Paper, Sentence
from citewhy.doors.cli import cli
from citewhy.session.session import Session

MOSS = Paper("moss", "Moss on Walls", "Moss grows on northern walls. It needs shade.", ("Ann Lee",), 2004)
BRICK = Paper("brick", "Bricks of Old Towns", "", ("Bo Li",), 2011)
FERN = Paper("fern", "Ferns under Bridges", "Ferns like water.", ("Cy Ma",), 2012)
TEXT = FullText(
    "moss",
    tuple(Sentence(number, "body", text) for number, text in enumerate(
        ["Moss on Walls", "We counted walls.", "Northern walls have more moss than others.", "Thanks to all."]
    )),
)  # fmt: skip
BIBLIOGRAPHY = """\
@article{lee, title={Moss on Walls}, author={Ann Lee}, year=2004, journal={Walls}}
@article{li, title={Bricks of Old Towns}, author={Bo Li}, year=2011, journal={Walls}}
@article{ma, title={Ferns under Bridges}, author={Cy Ma}, year=2012, journal={Walls}}
"""
DRAFT = r"""\documentclass{article}\begin{document}
Northern walls have more moss \cite{lee}. Banks lend money to farmers at night \cite{ma}.
Bricks are red \cite{li,nobody}. Nothing is cited here.
\bibliography{refs}\end{document}
"""


class Known:
    """One full text; rare words weigh twice as much."""

    def full_text(self, paper_id: str) -> FullText | None:
        return TEXT if paper_id == "moss" else None

    def idf(self, terms: Iterable[str]) -> Mapping[str, float]:
        return {term: 2.0 if term == "moss" else 1.0 for term in terms}


def test_agreements() -> None:
    """What is said in the text agrees more than what is not; passages are of the text that is there."""
    claim = "Northern walls have more moss"
    pairs = [(claim, MOSS), (claim, FERN), (claim, BRICK), ("Banks lend money", MOSS)]
    said, other, silent, unsaid = agreements(pairs, Known(), HashEncoder())
    assert said[0] > other[0] >= 0
    assert said[0] > unsaid[0]
    assert [source for _, source, _ in (said, other, silent)] == ["full text", "abstract", "none"]
    passage = said[2]
    assert passage is not None
    assert "Northern walls have more moss" in passage.text
    assert (passage.sid, passage.last_sid) in ((1, 2), (2, 3))
    assert silent[2] is None
    assert unsaid[2] is None
    assert agreements([], Known(), HashEncoder()) == []


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    make(tmp_path / "library", [MOSS, BRICK, FERN, TEXT]).close()
    (tmp_path / "refs.bib").write_text(BIBLIOGRAPHY)
    (tmp_path / "draft.tex").write_text(DRAFT)
    return tmp_path / "draft.tex"


def test_claims_of_a_draft(draft: Path) -> None:
    """Each citation of a paper of the library, the weakest first."""
    with Session(draft.parent / "library") as session:
        audit = session.audit([draft], claims=True)
        assert session.audit([draft]).claims == ()
        with pytest.raises(QueryError, match="none of the files is a draft"):
            session.audit([draft.parent / "refs.bib"], claims=True)
        with pytest.raises(QueryError, match="texts of a library"):
            session.audit([draft], against=[draft.parent / "refs.bib"], claims=True)
    found = {claim.key: claim for claim in audit.claims}
    assert set(found) == {"lee", "li", "ma"}
    assert [claim.agreement for claim in audit.claims] == sorted(claim.agreement for claim in audit.claims)
    assert {key: claim.support for key, claim in found.items()} == {
        "lee": "found",
        "li": "absent",
        "ma": "absent",
    }
    assert found["lee"].text == "Northern walls have more moss […]."
    assert found["lee"].place.line == 2
    assert found["li"].source == "none"


def test_the_command(draft: Path) -> None:
    asked = ["audit", str(draft), "--library", str(draft.parent / "library"), "--claims"]
    answer = CliRunner().invoke(cli, asked)
    shown = " ".join(answer.output.split())
    assert "3 citations compared with the text of the cited paper: 1 found, 0 weak, 2 not in" in shown
    assert "(1 of them of papers without abstract or full text)" in shown
    assert "ma: not in what the library has: Banks lend money" in shown
    assert "wrong" not in shown
    document = json.loads(CliRunner().invoke(cli, [*asked, "--json"]).output)
    assert [claim["key"] for claim in document["claims"]][-1] == "lee"
    assert document["claims"][-1]["passage"]["sid"] in (1, 2)


def test_the_page(draft: Path) -> None:
    """The sentences to be looked at, on the page for reading; without claims, no word of them."""
    html = draft.parent / "a.html"
    asked = ["audit", str(draft), "--library", str(draft.parent / "library"), "--html", str(html)]
    CliRunner().invoke(cli, asked)
    assert "Do the papers say that?" not in html.read_text()
    CliRunner().invoke(cli, [*asked, "--claims"])
    page = html.read_text()
    assert "Do the papers say that? 1 of 3 citations" in page
    assert "Banks lend money to farmers at night […]." in page
    assert "Northern walls" not in page.partition("Do the papers say that?")[2]
