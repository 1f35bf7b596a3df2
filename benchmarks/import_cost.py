"""What it costs to import bibliographies: CPU seconds, peak memory, size of the library.

    python benchmarks/import_cost.py DIR [--against PYTHON] [--megabytes N] [--runs N] [--json]

Different .bib files below DIR are joined to one of about N megabytes; its papers are written as RIS and as
CSL-JSON, too. Each of the three is read (records are made and forgotten) and added to a new library without
vectors (`citewhy add --no-vectors`). Every measurement is a process of its own; figures are medians of the
runs. `--against` names the Python of another checkout, which is measured on the same files, in turn with
this one.
"""

from __future__ import annotations

import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from common import parser as shared_parser

_READ = """
import sys, time
from citewhy.papers.formats import read
from citewhy.base.import_report import ImportReport
start = time.process_time()
found = sum(1 for _ in read(sys.argv[1], ImportReport()))
print(time.process_time() - start, found)
"""
_ADD = "from citewhy.doors.cli import main; main()"

INPUTS = ("papers.bib", "papers.ris", "papers.json")

CODE = Path(tempfile.gettempdir()) / "citewhy-import-cost"
"""Where the compiled code is kept, so that no run compiles it, whatever the environment says."""

Figures = dict[tuple[str, str], float]
"""By input and what was measured."""


def different(folder: Path, most: int) -> Iterator[bytes]:
    """The contents of .bib files in an order that has nothing to do with their names, each once, until there
    are `most` bytes."""
    files = {hashlib.sha256(file.read_bytes()).digest(): file for file in sorted(folder.rglob("*.bib"))}
    size = 0
    for _, file in sorted(files.items()):
        if size >= most:
            break
        data = file.read_bytes()
        size += len(data)
        yield data


def write(folder: Path, most: int, out: Path) -> None:
    """Writes the three files into the folder `out`."""
    from citewhy.papers.formats import read_papers
    from citewhy.writers import csl, ris

    texts = [data.decode("utf-8", "replace").removeprefix("\ufeff") for data in different(folder, most)]
    if not texts:
        raise SystemExit(f"no .bib file below {folder}")
    joined = out / INPUTS[0]
    joined.write_text("\n\n".join(texts), encoding="utf-8")
    papers = read_papers(joined)
    (out / INPUTS[1]).write_text(ris.entries(papers), encoding="utf-8")
    (out / INPUTS[2]).write_text(csl.entries(papers), encoding="utf-8")


def run(python: str, arguments: Sequence[str]) -> tuple[str, float, float]:
    """The output of a process, its CPU seconds and its peak memory in MB. Raises SystemExit if it fails."""
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPYCACHEPREFIX": str(CODE)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [python, "-c", *arguments], stdout=output, stderr=subprocess.STDOUT, env=environment
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode()
    if process.returncode:
        raise SystemExit(f"{python} failed:\n{text}")
    return text, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def measured(python: str, file: Path) -> Figures:
    name = file.suffix.removeprefix(".")
    text, _, memory = run(python, [_READ, str(file)])
    seconds, records = map(float, text.split())
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "library"
        _, added, peak = run(python, [_ADD, "add", str(file), "--library", str(library), "--no-vectors"])
        size = sum(each.stat().st_size for each in library.glob("library.db*"))
    return {
        (name, "records"): records,
        (name, "reading, s"): seconds,
        (name, "reading, MB"): memory,
        (name, "adding, s"): added,
        (name, "adding, MB"): peak,
        (name, "library, MB"): size / 1e6,
    }


def rows(ours: Mapping[tuple[str, str], float], theirs: Mapping[tuple[str, str], float]) -> Iterator[str]:
    yield f"| input | what | this |{' other | ratio |' if theirs else ''}"
    yield f"| --- | --- | ---: |{' ---: | ---: |' if theirs else ''}"
    for at, value in ours.items():
        other = theirs.get(at)
        more = "" if other is None else f" {other:,.2f} | {value / other:.3f} |"
        yield f"| {at[0]} | {at[1]} | {value:,.2f} |{more}"


def main() -> None:
    parser = shared_parser(__doc__, "json")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--against", metavar="PYTHON", help="Python of another checkout")
    parser.add_argument("--megabytes", type=float, default=6)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--write", type=Path, metavar="OUT", help="only write the files, into this folder")
    given = parser.parse_args()
    if given.write is not None:
        write(given.folder, int(given.megabytes * 1e6), given.write)
        return
    pythons = [sys.executable, *([given.against] if given.against else [])]
    samples: list[dict[tuple[str, str], list[float]]] = [defaultdict(list) for _ in pythons]
    with tempfile.TemporaryDirectory() as folder:
        # the memory of a process counts for its children, so another one has the papers
        size = ("--megabytes", str(given.megabytes))
        subprocess.run([sys.executable, __file__, given.folder, *size, "--write", folder], check=True)
        files = [Path(folder) / name for name in INPUTS]
        for python in pythons:
            measured(python, files[0])  # compiles the code
        for _ in range(given.runs):
            for file in files:
                for python, found in zip(pythons, samples, strict=True):
                    for at, value in measured(python, file).items():
                        found[at].append(value)
    medians = [{at: statistics.median(values) for at, values in found.items()} for found in samples]
    if given.json:
        by_python = zip(pythons, medians, strict=True)
        print(json.dumps({p: {" ".join(at): v for at, v in found.items()} for p, found in by_python}))
    else:
        print("\n".join(rows(medians[0], medians[1] if given.against else {})))


if __name__ == "__main__":
    main()
