"""Segments of batches, merged on disk, are the segment of all their documents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_library import paper

from citewhy.base.artifact import read_manifest
from citewhy.base.records import Paper
from citewhy.papers.library.store import Library
from citewhy.search.index import merging, open_index
from citewhy.search.index.local import refresh
from citewhy.search.index.local.snapshot import read_state
from citewhy.search.index.segments import ContextSegment, PaperSegment

WORDS = ["tree", "bank", "trees", "über", "error", "rate", "x" * 60]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.suffix == ".npy"}


def of(texts: Sequence[str], first: int) -> list[tuple[int, Paper]]:
    return [(first + 2 * place, Paper(f"p{first}-{place}", text)) for place, text in enumerate(texts)]


@given(st.lists(st.lists(TEXTS, min_size=1, max_size=4), min_size=1, max_size=4), st.integers(1, 7))
def test_merged_as_at_once(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[str]], size: int
) -> None:
    """Every file of the merged segment is that of one segment, whatever is read at once."""
    folder = tmp_path_factory.mktemp("merged")
    papers = [of(texts, 100 * number) for number, texts in enumerate(batches)]
    for number, some in enumerate(papers):
        PaperSegment.build(some).save(folder / str(number))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "_AT_ONCE", size)
        PaperSegment.merge([folder / str(number) for number in range(len(papers))], folder / "merged")
    PaperSegment.build([one for some in papers for one in some]).save(folder / "whole")
    assert files(folder / "merged") == files(folder / "whole")
    assert read_manifest(folder / "merged")["documents"] == sum(map(len, batches))


def test_an_index_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that is indexed in batches has the files of one that is indexed at once, and no others."""
    found = []
    for name, size in (("once", 1000), ("batches", 3)):
        monkeypatch.setattr(refresh, "_BATCH", size)
        with Library.open(tmp_path / name, create=True) as library:
            library.add([paper(f"p{number}", f"Tree number {number} of a bank") for number in range(10)])
            open_index(library)
        root = tmp_path / name / "index"
        state = read_state(root)
        assert {each.name for each in root.iterdir()} == {*state.folders(), "current.json", ".lock"}
        found.append([files(root / folder) for folder in state.folders()])
    assert found[0] == found[1]


def test_citing_sentences_are_merged(tmp_path: Path) -> None:
    """A segment of citing sentences is merged as one of papers."""
    from citewhy.base.records import Context

    sentences = [(number, Context(f"c{number}", "p1", ("p2",), f"Trees of {number}")) for number in range(6)]
    for name, some in (("a", sentences[:2]), ("b", sentences[2:]), ("whole", sentences)):
        ContextSegment.build(some).save(tmp_path / name)
    ContextSegment.merge([tmp_path / "a", tmp_path / "b"], tmp_path / "merged")
    assert files(tmp_path / "merged") == files(tmp_path / "whole")
