"""Word vectors in every form that is in use, and files that are none."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import pytest
import zstandard

from citewhy.base.errors import InputError
from citewhy_lab.train.word_vectors import read_word_vectors, vector_size

pytest.importorskip("gensim")

VECTORS = {"a": (1.0, 2.0), "z": (9.0, 9.0), "größe": (-1.0, 0.5)}
WORDS = ["", "a", "größe", "missing"]
EXPECTED = [[0, 0], [1, 2], [-1, 0.5], [0, 0]]

HEADER = b"3 2\n"
TEXT = "".join(f"{word} {x} {y}\n" for word, (x, y) in VECTORS.items()).encode()
BINARY = b"".join(word.encode() + b" " + struct.pack("<2f", *vector) for word, vector in VECTORS.items())


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("glove.txt", TEXT),
        ("word2vec.txt", HEADER + TEXT),
        ("fasttext.vec", HEADER + TEXT.replace(b"\n", b" \n")),
        ("word2vec.bin", HEADER + BINARY),
        ("newlines.bin", HEADER + BINARY.replace(b"z ", b"\nz ")),
        ("glove.txt.gz", gzip.compress(TEXT, mtime=0)),
        ("word2vec.bin.gz", gzip.compress(HEADER + BINARY, mtime=0)),
        ("glove without a last newline.txt", TEXT.removesuffix(b"\n")),
    ],
)
def test_every_form(tmp_path: Path, name: str, content: bytes) -> None:
    """Text with and without a first line of counts, and the binary form, compressed or not, hold the same."""
    path = tmp_path / name
    path.write_bytes(content)
    assert vector_size(path) == 2
    assert read_word_vectors(path, WORDS).tolist() == EXPECTED


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"a 1 2\nb 1 2 3\n", ":2: a vector of 3 numbers, expected 2; "),
        (b"2 2\na 1 2\nb 1\n", ":3: a vector of 1 numbers, expected 2; "),
        (b"a 1 2\nb 1 x\n", ":2: not a vector of numbers; "),
        (b"z 1 2\n", ": no word of the papers is in this file; "),
        (b"a 1 nan\n", ": a vector has a number that is not finite; "),
        (b"5 2\n" + TEXT, ":1: 3 vectors, expected 5 as it says; "),
        (b"9" * 18 + b" 2\n" + BINARY, ": damaged word vectors ("),
        (HEADER + BINARY[:-3], ": damaged word vectors ("),
        (b"", ":1: no word vectors are in this file; "),
        (b"Once upon a time\n", ":1: no word vectors are in this file; "),
        (b"\x80\x04\x95\x00", ":1: no word vectors are in this file; "),
        (gzip.compress(TEXT, mtime=0), ": compressed word vectors that cannot be read; let the name"),
        (zstandard.compress(TEXT), ": compressed word vectors that cannot be read; let the name"),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes, problem: str) -> None:
    """The file is named, the line where there is one, and what was expected. A pickle, which gensim writes
    on its own, is not read."""
    path = tmp_path / "vectors"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_word_vectors(path, ["a", "b"])
    assert f"{path}{problem}" in str(caught.value)


@pytest.mark.parametrize("content", [TEXT, HEADER + BINARY * 1000])
def test_compressed_data_that_breaks_off(tmp_path: Path, content: bytes) -> None:
    """A download that stopped is damaged, whatever is in it."""
    path = tmp_path / "vectors.gz"
    path.write_bytes(gzip.compress(content)[:-9])
    with pytest.raises(InputError, match="damaged"):
        read_word_vectors(path, ["a"])


def test_a_name_is_not_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What looks like an address on the network is the name of a file that is not there."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="cannot read: No such file"):
        read_word_vectors(Path("http://localhost/vectors.txt"), ["a"])
