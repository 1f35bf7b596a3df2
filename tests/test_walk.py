"""The way of a sentence from the command line to its suggestions, by the calls that are made."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

MOST_BORDERS = 21
"""The same count was 55 when there were forty-six rooms."""

CODE = '''
import json, os, sys
from collections import Counter
from pathlib import Path
import citewhy
from citewhy.doors.cli import cli

SOURCE = Path(citewhy.__file__).parent

def room(path):
    """The folder of the package that a file lies in; None for files of others, and for what measures the
    calls of a function on their way."""
    if path.endswith("/base/trace.py"):
        return None
    return path[len(str(SOURCE)) + 1:].split("/")[0] if path.startswith(str(SOURCE)) else None

borders, entries = Counter(), Counter()

def watch(frame, event, argument):
    if event != "call" or (inside := room(frame.f_code.co_filename)) is None:
        return
    caller = frame.f_back
    while caller is not None and room(caller.f_code.co_filename) is None:
        caller = caller.f_back
    if caller is None or "<module>" in (frame.f_code.co_name, caller.f_code.co_name):
        return
    if (outside := room(caller.f_code.co_filename)) != inside:
        borders[f"{outside} -> {inside}"] += 1
    if frame.f_code.co_filename.endswith("recommender.py") and frame.f_code.co_name in ("suggest", "rank"):
        entries[frame.f_code.co_name] += caller.f_code.co_filename != frame.f_code.co_filename

arguments = ["suggest", "--text", "Attention replaced recurrence in machine translation.", "--quiet"]
cli.main(arguments, standalone_mode=False)  # what is imported and indexed once is not counted
sys.setprofile(watch)
cli.main(arguments, standalone_mode=False)
sys.setprofile(None)
print(json.dumps({"borders": borders, "entries": entries}))
'''


def test_a_sentence_crosses_few_borders(tmp_path: Path) -> None:
    """From the command line to its suggestions a sentence crosses few borders of rooms, each counted once in
    each direction, and enters the recommender once."""
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", CODE], check=True, capture_output=True, text=True, env=environment
    )
    walk = json.loads(done.stdout.splitlines()[-1])
    assert len(walk["borders"]) <= MOST_BORDERS, walk["borders"]
    assert sum(walk["entries"].values()) == 1
