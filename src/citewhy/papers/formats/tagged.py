"""Text of tagged lines, as bibliographic services write it: a tag and a value, which may continue on the
lines below."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from citewhy.papers.formats.report import ImportReport
from citewhy.text.source import FilePath
from citewhy.text.tidy import shorten

__all__ = ["Tagged", "records"]


@dataclass(slots=True)
class Tagged:
    """A record: its first line, and its values by tag, in order."""

    line: int
    values: dict[str, list[str]] = field(default_factory=dict)
    pieces: list[str] = field(default_factory=list)
    """Lines of the last value, joined when it ends."""
    last: str = ""
    """The tag of the last value."""

    def add(self, tag: str, value: str) -> None:
        self.close()
        self.values.setdefault(tag, []).append("")
        self.pieces = [value]
        self.last = tag

    def go_on(self, line: str) -> None:
        self.pieces.append(line)

    def close(self) -> None:
        if self.pieces:
            self.values[self.last][-1] = "\n".join(self.pieces)
            self.pieces = []


def records(
    text: str,
    tag: re.Pattern[str],
    *,
    begins: str,
    path: FilePath,
    report: ImportReport,
    ends: str = "",
    header: tuple[str, ...] = (),
) -> Iterator[Tagged]:
    """Records whose lines match `tag`, with the tag as its first group and the value as its second.

    A record starts with the tag `begins`, or after an empty line in files that do not use this tag. It ends
    with `ends`, if the format has such a tag. Tags in `header` belong to the file. Lines without a tag
    continue the value above them.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    marked = any((found := tag.match(line)) and found[1] == begins for line in lines)
    record: Tagged | None = None
    empty_before = True
    for number, line in enumerate(lines, start=1):
        found = tag.match(line)
        if found is None:
            if line.strip() and record is not None:
                record.go_on(line.strip())
            elif line.strip():
                report.skip(path, number, f"{shorten(line)!r} is outside of a record")
            empty_before = empty_before or not line.strip()
            continue
        name, value = found[1], found[2] or ""
        if name in header:
            continue
        starts = name == begins or (empty_before and not marked)
        if record is not None and (starts or name == ends):
            record.close()
            yield record
            record = None
        empty_before = False
        if name == ends and ends:
            continue
        if record is None:
            record = Tagged(number)
        record.add(name, value)
    if record is not None:
        record.close()
        yield record
