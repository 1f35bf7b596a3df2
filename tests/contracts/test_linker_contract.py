"""Contract of all linkers (`citewhy.ranking.linkage.Linker`)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from model_makers import in_threads, made, of_kind

from citewhy.base.records import FullText, Sentence
from citewhy.ranking.linkage import Linker, open_linker
from citewhy.ranking.linkage.facets import FACETS

TEXT = FullText(
    "zoo",
    tuple(
        Sentence(number, section, text)
        for number, (section, text) in enumerate(
            [
                ("title", "Zebras and lions of the valley"),
                ("abstract", "We count the zebras of the valley."),
                ("1 Introduction", "Lions follow herds of zebras (Smith, 2001)."),
                ("1 Introduction", ""),
                ("2 Results", "We saw 12 zebras and 3 lions."),
                ("2 Results", "We saw 12 zebras and 3 lions."),
                ("", "∑ 机器"),
            ]
        )
    ),
)

CITANCES = [
    "Zebras were counted (Lee, 2004).",
    "As TARGETCIT saw 3 lions , OTHERCIT saw none .",
    "",
    "∑ the of",
]


@pytest.fixture(scope="module", params=of_kind("linker"))
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(request.param, tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def linker(folder: Path) -> Linker:
    return open_linker(folder)


def test_scores(linker: Linker) -> None:
    """[citances, sentences], 32 bits, finite; the sentence that shares the most words scores higher than one
    that shares none."""
    scores = linker(CITANCES, TEXT)
    assert scores.shape == (len(CITANCES), len(TEXT.sentences))
    assert scores.dtype == np.float32
    assert np.isfinite(scores).all()
    assert scores[1][4] > scores[1][6]


def test_a_row_is_that_of_its_citing_sentence(linker: Linker) -> None:
    """A row is bitwise the same alone, among others, in another order, and again."""
    scores = linker(CITANCES, TEXT)
    assert np.array_equal(np.concatenate([linker([each], TEXT) for each in CITANCES]), scores)
    assert np.array_equal(linker(CITANCES[::-1], TEXT), scores[::-1])
    linker(["Cows."], FullText("other", TEXT.sentences[:3]))
    assert np.array_equal(linker(CITANCES, TEXT), scores)


def test_nothing_to_link(linker: Linker) -> None:
    """Without sentences or without citances, the table is empty."""
    assert linker(CITANCES, FullText("x", ())).shape == (len(CITANCES), 0)
    assert linker([], TEXT).shape == (0, len(TEXT.sentences))
    assert linker.links("Zebras", FullText("x", ())) == []


@pytest.mark.parametrize("k", [1, 3, 100])
@pytest.mark.parametrize("citance", CITANCES)
def test_links(linker: Linker, citance: str, k: int) -> None:
    """There are at most `k` links, best first, each around its best sentence; they do not overlap, and are in
    the text."""
    links = linker.links(citance, TEXT, k)
    assert len(links) <= k
    taken = [place for link in links for place in range(link.first, link.last + 1)]
    assert len(set(taken)) == len(taken)
    assert all(0 <= link.first <= link.best <= link.last < len(TEXT.sentences) for link in links)
    scores = [link.score for link in links]
    assert scores == sorted(scores, reverse=True)
    assert all(link.facet in (*FACETS, "") for link in links)
    assert links == linker.links(citance, TEXT, k)


def test_fewer_links_are_the_first_of_more(linker: Linker) -> None:
    """A larger `k` does not change the best links."""
    more = linker.links(CITANCES[1], TEXT, 3)
    assert more
    assert linker.links(CITANCES[1], TEXT, 1) == more[:1]


def test_opened_twice_and_by_many_threads(folder: Path, linker: Linker) -> None:
    """Opened again, and in many threads, it gives the same scores."""
    alone, again = linker(CITANCES, TEXT), open_linker(folder)
    assert all(
        np.array_equal(found, alone) for found in in_threads(lambda _: again(CITANCES, TEXT), range(16))
    )
