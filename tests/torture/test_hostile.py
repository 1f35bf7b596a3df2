"""Projects of strangers, closed streams, odd names: nothing is changed outside, and nothing is lost."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from harness import cases
from hash_encoder import HashEncoder
from hostile import HOSTILITIES, contents, odd_name, project

from citewhy.base.errors import CiteWhyError
from citewhy.drafts import read
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.edit.journal import undo
from citewhy.drafts.edit.patch import Patch
from citewhy.papers.library.store import Library
from citewhy.search.index import open_index
from citewhy.session.importing import add_files


def _edit(draft: Path, *names: str) -> None:
    """Writes a line at the beginning of files of the project."""
    Patch([Edit(str(draft.parent / name), 0, 0, "% new\n") for name in names], draft).apply()


def test_hostile_projects(tmp_path: Path) -> None:
    """Whatever a project has in it: files outside of it stay, and so do those of the author that are not
    edited; what is written can be undone, byte for byte."""
    for case in cases(2_000, "hostile projects"):
        chance, home = random.Random(f"hostile {case}"), tmp_path / str(case)
        draft = project(home)
        states = [contents(draft.parent, ".citewhy")]
        if chance.random() < 0.5:
            _edit(draft, "a.tex", "refs.bib")
        for _ in range(chance.randint(1, 3)):
            chance.choice(HOSTILITIES)(draft, chance)
        outside = contents(home, "sent")
        states.append(contents(draft.parent, ".citewhy"))
        with contextlib.suppress(CiteWhyError):
            _edit(draft, *chance.sample(["a.tex", "refs.bib", "parts/b.tex", "new.bib"], 2))
            assert contents(home, "sent") == outside, case
            undo(draft)
            assert contents(draft.parent, ".citewhy") == states[1], case
        assert contents(draft.parent, ".citewhy") == states[1], case
        with contextlib.suppress(CiteWhyError):
            undo(draft, outside=chance.random() < 0.5)
        assert contents(home, "sent") == outside, case
        now = contents(draft.parent, ".citewhy")
        assert all(now[name] in (states[0].get(name), content) for name, content in states[1].items()), case
        shutil.rmtree(home)


COMMANDS = (
    "add refs.bib --no-vectors --library lib",
    "add - --no-vectors --library lib",
    "info --library lib",
    "info --library none",
    "find trees --library lib --json",
    "suggest a.tex --pipeline bm25 --write --library lib",
    "suggest a.tex --undo",
    "remove a --library lib",
    "--help",
)
STREAMS = [
    " ".join(states) for states in itertools.product(("", "<&-"), ("", ">&-", ">/dev/full"), ("", "2>&-"))
]


def test_closed_streams(tmp_path: Path) -> None:
    """An exit code of ours, no traceback, an intact library, and a draft as it was or as it should be."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    pairs = random.Random(7).sample(list(itertools.product(COMMANDS, STREAMS)), len(COMMANDS) * len(STREAMS))
    (tmp_path / "refs.bib").write_text("@book{a, title={Trees and banks}, author={Lee, A}, year={2001}}\n")
    old = "Trees \\cite{}.\n\\bibliography{refs}\n"
    for case in cases(len(pairs), "commands with closed streams"):
        command, streams = pairs[case]
        (tmp_path / "a.tex").write_text(old)
        add_files(tmp_path / "lib", [tmp_path / "refs.bib"], encoder=HashEncoder())
        done = subprocess.run(
            ["sh", "-c", f"exec {sys.executable} -m citewhy {command} {streams}"],
            input=b"y\n",
            capture_output=True,
            cwd=tmp_path,
            check=False,
        )
        assert done.returncode in (0, 1, 2), (command, streams, done.stderr)
        assert b"Traceback" not in done.stdout + done.stderr, (command, streams)
        assert (tmp_path / "a.tex").read_text() in (old, old.replace("{}", "{a}")), (command, streams)
        with Library.open(tmp_path / "lib") as library:
            library.verify()
        shutil.rmtree(tmp_path / "lib")
        shutil.rmtree(tmp_path / ".citewhy", ignore_errors=True)


def test_odd_names(tmp_path: Path) -> None:
    """Of folders, bibliographies, drafts and libraries: they are read, written and undone as any other."""
    for case in cases(1_000, "odd names"):
        chance = random.Random(f"odd {case}")
        folder = tmp_path / odd_name(chance)
        folder.mkdir()
        bibliography, draft = folder / f"{odd_name(chance)}.bib", folder / f"{odd_name(chance)}.tex"
        bibliography.write_text("@book{a, title={Trees and banks}, year={2001}}\n")
        draft.write_text("\\begin{document}Trees \\cite{?}.\\end{document}\n")
        library = folder / odd_name(chance)
        add_files(library, [bibliography], encoder=HashEncoder())
        with Library.open(library) as opened:
            assert len(open_index(opened, HashEncoder()).papers()) == 1
        before = contents(folder, ".citewhy")
        assert len(read(draft).paragraphs) == 1
        patch = Patch([Edit(os.fspath(path), 0, 0, "%\n") for path in (draft, bibliography)], draft)
        patch.diff()
        patch.apply()
        undo(draft)
        assert contents(folder, ".citewhy") == before, case
        shutil.rmtree(folder)
