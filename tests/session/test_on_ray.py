"""Files that a cluster of Ray reads and encodes make the library that one process makes."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hash_encoder import HashEncoder
from numpy.typing import NDArray
from small_library import make, paper

from citewhy.search.index.local.vector_cache import vector_key
from citewhy.session import on_ray

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


def test_progress_is_of_all_that_is_known_to_be_encoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also from the second part of the work on."""
    encoder = HashEncoder()

    def locally(
        _ray: object, parts: Sequence[on_ray.Part], *_: object
    ) -> Iterator[tuple[list[bytes], NDArray[np.float16]]]:
        for kind, texts in parts:
            keys = [vector_key(text, encoder.fingerprint, kind) for text in texts]
            yield keys, encoder.encode(texts, kind).astype(np.float16)

    monkeypatch.setattr(on_ray, "_encoded", locally)
    monkeypatch.setattr(on_ray, "_PART", 2)
    monkeypatch.setattr(on_ray, "_WINDOW", 2)
    told: list[float] = []
    with make(tmp_path, [paper(f"p{number}") for number in range(9)]) as library:
        done = on_ray.encode_on_ray(
            mock.Mock(), library, encoder, None, progress=lambda _what, share: told.append(share or 0.0)
        )
    assert done == 9
    assert told == [2 / 4, 4 / 4, 6 / 8, 8 / 8, 9 / 9]
