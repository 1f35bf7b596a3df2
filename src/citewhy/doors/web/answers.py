"""Documents as bytes: JSON, lines of JSON, and server-sent events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

NDJSON = "application/x-ndjson"
EVENTS = "text/event-stream"


def to_json(document: Any) -> bytes:
    """The document in one line. Halves of characters are written as JSON can: ``\\udcff``."""
    import orjson

    try:
        return orjson.dumps(document)
    except TypeError:
        return json.dumps(document, ensure_ascii=True, separators=(",", ":")).encode()


def answer(document: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """The response with a document."""
    return Response(to_json(document), status, dict(headers or {}), "application/json")


def event(name: str, document: Any) -> bytes:
    """A server-sent event."""
    return b"event: " + name.encode() + b"\ndata: " + to_json(document) + b"\n\n"


def line(document: Any) -> bytes:
    """A line of a stream of documents."""
    return to_json(document) + b"\n"


def asks_for_lines(accept: str | None) -> bool:
    """Whether a client wants a stream of lines of JSON."""
    return NDJSON in (accept or "")
