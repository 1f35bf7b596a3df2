"""A library that is being made: whole or absent, and nothing is left of one that was not finished."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

from citewhy.papers.library.store import Library

_DIE = """
import os, sys
from pathlib import Path
from citewhy.papers.library import opening
from citewhy.papers.library.store import Library
type(opening.STATES).insert = lambda table, *arguments: os._exit(9)
Library.open(Path(sys.argv[1]), create=True)
"""


def test_killed_while_it_is_made(tmp_path: Path) -> None:
    """What SQLite had beside the unfinished file is gone, too; a user's file with such a name is not."""
    folder = tmp_path / "library"
    folder.mkdir()
    mine = folder / ".library.db.0123456789abcdef"
    mine.write_text("mine")
    died = subprocess.run([sys.executable, "-c", _DIE, str(folder)], check=False)
    assert died.returncode == 9
    assert not (folder / "library.db").exists()
    assert len([path for path in folder.rglob("*") if path.is_file()]) > 2
    Library.open(folder, create=True).close()
    assert {path.name for path in folder.iterdir()} == {"library.db", mine.name}


def test_made_twice_at_the_same_time(tmp_path: Path) -> None:
    """Everybody uses the same one."""
    marks = []

    def make() -> None:
        with Library.open(tmp_path / "library", create=True) as library:
            marks.append(library.mark_of(0))

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(marks) == 8
    assert len(set(marks)) == 1
