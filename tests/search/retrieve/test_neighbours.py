"""Neighbours in the citation graph, counted by hand on a small one.

a → x, y        c → x        y → z
b → x, y, z     a → b
"""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from small_library import cites, make, paper, unsynced

from citewhy.search.index import open_index
from citewhy.search.retrieve.scoped import Neighbours, neighbours
from citewhy.search.retrieve.sparse import Sparse
from citewhy.search.rules import Scope

YEARS = {"a": 2002, "b": 2001, "c": 2000, "x": 1995, "y": 1996, "z": 1990}
CITATIONS = ["a x", "a y", "b x", "b y", "b z", "c x", "y z", "a b"]


class Graph:
    """Asks for neighbours by name."""

    def __init__(self, folder: Path) -> None:
        papers = [paper(name, year=year) for name, year in YEARS.items()]
        with unsynced(), make(folder, [*papers, *cites(*CITATIONS)]) as library:
            self.rows = library.numbers(YEARS)
            self.index = open_index(library)

    def around(self, *known: str, year: int | None = None, citing: str = "", hidden: str = "") -> Neighbours:
        never = frozenset(self.rows[name] for name in hidden.split())
        view = self.index.view(Scope(year, self.rows.get(citing, -1), hidden=never))
        return neighbours(view, np.array([self.rows[name] for name in known], dtype=np.int64))

    def named(self, values: Sparse) -> dict[str, float]:
        """Those that are not 0."""
        of = values.at(np.array([*self.rows.values()]))
        return {name: value for name, value in zip(self.rows, of.tolist(), strict=True) if value}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return Graph(tmp_path_factory.mktemp("graph"))


def test_cocited(graph: Graph) -> None:
    """x is cited by a, b and c; y by a and b beside it, z by b (and y), b by a: cosines of these sets."""
    near = graph.named(graph.around("x").cocited)
    assert near == pytest.approx({"y": 2 / sqrt(3 * 2), "z": 1 / sqrt(3 * 2), "b": 1 / sqrt(3 * 1)})


def test_coupled(graph: Graph) -> None:
    """a cites x, y and b; b cites x, y and z; c cites x; y cites z: cosines of these sets."""
    near = graph.named(graph.around("a").coupled)
    assert near == pytest.approx({"b": 2 / sqrt(3 * 3), "c": 1 / sqrt(3 * 1)})
    assert graph.named(graph.around("y").coupled) == pytest.approx({"b": 1 / sqrt(1 * 3)})


def test_linked(graph: Graph) -> None:
    """A link is one in either direction, once for each known paper."""
    assert graph.named(graph.around("y").linked) == {"a": 1, "b": 1, "z": 1}
    assert graph.named(graph.around("y", "x").linked) == {"a": 2, "b": 2, "c": 1, "z": 1}


def test_several_known_papers_add_up(graph: Graph) -> None:
    """What each known paper says is added."""
    both, one, other = graph.around("x", "b"), graph.around("x"), graph.around("b")
    for signal in ("cocited", "coupled", "linked"):
        each = [graph.named(getattr(near, signal)) for near in (one, other)]
        added = {name: sum(values.get(name, 0.0) for values in each) for name in each[0] | each[1]}
        assert graph.named(getattr(both, signal)) == pytest.approx(added)


def test_nothing_by_itself(graph: Graph) -> None:
    """A known paper gains nothing from itself, and from another known paper what any paper does."""
    for name in YEARS:
        near = graph.around(name)
        assert not {name} & {
            *graph.named(near.cocited),
            *graph.named(near.coupled),
            *graph.named(near.linked),
        }
    beside = graph.around("x", "y")
    assert graph.named(beside.cocited)["x"] == pytest.approx(2 / sqrt(2 * 3))


def test_as_of_a_year(graph: Graph) -> None:
    """In 2002 the citations that paper a makes are not there yet: all counts are those without them."""
    near = graph.around("x", year=2002)
    assert graph.named(near.cocited) == pytest.approx({"y": 1 / sqrt(2 * 1), "z": 1 / sqrt(2 * 2)})
    assert graph.named(near.linked) == {"b": 1, "c": 1}
    assert graph.named(graph.around("b", year=2002).coupled) == pytest.approx(
        {"c": 1 / sqrt(3 * 1), "y": 1 / sqrt(3 * 1)}
    )
    assert not graph.named(graph.around("x", year=1990).cocited)


def test_without_the_paper_that_asks(graph: Graph) -> None:
    """For paper a, what it cites itself is no evidence."""
    assert graph.named(graph.around("x", citing="a").cocited) == pytest.approx(
        {"y": 1 / sqrt(2 * 1), "z": 1 / sqrt(2 * 2)}
    )


def test_hidden(graph: Graph) -> None:
    """A hidden paper was cited by nobody: it is beside nothing, and nothing is beside it."""
    assert graph.named(graph.around("x", hidden="y").cocited) == pytest.approx(
        {"z": 1 / sqrt(3 * 2), "b": 1 / sqrt(3 * 1)}
    )
    near = graph.around("y", hidden="y")
    assert not graph.named(near.cocited)
    assert graph.named(near.linked) == {"z": 1}, "what it cites, it cites still"


def test_paper_without_citations(graph: Graph) -> None:
    """A paper that cites nothing and is not cited has no neighbours; nor has anybody without known papers."""
    near = graph.around("z")
    assert not graph.named(near.coupled)
    for nothing in (graph.around(), graph.around("x", year=1)):
        for signal in (nothing.cocited, nothing.coupled, nothing.linked):
            assert graph.named(signal) == {}
        assert nothing.relative(np.array([*graph.rows.values()])).tolist() == [0] * len(YEARS)


def test_all_three_together(graph: Graph) -> None:
    """Each is a share of its largest: b, cited with x and citing it, is coupled with nothing that x cites."""
    near = graph.around("x")
    shares = near.relative(np.array([graph.rows["b"], graph.rows["y"]]))
    cocited = {"b": 1 / sqrt(3 * 1), "y": 2 / sqrt(3 * 2)}
    assert shares == pytest.approx([cocited["b"] / cocited["y"] + 1, 1])
