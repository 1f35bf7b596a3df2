"""Runs in memory and as TREC files."""

from __future__ import annotations

import contextlib
import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewhy.base.errors import CiteWhyError, InputError
from citewhy.base.records import Candidate
from citewhy_lab.evaluate.runs import Ranking, read_trec, trec


def ranking(*pairs: tuple[str, float]) -> Ranking:
    return Ranking.of(Candidate(paper, score) for paper, score in pairs)


def test_order_is_kept() -> None:
    """A ranking holds ids and scores in the ranker's order."""
    made = ranking(("B", 2.0), ("A", 1.0), ("C", 1.0))
    assert made.paper_ids == ("B", "A", "C")
    assert list(made.scores) == [2.0, 1.0, 1.0]
    assert len(made) == 3


@pytest.mark.parametrize(
    ("pairs", "problem"),
    [
        ([("A", 2.0), ("A", 1.0)], "A was ranked twice"),
        ([("A", 1.0), ("B", 2.0)], r"B \(2.0\) stands below A \(1.0\)"),
        ([("B", 1.0), ("A", 1.0)], "A .* stands below B"),
        ([("A", float("nan"))], "the score of A is not a number"),
    ],
)
def test_broken_contract(pairs: list[tuple[str, float]], problem: str) -> None:
    """A paper twice, a rising score, a tie out of order of ids and a score that is no number are refused."""
    with pytest.raises(ValueError, match=problem):
        ranking(*pairs)


def test_trec_form(tmp_path: Path) -> None:
    """A run is written with six columns, ranks from 1, true scores, and no spaces inside ids."""
    path = tmp_path / "my.run"
    path.write_bytes(trec({"q 1": ranking(("A", 0.1), ("B", 0.1)), "empty": ranking()}, tag="full"))
    assert path.read_text() == "q%201 Q0 A 1 0.1 full\nq%201 Q0 B 2 0.1 full\n"


identifiers = st.text(min_size=1, max_size=8).filter(lambda text: text.isprintable() or text.isspace())
scores = st.floats(allow_nan=False)


@settings(max_examples=60)
@given(st.dictionaries(identifiers, st.dictionaries(identifiers, scores, min_size=1, max_size=5), max_size=4))
def test_write_then_read(
    tmp_path_factory: pytest.TempPathFactory, answers: dict[str, dict[str, float]]
) -> None:
    """Reading what was written gives the same run, whatever the ids and scores."""
    run = {
        query: ranking(*sorted(papers.items(), key=lambda pair: (-pair[1], pair[0])))
        for query, papers in answers.items()
    }
    path = tmp_path_factory.mktemp("runs") / "a.run"
    path.write_bytes(trec(run, tag="x"))
    if run:
        assert read_trec(path) == run


def test_reading_sorts_by_score(tmp_path: Path) -> None:
    """The order of a foreign run comes from scores, then paper ids; ranks and line order do not count."""
    path = tmp_path / "foreign.run"
    path.write_text("q Q0 C 1 1.0 x\nq Q0 B 2 5e0 x\n\nq Q0 A 3 1 x\n")
    assert read_trec(path)["q"].paper_ids == ("B", "A", "C")


def test_reading_gzip_and_aliases(tmp_path: Path) -> None:
    """Two ids of one paper become one entry, at the better place; later papers move up."""
    path = tmp_path / "foreign.run.gz"
    path.write_bytes(gzip.compress(b"q Q0 A 1 3 x\nq Q0 B 2 2 x\nq Q0 A2 3 1 x\nq Q0 C2 4 0 x\n"))
    aliases = {"A2": "A", "C2": "C"}
    assert read_trec(path, aliases.get)["q"].paper_ids == ("A", "B", "C")


def test_top() -> None:
    """A ranking can be cut to a depth."""
    assert ranking(("A", 3.0), ("B", 2.0)).top(1) == ranking(("A", 3.0))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the run is empty"),
        ("q Q0 A 1 2.0\n", ":1: 5 columns are not a line of a TREC run"),
        ("q Q0 A 1 2 x\nq Q0 B 2 high x\n", ":2: score 'high' is not a number"),
        ("q Q0 B 2 nan x\n", ":1: score 'nan' is not a number"),
        ("q Q0 A 1 2 x\nq Q0 A 2 1 x\n", ":2: paper A is ranked twice for query q"),
    ],
)
def test_bad_runs(tmp_path: Path, content: str, message: str) -> None:
    """A file that is no run is refused with its line and what was expected."""
    path = tmp_path / "bad.run"
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        read_trec(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


@settings(max_examples=100)
@given(st.binary(max_size=200))
def test_random_bytes(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """Reading random bytes as a run never raises anything but a CiteWhyError."""
    path = tmp_path_factory.mktemp("runs") / "random.run"
    path.write_bytes(content)
    with contextlib.suppress(CiteWhyError):
        assert read_trec(path)
