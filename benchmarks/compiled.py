"""Whether BibTeX, biber and pdflatex accept what is written as they accept what the authors had.

    python benchmarks/compiled.py DIR [--number N] [--entries N] [--show]

N of the .bib files below DIR are compiled with all of their entries, once with BibTeX and the style plain,
once with biber and biblatex: the file itself; its entries as the library has them; and its entries without
their sources, written as BibTeX from the record, from CSL-JSON of it and from RIS of it. Each warning and
each error that the file itself does not give is counted; and those of BibTeX apart that are about an entry
of which it complains in the file, too: plain says of a @report only that it does not know this type, and of a
@techreport what it lacks. Files have at most `--entries` entries.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from citewhy.base.config import DEFAULT_SEED
from citewhy.base.errors import CiteWhyError
from citewhy.base.records import Paper
from citewhy.papers.formats.bibtex import read_entries
from citewhy.text.codec import paper_data, read_paper
from citewhy.writers import bibtex
from round_trip import entries_of, read_again

PROGRAMS = ("pdflatex", "bibtex", "biber")
WRITTEN = ("library", "record", "CSL-JSON", "RIS")
"""What is compiled beside the file itself."""
FILES = "files with new warnings"
OTHERS = "other warnings of entries of which BibTeX complains"
FEWEST = 10
"""Entries of a file that is compiled."""
SECONDS = 300
PACKAGES = r"""\documentclass{article}
\usepackage[T1]{fontenc}\usepackage{textcomp,amsmath,amssymb,url}
"""
BY_BIBTEX = PACKAGES + r"\begin{document}\input{entries.bbl}\end{document}"
BY_BIBER = (
    PACKAGES
    + r"\usepackage[backend=biber]{biblatex}\addbibresource{entries.bib}"
    + r"\begin{document}\nocite{*}\printbibliography\end{document}"
)
AUX = "\\relax\n\\citation{*}\n\\bibstyle{plain}\n\\bibdata{entries}\n"

_OF_BIBTEX = re.compile(r"^(?:Warning--.*|.*---line \d+ of file .*)$", re.MULTILINE)
_OF_BIBER = re.compile(r"^(?:WARN|ERROR) - (?!.*(?:legacy month field|legacy DATE field))(.*)$", re.MULTILINE)
_ABOUT = re.compile(r'^bibtex: Warning--.*(?: in |entry type for ")([^\s"]+)')
_OF_LATEX = re.compile(r"^! .*$", re.MULTILINE)
_PLACES = re.compile(r"---?line \d+ of file \S+|, line \d+|\(.*?entries\.bib.*?\)|/\S*/|'[^']*\.bib'|_\d+")


def run(folder: Path, *command: str) -> str:
    """What a program prints, and nothing else is asked of it; a remark if it takes too long."""
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return f"! {command[0]} takes too long"
    return done.stdout.decode("utf-8", "replace")


def complaints(text: str) -> Counter[str]:
    """The warnings and errors of a .bib text, without the lines in which they are."""
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "entries.bib").write_text(text, encoding="utf-8")
        (folder / "entries.aux").write_text(AUX, encoding="utf-8")
        found.update(f"bibtex: {line}" for line in _OF_BIBTEX.findall(run(folder, "bibtex", "entries")))
        if (folder / "entries.bbl").is_file():
            found.update(f"pdflatex of bibtex: {line}" for line in latex(folder, BY_BIBTEX))
        latex(folder, BY_BIBER)
        found.update(f"biber: {line}" for line in _OF_BIBER.findall(run(folder, "biber", "document")))
        found.update(f"pdflatex of biber: {line}" for line in latex(folder, BY_BIBER))
    return Counter(_PLACES.sub("", line) for line in found.elements())


def latex(folder: Path, document: str) -> list[str]:
    """The errors of a document."""
    (folder / "document.tex").write_text(document, encoding="utf-8")
    run(folder, "pdflatex", "-interaction=nonstopmode", "document.tex")
    log = folder / "document.log"
    return _OF_LATEX.findall(log.read_text(encoding="utf-8", errors="replace")) if log.is_file() else []


def written(papers: Sequence[Paper], what: str) -> str:
    """The papers as BibTeX: verbatim, from their records, or from what another format holds of these."""
    if what == "library":
        return bibtex.entries(papers)
    bare = [replace(paper, source=None) for paper in papers]
    if what != "record":
        with tempfile.TemporaryDirectory() as folder:
            again = [read_again(paper, Path(folder), what) for paper in bare]
        bare = [replace(paper, source=None) for paper in again if paper is not None]
    return bibtex.entries(bare)


def files(folder: Path, most: int) -> Iterator[Path]:
    """The .bib files with enough entries and not too many, in an order that does not depend on the folder."""
    paths = sorted(folder.rglob("*.bib"))
    random.Random(DEFAULT_SEED).shuffle(paths)
    for path in paths:
        try:
            count = len(read_entries(path.read_text(encoding="utf-8"), str(path), []))
        except (CiteWhyError, UnicodeDecodeError):
            continue
        if FEWEST <= count <= most:
            yield path


def compared(found: Counter[str], own: Counter[str]) -> Counter[str]:
    """The complaints that are not among a file's own; those of BibTeX about an entry of which it complains
    there, too, under one name."""
    about = {entry[1] for line in own if (entry := _ABOUT.search(line))}
    new: Counter[str] = Counter()
    for line, count in (found - own).items():
        entry = _ABOUT.search(line)
        new[OTHERS if entry and entry[1] in about else line] += count
    return new


def new_ones(total: Counter[str]) -> int:
    """The number of warnings and errors that are not about entries of which BibTeX complains anyway."""
    return total.total() - total[FILES] - total[OTHERS]


def main() -> None:
    """Prints what is new, and how much."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, metavar="DIR")
    parser.add_argument("--number", type=int, default=30, metavar="N", help="of files (default: 30)")
    parser.add_argument("--entries", type=int, default=150, metavar="N", help="at most (default: 150)")
    parser.add_argument("--show", action="store_true", help="print each warning that is new")
    given = parser.parse_args()
    if missing := [program for program in PROGRAMS if shutil.which(program) is None]:
        sys.exit(f"nothing is compiled: {missing[0]} is not installed (apt install texlive biber)")
    totals: dict[str, Counter[str]] = {what: Counter() for what in WRITTEN}
    compiled = entries = 0
    for path, _ in zip(files(given.data, given.entries), range(given.number), strict=False):
        papers = [read_paper(entry.key, paper_data(entry.paper)) for entry, _ in entries_of(path)]
        compiled, entries = compiled + 1, entries + len(papers)
        own = complaints(path.read_text(encoding="utf-8"))
        for what, total in totals.items():
            new = compared(complaints(written(papers, what)), own)
            total.update(new)
            total[FILES] += bool(new.total() - new[OTHERS])
            for line, count in new.items() if given.show else ():
                print(f"{path.parent.name}/{path.name}, {what}: {count} × {line}")
        print(f"{path.name}: {own.total()} of its own; new: ", end="")
        print(", ".join(f"{new_ones(total)} {what}" for what, total in totals.items()), flush=True)
    print(f"\n{compiled} files, {entries} entries; warnings and errors that the file itself does not give:")
    for what, total in totals.items():
        print(f"  {what:<9} {new_ones(total):5} in {total[FILES]} files; {total[OTHERS]} {OTHERS}")


if __name__ == "__main__":
    main()
