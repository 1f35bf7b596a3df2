"""Texts for files of ours: in valid Unicode, whatever a file is called."""

from __future__ import annotations

import os
import subprocess

import orjson
import pytest

from citewhy.base.printable import printable, printable_json, quoted

NOT_UTF_8 = os.fsdecode(b"\xff.bib")


def test_documents() -> None:
    """Names that are not UTF-8 are escaped wherever they are; all else stays as it is."""
    document = {"a": [NOT_UTF_8, ("é", None)], NOT_UTF_8: {"b": 1.5, "c": True}}
    shown = "\\udcff.bib"
    assert orjson.loads(printable_json(document)) == {"a": [shown, ["é", None]], shown: {"b": 1.5, "c": True}}
    assert printable(f"# {NOT_UTF_8} é") == f"# {shown} é"


@pytest.mark.parametrize("name", [b"a.tex", b"my draft.tex", b"it's", b"\xff'\\ $a.tex", b"a\nb\xe2\x80\xae"])
def test_paths_in_commands(name: bytes) -> None:
    """A shell takes them as they are; they are shown in characters that can be seen."""
    text = quoted(os.fsdecode(name))
    assert text.isprintable()
    assert subprocess.check_output(["bash", "-c", f"printf %s {text}"]) == name
