"""Reading files as bytes, lines or text; gzip and zstd are recognised by content and decompressed.

A file's name and size are not trusted: data is decompressed in blocks, and lines and whole files have limits,
so that memory is bounded whatever a file contains. Errors name the file and, where possible, the line.
"""

from __future__ import annotations

import functools
import gzip
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePath
from typing import BinaryIO

from citewhy.base.errors import InputError, TooLargeError

FilePath = str | os.PathLike[str]
Notice = Callable[[int, str], None]

MAX_LINE = 32 << 20
"""Longest line that is read, in bytes after decompression. A paper's full text has about 100 kB."""

MAX_FILE = 256 << 20
"""Largest file that is read as a whole (XML, BibTeX, RIS, a draft), in bytes after decompression."""

_BLOCK = 1 << 20
_ZSTD_PIECE = 1 << 10
"""Compressed bytes that are decompressed at a time: zstd can turn four bytes into 128 kB."""

_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


@functools.lru_cache(maxsize=16)
def name_of_file(path: str) -> str:
    """The name of a file without its folder, as a library can keep it: with ``\\udcff`` for a lone byte."""
    return PurePath(path).name.encode(errors="backslashreplace").decode()


def read_bytes(path: FilePath, limit: int | None = None) -> bytes:
    """The content of a file, decompressed.

    Raises InputError if it cannot be read, TooLargeError over `limit` bytes (default: `MAX_FILE`).
    """
    return _join(open_blocks(path), path, limit)


def unpack(data: bytes, path: FilePath, limit: int | None = None) -> bytes:
    """Returns what `read_bytes` returns for a file with the content `data`; `path` is its name in errors."""
    if not is_compressed(data):
        return _join(iter([data]), path, limit)
    return _join(_blocks(io.BufferedReader(io.BytesIO(data)), path), path, limit)


def is_compressed(data: bytes) -> bool:
    """Whether `data` is compressed with gzip or zstd."""
    return data.startswith((_GZIP_MAGIC, _ZSTD_MAGIC))


def _join(blocks: Iterator[bytes], path: FilePath, limit: int | None) -> bytes:
    most = MAX_FILE if limit is None else limit
    parts: list[bytes] = []
    size = 0
    for block in blocks:
        parts.append(block)
        size += len(block)
        if size > most:
            raise TooLargeError(
                f"more than {most:,} bytes",
                path=path,
                hint="split the file, or raise the limit",
            )
    return b"".join(parts)


def read_head(path: FilePath, size: int) -> bytes:
    """The first `size` bytes of a file, decompressed; fewer if the file is shorter."""
    head = b""
    for block in open_blocks(path):
        head += block
        if len(head) >= size:
            break
    return head[:size]


def decode(data: bytes) -> tuple[str, str]:
    """Text, and an encoding such that ``text.encode(encoding) == data``.

    The encoding is UTF-8, with or without a byte order mark (which is not part of the text); failing that
    Windows-1252, which most old .bib and .tex files use; failing that Latin-1. Line ends stay as they are.
    """
    for encoding in ("utf-8-sig" if data.startswith(_UTF8_BOM) else "utf-8", "cp1252"):
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1"), "latin-1"


def invalid_utf8(data: bytes, path: FilePath | None = None, line: int = 1) -> InputError | None:
    """An error that names the first byte of `data` that is not UTF-8, by line and position in it (from 1).

    None if all of `data` is UTF-8. `line` is the number of its first line.
    """
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return _at_byte(error, path, line)
    return None


def _at_byte(error: UnicodeDecodeError, path: FilePath | None, line: int) -> InputError:
    position = error.start - error.object.rfind(b"\n", 0, error.start)
    return InputError(
        f"invalid UTF-8 (byte {position} of the line)",
        path=path,
        line=line + error.object.count(b"\n", 0, error.start),
        hint="save the file as UTF-8",
    )


def decode_noting(data: bytes, notice: Notice) -> str:
    """The text that `decode` returns.

    If the data is not UTF-8, `notice` is called with the number of the first line that is not, and a message:
    a single wrong byte changes every accented letter in the file.
    """
    text, encoding = decode(data)
    if not encoding.startswith("utf-8") and (wrong := invalid_utf8(data)):
        notice(wrong.line or 1, f"{wrong.problem}: the whole file is read as {encoding}; {wrong.hint}")
    return text


def read_text(path: FilePath, limit: int | None = None, notice: Notice | None = None) -> str:
    """The content of a file as text, decoded by `decode` or, if there is a `notice`, by `decode_noting`.

    Raises InputError for UTF-16, TooLargeError for a line over `MAX_LINE`, and what `read_bytes` raises.
    """
    return text_of(read_bytes(path, limit), path, notice)


def text_of(data: bytes, path: FilePath, notice: Notice | None = None) -> str:
    """Returns what `read_text` returns for a file with the content `data`; `path` is its name in errors."""
    _refuse_utf16(data, path)
    _refuse_long_line(data, path)
    return decode(data)[0] if notice is None else decode_noting(data, notice)


def open_lines(path: FilePath, limit: int | None = None) -> Iterator[tuple[int, str]]:
    """The numbered lines of a UTF-8 file, without line ends (``\\n``, ``\\r\\n``) and byte order mark.

    Only a line feed ends a line: U+2028 and the like are ordinary characters, as they occur in titles.
    Raises InputError for a line that is not UTF-8 or where compressed data is truncated, TooLargeError for a
    line of more than `limit` bytes (default: `MAX_LINE`).
    """
    for number, line in open_raw_lines(path, limit):
        try:
            yield number, line.decode()
        except UnicodeDecodeError as error:
            raise _at_byte(error, path, number) from error


def open_raw_lines(path: FilePath, limit: int | None = None) -> Iterator[tuple[int, bytes]]:
    """Opens lines as `open_lines` does, but leaves them undecoded, for parsers that take bytes and can skip a
    bad line."""
    most = MAX_LINE if limit is None else limit
    pieces: list[bytes] = []  # of the current line, as far as it has been read
    held = 0
    number = 0
    try:
        for block in open_blocks(path):
            if number == 0 and not pieces:
                _refuse_utf16(block, path)
                block = block.removeprefix(_UTF8_BOM)
            first, *others = block.split(b"\n")
            pieces.append(first)
            held += len(first)
            if held > most:
                raise _long_line(most)
            if not others:
                continue
            number += 1
            yield number, b"".join(pieces).removesuffix(b"\r")
            last = others.pop()
            for line in others:
                if len(line) > most:
                    raise _long_line(most)
                number += 1
                yield number, line.removesuffix(b"\r")
            pieces, held = [last], len(last)
    except InputError as error:
        line_of_error = number + 1 if number or pieces else None  # None: the file could not be opened
        raise type(error)(error.problem, path=path, line=line_of_error, hint=error.hint) from error
    if held:
        yield number + 1, b"".join(pieces).removesuffix(b"\r")


def _long_line(most: int) -> TooLargeError:
    return TooLargeError(f"a line of more than {most:,} bytes", hint="expected one record per line")


def _refuse_long_line(data: bytes, path: FilePath) -> None:
    """Raises TooLargeError: such a file is not text, and parsers would need many times its size in memory."""
    start = 0
    while len(data) - start > MAX_LINE:
        end = data.rfind(b"\n", start, start + MAX_LINE + 1)
        if end < 0:
            raise TooLargeError(
                f"a line of more than {MAX_LINE:,} bytes", path=path, line=data.count(b"\n", 0, start) + 1
            )
        start = end + 1


def _refuse_utf16(data: bytes, path: FilePath) -> None:
    if data.startswith(_UTF16_BOMS):
        raise InputError("the file is UTF-16, expected UTF-8", path=path, line=1, hint="save it as UTF-8")


def open_blocks(path: FilePath) -> Iterator[bytes]:
    """The decompressed content of a file in blocks of bounded size. Raises InputError where reading fails,
    and for what is no regular file: a pipe could be read only once, and a device may never end."""
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            raise InputError(
                "cannot read this: it is not a regular file",
                path=path,
                hint="save its content to a file, and name that",
            )
        with Path(path).open("rb") as file:
            yield from _blocks(file, path)
    except OSError as error:
        raise InputError(f"cannot read: {error.strerror or error}", path=path) from error
    except ValueError as error:  # a NUL in the path
        raise InputError(f"cannot read: {error}", path=path) from error


def _blocks(file: io.BufferedReader, path: FilePath) -> Iterator[bytes]:
    magic = file.peek(4)[:4]  # not `seek`: the file may be a pipe
    try:
        if magic.startswith(_GZIP_MAGIC):
            yield from _gzip_blocks(file)
        elif magic == _ZSTD_MAGIC:
            yield from _zstd_blocks(file)
        else:
            while block := file.read(_BLOCK):
                yield block
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            f"the compressed data is damaged or truncated ({error})",
            path=path,
            hint="download the file again",
        ) from error


def _gzip_blocks(file: BinaryIO) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=file) as unpacked:
        while block := unpacked.read(_BLOCK):
            yield block


def _zstd_blocks(file: BinaryIO) -> Iterator[bytes]:
    # Not `stream_reader`: it takes a truncated frame for a complete one.
    import zstandard

    decompressor = zstandard.ZstdDecompressor()
    frame = decompressor.decompressobj()
    started = False  # the current frame has received input
    while data := file.read(_ZSTD_PIECE):
        while data:
            try:
                block = frame.decompress(data)
            except zstandard.ZstdError as error:
                raise EOFError(str(error)) from error
            if block:
                yield block
            started = True
            data = b""
            if frame.eof:
                data = frame.unused_data
                frame = decompressor.decompressobj()
                started = False
    if started:
        raise EOFError("a frame is truncated")
