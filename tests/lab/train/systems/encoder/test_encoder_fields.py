"""Training pairs of other fields: whose drafts, which entries, and what is wrong for a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_collection import SHOWN, context, paper, write
from small_drafts import WORDS, authors_of, write_drafts
from small_library import unsynced

from citewhy.base.errors import InputError
from citewhy.base.records import Paper, Query
from citewhy_lab.train.systems.encoder.data import TOGETHER, Batches, Pair, pairs_of_fields
from citewhy_lab.train.systems.encoder.settings import EncoderInputs, EncoderSettings

A, B, C = SHOWN[:3]


def silent(_what: str, _share: float | None) -> None:
    pass


def test_drafts_of_some_authors(tmp_path: Path) -> None:
    """Neither the authors that measure nor those of the ranker; a sentence is paired with what it cites."""
    (mine,) = authors_of("encoder", 1)
    others = [*authors_of("ranker", 1), *authors_of("measuring", 1)]
    with unsynced():
        found = pairs_of_fields(
            EncoderInputs(tmp_path, drafts=write_drafts(tmp_path, [*others, mine])), silent
        )
    assert found.keys() == {"draft"}
    assert [pair.paper.title for pair in found["draft"]] == [f"A study of {word}" for word in WORDS] * 2
    first = found["draft"][0]
    assert (first.query.title, first.library) == (f"Trees of {mine}", f"{mine}+thesis")
    assert first.query.text.startswith("We saw oaks first")
    assert first.related == {first.paper_id}


def test_further_collections_have_any_year(tmp_path: Path) -> None:
    """Their citing sentences count, however new, and so do their abstracts."""
    abstract = "One sentence tells of trees. Another one tells of woods. " * 5
    (tmp_path / "woods").mkdir()
    folder = write(
        tmp_path / "woods",
        [paper(A, 2030), paper(B, 2029, abstract), paper(C, 2030)],
        contexts=[context(A, [B], 2030), context(C, [B], 2031)],
    )
    found = pairs_of_fields(EncoderInputs(tmp_path, fields=(folder,)), silent)
    assert [(pair.source, pair.paper_id) for pair in found["field"]] == [
        ("context", B),
        ("context", B),
        ("self", B),
    ]


def test_entries_of_one_bibliography_are_compared() -> None:
    """A batch has long runs of one library, while each pair comes once before any comes again."""
    found = [
        Pair("draft", Query("local", f"{name} {n}"), Paper(f"{name}{n}", f"{name} {n}"), f"{name}{n}",
             frozenset(), library=name)
        for name in ("one", "two", "three")
        for n in range(2 * TOGETHER)
    ]  # fmt: skip
    batches = Batches({"draft": found}, EncoderSettings(steps=3, batch=2 * TOGETHER))
    papers = [batches[step].papers for step in range(3)]
    assert len({text for texts in papers for text in texts}) == len(found)
    for texts in papers:
        runs = [[text.split()[0] for text in texts[at : at + TOGETHER]] for at in (0, TOGETHER)]
        assert [len(set(run)) for run in runs] == [1, 1]


def test_a_draft_that_is_not_there(tmp_path: Path) -> None:
    """The manifest is read before anything is learned."""
    manifest = write_drafts(tmp_path, authors_of("encoder", 1))
    with pytest.raises(InputError, match="unpack the documents first"):
        pairs_of_fields(EncoderInputs(tmp_path, drafts=manifest, documents=tmp_path / "elsewhere"), silent)
