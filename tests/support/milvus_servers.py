"""Servers of Milvus for tests, started when they are first asked for, on the loopback address, and ended with
the tests: `milvus-lite`, and Milvus 2.3.5 in an environment of its own."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from citewhy.base.errors import CiteWhyError
from citewhy.base.reports import IndexState
from citewhy.papers.library.store import Library
from citewhy.search.encode import Encoder
from citewhy.search.index import Encoded, Engine, Index, Steps, Until
from citewhy.search.index.milvus.engine import MilvusEngine
from citewhy.search.index.milvus.server import AbsentError

__all__ = ["OnServer", "Running", "lite", "new", "standalone"]

_SCRIPT = Path(__file__).with_name("serve_milvus.py")

_STARTS = 400.0
"""Seconds within which a server starts; after a kill it first waits for what the killed one had locked."""

_INSTALLS = 900.0
"""Seconds within which its environment is made."""

ENVIRONMENT_VARIABLE = "CITEWHY_TEST_MILVUS"
"""Names the folder of the environment with Milvus 2.3.5, in place of one in the user's cache."""

_REQUIREMENTS = ("milvus==2.3.5", "setuptools<81")
"""The last server that pip installs; it asks for `pkg_resources`."""


class Running:
    """A server that runs, and can be killed and started again with what it had stored."""

    def __init__(self, kind: str, python: Path, folder: Path) -> None:
        self._command = [str(python), str(_SCRIPT), kind, str(folder)]
        self._log = folder.with_suffix(".log")
        self._process: subprocess.Popen[str] | None = None
        self.port = 0
        self._pids: list[int] = []
        self.start()

    def start(self) -> None:
        """Starts it; its port may be another one than before."""
        # Nothing of ours is in the way of what the server imports.
        own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        with self._log.open("a") as log:
            process = subprocess.Popen(
                self._command,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=own,
            )
        self._process = process
        assert process.stdout is not None
        lines: list[str] = []
        reader = threading.Thread(target=lambda: lines.append(process.stdout.readline()), daemon=True)  # type: ignore[union-attr]
        reader.start()
        reader.join(_STARTS)
        if not lines or not lines[0].startswith("port "):
            self.kill()
            pytest.skip(f"the Milvus server does not start: {self._log.read_text()[-300:]}")
        self.port, *self._pids = map(int, lines[0].split()[1:])
        self._await()

    def kill(self) -> None:
        """Ends it as a failure of the machine would."""
        assert self._process is not None
        for pid in (*self._pids, self._process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _await(self) -> None:
        """Waits until it answers: one that was killed listens a while before that, and stops again."""
        end, answered = time.monotonic() + _STARTS, 0
        while time.monotonic() < end:
            try:
                MilvusEngine(self.address("none"))._papers.exists()
                answered += 1
            except CiteWhyError:
                answered = 0
            if answered == 2:
                return
            time.sleep(0.5)
        pytest.skip("the Milvus server does not answer")

    def address(self, collection: str, options: str = "") -> str:
        """The address of a collection."""
        return f"milvus://127.0.0.1:{self.port}/{collection}{options}"


_RUNNING: dict[str, Running] = {}
_FAILED: dict[str, str] = {}
"""Kinds of servers, and why they do not start, which is tried once."""


def lite() -> Running:
    """The server of `milvus-lite`; skips the test without that package."""
    if importlib.util.find_spec("milvus_lite") is None or importlib.util.find_spec("pymilvus") is None:
        pytest.skip("needs pymilvus and milvus-lite: pip install 'citewhy[milvus]' milvus-lite")
    return _running("lite")


def standalone() -> Running:
    """Milvus 2.3.5; skips the test without `pymilvus`, or where the server cannot be installed."""
    if importlib.util.find_spec("pymilvus") is None:
        pytest.skip("needs pymilvus: pip install 'citewhy[milvus]'")
    return _running("standalone")


def new(kind: str) -> Running:
    """Another server of a kind, with nothing in it."""
    python = Path(sys.executable) if kind == "lite" else _environment()
    folder = Path(tempfile.mkdtemp(prefix=f"milvus-{kind}-"))
    if kind == "standalone":
        (folder / "bin").symlink_to(_unpacked(python.parents[1]) / "bin")
    running = Running(kind, python, folder)

    def end() -> None:
        running.kill()
        shutil.rmtree(folder, ignore_errors=True)
        folder.with_suffix(".log").unlink(missing_ok=True)

    atexit.register(end)
    return running


def _running(kind: str) -> Running:
    if kind in _FAILED:
        pytest.skip(_FAILED[kind])
    if kind not in _RUNNING:
        try:
            _RUNNING[kind] = new(kind)
        except pytest.skip.Exception as skipped:
            _FAILED[kind] = str(skipped)
            raise
    return _RUNNING[kind]


def _environment() -> Path:
    """The interpreter of an environment with the server, which is made if it is missing."""
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    folder = Path(named) if named else Path(tempfile.gettempdir(), "citewhy-tests-milvus-2.3.5")
    python, ready = folder / "bin" / "python", folder / "ready"
    if not ready.exists():
        shutil.rmtree(folder, ignore_errors=True)
        try:
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=_INSTALLS)
            subprocess.run(
                [str(python), "-m", "pip", "install", "--quiet", *_REQUIREMENTS],
                check=True,
                timeout=_INSTALLS,
                capture_output=True,
            )
            # The programs are packed, and unpacking them takes longest.
            unpack = f"import milvus; milvus._initialize_data_files({str(_unpacked(folder))!r})"
            subprocess.run([str(python), "-c", unpack], check=True, timeout=_INSTALLS)
        except (subprocess.SubprocessError, OSError) as error:
            pytest.skip(f"Milvus 2.3.5 cannot be installed here: {error}")
        ready.touch()
    return python


def _unpacked(environment: Path) -> Path:
    return environment / "unpacked"


class OnServer:
    """An engine that gives each library a collection of its own on a server."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._engines: dict[str, MilvusEngine] = {}

    def _of(self, library: Library) -> MilvusEngine:
        running = lite() if self._kind == "lite" else standalone()
        name = "c" + hashlib.blake2b(str(library.folder).encode(), digest_size=8).hexdigest()
        if name not in self._engines:
            self._engines[name] = MilvusEngine(running.address(name))
        return self._engines[name]

    def open(
        self,
        library: Library,
        encoder: Encoder | None = None,
        progress: Encoded | None = None,
        *,
        until: Until = "all",
    ) -> Index:
        return self._of(library).open(library, encoder, progress, until=until)

    def refresh(self, library: Library, progress: Steps | None = None) -> None:
        self._of(library).refresh(library, progress)

    def state(self, library: Library) -> tuple[IndexState, IndexState]:
        return self._of(library).state(library)

    def unencoded(self, library: Library, encoder: Encoder) -> int:
        return self._of(library).unencoded(library, encoder)

    def loss(self, library: Library) -> str | None:
        return self._of(library).loss(library)

    def remove(self, library: Library) -> None:
        self._of(library).remove(library)

    def beside(self) -> Engine:
        return self

    @contextlib.contextmanager
    def swept(self) -> Iterator[None]:
        """Removes the collections that are made within the block."""
        try:
            yield
        finally:
            for name, engine in self._engines.items():
                for collection in (name, f"{name}_sentences"):
                    with contextlib.suppress(AbsentError):
                        engine._server.call(lambda client, one=collection: client.drop_collection(one))  # type: ignore[misc]
            self._engines.clear()
