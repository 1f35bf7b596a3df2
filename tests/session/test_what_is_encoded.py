"""What of a library has vectors: nothing, papers and citing sentences, or also the parts of abstracts; the
choice is kept with the library."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from hash_encoder import HashEncoder
from latex_drafts import write

from citewhy.base.errors import DamagedError, QueryError, StorageError
from citewhy.base.reports import ToEncode
from citewhy.papers.library.store import Library
from citewhy.search.encode import default_encoder
from citewhy.search.encode.texts import paper_text, part_texts
from citewhy.search.index import CHOICE, choose, chosen
from citewhy.search.index.local import vectors
from citewhy.session.session import Session

Run = Callable[..., tuple[int, str, str]]

SENTENCE = "Glaciers of the Alps lose ice."
LONG = " ".join(f"Sentence {number} says of ice and of snow what was measured then." for number in range(20))


class Usual(HashEncoder):
    """Is taken for the encoder of the package, so that the ranker gives probabilities."""

    def __init__(self) -> None:
        super().__init__()
        self.fingerprint = default_encoder().fingerprint


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A file of a few papers with long abstracts."""
    file = tmp_path / "papers.jsonl"
    rows = [
        {
            "id": f"p{number}",
            "title": f"Ice of glacier {number}",
            "abstract": f"{LONG} {number}",
            "year": 2000,
        }
        for number in range(5)
    ]
    file.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return file


def texts_of(folder: Path) -> tuple[set[str], set[str]]:
    """The texts of the papers of a library, and those of the parts of their abstracts."""
    with Library.open(folder) as library:
        every = [paper for _, paper in library.numbered_papers()]
    return {paper_text(paper) for paper in every}, {text for paper in every for text in part_texts(paper)}


def added(folder: Path, papers: Path, encode: ToEncode | bool, encoder: HashEncoder) -> Path:
    with Session(folder, create=True, encoder=encoder) as session:
        session.add([papers], vectors=encode)
    return folder


def test_nothing_is_encoded(tmp_path: Path, papers: Path) -> None:
    """With words only, neither by adding nor by questions, in this session or another, of the text or of a
    draft; answers say why they have no probabilities."""
    encoder = Usual()
    folder = added(tmp_path / "library", papers, "words-only", encoder)
    draft = write(tmp_path, r"Glaciers of the Alps lose ice \cite{}.")
    with Session(folder, encoder=encoder) as session:
        answer = session.suggest(SENTENCE, 2)
        assert [one.probability for one in answer] == [None] * 2
        assert "not encoded, as was chosen" in " ".join(answer.remarks)
        assert session._current()._encoding is None
        assert session.recommender().index.unencoded
        session.sync()
        session.advise(draft, 1)[0]
        assert set().union(*texts_of(folder)).isdisjoint(encoder.encoded)
        with pytest.raises(QueryError, match="sync --encode titles"):
            session.like("p1", "method")
    with (
        Session(folder, encoder=encoder, pipeline="dense") as session,
        pytest.raises(QueryError, match="the pipeline dense needs vectors"),
    ):
        session.suggest(SENTENCE, 2)


def test_titles(tmp_path: Path, papers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Papers are encoded, no parts of abstracts, whoever asks; answers have probabilities."""
    monkeypatch.setattr(vectors, "_FEW_PARTS", 1_000)  # which would be encoded while a query waits
    encoder = Usual()
    folder = added(tmp_path / "library", papers, "titles", encoder)
    whole, parts = texts_of(folder)
    assert set(encoder.encoded) == whole
    with Session(folder, encoder=encoder) as session:
        answer = session.suggest(SENTENCE, 2, threshold=0.0)
        assert all(one.probability is not None for one in answer)
        assert not [remark for remark in answer.remarks if "encoded" in remark]
        assert session._current()._encoding is None
        assert session.recommender().index.lacks_parts
        assert session.info().vectors == "current"
    assert parts.isdisjoint(encoder.encoded)


def test_more_later(tmp_path: Path, papers: Path) -> None:
    """Each choice encodes only what the one before has not; a session that is open takes it up. Less later
    removes nothing."""
    encoder = Usual()
    folder = added(tmp_path / "library", papers, "words-only", encoder)
    whole, parts = texts_of(folder)
    with Session(folder, encoder=encoder) as asking:
        assert asking.suggest(SENTENCE, 1)[0].probability is None
        with Session(folder, encoder=encoder) as session:
            session.sync(vectors="titles")
        assert set(encoder.encoded) == whole
        assert asking.suggest(SENTENCE, 1, threshold=0.0)[0].probability is not None
        with Session(folder, encoder=encoder) as session:
            session.sync(vectors="full")
        assert sorted(encoder.encoded) == sorted(whole | parts)
        assert not asking.recommender().index.lacks_parts
        with Session(folder, encoder=encoder) as session:
            session.sync(vectors="words-only")
        assert asking.suggest(SENTENCE, 1, threshold=0.0)[0].probability is not None
    assert sorted(encoder.encoded) == sorted(whole | parts)


def test_the_choice_is_kept(tmp_path: Path, papers: Path) -> None:
    """Adding more without a choice follows the one that was made; at first it is everything."""
    encoder = Usual()
    folder = added(tmp_path / "library", papers, "titles", encoder)
    more = tmp_path / "more.jsonl"
    more.write_bytes(orjson.dumps({"id": "q", "title": "Snow of the plains", "abstract": LONG, "year": 2001}))
    added(folder, more, True, encoder)
    whole, parts = texts_of(folder)
    assert set(encoder.encoded) == whole
    assert parts.isdisjoint(encoder.encoded)
    assert chosen(folder) == "titles"
    assert chosen(added(tmp_path / "another", papers, True, encoder)) == "full"


def test_a_killed_import_goes_on(tmp_path: Path, papers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what was encoded before the process was killed, nothing is encoded again."""
    code = (
        "import os, signal, sys; sys.path.insert(0, 'tests/support')\n"
        "from hash_encoder import HashEncoder\n"
        "from citewhy import Session\n"
        "from citewhy.search.index.local import vectors\n"
        "vectors._COMMITTED = 2\n"
        "class Killed(HashEncoder):\n"
        "    def encode(self, texts, kind):\n"
        "        if len(self.batches) == 2:\n"
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
        "        return super().encode(texts, kind)\n"
        f"Session({str(tmp_path / 'library')!r}, create=True, encoder=Killed()).add([{str(papers)!r}])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, timeout=300, cwd=Path(__file__).parents[2]
    )
    assert done.returncode == -signal.SIGKILL
    encoder = HashEncoder()
    with Session(tmp_path / "library", encoder=encoder) as session:
        session.sync()
        assert session.info().vectors == "current"
    whole, parts = texts_of(tmp_path / "library")
    assert len(encoder.encoded) == len(whole | parts) - 4
    assert set(encoder.encoded) < whole | parts


def test_a_choice_that_cannot_be_read(tmp_path: Path, papers: Path) -> None:
    """Is a sentence that names the file, and the next choice replaces it."""
    encoder = Usual()
    folder = added(tmp_path / "library", papers, "titles", encoder)
    for content in (b"", b"[]", b'{"encode": "some"}', b'{"encode": 3}'):
        (folder / CHOICE).write_bytes(content)
        with Session(folder, encoder=encoder) as session, pytest.raises(DamagedError, match=CHOICE):
            session.suggest(SENTENCE, 1)
    with Session(folder, encoder=encoder) as session:
        session.sync(vectors="titles")
        assert session.suggest(SENTENCE, 1).suggestions


def test_on_the_command_line(tmp_path: Path, papers: Path, run: Run) -> None:
    """`add --encode` chooses, `info` tells, `sync --encode` chooses again."""
    folder = tmp_path / "library"
    assert run("add", papers, "--library", folder, "--encode", "words-only")[0] == 0
    assert not (folder / "vectors").exists()
    out = run("info", "--library", folder)[1]
    assert "5 texts not encoded, as was chosen" in out
    assert run("sync", "--library", folder, "--encode", "titles", "--quiet")[0] == 0
    out = run("info", "--library", folder)[1]
    assert "not the parts of abstracts, as was chosen" in out
    document = orjson.loads(run("info", "--library", folder, "--json")[1])
    assert (document["encode"], document["unencoded"], document["vectors"]) == ("titles", 0, "current")
    code, _, error = run("sync", "--library", folder, "--encode", "full", "--no-vectors")
    assert code == 2
    assert "omit --no-vectors" in error


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """Here, one that is not there."""
    with pytest.raises(StorageError, match="cannot write"):
        choose(tmp_path / "nowhere", "titles")
