"""Edits: shown as a diff, applied all or none, undone byte for byte."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citewhy.base import artifact
from citewhy.base.config import data_folder
from citewhy.base.errors import DamagedError, EditConflictError, InputError, QueryError, StorageError
from citewhy.drafts.edit import journal
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.edit.journal import undo
from citewhy.drafts.edit.patch import Patch
from citewhy.text.source import decode, is_compressed


def _state(folder: Path) -> dict[str, bytes]:
    """Every file of a draft's folder but the journal."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".citewhy" not in path.parts
    }


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    (tmp_path / "draft.tex").write_bytes("A \\cite{}.\r\nB é \\cite{?}.\r\n".encode())
    (tmp_path / "refs.bib").write_bytes("@misc{a, title={é}}".encode("cp1252"))
    return tmp_path / "draft.tex"


def _edits(draft: Path) -> list[Edit]:
    text, _ = decode(draft.read_bytes())
    first, second = text.index("{}") + 1, text.index("?")
    bibliography = draft.parent / "refs.bib"
    return [
        Edit(str(draft), second, second + 1, "two"),
        Edit(str(draft), first, first, "one"),
        Edit(str(bibliography), 19, 19, "\n@misc{one,\n}\n"),
        Edit(str(draft.parent / "new.bib"), 0, 0, "@misc{two}\n"),
    ]


# Applying and undoing -------------------------------------------------------------------------------------


def test_apply_and_undo(draft: Path) -> None:
    """Edits of several files, one of them new: positions, encodings and line ends hold; undo restores all."""
    before = _state(draft.parent)
    patch = Patch(_edits(draft), draft)
    assert [path.name for path in patch.files] == ["draft.tex", "refs.bib", "new.bib"]
    assert _state(draft.parent) == before  # nothing yet
    patch.apply()
    after = _state(draft.parent)
    assert after == {
        "draft.tex": "A \\cite{one}.\r\nB é \\cite{two}.\r\n".encode(),
        "new.bib": b"@misc{two}\n",
        "refs.bib": "@misc{a, title={é}}\n@misc{one,\n}\n".encode("cp1252"),
    }
    undone = undo(draft)
    assert _state(draft.parent) == before
    assert {path.name for path in undone} == {"draft.tex", "refs.bib", "new.bib"}
    with pytest.raises(QueryError, match="nothing to undo"):
        undo(draft)


def test_undo_pops_the_newest(draft: Path) -> None:
    """Applied twice, undone twice."""
    states = [_state(draft.parent)]
    for text in ("1", "2", "3"):
        Patch([Edit(str(draft), 0, 0, text)], draft).apply()
        states.append(_state(draft.parent))
    for expected in reversed(states[:-1]):
        undo(draft)
        assert _state(draft.parent) == expected


def test_drafts_of_one_folder_undo_their_own(draft: Path) -> None:
    """The journal knows which draft an edit belongs to."""
    other = draft.parent / "other.tex"
    other.write_text("Other", encoding="utf-8")
    Patch([Edit(str(draft), 0, 0, "x")], draft).apply()
    Patch([Edit(str(other), 0, 0, "y")], other).apply()
    undo(draft)
    assert draft.read_bytes().startswith(b"A ")
    assert other.read_bytes() == b"yOther"


def test_permissions_and_links_stay(draft: Path) -> None:
    """A file keeps its mode; a link stays a link, and the file that it names is edited."""
    shared = draft.parent / "shared"
    shared.mkdir()
    (shared / "real.bib").write_text("@misc{a}\n", encoding="utf-8")
    (draft.parent / "link.bib").symlink_to(shared / "real.bib")
    draft.chmod(0o640)
    Patch([Edit(str(draft), 0, 0, "x"), Edit(str(draft.parent / "link.bib"), 9, 9, "y")], draft).apply()
    assert stat.S_IMODE(draft.stat().st_mode) == 0o640
    assert (draft.parent / "link.bib").is_symlink()
    assert (shared / "real.bib").read_text(encoding="utf-8") == "@misc{a}\ny"
    undo(draft)
    assert stat.S_IMODE(draft.stat().st_mode) == 0o640
    assert (shared / "real.bib").read_text(encoding="utf-8") == "@misc{a}\n"


def test_nothing_to_change_leaves_no_journal(draft: Path) -> None:
    """An empty patch, or one that replaces a text by itself, writes nothing."""
    Patch([Edit(str(draft), 0, 1, "A")], draft).apply()
    Patch([], draft).apply()
    assert not (draft.parent / ".citewhy").exists()


def test_change_between_making_and_applying(draft: Path) -> None:
    """Where a file is no longer as it was, nothing is written."""
    patch = Patch(_edits(draft), draft)
    (draft.parent / "refs.bib").write_bytes(b"changed")
    before = _state(draft.parent)
    with pytest.raises(EditConflictError, match=r"refs\.bib"):
        patch.apply()
    assert _state(draft.parent) == before
    assert not (draft.parent / "new.bib").exists()


def test_file_that_appears_before_applying(draft: Path) -> None:
    """A file that the edit was to create is not overwritten."""
    patch = Patch(_edits(draft), draft)
    (draft.parent / "new.bib").write_bytes(b"mine")
    with pytest.raises(EditConflictError, match=r"new\.bib"):
        patch.apply()
    assert (draft.parent / "new.bib").read_bytes() == b"mine"


def test_undo_keeps_what_was_written_since(draft: Path) -> None:
    """Where the author has gone on writing, the pieces of the edit are taken back alone: of a file that the
    edit made, too."""
    _apply_long(draft)
    assert (draft.parent / "new.bib").is_file()
    for name, new in {
        "draft.tex": b"More.\r\n",
        "refs.bib": b"@misc{mine}\n",
        "new.bib": b"@misc{my}\n",
    }.items():
        path = draft.parent / name
        path.write_bytes(path.read_bytes() + new)
    undone = journal.take_back(draft)
    assert {path.name: changed for path, changed in undone.items()} == dict.fromkeys(LONG, True)
    assert (draft.parent / "draft.tex").read_bytes() == LONG["draft.tex"].encode() + b"More.\r\n"
    assert (draft.parent / "refs.bib").read_bytes() == LONG["refs.bib"].encode("cp1252") + b"@misc{mine}\n"
    assert (draft.parent / "new.bib").read_bytes() == b"@misc{my}\n"


@pytest.mark.parametrize("where", ["before", "between", "behind", "in the sentence"])
def test_undo_with_a_new_line(draft: Path, where: str) -> None:
    """The new words may stand anywhere but in what the edit wrote."""
    _apply_long(draft)
    anchor = {"before": "A claim", "between": "Another", "behind": "", "in the sentence": "that is"}[where]
    for form in (LONG["draft.tex"], draft.read_bytes().decode()):
        assert form.count(anchor) == 1 or not anchor
    written = draft.read_bytes().decode()
    at = written.index(anchor) if anchor else len(written)
    draft.write_bytes(f"{written[:at]}New words here. {written[at:]}".encode())
    undo(draft)
    old = LONG["draft.tex"]
    at = old.index(anchor) if anchor else len(old)
    assert draft.read_bytes().decode() == f"{old[:at]}New words here. {old[at:]}"


def test_undo_where_the_author_has_changed_what_was_written(draft: Path) -> None:
    """A piece that is not as it was, or is there twice, is not taken back, nor is any other; its line is
    named. One that the author has taken back is not missed."""
    _apply_long(draft)
    written = draft.read_bytes().decode()
    for changed, lines in {
        written.replace("{one}", "{onefold}"): "line 1",
        written + written: "lines 1, 3",
        written.replace("{one}", "{}").replace("{two}", "{tow}"): "line 3",
    }.items():
        draft.write_bytes(changed.encode())
        state = _state(draft.parent)
        with pytest.raises(EditConflictError) as caught:
            undo(draft)
        assert f"is not there any more as it was: {lines}; nothing was undone; take it back" in str(
            caught.value
        )
        assert str(caught.value).endswith("the original files are in .citewhy/undo/000001")
        assert _state(draft.parent) == state
    draft.write_bytes(written.replace("{one}", "{}").encode() + b"More.")
    undo(draft)
    assert draft.read_bytes().decode() == LONG["draft.tex"] + "More."


def test_undo_of_an_entry_that_was_changed(draft: Path) -> None:
    """An entry that the author has corrected since is kept, and named."""
    _apply_long(draft)
    refs = draft.parent / "refs.bib"
    refs.write_bytes(refs.read_bytes().replace(b"one,", b"one, year = 1999,"))
    with pytest.raises(EditConflictError, match=r"refs.bib: what the edit wrote .* line 2"):
        undo(draft)


LONG = {
    "draft.tex": "A claim that is made \\cite{}.\r\n\r\nAnother one \\cite{?}.\r\n",
    "refs.bib": "@misc{a, title={é}}",
    "new.bib": "",
}


def _apply_long(draft: Path) -> None:
    """An edit of a draft with two sentences, of its bibliography, and of a new one."""
    draft.write_bytes(LONG["draft.tex"].encode())
    first, second = LONG["draft.tex"].index("{}") + 1, LONG["draft.tex"].index("?")
    folder = draft.parent
    edits = [
        Edit(str(draft), first, first, "one"),
        Edit(str(draft), second, second + 1, "two"),
        Edit(str(folder / "refs.bib"), 19, 19, "\n@misc{one,\n}\n"),
        Edit(str(folder / "new.bib"), 0, 0, "@misc{two}\n"),
    ]
    Patch(edits, draft).apply()


def test_newer_edit_of_another_draft_goes_first(draft: Path) -> None:
    """Two drafts share a bibliography: the older edit cannot be undone before the newer one, and says which
    draft that was for; also where somebody has worked on the file by hand since."""
    before = _state(draft.parent)
    other = draft.parent / "other.tex"
    shared = str(draft.parent / "refs.bib")
    Patch([Edit(str(draft), 0, 0, "x"), Edit(shared, 0, 0, "1")], draft).apply()
    Patch([Edit(str(other), 0, 0, "y"), Edit(shared, 0, 0, "2")], other).apply()
    state = _state(draft.parent)
    with pytest.raises(EditConflictError) as caught:
        undo(draft)
    told = (
        "the file was changed by a newer edit of other.tex; nothing was undone; undo the newer edit first: "
    )
    assert str(caught.value) == f"{shared}: {told}citewhy suggest {other} --undo"
    assert _state(draft.parent) == state
    Path(shared).write_bytes(Path(shared).read_bytes() + b"3")
    with pytest.raises(EditConflictError, match=r"newer edit of other\.tex"):
        undo(draft)
    undo(other)
    undo(draft)
    assert _state(draft.parent) == {**before, "refs.bib": before["refs.bib"] + b"3"}


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_failure_midway_restores_everything(
    draft: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    """A full disk at the second of three files: all files are as before, and nothing is left to undo."""
    before = _state(draft.parent)
    calls = 0

    def replace_file(path: Path, content: bytes, aside: Path) -> None:
        nonlocal calls
        calls += 1
        if calls == failing:
            raise StorageError("No space left on device", path=path)
        artifact.replace_file(path, content, aside)

    monkeypatch.setattr("citewhy.drafts.edit.journal.replace_file", replace_file)
    with pytest.raises(StorageError, match="No space"):
        Patch(_edits(draft), draft).apply()
    assert _state(draft.parent) == before
    with pytest.raises(QueryError):
        undo(draft)


@pytest.mark.parametrize("failing", range(1, 9))
@pytest.mark.parametrize("lasting", [False, True])
def test_a_sync_that_fails(draft: Path, monkeypatch: pytest.MonkeyPatch, failing: int, lasting: bool) -> None:
    """Of a file, or of a folder after the rename: all files are as before, and it says so; or, where the disk
    fails for good, the error says how the edit can be taken back, and that is true."""
    before = _state(draft.parent)
    calls = 0

    def fsync(handle: int) -> None:
        nonlocal calls
        calls += 1
        if calls == failing or (lasting and calls > failing):
            raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fsync)
    patch, problem = Patch(_edits(draft), draft), "written; to undo: --undo"
    try:
        patch.apply()
    except StorageError as error:
        problem = str(error)
    monkeypatch.undo()
    if "--undo" in problem:
        undo(draft)
    assert _state(draft.parent) == before


def test_a_name_that_is_too_long(draft: Path) -> None:
    """It is an error about the file, in one sentence."""
    with pytest.raises(StorageError, match="cannot read: File name too long"):
        Patch([Edit(str(draft.parent / ("x" * 5_000 + ".bib")), 0, 0, "@misc{a}")], draft)


_CRASH = """
import os, sys
from citewhy.drafts.edit import journal
from citewhy.drafts.edit.patch import Edit, Patch
draft, crash_after = sys.argv[1], int(sys.argv[2])
real, done = journal.put, 0
def put(path, content, aside):
    global done
    if done == crash_after:
        os._exit(9)
    done += 1
    real(path, content, aside)
journal.put = put
folder = os.path.dirname(draft)
edits = [Edit(draft, 0, 0, "x"), Edit(folder + "/refs.bib", 0, 0, "y"), Edit(folder + "/new.bib", 0, 0, "z")]
Patch(edits, draft).apply()
"""


@pytest.mark.parametrize("crash_after", [0, 1, 2])
def test_crash_midway_can_be_undone(draft: Path, crash_after: int) -> None:
    """The process dies after some files: the journal was there first, and undo restores all of them."""
    before = _state(draft.parent)
    died = subprocess.run([sys.executable, "-c", _CRASH, str(draft), str(crash_after)], check=False)
    assert died.returncode == 9
    assert (
        len([name for name, data in _state(draft.parent).items() if before.get(name) != data]) == crash_after
    )
    undo(draft)
    assert _state(draft.parent) == before


def test_two_processes(draft: Path) -> None:
    """While one process edits a draft, another is told so."""
    patch = Patch(_edits(draft), draft)
    before = _state(draft.parent)
    with journal.locked(draft.resolve()), pytest.raises(EditConflictError, match="another process"):
        patch.apply()
    assert _state(draft.parent) == before


# The journal is not trusted -------------------------------------------------------------------------------


def test_damaged_journal(draft: Path) -> None:
    """A flipped byte in the stored original is noticed, and nothing is restored from it."""
    Patch(_edits(draft), draft).apply()
    stored = draft.parent / ".citewhy" / "undo" / "000001" / "0.before"
    stored.write_bytes(b"X" + stored.read_bytes()[1:])
    state = _state(draft.parent)
    with pytest.raises(DamagedError):
        undo(draft)
    assert _state(draft.parent) == state


def test_journal_of_a_stranger(tmp_path: Path, draft: Path) -> None:
    """A journal without the user's seal, as one that came with somebody's draft, changes nothing: neither
    beside the project, nor through a link in it, nor in it."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "conf.yml").write_bytes(b"default: 1")
    project = tmp_path / "project"
    shutil.copytree(draft.parent, project, ignore=shutil.ignore_patterns("project", "home"))
    (project / "sub").symlink_to(home)
    root = project / "draft.tex"
    Patch([Edit(str(root), 0, 0, "x")], root).apply()
    written = project / ".citewhy" / "undo" / "000001" / "journal.json"
    for name in ("../home/conf.yml", "sub/conf.yml", "refs.bib"):
        document = json.loads(written.read_text(encoding="utf-8"))
        document["facts"]["changes"][0] |= {
            "path": name,
            "after": hashlib.sha256((project / name).read_bytes()).hexdigest(),
        }
        written.write_text(json.dumps(document), encoding="utf-8")
        state = _state(tmp_path)
        with pytest.raises(DamagedError, match="made by somebody else"):
            undo(root, outside=True)
        assert _state(tmp_path) == state
    Patch([Edit(str(root), 0, 0, "y")], root).apply()  # beside the journal of the stranger
    undo(root)
    assert _state(tmp_path) == state


def test_journal_moves_with_the_project(draft: Path) -> None:
    """A renamed or copied project has its undo; for another user, who has another key, it has none."""
    before = _state(draft.parent)
    Patch(_edits(draft), draft).apply()
    copy = draft.parent.parent / f"{draft.parent.name} moved"
    shutil.copytree(draft.parent, copy)
    undo(copy / draft.name)
    assert _state(copy) == before
    key = data_folder() / "undo.key"
    kept = key.read_bytes()
    key.unlink()
    with pytest.raises(DamagedError, match="on another computer"):
        undo(draft)
    key.write_bytes(kept)
    undo(draft)
    assert _state(draft.parent) == before


def test_link_since_the_edit(draft: Path) -> None:
    """Where a folder of the draft was replaced by a link, undo does not follow it."""
    part = draft.parent / "parts" / "a.tex"
    part.parent.mkdir()
    part.write_bytes(b"A")
    Patch([Edit(str(part), 0, 0, "x")], draft).apply()
    part.parent.rename(draft.parent / "elsewhere")
    part.parent.symlink_to("elsewhere")
    with pytest.raises(EditConflictError, match="a link has taken the place"):
        undo(draft)
    assert part.read_bytes() == b"xA"


@pytest.mark.parametrize(
    "content", ["", "[]", "{", "[" * 100_000, '{"facts": 1}', '{"facts": {}, "seal": "é"}']
)
def test_journal_that_is_none(draft: Path, content: str) -> None:
    """A journal of another kind is damage or another version, in our words."""
    Patch([Edit(str(draft), 0, 0, "x")], draft).apply()
    (draft.parent / ".citewhy" / "undo" / "000001" / "journal.json").write_text(content, encoding="utf-8")
    with pytest.raises(DamagedError, match="nothing was undone"):
        undo(draft)


@pytest.mark.parametrize("place", [".citewhy", ".citewhy/undo", ".citewhy/lock"])
def test_links_in_place_of_the_journal(tmp_path: Path, draft: Path, place: str) -> None:
    """Nothing is written or removed where a link points to."""
    victim = tmp_path / "victim"
    (victim / "unfinished").mkdir(parents=True)
    (victim / "unfinished" / "notes").write_text("mine", encoding="utf-8")
    (draft.parent / place).parent.mkdir(exist_ok=True)
    (draft.parent / place).symlink_to(victim if place != ".citewhy/lock" else victim / "lock")
    state = _state(tmp_path)
    for change in (Patch([Edit(str(draft), 0, 0, "x")], draft).apply, lambda: undo(draft)):
        with pytest.raises(StorageError):
            change()
        assert _state(tmp_path) == state


@pytest.mark.parametrize("target", ["unfinished", "removed", "000001", ".gitignore"])
def test_links_among_the_journals(tmp_path: Path, draft: Path, target: str) -> None:
    """A link under a name that CiteWhy uses itself is not followed, either."""
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "notes").write_text("mine", encoding="utf-8")
    folder = draft.parent / ".citewhy" / ("" if target == ".gitignore" else "undo")
    folder.mkdir(parents=True)
    (folder / target).symlink_to(victim / "new" if target == ".gitignore" else victim)
    state = _state(tmp_path)
    Patch([Edit(str(draft), 0, 0, "x")], draft).apply()
    undo(draft)
    assert _state(tmp_path) == state


@pytest.mark.parametrize("name", ["unfinished", "removed", "000001", "000001/journal.json"])
def test_pipes_among_the_journals(draft: Path, name: str) -> None:
    """Nobody waits for who would write to it."""
    place = draft.parent / ".citewhy" / "undo" / name
    place.parent.mkdir(parents=True)
    os.mkfifo(place)
    before = _state(draft.parent)
    Patch([Edit(str(draft), 0, 0, "x")], draft).apply()
    undo(draft)
    assert _state(draft.parent) == before


def test_copies_are_as_private_as_the_draft(draft: Path) -> None:
    """The folder is its owner's, and a copy has the mode of the original."""
    draft.chmod(0o600)
    (draft.parent / ".citewhy").mkdir(mode=0o755)  # of an earlier version
    Patch(_edits(draft), draft).apply()
    undo_folder = draft.parent / ".citewhy" / "undo"
    modes = [
        stat.S_IMODE(path.stat().st_mode)
        for path in (
            undo_folder.parent,
            undo_folder,
            undo_folder / "000001",
            undo_folder / "000001" / "0.before",
        )
    ]
    assert modes == [0o700, 0o700, 0o700, 0o600]
    assert stat.S_IMODE((data_folder() / "undo.key").stat().st_mode) == 0o600


# What is left over ----------------------------------------------------------------------------------------


def test_files_of_the_author_are_not_swept(draft: Path) -> None:
    """Whatever their names are, neither beside the draft nor in the way of a temporary file."""
    kept = draft.parent / ".draft.tex.0123456789abcdef"
    kept.write_text("mine", encoding="utf-8")
    folder = draft.parent / ".notes.0123456789abcdef"
    folder.mkdir()
    (folder / "a").write_text("mine", encoding="utf-8")
    before = _state(draft.parent)
    Patch([Edit(str(draft), 0, 0, "x")], draft).apply()
    undo(draft)
    assert _state(draft.parent) == before


_KILL_WRITING = """
import os, sys
from citewhy.base import artifact
from citewhy.drafts.edit.patch import Edit, Patch
artifact.os.fsync = lambda handle: os._exit(9) if b".part.tex." in os.readlink(
    os.fsencode(f"/proc/self/fd/{handle}")
) else None
folder = sys.argv[1]
Patch([Edit(f"{folder}/sub/part.tex", 0, 0, "x")], f"{folder}/draft.tex").apply()
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs names of open files")
def test_leftovers_of_a_killed_process(draft: Path) -> None:
    """A temporary file, in whichever folder, is known by the journal, and gone after the next edit."""
    (draft.parent / "sub").mkdir()
    (draft.parent / "sub" / "part.tex").write_text("A", encoding="utf-8")
    before = _state(draft.parent)
    died = subprocess.run([sys.executable, "-c", _KILL_WRITING, str(draft.parent)], check=False)
    assert died.returncode == 9
    assert len(_state(draft.parent)) == len(before) + 1
    undo(draft)
    assert _state(draft.parent) == before


# Edits that cannot be ------------------------------------------------------------------------------------


def test_the_same_edit_twice_counts_once(draft: Path) -> None:
    """A file that a draft includes twice has each of its markers twice."""
    Patch([Edit(str(draft), 0, 0, "x")] * 2, draft).apply()
    assert draft.read_bytes().startswith(b"xA ")


def test_impossible_edits(draft: Path) -> None:
    """Overlaps, places beyond the file, and characters that the encoding lacks are refused at once."""
    name = str(draft)
    with pytest.raises(QueryError, match="overlap"):
        Patch([Edit(name, 0, 3, "x"), Edit(name, 2, 4, "y")], draft)
    with pytest.raises(QueryError, match="overlap"):
        Patch([Edit(name, 2, 2, "x"), Edit(name, 2, 2, "y")], draft)
    with pytest.raises(QueryError, match="in a file of"):
        Patch([Edit(name, 0, 9999, "x")], draft)
    with pytest.raises(InputError, match="cp1252, has no 'ě'"):
        Patch([Edit(str(draft.parent / "refs.bib"), 0, 0, "Zdeněk")], draft)


# The diff -------------------------------------------------------------------------------------------------


def test_diff(draft: Path) -> None:
    """A unified diff with names relative to the draft, as every diff tool prints it."""
    draft.write_text("".join(f"line {number}\n" for number in range(1, 21)), encoding="utf-8")
    text = draft.read_text(encoding="utf-8")
    place = text.index("line 10")
    patch = Patch(
        [Edit(str(draft), place, place + 7, "LINE"), Edit(str(draft.parent / "n.bib"), 0, 0, "new")], draft
    )
    assert patch.diff() == (
        "--- a/draft.tex\n+++ b/draft.tex\n@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+LINE\n"
        " line 11\n line 12\n line 13\n"
        "--- /dev/null\n+++ b/n.bib\n@@ -0,0 +1,1 @@\n+new\n\\ No newline at end of file\n"
    )


_TEXT = st.text(alphabet="ab\né \t{}\u2028", max_size=200)
_BINARY = st.binary(max_size=100).filter(lambda data: not is_compressed(data))


@st.composite
def _edited(draw: st.DrawFn) -> tuple[bytes, list[tuple[int, int, str]]]:
    """A file's bytes, and edits of it that do not overlap."""
    newline = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "cp1252", "latin-1"]))
    text = draw(_TEXT)
    if encoding in {"cp1252", "latin-1"}:
        text = text.replace("\u2028", "")
    data = draw(st.just(text.replace("\n", newline).encode(encoding)) | _BINARY)
    decoded, _ = decode(data)
    cuts = sorted(draw(st.lists(st.integers(0, len(decoded)), max_size=8, unique=True)))
    edits = [
        (a, draw(st.sampled_from([a, b])), draw(st.text(alphabet="xyé\n", max_size=9)))
        for a, b in zip(cuts[::2], cuts[1::2], strict=False)
    ]
    return data, edits


_files = st.lists(_edited(), min_size=1, max_size=3)
_settings = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@settings(_settings, max_examples=40)
@given(files=_files)
def test_apply_then_undo_is_identity(files: list[tuple[bytes, list[tuple[int, int, str]]]]) -> None:
    """Any files, encodings, line ends and edits: the edits do what they say, and undo leaves no trace."""
    _check_identity(files)


@pytest.mark.full
@settings(_settings, max_examples=1_000)
@given(files=_files)
def test_apply_then_undo_is_identity_in_full(files: list[tuple[bytes, list[tuple[int, int, str]]]]) -> None:
    """As above, with more examples."""
    _check_identity(files)


def _check_identity(files: list[tuple[bytes, list[tuple[int, int, str]]]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        edits = []
        expected = {}
        for number, (data, changes) in enumerate(files):
            path = folder / f"{number}.tex"
            path.write_bytes(data)
            text, encoding = decode(data)
            newline = _newline(text)
            for start, end, new in changes:
                edits.append(Edit(str(path), start, end, new))
            for start, end, new in reversed(changes):
                text = text[:start] + new.replace("\n", newline) + text[end:]
            expected[path.name] = text.encode(encoding)
        before = _state(folder)
        patch = Patch(edits, folder / "0.tex")
        patch.diff()
        patch.apply()
        assert _state(folder) == expected
        if before != expected:
            undo(folder / "0.tex")
        assert _state(folder) == before


def _newline(text: str) -> str:
    """The line end that a text uses most; a line feed where it has none."""
    counts = {"\r\n": text.count("\r\n")}
    counts["\n"] = text.count("\n") - counts["\r\n"]
    counts["\r"] = text.count("\r") - counts["\r\n"]
    return max(("\n", "\r\n", "\r"), key=lambda end: counts[end])


@pytest.mark.skipif(shutil.which("patch") is None, reason="no patch(1) to compare with")
@settings(_settings, max_examples=40)
@given(
    lines=st.lists(st.sampled_from(["", "a", "b", "citation"]), max_size=30),
    ends=st.booleans(),
    seed=st.randoms(use_true_random=False),
)
def test_diff_is_what_patch_understands(lines: list[str], ends: bool, seed: object) -> None:
    """patch(1) makes of the old file and the diff exactly what apply writes."""
    import random

    assert isinstance(seed, random.Random)
    text = "\n".join(lines) + ("\n" if ends and lines else "")
    cuts = sorted(seed.sample(range(len(text) + 1), k=min(len(text) + 1, 6)))
    pairs = [(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "draft.tex"
        path.write_text(text, encoding="utf-8")
        patch = Patch([Edit(str(path), a, b, seed.choice(["", "x", "y\nz\n", "\n"])) for a, b in pairs], path)
        diff = patch.diff()
        copy = Path(name) / "copy.tex"
        copy.write_text(text, encoding="utf-8")
        patch.apply()
        if not diff:
            assert path.read_text(encoding="utf-8") == text
            return
        done = subprocess.run(
            ["patch", "--quiet", "--no-backup-if-mismatch", "-F0", str(copy)],
            input=diff.encode(),
            capture_output=True,
            env={**os.environ, "LC_ALL": "C"},
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        written = path.read_bytes()
        assert (copy.read_bytes() if copy.exists() else b"") == written
