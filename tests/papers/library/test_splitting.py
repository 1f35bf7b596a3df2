"""A merge that a person disagrees with is undone, and stays undone."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from citewhy.base.errors import QueryError
from citewhy.base.records import Alias, Context, FullText, Paper, Sentence
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library

BLEU = Paper("P02-1040", "Bleu: a Method for Evaluation", authors=("Kishore Papineni",), year=2002)
BIB = Paper("papineni02", "BLEU: A method for evaluation", "A summary.", ("Papineni, K.",), 2002, "ACL")
ROUGE = Paper("W04-1013", "Rouge: a Package for Summaries", authors=("Chin-Yew Lin",), year=2004)
SAID = [
    Context("c1", "W04-1013", ("P02-1040",), "As TARGETCIT says.", None),
    Context("c2", "W04-1013", ("papineni02",), "Unlike TARGETCIT.", None),
]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library", create=True) as opened:
        opened.add([BLEU, BIB, ROUGE, *SAID, FullText("papineni02", (Sentence(0, "title", "Bleu"),))])
        yield opened


def are_two(library: Library) -> bool:
    """Whether both papers say what their own records say, and nothing of the other."""
    library.verify()
    cited = {found.id: found.cited_ids for _, found in library.numbered_contexts()}
    texts = library.full_text("P02-1040"), library.full_text("papineni02")
    return (
        library.papers(["P02-1040", "papineni02"]) == {"P02-1040": BLEU, "papineni02": BIB}
        and cited == {"c1": ("P02-1040",), "c2": ("papineni02",)}
        and [text is None for text in texts] == [True, False]
    )


@pytest.mark.parametrize(("asked", "other"), [("P02-1040", "papineni02"), ("papineni02", "P02-1040")])
def test_either_record_leaves_the_other(library: Library, asked: str, other: str) -> None:
    """Both papers have all of theirs again; the number of the one that left was never used."""
    used = {number for number, _ in library.numbered_papers()} | set(library.removed_numbers())
    assert library.split(asked) == (asked, other)
    assert are_two(library)
    assert library.numbers(["papineni02"])["papineni02"] not in used


def test_what_was_split_stays_split(library: Library) -> None:
    """Adding the same again changes nothing, also after reopening; nor do a change, an alias, or removing and
    adding again join the two."""
    library.split("papineni02")
    parts: list[list[Record]] = [[BLEU, BIB, ROUGE, *SAID], [BIB], [BLEU]]
    for records in parts:
        assert not library.add(records).changed
    with Library.open(library.folder) as again:
        assert not again.add([BLEU, BIB]).changed
        assert are_two(again)
    assert library.add([replace(BIB, abstract="Another summary.")]).merged == 0
    assert library.add([Alias("P02-1040", "papineni02")]).refused == {"aliases": 1}
    library.remove(["papineni02"])
    assert library.add([BIB]).merged == 0
    assert library.papers(["P02-1040", "papineni02"]) == {"P02-1040": BLEU, "papineni02": BIB}


def test_a_record_leaves_and_the_others_stay_together(library: Library) -> None:
    """The record that is named leaves with its own aliases; a later one joins only one of the parts."""
    library.add([replace(BIB, id="b"), Alias("b", "b-alias"), Alias("papineni02", "c-alias")])
    library.split("b")
    names = ["P02-1040", "papineni02", "c-alias", "b", "b-alias"]
    assert [library.canonical(name) for name in names] == [*["P02-1040"] * 3, "b", "b"]
    assert library.add([replace(BIB, id="d")]).merged == 1
    assert library.counts()["papers"] == 3
    library.split("P02-1040")
    assert library.canonical("c-alias") == "papineni02"
    assert library.counts()["papers"] == 4
    library.verify()


def test_only_merged_records_are_split(library: Library) -> None:
    """An unknown id, a paper of one record and a mere alias are told apart, and nothing changes."""
    library.add([Alias("W04-1013", "rouge")])
    before = library.generation
    for name, problem in (
        ("nobody", "has no paper with the id 'nobody'"),
        ("W04-1013", "'W04-1013' was not merged with another paper"),
        ("rouge", "'rouge' is only another name of 'W04-1013', 'Rouge: a Package"),
    ):
        with pytest.raises(QueryError, match=problem):
            library.split(name)
    assert library.generation == before


def test_an_index_follows_a_split(library: Library) -> None:
    """Exactly what a split changes is told."""
    seen = dict(library.numbered_papers())
    before = library.generation
    library.split("P02-1040")
    seen.update(library.numbered_papers(since=before))
    assert seen == dict(library.numbered_papers())
    assert {found.id for _, found in library.numbered_contexts(since=before)} == {"c1", "c2"}
    assert library.generation == before + 1


def test_a_library_of_version_0_1_is_split(tmp_path: Path) -> None:
    """It is read as it is, checks included, and becomes one of this version with the first change."""
    stored = Path(__file__).parent / "stored" / "library-0.1.db.gz"
    (tmp_path / "library.db").write_bytes(gzip.decompress(stored.read_bytes()))
    with Library.open(tmp_path) as library:
        library.verify()
        assert [library.canonical(name) for name in ("papineni02", "rouge")] == ["P02-1040", "W04-1013"]
        assert library.split("papineni02") == ("papineni02", "P02-1040")
        library.verify()
    with Library.open(tmp_path) as library:
        assert library.add([BLEU, replace(BIB, doi="10.3115/1")]).merged == 0
        assert [found.cited_ids for _, found in library.numbered_contexts()] == [("papineni02",)]
        assert library.counts()["papers"] == 3
