"""The log for machines: its lines, what they leave out, and what happens where it cannot be written."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from citewhy.base.errors import StorageError
from citewhy.base.log import event, keeping_log
from citewhy.base.trace import stage
from citewhy.doors.cli import cli


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_line_for_each_event(tmp_path: Path) -> None:
    """Lines are added to those that are there; short stages are left out, others say how long they took."""
    file = tmp_path / "log.jsonl"
    file.write_text('{"event": "before"}\n')
    with keeping_log(file):
        event("message", text="a\nb")
        with stage("short"):
            pass
        with stage("long"):
            time.sleep(0.002)
    event("message", text="nobody keeps a log")
    before, message, ended = lines(file)
    assert before == {"event": "before"}
    assert (message["event"], message["text"]) == ("message", "a\nb")
    assert message["time"].endswith("Z")
    assert (ended["event"], ended["stage"]) == ("stage", "long")
    assert ended["seconds"] >= ended["own"] > 0


def test_threads_write_whole_lines(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"

    def write() -> None:
        for number in range(50):
            event("message", text=f"{number} " * 200)

    with keeping_log(file):
        threads = [threading.Thread(target=write) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(lines(file)) == 200


def test_a_log_that_cannot_be_opened(tmp_path: Path) -> None:
    log = keeping_log(tmp_path / "none" / "log.jsonl")
    with pytest.raises(StorageError, match="the log cannot be written"), log:
        pass


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_stops_nothing() -> None:
    with keeping_log(Path("/dev/full")):
        event("message", text="lost")


def test_a_command(tmp_path: Path) -> None:
    """What it read and said is in the log, and what the draft says is not."""
    draft, file = tmp_path / "draft.md", tmp_path / "log.jsonl"
    draft.write_text("# A\n\nPurple elephants translate texts [CITE].\n")
    asked = CliRunner().invoke(
        cli, ["--log-json", str(file), "suggest", str(draft), "--library", str(tmp_path / "none")]
    )
    started, *_, ended = lines(file)
    assert (started["event"], started["command"]) == ("command started", "suggest")
    assert (ended["event"], ended["command"]) == ("command ended", "suggest")
    assert (ended["failure"] is None) == (asked.exit_code == 0)
    assert ended["most_memory"] > 1e6
    assert "elephants" not in file.read_text(encoding="utf-8")


def test_a_command_that_fails(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    CliRunner().invoke(cli, ["--log-json", str(file), "suggest", str(tmp_path / "missing.tex")])
    assert lines(file)[-1]["failure"].startswith("InputError: ")
