"""Files that are made of one token of their grammar: read, or refused with one sentence, in time that grows
with their length."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import pytest
from growth import TIMES, assert_in_proportion
from harness import cases
from shapes import GRAMMARS, SHAPES, Grammar, shaped

from citewhy.base.errors import CiteWhyError
from citewhy.base.import_report import ImportReport
from citewhy.drafts import read as read_draft
from citewhy.papers.formats import read

SIZE = 32_000
"""Characters; below the limit at which a header is not read as one."""

FLOOR = 0.5
"""Seconds: what takes less is not compared."""

ORDER = random.Random(7).sample(SHAPES, len(SHAPES))


def test_shapes(tmp_path: Path) -> None:
    """Each is read, or refused by a reader that foresaw it (`conftest.nothing_unforeseen`)."""
    for case in cases(len(ORDER), "shapes of one token"):
        grammar, made = ORDER[case]
        _read(GRAMMARS[grammar], dict(shaped(GRAMMARS[grammar], SIZE))[made], tmp_path)


@pytest.mark.full
def test_shapes_take_time_in_proportion(tmp_path: Path) -> None:
    """Nothing grows faster than linearly."""
    for case in cases(len(ORDER), "shapes of one token, in two sizes"):
        name, made = ORDER[case]
        grammar = GRAMMARS[name]
        size = SIZE if "front matter" in name else TIMES * SIZE  # longer ones are no header any more
        part, whole = (dict(shaped(grammar, length))[made] for length in (size // TIMES, size))
        assert_in_proportion(
            lambda text, grammar=grammar: _read(grammar, text, tmp_path),  # type: ignore[misc]
            part,
            whole,
            f"{made!r} ({name})",
            FLOOR,
        )


def _read(grammar: Grammar, text: str, folder: Path) -> None:
    path = folder / grammar.file
    path.write_text(text, encoding="utf-8")
    with contextlib.suppress(CiteWhyError):
        if grammar.file == "x":
            for _ in read(path, ImportReport()):
                pass
        else:
            read_draft(path)
