"""A server of Milvus, run as a program: ``serve_milvus.py lite|standalone FOLDER``.

It prints its port, and ends when its parent does. ``lite`` needs the package `milvus-lite`, ``standalone``
the package `milvus` (2.3.5).
"""

from __future__ import annotations

import importlib
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _end_with(parent: int, end: Any) -> None:
    """Calls `end` when the process `parent` is gone, or this one is asked to end."""
    signal.signal(signal.SIGTERM, lambda *_: end())

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        end()

    threading.Thread(target=watch, daemon=True).start()


def _lite(folder: Path, parent: int) -> None:
    from milvus_lite.adapter.grpc.server import run_server

    _end_with(parent, lambda: os._exit(0))
    port = _free_port()
    print(f"port {port}", flush=True)
    run_server(str(folder), host="127.0.0.1", port=port)


def _standalone(folder: Path, parent: int) -> None:
    milvus = importlib.import_module("milvus")
    server = milvus.MilvusServer(milvus.MilvusServerConfig(data_dir=str(folder)))

    def end() -> None:
        server.stop()
        os._exit(0)

    server.start()
    _end_with(parent, end)
    print(f"port {server.listen_port} {server.server_proc.pid}", flush=True)
    server.server_proc.wait()


if __name__ == "__main__":
    {"lite": _lite, "standalone": _standalone}[sys.argv[1]](Path(sys.argv[2]), os.getppid())
