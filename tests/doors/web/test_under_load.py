"""Many clients at a time."""

from __future__ import annotations

import gc
import os
import statistics
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from web_client import Client, serving

from citewhy.session.session import Session

pytest_plugins = ("web_server",)

CLIENTS = 16
TEXTS = (
    "Weights are tuned on a development set.",
    "Frames are semantic.",
    "Summaries are compared by their skip-bigrams.",
    "Phrases are translated in context.",
)


def asked(client: Client, seconds: float, most: int) -> Iterator[float]:
    """The seconds that each of the questions of one client took."""
    until = time.monotonic() + seconds
    for number in range(most):
        begun = time.monotonic()
        reply = client.api("POST", "/suggest", {"text": TEXTS[number % len(TEXTS)], "k": 3})
        assert reply.status == 200, reply.body
        yield time.monotonic() - begun
        if begun > until:
            break


def together(client: Client, seconds: float, most: int) -> list[float]:
    """The seconds that all questions of many clients took, who ask at the same time."""
    times: list[list[float]] = [[] for _ in range(CLIENTS)]
    threads = [
        threading.Thread(target=lambda own: own.extend(asked(client, seconds, most)), args=(own,))
        for own in times
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(times), "a client was not answered"
    return sorted(one for own in times for one in own)


def test_all_are_answered(client: Client) -> None:
    """Sixteen clients at a time each get every answer, and the same as one alone."""
    alone = [client.api("POST", "/suggest", {"text": text, "k": 3}).json for text in TEXTS]
    assert len(together(client, 60, 8)) == 8 * CLIENTS
    assert [client.api("POST", "/suggest", {"text": text, "k": 3}).json for text in TEXTS] == alone


@pytest.mark.full
def test_nobody_waits_much_longer_than_others(client: Client) -> None:
    """In a minute of sixteen clients, the slowest hundredth takes at most eight times the median, and memory
    does not grow after the first."""
    together(client, 60, 1_000_000)
    gc.collect()
    before = resident()
    times = together(client, 60, 1_000_000)
    gc.collect()
    assert times[int(0.99 * len(times))] <= 8 * statistics.median(times)
    assert resident() <= 1.05 * before


def resident() -> int:
    """Bytes of memory of this process."""
    pages = Path("/proc/self/statm")
    if not pages.exists():
        pytest.skip("this system does not tell the memory of a process")
    return int(pages.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_long_draft_keeps_nobody_waiting(web_session: Session, folder: Path) -> None:
    """While a long draft is answered place by place, others get their turns in between."""
    text = "\n\n".join(
        f"Weights number {number} are tuned on a development set [@]." for number in range(200)
    )
    (folder / "long.md").write_text(text, encoding="utf-8")
    with serving(web_session, folder, at_a_time=1) as client:
        draft = client.open("long.md")["id"]
        ended: list[float] = []

        def all_of_it() -> None:
            lines = client.api(
                "POST", f"/drafts/{draft}/suggest", {"k": 3}, Accept="application/x-ndjson"
            ).lines
            ended.append(time.monotonic())
            assert len(lines) == 200

        thread = threading.Thread(target=all_of_it)
        thread.start()
        time.sleep(0.1)
        assert client.api("POST", "/suggest", {"text": TEXTS[0], "k": 1}).status == 200
        answered = time.monotonic()
        thread.join()
        assert ended
        assert answered < ended[0]
