"""Kills, damages, mutations, bombs, pipes, escapes: each ends with an answer or with one of our errors."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bombs import DRAFTS, INPUTS
from harness import GENEROUS, LOOPS, TRIED, cases, children, limited, loop
from hash_encoder import HashEncoder

from citewhy.base.errors import CiteWhyError, DamagedError
from citewhy.base.import_report import ImportReport
from citewhy.doors.cli.terminal import shown
from citewhy.drafts import read
from citewhy.drafts.edit.citations import fill
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.edit.journal import undo
from citewhy.drafts.edit.patch import Patch
from citewhy.papers.formats import detect
from citewhy.papers.library.store import Library
from citewhy.search.index import open_index
from citewhy.session.importing import add_files

ADD = """
import sys
from citewhy.session.importing import add_files
sys.path.insert(0, sys.argv[1])
from hash_encoder import HashEncoder
for name in sys.argv[3:]:
    add_files(sys.argv[2], [name], encoder=HashEncoder())
    print(name, flush=True)
"""

TESTS = Path(__file__).parents[1]


def bib(number: int) -> str:
    """Twenty entries."""
    return "".join(
        f"@book{{k{number}x{each}, title={{Trees {number} and banks {each}}}, year={{2001}}}}\n"
        for each in range(20)
    )


def files(folder: Path, count: int) -> list[Path]:
    folder.mkdir()
    paths = [folder / f"{number}.bib" for number in range(count)]
    for number, path in enumerate(paths):
        path.write_text(bib(number))
    return paths


def test_kills(tmp_path: Path) -> None:
    """After kill -9 at any moment of an import everything that it said was added is there, no file by half,
    the index answers, and nothing unfinished is left."""
    paths = files(tmp_path / "files", 4)
    for case in cases(200, "kills of an import"):
        chance, library = random.Random(case), tmp_path / f"library{case}"
        command = [sys.executable, "-c", ADD, str(TESTS / "support"), str(library), *map(str, paths)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as adding:
            assert adding.stdout is not None
            said = [adding.stdout.readline() for _ in range(chance.randrange(4))]
            time.sleep(chance.random() * 0.1)
            adding.send_signal(signal.SIGKILL)
            said += adding.stdout.readlines()
        done = sum(line.endswith(b"\n") for line in said)
        add_files(library, paths[:1], encoder=HashEncoder())
        with Library.open(library) as opened:
            counts = [
                sum(f"k{number}x{each}" in opened.ids() for each in range(20)) for number in range(len(paths))
            ]
            assert all(count == 20 for count in counts[:done])
            assert set(counts) <= {0, 20}
            opened.verify()
            open_index(opened, HashEncoder())
        left = [path for path in library.rglob(".*") if path.name not in (".lock",)]
        assert left == []


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Some bits, the end, or a page of a file changed."""
    data, kind = bytearray(content), chance.randrange(4)
    if not data or kind == 0:
        return bytes(data[: chance.randrange(len(data) + 1)])
    if kind == 1:
        page = chance.randrange(0, len(data), 4096)
        data[page : page + 4096] = bytes(len(data[page : page + 4096]))
    else:
        for _ in range(1 if kind == 2 else 32):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


@pytest.mark.filterwarnings("ignore::citewhy.base.errors.LossWarning")
def test_damages(tmp_path: Path) -> None:
    """Damage to any file of a library is healed, or it is a DamagedError: never another answer."""
    add_files(tmp_path / "whole", files(tmp_path / "files", 2), encoder=HashEncoder())
    places = sorted(
        path.relative_to(tmp_path / "whole")
        for path in (tmp_path / "whole").rglob("*")
        if path.is_file() and path.name != ".lock"
    )

    def answers(folder: Path) -> tuple[object, ...]:
        with Library.open(folder) as library:
            index = open_index(library, HashEncoder())
            assert index.paper_vectors is not None
            rows = index.papers()
            return index.ids(rows), index.paper_vectors.vectors(rows).tobytes()

    expected = answers(tmp_path / "whole")
    for case in cases(300, "damages to a file of a library"):
        chance = random.Random(case)
        copy = tmp_path / "copy"
        shutil.copytree(tmp_path / "whole", copy)
        place = chance.choice(places)
        (copy / place).write_bytes(damaged((copy / place).read_bytes(), chance))
        if chance.random() < 0.3:  # what is derived may be removed at any time
            for folder in (copy / "vectors").glob("*-*"):
                shutil.rmtree(folder)
        try:
            assert answers(copy) == expected, place
        except DamagedError:
            assert place == Path("library.db")
        except CiteWhyError:
            assert place == Path("library.db")
        shutil.rmtree(copy)


TOY = {
    "BibTeX": "refs.bib",
    "RIS": "refs.ris",
    "CSL-JSON": "csl.json",
    "JSON papers": "papers.jsonl",
    "JSON contexts": "contexts.jsonl",
    "full texts": "fulltext.jsonl",
    "citations": "citations.tsv",
    "aliases": "paper_aliases.tsv",
    "Anthology": "anthology_new.xml",
    "TEI": "full_texts/N03-1017.grobid.tei.xml",
    "ParsCit": "full_texts/P03-1021-parscit.130908.xml",
}
PIECES = [
    b"{",
    b"}",
    b'"',
    b"\\",
    b"@",
    b"<",
    b">",
    b"&",
    b"\0",
    b"\xff",
    b"\xed\xa0\x80",
    b"\n",
    b"[",
    b"9" * 40,
]
PIECES += [
    b"#",
    b"%",
    b"\\input{",
    b"\\begin{",
    b"$",
    b"(Lee, 1999)",
    b"[1]",
    b"&#x110000;",
    b"null",
    b"1e999",
]
DRAFT = (
    "\\documentclass{article}\\newcommand{\\x}[1]{a #1}\n\\begin{document}\n"
    "Trees \\cite{a}, \\x{b} \\cite{?}.\n"
    "\\begin{table}\\caption{C.}\\end{table} $x$ \\footnote{N.}\n\\bibliography{refs}\\end{document}\n"
)


DRAFTS_WRITTEN = {
    "a.tex": DRAFT,
    "a.md": "# One\n\nTrees [@a; @b] and [@] grow, as @lee says [@?, p. 3].\n\nMore [CITE] and [?].\n",
    "a.typ": "= One\n\nTrees @a @b and #cite(<a>) grow @todo.\n\nMore [CITE] and #cite(<todo>).\n",
    "a.org": "* One\n\nTrees [cite:@a;@b] and [cite:@] grow [cite/t:@?].\n\nMore [CITE] and [?].\n",
}


def mutated(data: bytes, chance: random.Random) -> bytes:
    """A few places cut, doubled, flipped or overwritten."""
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(data) + 1)
        end = min(len(data), place + chance.choice((1, 3, 30, 300)))
        piece = chance.choice([b"", data[place:end] * 2, chance.choice(PIECES)])
        data = data[:place] + piece + data[end:]
    return data


@pytest.mark.parametrize("name", TOY)
def test_mutations(toy: Path, tmp_path: Path, name: str) -> None:
    """A mutated file is read, or refused with one of our errors of one line."""
    content = (toy / TOY[name]).read_bytes()[:20_000]
    path = tmp_path / Path(TOY[name]).name
    for case in cases(10_000, f"mutated files: {name}"):
        path.write_bytes(mutated(content, random.Random(f"{name} {case}")))
        with contextlib.suppress(CiteWhyError):
            for record in detect(path).read(path, ImportReport()):
                str(record).encode()


@pytest.mark.parametrize("name", ["a.tex", "a.md", "a.txt", "a.typ", "a.org"])
def test_mutated_drafts(tmp_path: Path, name: str) -> None:
    """The same for drafts in every format."""
    path = tmp_path / name
    for case in cases(10_000, f"mutated drafts: {path.suffix}"):
        path.write_bytes(mutated(DRAFT.encode(), random.Random(f"{name} {case}")))
        with contextlib.suppress(CiteWhyError):
            read(path)


@pytest.mark.parametrize("name", DRAFTS_WRITTEN)
def test_mutated_drafts_are_undone(tmp_path: Path, name: str) -> None:
    """A mutated draft, each of whose citations is written and undone, is the same byte for byte."""
    path, written = tmp_path / name, 0
    for case in cases(2_000, f"mutated drafts: {path.suffix}, written and undone"):
        content = mutated(DRAFTS_WRITTEN[name].encode(), random.Random(f"undo {name} {case}"))
        path.write_bytes(content)
        edits: list[Edit] = []
        with contextlib.suppress(CiteWhyError):
            manuscript = read(path)
            sentences = [one for paragraph in manuscript.paragraphs for one in paragraph.sentences]
            for marker in [marker for sentence in sentences for marker in sentence.markers]:
                with contextlib.suppress(CiteWhyError):
                    edits.append(fill(manuscript, marker, ["lee2001"]))
            patch = Patch(edits, path)
            patch.apply()
            written += path.read_bytes() != content
            undo(path)
        assert path.read_bytes() == content, case
    TRIED[f"mutated drafts: {path.suffix}, of which were written"] += written


BOMB = """
import sys
from citewhy.base.errors import CiteWhyError
from citewhy.papers.formats import detect
from citewhy.base.import_report import ImportReport
from citewhy.drafts import read
for path in sys.argv[1:]:
    try:
        if path.endswith((".tex", ".md", ".txt", ".typ", ".org")):
            read(path)
        else:
            list(detect(path).read(path, ImportReport()))
    except CiteWhyError as error:
        assert "\\n" not in str(error)
        assert "mistake of CiteWhy" not in str(error)
"""


def test_bombs(tmp_path: Path) -> None:
    """A megabyte that asks for much more ends, within generous limits of memory, and of time on this
    processor."""
    bombs = {**{name: ("x", text) for name, text in INPUTS.items()}, **DRAFTS}
    names = random.Random(7).sample(sorted(bombs), len(bombs))
    for case in cases(len(bombs), "bombs"):
        file, text = bombs[names[case]]
        (tmp_path / file).write_text(text)
        before, seconds = loop(), children()
        done = limited(BOMB, str(tmp_path / file))
        assert done.returncode == 0, (names[case], done.returncode, done.stderr[-500:])
        loops = (children() - seconds) / max(before, loop())
        assert loops < GENEROUS * LOOPS["input" if file == "x" else "draft"], (names[case], loops)


OPEN = """
import sys
from citewhy.base.errors import CiteWhyError
from citewhy.search.index import open_index
from citewhy.papers.library.store import Library
sys.path.insert(0, sys.argv[1])
from hash_encoder import HashEncoder
try:
    with Library.open(sys.argv[2]) as library:
        open_index(library, HashEncoder())
except CiteWhyError as error:
    print(error)
"""


def test_pipes(tmp_path: Path) -> None:
    """A named pipe in place of any file of a library is an error or is replaced, and is never waited for."""
    add_files(tmp_path / "whole", files(tmp_path / "files", 1), encoder=HashEncoder())
    places = sorted(path for path in (tmp_path / "whole").rglob("*") if path.is_file())
    chosen = random.Random(7).sample(places, len(places))
    for case in cases(len(places), "pipes in place of a file of a library"):
        copy = tmp_path / "copy"
        shutil.copytree(tmp_path / "whole", copy)
        place = copy / chosen[case].relative_to(tmp_path / "whole")
        place.unlink()
        os.mkfifo(place)
        done = subprocess.run(
            [sys.executable, "-c", OPEN, str(TESTS / "support"), str(copy)],
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, (place, done.stderr[-500:])
        shutil.rmtree(copy)


def test_escapes() -> None:
    """No control character but tab and line end is printed, whatever the text."""
    codes = [*range(0x20), *range(0x7F, 0xA0), 0x202E, 0x2066, 0xDC80, 0xE0041, 97]
    for case in cases(10_000, "texts with control characters"):
        chance = random.Random(case)
        found = shown("".join(chr(chance.choice(codes)) for _ in range(40)))
        assert all(each in "\t\n" or each.isprintable() for each in found.replace("\r\n", ""))
        assert shown(found) == found
