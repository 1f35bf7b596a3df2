"""Milvus 2.3.5 as a process: many clients, rows twice, kills. `test_indexes.py` has the contract."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hash_encoder import HashEncoder
from milvus_servers import Running, standalone
from small_library import context, make, paper, unsynced

from citewhy.base.errors import NetworkError
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy.search.index import Index, open_index
from citewhy.search.index.milvus import loading
from citewhy.search.index.milvus.collection import Collection
from citewhy.search.index.milvus.engine import MilvusEngine
from citewhy.search.rules import Scope

pytestmark = pytest.mark.full

ENCODER = HashEncoder(dimensions=16)
WORDS = ["tree", "bank", "error", "rate", "model", "corpus", "chart"]
PAPERS, SENTENCES = 400, 399


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    rng = np.random.default_rng(5)
    papers: list[Record] = [
        paper(
            f"p{place:03}",
            f"{' '.join(rng.choice(WORDS, 5))} {place}",
            "Trees." * (place % 2),
            1990 + place % 9,
        )
        for place in range(PAPERS)
    ]
    said = [
        context(
            f"s{place}", f"p{place:03}", f"p{place // 2:03}", f"{' '.join(rng.choice(WORDS, 6))} TARGETCIT."
        )
        for place in range(1, PAPERS)
    ]
    with unsynced(), make(tmp_path_factory.mktemp("library"), [*papers, *said]) as made:
        yield made


@pytest.fixture(scope="module")
def running() -> Running:
    return standalone()


@pytest.fixture
def collection(running: Running, request: pytest.FixtureRequest) -> Iterator[str]:
    name = f"t_{abs(hash(request.node.name)):x}"
    yield name
    engine = MilvusEngine(running.address(name))
    for each in (engine._papers, engine._sentences):
        each.drop()


def answers(index: Index, seed: int) -> list[list[str]]:
    """The nearest papers and sentences as of some years."""
    found = []
    for year in (None, 1992, 1997):
        vector = ENCODER.encode([" ".join(np.random.default_rng(seed).choice(WORDS, 4))], "query")[0]
        view = index.view(Scope(year=year, pool="abstract" if seed % 2 else "all", barred=frozenset({seed})))
        found.append(index.ids(view.nearest(vector, 30).rows))
        found.append(index.ids(view.contexts_near(vector, 20).rows))
    return found


def test_sixteen_clients(library: Library, running: Running, collection: str) -> None:
    """Each with a connection of its own, at the same time, they get the answers of local files."""
    address, local = running.address(collection), open_index(library, ENCODER)
    MilvusEngine(address).open(library, ENCODER)
    expected = [answers(local, seed) for seed in range(8)]

    def client(number: int) -> bool:
        index = MilvusEngine(address).open(library, ENCODER)
        return all(answers(index, seed % 8) == expected[seed % 8] for seed in range(number, number + 24))

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(client, range(16)))


def test_a_number_in_two_partitions(library: Library, running: Running, collection: str) -> None:
    """This server keeps both rows; the next opening leaves the right one."""
    engine = MilvusEngine(running.address(collection))
    index = engine.open(library, ENCODER)
    row: dict[str, Any] = {"number": 7, "year": 1950, "abstract": False, "seal": 5, "name": "p006"}
    engine._papers.write(1950, [row | {"vector": np.ones(16, np.float32)}])
    assert engine._papers.count() == PAPERS + 1
    index = engine.open(library, ENCODER)
    assert engine._papers.count() == PAPERS
    assert answers(index, 3) == answers(open_index(library, ENCODER), 3)


@pytest.mark.parametrize("after", [2, 30, 45])
def test_killed_while_it_is_loaded(
    library: Library, running: Running, collection: str, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """It is killed within a load, and started again, maybe at another port: the error is a sentence, and
    what is loaded in the end is everything, once."""
    monkeypatch.setattr(loading, "BATCH", 16)
    monkeypatch.setattr("citewhy.search.index.milvus.collection.LOADING", 5.0)
    write, calls = Collection.write, []

    def kills(self: Collection, year: int, rows: Any) -> None:
        calls.append(len(rows))
        if len(calls) == after:
            running.kill()
        write(self, year, rows)

    monkeypatch.setattr(Collection, "write", kills)
    with pytest.raises(NetworkError, match="no Milvus server answers"):
        MilvusEngine(running.address(collection)).open(library, ENCODER)
    monkeypatch.undo()
    running.start()
    engine = MilvusEngine(running.address(collection))
    assert engine.state(library)[1] in ("behind", "missing")
    index = engine.open(library, ENCODER)
    assert (engine._papers.count(), engine._sentences.count()) == (PAPERS, SENTENCES)
    assert engine.state(library) == ("current", "current")
    assert answers(index, 1) == answers(open_index(library, ENCODER), 1)


def test_killed_while_questions_are_asked(library: Library, running: Running, collection: str) -> None:
    """When it is back, the answers are as before, and nothing is loaded anew."""
    index = MilvusEngine(running.address(collection)).open(library, ENCODER)
    expected = answers(index, 2)
    running.kill()
    running.start()
    again = MilvusEngine(running.address(collection))
    assert (again._papers.count(), again._sentences.count()) == (PAPERS, SENTENCES)
    assert answers(again.open(library, ENCODER), 2) == expected
