"""Projects that come as ZIP archives, from anybody."""

from __future__ import annotations

import io
import stat
import zipfile

import pytest

from citewhy.base.errors import InputError, TooLargeError
from citewhy.drafts import zipped as module
from citewhy.drafts.zipped import unzipped, zipped


def archive(files: dict[str, bytes], **about: int) -> bytes:
    """A ZIP archive; `about` are fields of all its members."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as made:
        for name, content in files.items():
            member = zipfile.ZipInfo(name)
            member.compress_type = zipfile.ZIP_DEFLATED
            for field, value in about.items():
                setattr(member, field, value)
            made.writestr(member, content)
    return target.getvalue()


def test_files_of_drafts_are_taken() -> None:
    """Pictures, hidden files and what macOS adds are left out; the folder of everything is no part of the
    names."""
    data = archive(
        {
            "paper/main.tex": b"\\input{parts/a}",
            "paper/parts/a.tex": b"A",
            "paper/refs.bib": b"",
            "paper/figure.png": b"\x89PNG",
            "paper/.git/config.tex": b"x",
            "__MACOSX/paper/._main.tex": b"x",
        }
    )
    assert unzipped(data, "a.zip") == {"main.tex": b"\\input{parts/a}", "parts/a.tex": b"A", "refs.bib": b""}


def test_what_was_packed_is_unpacked() -> None:
    """The archives that are made are read."""
    files = {"main.tex": b"text", "parts/a.tex": b"more"}
    assert unzipped(zipped(files), "a.zip") == files


@pytest.mark.parametrize(
    "name",
    [
        "../evil.tex",
        "a/../../evil.tex",
        "/etc/evil.tex",
        "..\\evil.tex",
        "C:\\evil.tex",
        "C:/evil.tex",
        "a\x01.tex",
    ],
)
def test_names_that_lead_out(name: str) -> None:
    """A member whose name leads out of the folder is refused, and the archive with it."""
    with pytest.raises(InputError, match="no name of a file"):
        unzipped(archive({"main.tex": b"", name: b"x"}), "a.zip")


def test_links() -> None:
    """A symbolic link in an archive is refused."""
    with pytest.raises(InputError, match="link"):
        unzipped(archive({"main.tex": b"/etc/passwd"}, external_attr=(stat.S_IFLNK | 0o777) << 16), "a.zip")


def test_a_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    """What unpacks to more than is allowed is refused, though the archive is small, and says nothing of its
    size."""
    monkeypatch.setattr(module, "MOST_BYTES", 100_000)
    data = archive({f"{number}.tex": bytes(60_000) for number in range(3)})
    assert len(data) < 2_000
    with pytest.raises(TooLargeError, match="100,000 bytes"):
        unzipped(data, "a.zip")
    lying = data.replace((60_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    with pytest.raises(InputError):
        unzipped(lying, "a.zip")


def test_too_many_members(monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive of very many files is refused before any is read."""
    monkeypatch.setattr(module, "MOST_MEMBERS", 10)
    with pytest.raises(TooLargeError, match="more than 10 files"):
        unzipped(archive({f"{number}.tex": b"" for number in range(11)}), "a.zip")


def test_what_is_no_archive() -> None:
    """Damaged, encrypted and empty archives are refused with a sentence."""
    data = archive({"main.tex": b"a text of some length"})
    with pytest.raises(InputError):
        unzipped(b"no archive", "a.zip")
    with pytest.raises(InputError):
        unzipped(data[:-30], "a.zip")
    with pytest.raises(InputError, match="no file of a draft"):
        unzipped(archive({"a.png": b""}), "a.zip")
    locked = bytearray(data)
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):
        at = data.index(mark) + (6 if mark == b"PK\x03\x04" else 8)
        locked[at] |= 1
    with pytest.raises(InputError, match="encrypted"):
        unzipped(bytes(locked), "a.zip")
