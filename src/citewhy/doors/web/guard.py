"""What every request passes first and every response last: access, limits, headers, counting."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citewhy.base.log import event
from citewhy.doors.web.access import Access
from citewhy.doors.web.metrics import Metrics
from citewhy.doors.web.problems import ProblemError, problem

MOST_BYTES = 8 << 20
"""Bytes of a request."""

MOST_UPLOADED = 48 << 20
"""The same of one that brings the files of a draft."""

_SECONDS = 30.0
"""Seconds within which the whole of a request must arrive."""

API = "/api/v1"
_UPLOADS = (f"{API}/drafts",)
_OPEN = (f"{API}/health",)

CSP = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)

HEADERS = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """An application around another one."""

    def __init__(self, app: ASGIApp, access: Access, metrics: Metrics) -> None:
        self._app = app
        self._access = access
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # no web sockets
            return
        begun, status = time.perf_counter(), 500

        async def answered(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if scope["path"].startswith("/api"):
                    headers["cache-control"] = "no-store"
            await send(message)

        try:
            try:
                self._access.check(Headers(scope=scope), private=_is_private(scope["path"]))
                received = await _received(scope, receive)
            except ProblemError as error:
                await problem(error)(scope, receive, answered)
                return
            await self._app(scope, received, answered)
        finally:
            route, seconds = getattr(scope.get("route"), "path", "other"), time.perf_counter() - begun
            self._metrics.count(route, status, seconds)
            event("request", method=scope["method"], route=route, status=status, seconds=round(seconds, 6))


def _is_private(path: str) -> bool:
    return path.startswith("/api/") and path not in _OPEN  # not "/api", which describes it


async def _received(scope: Scope, receive: Receive) -> Receive:
    """Reads a request whole, and hands it on. Raises ProblemError if it is too large, or too slow."""
    most = MOST_UPLOADED if scope["path"] in _UPLOADS else MOST_BYTES
    headers: Mapping[str, str] = Headers(scope=scope)
    too_large = ProblemError(413, f"a request here has at most {most:,} bytes", hint="send less at a time")
    stated = headers.get("content-length", "0")
    if stated.isdecimal() and int(stated) > most:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    break
                body += message.get("body", b"")
                if len(body) > most:
                    raise too_large
                if not message.get("more_body"):
                    break
    except TimeoutError:
        raise ProblemError(408, f"the request did not arrive within {_SECONDS:.0f} seconds") from None
    given = False

    async def again() -> Message:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": bytes(body), "more_body": False}
        return await receive()

    return again
