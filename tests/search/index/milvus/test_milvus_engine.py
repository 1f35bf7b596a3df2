"""`search.index.milvus`: how a collection follows its library, and what is said where it cannot."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hash_encoder import HashEncoder
from milvus_servers import Running, lite, new
from small_library import cites, context, make, paper, unsynced

from citewhy.base.errors import CiteWhyError, MissingExtraError, NetworkError, StorageError
from citewhy.papers.formats import Record
from citewhy.papers.library.store import Library
from citewhy.search.index import Index, open_index, open_layer
from citewhy.search.index.fields import BM25
from citewhy.search.index.milvus import loading, server
from citewhy.search.index.milvus.collection import Collection
from citewhy.search.index.milvus.engine import MilvusEngine
from citewhy.search.rules import Scope
from citewhy.session.session import Session

ENCODER = HashEncoder(dimensions=16)
OTHER = HashEncoder("other", dimensions=24)
TERMS = {"tree": 1.0, "bank": 0.5, "rate": 1.0}
BM25_OF_TEXT = BM25(2.5, 0.75)
WORDS = ["tree", "bank", "error", "rate", "model", "corpus", "chart"]


def records(count: int) -> list[Record]:
    rng = np.random.default_rng(5)
    papers: list[Record] = [
        paper(
            f"p{place:03}",
            f"{' '.join(rng.choice(WORDS, 4))} {place}",
            "Trees have banks." if place % 3 else "",
            1990 + place % 12 if place % 7 else None,
        )
        for place in range(count)
    ]
    sentences = [
        context(
            f"s{place}", f"p{place:03}", f"p{place // 2:03}", f"{' '.join(rng.choice(WORDS, 5))} TARGETCIT."
        )
        for place in range(1, count)
    ]
    return [*papers, *sentences, *cites("p004 p001", "p005 p001")]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with unsynced(), make(tmp_path / "library", records(60)) as made:
        yield made


@pytest.fixture
def name() -> Iterator[str]:
    """The name of a collection that is removed after the test."""
    name = f"t{uuid.uuid4().hex[:12]}"
    running = lite()
    yield name
    engine = MilvusEngine(running.address(name))
    for collection in (engine._papers, engine._sentences):
        if collection.exists():
            collection.drop()


@pytest.fixture
def engine(name: str) -> MilvusEngine:
    return MilvusEngine(lite().address(name))


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the rows that are written, in both collections."""
    numbers: list[int] = []
    write = Collection.write

    def spy(self: Collection, year: int, rows: Any) -> None:
        write(self, year, rows)
        numbers.extend(row["number"] for row in rows)

    monkeypatch.setattr(Collection, "write", spy)
    return numbers


def answers(index: Index) -> list[Any]:
    """Searches of an index as of several scopes."""
    found: list[Any] = []
    vector = ENCODER.encode(["tree bank rate"], "query")[0]
    for scope in (Scope(), Scope(year=1995), Scope(year=1999, pool="abstract", barred=frozenset({3, 4}))):
        view = index.view(scope)
        both = view.nearest(vector, 20), view.search("text", TERMS, BM25_OF_TEXT, 20)
        found.extend((index.ids(hits.rows), hits.scores.tolist()) for hits in both)
        near = view.contexts_near(vector, 10)
        found.append((near.rows.tolist(), near.cosines.tolist()))
        found.append((view.largest("text", TERMS, BM25_OF_TEXT), view.pool_size()))
    return found


def alike(index: Index, library: Library) -> bool:
    """Whether an index answers as the local one does."""
    expected = answers(open_index(library, ENCODER))
    assert len(expected[0][0]) == 20
    for (one, numbers), (other, others) in zip(answers(index), expected, strict=True):
        assert one == other
        assert numbers == pytest.approx(others, abs=1e-5)  # faiss sums in another order
    return True


# Following the library --------------------------------------------------------------------------------------


def test_only_what_changed_is_written(library: Library, engine: MilvusEngine, written: list[int]) -> None:
    """All at first, then new and changed rows; those of papers whose year changed move, removed ones go. An
    index that is current is opened without a write."""
    assert alike(engine.open(library, ENCODER), library)
    assert len(written) == 60 + 59
    written.clear()
    engine.open(library, ENCODER)
    assert written == []
    library.add(
        [paper("p002", f"{'tree ' * 3} 2", "Now with an abstract.", 1971), paper("new", "A new tree")]
    )
    library.remove(["p010"])
    index = engine.open(library, ENCODER)
    assert alike(index, library)
    assert (
        len(written) < 20
    )  # the two papers, and the sentences of which the citing or cited paper is another
    assert engine._papers.count() == 60
    assert engine.state(library) == ("current", "current")


def test_another_client_sees_the_same(library: Library, engine: MilvusEngine, name: str) -> None:
    """What one process has loaded, another takes as it is."""
    engine.open(library, ENCODER)
    other = MilvusEngine(lite().address(name))
    assert other.state(library) == ("current", "current")
    assert alike(other.open(library, ENCODER), library)


def test_all_is_written_again_when_texts_have_other_lengths(
    library: Library, engine: MilvusEngine, written: list[int]
) -> None:
    """The weights of words depend on the mean length of texts; small changes of it do not matter."""
    engine.open(library, ENCODER)
    written.clear()
    library.add([paper("long", "A tree", "A tree has a bank. " * 200)])
    assert alike(engine.open(library, ENCODER), library)
    assert len(written) >= 61


@pytest.mark.parametrize("after", [1, 3, 9])
def test_a_load_that_stops(
    library: Library, engine: MilvusEngine, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """It never counts as complete, and goes on with what is missing."""
    monkeypatch.setattr(loading, "BATCH", 8)
    write, calls = Collection.write, []

    def stops(self: Collection, year: int, rows: Any) -> None:
        calls.append(len(rows))
        if len(calls) == after:
            raise KeyboardInterrupt
        write(self, year, rows)

    monkeypatch.setattr(Collection, "write", stops)
    with pytest.raises(KeyboardInterrupt):
        engine.open(library, ENCODER)
    assert engine.state(library)[1] in ("behind", "missing")
    done = sum(calls[:-1])
    calls.clear()

    def goes_on(self: Collection, year: int, rows: Any) -> None:
        calls.append(len(rows))
        write(self, year, rows)

    monkeypatch.setattr(Collection, "write", goes_on)
    assert alike(engine.open(library, ENCODER), library)
    assert sum(calls) == 60 + 59 - done
    assert engine.state(library) == ("current", "current")


def test_rows_that_the_server_lost(library: Library, engine: MilvusEngine) -> None:
    """Their number shows it, and they are written again, with what else is not as it was."""
    index = engine.open(library, ENCODER)
    engine._papers.delete(index.papers()[:5].tolist())
    assert alike(engine.open(library, ENCODER), library)
    row = {
        **{"number": 7, "year": 1950, "abstract": False, "seal": 5, "name": "p007"},
        **{"vector": np.ones(16, np.float32), "words": {0: 1.0}},
    }
    engine._papers.delete([8])
    engine._papers.write(1950, [row])
    assert alike(engine.open(library, ENCODER), library)
    assert engine._papers.count() == 60


def test_a_library_from_a_backup(
    tmp_path: Path, library: Library, engine: MilvusEngine, written: list[int]
) -> None:
    """An earlier state of the same library takes the collection back to it."""
    import shutil

    shutil.copytree(library.folder, tmp_path / "backup", ignore=shutil.ignore_patterns("index", "milvus"))
    library.add(
        [paper(f"n{place}", f"A model of the bank rate error charts corpus {place}") for place in range(4)]
    )
    engine.open(library, ENCODER)
    written.clear()
    with unsynced(), Library.open(tmp_path / "backup") as backup:
        assert engine._state(backup) == "ahead"
        assert alike(engine.open(backup, ENCODER), backup)
        assert written == []
        assert engine._papers.count() == 60


def test_remove(tmp_path: Path, library: Library, engine: MilvusEngine) -> None:
    """What is removed is that of the library alone."""
    engine.open(library, ENCODER)
    with unsynced(), make(tmp_path / "other", records(5)) as other:
        engine.remove(other)
        assert engine.state(library) == ("current", "current")
    engine.remove(library)
    assert engine.state(library) == ("missing", "missing")
    assert not engine._papers.exists()


def test_a_layer(tmp_path: Path, library: Library, engine: MilvusEngine) -> None:
    """What lies over a library in Milvus is searched with it: what it adds, replaces and hides."""
    below, local = engine.open(library, ENCODER), open_index(library, ENCODER)
    for folder in ("layer", "plain"):
        (tmp_path / folder).mkdir()
    added = [
        paper("over", "tree bank tree rate", "", 1994),
        paper("p001", "tree tree tree 1", "Another abstract.", 1992),
    ]
    with (
        Library.over(library, tmp_path / "layer", create=True) as layer,
        Library.over(library, tmp_path / "plain", create=True) as plain,
    ):
        layer.add(added)
        plain.add(added)
        over = answers(open_layer(layer, below, ENCODER))
        assert "over" in over[0][0]
        for (one, numbers), (other, others) in zip(
            over, answers(open_layer(plain, local, ENCODER)), strict=True
        ):
            assert one == other
            assert numbers == pytest.approx(others, abs=1e-5)


def test_without_sparse_vectors(
    library: Library, engine: MilvusEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Servers before 2.4 search vectors; words are searched here."""
    monkeypatch.setattr(Collection, "has_sparse_vectors", False)
    index = engine.open(library, ENCODER)
    assert index.words is None  # type: ignore[attr-defined]
    assert alike(index, library)


def test_an_approximate_index(library: Library, name: str) -> None:
    """Nearest papers come from the graph, words as ever."""
    index = MilvusEngine(lite().address(name, "?index=HNSW")).open(library, ENCODER)
    found, exact = answers(index), answers(open_index(library, ENCODER))
    for place, (one, other) in enumerate(zip(found, exact, strict=True)):
        if place % 4 == 0:
            assert len({*one[0]} & {*other[0]}) >= 0.9 * len(other[0])
        if place % 4 == 1:
            assert one == other


# What cannot be done ----------------------------------------------------------------------------------------


def test_another_library(tmp_path: Path, library: Library, engine: MilvusEngine) -> None:
    """A collection is of one library, and no other's rows replace them."""
    engine.open(library, ENCODER)
    with unsynced(), make(tmp_path / "other", records(5)) as other:
        with pytest.raises(StorageError, match="is of another library; name another collection"):
            engine.open(other, ENCODER)
        assert engine.state(other)[1] == "ahead"
    assert engine.state(library) == ("current", "current")


def test_another_encoder(library: Library, engine: MilvusEngine) -> None:
    """Its vectors are not mixed with others."""
    engine.open(library, ENCODER)
    with pytest.raises(StorageError, match=r"vectors of another encoder \(16 dimensions, .*expected 24"):
        engine.open(library, OTHER)


def test_a_collection_of_others(library: Library, engine: MilvusEngine, name: str) -> None:
    """What is not CiteWhy's stays as it is."""
    engine._server.call(lambda client: client.create_collection(name, dimension=16))
    with pytest.raises(StorageError, match=f"the collection {name} is not CiteWhy's"):
        engine.open(library, ENCODER)


def test_no_server(library: Library) -> None:
    """The sentence says where none answers; the library answers as ever without it."""
    pytest.importorskip("pymilvus")
    engine = MilvusEngine("milvus://127.0.0.1:9/papers")
    with pytest.raises(NetworkError, match=r"no Milvus server answers at 127\.0\.0\.1:9 .*library is whole"):
        engine.open(library, ENCODER)
    assert engine.open(library).encoder is None


def test_without_the_package(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the command that installs it."""
    monkeypatch.setitem(__import__("sys").modules, "pymilvus", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'citewhy\[milvus\]'"):
        MilvusEngine("milvus://127.0.0.1:9/papers").open(library, ENCODER)


class RefusesError(Exception):
    """An error of the client."""


@pytest.mark.parametrize(
    ("said", "error", "sentence", "asked"),
    [
        ("permission deny: insert", StorageError, "set CITEWHY_MILVUS_TOKEN", 1),
        ("vector dimension mismatch", StorageError, "the Milvus server refuses", 1),
        ("can't find collection", CiteWhyError, "can't find collection", 1),
        ("collection not loaded", NetworkError, "no Milvus server answers", 4),
    ],
)
def test_what_a_server_says(
    monkeypatch: pytest.MonkeyPatch, said: str, error: type[Exception], sentence: str, asked: int
) -> None:
    """What passes is asked again, as long as there is patience; what lasts is a sentence at once."""
    monkeypatch.setattr(server, "_client_class", lambda: lambda **_: object())
    monkeypatch.setattr(server, "_PAUSE", (0.001, 0.001))
    one = MilvusEngine("milvus://localhost/papers")._server
    calls: list[object] = []

    def refuse(client: object) -> None:
        calls.append(client)
        if len(calls) == 4:
            monkeypatch.setattr("time.monotonic", lambda: 1e9)
        raise RefusesError(said)

    with pytest.raises(error, match=sentence):
        one.call(refuse, 1e6)
    assert len(calls) == asked


def test_what_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that is answered in the end is answered."""
    monkeypatch.setattr(server, "_client_class", lambda: lambda **_: 5)
    monkeypatch.setattr(server, "_PAUSE", (0.001, 0.001))
    calls: list[int] = []

    def late(client: int) -> int:
        calls.append(client)
        if len(calls) < 3:
            raise RefusesError("service unavailable")
        return client

    assert MilvusEngine("milvus://localhost/papers")._server.call(late, 1e6) == 5


# Kills ------------------------------------------------------------------------------------------------------


@pytest.fixture
def own_server() -> Callable[[], Running]:
    lite()  # skips where there is none
    return lambda: new("lite")


@pytest.mark.full
@pytest.mark.parametrize("after", [1, 7])
def test_a_server_that_is_killed_while_it_is_loaded(
    library: Library, own_server: Callable[[], Running], monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """The error is a sentence; when it is back, wherever it listens, the load goes on."""
    monkeypatch.setattr(loading, "BATCH", 8)
    monkeypatch.setattr("citewhy.search.index.milvus.collection.LOADING", 2.0)
    running, write, calls = own_server(), Collection.write, []

    def kills(self: Collection, year: int, rows: Any) -> None:
        calls.append(len(rows))
        if len(calls) == after:
            running.kill()
        write(self, year, rows)

    monkeypatch.setattr(Collection, "write", kills)
    with pytest.raises(NetworkError, match="no Milvus server answers"):
        MilvusEngine(running.address("papers")).open(library, ENCODER)
    running.start()
    monkeypatch.setattr(Collection, "write", write)
    engine = MilvusEngine(running.address("papers"))
    assert engine.state(library)[1] in ("behind", "missing")
    assert alike(engine.open(library, ENCODER), library)


# Behind the doors -------------------------------------------------------------------------------------------


def test_a_session(tmp_path: Path, name: str) -> None:
    """Added papers are loaded, and questions answered as from local files; a draft's bibliography and the
    starter library are none of the server's."""
    file = tmp_path / "papers.bib"
    file.write_text(
        "".join(
            f"@misc{{k{place}, title={{{word} trees of {place} banks}}, year={{2001}}, author={{Lee}}}}\n"
            for place, word in enumerate(WORDS)
        )
    )
    draft = tmp_path / "draft.md"
    draft.write_text("# Charts\n\nCharts have trees [@?].\n")
    address = lite().address(name)
    with unsynced(), Session(tmp_path / "library", create=True, engine=address, encoder=ENCODER) as session:
        session.add([file])
        info = session.info()
        assert (info.index, info.vectors) == ("current", "current")
        served = [each.paper.id for each in session.suggest("Charts have trees.", threshold=0.0)]
    with Session(tmp_path / "library", encoder=ENCODER) as session:
        assert [each.paper.id for each in session.suggest("Charts have trees.", threshold=0.0)] == served
    assert served
