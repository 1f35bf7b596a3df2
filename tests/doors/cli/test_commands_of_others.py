"""Commands that other packages bring, good and broken."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_a_broken_package_breaks_nothing_else(tmp_path: Path) -> None:
    """A package whose commands cannot be loaded is named in one line where all commands are listed; ours do
    not even import it."""
    info = tmp_path / "stranger-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[citewhy.commands]\nstranger = stranger:COMMANDS\n")
    (tmp_path / "stranger.py").write_text("raise ImportError('no such thing')\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    code = "from citewhy.doors.cli import main; main()"
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, env=environment
        )
        for arguments in (["find", "--help"], ["--help"])
    ]
    assert [done.returncode for done in outputs] == [0, 0]
    assert outputs[0].stderr == ""
    expected = "citewhy: the commands of stranger:COMMANDS cannot be loaded (no such thing)\n"
    assert outputs[1].stderr == expected
