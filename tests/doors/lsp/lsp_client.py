"""An editor that speaks the protocol over the standard streams of the server, message by message."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

WAIT = 120
"""Seconds, after which an answer does not come."""


class Client:
    """Starts ``citewhy lsp`` in a folder. Use as a context manager, which shuts it down."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        encodings: Sequence[str] = (),
        settings: Any = None,
        environment: Mapping[str, str] | None = None,
        capabilities: Mapping[str, Any] | None = None,
    ) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "citewhy", "lsp", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=environment,
        )
        self._number = 0
        self._answers: dict[int, dict[str, Any]] = {}
        self._arrived = threading.Condition()
        self.notes: queue.Queue[dict[str, Any]] = queue.Queue()
        self.applied: list[Any] = []
        self.errors: list[bytes] = []
        self._readers = [
            threading.Thread(target=work, daemon=True) for work in (self._read, self._read_errors)
        ]
        for reader in self._readers:
            reader.start()
        self.initialised = self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": folder.as_uri(),
                "workspaceFolders": [{"uri": folder.as_uri(), "name": "draft"}],
                "initializationOptions": settings,
                "capabilities": {
                    "general": {"positionEncodings": list(encodings)} if encodings else {},
                    **(capabilities or {}),
                },
            },
        )
        self.tell("initialized", {})

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> int:
        """Shuts the server down; returns its exit code."""
        if self.process.poll() is None:
            self.ask("shutdown", None)
            self.tell("exit", None)
        code = self.process.wait(WAIT)
        for reader in self._readers:
            reader.join(WAIT)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None and not stream.closed:
                stream.close()
        return code

    # Messages -----------------------------------------------------------------------------------------

    def send(self, message: Any) -> None:
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def tell(self, method: str, params: Any) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def begin(self, method: str, params: Any) -> int:
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number

    def answer(self, number: int) -> dict[str, Any]:
        with self._arrived:
            assert self._arrived.wait_for(lambda: number in self._answers, WAIT), b"".join(self.errors)
            return self._answers.pop(number)

    def ask(self, method: str, params: Any) -> Any:
        answer = self.answer(self.begin(method, params))
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def _read(self) -> None:
        out = self.process.stdout
        assert out is not None
        while True:
            length = 0
            while (line := out.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not length:
                return
            message = json.loads(out.read(length))
            if "method" in message and "id" in message:
                if message["method"] == "workspace/applyEdit":
                    self.applied.append(message["params"]["edit"])
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": {"applied": True}})
            if "method" in message:
                self.notes.put(message)
            else:
                with self._arrived:
                    self._answers[message["id"]] = message
                    self._arrived.notify_all()

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors.append(line)

    def wait_for(self, method: str) -> Any:
        """The parameters of the next notification with a name; others before it are forgotten."""
        while True:
            message = self.notes.get(timeout=WAIT)
            if message["method"] == method:
                return message["params"]

    # Texts --------------------------------------------------------------------------------------------

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str | None = None) -> None:
        text = (self.folder / name).read_text(encoding="utf-8") if text is None else text
        document = {"uri": self.uri(name), "languageId": "", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})

    def change(self, name: str, *changes: Any, version: int = 2) -> None:
        document = {"uri": self.uri(name), "version": version}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})

    def at(self, name: str, line: int, character: int) -> dict[str, Any]:
        return {
            "textDocument": {"uri": self.uri(name)},
            "position": {"line": line, "character": character},
        }

    def complete(self, name: str, line: int, character: int) -> list[dict[str, Any]]:
        return list(self.ask("textDocument/completion", self.at(name, line, character))["items"])
