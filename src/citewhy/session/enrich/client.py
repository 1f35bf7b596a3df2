"""One request after the other to a service, no faster than it asks for. No other module uses the network.

`urllib` of the standard library is enough: there is one connection at a time, nothing to keep open, and what
is special (waiting as a service asks) is no matter of a library. It respects the proxies of the environment.
"""

from __future__ import annotations

import email.utils
import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass

from citewhy.base.config import VERSION
from citewhy.base.errors import NetworkError

TIMEOUT = 60.0
"""Seconds without an answer after which a request fails."""

MOST_TRIES = 5
LONGEST_WAIT = 600.0
"""Seconds. A service that asks to wait longer is not waited for."""

LARGEST_ANSWER = 64 * 2**20
"""Bytes."""

_GONE = {401, 403, 410}
_BUSY = {408, 425, 429, 500, 502, 503, 504}


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
        """The answer. A busy service (429, 5xx) and a broken connection are tried again, after the time that
        ``Retry-After`` asks for, or else after 2, 4, 8, … seconds.

        Raises RefusedError for a request that the service cannot answer, and NetworkError if it does not
        answer any, wants a longer wait than `LONGEST_WAIT`, or answers more than `LARGEST_ANSWER`.
        """
        why = ""
        for number in range(1, MOST_TRIES + 1):
            self._sleep(max(0.0, self._ready - self._clock()))
            wait = float(2**number)
            try:
                return self._once(request)
            except urllib.error.HTTPError as error:
                why = f"HTTP status {error.code}"
                asked = _seconds(error.headers.get("Retry-After"))
                error.close()
                if error.code in _GONE:
                    raise self._error(f"it refuses access ({why})") from error
                if error.code not in _BUSY:
                    raise RefusedError(error.code) from error
                wait = wait if asked is None else asked
            except (OSError, http.client.HTTPException) as error:
                why = str(getattr(error, "reason", None) or error) or type(error).__name__
            finally:
                self._ready = self._clock() + self._pause
            if wait > LONGEST_WAIT:
                raise self._error(f"it asks to wait {wait:,.0f} seconds")
            if number < MOST_TRIES:
                self._ready = max(self._ready, self._clock() + wait)
        raise self._error(f"no answer after {MOST_TRIES} tries ({why})")

    def _once(self, request: Request) -> bytes:
        headers = {"User-Agent": f"CiteWhy/{VERSION}", "Accept": "application/json, application/atom+xml"}
        if request.body is not None:
            headers["Content-Type"] = "application/json"
        asked = urllib.request.Request(request.address, request.body, headers)
        with urllib.request.urlopen(asked, timeout=TIMEOUT) as answer:
            data: bytes = answer.read(LARGEST_ANSWER + 1)
        if len(data) > LARGEST_ANSWER:
            raise self._error(f"it answers with more than {LARGEST_ANSWER:,} bytes")
        return data

    def _error(self, why: str) -> NetworkError:
        return NetworkError(
            f"{self._name}: {why}", hint="what was answered is kept; run the command again to continue"
        )


def _seconds(header: str | None) -> float | None:
    """The time in a ``Retry-After`` header: seconds, or a date."""
    if header is None:
        return None
    if header.strip().isdigit():
        return float(header)
    try:
        until = email.utils.parsedate_to_datetime(header)
    except ValueError:
        return None
    return max(0.0, until.timestamp() - time.time())
