"""`Server`: calls of a Milvus server, which are tried again while it does not answer."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from citewhy.base.errors import CiteWhyError, MissingExtraError, NetworkError, StorageError
from citewhy.search.index.milvus.address import TOKEN_VARIABLE, Address

LOADING, ASKING = 120.0, 30.0
"""Seconds for which a server may be silent: while rows are written, and while a question waits. One that was
killed is back after 46 to 56 seconds."""

_CONNECTING = 10.0
"""Seconds for the first connection."""

_ONE_CALL = 60.0
"""Seconds for one call."""

_CALM = {"grpc.keepalive_time_ms": 300_000, "grpc.keepalive_permit_without_calls": 0}
"""Options of the connection: servers with the defaults of gRPC close one that is asked more often whether it
is alive, as the client does by itself."""

_PAUSE = 0.25, 4.0
"""Seconds between two attempts: at first, and at most; doubled each time."""

_PASSES = (
    *("connect", "unavailable", "not available", "no available", "deadline", "timeout", "timed out"),
    *("not loaded", "not ready", "not healthy", "recovering", "rate limit", "too many requests"),
    *("delegator", "channel", "shard leader", "node not", "socket", "broken pipe", "closed", "session"),
    *("retry", "lack of", "growing segment", "not serving", "not found on node", "cancel"),
)
"""What messages of errors say that pass by themselves, as after a server was started again."""

_FORBIDDEN = ("auth", "permission", "privilege", "denied", "credential")

_ABSENT = re.compile(r"can't find collection|collection not found|collection .{0,300}does not exist")

_Answer = TypeVar("_Answer")


class AbsentError(CiteWhyError):
    """The server has no such collection."""


class Server:
    """A connection to a server, made when it is first needed. Thread-safe."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._lock = threading.Lock()
        self._client: Any = None

    def call(self, ask: Callable[[Any], _Answer], patience: float = ASKING) -> _Answer:
        """What `ask` returns, given the client (`pymilvus.MilvusClient`). It is asked again for `patience`
        seconds while the server is silent or not ready, so it must not matter how often.

        Raises MissingExtraError without pymilvus; NetworkError if the server does not answer, StorageError if
        it refuses, and AbsentError if there is no such collection.
        """
        client = self._connected()
        end, pause = time.monotonic() + patience, _PAUSE[0]
        while True:
            try:
                return ask(client)
            except Exception as error:  # the client raises errors of several libraries
                said = _told(error)
                if not self._passes(error, said):
                    raise self._refusal(error, said) from error
                if time.monotonic() + pause > end:
                    raise self._silence(said) from error
            time.sleep(pause)
            pause = min(2 * pause, _PAUSE[1])

    @property
    def version(self) -> str:
        """What the server says of its version."""
        return str(self.call(lambda client: client.get_server_version()))

    def _connected(self) -> Any:
        with self._lock:
            if self._client is None:
                client_of = _client_class()
                address = self.address
                try:
                    self._client = client_of(
                        uri=address.uri,
                        token=address.token,
                        timeout=_CONNECTING,
                        dedicated=True,
                        grpc_options=_CALM,
                    )
                except Exception as error:
                    said = _told(error)
                    if any(word in said.lower() for word in _FORBIDDEN):
                        raise self._refusal(error, said) from error
                    raise self._silence(said) from error
            return self._client

    def _passes(self, error: Exception, said: str) -> bool:
        """Whether an error may be gone when the same is asked again."""
        words = said.lower()
        if isinstance(error, (TypeError, KeyError, AttributeError)):
            return False
        if _ABSENT.search(words) or any(word in words for word in _FORBIDDEN):
            return False
        return isinstance(error, ConnectionError | TimeoutError) or any(word in words for word in _PASSES)

    def _silence(self, said: str) -> NetworkError:
        return NetworkError(
            f"no Milvus server answers at {self.address.host}:{self.address.port} ({said})",
            hint="start it, or correct the address; the library is whole",
        )

    def _refusal(self, error: Exception, said: str) -> CiteWhyError:
        words = said.lower()
        if _ABSENT.search(words):
            return AbsentError(f"{self.address}: {said}")
        hint = "the library is whole"
        if any(word in words for word in _FORBIDDEN):
            hint = (
                f"set {TOKEN_VARIABLE} to a token, or user:password, that may read and write the collection"
            )
        return StorageError(
            f"{self.address}: the Milvus server refuses ({type(error).__name__}: {said})", hint=hint
        )


def _client_class() -> Any:
    try:
        from pymilvus import MilvusClient
    except ImportError as error:
        raise MissingExtraError("an index in Milvus", "milvus") from error
    logging.getLogger("pymilvus").setLevel(logging.CRITICAL)  # it logs each error besides raising it
    return MilvusClient


def data_types() -> Any:
    """The names of types of fields. Raises MissingExtraError."""
    try:
        from pymilvus import DataType
    except ImportError as error:
        raise MissingExtraError("an index in Milvus", "milvus") from error
    return DataType


def _told(error: Exception) -> str:
    """The message of an error, in one short line."""
    message = " ".join(str(getattr(error, "message", "") or error).split())
    return message if len(message) <= 200 else f"{message[:199]}…"
