"""Negatives: where each strategy draws from, and what none of them ever draws."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewhy.base.errors import InputError, QueryError
from citewhy.base.records import Paper
from citewhy_lab.train.sampling.citation_graph import CitationGraph
from citewhy_lab.train.sampling.mixes import STRATEGIES, Mix, Strategy
from citewhy_lab.train.sampling.negatives import Asked, Negatives

ALIASES = {"b2": "b"}


def canonical(paper_id: str) -> str:
    return ALIASES.get(paper_id, paper_id)


def graph(years: dict[str, int | None], *edges: str) -> CitationGraph:
    """`edges` as "citing cited"."""
    papers = [Paper(name, name, year=year) for name, year in years.items()]
    return CitationGraph(papers, [(*edge.split(), 0) for edge in edges], canonical)  # type: ignore[misc]


# x cites a; a cites b and c; b cites d; d cites e. f is cited by nobody, new is of 2010.
SMALL = graph(
    {"x": 2005, "a": 2004, "b": 2003, "c": 2002, "d": 2001, "e": 2000, "f": 2000, "new": 2010, "y": 2006},
    "x a",
    "a b2",
    "a c",
    "b d",
    "d e",
    "y new",
)


def rows(*names: str) -> list[int]:
    return [row for name in names if (row := SMALL.row(name)) is not None]


def drawn(mix: str, asked: Asked, times: int = 200, never: tuple[str, ...] = ()) -> list[list[str]]:
    negatives = Negatives(SMALL, Mix.named(mix), rows(*never))
    found = (negatives.draw(asked, np.random.default_rng(seed)) for seed in range(times))
    return [[SMALL.papers[row].id for row in each] for each in found]


ASKED = Asked("x", 2005, rows("a"), rows("a"), np.array(rows("a", "c", "f", "new")))


@pytest.mark.parametrize(
    ("strategy", "hard"),
    [
        ("prefiltered", {"c", "f"}),  # a is right, new is newer
        ("neighbours", {"b", "c", "d"}),  # second order b, c; third order d; e would be the fourth
        ("cited", {"b", "c", "d", "e"}),
        ("most-cited", {"b", "c", "d", "e"}),
        ("random", {"b", "c", "d", "e", "f"}),
    ],
)
def test_hard_sets(strategy: Strategy, hard: set[str]) -> None:
    """One hard negative comes from its strategy's set, evenly; one easy one from the rest."""
    found = drawn(f"{strategy}=1,easy=1", ASKED, times=600)
    counts = Counter(first for first, _ in found)
    assert counts.keys() == hard
    assert min(counts.values()) > 600 / len(hard) * 0.7
    allowed = {"b", "c", "d", "e", "f"}
    assert {second for _, second in found} == (allowed - hard or allowed)


def test_how_many_hard_ones_there_are() -> None:
    """As many as the sets of `test_hard_sets`; x has no neighbours left if its only reference is unknown."""
    negatives = Negatives(SMALL, Mix.named("random"))
    assert [negatives.hard_count(name, ASKED) for name in ("prefiltered", "neighbours", "cited")] == [2, 3, 4]
    nobody = Asked("f", 2005, rows("a"), rows("a"), np.array(rows("c")))
    assert negatives.hard_count("neighbours", nobody) == 0


def test_a_citation_counts_from_the_next_year_on() -> None:
    """Cited in 2005 by x is not cited as of 2005; as of 2006 it is."""
    assert SMALL.times_cited(2005)[SMALL.row("a")] == 0
    assert SMALL.times_cited(2006)[SMALL.row("a")] == 1
    assert SMALL.times_cited(2006, since=2005).tolist() == [int(paper.id == "a") for paper in SMALL.papers]
    row = SMALL.row("b")
    assert row is not None
    assert SMALL.cited_in(row, 2005).tolist() == [2004]
    assert SMALL.cited_in(row, 2004).tolist() == []


def test_orders() -> None:
    """Second and third order through an alias, without what is cited itself, and without the paper itself."""
    assert [SMALL.papers[row].id for row in SMALL.neighbours("x")] == ["d", "c", "b"]
    loop = graph({"x": 2000, "a": 2000, "b": 2000}, "x a", "a b", "b x", "a a", "b a")
    assert [loop.papers[row].id for row in loop.neighbours("x")] == ["b"]
    assert SMALL.neighbours("nobody").tolist() == []


def test_too_few_hard_ones() -> None:
    """What a hard set lacks is drawn from outside of it, then from anywhere, then again."""
    (found,) = drawn("prefiltered (only)", ASKED, times=1)
    assert set(found[:2]) == {"c", "f"}
    assert set(found[2:5]) == {"b", "d", "e"}
    assert found[5:] == found[:5]


def test_nothing_to_draw() -> None:
    """A context whose year has no other paper is an error that names it."""
    with pytest.raises(InputError, match="no paper can be a negative for a context of x"):
        drawn("random", Asked("x", 1990, [], [], np.array([], dtype=np.int64)), times=1)


names = st.sampled_from([f"p{number}" for number in range(9)])


@settings(max_examples=150, deadline=None)
@given(
    years=st.lists(st.one_of(st.none(), st.integers(1995, 2005)), min_size=9, max_size=9),
    edges=st.lists(st.tuples(names, names), max_size=30),
    right=st.sets(names, min_size=1, max_size=3),
    citing=names,
    found=st.lists(names, unique=True),
    counts=st.fixed_dictionaries({each: st.integers(0, 2) for each in (*STRATEGIES, "easy")}),
    year=st.integers(1995, 2005),
    never=st.sets(names, max_size=2),
    seed=st.integers(0, 2**32),
)
def test_what_is_never_drawn(
    years: list[int | None],
    edges: list[tuple[str, str]],
    right: set[str],
    citing: str,
    found: list[str],
    counts: dict[str, int],
    year: int,
    never: set[str],
    seed: int,
) -> None:
    """Never a right answer under any id, the citing paper, a newer paper or a barred one, whatever the mix;
    as many as asked for, and each once where there are enough."""
    if not sum(counts.values()):
        counts["easy"] = 1
    other = {"q0": "p0", "q1": "p1"}
    papers = [Paper(f"p{number}", "t", year=when) for number, when in enumerate(years)]
    world = CitationGraph(papers, [(a, b, 0) for a, b in edges], lambda name: other.get(name, name))
    row = {paper.id: place for place, paper in enumerate(world.papers)}
    aliased = {"p0": "q0", "p1": "q1"}
    asked_rows = [place for name in right if (place := world.row(aliased.get(name, name))) is not None]
    asked = Asked(
        aliased.get(citing, citing),
        year,
        asked_rows,
        asked_rows,
        np.array([row[name] for name in found], dtype=np.int64),
    )
    mix = Mix.named(",".join(f"{name}={count}" for name, count in counts.items()))
    allowed = {
        name
        for name, when in zip(row, (paper.year for paper in world.papers), strict=True)
        if name not in right | never | {citing} and (when is None or when <= year)
    }
    negatives = Negatives(world, mix, [row[name] for name in never])
    if not allowed:
        with pytest.raises(InputError):
            negatives.draw(asked, np.random.default_rng(seed))
        return
    ids = [world.papers[place].id for place in negatives.draw(asked, np.random.default_rng(seed))]
    assert len(ids) == mix.count
    assert set(ids) <= allowed
    assert len(set(ids)) == min(len(allowed), mix.count)


@pytest.mark.parametrize(
    ("name", "hard", "easy"),
    [
        ("random", {"random": 10}, 0),
        ("cited", {"cited": 5}, 5),
        ("neighbours (only)", {"neighbours": 10}, 0),
        ("cited=3, prefiltered=2,easy=1", {"prefiltered": 2, "cited": 3}, 1),
    ],
)
def test_named_mixes(name: str, hard: dict[str, int], easy: int) -> None:
    """Five and five, ten of the hard ones alone, or counted; its own name leads back to it."""
    mix = Mix.named(name)
    assert (dict(mix.hard), mix.easy) == (hard, easy)
    assert Mix.named(str(mix)) == mix


@pytest.mark.parametrize("name", ["", "nearest", "cited=x", "easy=0", "cited=1,cited=2", "easy (only)"])
def test_no_such_mix(name: str) -> None:
    """Anything else is told what there is."""
    with pytest.raises(QueryError, match=r"there are no negatives .*; choose from: random, prefiltered"):
        Mix.named(name)
