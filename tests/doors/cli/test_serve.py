"""`citewhy serve` as a process: what it prints, and how it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from web_client import DRAFT, Client

Run = Callable[..., tuple[int, str, str]]


@contextlib.contextmanager
def process(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], Client, str]]:
    """A server in a process of its own, a client of it, and the second line that it printed."""
    command = [sys.executable, "-m", "citewhy", "serve", "--port", "0", "--no-browser", "--pipeline", "bm25"]
    with subprocess.Popen(
        [*command, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
    ) as server:
        try:
            assert server.stdout is not None
            address, link = server.stdout.readline().strip(), server.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:")
            token = link.partition("#token=")[2].partition("&")[0]
            yield server, Client(int(address.rpartition(":")[2].rstrip("/")), token), link
        finally:
            if server.poll() is None:
                server.send_signal(signal.SIGINT)
                server.wait(60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "draft.md").write_text(DRAFT, encoding="utf-8")
    (tmp_path / "refs.bib").write_text("@misc{known, title = {Known papers of trees}}\n", encoding="utf-8")
    return tmp_path


def test_it_answers_when_it_says_so(folder: Path) -> None:
    """The first line is the address, the second opens the draft; the token is the same after a restart."""
    with process(folder, "draft.md") as (_, client, link):
        assert client.api("GET", "/health").json["status"] == "ok"
        draft = link.partition("&draft=")[2]
        assert client.api("GET", f"/drafts/{draft}").json["path"] == "draft.md"
        token = client.token
    with process(folder) as (_, client, _):
        assert client.token == token
        assert [one["path"] for one in client.api("GET", "/drafts").json["drafts"]] == ["draft.md"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_it(folder: Path, number: signal.Signals) -> None:
    """Streams end, answers that are under way are finished, nothing is half written, and the exit code is
    0."""
    with process(folder, "draft.md") as (server, client, link):
        draft = link.partition("&draft=")[2]
        ended = threading.Event()
        replies = []

        def follow() -> None:
            with client.events(draft) as events:
                for name, _ in events:
                    if name == "done":
                        started.set()
            ended.set()

        def ask() -> None:
            replies.append(client.api("POST", "/suggest", {"path": "draft.md", "k": 5}))

        started = threading.Event()
        threads = [threading.Thread(target=follow), threading.Thread(target=ask)]
        threads[0].start()
        assert started.wait(60)
        threads[1].start()
        while not replies and "running 1" not in client.api("GET", "/metrics").body.decode():
            pass  # until it is under way, or answered
        server.send_signal(number)
        assert server.wait(60) == 0
        for thread in threads:
            thread.join(60)
        assert ended.is_set()
        assert replies[0].status == 200
        assert len(replies[0].json["places"]) == 3
        assert server.stderr is not None
        assert server.stderr.read() == ""
    assert not list(folder.rglob("*.new"))


def test_a_port_that_is_taken(folder: Path, run: Run) -> None:
    """It is a sentence, and nothing is served."""
    with process(folder) as (_, client, _):
        code, out, err = run("serve", "--port", client.port, "--no-browser")
    assert (code, out) == (2, "")
    assert f"port {client.port} cannot be used" in err


def test_a_draft_that_is_not_there(tmp_path: Path, run: Run) -> None:
    """It is told before anything is served."""
    code, out, err = run("serve", tmp_path / "missing.tex", "--no-browser", "--port", "0")
    assert (code, out) == (2, "")
    assert "missing.tex" in err
