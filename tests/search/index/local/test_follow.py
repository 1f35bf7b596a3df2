"""Whatever happens to a library, the index that followed it step by step answers as one made from nothing."""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_library import index_contents, rebuilt

from citewhy.base.records import Alias, Citation, Context, Paper
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy.search.index import open_index
from citewhy.search.index.local.snapshot import read_state
from citewhy.text.tokens import stems

WORDS = ["tree", "bank", "error", "rate", "model", "corpus"]
TERMS = [*(stem for word in WORDS for stem in stems(word)), "absent"]

text = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
ids = st.sampled_from([f"p{number}" for number in range(9)])
years = st.none() | st.integers(1998, 2003)
authors = st.lists(st.sampled_from(["Ann Lee", "Bo Li", "Ann Lee Jr."]), max_size=2).map(tuple)
venues = st.sampled_from(["", "Trees 1999", "Banks"])

records = st.one_of(
    st.builds(Paper, ids, text.map(lambda words: words or "untitled"), text, authors, years, venues),
    st.builds(
        Context,
        st.sampled_from(["c1", "c2"]),
        ids,
        st.lists(ids, min_size=1, max_size=3).map(tuple),
        text,
        years,
    ),
    st.builds(Citation, ids, ids, st.just("test")),
    st.builds(Alias, ids, ids),
)
Step = tuple[list[Record], list[str], bool]
"""What is added, what is removed (where it is there), and whether the index follows at once."""
steps = st.tuples(st.lists(records, max_size=5), st.lists(ids, max_size=2), st.booleans())


def live(folder: Path, life: Sequence[Step]) -> int:
    """Takes the steps; after those where the index follows, compares. Returns the most segments seen."""
    most = 0
    with Library.open(folder, create=True) as library:
        for place, (added, gone, follow) in enumerate(life):
            library.add(added)
            library.remove([name for name in gone if library.canonical(name) == name])
            if follow or place == len(life) - 1:
                answers = index_contents(open_index(library), TERMS)
                with rebuilt(library) as fresh:
                    assert answers == index_contents(fresh, TERMS)
                state = read_state(library.folder / "index")
                assert state.generation == library.generation
                most = max(most, len(state.papers), len(state.contexts))
    return most


@pytest.fixture
def unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits for the disk: no power is cut here."""
    monkeypatch.setattr(os, "fsync", lambda _handle: None)


def check(life: Sequence[Step], monkeypatch: pytest.MonkeyPatch) -> None:
    # A few segments are enough to be joined: short lives reach what long ones do.
    monkeypatch.setattr(importlib.import_module("citewhy.search.index.local.refresh"), "_MOST_SEGMENTS", 2)
    with tempfile.TemporaryDirectory() as folder:
        assert live(Path(folder), life) <= 2


quiet = settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@settings(quiet, max_examples=18)
@given(st.lists(steps, min_size=1, max_size=6))
@pytest.mark.usefixtures("unsynced")
def test_follows(monkeypatch: pytest.MonkeyPatch, life: list[Step]) -> None:
    """Adding, updating, merging, removing and bringing back, in any order: all answers are those of an index
    that is made from nothing, to the last bit."""
    check(life, monkeypatch)


@pytest.mark.full
@settings(quiet, max_examples=180)
@given(st.lists(steps, min_size=1, max_size=12))
@pytest.mark.usefixtures("unsynced")
def test_follows_in_full(monkeypatch: pytest.MonkeyPatch, life: list[Step]) -> None:
    """As above, often and for longer."""
    check(life, monkeypatch)


@pytest.mark.usefixtures("unsynced")
def test_many_small_batches(tmp_path: Path) -> None:
    """Thirteen batches, each with a new paper and a change of an old one, end in six segments or fewer."""
    life: list[Step] = [
        (
            [
                Paper(f"n{place}", f"{WORDS[place % 6]} tree {place}", WORDS[place % 5], year=2000),
                Paper(f"n{place // 2}", f"changed in step {place}", "bank", year=2001),
                Context(f"c{place}", f"n{place}", (f"n{place // 2}",), WORDS[place % 4]),
            ],
            [f"n{place - 3}"] if place % 4 == 3 else [],
            True,
        )
        for place in range(13)
    ]
    assert live(tmp_path, life) == 6
