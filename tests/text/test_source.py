"""Files to text: compression by content, encodings, limits, and places in every error."""

from __future__ import annotations

import gzip
import resource
import sys
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from citewhy.base.errors import InputError, TooLargeError
from citewhy.text import source
from citewhy.text.source import decode, open_lines, open_raw_lines, read_bytes, read_head, read_text

TEXT = "first\nzweite Größe\nlast"
LINES = [(1, "first"), (2, "zweite Größe"), (3, "last")]


def file(tmp_path: Path, data: bytes, name: str = "file.txt") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(TEXT.encode(), id="plain"),
        pytest.param(TEXT.encode() + b"\n", id="line feed at the end"),
        pytest.param(b"\xef\xbb\xbf" + TEXT.encode(), id="byte order mark"),
        pytest.param(TEXT.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(gzip.compress(TEXT.encode()), id="gzip"),
        pytest.param(gzip.compress(b"fir") + gzip.compress(TEXT[3:].encode()), id="gzip of two members"),
        pytest.param(zstandard.compress(TEXT.encode()), id="zstd"),
        pytest.param(zstandard.compress(b"fir") + zstandard.compress(TEXT[3:].encode()), id="zstd frames"),
    ],
)
def test_lines_are_the_same_in_every_wrapping(tmp_path: Path, data: bytes) -> None:
    """Compression is told by content, whatever the name; byte order mark and carriage returns are cut."""
    assert list(open_lines(file(tmp_path, data, "misleading.gz"))) == LINES


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    """U+2028, U+0085, form feed and a lone carriage return are characters of a line; empty lines count."""
    data = "a\u2028b\u0085c\x0cd\re\n\nf\n".encode()
    assert list(open_lines(file(tmp_path, data))) == [(1, "a\u2028b\u0085c\x0cd\re"), (2, ""), (3, "f")]


def test_a_line_may_span_blocks(tmp_path: Path) -> None:
    """Lines longer than the block size of the reader come out whole, with the right numbers."""
    long = "x" * (3 << 20)
    path = file(tmp_path, f"{long}\nshort\n{long}".encode())
    assert [(number, len(line)) for number, line in open_lines(path)] == [(1, 3 << 20), (2, 5), (3, 3 << 20)]


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    """Zero bytes are zero lines, also when compressed."""
    for data in (b"", gzip.compress(b""), zstandard.compress(b"")):
        path = file(tmp_path, data)
        assert list(open_lines(path)) == []
        assert read_bytes(path) == b""


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_data_that_breaks_off_is_named(tmp_path: Path, compress: object) -> None:
    """A compressed file that is cut anywhere raises InputError with its path."""
    assert callable(compress)
    whole: bytes = compress(b"".join(b"line %d\n" % number for number in range(5000)))
    for kept in (5, len(whole) // 2, len(whole) - 1):
        path = file(tmp_path, whole[:kept])
        with pytest.raises(InputError, match="damaged or truncated") as caught:
            list(open_raw_lines(path))
        assert caught.value.path == str(path)
        with pytest.raises(InputError, match="damaged or truncated"):
            read_bytes(path)


def test_damaged_gzip_is_named(tmp_path: Path) -> None:
    """Gzip's magic bytes before anything else than gzip, and a flipped bit, are both InputErrors."""
    whole = bytearray(gzip.compress(TEXT.encode() * 100))
    whole[len(whole) // 2] ^= 0xFF
    for data in (b"\x1f\x8bno gzip at all", bytes(whole), gzip.compress(b"x\n") + b"garbage"):
        with pytest.raises(InputError):
            list(open_raw_lines(file(tmp_path, data)))


def test_invalid_utf8_is_named_with_its_line(tmp_path: Path) -> None:
    """The lines before a bad one are read; the error says which line and byte it is."""
    path = file(tmp_path, b"good\nB\xe4d\n")
    lines = open_lines(path)
    assert next(lines) == (1, "good")
    with pytest.raises(
        InputError, match=r"invalid UTF-8 \(byte 2 of the line\); save the file as UTF-8"
    ) as caught:
        next(lines)
    assert (caught.value.path, caught.value.line) == (str(path), 2)


def test_utf16_is_refused_with_the_cure(tmp_path: Path) -> None:
    """UTF-16 would otherwise become rubbish in silence."""
    path = file(tmp_path, "id,title".encode("utf-16"))
    for read in (lambda: list(open_lines(path)), lambda: read_text(path)):
        with pytest.raises(InputError, match=r"UTF-16.*save it as UTF-8"):
            read()


@pytest.mark.parametrize("before", [0, 1, 1000])
def test_a_long_line_is_too_large(tmp_path: Path, before: int) -> None:
    """Over the limit a line raises TooLargeError with its number, wherever it stands in a block."""
    path = file(tmp_path, b"short\n" * before + b"x" * 101 + b"\nshort\n")
    with pytest.raises(TooLargeError) as caught:
        list(open_lines(path, limit=100))
    assert caught.value.line == before + 1
    assert len(list(open_lines(path, limit=101))) == before + 2


def test_a_long_line_of_a_whole_text_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts that are read whole have the same limit for a line."""
    monkeypatch.setattr(source, "MAX_LINE", 100)
    assert read_text(file(tmp_path, (b"x" * 100 + b"\n") * 5)).count("\n") == 5
    for tail in (b"", b"\n", b"\nmore"):
        with pytest.raises(TooLargeError) as caught:
            read_text(file(tmp_path, b"x" * 100 + b"\n" + b"y" * 60 + b"\n" + b"x" * 101 + tail))
        assert caught.value.line == 3


def test_a_large_file_is_too_large(tmp_path: Path) -> None:
    """The limit counts bytes after decompression, so that a small archive cannot fill the memory."""
    path = file(tmp_path, gzip.compress(b"\0" * 10_000_000))
    assert path.stat().st_size < 20_000
    with pytest.raises(TooLargeError):
        read_bytes(path, limit=1_000_000)
    assert len(read_bytes(path, limit=10_000_000)) == 10_000_000
    assert read_head(path, 100) == b"\0" * 100


@pytest.mark.full
@pytest.mark.parametrize("wrap", ["plain", "gzip", "zstd"])
def test_a_line_of_200_mb_takes_bounded_memory(tmp_path: Path, wrap: str) -> None:
    """200 MB without a line feed are refused after MAX_LINE bytes; memory grows by little more than that."""
    path = tmp_path / "long"
    if wrap == "zstd":
        path.write_bytes(zstandard.compress(b"x" * 200_000_000))
    else:
        with gzip.open(path, "wb", compresslevel=1) if wrap == "gzip" else path.open("wb") as out:
            for _ in range(200):
                out.write(b"x" * 1_000_000)
    unit = 1024 if sys.platform == "linux" else 1
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    with pytest.raises(TooLargeError):
        list(open_lines(path))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit - before
    assert grown < 5 * source.MAX_LINE


def test_what_cannot_be_opened_is_an_input_error(tmp_path: Path) -> None:
    """No file, a folder, an impossible name: a sentence, not an OSError."""
    for path in (tmp_path / "absent", tmp_path, "nul\0l"):
        with pytest.raises(InputError, match="cannot read"):
            list(open_lines(path))
        with pytest.raises(InputError, match="cannot read"):
            read_text(path)


@given(st.one_of(st.binary(max_size=200), st.text(max_size=100).map(str.encode)))
def test_decoding_loses_no_byte(data: bytes) -> None:
    """Whatever the bytes are, the text and its encoding give them back."""
    text, encoding = decode(data)
    assert text.encode(encoding) == data


def test_decoding_prefers_what_files_are() -> None:
    """UTF-8 first, then Windows-1252 with its quotation marks, then Latin-1, which takes every byte."""
    assert decode("Größe".encode()) == ("Größe", "utf-8")
    assert decode(b"\xef\xbb\xbfx") == ("x", "utf-8-sig")
    assert decode(b"\x93Gr\xf6\xdfe\x94") == ("“Größe”", "cp1252")
    assert decode(b"\x81\xf6") == ("\x81ö", "latin-1")


def test_read_text_keeps_line_ends(tmp_path: Path) -> None:
    """A draft has to come back byte for byte, so nothing is made of its carriage returns."""
    assert read_text(file(tmp_path, b"a\r\nb\rc\n")) == "a\r\nb\rc\n"
