"""Libraries in the user's cache: private, and nothing is removed that was not made there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from citewhy.papers.library.store import Library
from citewhy.session.importing import add_files
from citewhy.session.kept import cached_library

LONG_AGO = 1_000_000_000


def _fill(library: Library) -> None:
    pass


def test_only_what_was_made_here_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder for caches may be that of a book, with a folder called drafts in it."""
    monkeypatch.setenv("CITEWHY_CACHE", str(tmp_path))
    cached_library("drafts", "old-1", _fill, "it").close()
    drafts = tmp_path / "drafts"
    for name in ("chapter", ".hidden", ".abandoned-1.abc"):
        (drafts / name / ("new" if name == ".abandoned-1.abc" else "section")).mkdir(parents=True)
    for path in (drafts / "old-1" / "used", *drafts.iterdir()):
        os.utime(path, (LONG_AGO, LONG_AGO))
    cached_library("drafts", "new-1", _fill, "it").close()
    assert {path.name for path in drafts.iterdir()} == {"chapter", ".hidden", "new-1"}


def test_new_libraries_are_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They have the bibliographies and the sentences of drafts that may be private; a folder that is there
    keeps its mode."""
    monkeypatch.setenv("CITEWHY_CACHE", str(tmp_path))
    with cached_library("drafts", "one-1", _fill, "it") as library:
        assert stat.S_IMODE(library.folder.stat().st_mode) == 0o700
    with Library.open(tmp_path / "library", create=True) as library:
        assert stat.S_IMODE(library.folder.stat().st_mode) == 0o700
    (tmp_path / "of all").mkdir(mode=0o755)
    with Library.open(tmp_path / "of all", create=True) as library:
        assert stat.S_IMODE(library.folder.stat().st_mode) == 0o755


@pytest.mark.parametrize(("of_draft", "of_library"), [(0o644, 0o755), (0o640, 0o750), (0o600, 0o700)])
def test_libraries_of_private_drafts(tmp_path: Path, of_draft: int, of_library: int) -> None:
    """Who may not read a draft may not read its sentences in a library."""
    (tmp_path / "library").mkdir(mode=0o755)
    (tmp_path / "refs.bib").write_text("@book{a, title={Trees and banks}, author={A. Lee}, year=2001}\n")
    draft = tmp_path / "draft.tex"
    body = "Trees grow on banks \\cite{a}.\\bibliography{refs}"
    draft.write_text(f"\\documentclass{{article}}\\begin{{document}}{body}\\end{{document}}")
    add_files(tmp_path / "library", [tmp_path / "refs.bib"], vectors=False)
    assert stat.S_IMODE((tmp_path / "library").stat().st_mode) == 0o755
    draft.chmod(of_draft)
    assert add_files(tmp_path / "library", [draft], vectors=False).writings
    assert stat.S_IMODE((tmp_path / "library").stat().st_mode) == of_library


def test_the_first_of_two_makers_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library that another process has opened meanwhile is not taken from under it."""
    monkeypatch.setenv("CITEWHY_CACHE", str(tmp_path))
    faster: list[int] = []

    def overtaken(_: Library) -> None:
        with cached_library("drafts", "one-1", _fill, "it") as library:
            faster.append(library.folder.stat().st_ino)

    with cached_library("drafts", "one-1", overtaken, "it") as library:
        assert [library.folder.stat().st_ino] == faster
    assert [folder.name for folder in (tmp_path / "drafts").iterdir()] == ["one-1"]
