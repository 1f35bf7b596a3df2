"""A project that comes as a ZIP archive, from anybody: its files of drafts, in memory."""

from __future__ import annotations

import io
import stat
import zipfile
from pathlib import PurePosixPath

from citewhy.base.errors import InputError, TooLargeError
from citewhy.drafts.files import opened_package, unpacked
from citewhy.drafts.formats import is_of_drafts
from citewhy.text.source import MAX_FILE

MOST_MEMBERS = 5_000
MOST_BYTES = min(MAX_FILE, 64 << 20)
"""Bytes of all files of drafts in an archive together, unpacked."""


def unzipped(data: bytes, name: str) -> dict[str, bytes]:
    """The files of drafts in the archive `data`, by their names in it; others, such as pictures, are left
    out. A folder that contains all of them is no part of the names.

    Nothing is written to the disk. Raises InputError for what is no archive, is encrypted, or has members
    with names outside of it or that are links; TooLargeError for more than `MOST_MEMBERS` members or
    `MOST_BYTES`, whatever the archive says of its size.
    """
    files: dict[str, bytes] = {}
    left = MOST_BYTES
    with opened_package(data, name) as archive:
        members = archive.infolist()
        if len(members) > MOST_MEMBERS:
            raise TooLargeError(f"the archive has more than {MOST_MEMBERS:,} files", path=name)
        for member in members:
            inside = safe_name(member.filename, name)
            if stat.S_ISLNK(member.external_attr >> 16):
                raise InputError(f"{member.filename!r} is a link, which is not followed", path=name)
            if member.is_dir() or _is_left_out(inside):
                continue
            if member.flag_bits & 1:
                raise InputError(
                    f"{member.filename!r} is encrypted", path=name, hint="pack it without a password"
                )
            content = unpacked(archive, member, left)
            left -= len(content)
            if left < 0:
                raise TooLargeError(f"unpacked, its files have more than {MOST_BYTES:,} bytes", path=name)
            files[str(inside)] = content
    if not files:
        raise InputError("the archive has no file of a draft", path=name, hint="pack the folder of the draft")
    return _without_top(files)


def safe_name(name: str, path: str) -> PurePosixPath:
    """A name that somebody gives a file, as one relative to a folder. Raises InputError for one that leads
    out of it, and for one that is none."""
    inside = PurePosixPath(name.replace("\\", "/"))
    leads_out = inside.is_absolute() or ".." in inside.parts or ":" in (inside.parts or ("",))[0]
    if leads_out or not inside.parts or any(ord(character) < 32 for character in name):
        raise InputError(
            f"{name!r} is no name of a file in a folder", path=path, hint="pack the folder itself"
        )
    return inside


def _is_left_out(name: PurePosixPath) -> bool:
    return any(part.startswith(".") or part == "__MACOSX" for part in name.parts) or not is_of_drafts(name)


def _without_top(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files without the folder that all of them are in."""
    tops = {PurePosixPath(name).parts[0] for name in files}
    if len(tops) > 1 or any(len(PurePosixPath(name).parts) == 1 for name in files):
        return files
    return {str(PurePosixPath(*PurePosixPath(name).parts[1:])): content for name, content in files.items()}


def zipped(files: dict[str, bytes]) -> bytes:
    """An archive with files, by their names."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return target.getvalue()
