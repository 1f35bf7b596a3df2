"""Temporary folders and what is unfinished: removed when their process is gone, and not before."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from citewhy.base.artifact import temporary_folder

_HOLD = """
import sys
from citewhy.base.artifact import temporary_folder
with temporary_folder() as folder:
    (folder / "piped").write_text("x")
    print(folder, flush=True)
    sys.stdin.read()
"""


def test_a_copy_of_a_killed_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is removed by the next process that needs a copy, while those of living ones stay."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", _HOLD]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True, env=environment) as process:
        assert process.stdout is not None
        held = Path(process.stdout.readline().strip())
        with temporary_folder() as folder:
            assert (held / "piped").exists()
            assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert held.exists()
    with temporary_folder():
        assert not held.exists()
    assert not any(folder.parent.iterdir())


@pytest.mark.parametrize("kind", ["link", "open"])
def test_a_folder_that_somebody_else_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Nothing is removed from it, and nothing is put in it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    trap, other = tmp_path / f"citewhy-{os.getuid()}", tmp_path / "other"
    (other / "a").mkdir(parents=True, mode=0o700)
    if kind == "link":
        trap.symlink_to(other)
    else:
        (trap / "a").mkdir(parents=True)
        trap.chmod(0o777)
    with temporary_folder() as folder:
        assert folder.parent == tmp_path
    assert (trap / "a").is_dir()
