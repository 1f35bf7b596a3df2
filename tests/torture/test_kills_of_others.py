"""After kill -9 at any moment of `citewhy enrich` and `citewhy tune`: what was reported is there, no file by
half, and the same command goes on."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from harness import cases
from local_service import service_that_knows

from citewhy.base.records import Paper
from citewhy.papers.library.store import Library
from citewhy.ranking.rank.tuning import Tuning, read_tuning, write_tuning
from citewhy.session.enrich.enriching import Enrichment

ENRICH = """
import sys
from dataclasses import replace
from pathlib import Path
from citewhy.session.enrich.enriching import Enrichment
from citewhy.session.enrich.services import SERVICES
SERVICES["crossref"] = replace(SERVICES["crossref"], batch=1, pause=0.0)
run = Enrichment(Path(sys.argv[1]), "crossref", ["abstract"], address=sys.argv[2])
print(flush=True)
run.run(vectors=False, progress=lambda what, share: what.startswith("asking") and print(what, flush=True))
"""
TUNE = """
import sys
from pathlib import Path
from citewhy.ranking.rank.tuning import Tuning, forget_tuning, write_tuning
print(flush=True)
while True:
    for number in range(1, 5):
        write_tuning(Path(sys.argv[1]), Tuning(number, {"named": float(number)}, None, {"number": number}))
    forget_tuning(Path(sys.argv[1]))
"""
PAPERS = tuple(
    Paper(f"p{number}", f"Trees and banks {number}", authors=("Ann Lee",), doi=f"10.1000/{number}")
    for number in range(12)
)


def killed(code: str, chance: random.Random, lines: int, *arguments: object) -> list[bytes]:
    """What a process said until it was killed: after so many lines, and a moment."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(1 + lines)]
        time.sleep(chance.random() * 0.02)
        process.send_signal(signal.SIGKILL)
        return [line for line in said + process.stdout.readlines() if line.endswith(b"\n")]


def unfinished(folder: Path) -> list[Path]:
    """What is left over: hidden files that are neither locks nor notes."""
    return [path for path in folder.rglob(".*") if path.name not in (".lock", ".tuned")]


def test_kills_of_enrich(tmp_path: Path) -> None:
    """Every answer that was counted is in the library and noted, and the same command asks for the rest."""
    with service_that_knows(PAPERS) as service:
        for case in cases(40, "kills of enrich"):
            chance, folder = random.Random(case), tmp_path / f"library{case}"
            with Library.open(folder, create=True) as library:
                library.add(PAPERS)
            said = killed(ENRICH, chance, chance.randrange(8), folder, service.address)
            counted = len(said) - 1
            with Library.open(folder) as library:
                library.verify()
                known = sum(bool(paper.abstract) for paper in library.papers(library.ids()).values())
            assert counted <= known
            run = Enrichment(folder, "crossref", ["abstract"], address=service.address, sleep=_not)
            assert len(PAPERS) - known <= run.plan.identifiers <= len(PAPERS) - counted
            run.run(vectors=False)
            with Library.open(folder) as library:
                library.verify()
                assert all(paper.abstract for paper in library.papers(library.ids()).values())
            assert unfinished(folder) == []


def _not(seconds: float) -> None:
    """A clock that is not waited for."""


def test_kills_of_tune(tmp_path: Path) -> None:
    """The library has one of the tunings that were written, or none."""
    for case in cases(100, "kills of tune"):
        chance, folder = random.Random(case), tmp_path / f"library{case}"
        with Library.open(folder, create=True):
            pass
        killed(TUNE, chance, 0, folder)
        tuning = read_tuning(folder)
        assert tuning is None or tuning.facts == {"number": tuning.ranker}
        write_tuning(folder, Tuning(9, {}, None, {}))
        assert read_tuning(folder) == Tuning(9, {}, None, {})
        assert unfinished(folder) == []
