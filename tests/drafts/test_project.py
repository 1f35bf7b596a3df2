"""A draft reads the files of its project, and edits no others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from citewhy.base.errors import InputError, QueryError, StorageError
from citewhy.base.records import Manuscript
from citewhy.drafts import read
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.edit.journal import undo
from citewhy.drafts.edit.patch import Patch
from citewhy.drafts.project import project_of


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """``far/secret``, ``far/1/2/3/shared.tex``, ``far/1/2/3/paper/`` for the draft."""
    folder = tmp_path / "far" / "1" / "2" / "3" / "paper"
    folder.mkdir(parents=True)
    (tmp_path / "far" / "secret").write_text("A secret sentence.")
    (tmp_path / "far" / "far.tex").write_text("A far sentence.")
    (folder.parent / "shared.tex").write_text("A shared sentence.")
    (folder.parent / "password").write_text("A password sentence.")
    return folder


def draft(folder: Path, body: str) -> Path:
    path = folder / "a.tex"
    path.write_text(
        f"\\documentclass{{article}}\\begin{{document}}Own sentence.\n\n{body}\n\\end{{document}}\n"
    )
    return path


def texts(manuscript: Manuscript) -> str:
    return " ".join(sentence.text for paragraph in manuscript.paragraphs for sentence in paragraph.sentences)


@pytest.mark.parametrize(
    "name",
    ["../../../../secret", "../../../../far.tex", "../../../../far", "../password", "link", "{absolute}"],
)
def test_files_outside_of_the_project(project: Path, name: str) -> None:
    """They are not read, whether named by a relative path, an absolute one or a symbolic link; a problem says
    so, and how to read them."""
    secret = project.parents[3] / "secret"
    (project / "link").symlink_to(secret)
    path = draft(project, f"\\input{{{name.replace('{absolute}', str(secret))}}}")
    manuscript = read(path)
    assert texts(manuscript) == "Own sentence."
    assert sum("--follow-outside" in problem for problem in manuscript.problems) == 1
    assert texts(read(path, follow_outside=True)).count("sentence") == 2


@pytest.mark.parametrize("name", ["../shared", "../shared.tex", "part", "sub/part.inc"])
def test_files_of_the_project(project: Path, name: str) -> None:
    """Files in the draft's folder, and drafts in folders above, are read."""
    (project / "sub").mkdir()
    for part in ("part.tex", "sub/part.inc"):
        (project / part).write_text("Another sentence.")
    manuscript = read(draft(project, f"\\input{{{name}}}"))
    assert texts(manuscript).count("sentence") == 2
    assert manuscript.problems == ()


def test_the_folder_of_a_project(project: Path) -> None:
    """The repository if there is one, otherwise three levels above the draft's folder."""
    root = project / "a.tex"
    assert project_of(root) == project.parents[2]
    (project.parents[3] / ".git").mkdir()
    assert project_of(root) == project.parents[3]
    assert texts(read(draft(project, "\\input{../../../../far}"))).count("sentence") == 2


def test_what_could_not_be_undone_is_not_edited(project: Path) -> None:
    """A file that `undo` would refuse is refused before writing; what is written outside can be undone."""
    root = draft(project, "x")
    for name in ("secret", "x.py"):
        other = project.parents[3] / name
        with pytest.raises(InputError, match="not edited"):
            Patch([Edit(str(other), 0, 0, "x")], root, outside=True)
    far = project.parents[3] / "far.tex"
    with pytest.raises(InputError, match="--outside"):
        Patch([Edit(str(far), 0, 0, "x")], root)
    Patch([Edit(str(far), 0, 0, "x")], root, outside=True).apply()
    assert far.read_text() == "xA far sentence."
    with pytest.raises(QueryError, match="--undo --outside"):
        undo(root)
    assert far.read_text() == "xA far sentence."
    assert undo(root, outside=True) == (far,)
    assert far.read_text() == "A far sentence."


def test_hard_links_are_kept(project: Path) -> None:
    """Replacing a file would separate it from its other names; that is said, and nothing is changed."""
    root = draft(project, "x")
    os.link(root, project / "b.tex")
    with pytest.raises(InputError, match="2 hard links"):
        Patch([Edit(str(root), 0, 0, "x")], root)


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give files away")
def test_owner_and_mode_are_kept(project: Path) -> None:
    """As are those of a file of somebody else."""
    root = draft(project, "x")
    os.chown(root, 1234, 2345)
    root.chmod(0o640)
    Patch([Edit(str(root), 0, 0, "%")], root).apply()
    status = root.stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o777) == (1234, 2345, 0o640)


@pytest.mark.parametrize("name", ["²", "1x", "x"])
def test_strange_folders_of_journals(project: Path, name: str) -> None:
    """A folder beside the journals that is none does not stop an edit."""
    root = draft(project, "x")
    (project / ".citewhy" / "undo" / name).mkdir(parents=True)
    Patch([Edit(str(root), 0, 0, "%")], root).apply()
    assert undo(root) == (root,)


def test_a_pipe_in_place_of_a_bibliography(project: Path) -> None:
    """It is neither read nor waited for."""
    os.mkfifo(project / "refs.bib")
    root = draft(project, "\\bibliography{refs}")
    assert any("refs" in problem for problem in read(root).problems)
    with pytest.raises(StorageError, match="not a regular file"):
        Patch([Edit(str(project / "refs.bib"), 0, 0, "x")], root)
