"""Servers that answer in other ways than a service does: what `citewhy enrich` is given, by kind."""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["MODES", "Mode", "bad_server"]


@dataclass(frozen=True, slots=True)
class Mode:
    """A way to answer: the bytes of an answer, and then one piece again and again without an end."""

    first: bytes = b""
    forever: bytes = b""
    silent: bool = False
    """Whether the connection stays open without a word."""


_WORK: dict[str, object] = {
    "id": "https://openalex.org/W1",
    "title": "Parsing with Trees",
    "display_name": "Parsing with Trees",
}
_WORK |= {"doi": "https://doi.org/10.1000/parsing", "publication_year": 2001}
_BODY = json.dumps({"meta": {"count": 1}, "results": [_WORK]}).encode()
_PAGE = b"<html><head><title>Sign in</title></head><body>Welcome to our hotel</body></html>"


def _answer(status: int | str = 200, *headers: str, body: bytes = _PAGE, length: int | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status} Whatever", *headers]
    if length is None or length >= 0:
        lines.append(f"Content-Length: {len(body) if length is None else length}")
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1") + body


def _chunked(body: bytes) -> bytes:
    return _answer(200, "Transfer-Encoding: chunked", body=body, length=-1)


def _modes() -> Iterator[tuple[str, Mode]]:
    redirects = {300, 301, 302, 303, 304, 305, 307, 308}
    others = {100, 101, 102, 103, 199, 299, 600, 799, 999, *range(201, 209), 226}
    for status in sorted({*range(400, 432), 451, *range(500, 512), 520, 598, *redirects, *others}):
        yield f"status {status}", Mode(_answer(status))
        yield f"status {status} with an answer", Mode(_answer(status, body=_BODY))
    for status in ("", "000", "20", "abc", "-200", "2000", "٢٠٠".encode().decode("latin-1")):
        yield f"status {status!r}", Mode(_answer(status, body=_BODY))
    elsewhere = ["http://[", "http://a..b/", f"http://{'a' * 70}.org/", "file:///etc/passwd", "ftp://a.org/"]
    elsewhere += ["http://127.0.0.2:1/", "//a.invalid/", "http://", "https://", "https://127.0.0.1:x/", ""]
    elsewhere += ["javascript:1", "http://127.0.0.1@a.invalid/", "/%", "\x01", "http://a\tb/", "data:,x"]
    for target in (*elsewhere, "/works", "?again", "http://127.0.0.1:99999/", "é", "a" * 60_000):
        for status in (301, 303, 308):
            yield f"redirect {status} to {target[:20]!r}", Mode(_answer(status, f"Location: {target}"))
    waits = ["²", "Fri, 31 Dec 99999999999 23:59:59 GMT", "Fri, 31 Dec 0000 23:59:59 GMT", "-1", "nan", "inf"]
    waits += ["1e9", "9" * 400, "1.5", "", "Wed", "0x10", "1_0", "Mon, 01 Jan 0001 00:00:00 -2399", "soon"]
    for wait in (*waits, "Thu, 99 Foo 2020 99:99:99 +9999", "\x00", "1, 2"):
        for status in (429, 503):
            shown = wait.encode().decode("latin-1")
            yield f"{status} that asks to wait {wait[:20]!r}", Mode(_answer(status, f"Retry-After: {shown}"))
    for length in ("-1", "-5", "a", "", "9" * 30, "1e3", "0x10", "1, 2", "²".encode().decode("latin-1")):
        yield (
            f"a length of {length[:9]!r}",
            Mode(_answer(200, f"Content-Length: {length}", body=_BODY, length=-1)),
        )
    yield "a body that is cut off", Mode(_answer(body=_BODY, length=len(_BODY) + 1000))
    yield "many headers", Mode(_answer(200, *(f"X-{number}: a" for number in range(500)), body=_BODY))
    yield "a long header", Mode(_answer(200, "X: " + "a" * 100_000, body=_BODY))
    yield "a header without a name", Mode(_answer(200, "nothing", ": b", body=_BODY))
    yield "headers without an end", Mode(b"HTTP/1.1 200 OK\r\nX: a\r\n")
    yield "compressed", Mode(_answer(200, "Content-Encoding: gzip", body=gzip.compress(_BODY)))
    yield "a bomb", Mode(_answer(200, body=gzip.compress(bytes(100 << 20))))
    yield "an unknown encoding", Mode(_answer(200, "Transfer-Encoding: banana", body=b"\x00\x01"))
    for size in ("-5", "+5", "5", "ffffffffffffffff", "-ffffffffffffffffff", "0x5", "1_0", "z", "", "٥", " "):
        yield f"a chunk of {size!r}", Mode(_chunked(size.encode() + b"\r\n[1,2]\r\n0\r\n\r\n"))
    yield "a chunk without an end", Mode(_chunked(b"5\r\n[1,2]"))
    yield "a chunk with a long name", Mode(_chunked(b"5;" + b"a" * 100_000 + b"\r\n[1,2]\r\n0\r\n\r\n"))
    yield "no last chunk", Mode(_chunked(b"%x\r\n" % len(_PAGE) + _PAGE + b"\r\n"))
    for name, body in {
        "a page": _PAGE,
        "nothing": b"",
        "blanks": b" \r\n ",
        "zeros": bytes(1000),
        "null": b"null",
        "a number": b"1",
        "a word": b'"ok"',
        "an empty object": b"{}",
        "an empty list": b"[]",
        "an error": b'{"error": "quota", "message": "Too many requests"}',
        "no results": b'{"results": null}',
        "a result of null": b'{"results": [null]}',
        "a result that is a list": b'{"results": [[]]}',
        "half an answer": _BODY[:-5],
        "two answers": _BODY * 2,
        "depth": b"[" * 100_000,
        "depth of objects": b'{"a":' * 100_000,
        "a long number": _BODY.replace(b"2001", b"9" * 10_000),
        "half a character": _BODY.replace(b"Parsing", b"\\ud800"),
        "wrong types": _BODY.replace(b'"Parsing with Trees"', b'{"a": [1]}'),
        "bytes": bytes(range(256)) * 10,
    }.items():
        yield f"a body of {name}", Mode(_answer(200, body=body))
    yield "no word", Mode(silent=True)
    yield "no connection", Mode()
    yield "an old protocol", Mode(_BODY)
    yield "another protocol", Mode(b"SSH-2.0-OpenSSH_9.0\r\n")
    yield "a newer protocol", Mode(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    yield "a body that never ends", Mode(_answer(200, body=b"", length=-1), b" ")
    yield "a slow body", Mode(_answer(200, body=b"[", length=10_000_000), b"1,")
    yield "slow headers", Mode(b"HTTP/1.1 200 OK\r\n", b"X: a\r\n")
    yield "a slow header", Mode(b"HTTP/1.1 200 OK\r\nX: ", b"a")
    yield "slow promises", Mode(b"", b"HTTP/1.1 100 Continue\r\n\r\n")
    yield "slow chunks", Mode(_chunked(b""), b"1\r\n \r\n")
    yield "a slow name of a chunk", Mode(_chunked(b"5;"), b"a")
    yield "a slow trailer", Mode(_chunked(b"1\r\n[\r\n0\r\n"), b"X: a\r\n")
    yield "slow zeros", Mode(b"", b"\x00")


MODES: dict[str, Mode] = dict(_modes())
"""By name. None of them is an answer, unless its name says so."""

_PAUSE = 0.02
"""Seconds between the pieces of what has no end: each of them comes in time."""


@contextlib.contextmanager
def bad_server(mode: Mode) -> Iterator[str]:
    """Answers every connection like this, on a free port of the loopback interface; gives its address."""
    ended = threading.Event()

    def answer(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.settimeout(10)
            if not (mode.first or mode.forever or mode.silent):
                return
            connection.recv(1 << 16)
            connection.sendall(mode.first)
            while (mode.forever or mode.silent) and not ended.wait(_PAUSE):
                connection.sendall(mode.forever)
            connection.shutdown(socket.SHUT_WR)
            connection.recv(1 << 16)

    def serve() -> None:
        while not ended.is_set():
            with contextlib.suppress(TimeoutError):
                connection, _ = server.accept()
                threading.Thread(target=answer, args=[connection], daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}"
        finally:
            ended.set()
            thread.join()
