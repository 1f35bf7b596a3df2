"""Files that a cluster of Ray reads and encodes make the library that one process makes."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]

ROOT = Path(__file__).parents[2]

HAS_RAY = importlib.util.find_spec("ray") is not None


@pytest.mark.full
@pytest.mark.skipif(not HAS_RAY, reason="needs the extra ray: make test-ray")
def test_workers_that_are_killed() -> None:
    """A cluster of two workers, of which one is killed while it encodes, a process or a whole machine; and a
    driver that is killed and started again: the same records, the same vectors, nothing is lost."""
    command = [sys.executable, "benchmarks/ray_kills.py", "--papers", "24", "--kills", "1", "--json"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, timeout=1800)
    assert done.returncode == 0, done.stderr[-4000:]
    kills = json.loads(done.stdout.splitlines()[-1])["kills"]
    assert kills == {kind: {"tried": 1, "survived": 1, "lost": 0} for kind in ("machine", "worker", "driver")}


@pytest.mark.skipif(HAS_RAY, reason="Ray is installed")
def test_without_ray(tmp_path: Path, toy: Path, run: Run) -> None:
    """One sentence says what to install; nothing is added."""
    code, _, error = run("add", toy / "refs.bib", "--ray", "local", "--library", tmp_path / "library")
    assert code == 2
    assert "pip install 'citewhy[ray]'" in error
    assert not (tmp_path / "library").exists()
