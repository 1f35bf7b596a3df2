"""Parts of files that are packages."""

from __future__ import annotations

import io
import zipfile

import pytest

from citewhy.base.errors import InputError, TooLargeError
from citewhy.drafts.files import read_part, with_parts


def package(**parts: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name, (2001, 2, 3, 4, 5, 6)), content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def test_a_part_is_read_up_to_a_limit() -> None:
    """A small archive may hold a huge part."""
    data = package(a=b"x" * 1_000_000)
    assert len(data) < 10_000
    assert len(read_part(data, "a", "draft", 1_000_000)) == 1_000_000
    with pytest.raises(TooLargeError, match="draft: the part 'a' has more than 999,999 bytes"):
        read_part(data, "a", "draft", 999_999)


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04", b"It works."])
def test_what_is_no_package(damage: bytes) -> None:
    """It is refused in words."""
    with pytest.raises(InputError, match="draft: cannot be opened as a package of texts"):
        read_part(damage, "a", "draft")


def test_every_damaged_byte() -> None:
    """A damaged archive gives an error of CiteWhy, or a part; never another error."""
    data = package(a=b"It works." * 20, b=b"more")
    for position in range(len(data)):
        damaged = data[:position] + bytes([data[position] ^ 0xFF]) + data[position + 1 :]
        try:
            read_part(damaged, "a", "draft")
        except InputError:
            continue


def test_other_parts_are_copied_up_to_a_limit() -> None:
    """An edit does not unpack a small archive without end, be one of its parts huge, or all together."""
    data = package(a=b"old", b=b"x" * 600, c=b"x" * 600)
    assert read_part(with_parts(data, {"a": b"new"}, "draft", 1200), "c", "draft") == b"x" * 600
    for limit in (1199, 599):
        with pytest.raises(TooLargeError, match=f"draft: its parts have more than {limit:,} bytes"):
            with_parts(data, {"a": b"new"}, "draft", limit)


def test_other_parts_stay() -> None:
    """Only the part that is written changes; names, order, dates and compression are those from before."""
    before = package(a=b"old", b=b"b" * 100, c=b"c")
    after = with_parts(before, {"a": b"new and longer"}, "draft")
    assert read_part(after, "a", "draft") == b"new and longer"
    old, new = (zipfile.ZipFile(io.BytesIO(data)) for data in (before, after))
    with old, new:
        assert [
            (part.filename, part.date_time, part.compress_type, part.external_attr) for part in new.infolist()
        ] == [
            (part.filename, part.date_time, part.compress_type, part.external_attr) for part in old.infolist()
        ]
        assert [new.read(name) for name in "bc"] == [old.read(name) for name in "bc"]
