"""Commands with strange numbers, files, outputs, and neighbours: an answer or one line, never a traceback."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import orjson
import pytest
from local_service import local_service
from test_help import CALLS, command

from citewhy.base.config import CACHE_VARIABLE, LIBRARY_VARIABLE
from citewhy.base.errors import StorageError
from citewhy.base.records import Paper
from citewhy.doors.cli import main
from citewhy.doors.cli.options import Number
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.edit.journal import undo
from citewhy.drafts.edit.patch import Patch
from citewhy.papers.library.store import Library

Run = Callable[..., tuple[int, str, str]]

BIB = "@book{lee, title = {Trees and banks}, author = {Ann Lee}, year = 2001}\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `citewhy` with arguments, as a user with a library in `tmp_path`: exit code, output, errors."""
    monkeypatch.setenv(LIBRARY_VARIABLE, str(tmp_path / "library"))
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["citewhy", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.StringIO())
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out, printed.err

    return call


def refused(result: tuple[int, str, str], *said: str) -> None:
    """Exit code 2, and one line on standard error that says so."""
    code, out, error = result
    assert (code, out) == (2, "")
    assert error.count("\n") == 1
    assert error.startswith("citewhy: ")
    for words in said:
        assert words in error


# Numbers --------------------------------------------------------------------------------------------------


def numbers() -> Iterator[tuple[str, click.Option]]:
    for call in CALLS:
        for parameter in command(call).params:
            if isinstance(parameter, click.Option) and isinstance(parameter.type, click.types.FloatParamType):
                yield call, parameter


def test_numbers_are_finite() -> None:
    """Every option with a number refuses NaN and infinity, which are within the ranges of click."""
    options = list(numbers())
    assert {option.name for _, option in options} >= {"threshold", "at_least", "known", "margin"}
    for call, option in options:
        assert isinstance(option.type, Number), (call, option.name)
        for value in ("nan", "inf", "-inf", "NaN", "1e999"):
            with pytest.raises(click.BadParameter):
                option.type.convert(value, option, None)


@pytest.mark.parametrize("value", ["nan", "-nan", "inf", "1e999", "x", "2"])
def test_a_threshold_that_is_no_probability(run: Run, value: str) -> None:
    """It is one sentence that names the option."""
    refused(run("suggest", "--text", "Trees", f"--threshold={value}"), "--threshold")


# Files ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".tex", ".md", ".txt", ".typ", ".org"])
@pytest.mark.parametrize("verb", ["suggest", "backtest", "tune"])
def test_a_draft_of_zero_bytes(run: Run, tmp_path: Path, suffix: str, verb: str) -> None:
    """It is refused as empty, rather than read as a draft without citations."""
    draft = tmp_path / f"draft{suffix}"
    draft.touch()
    (tmp_path / "refs.bib").write_text(BIB)
    assert run("add", tmp_path / "refs.bib", "--no-vectors")[0] == 0
    refused(run(verb, draft), f"{draft}: the file is empty, expected a draft")


def test_files_of_a_library_of_zero_bytes(run: Run, tmp_path: Path) -> None:
    """An empty ``library.db`` is reported as empty, not taken for a new library; an empty input is named."""
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "library.db").touch()
    (tmp_path / "refs.bib").write_text(BIB)
    (tmp_path / "empty.bib").touch()
    for arguments in (
        ("info",),
        ("add", tmp_path / "refs.bib", "--no-vectors"),
        ("suggest", "--text", "Trees"),
    ):
        refused(run(*arguments), "library.db", "the library's file is empty")
    (tmp_path / "library" / "library.db").unlink()
    refused(run("add", tmp_path / "empty.bib", "--no-vectors"), "empty.bib", "the file is empty")


def test_every_command_that_reads_drafts_may_follow_outside() -> None:
    """The option is one, and wherever drafts are read."""
    reading = {"suggest", "review", "backtest", "tune", "add", "train drafts", "train sets"}
    having = {
        call for call in CALLS if any(option.name == "follow_outside" for option in command(call).params)
    }
    assert having >= reading


def test_drafts_that_are_added_stay_inside(run: Run, tmp_path: Path) -> None:
    """Neither sentences nor entries come from outside of a draft's project, unless this is asked for."""
    outside = tmp_path / "outside"
    draft = tmp_path / "a" / "b" / "c" / "d" / "paper.tex"
    draft.parent.mkdir(parents=True)
    (draft.parent / ".git").mkdir()
    outside.mkdir()
    (outside / "refs.bib").write_text(BIB.replace("lee", "roe").replace("Trees", "Secret"))
    (outside / "part.tex").write_text("Secrets are kept \\cite{lee}.\n")
    (draft.parent / "refs.bib").write_text(BIB)
    draft.write_text(
        "\\documentclass{article}\\title{Mine}\\date{2003}\n\\begin{document}\nTrees grow \\cite{lee}.\n"
        f"\\input{{{outside}/part}}\n\\bibliography{{refs,{outside}/refs}}\n\\end{{document}}\n"
    )
    for option, papers in ((), 2), (("--follow-outside",), 3):
        code, out, _ = run(
            "add", draft, "--no-vectors", "--json", *option, "--library", tmp_path / f"l{papers}"
        )
        report = orjson.loads(out)
        assert code == 0
        assert report["papers_after"] == papers  # the draft itself, and its references
        inside = not option
        assert any("not read" in warning for warning in report["warnings"]["first"]) == inside


def test_an_index_that_cannot_be_written(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says that the records are committed, and they are."""

    def full(*_: object, **__: object) -> None:
        raise StorageError("no space left on device", path=tmp_path / "library" / "index")

    (tmp_path / "refs.bib").write_text(BIB)
    monkeypatch.setattr("citewhy.search.index.local.engine.refresh", full)
    refused(
        run("add", tmp_path / "refs.bib", "--no-vectors", "--quiet"),
        "no space left",
        "all records are stored",
    )
    monkeypatch.undo()
    with Library.open(tmp_path / "library") as library:
        assert set(library.ids()) == {"lee"}


@pytest.mark.parametrize(
    "error", [StorageError("no space left on device"), OSError(28, "no space left on device"), MemoryError()]
)
@pytest.mark.parametrize("name", ["remove", "split", "enrich"])
def test_what_fails_after_a_commit(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: Exception
) -> None:
    """Every command that changes a library says that its records are committed, and they are."""

    def fails(*_: object, **__: object) -> None:
        raise error

    with Library.open(tmp_path / "library", create=True) as library:
        library.add(
            Paper(paper_id, "Parsing with Trees", doi="10.1000/parsing") for paper_id in ("lee", "li")
        )
    monkeypatch.setattr("citewhy.search.index.local.engine.LocalEngine.refresh", fails)
    with local_service() as service:
        asked = ("--address", service.address, "--yes", "--no-vectors", "--quiet")
        done = run(name, *(asked if name == "enrich" else ("li",)))
        refused(done, "all records are stored; what is unfinished, the next command finishes")
    with Library.open(tmp_path / "library") as library:
        papers = library.papers(library.ids())
    assert len(papers) == {"remove": 0, "split": 2, "enrich": 1}[name]
    assert (name == "enrich") == any(paper.abstract for paper in papers.values())


def test_an_interruption_that_a_compiled_module_hides(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while onnxruntime is imported makes the import fail with an error of its own."""

    def interrupted_import(*_: object, **__: object) -> None:
        try:
            try:
                raise KeyboardInterrupt
            except KeyboardInterrupt as cause:
                raise ImportError("initialization failed") from cause
        except ImportError as cause:
            raise StorageError("the model cannot be loaded", path=tmp_path) from cause

    (tmp_path / "refs.bib").write_text(BIB)
    monkeypatch.setattr("citewhy.search.index.local.engine.refresh", interrupted_import)
    code, out, err = run("add", tmp_path / "refs.bib", "--no-vectors", "--quiet")
    assert (code, out, err.strip()) == (130, "", "citewhy: stopped")


# Outputs --------------------------------------------------------------------------------------------------


def process(*arguments: object, **given: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "citewhy", *map(os.fsencode, map(str, arguments))]
    return subprocess.run(command, stderr=subprocess.PIPE, **given)  # type: ignore[call-overload,no-any-return]


def test_json_of_a_text_that_is_not_utf_8(run: Run, tmp_path: Path) -> None:
    """Halves of characters, as the system passes bytes that are not UTF-8, are in texts and in paths: the
    records are added, and the document says so."""
    strange = tmp_path / os.fsdecode(b"caf\xe9.bib")
    strange.write_text(BIB)
    code, out, error = run("add", strange, "--no-vectors", "--json")
    assert (code, error) == (0, "")
    assert "caf\\udce9.bib" in out
    code, out, error = run("suggest", "--pipeline", "bm25", "--text", os.fsdecode(b"Trees \xe9"), "--json")
    assert "Traceback" not in error
    assert code in (0, 2)
    assert code == 2 or "\\udce9" in out


def test_an_output_that_is_full(run: Run, tmp_path: Path) -> None:
    """A device without room is an error of one line, and what was committed before is there."""
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    (tmp_path / "refs.bib").write_text(BIB)
    for arguments in (("add", tmp_path / "refs.bib", "--no-vectors"), ("info", "--json"), ("info",)):
        with full.open("wb") as output:
            done = process(*arguments, stdout=output)
        assert done.returncode == 2, done.stderr
        assert done.stderr.startswith(b"citewhy: cannot write the output: ")
        assert done.stderr.count(b"\n") == 1
    code, out, _ = run("info", "--json")
    assert code == 0
    assert orjson.loads(out)["papers"] == 1


def test_a_diff_with_escape_sequences(run: Run, tmp_path: Path) -> None:
    """What an edit changes is shown whole, also in a file that the output goes to."""
    (tmp_path / "refs.bib").write_text(BIB)
    assert run("add", tmp_path / "refs.bib", "--no-vectors")[0] == 0
    draft = tmp_path / "draft.tex"
    draft.write_text(
        "\\begin{document}\nTrees and banks [CITATION] \x1b[2K\x1b[1A grow.\n"
        "\\bibliography{refs}\\end{document}\n"
    )
    code, out, _ = run("suggest", draft, "--write", "--at-least", "0", "--yes")
    assert code == 0
    before, after = (
        next(line for line in out.splitlines() if line.startswith(f"{sign}Trees")) for sign in "-+"
    )
    assert before == r"-Trees and banks [CITATION] \u001b[2K\u001b[1A grow."
    assert after == r"+Trees and banks \cite{lee} \u001b[2K\u001b[1A grow."
    assert "\x1b[2K\x1b[1A" in draft.read_text()


def test_an_undo_folder_with_a_strange_name(tmp_path: Path) -> None:
    """A folder named ``²`` is a digit to Python and no number: it is no journal, and undoing works."""
    draft = tmp_path / "draft.tex"
    draft.write_text("after")
    for name in ("²", "٣", "1e3", "-1", "000000001²"):
        (tmp_path / ".citewhy" / "undo" / name).mkdir(parents=True)
    Patch([Edit(str(draft), 0, 0, "x")], draft).apply()
    undo(draft)
    assert draft.read_text() == "after"


# Neighbours -----------------------------------------------------------------------------------------------

ADD = """
import sys
from citewhy.session.importing import add_files
number = 0
while True:
    with open(sys.argv[2], "w") as file:
        for each in range(20):
            file.write(f"@book{{k{number}x{each}, title={{Trees {number} and banks {each}}}, year=2001}}\\n")
    add_files(sys.argv[1], [sys.argv[2]], vectors=False)
    number += 1
"""


def test_info_while_papers_are_added(run: Run, tmp_path: Path) -> None:
    """`citewhy info` answers during `citewhy add`, with the state after some commit."""
    library = tmp_path / "library"
    (tmp_path / "refs.bib").write_text(BIB)
    assert run("add", tmp_path / "refs.bib", "--no-vectors")[0] == 0
    seen: set[int] = set()
    with subprocess.Popen([sys.executable, "-c", ADD, str(library), str(tmp_path / "many.bib")]) as adding:
        try:
            while len(seen) < 6:
                assert adding.poll() is None
                code, out, error = run("info", "--json")
                assert (code, error) == (0, "")
                seen.add(orjson.loads(out)["papers"])
                code, _, error = run("info")
                assert (code, error) == (0, "")
        finally:
            adding.kill()
    assert {count % 20 for count in seen} == {1}
