"""Runs the tests of numerical code as on other processors: ``make test-anywhere``.

    python tests/anywhere.py                      every setting, one after another
    python tests/anywhere.py Prescott -n 2        one setting; the other arguments are passed to pytest

The last digits of a sum depend on its order, and the signs of a decomposition on the implementation. Each
setting makes the libraries use their code for another processor, with one or two threads, and Python use
another hash seed. Settings that this processor cannot run are skipped and listed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]

NOT_COMPUTED = ("benchmarks", "papers", "drafts", "doors/present", "text")
"""Folders of tests without floating-point numbers, which are not run."""

PLAIN = {
    "ATEN_CPU_CAPABILITY": "default",
    "DNNL_MAX_CPU_ISA": "SSE41",
    "FAISS_OPT_LEVEL": "generic",
    "MKL_CBWR": "COMPATIBLE",
}
"""Makes torch, oneDNN, faiss and MKL run as on a processor without wide vectors; for numpy, its own list of
features is used."""


@dataclass(frozen=True)
class Setting:
    core: str
    """Name of the processor for OpenBLAS."""
    threads: int
    hashes: int
    needs: str = ""
    """The flag that /proc/cpuinfo must contain."""
    more: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(self.threads))
        own = {"OPENBLAS_CORETYPE": self.core, "PYTHONHASHSEED": str(self.hashes)}
        return {**os.environ, **threads, **own, **self.more}


def settings() -> list[Setting]:
    wide = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    return [
        Setting("Haswell", 1, 0, "avx2"),
        Setting("SkylakeX", 2, 1, "avx512f"),
        Setting("Zen", 2, 12345, "avx2"),
        Setting("Prescott", 1, 1, "", {**PLAIN, "NPY_DISABLE_CPU_FEATURES": " ".join(wide)}),
    ]


def can(setting: Setting) -> bool:
    try:
        flags = Path("/proc/cpuinfo").read_text()
    except OSError:
        return not setting.needs
    return not setting.needs or f" {setting.needs} " in flags


def run(setting: Setting, arguments: list[str]) -> bool:
    """Runs the tests; returns whether all pass."""
    print(f"\n== {setting.core}, {setting.threads} threads, PYTHONHASHSEED={setting.hashes}", flush=True)
    ignored = [f"--ignore=tests/{name}" for name in NOT_COMPUTED]
    command = [sys.executable, "-m", "pytest", "-m", "not full", "-q", *ignored, *arguments]
    return subprocess.run(command, cwd=ROOT, env=setting.environment(), check=False).returncode == 0


def main(arguments: list[str]) -> int:
    every = settings()
    selected = [each for each in every if each.core in arguments] or every
    left_out = [each.core for each in selected if not can(each)]
    rest = [each for each in arguments if each not in {one.core for one in every}]
    failed = [each.core for each in selected if can(each) and not run(each, rest)]
    print(f"\nfailed: {', '.join(failed) or 'none'}; left out: {', '.join(left_out) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
