"""Runs the server until it is interrupted."""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import uvicorn

from citewhy.base.errors import QueryError
from citewhy.doors.web.access import Access, own_token
from citewhy.doors.web.app import application
from citewhy.doors.web.served import Served
from citewhy.session.session import Session

HOST = "127.0.0.1"

_END_SECONDS = 15
"""Seconds that open answers have to finish after an interruption."""

_MOST_CONNECTIONS = 256


class _Server(uvicorn.Server):
    """Tells when it answers, and ends streams that follow a draft when it is interrupted."""

    def __init__(self, config: uvicorn.Config, served: Served, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._served = served
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """An interruption is the usual end, and raises nothing."""
        signals = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in signals}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._served.closing = True
        super().handle_exit(sig, frame)


def serve(session: Session, folder: Path, port: int, ready: Callable[[str, str, Served], None]) -> None:
    """Serves the page and the API on the loopback address until the process is interrupted; open answers
    finish. `ready` is called with the address, the token, and what is served, when it answers. Raises
    QueryError if the port is taken, StorageError as `own_token`."""
    token = own_token()
    with contextlib.closing(_bound(port)) as bound:
        port = bound.getsockname()[1]
        served = Served(session, folder)
        config = uvicorn.Config(
            application(served, Access(port, token)),
            log_config=None,
            access_log=False,
            lifespan="on",
            ws="none",
            server_header=False,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_graceful_shutdown=_END_SECONDS,
            h11_max_incomplete_event_size=64 << 10,
        )
        server = _Server(config, served, lambda: ready(f"http://{HOST}:{port}/", token, served))
        server.run(sockets=[bound])


def _bound(port: int) -> socket.socket:
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((HOST, port))
    except OSError as error:
        found.close()
        raise QueryError(
            f"port {port} cannot be used: {error.strerror or error}",
            hint="choose another with --port, or 0 for any",
        ) from error
    return found
