"""The benchmark of duplicates: which pairs are near, how errors are counted, and what is committed."""

from __future__ import annotations

import sys
from pathlib import Path

import orjson
import pytest

from citewhy.base.records import Paper

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import duplicates


def test_pairs_that_are_near() -> None:
    """Those with one title or DOI, and those with the same first author and most words."""
    papers = {
        "a": Paper("a", "On the growth of trees", authors=("Ann Lee",)),
        "b": Paper("b", "On the Growth of Trees.", authors=("Bo Roe",)),
        "c": Paper("c", "On the slow growth of trees", authors=("A. Lee",)),
        "d": Paper("d", "Owls of the north", authors=("Ann Lee",), doi="10.1/x"),
        "e": Paper("e", "Birds in old towns", authors=("Cy Fox",), doi="10.1/x"),
    }
    assert set(duplicates.similar(papers)) == {
        (("a", "b"), "title"),
        (("a", "c"), "words"),
        (("d", "e"), "title"),
    }


def test_errors_of_both_kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two papers joined are counted among pairs that are two, one paper apart among those that are one."""
    pairs = [("a", "b", False), ("a", "c", True), ("b", "d", True), ("b", "c", False), ("a", "d", None)]
    judged = tmp_path / "judged.jsonl"
    judged.write_bytes(
        b"\n".join(orjson.dumps({"one": one, "other": two, "same": same}) for one, two, same in pairs)
    )
    monkeypatch.setattr(duplicates, "JUDGED", judged)
    *_, total, unclear = duplicates.errors({"a": "1", "b": "1", "c": "1", "d": "2"}).splitlines()
    assert [cell.split(" (")[0].strip() for cell in total.removeprefix("all").split(")")[:3]] == [
        "2 of 2",
        "1 of 2",
        "2 of 3",
    ]
    assert unclear == "unclear: 1; records not found: 0"


def test_only_keys_and_verdicts_are_committed() -> None:
    """No text of a record is among the judgements."""
    judged = [orjson.loads(line) for line in duplicates.JUDGED.read_bytes().splitlines()]
    assert len(judged) > 500
    assert all(set(pair) == {"one", "other", "same"} for pair in judged)
    assert len({(pair["one"], pair["other"]) for pair in judged}) == len(judged)
