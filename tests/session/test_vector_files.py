"""Vectors that machines encode apart, and that a library takes from their files."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import orjson
import pytest
from hash_encoder import HashEncoder

from citewhy.base.errors import DamagedError, InputError, QueryError, StorageError
from citewhy.search.index import Index
from citewhy.search.index.local.vector_file import UNFINISHED, is_vector_file
from citewhy.session.session import Session
from citewhy.session.vector_files import encode_to_file, take_vectors

Run = Callable[..., tuple[int, str, str]]

LONG = " ".join(f"Sentence {number} says of ice and of snow what was measured then." for number in range(20))


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A file of papers with long abstracts, of which two have the same text."""
    file = tmp_path / "papers.jsonl"
    rows = [
        {"id": f"p{one}", "title": f"Ice of glacier {one}", "abstract": f"{LONG} {one}", "year": 2000 + one}
        for one in range(12)
    ]
    file.write_bytes(b"\n".join(map(orjson.dumps, [*rows, rows[0] | {"id": "q", "year": 1990}])))
    return file


@pytest.fixture
def contexts(tmp_path: Path) -> Path:
    """A file of citing sentences."""
    file = tmp_path / "contexts.jsonl"
    rows = [
        {
            "context_id": f"c{one}",
            "citing_id": "x",
            "cited_ids": [f"p{one}"],
            "text": f"Glacier {one} melts (TARGETCIT).",
        }
        for one in range(7)
    ]
    file.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return file


@pytest.fixture
def whole(tmp_path: Path, papers: Path, contexts: Path) -> Path:
    """A library that one machine has encoded."""
    with Session(tmp_path / "whole", create=True, encoder=HashEncoder()) as session:
        session.add([papers, contexts])
    return tmp_path / "whole"


def bare(tmp_path: Path, *files: Path) -> Path:
    """The same library, of which nothing is encoded."""
    with Session(tmp_path / "bare", create=True, encoder=HashEncoder()) as session:
        session.add(files, vectors=False)
    return tmp_path / "bare"


def index_of(folder: Path, encoder: HashEncoder) -> Index:
    with Session(folder, encoder=encoder) as session:
        return session.recommender().index


def vectors_in(index: Index) -> list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    """The vectors of papers, of citing sentences and of parts."""
    assert index.paper_vectors is not None
    assert index.sentence_vectors is not None
    assert index.part_vectors is not None
    return [
        index.paper_vectors.vectors(np.arange(index.paper_vectors.rows)),
        index.sentence_vectors.vectors(np.arange(index.sentence_vectors.rows)),
        index.part_vectors.of(np.arange(index.paper_vectors.rows))[1],
    ]


@pytest.mark.parametrize("from_files", [True, False])
def test_all_shards_are_the_whole(
    tmp_path: Path, papers: Path, contexts: Path, whole: Path, from_files: bool
) -> None:
    """Three machines, each with the files or a copy of the library, encode disjoint shards; together they
    give what one machine makes, and the library encodes nothing more."""
    folder = bare(tmp_path, papers, contexts)
    files, encoded = [], []
    for number in (1, 2, 3):
        encoder = HashEncoder()
        with Session(folder, encoder=encoder) as session:
            report = encode_to_file(
                session,
                tmp_path / f"{number}.vectors",
                (number, 3),
                paths=[papers, contexts] if from_files else (),
            )
        assert report.vectors == report.encoded
        files.append(Path(report.file))
        encoded += encoder.encoded
    assert len(encoded) == len(set(encoded))
    encoder = HashEncoder()
    with Session(folder, encoder=encoder) as session:
        first = take_vectors(session, files[:1])
        assert first.missing
        assert session.info().unencoded
        rest = take_vectors(session, files[1:])
        assert (rest.missing, rest.known) == (0, first.taken)
        assert (session.info().vectors, session.info().unencoded) == ("current", 0)
    assert not encoder.encoded
    one, other = index_of(whole, HashEncoder()), index_of(folder, encoder)
    assert not other.lacks_parts
    for ours, theirs in zip(vectors_in(other), vectors_in(one), strict=True):
        assert len(ours)
        assert np.array_equal(ours, theirs)
    assert not encoder.encoded


def test_what_the_library_has_is_copied(tmp_path: Path, whole: Path) -> None:
    encoder = HashEncoder()
    with Session(whole, encoder=encoder) as session:
        report = encode_to_file(session, tmp_path / "all.vectors")
    assert report.vectors
    assert not report.encoded
    assert not encoder.encoded


def test_only_equal_texts(tmp_path: Path, papers: Path, contexts: Path) -> None:
    """Of another text, also under the same id, nothing is taken; of texts that a file does not have, and of
    those that the library does not have, neither."""
    folder = bare(tmp_path, papers)
    other = tmp_path / "other.jsonl"
    rows = [orjson.loads(line) for line in papers.read_bytes().splitlines()]
    rows[0]["title"] = "Snow of glacier 0"
    other.write_bytes(b"\n".join(map(orjson.dumps, rows[:3])))
    with Session(folder, encoder=HashEncoder()) as session:
        encode_to_file(session, tmp_path / "other.vectors", paths=[other, contexts], texts="titles")
        report = take_vectors(session, [tmp_path / "other.vectors"])
        assert (report.known, report.taken) == (0, 2)


def test_a_killed_run_goes_on(tmp_path: Path, papers: Path) -> None:
    """Of what was encoded before, nothing is encoded again; until then there is no file, and what is there is
    not taken."""
    out = tmp_path / "all.vectors"
    code = (
        "import os, signal, sys; from pathlib import Path; sys.path.insert(0, 'tests/support')\n"
        "from hash_encoder import HashEncoder\n"
        "from citewhy import Session\n"
        "from citewhy.session import vector_files\n"
        "vector_files._BATCH = 2\n"
        "class Killed(HashEncoder):\n"
        "    def encode(self, texts, kind):\n"
        "        if len(self.batches) == 3:\n"
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
        "        return super().encode(texts, kind)\n"
        "session = Session(create=True, encoder=Killed())\n"
        f"vector_files.encode_to_file(session, Path({str(out)!r}), paths=[Path({str(papers)!r})])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, timeout=300, cwd=Path(__file__).parents[2]
    )
    assert done.returncode == -signal.SIGKILL
    assert not out.exists()
    unfinished = out.with_name(out.name + UNFINISHED)
    encoder = HashEncoder()
    with Session(bare(tmp_path, papers), encoder=encoder) as session:
        with pytest.raises(InputError, match="unfinished"):
            take_vectors(session, [unfinished])
        report = encode_to_file(session, out, paths=[papers])
    assert report.vectors - report.encoded == 6
    assert len(encoder.encoded) == report.encoded
    assert not unfinished.exists()


def changed(path: Path, statement: str) -> None:
    """Runs a statement on the last row of a file of vectors."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(f"{statement} WHERE key = (SELECT max(key) FROM vectors)")


def test_files_that_are_not_taken(tmp_path: Path, papers: Path) -> None:
    """Of another encoder, altered, cut off, or no such file: a sentence each, and the library is unchanged,
    also by the files that are whole."""
    folder = bare(tmp_path, papers)
    good, bad = tmp_path / "good.vectors", tmp_path / "bad.vectors"
    with Session(folder, encoder=HashEncoder()) as session:
        encode_to_file(session, good, (1, 2))
        encode_to_file(session, bad, (2, 2))
        content = bad.read_bytes()
        with Session(folder, encoder=HashEncoder("another")) as other:
            for path in (good, bad):
                with pytest.raises(InputError, match=r"of the encoder hash .*expected those of another"):
                    take_vectors(other, [path])
        for damaged in (content[:-4096], content[: len(content) // 2]):
            bad.write_bytes(damaged)
            with pytest.raises(DamagedError, match="make it again"):
                take_vectors(session, [good, bad])
        bad.write_bytes(content)
        changed(bad, "UPDATE vectors SET code = zeroblob(length(code))")
        with pytest.raises(DamagedError, match="a vector was altered"):
            take_vectors(session, [good, bad])
        bad.write_bytes(content)
        changed(bad, "DELETE FROM vectors")
        with pytest.raises(DamagedError, match="as they were written"):
            take_vectors(session, [good, bad])
        with pytest.raises(InputError, match="no file of vectors"):
            take_vectors(session, [papers])
        bad.write_bytes(content)
        assert take_vectors(session, [good, bad]).known == 0


def test_what_cannot_be_encoded(tmp_path: Path, papers: Path) -> None:
    """A file that exists, a shard that there is not, something else that was begun, a folder that cannot be
    written: a sentence each."""
    with Session(bare(tmp_path, papers), encoder=HashEncoder()) as session:
        with pytest.raises(InputError, match="already exists"):
            encode_to_file(session, papers)
        for shard in ((0, 3), (4, 3), (1, 0)):
            with pytest.raises(QueryError, match="no shard"):
                encode_to_file(session, tmp_path / "x", shard)
        with pytest.raises(StorageError, match="cannot be written"):
            encode_to_file(session, tmp_path / "nowhere" / "x")
        with pytest.raises(InputError, match="no such file"):
            encode_to_file(session, tmp_path / "x", paths=[tmp_path / "none.jsonl"])
        begun = tmp_path / ("y" + UNFINISHED)
        encode_to_file(session, begun, (1, 2))
        with pytest.raises(InputError, match="another shard was begun"):
            encode_to_file(session, tmp_path / "y", (2, 2))
        begun.write_bytes(b"no database, and long enough to be looked at " * 100)
        assert encode_to_file(session, tmp_path / "y", (2, 2)).vectors


def test_on_the_command_line(tmp_path: Path, papers: Path, run: Run) -> None:
    """Two shards are encoded, and added together with the papers: nothing else is encoded."""
    for shard in ("1/2", "2/2"):
        out = tmp_path / f"{shard[0]}.vectors"
        code, printed, _ = run("encode", papers, "--shard", shard, "--out", out)
        assert code == 0
        assert f"shard {shard[0]} of 2" in " ".join(printed.split())
        assert is_vector_file(out)
    folder = tmp_path / "library"
    code, printed, _ = run("add", papers, tmp_path / "1.vectors", tmp_path / "2.vectors", "--library", folder)
    assert code == 0
    assert "taken from 2 files" in " ".join(printed.split())
    document = orjson.loads(run("info", "--library", folder, "--json")[1])
    assert (document["vectors"], document["unencoded"]) == ("current", 0)
    document = orjson.loads(run("add", tmp_path / "1.vectors", "--library", folder, "--json")[1])
    assert document["vectors"]["taken"] == document["vectors"]["missing"] == 0
    for arguments, why in (
        (("encode", papers, "--shard", "1-2", "--out", "x"), "expected a form like 1/4"),
        (("encode", papers, "--library", folder, "--out", "x"), "name one of them"),
        (("add", tmp_path / "1.vectors", "--library", folder, "--encode", "words-only"), "choose again"),
    ):
        code, _, error = run(*arguments)
        assert code == 2
        assert why in error


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_library_that_cannot_be_written(tmp_path: Path, whole: Path) -> None:
    """Can be encoded all the same."""
    whole.chmod(0o500)
    try:
        with Session(whole, encoder=HashEncoder("another")) as session:
            assert encode_to_file(session, tmp_path / "all.vectors").encoded
    finally:
        whole.chmod(0o700)
