"""A layer over a library says what one library says to which everything was added."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from flipped import flip_a_record
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from library_world import batch, everything, paper
from small_library import make, unsynced
from test_reliability_model import contexts, ids, papers

from citewhy.base.errors import DamagedError, LibraryError, QueryError
from citewhy.base.records import Alias, Citation, FullText, Sentence
from citewhy.papers.formats import Record
from citewhy.papers.library.layer import LAYER_FILE
from citewhy.papers.library.store import Library

aliases = st.tuples(ids, ids).filter(lambda pair: pair[0] != pair[1]).map(lambda pair: Alias(*pair))
citations = st.builds(Citation, citing_id=ids, cited_id=ids, source=st.just("test"))
texts = st.builds(FullText, ids, st.sampled_from(["One.", "Two."]).map(lambda text: (Sentence(0, "", text),)))
records = st.lists(st.one_of(papers, papers, contexts, citations, aliases, texts), max_size=8)


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(below=records, above=st.lists(records, max_size=3), removed=st.lists(ids, max_size=2), last=records)
def test_it_is_one_library(
    below: Sequence[Record],
    above: Sequence[Sequence[Record]],
    removed: Sequence[str],
    last: Sequence[Record],
) -> None:
    """Also a layer over a layer."""
    folder = Path(tempfile.mkdtemp())
    try:
        with unsynced(), make(folder / "below", below) as base:
            shutil.copytree(folder / "below", folder / "whole")
            (folder / "layer").mkdir()
            layer = Library.over(base, folder / "layer", create=True)
            with Library.open(folder / "whole") as whole:
                before = everything(base)
                for some in above:
                    whole.add(some)
                    layer.add(some)
                for identifier in removed:
                    if whole.canonical(identifier) is not None:
                        whole.remove([identifier])
                        layer.remove([identifier])
                assert everything(layer) == everything(whole)
                layer.verify()
                layer.close()
                with Library.over(base, folder / "layer") as again:
                    assert everything(again) == everything(whole)
                assert everything(base) == before
                (folder / "top").mkdir()
                with (
                    Library.over(base, folder / "layer") as middle,
                    Library.over(middle, folder / "top", create=True) as top,
                ):
                    top.add(last)
                    whole.add(last)
                    assert everything(top) == everything(whole)
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def base(tmp_path: Path) -> Library:
    return make(tmp_path / "base", [*batch(0), *batch(1)])


def test_what_changes_below_is_seen_or_not_but_never_mixed(base: Library, tmp_path: Path) -> None:
    """Numbers that were given twice are the layer's."""
    (tmp_path / "layer").mkdir()
    with Library.over(base, tmp_path / "layer", create=True) as layer:
        layer.add([paper(100, "Of the Layer")])
        number = layer.numbers(["P0100"])["P0100"]
        base.add([paper(200, "Added Below Later")])
        assert base.numbers(["P0200"])["P0200"] == number
        assert dict(layer.numbered_papers(numbers=[number]))[number].id == "P0100"
        assert layer.canonical("P0200") is None
        with pytest.raises(QueryError):
            layer.paper("P0200")


def test_it_belongs_to_one_library(base: Library, tmp_path: Path) -> None:
    (tmp_path / "layer").mkdir()
    Library.over(base, tmp_path / "layer", create=True).close()
    with (
        make(tmp_path / "other", batch(0)) as other,
        pytest.raises(LibraryError, match="belongs to another library"),
    ):
        Library.over(other, tmp_path / "layer")


def test_damage_is_noticed(base: Library, tmp_path: Path) -> None:
    (tmp_path / "layer").mkdir()
    with Library.over(base, tmp_path / "layer", create=True) as layer:
        layer.add(batch(2))
    flip_a_record(tmp_path / "layer" / LAYER_FILE, number=9)
    with Library.over(base, tmp_path / "layer") as layer, pytest.raises(DamagedError):
        layer.verify()
