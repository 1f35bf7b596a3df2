"""What one waits for on the page: `citewhy serve` over a library, asked by clients of its own.

    python benchmarks/serving.py --library DIR --draft DRAFT [--edits N] [--seconds S] [--json] [--out FILE]

- First suggestions: from the request that opens the draft until the first answer is on the page's stream of
  events, until all places have one, and until all have one that is not preliminary (from words alone); the
  server is warm, and has not seen the draft.
- Saved edits: a sentence of the draft is changed on disk; time until the state, until all places have an
  answer, and until all have a current one, are on the stream.
- Sixteen clients that ask for suggestions at the same time, each another sentence: p50, p99, and resident
  memory after the first and the last minute.

The server is a process of its own, as a user starts it.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewhy import Session
from common import Line, document, table
from common import parser as shared_parser

CLIENTS = 16
FIRST_SECONDS, EDIT_SECONDS, TAIL, GROWTH = 2.0, 1.0, 8.0, 1.05


@dataclass(frozen=True, slots=True)
class Server:
    """A server that runs."""

    port: int
    token: str
    process: int

    def ask(self, method: str, path: str, body: Any = None) -> http.client.HTTPResponse:
        """Sends a request, and returns the response, which is to be read."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        if path.endswith("/suggest") and body is not None and "text" not in body:
            headers["Accept"] = "application/x-ndjson"
        connection.request(method, f"/api/v1{path}", None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        if response.status >= 400:
            raise SystemExit(f"{method} {path}: {response.status} {response.read().decode()}")
        return response

    @property
    def resident(self) -> float:
        """Megabytes of memory."""
        pages = Path(f"/proc/{self.process}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20


@contextlib.contextmanager
def serving(folder: Path, library: Path) -> Iterator[Server]:
    """A server of the drafts in a folder, in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "citewhy",
        "serve",
        "--port",
        "0",
        "--no-browser",
        "--library",
        str(library),
    ]
    # A cache of its own, which has never seen the draft's bibliography.
    environment = os.environ | {"XDG_CACHE_HOME": str(folder / "cache")}
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        address, link = process.stdout.readline(), process.stdout.readline()
        port = int(address.strip().rstrip("/").rpartition(":")[2])
        try:
            yield Server(port, link.strip().partition("#token=")[2], process.pid)
        finally:
            process.send_signal(signal.SIGINT)


@dataclass(slots=True)
class Answered:
    """Seconds until the places of a state have answers."""

    begun: float
    waiting: set[str]
    """The places without an answer."""
    outdated: set[str]
    """The places without a current one."""
    first: float = 0.0
    all: float = 0.0
    current: float = 0.0

    def take(self, answer: Any) -> None:
        """Takes an answer that has come now."""
        now = time.perf_counter() - self.begun
        self.first = self.first or now
        self.waiting.discard(answer["id"])
        if answer["current"]:
            self.outdated.discard(answer["id"])
        self.all = self.all or (0.0 if self.waiting else now)
        self.current = self.current or (0.0 if self.outdated else now)


def opened(server: Server, path: str) -> tuple[Any, Answered]:
    """The state of a draft that is opened, and when its answers came."""
    begun = time.perf_counter()
    draft = json.load(server.ask("POST", "/drafts", {"path": path}))
    ids = [place["id"] for place in draft["places"]]
    answered = Answered(begun, set(ids), set(ids))
    for name, event in events(server, draft["id"]):
        if name == "answer":
            answered.take(event)
        elif name == "done":
            break
    return draft, answered


def events(server: Server, draft: str) -> Iterator[tuple[str, Any]]:
    """The events of a draft."""
    name = ""
    for raw in server.ask("GET", f"/drafts/{draft}/events?k=5"):
        line = raw.decode().rstrip("\n")
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def edited(server: Server, draft: Any, folder: Path, times: int) -> tuple[list[float], list[Answered], int]:
    """For each of some saved edits, the seconds until the new state, and when its answers came; and how many
    places there are."""
    chance = random.Random(7)
    stream = events(server, draft["id"])
    state = next(document for name, document in stream if name == "state")
    until(stream, "done")
    states: list[float] = []
    answers: list[Answered] = []
    for number in range(times):
        place = chance.choice([one for one in state["places"] if one["sentence"]])
        file = folder / Path(draft["path"]).parent / place["file"]
        text = file.read_text(encoding="utf-8")
        at = place["sentence"]["start"]
        head = text[at:].split(None, 1)[0]
        aside = file.with_suffix(".new")
        rest = text[at + len(head) :].lstrip()
        aside.write_text(f"{text[:at]}{head} indeed{number} {rest}", encoding="utf-8")
        begun = time.perf_counter()
        aside.replace(file)
        answered: Answered | None = None
        for name, event in stream:
            if name == "state" and answered is None:
                states.append(time.perf_counter() - begun)
                ids = {one["id"] for one in event["places"]}
                state, answered = event, Answered(begun, ids, set(ids))
                answers.append(answered)
            elif name == "answer" and answered is not None and event["revision"] == state["revision"]:
                answered.take(event)
            elif name == "done" and answered is not None and event["revision"] == state["revision"]:
                break
    return states, answers, len(state["places"])


def until(stream: Iterator[tuple[str, Any]], wanted: str) -> None:
    for name, _ in stream:
        if name == wanted:
            return


def together(server: Server, sentences: list[str], seconds: float) -> list[float]:
    """The seconds that each question took, of clients that ask at the same time."""
    times: list[float] = []
    end = time.perf_counter() + seconds

    def ask(number: int) -> None:
        while time.perf_counter() < end:
            number += CLIENTS
            begun = time.perf_counter()
            server.ask("POST", "/suggest", {"text": sentences[number % len(sentences)], "k": 5}).read()
            times.append(time.perf_counter() - begun)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(times)


def quantile(values: list[float], share: float) -> float:
    """The value below which a share of all lies."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def with_open_citations(root: Path) -> None:
    """Takes the keys out of every third citation of a draft on disk that can be filled again."""
    manuscript = Session.read(root)
    markers = [one for one in manuscript.markers if one.slot is not None and one.keys and not one.open]
    for marker in sorted(markers[::3], key=lambda one: one.place.start, reverse=True):
        slot = marker.slot
        assert slot is not None
        file = Path(slot.file)
        text = file.read_text(encoding="utf-8")
        mark = "@?" if text[slot.start : slot.end].startswith("@") else "?"
        file.write_text(text[: slot.start] + mark + text[slot.end :], encoding="utf-8")


def measured(library: Path, draft: Path, edits: int, seconds: float) -> list[Line]:
    """All figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(draft.parent, folder / "draft", symlinks=True)
        for path in (folder / "draft").rglob("*"):
            path.chmod(path.stat().st_mode | 0o200)
        with_open_citations(folder / "draft" / draft.name)
        with serving(folder, library) as server:
            server.ask("POST", "/suggest", {"text": "Weights are tuned on a development set."}).read()  # warm
            state, new = opened(server, f"draft/{draft.name}")
            sentences = [one["sentence"]["text"] for one in state["places"] if one["sentence"]]
            states, answers, places = edited(server, state, folder, edits)
            if seconds:
                together(server, sentences, seconds)
            before = server.resident
            times = together(server, sentences, seconds) if seconds else []
            after = server.resident
    every, current = [one.all for one in answers], [one.current for one in answers]
    lines = [
        Line("places of the draft", places, ""),
        Line("first answer after opening", new.first, "s", FIRST_SECONDS),
        Line("all answers after opening", new.all, "s"),
        Line("all that are not preliminary", new.current, "s"),
        Line("a saved edit to its state, p95", quantile(states, 0.95), "s", EDIT_SECONDS),
        Line("a saved edit to all answers, p50", statistics.median(every), "s"),
        Line("a saved edit to all answers, p95", quantile(every, 0.95), "s", EDIT_SECONDS),
        Line("a saved edit to all current answers, p50", statistics.median(current), "s"),
        Line("a saved edit to all current answers, p95", quantile(current, 0.95), "s"),
    ]
    if not times:
        return lines
    p50, p99 = statistics.median(times), quantile(times, 0.99)
    return [
        *lines,
        Line(f"{CLIENTS} clients: answers a second", len(times) / seconds, "texts/s"),
        Line(f"{CLIENTS} clients: p50", p50, "s"),
        Line(f"{CLIENTS} clients: p99", p99, "s"),
        Line(f"{CLIENTS} clients: p99 to p50", p99 / p50, "×", TAIL),
        Line("resident memory after", after, "MB"),
        Line("resident memory, second minute to first", after / before, "×", GROWTH),
    ]


def main() -> None:
    parser = shared_parser(__doc__, "library!", "json", "out")
    parser.add_argument("--draft", type=Path, required=True, help="root file; its citations are opened")
    parser.add_argument("--edits", type=int, default=50, help="saved edits")
    parser.add_argument("--seconds", type=float, default=60, help="seconds of each round of clients; 0: none")
    given = parser.parse_args()
    lines = measured(given.library.resolve(), given.draft.resolve(), given.edits, given.seconds)
    made = document(lines, {}, {"library": given.library.name, "draft": given.draft.name})
    if given.out:
        given.out.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(made, indent=2) if given.json else table(lines))


if __name__ == "__main__":
    main()
