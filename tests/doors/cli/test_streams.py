"""Standard streams that are closed, or names that are not UTF-8: an answer, or one true sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from citewhy.doors.cli.terminal import terminal

REFS = "@book{a, title={Trees and banks}, author={Lee, A}, year={2001}}\n"


def citewhy(folder: Path, arguments: str, closed: str = "") -> tuple[int, str, str]:
    """Exit code, standard output and error of a command in a shell, where streams are closed by ``<&-``."""
    script = f"exec {sys.executable} -m citewhy {arguments} {closed}"
    done = subprocess.run(["sh", "-c", os.fsencode(script)], capture_output=True, cwd=folder, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_closed_standard_input(tmp_path: Path) -> None:
    """Nothing is confirmed, and nothing read; nor is another file that has its number."""
    (tmp_path / "a.tex").write_text("Trees \\cite{}.\n\\bibliography{refs}\n")
    (tmp_path / "refs.bib").write_text(REFS)
    write = "suggest a.tex --pipeline bm25 --write"
    code, _, error = citewhy(tmp_path, write, "<&-")
    assert code == 1
    assert error.endswith("citewhy: no confirmation was given; nothing was changed\n")
    assert "cite{}" in (tmp_path / "a.tex").read_text()
    code, _, error = citewhy(tmp_path, "add - --no-vectors --library lib", "<&-")
    expected = "citewhy: standard input: it is closed; pipe a file into it, or name one\n"
    assert (code, error) == (2, expected)


NO_OUTPUT = "citewhy: cannot write the output: Bad file descriptor; check where it goes to; "
NO_OUTPUT += "what was changed before is changed\n"


@pytest.mark.parametrize(
    ("closed", "expected"),
    [(">&-", (2, NO_OUTPUT)), ("2>&-", (0, "")), (">&- 2>&- <&-", (2, ""))],
)
def test_closed_outputs(tmp_path: Path, closed: str, expected: tuple[int, str]) -> None:
    """The work is done, and neither a traceback nor a message is written into a file of the library. Where
    the answer cannot be written, the exit code says so."""
    (tmp_path / "refs.bib").write_text(REFS)
    code, _, error = citewhy(tmp_path, "add refs.bib --no-vectors --library lib", closed)
    assert (code, error) == expected
    assert citewhy(tmp_path, "add refs.bib --no-vectors --library lib --quiet", closed)[0] == 0
    code, out, error = citewhy(tmp_path, "info --library nowhere", closed)
    assert (code, out) == (2, "")
    assert "Traceback" not in error
    code, out, _ = citewhy(tmp_path, "info --library lib")
    assert code == 0
    assert "All records are intact." in out


def test_an_error_of_another_file(capsys: pytest.CaptureFixture[str]) -> None:
    """It is not taken for one of the output."""

    def fail() -> None:
        with terminal():
            print("x")
            Path("/no/such/file").read_bytes()

    with pytest.raises(FileNotFoundError):
        fail()
    assert capsys.readouterr().out == "x\n"


def test_names_that_are_not_utf_8(tmp_path: Path) -> None:
    """Of a draft and of a library: both are used, and what is written can be undone."""
    draft = tmp_path / os.fsdecode(b"\xff.tex")
    draft.write_text("Trees \\cite{}.\n\\bibliography{refs}\n")
    (tmp_path / "refs.bib").write_text(REFS)
    before = draft.read_bytes()
    for arguments in (
        "add refs.bib --no-vectors --library 'lib\udcff'",
        "info --library 'lib\udcff'",
        "suggest '\udcff.tex' --pipeline bm25 --write --yes",
    ):
        code, _, error = citewhy(tmp_path, arguments)
        assert code == 0, error
    assert draft.read_bytes() == before.replace(b"cite{}", b"cite{a}")
    assert citewhy(tmp_path, "suggest '\udcff.tex' --undo")[0] == 0
    assert draft.read_bytes() == before


def test_a_reader_that_has_enough(tmp_path: Path) -> None:
    """A closed pipe, as by `head`, ends the command without a word."""
    command = f"{sys.executable} -m citewhy --help"
    script = f"{{ {command}; echo $? >code; }} 2>error | true; cat code error"
    done = subprocess.run(["sh", "-c", script], capture_output=True, cwd=tmp_path, check=False)
    assert done.stdout in (b"1\n", b"0\n")  # zero where all was written before the reader ended


def test_commands_to_be_copied(tmp_path: Path) -> None:
    """The command that undoes an edit does, whatever the draft is called."""
    for number, name in enumerate((b"my draft.tex", b"\xff it's.tex")):
        draft = tmp_path / str(number) / os.fsdecode(name)
        draft.parent.mkdir()
        draft.write_text("Trees \\cite{}.\n\\bibliography{refs}\n")
        (draft.parent / "refs.bib").write_text(REFS)
        before = draft.read_bytes()
        write = [
            sys.executable,
            "-m",
            "citewhy",
            "suggest",
            str(draft),
            "--pipeline",
            "bm25",
            "--write",
            "--yes",
        ]
        error = subprocess.run(write, capture_output=True, check=True).stderr.decode()
        assert draft.read_bytes() != before
        undo = error.splitlines()[-1].partition("to undo: ")[2].removeprefix("citewhy")
        subprocess.run(["bash", "-c", f"{sys.executable} -m citewhy {undo}"], check=True)
        assert draft.read_bytes() == before
