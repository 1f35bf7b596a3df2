"""What a result was made of."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from citewhy.base.errors import InputError
from citewhy.base.records import Paper
from citewhy_lab.evaluate.making import commit, content_facts, file_facts, peak_rss_mb, software


def test_file_facts(tmp_path: Path) -> None:
    """A file is named without its folder, with its size and SHA-256."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"abc")
    assert file_facts(path) == {"file": "a.jsonl", "bytes": 3, "sha256": hashlib.sha256(b"abc").hexdigest()}


def test_no_file(tmp_path: Path) -> None:
    """A file that cannot be read gives a typed error with its path."""
    with pytest.raises(InputError, match="absent"):
        file_facts(tmp_path / "absent")


def test_digest_knows_content_and_not_order() -> None:
    """Order changes nothing; content, and how often it comes, does."""
    a, b = Paper("A", "One", year=2001), Paper("B", "Two")
    assert content_facts([a, b]) == content_facts(iter([b, a]))
    different = [[a], [a, a], [a, b], [Paper("A", "One", year=2002), b], []]
    assert len({content_facts(papers)["digest"] for papers in different}) == len(different)
    assert [content_facts(papers)["number"] for papers in different] == [1, 2, 2, 2, 0]


def _git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_commit(tmp_path: Path) -> None:
    """The commit of a checkout is named, and marked where its source has changes."""
    source = tmp_path / "src" / "citewhy"
    source.mkdir(parents=True)
    (source / "a.py").write_text("1\n")
    _git(tmp_path, "init", "-q")
    _git(tmp_path, "add", "src")
    _git(tmp_path, "commit", "-q", "-m", "one")
    head = _git(tmp_path, "rev-parse", "HEAD")
    assert commit(tmp_path) == head
    (source / "a.py").write_text("2\n")
    assert commit(tmp_path) == head + "+changes"


def test_somebody_elses_checkout(tmp_path: Path) -> None:
    """A folder that is no checkout, or another project's, has no commit to tell."""
    assert commit(tmp_path) is None
    _git(tmp_path, "init", "-q")
    assert commit(tmp_path) is None


def test_damaged_checkout(tmp_path: Path) -> None:
    """A checkout that git cannot read has no commit, and is no error."""
    (tmp_path / "src" / "citewhy").mkdir(parents=True)
    (tmp_path / ".git").write_text("gitdir: nowhere\n")
    assert commit(tmp_path) is None


def test_software_and_memory() -> None:
    """Version and memory of this very process."""
    assert software()["citewhy"]
    memory = peak_rss_mb()
    assert memory is None or 10 < memory < 100_000
