# ruff: noqa: E501
"""Prints what a megabyte costs: CPU seconds and memory of a process that reads it, for every reader and draft.

    python tests/torture/bounds.py [part of a name]
    python tests/torture/bounds.py --add [part of a name]
    python tests/torture/bounds.py --shapes [part of a name]

Seconds are user and system time with the start of Python, the median of three where they come near the bound;
memory is the peak. The bounds are 2 s and 300 MB for reading an input, 5 s and 300 MB for reading a draft. With
``--add``, what `citewhy add --no-vectors` takes for the inputs, which has no bound: it stores and indexes each record. With
``--shapes``, what is made of one token of a grammar.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bombs import DRAFTS, INPUTS
from ordinary import ordinary_drafts, ordinary_inputs
from shapes import GRAMMARS, shaped

READ = """
import gc
import sys
from citewhy.base.config import FEW_COLLECTIONS
gc.set_threshold(*FEW_COLLECTIONS)  # as `citewhy add` does
from citewhy.base.errors import CiteWhyError
path = sys.argv[1]
try:
    if sys.argv[2] == "draft":
        from citewhy.drafts import read
        read(path)
    else:
        from citewhy.papers.formats import detect
        from citewhy.base.import_report import ImportReport
        for record in detect(path).read(path, ImportReport()):
            pass
except CiteWhyError as error:
    print(error)
"""
ADD = """
import sys
from citewhy.doors.cli import main
path = sys.argv[1]
sys.argv[1:] = ["add", path, "--no-vectors", "--library", path + ".library", "--quiet"]
try:
    main()
except SystemExit:
    pass
"""
MEMORY = """
for line in open("/proc/self/status"):  # not what `wait4` says, which counts the parent of the process, too
    if line.startswith("VmHWM"):
        print(line.split()[1])
"""


def cost(path: Path, kind: str) -> tuple[float, float, str]:
    """CPU seconds, peak memory in MB, and what was said, of a process that reads or adds the file."""
    code = (ADD if kind == "added" else READ) + MEMORY
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path), kind],
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


Case = tuple[str, str, str, str]
"""Name, name of the file, content, and kind."""


def shapes(which: str) -> Iterator[Case]:
    for name, grammar in GRAMMARS.items():
        for made, text in shaped(grammar):
            if which in (title := f"{name} {made!r}"):
                yield title, grammar.file, text, "input" if grammar.file == "x" else "draft"


def files(adding: bool) -> Iterator[Case]:
    inputs = {**INPUTS, **{f"ordinary {name}": text for name, text in ordinary_inputs().items()}}
    yield from ((name, "x", text, "added" if adding else "input") for name, text in inputs.items())
    if not adding:
        drafts = {**DRAFTS, **ordinary_drafts()}
        yield from ((name, file, text, "draft") for name, (file, text) in drafts.items())


def main() -> None:
    how = sys.argv[1] if sys.argv[1:2] in (["--add"], ["--shapes"]) else ""
    which = sys.argv[-1] if len(sys.argv) > 1 + bool(how) else ""
    cases = shapes(which) if how == "--shapes" else files(bool(how))
    with tempfile.TemporaryDirectory() as folder:
        for name, file, text, kind in cases:
            if which in name:
                path = Path(folder) / file
                path.write_text(text)
                most = {"input": 2.0, "draft": 5.0, "added": float("inf")}[kind]
                seconds, memory, said = cost(path, kind)
                if seconds > most / 2:
                    seconds, memory, said = sorted(
                        [(seconds, memory, said), cost(path, kind), cost(path, kind)]
                    )[1]
                over = "OVER" if seconds > most or memory > 300 else ""
                shutil.rmtree(f"{path}.library", ignore_errors=True)
                print(f"{kind:6} {name:34} {seconds:6.2f} s {memory:6.0f} MB {over:5} {said}", flush=True)


if __name__ == "__main__":
    main()
