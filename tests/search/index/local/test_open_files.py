"""An index needs few open files, however many segments it has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SUPPORT = Path(__file__).parents[3] / "support"

CODE = """
import resource, sys
sys.path.insert(0, sys.argv[2])
from citewhy.search.index import open_index
from citewhy.papers.library.store import Library
from hash_encoder import HashEncoder
from index_life import batch, digest
resource.setrlimit(resource.RLIMIT_NOFILE, (96, 96))
most = 0
with Library.open(sys.argv[1], create=True) as library:
    for number in range(6):
        library.add(batch(number))
        index = open_index(library, HashEncoder())
        digest(index)
        most = max(most, len(list((library.folder / "index").glob("papers-*"))))
print(most)
"""


def test_six_segments(tmp_path: Path) -> None:
    """A growing index with six segments is made, opened and asked with 96 files at most."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path / "library"), str(SUPPORT)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-1000:]
    assert int(done.stdout) >= 6
