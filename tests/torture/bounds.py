# ruff: noqa: E501
"""Prints what a megabyte costs: CPU seconds and memory of a process that reads it, for every reader and draft.

    python tests/torture/bounds.py [part of a name]

Seconds are user and system time with the start of Python; memory is the peak. The bounds are 2 s and 300 MB for an
input, 5 s and 300 MB for a draft.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bombs import DRAFTS, INPUTS
from ordinary import ordinary_drafts, ordinary_inputs

READ = """
import sys
from citewhy.errors import CiteWhyError
path = sys.argv[1]
try:
    if sys.argv[2] == "draft":
        from citewhy.manuscript import read
        read(path)
    else:
        from citewhy.formats import detect
        from citewhy.formats.report import ImportReport
        for record in detect(path).read(path, ImportReport()):
            pass
except CiteWhyError as error:
    print(error)
for line in open("/proc/self/status"):  # not what `wait4` says, which counts the parent of the process, too
    if line.startswith("VmHWM"):
        print(line.split()[1])
"""


def cost(path: Path, kind: str) -> tuple[float, float, str]:
    """CPU seconds, peak memory in MB, and what was said, of a process that reads the file."""
    process = subprocess.Popen(
        [sys.executable, "-c", READ, str(path), kind],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    *message, memory = said.strip().splitlines()
    seconds = used.ru_utime + used.ru_stime
    return seconds, int(memory) / 1024 if memory.isdigit() else 0, " ".join(message)[-90:]


def main() -> None:
    which = sys.argv[1] if len(sys.argv) > 1 else ""
    inputs = {**INPUTS, **{f"ordinary {name}": text for name, text in ordinary_inputs().items()}}
    cases = [(name, "x", text, "input") for name, text in inputs.items()]
    cases += [(name, file, text, "draft") for name, (file, text) in {**DRAFTS, **ordinary_drafts()}.items()]
    with tempfile.TemporaryDirectory() as folder:
        for name, file, text, kind in cases:
            if which in name:
                path = Path(folder) / file
                path.write_text(text)
                seconds, memory, said = cost(path, kind)
                most = 2 if kind == "input" else 5
                over = "OVER" if seconds > most or memory > 300 else ""
                print(f"{kind:6} {name:34} {seconds:6.2f} s {memory:6.0f} MB {over:5} {said}", flush=True)


if __name__ == "__main__":
    main()
