"""Encoders of vectors that others have published, of papers of a library."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import orjson
import pytest
from tiny_onnx import tiny_onnx

from citewhy.base.errors import InputError, ModelError
from citewhy.search.encode import open_encoder
from citewhy.session.adopting import adopt_embeddings
from citewhy.session.session import Session

Run = Callable[..., tuple[int, str, str]]

SIZE = 8


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Papers with ids of Semantic Scholar, of OpenAlex, and with a DOI."""
    papers = [
        {"id": "CorpusId:102072882", "title": "Trees and how to parse them", "year": 2001},
        {"id": "W27", "title": "A model of translation", "year": 2002},
        {"id": "key", "title": "The words of the model", "doi": "10.1000/182", "year": 2003},
        {"id": "other", "title": "Nobody has a vector of this", "year": 2004},
    ]
    file = tmp_path / "papers.jsonl"
    file.write_bytes(b"\n".join(map(orjson.dumps, papers)))
    with Session(tmp_path / "library", create=True) as session:
        session.add([file], vectors=False)
    return tmp_path / "library"


def vector(number: int) -> list[float]:
    """A vector as they are published: not of length 1."""
    return [float(value) for value in 3 * np.random.default_rng(number).normal(size=SIZE)]


@pytest.fixture
def rows(tmp_path: Path) -> list[Path]:
    """A file as Semantic Scholar gives them, and tables by OpenAlex's ids and by DOIs."""
    specter = tmp_path / "embeddings-specter_v2.jsonl.gz"
    published = [
        {"corpusid": number, "model": "specter_v2", "vector": str(vector(number))}
        for number in (5, 102072882, 7)
    ]
    specter.write_bytes(gzip.compress(b"\n".join(map(orjson.dumps, published))))
    others = tmp_path / "others.jsonl"
    tables = [
        {"id": "https://openalex.org/W27", "embedding": vector(27)},
        {"id": "https://openalex.org/W28", "embedding": vector(28)},
        {"doi": "https://doi.org/10.1000/182", "embedding": vector(182)},
        {"doi": "https://doi.org/10.1000/182", "embedding": vector(183)},
    ]
    others.write_bytes(b"\n".join(map(orjson.dumps, tables)))
    return [specter, others]


def unit(number: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    values = np.array(vector(number), dtype=np.float32)
    return values / np.linalg.norm(values)


TITLES = ["Trees and how to parse them", "A model of translation", "The words of the model"]


def test_vectors_are_taken_as_they_are(tmp_path: Path, library: Path, rows: list[Path]) -> None:
    """Of each paper by its id or DOI, scaled to length 1, the first of several; nothing of a paper without a
    row, nor of a sentence. The folder says whose they are."""
    out = tmp_path / "specter2"
    report = adopt_embeddings(library, rows, out, source="AI2", licence="ODC-BY")
    assert (report.rows, report.found, report.papers, report.refused) == (7, 3, 4, 0)
    encoder = open_encoder(out)
    found = encoder.encode([*TITLES, "Nobody has a vector of this", ""], "paper")
    expected = np.stack([unit(102072882), unit(27), unit(182), np.zeros(SIZE), np.zeros(SIZE)])
    assert found == pytest.approx(expected, abs=1e-3)
    assert not encoder.encode(TITLES, "query").any()
    facts = orjson.loads((out / "manifest.json").read_bytes())["facts"]
    assert facts == {
        **{"dimensions": SIZE, "source": "AI2", "licence": "ODC-BY", "reads_texts": False},
        **{"ids": ["corpusid", "doi", "openalex"], "papers": 3},
    }


def test_papers_are_compared_by_them(tmp_path: Path, library: Path, rows: list[Path]) -> None:
    """A question that is a paper with a vector is answered by vectors; a sentence by words."""
    out = tmp_path / "specter2"
    adopt_embeddings(library, rows, out, source="AI2", licence="ODC-BY")
    with Session(library, encoder=out, pipeline="dense") as session:
        session.sync()
        order = [one.paper.id for one in session.like("W27")]
        near = {"CorpusId:102072882": unit(102072882) @ unit(27), "key": unit(182) @ unit(27)}
        assert order == [*sorted(near, key=lambda one: -near[one]), "other"]
    with Session(library, encoder=out) as session:
        assert session.suggest("We parse trees.", 1, threshold=0.0)[0].paper.id == "CorpusId:102072882"


def test_with_an_encoder_of_texts(tmp_path: Path, library: Path, rows: list[Path]) -> None:
    """Sentences, and papers without a row, have its vectors; papers with a row those that were published."""
    network = tmp_path / "network"
    network.mkdir()
    tiny_onnx(network)
    out = tmp_path / "specter2"
    report = adopt_embeddings(library, rows, out, source="AI2", licence="ODC-BY", network=network)
    assert report.reads_texts
    encoder, of_texts = open_encoder(out), open_encoder(network)
    texts = [TITLES[0], "Nobody has a vector of this"]
    assert np.array_equal(encoder.encode(texts, "query"), of_texts.encode(texts, "query"))
    found = encoder.encode(texts, "paper")
    assert found[0] == pytest.approx(unit(102072882), abs=1e-3)
    assert np.array_equal(found[1:], of_texts.encode(texts[1:], "paper"))
    assert encoder.fingerprint != of_texts.fingerprint


@pytest.mark.parametrize(
    "line",
    [
        b"no JSON",
        b"[]",
        b'{"corpusid": 102072882}',
        b'{"vector": [1, 2]}',
        b'{"corpusid": 102072882, "vector": "[1, "}',
        b'{"corpusid": 102072882, "vector": {"a": 1}}',
        b'{"corpusid": 102072882, "vector": 3}',
        b'{"corpusid": 102072882, "vector": []}',
    ],
)
def test_a_line_that_is_no_vector(tmp_path: Path, library: Path, line: bytes) -> None:
    """Is named by its number, and nothing is written."""
    file = tmp_path / "rows.jsonl"
    file.write_bytes(orjson.dumps({"id": "W27", "vector": vector(1)}) + b"\n\n" + line)
    with pytest.raises(InputError, match=r"vector .*") as raised:
        adopt_embeddings(library, [file], tmp_path / "out", source="", licence="")
    assert raised.value.line == 3
    assert not (tmp_path / "out").exists()


def test_vectors_that_are_left_out(tmp_path: Path, library: Path) -> None:
    """Those without length, and with another number of dimensions than the first; if there are no others, or
    the encoder of texts has others, nothing is written."""
    file = tmp_path / "rows.jsonl"
    tables = [("W27", vector(27)), ("key", [0.0] * SIZE), ("other", [1.0, 2.0])]
    file.write_bytes(b"\n".join(orjson.dumps({"id": one, "vector": row}) for one, row in tables))
    report = adopt_embeddings(library, [file], tmp_path / "out", source="", licence="")
    assert (report.found, report.refused) == (1, 2)
    with pytest.raises(InputError, match="already exists"):
        adopt_embeddings(library, [file], tmp_path / "out", source="", licence="")
    file.write_bytes(orjson.dumps({"id": "nothing", "vector": vector(3)}))
    with pytest.raises(ModelError, match="no row has a vector of a paper"):
        adopt_embeddings(library, [file], tmp_path / "none", source="", licence="")
    network = tmp_path / "network"
    network.mkdir()
    tiny_onnx(network)
    file.write_bytes(orjson.dumps({"id": "key", "vector": [1.0, 2.0]}))
    with pytest.raises(ModelError, match="expected 2"):
        adopt_embeddings(library, [file], tmp_path / "none", source="", licence="", network=network)
    assert not (tmp_path / "none").exists()


def test_on_the_command_line(tmp_path: Path, library: Path, rows: list[Path], run: Run) -> None:
    out = tmp_path / "specter2"
    arguments = ("--library", library, "--out", out, "--source", "AI2", "--licence", "ODC-BY")
    code, printed, _ = run("embeddings", *rows, *arguments)
    assert code == 0
    assert "vectors of 3 of 4 papers, from 7 rows; it has no vectors of sentences" in " ".join(
        printed.split()
    )
    assert run("sync", "--library", library, "--encoder", out, "--encode", "titles", "--quiet")[0] == 0
    code, _, error = run("embeddings", *rows, *arguments)
    assert code == 2
    assert "already exists" in error
