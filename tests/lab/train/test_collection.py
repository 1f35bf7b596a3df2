"""What a folder has to learn from, in both layouts; and which records are one paper."""

from __future__ import annotations

from pathlib import Path

from local_folder import make_folder
from small_collection import HIDDEN, SHOWN, collection, context, paper

from citewhy.base.records import Alias, Paper
from citewhy_lab.evaluate.datasets.held_out import held_out
from citewhy_lab.train.collection import Collection, KnownPapers

A, B, C, D = SHOWN[:4]


def test_one_paper_under_several_ids() -> None:
    """Aliases chain; the first id in their order stands for all, and the record with an abstract counts."""
    records = [Paper("c", "Title"), Paper("a", "Title", "Abstract"), Paper("x", "Alone")]
    known = KnownPapers(records, [Alias("b", "c"), Alias("b", "a")])
    assert known.all == {"a": records[1], "x": records[2]}
    assert [known.canonical(each) for each in ("a", "b", "c", "x", "nobody")] == [
        "a",
        "a",
        "a",
        "x",
        "nobody",
    ]
    assert known.papers(["c", "nobody", "x"]) == {"a": records[1], "x": records[2]}


def test_held_out_under_any_id() -> None:
    """A paper is held out if one of its ids is, also one that only an alias names."""
    assert held_out(HIDDEN[0])
    known = KnownPapers([Paper(A, "One"), Paper(B, "Two")], [Alias(B, HIDDEN[0])])
    assert known.held_out == {min(B, HIDDEN[0])}


def test_years_and_splits(tmp_path: Path) -> None:
    """A context is of its own year, else of its paper's; up to a year is learned, the next year validates,
    and what is newer, or of no year, is neither."""
    data = collection(
        tmp_path,
        [paper(A, 2003), paper(B, None), paper(C, 2005)],
        contexts=[
            context(A, [C], 2001, text="one"),
            context(A, [D], None, text="two"),
            context(B, [C], None, text="three"),
            context(C, [A], 2004, text="four"),
            context(C, [D], None, text="five"),
        ],
    )
    assert [data.year(each) for each in data.contexts] == [2001, 2003, None, 2004, 2005]
    learned, validated = data.split(2003)
    assert ([each.text for each in learned], [each.text for each in validated]) == (["one", "two"], ["four"])


def test_the_layout_of_the_field(tmp_path: Path) -> None:
    """It is learned from as it is split, whatever year is asked for; contexts to test on are not looked at,
    and what the others cite is known, so that none of it becomes a wrong answer."""
    data = Collection(make_folder(tmp_path / "acl"))
    learned, validated = data.split(1990)
    citing = {each.citing_id for each in learned}
    assert citing == {"D09-1001", "D10-1001", "D11-1001"}
    assert {each.citing_id for each in validated} == {"D12-1001"}
    assert data.references.keys() == {*citing, "D12-1001"}
    assert len(data.papers) == 18
    assert data.files.keys() == {"papers", "contexts", "train", "val", "test"}
