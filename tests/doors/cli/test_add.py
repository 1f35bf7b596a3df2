"""`citewhy add`: what it reads, and what it says."""

from __future__ import annotations

import gzip
import itertools
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from citewhy.papers.library.store import Library
from citewhy.search.index import open_index

Run = Callable[..., tuple[int, str, str]]


def added(run: Run, *arguments: object) -> dict[str, Any]:
    """The JSON document of a successful `citewhy add`."""
    code, out, err = run("add", *arguments, "--json")
    assert (code, err) == (0, "")
    document: dict[str, Any] = orjson.loads(out)
    return document


def test_a_folder_stands_for_its_files(run: Run, toy: Path, tmp_path: Path) -> None:
    """Every file of a known format is read, subfolders too; others are named (annotations are for measuring,
    not for a library); the index follows."""
    shutil.copytree(toy, tmp_path / "files" / "deep")
    document = added(run, tmp_path / "files", "--library", tmp_path / "library")
    there = {file.name for file in toy.rglob("[!.]*") if file.is_file()}
    left_out = {Path(name).name for name in document["files_not_recognised"]}
    assert left_out == {"README.md", *(name for name in there if "ann" in name.split("."))}
    assert {Path(name).name for name in document["files"]} == there - left_out
    with Library.open(tmp_path / "library") as library:
        assert library.counts()["papers"] == 14
        assert library.generation == document["generation"] == open_index(library).generation == 1


def test_the_order_of_files_does_not_matter(run: Run, toy: Path, tmp_path: Path) -> None:
    """The same files in any order of the command line make the same library."""
    names = ["citations.tsv", "contexts.jsonl", "papers.jsonl", "refs.bib"]
    states = []
    for number, order in enumerate(itertools.islice(itertools.permutations(names), 0, None, 5)):
        folder = tmp_path / str(number)
        added(run, *(toy / name for name in order), "--library", folder)
        with Library.open(folder) as library:
            contexts = list(library.numbered_contexts())
            states.append(
                (list(library.numbered_papers()), contexts, list(library.edges()), library.counts())
            )
    assert len(states) == 5
    assert all(state == states[0] for state in states)


def test_again_changes_nothing(run: Run, toy: Path, tmp_path: Path) -> None:
    """The second time everything is unchanged, and a person reads that nothing is new."""
    first = added(run, toy, "--library", tmp_path / "library")
    again = added(run, toy, "--library", tmp_path / "library")
    assert first["changed"]
    assert not again["changed"]
    assert again["generation"] == first["generation"]
    assert (again["new"], again["updated"], again["merged"]) == ({}, {}, 0)
    _, out, _ = run("add", toy, "--library", tmp_path / "library")
    assert out.splitlines()[0] == f"{len(first['files'])} files read, nothing new for {tmp_path / 'library'}"


def test_the_summary(run: Run, toy: Path, tmp_path: Path) -> None:
    """A table of what was read, and what was wrong with file and line, in eighty columns."""
    papers = tmp_path / "papers.jsonl"
    papers.write_bytes((toy / "papers.jsonl").read_bytes() + b'{"id": "no-title"}\nnot JSON\n')
    code, out, err = run("add", papers, toy / "citations.tsv", "--library", tmp_path / "library")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"2 files added to {tmp_path / 'library'}"
    assert "papers              16        14         0           0         2" in lines
    assert "citations           13        13         0           0         0" in lines
    assert "Records skipped: 2" in lines
    assert any(line.startswith(f"  {papers}:15:") for line in lines)
    assert any(line.startswith(f"  {papers}:16:") for line in lines)
    assert all(len(line) <= 80 or str(tmp_path) in line for line in lines)


def test_many_problems_are_counted_and_some_are_shown(run: Run, tmp_path: Path) -> None:
    """A file with a thousand bad lines does not fill the screen."""
    file = tmp_path / "papers.jsonl"
    file.write_text('{"id": "a", "title": "A Title"}\n' + '{"id": ""}\n' * 1000)
    _, out, _ = run("add", file, "--library", tmp_path / "library")
    assert "Records skipped: 1,000, showing the first 5" in out.splitlines()
    assert len(out.splitlines()) < 20


def test_quiet(run: Run, toy: Path, tmp_path: Path) -> None:
    """Nothing is printed, and everything is added."""
    assert run("add", toy, "--library", tmp_path / "library", "--quiet") == (0, "", "")
    with Library.open(tmp_path / "library") as library:
        assert library.generation == 1


def refused(run: Run, folder: Path, *arguments: object) -> str:
    """The one line of a failing `citewhy add`, which must leave the library as it was."""
    with Library.open(folder, create=True) as library:
        before = library.generation, list(library.numbered_papers())
    code, out, err = run("add", *arguments, "--library", folder)
    assert (code, out, err.count("\n")) == (2, "", 1)
    with Library.open(folder) as library:
        assert (library.generation, list(library.numbered_papers())) == before
    return err


def test_strict_fails_at_the_first_bad_record(run: Run, toy: Path, tmp_path: Path) -> None:
    """With --strict, nothing of the command is added, and file and line are named."""
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"id": "a", "title": "A Title"}\n{"id": "b"}\n')
    err = refused(run, tmp_path / "library", bad, toy / "papers.jsonl", "--strict")
    assert err.startswith(f"citewhy: {bad}:2: ")


def test_a_file_that_breaks_off(run: Run, toy: Path, tmp_path: Path) -> None:
    """Nothing of a truncated gzip file is added; it is named with the line where it ends."""
    whole = gzip.compress((toy / "papers.jsonl").read_bytes() * 200)
    broken = tmp_path / "papers.jsonl.gz"
    broken.write_bytes(whole[: len(whole) // 2])
    err = refused(run, tmp_path / "library", broken)
    assert err.startswith(f"citewhy: {broken}:")
    assert "truncated" in err


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"Dear diary,\n", b"\xff\xfe\0\0"])
def test_a_file_of_no_known_format(run: Run, tmp_path: Path, content: bytes) -> None:
    """What is named on the command line must be readable; the error names the file."""
    file = tmp_path / "file"
    file.write_bytes(content)
    assert refused(run, tmp_path / "library", file).startswith(f"citewhy: {file}: ")


def test_nothing_to_read(run: Run, tmp_path: Path) -> None:
    """A path that is not there, or a folder without a readable file, is an error that makes no library."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / ".hidden.bib").write_text("@misc{a, title={A Title}}")
    for path, words in ((tmp_path / "missing", "no such file"), (tmp_path / "empty", "no file here")):
        code, _, err = run("add", path, "--library", tmp_path / "library")
        assert (code, err.count("\n")) == (2, 1)
        assert err.startswith(f"citewhy: {path}: ")
        assert words in err
    assert not (tmp_path / "library").exists()


def test_the_default_library(run: Run, toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --library, the one that the environment names is used."""
    monkeypatch.setenv("CITEWHY_LIBRARY", str(tmp_path / "mine"))
    assert added(run, toy / "refs.bib")["library"] == str(tmp_path / "mine")
    assert (tmp_path / "mine" / "library.db").exists()


def test_an_interrupted_index_is_made_by_the_next_command(run: Run, toy: Path, tmp_path: Path) -> None:
    """The papers are safe before the index is made; adding nothing new makes a missing index."""
    folder = tmp_path / "library"
    added(run, toy / "papers.jsonl", "--library", folder)
    shutil.rmtree(folder / "index")
    assert not added(run, toy / "papers.jsonl", "--library", folder)["changed"]
    assert (folder / "index" / "current.json").exists()


def test_interrupted(run: Run, toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C before the commit, and after it: it is said how to go on, which then adds what is missing."""
    library = tmp_path / "library"

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    stage = "citewhy.session.importing.stage"
    refresh = "citewhy.search.index.local.engine.LocalEngine.refresh"
    for name, said in {
        stage: "either all of the files are in the library or none; to go on, give the same command again",
        refresh: "all records are stored; what is unfinished, the next command finishes",
    }.items():
        with monkeypatch.context() as changed:
            changed.setattr(name, interrupt)
            code, out, err = run("add", toy / "papers.jsonl", "--library", library)
        assert (code, out) == (130, "")
        assert err.split("citewhy: ")[1] == f"stopped; {said}\n"
    assert added(run, toy / "papers.jsonl", "--library", library)["unchanged"]["papers"] == 14
