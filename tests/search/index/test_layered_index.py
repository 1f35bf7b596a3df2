"""The index of a layer has the contents of an index of one library with everything, and answers as it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hash_encoder import HashEncoder
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_library import cites, context, index_contents, make, paper, unsynced

from citewhy.base.errors import LockedError
from citewhy.base.records import Alias, Context, Paper
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy.search.index import Index, open_index
from citewhy.search.index.fields import BM25
from citewhy.search.index.local.layer import open_layer
from citewhy.search.rules import Scope

WORDS = ["tree", "bank", "parsing", "short", "shows", "zebra"]
IDS = [f"p{number}" for number in range(9)]
ids = st.sampled_from(IDS)
papers = st.builds(
    Paper,
    id=ids,
    title=st.sampled_from(["On the Parsing of Trees", "On Zebra Banks", "A Tree", "BERT: a Bank"]),
    abstract=st.sampled_from(["", "Short trees. They have long parts. Banks too."]),
    authors=st.sampled_from([(), ("Ann Smith",), ("Bob Jones", "Ann Smith")]),
    year=st.sampled_from([None, 1999, 2001]),
    venue=st.sampled_from(["", "Trees 1999", "Banks"]),
    doi=st.sampled_from(["", "", "10.1/a", "10.1/b"]),
)
contexts = st.builds(
    Context,
    id=st.sampled_from(["1", "2", "3"]),
    citing_id=st.sampled_from([*IDS, "stranger"]),
    cited_ids=st.lists(ids, min_size=1, max_size=3).map(tuple),
    text=st.sampled_from(["As the tree TARGETCIT shows.", "Unlike zebra banks TARGETCIT."]),
    year=st.sampled_from([None, 2005]),
)
citations = st.tuples(ids, ids).map(lambda pair: cites(" ".join(pair))[0])
aliases = st.tuples(ids, ids).filter(lambda pair: pair[0] != pair[1]).map(lambda pair: Alias(*pair))
records = st.lists(st.one_of(papers, papers, papers, contexts, citations, aliases), max_size=10)


def answers(index: Index, encoder: HashEncoder, year: int | None) -> object:
    """Searches of all kinds, to the last digit, by the ids of papers."""
    view, vector = index.view(Scope(year=year)), encoder.encode(["tree banks of zebras"], "query")[0]
    rows = index.papers()
    bm25 = BM25(k1=1.2, b=0.75)
    terms = {"tree": 1.0, "bank": 0.5, "zebra": 2.0}
    hits = [view.search(field, terms, bm25, 5) for field in ("text", "title", "contexts", "single")]  # type: ignore[arg-type]
    hits.append(view.nearest(vector, 5))
    near = view.contexts_near(vector, 5)
    facts = view.facts(rows)
    return (
        [(index.ids(hit.rows), [float(score).hex() for score in hit.scores]) for hit in hits],
        [
            values.tolist()
            for values in (facts.years, facts.times_cited, facts.mentions, facts.author_citations)
        ],
        facts.venue_citations.tolist(),
        view.part_cosines(vector, rows).tolist(),
        view.profile_cosines(vector, rows).tolist(),
        view.paper_cosines(rows, rows).tolist(),
        (index.ids(near.rows), near.cosines.tolist()),
    )


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(below=records, above=records, year=st.sampled_from([None, 2001]))
def test_it_is_one_index(below: Sequence[Record], above: Sequence[Record], year: int | None) -> None:
    folder, encoder = Path(tempfile.mkdtemp()), HashEncoder()
    try:
        with unsynced(), make(folder / "below", below) as base:
            shutil.copytree(folder / "below", folder / "whole")
            (folder / "layer").mkdir()
            with (
                Library.open(folder / "whole") as whole,
                Library.over(base, folder / "layer", create=True) as layer,
            ):
                whole.add(above)
                layer.add(above)
                expected = open_index(whole, encoder)
                for _ in range(2):  # made, and then read
                    found = open_layer(layer, open_index(base, encoder), encoder)
                    assert index_contents(found, WORDS) == index_contents(expected, WORDS)
                    if len(expected.papers()):
                        assert answers(found, encoder, year) == answers(expected, encoder, year)
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def base(tmp_path: Path) -> Library:
    trees: list[Record] = [paper("old", "Tree"), paper("new", "Trees of zebras"), *cites("new old")]
    return make(tmp_path / "base", [*trees, context("1", "new", "old", "A tree TARGETCIT.")])


def laid(base: Library, folder: Path, *added: Record) -> Library:
    folder.mkdir()
    layer = Library.over(base, folder, create=True)
    layer.add(added)
    return layer


def test_only_what_the_layer_has_is_encoded(base: Library, tmp_path: Path) -> None:
    """Also where a paper below is merged with one of the layer, and says the same; and only once."""
    open_index(base, HashEncoder())
    encoder = HashEncoder()
    layer = laid(base, tmp_path / "layer", paper("more", "More zebras"), paper("again", "Tree"))
    for _ in range(2):
        open_layer(layer, open_index(base, encoder), encoder)
    assert [text for text in encoder.encoded if "More zebras" not in text] == []
    assert len(encoder.encoded) == 1


def test_what_is_damaged_is_made_again(base: Library, tmp_path: Path) -> None:
    layer = laid(base, tmp_path / "layer", paper("more", "More zebras"))
    expected = index_contents(open_layer(layer, open_index(base)), WORDS)
    for file in sorted((layer.folder / "index").rglob("*.npy"))[::4]:
        kept = file.read_bytes()
        file.write_bytes(kept[:-1] + bytes([kept[-1] ^ 1]))
        assert index_contents(open_layer(layer, open_index(base)), WORDS) == expected


def test_another_state_below_is_refused(base: Library, tmp_path: Path) -> None:
    layer = laid(base, tmp_path / "layer", paper("more", "More zebras"))
    base.add([paper("later", "Later trees")])
    with pytest.raises(LockedError, match="changed"):
        open_layer(layer, open_index(base))


def test_large_ids_keep_their_order(base: Library, tmp_path: Path) -> None:
    """The ranks of ids, by which ties are broken, are those of the bytes in UTF-8."""
    names = ["ä", "z", "Old", "oldest", "m", "\U0001f333", "new-"]
    layer = laid(base, tmp_path / "layer", *(paper(name, f"Tree {name}") for name in names))
    index = open_layer(layer, open_index(base))
    rows = index.rows([*names, "old", "new"])
    order = [*names, "old", "new"]
    order.sort(key=str.encode)
    by_rank = np.argsort(index.id_ranks(rows))
    assert [[*names, "old", "new"][position] for position in by_rank] == order
