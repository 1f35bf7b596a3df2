"""`search.index.milvus.address`."""

from __future__ import annotations

import pytest

from citewhy.base.errors import QueryError
from citewhy.search.index import find_engine
from citewhy.search.index.fields import BM25
from citewhy.search.index.milvus.address import Address
from citewhy.search.index.milvus.engine import MilvusEngine
from citewhy.search.retrieve.parameters import Parameters


def test_an_address() -> None:
    """It names a host, a port, a collection, and how vectors and words are searched."""
    plain = Address.of("milvus://localhost/papers")
    assert (plain.host, plain.port, plain.collection) == ("localhost", 19530, "papers")
    assert (plain.kind, plain.uri, str(plain)) == (
        "FLAT",
        "http://localhost:19530",
        "milvus://localhost:19530/papers",
    )
    other = Address.of("milvus://[::1]:2000/a_1?index=hnsw&k1=1.2&b=0.5&tls=1")
    assert (other.kind, other.bm25, other.uri) == ("HNSW", BM25(1.2, 0.5), "https://[::1]:2000")


def test_the_words_are_searched_as_most_questions_ask() -> None:
    """Their parameters are those of the first stages, unless the address says others."""
    assert Address.of("milvus://localhost/papers").bm25 == Parameters().text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("milvus", "names no server"),
        ("milvus:///papers", "names no server"),
        ("milvus://localhost", "letters, digits"),
        ("milvus://localhost/a/b", "letters, digits"),
        ("milvus://localhost:port/papers", "no address"),
        ("milvus://localhost/papers?index=IVF", "'IVF', expected one of FLAT"),
        ("milvus://localhost/papers?shards=2", "no option 'shards'"),
        ("milvus://localhost/papers?k1=-1", "k1 must be 0 or more"),
        ("milvus://me:secret@localhost/papers", "CITEWHY_MILVUS_TOKEN"),
    ],
)
def test_no_address(text: str, why: str) -> None:
    """The sentence says what is wrong, and shows no password."""
    with pytest.raises(QueryError, match=why) as error:
        find_engine(text)
    assert "secret" not in str(error.value)


def test_an_engine_by_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is made without a connection; the token comes from the environment alone."""
    assert isinstance(find_engine("milvus://localhost/papers"), MilvusEngine)
    monkeypatch.setenv("CITEWHY_MILVUS_TOKEN", "me:secret")
    assert Address.of("milvus://localhost/papers").token == "me:secret"
