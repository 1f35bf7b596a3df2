"""One request after the other to a service, no faster than it asks for. No other module uses the network.

`urllib` of the standard library is enough: there is one connection at a time, nothing to keep open, and what
is special (waiting as a service asks) is no matter of a library. It respects the proxies of the environment.
"""

from __future__ import annotations

import email.utils
import http.client
import io
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

from citewhy.base.config import VERSION
from citewhy.base.errors import NetworkError
from citewhy.text.source import is_compressed

TIMEOUT = 60.0
"""Seconds without a byte after which a request fails."""

DEADLINE = 180.0
"""Seconds after which a request fails, however it goes on: with its redirects, its headers and its body."""

MOST_TRIES = 5
MOST_REDIRECTS = 3
LONGEST_WAIT = 600.0
"""Seconds. A service that asks to wait longer is not waited for."""

LARGEST_ANSWER = 64 * 2**20
"""Bytes."""

_REFUSED = {400, 404, 413, 414, 422}
"""It cannot answer this request; smaller ones, or others, perhaps."""
_BUSY = {408, 425, 429, 500, 502, 503, 504}
_REDIRECTS = {301, 302, 303, 307, 308}
_SIGN_IN = {407, 511}


@dataclass(frozen=True, slots=True)
class Request:
    """An address, and for a POST its body (JSON)."""

    address: str
    body: bytes | None = None


class RefusedError(Exception):
    """The service cannot answer this request (such as 400 or 404), but perhaps others."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP status {status}")
        self.status = status


class Client:
    """Sends requests to one service, `pause` seconds apart at least."""

    def __init__(
        self,
        name: str,
        pause: float,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._pause = pause
        self._sleep = sleep
        self._clock = clock
        self._ready = clock()

    def send(self, request: Request) -> bytes:
        """The answer. A busy service (429, 5xx), a broken connection and an answer that is no HTTP are tried
        again, after the time that ``Retry-After`` asks for, or else after 2, 4, 8, … seconds.

        Raises RefusedError for a request that the service cannot answer, and NetworkError if it does not
        answer any, wants a longer wait than `LONGEST_WAIT`, answers more than `LARGEST_ANSWER`, or sends us
        elsewhere.
        """
        why = ""
        for number in range(1, MOST_TRIES + 1):
            self._sleep(max(0.0, self._ready - self._clock()))
            wait = float(2**number)
            try:
                return self._followed(request, time.monotonic() + DEADLINE)
            except urllib.error.HTTPError as error:
                why = f"HTTP status {error.code}"
                asked = _seconds(error.headers.get("Retry-After"))
                error.close()
                if error.code in _REFUSED:
                    raise RefusedError(error.code) from error
                if error.code not in _BUSY:
                    raise self._refusal(error.code) from error
                wait = wait if asked is None else asked
            except NetworkError:
                raise
            except Exception as error:  # whatever the library raises of an answer that is none
                why = (str(getattr(error, "reason", None) or error) or type(error).__name__)[:200]
            finally:
                self._ready = self._clock() + self._pause
            if wait > LONGEST_WAIT:
                raise self._error(f"it asks to wait {wait:,.0f} seconds")
            if number < MOST_TRIES:
                self._ready = max(self._ready, self._clock() + wait)
        raise self._error(f"no answer after {MOST_TRIES} tries ({why})")

    def _followed(self, request: Request, deadline: float) -> bytes:
        """The answer, after redirects within the service."""
        address = request.address
        for _ in range(MOST_REDIRECTS):
            try:
                return self._once(address, request.body, deadline)
            except urllib.error.HTTPError as error:
                if error.code not in _REDIRECTS:
                    raise
                target = error.headers.get("Location") or ""
                error.close()
                if request.body is not None or not _is_of_same_service(address, target):
                    raise self._error(
                        f"it sends us to another address, {target[:200]!r} (HTTP status {error.code})"
                    ) from error
                address = urljoin(address, target)
        raise self._error("it sends us from one address to the next")

    def _once(self, address: str, body: bytes | None, deadline: float) -> bytes:
        headers = {"User-Agent": f"CiteWhy/{VERSION}", "Accept": "application/json, application/atom+xml"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        asked = urllib.request.Request(address, body, headers)
        with _opener(deadline).open(asked, timeout=TIMEOUT) as answer:
            if answer.status != 200:
                raise self._refusal(answer.status)
            data: bytes = answer.read(LARGEST_ANSWER + 1)
            if len(data) > LARGEST_ANSWER:
                raise self._error(f"it answers with more than {LARGEST_ANSWER:,} bytes")
            if answer.length:
                raise http.client.IncompleteRead(data, answer.length)
        if is_compressed(data):
            raise self._error("it compresses its answers, for which it was not asked")
        return data

    def _refusal(self, status: int) -> NetworkError:
        sign_in = "; does this network ask you to sign in first?" if status in _SIGN_IN else ""
        return self._error(f"it refuses access (HTTP status {status}){sign_in}")

    def _error(self, why: str) -> NetworkError:
        return NetworkError(f"{self._name}: {why}", hint=TO_GO_ON)


TO_GO_ON = "what was answered is kept; run the command again to continue"


def parts_of(address: str) -> SplitResult | None:
    """The parts of an address of a service; None if it is none."""
    try:
        parts = urlsplit(address)
        name, _ = (parts.hostname or "").encode("idna"), parts.port
    except ValueError:
        return None
    return parts if name and parts.scheme in ("http", "https") else None


def _is_of_same_service(address: str, target: str) -> bool:
    """Whether a redirect leads to the same host, and not from https to http."""
    ours = parts_of(address)
    try:
        theirs = parts_of(urljoin(address, target)) if target else None
    except ValueError:
        return False
    if ours is None or theirs is None or ours.hostname != theirs.hostname:
        return False
    return theirs.scheme == "https" or (ours.scheme, ours.port) == (theirs.scheme, theirs.port)


def _opener(deadline: float) -> urllib.request.OpenerDirector:
    """Opens http and https, directly or by the proxies of the environment, and follows nothing."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        _Handler(deadline),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


class _Handler(urllib.request.HTTPSHandler):
    """Opens connections whose answers are read until a deadline at most."""

    def __init__(self, deadline: float) -> None:
        super().__init__()
        self._deadline = deadline

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._limited(http.client.HTTPConnection), req)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._limited(http.client.HTTPSConnection), req)

    http_request = https_request = urllib.request.AbstractHTTPHandler.do_request_

    def _limited(self, kind: Callable[..., http.client.HTTPConnection]) -> Any:
        def connection(host: str, **options: Any) -> http.client.HTTPConnection:
            made = kind(host, **options)
            made.response_class = self._response  # type: ignore[assignment]
            return made

        return connection

    def _response(self, sock: socket.socket, *args: Any, **options: Any) -> http.client.HTTPResponse:
        response = http.client.HTTPResponse(sock, *args, **options)
        response.fp = io.BufferedReader(_Limited(sock, self._deadline))
        return response


class _Limited(io.RawIOBase):
    """The bytes of a connection until a deadline: each of them may come in time, and the answer never end."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        super().__init__()
        self._file = sock.makefile("rb", buffering=0)
        self._sock = sock
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"the answer takes longer than {DEADLINE:,.0f} seconds")
        self._sock.settimeout(min(left, TIMEOUT))
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()


def _seconds(header: str | None) -> float | None:
    """The time in a ``Retry-After`` header: seconds, or a date; None if it is neither."""
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, OverflowError, OSError):
        return None
