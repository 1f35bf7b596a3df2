"""Mining: what may be a positive and a negative, by hand, and by its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from citewhy.base.errors import InputError
from citewhy_lab.train.systems.aspects.graph import IntentGraph, Links, bits
from citewhy_lab.train.systems.aspects.instances import NONE, Instances
from citewhy_lab.train.systems.aspects.mining import by_aspect, by_citations, drawn, hybrid
from citewhy_lab.train.systems.aspects.settings import ASPECTS, OTHER

B, M, R = (bits([aspect]) for aspect in ASPECTS)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def names(graph: IntentGraph, rows: Any) -> set[str]:
    return {graph.ids[row] for row in np.ravel(rows).tolist() if row != NONE}


def small() -> IntentGraph:
    """a cites b (method), c (background), d (result and method) and u (unknown); x cites a (background). b
    cites e (method), c cites e and f (background), d cites b (result) and g (unknown). y and z are alone."""
    edges = [("a", "b", M), ("a", "c", B), ("a", "d", R | M), ("a", "u", 0), ("x", "a", B)]
    edges += [("b", "e", M), ("c", "e", B), ("c", "f", B), ("d", "b", R), ("d", "g", 0), ("a", "a", R)]
    return IntentGraph(list("abcdefguxyz"), edges)


def of(instances: Instances, graph: IntentGraph, anchor: str, aspect: str = "") -> Instances:
    places = [
        place
        for place, row in enumerate(instances.anchors.tolist())
        if graph.ids[row] == anchor and instances.aspects[place] == aspect
    ]
    assert len(places) == 1
    return instances.take(np.array(places))


def test_positives_and_negatives_of_citations() -> None:
    """Positives of a are what it cites and what cites it; hard negatives are references of these references
    that are not linked with it (b is, though d cites it); all others are easy."""
    graph = small()
    found = of(by_citations(graph, rng(), positives=5, hard=3, easy=2), graph, "a")
    assert names(graph, found.positives) == set("bcdux")
    assert names(graph, found.hard) == set("efg")
    assert names(graph, found.easy) == set("yz")


def test_only_references() -> None:
    """As SPECTER has it, x, which cites a, is no positive of a; it is no negative either."""
    graph = small()
    found = of(by_citations(graph, rng(), 4, 3, 2, directed=True), graph, "a")
    assert names(graph, found.positives) == set("bcdu")
    assert names(graph, found.easy) == set("yz")


def test_positives_are_oversampled_and_papers_without_are_skipped() -> None:
    """x has one positive, which is there five times; y and z have none, and no instance. x's references'
    references are fewer than five: easy ones take the place of the rest."""
    graph = small()
    found = by_citations(graph, rng(), positives=5, hard=5, easy=1)
    assert names(graph, found.anchors) == set("abcdefgux")
    own = of(found, graph, "x")
    assert [graph.ids[row] for row in own.positives[0]] == ["a"] * 5
    hard = names(graph, own.hard)
    assert set("bcdu") <= hard <= set("bcduefgyz")
    assert len(hard) == 5
    assert not hard & names(graph, own.easy)


def test_positives_and_negatives_of_an_aspect() -> None:
    """Of a and its methods: d is cited for two intents, so that it is a positive and no negative; u's intent
    is unknown, so that it is neither, nor easy."""
    graph = small()
    found = of(by_aspect(graph, rng(), 5, 10, 9), graph, "a", "method")
    assert names(graph, found.positives) == set("bd")
    assert names(graph, found.hard) == set("cx")
    assert names(graph, found.easy) == set("efgyz")
    background = of(by_aspect(graph, rng(), 5, 10, 3), graph, "a", "background")
    assert (names(graph, background.positives), names(graph, background.hard)) == (set("cx"), set("bd"))


def test_anchors_need_each_aspect() -> None:
    """Only a is linked by all three intents, and has three instances; b is by two (e and a are its methods,
    d its result), and is used for these if that is enough."""
    graph = small()
    found = by_aspect(graph, rng())
    assert (names(graph, found.anchors), sorted(found.aspects)) == ({"a"}, sorted(ASPECTS))
    more = by_aspect(graph, rng(), in_all=False)
    assert {
        aspect for row, aspect in zip(more.anchors, more.aspects, strict=True) if graph.ids[row] == "b"
    } == {
        "method",
        "result",
    }


def test_anchors_need_a_hard_negative() -> None:
    """x is linked by one intent alone: it is an anchor only where none are asked for. Unknown intents, which
    have none, are an aspect all the same."""
    graph = small()
    with_hard, without = (by_aspect(graph, rng(), 1, hard, 1, in_all=False) for hard in (2, 0))
    assert "x" not in names(graph, with_hard.anchors)
    assert names(graph, of(without, graph, "x", "background").positives) == {"a"}
    assert OTHER in by_aspect(graph, rng(), 1, 2, 1, other=True, in_all=False).aspects


def test_every_candidate_is_as_likely() -> None:
    """Two of four neighbours of many papers: each neighbour is the first, and the second, of a quarter."""
    count = 4000
    ends = np.repeat(np.arange(count), 4), np.tile(np.arange(4), count) + count
    links = Links.of(count + 4, ends, np.zeros(4 * count, dtype=np.uint8))
    found = drawn(links, np.arange(count), 2, rng())
    assert (found[:, 0] != found[:, 1]).all()
    for column in (0, 1):
        shares = np.bincount(found[:, column] - count, minlength=4) / count
        assert shares == pytest.approx([0.25] * 4, abs=0.03)


def test_negatives_of_the_second_level() -> None:
    """References of a's references in another aspect: for background none (e is cited as a method by b, but
    as background by c), for result e and f; g's intent is unknown. Easy ones are no L2 either."""
    graph = small()
    found = by_aspect(graph, rng(), 1, 5, 9, level=2)
    assert names(graph, of(found, graph, "a", "background").hard) == set()
    assert names(graph, of(found, graph, "a", "method").hard) == {"f"}
    assert names(graph, of(found, graph, "a", "result").hard) == set("ef")
    assert names(graph, of(found, graph, "a", "result").easy) == set("yz")


def test_easy_negatives_alone_are_not_of_the_second_level() -> None:
    """Without hard negatives (experiment 5.1), references of references are no easy ones."""
    graph = small()
    found = by_aspect(graph, rng(), 1, 0, 9)
    assert names(graph, of(found, graph, "a", "method").easy) == set("yz")


def test_citations_of_unknown_intent() -> None:
    """They are an aspect of their own, if asked for, with easy negatives only."""
    graph = small()
    found = of(by_aspect(graph, rng(), 5, 5, 5, other=True), graph, "a", OTHER)
    assert (names(graph, found.positives), names(graph, found.hard)) == ({"u"}, set())
    assert names(graph, found.easy) == set("efgyz")


def test_both_negatives_of_a_hybrid() -> None:
    """Local ones are linked in another aspect, global ones are L2; where these are too few, easy ones."""
    graph = small()
    for seed in range(5):
        found = of(hybrid(graph, rng(seed), 5, 5), graph, "a", "result")
        assert names(graph, found.positives) == {"d"}
        assert names(graph, found.hard) == set("bcx")
        assert sorted(graph.ids[row] for row in found.distant[0]) == list("efgyz")


@pytest.mark.parametrize("seed", range(5))
def test_by_their_definition(seed: int) -> None:
    """On random graphs, compared with sets: candidates of all kinds, and no negative is ever linked."""
    draw = rng(seed)
    ids = [f"p{number}" for number in range(40)]
    edges = [
        (ids[one], ids[other], int(intents))
        for one, other, intents in zip(
            *draw.integers(40, size=(2, 90)), draw.integers(8, size=90), strict=True
        )
    ]
    graph = IntentGraph(ids, edges)
    cites: dict[str, dict[str, int]] = {each: {} for each in ids}
    for one, other, intents in edges:
        if one != other:
            cites[one][other] = cites[one].get(other, 0) | intents
    linked = {
        each: {
            o: cites[each].get(o, 0) | cites[o].get(each, 0)
            for o in ids
            if o in cites[each] or each in cites[o]
        }
        for each in ids
    }
    for each in ids:
        second: dict[str, int] = {}
        for one in cites[each]:
            for other, intents in cites[one].items():
                if other != each and other not in linked[each]:
                    second[other] = second.get(other, 0) | intents
        row = graph.ids.index(each)
        for links, wanted in ((graph.linked, linked[each]), (graph.second, second)):
            part = slice(links.starts[row], links.starts[row + 1])
            assert {
                ids[n]: int(i) for n, i in zip(links.neighbours[part], links.intents[part], strict=True)
            } == wanted
    found = by_citations(graph, draw, 3, 2, 3)
    for place, row in enumerate(found.anchors.tolist()):
        near = set(linked[ids[row]])
        assert names(graph, found.positives[place]) <= near
        assert not (names(graph, found.hard[place]) | names(graph, found.easy[place])) & (near | {ids[row]})
        easy = [each for each in found.easy[place].tolist() if each != NONE]
        assert len(set(easy)) == len(easy)


def test_the_same_seed_the_same_instances() -> None:
    """What is drawn depends on the random numbers alone, and other numbers draw others."""
    graph = small()
    one, again, other = (by_citations(graph, rng(seed), 1, 1, 1) for seed in (1, 1, 2))
    assert np.array_equal(one.positives, again.positives)
    assert np.array_equal(one.easy, again.easy)
    assert any(
        not np.array_equal(getattr(one, name), getattr(other, name)) for name in ("positives", "hard", "easy")
    )


def test_a_graph_without_citations() -> None:
    """Nothing can be learned from it, and the error says why."""
    with pytest.raises(InputError, match="no paper cites another one that is known"):
        by_citations(IntentGraph(["a", "b"], []), rng())
    with pytest.raises(InputError, match="no paper has links of all the aspects"):
        by_aspect(IntentGraph(["a", "b"], [("a", "b", M)]), rng())
