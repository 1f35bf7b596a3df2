"""The comparison of recorded answers."""

from __future__ import annotations

import gzip
import json
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from recorded_answers import compare, converted, differences, renamed_fields


def row(name: str, out: str) -> dict[str, Any]:
    return {"name": name, "kind": "question", "asked": {}, "out": out, "err": ""}


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_bytes(gzip.compress(b"".join(json.dumps(each).encode() + b"\n" for each in rows)))
    return path


def test_differences_name_the_field() -> None:
    """A changed value, a missing field, a new one, another order, and the first line of a text that
    differs."""
    before = {"a": 1, "b": [1, 2], "c": "one\ntwo"}
    after = {"b": [1, 3], "c": "one\nthree", "d": None}
    assert list(differences(before, after)) == [
        ".a: is missing",
        ".b[1]: 2 → 3",
        '.c line 2: "two" → "three"',
        ".d: is new, null",
    ]
    assert list(differences({"a": 1, "b": 2}, {"b": 2, "a": 1})) == [
        ': the order of the fields: ["a", "b"] → ["b", "a"]'
    ]


def test_renamed_fields_change_nothing_else() -> None:
    """The name of a field is replaced, and no value that reads like it."""
    text = '{\n  "old": "old",\n  "list": [\n    "old"\n  ]\n}'
    assert renamed_fields(text, {"old": "new"}) == text.replace('"old":', '"new":')


def test_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Equal recordings, and a part of one, are equal; one byte that differs is an error with its place."""
    rows = [row("one", '{\n  "a": 1\n}'), row("two", "text")]
    whole, part = write(tmp_path / "a.gz", *rows), write(tmp_path / "b.gz", rows[0])
    assert compare(Namespace(before=whole, after=part, renamed=[])) == 0
    other = write(tmp_path / "c.gz", row("one", '{\n  "a": 2\n}'))
    capsys.readouterr()
    assert compare(Namespace(before=whole, after=other, renamed=[])) == 1
    assert "    .out.a: 1 → 2" in capsys.readouterr().out.splitlines()


def test_markdown_in_other_forms() -> None:
    """Citations and headings of a Markdown document are those of Org and Typst."""
    text = "---\ntitle: T\n---\n# Head\n\nAs shown [see @a; @b, p. 3].\n"
    assert "* Head\n\nAs shown [cite:@a;@b]." in converted(text, "org", "own.bib")
    assert "= Head\n\nAs shown @a @b." in converted(text, "typst", "own.bib")
