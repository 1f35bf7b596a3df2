"""Batches: every pair in turn, and a step's batch from the seed and its number alone."""

from __future__ import annotations

from collections import Counter

import numpy as np

from citewhy.base.records import Paper
from citewhy_lab.train.sampling.citation_graph import CitationGraph
from citewhy_lab.train.sampling.mixes import Mix
from citewhy_lab.train.sampling.negatives import Asked, Negatives, Triplets

GRAPH = CitationGraph([Paper(f"p{number}", "t", year=2000) for number in range(30)], [], str)
NONE = np.zeros(0, dtype=np.int64)
ASKED = [
    Asked("", 2001, [0, 1], [0, 1], NONE),
    Asked("", 2001, [2, 3], [3], NONE),
    Asked("", 2001, [4], [4], NONE),
]


def triplets(seed: int = 7) -> Triplets:
    return Triplets(ASKED, Negatives(GRAPH, Mix.named("random=4"), [29]), 2, seed)


def test_pairs_are_gone_through() -> None:
    """Two steps of two pairs are all four pairs, each once; so are the next two. What is right and not taught
    makes no pair."""
    batches = triplets()
    assert (len(batches), batches.size) == (4, 8)
    for first in (0, 2):
        pairs = Counter(
            (int(context), int(paper))
            for step in (first, first + 1)
            for context, paper in zip(batches[step].contexts, batches[step].papers[:, 0], strict=True)
        )
        assert pairs == {(0, 0): 1, (0, 1): 1, (1, 3): 1, (2, 4): 1}


def test_a_batch_needs_no_past() -> None:
    """Asked for in any order, by a new object, a step's batch is the same; another seed gives another."""
    batches = triplets()
    later = batches[5]
    batches[0]
    again = triplets()[5]
    assert later.contexts.tolist() == again.contexts.tolist()
    assert later.papers.tolist() == again.papers.tolist()
    assert later.papers.shape == (2, 5)
    assert triplets(8)[5].papers.tolist() != later.papers.tolist()


def test_right_ones_are_no_negatives() -> None:
    """Neither the pair's own paper nor another one that the context cites."""
    batches = triplets()
    for step in range(50):
        for context, papers in zip(batches[step].contexts, batches[step].papers, strict=True):
            assert not set(papers[1:].tolist()) & {*ASKED[context].right, 29}
