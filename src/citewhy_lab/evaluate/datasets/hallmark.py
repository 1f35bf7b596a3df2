"""Rows of HALLMARK: entries of reference lists, valid and invented, with the kind of each invention."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from citewhy.base.errors import InputError
from citewhy.base.records import Paper
from citewhy.papers.formats.bibtex import read_entries
from citewhy_lab.evaluate.datasets.lines import Line, every_object

_LABELS = {"VALID": True, "HALLUCINATED": False}
_CANARY = "canary"
"""The source of a row that only marks the file."""
_HINT = "expected rows of HALLMARK, with bibtex_key, label, and fields or bibtex"


@dataclass(frozen=True, slots=True)
class Row:
    """An entry, and what is known of it."""

    paper: Paper
    valid: bool
    kind: str = ""
    """The kind of an invention: ``wrong_venue``, …; empty for a valid entry."""
    tier: int = 1
    """How hard it is to find: 1 to 3; 1 for a valid entry."""

    @property
    def name(self) -> tuple[object, ...]:
        """What tells it from other rows, whichever file it is in."""
        paper = self.paper
        return self.kind, paper.title.casefold(), paper.authors, paper.year, paper.venue, paper.doi


def rows_of(path: Path) -> list[Row]:
    """The rows of a file, or of the ``.jsonl`` files of a folder, each once. Raises InputError for a line
    that is none, and where there are none at all."""
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    rows = list({row.name: row for file in files for row in _rows(file)}.values())
    if not rows:
        raise InputError("found no rows", path=path, hint=_HINT)
    return rows


def _rows(file: Path) -> Iterator[Row]:
    for line in every_object(file):
        if line.fields.get("source") == _CANARY:
            continue
        label = line.fields.get("label")
        if label not in _LABELS:
            raise line.error(f"'label' is {label!r}, neither VALID nor HALLUCINATED", _HINT)
        paper = _paper(line)
        kind, tier = line.fields.get("hallucination_type"), line.fields.get("difficulty_tier")
        yield Row(paper, _LABELS[label], str(kind or ""), tier if isinstance(tier, int) else 1)


def _paper(line: Line) -> Paper:
    fields, text = line.fields.get("fields"), line.fields.get("bibtex")
    if isinstance(fields, dict):
        text = f"@{line.fields.get('bibtex_type', 'misc')}{{{line.text('bibtex_key')},\n"
        text += "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items()) + "}\n"
    if not isinstance(text, str):
        raise line.error("the line has neither 'fields' nor 'bibtex'", _HINT)
    entries = list(read_entries(text, str(line.path), [], {}))
    if len(entries) != 1:
        raise line.error(f"the entry {line.fields.get('bibtex_key')!r} cannot be read", _HINT)
    return entries[0].paper
