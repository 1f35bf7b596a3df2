"""Files of other file systems, which fsspec reads."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
import pytest
from small_library import TOY_FILES

from citewhy.base.errors import InputError
from citewhy.papers.library.store import Library
from citewhy.session.importing import add_files
from citewhy.session.remote import remote_sources, split_remote

Run = Callable[..., tuple[int, str, str]]

fsspec = pytest.importorskip("fsspec")

SAMPLES = Path(__file__).parents[1] / "papers" / "formats" / "samples"


@pytest.fixture
def bucket(toy: Path) -> Iterator[str]:
    """The toy corpus, in the memory of this process."""
    system = fsspec.filesystem("memory")
    for name in TOY_FILES:
        system.pipe(f"/bucket/{name}", (toy / name).read_bytes())
    yield "memory://bucket"
    system.rm("/bucket", recursive=True)


def contents(folder: Path) -> list[object]:
    with Library.open(folder) as library:
        return [*library.numbered_papers(), *library.numbered_contexts(), *library.edges()]


@pytest.mark.parametrize("named", ["folder", "pattern", "files"])
def test_the_same_library(tmp_path: Path, toy: Path, bucket: str, named: str) -> None:
    """As of the same files on this machine, whether the folder is named, a pattern, or each file."""
    paths = {
        "folder": [bucket],
        "pattern": [f"{bucket}/*"],
        "files": [f"{bucket}/{name}" for name in reversed(TOY_FILES)],
    }[named]
    sources = remote_sources(paths)
    report = add_files(tmp_path / "remote", [], vectors=False, more=sources)
    here = add_files(tmp_path / "here", [toy / name for name in TOY_FILES], vectors=False)
    assert contents(tmp_path / "remote") == contents(tmp_path / "here")
    assert (report.read, report.new) == (here.read, here.new)
    assert [source.rpartition("/")[2] for source in report.files] == sorted(TOY_FILES)


def test_dumps(tmp_path: Path, bucket: str) -> None:
    """Works of OpenAlex and full texts of S2ORC, compressed as their dumps are, make the library that they
    make as files on this machine, if each is read whole, as the machines of a cluster do."""
    system = fsspec.filesystem("memory")
    here = tmp_path / "dumps"
    here.mkdir()
    for name in ("openalex.jsonl", "s2orc_dataset.jsonl", "s2orc_v2.jsonl", "s2orc_metadata.jsonl"):
        content = gzip.compress((SAMPLES / name).read_bytes())
        (here / f"{name}.gz").write_bytes(content)
        system.pipe(f"/bucket/dumps/{name}.gz", content)
    local = add_files(tmp_path / "here", [here], vectors=False)
    sources = remote_sources([f"{bucket}/dumps/*.gz"])
    remote = add_files(tmp_path / "remote", [], vectors=False, more=sources, mapper=map)
    assert contents(tmp_path / "remote") == contents(tmp_path / "here")
    assert local.read["papers"]
    assert (remote.read, remote.new, remote.not_kept) == (local.read, local.new, local.not_kept)


def test_what_cannot_be_read(tmp_path: Path, toy: Path, bucket: str) -> None:
    """A file that is not there, a file system that nobody knows, a file that is no list of papers, a bad
    record: each is called by its address."""
    for path in ("memory://nowhere/x.jsonl", "nosuchsystem://x", "memory://nowhere/*"):
        with pytest.raises(InputError) as raised:
            remote_sources([path])
        assert str(raised.value.path).startswith(path)
    system = fsspec.filesystem("memory")
    system.pipe("/bucket/bad.jsonl", b'{"id": "x", "title": "X"}\n{"title": "No id"}\n')
    system.pipe("/bucket/none.txt", b"nothing that is known\n" * 10)
    report = add_files(tmp_path / "library", [], vectors=False, more=remote_sources([bucket]))
    assert any("memory://" in refused and "none.txt" in refused for refused in report.files_refused)
    assert any("memory://" in skip and "bad.jsonl:2" in skip for skip in report.skips)


def test_on_the_command_line(tmp_path: Path, toy: Path, run: Run) -> None:
    """`citewhy add file://…` copies each file from where it is, beside files that are named as usual."""
    folder = tmp_path / "library"
    papers = f"file://{toy / 'papers.jsonl'}"
    code, printed, _ = run("add", papers, toy / "refs.bib", "--library", folder, "--no-vectors", "--json")
    assert code == 0
    assert len(orjson.loads(printed)["files"]) == 2
    code, _, error = run("add", "file:///nowhere/at/all.jsonl", "--library", folder)
    assert code == 2
    assert "no such file" in error
    assert split_remote(["a", "s3://b/c", "d://"]) == (["a"], ["s3://b/c", "d://"])
