"""A server of the API in a thread, and a plain client of it."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from citewhy.doors.web.access import Access
from citewhy.doors.web.app import application
from citewhy.doors.web.served import Served
from citewhy.doors.web.work import Work
from citewhy.session.session import Session

DRAFT = """---
bibliography: refs.bib
---

# Tuning

Weights are tuned on a development set [@].
Summaries are compared by skip-bigrams [@lin2004].

## Frames

Frames are semantic [CITE].
"""
"""A draft with two open citations, and one with an undefined key."""

TOKEN = "a-token-of-the-tests-alone"


@dataclass(frozen=True, slots=True)
class Reply:
    """What was answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.body.splitlines()]


@dataclass(slots=True)
class Client:
    """Asks a server on this computer."""

    port: int
    token: str = TOKEN

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str | None] | None = None,
        timeout: float = 120,
    ) -> Reply:
        """Sends a request; a body that is not bytes is sent as JSON. A header of None is left out."""
        sent: dict[str, str | None] = {"Authorization": f"Bearer {self.token}"}
        if body is not None and not isinstance(body, bytes):
            sent["Content-Type"] = "application/json"
            body = json.dumps(body).encode()
        sent |= headers or {}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        with contextlib.closing(connection):
            connection.putrequest(method, path, skip_host="Host" in sent)
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            if isinstance(body, bytes) and "Content-Length" not in sent:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body if isinstance(body, bytes) else None)
            response = connection.getresponse()
            headers_ = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, headers_, response.read())

    def api(self, method: str, path: str, body: object = None, **headers: str | None) -> Reply:
        """Asks the API."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask(method, f"/api/v1{path}", body, named)

    def open(self, path: str) -> Any:
        """Opens a draft on disk, and returns its state."""
        reply = self.api("POST", "/drafts", {"path": path})
        assert reply.status == 201, reply.body
        return reply.json

    @contextlib.contextmanager
    def events(self, draft: str, k: int = 3) -> Iterator[Iterator[tuple[str, Any]]]:
        """The events of a draft, as they come."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            connection.request(
                "GET",
                f"/api/v1/drafts/{draft}/events?k={k}",
                headers={"Authorization": f"Bearer {self.token}"},
            )
            response = connection.getresponse()
            assert response.status == 200
            yield _events(response)


def _events(response: http.client.HTTPResponse) -> Iterator[tuple[str, Any]]:
    name = ""
    while line := response.readline():
        text = line.decode().rstrip("\n")
        if text.startswith("event: "):
            name = text.removeprefix("event: ")
        elif text.startswith("data: "):
            yield name, json.loads(text.removeprefix("data: "))


@contextlib.contextmanager
def serving(
    session: Session,
    folder: Path,
    *,
    most_waiting: int = 64,
    seconds: float = 60,
    at_a_time: int = 2,
    port: int = 0,
) -> Iterator[Client]:
    """A server of drafts in a folder, until the block ends; 0: on any port that is free."""
    with socket.socket() as bound:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(("127.0.0.1", port))
        port = bound.getsockname()[1]
        served = Served(session, folder)
        work = Work(at_a_time=at_a_time, most_waiting=most_waiting, seconds=seconds)
        config = uvicorn.Config(
            application(served, Access(port, TOKEN), work), log_config=None, lifespan="on", ws="none"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        try:
            yield Client(port)
        finally:
            served.closing = True
            server.should_exit = True
            thread.join()
