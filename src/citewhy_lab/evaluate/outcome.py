"""The outcome of any evaluation, in the forms that a command line can request."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import orjson

from citewhy.base.artifact import replace_file

__all__ = ["Outcome", "as_json", "save"]


class Outcome(Protocol):
    """An evaluation: of a ranking (`citewhy_lab.evaluate.report.Report`), of a classifier, of a linker."""

    def document(self) -> dict[str, Any]:
        """Everything, for programs; the field ``measures`` maps names to values."""
        ...

    def text(self) -> str:
        """For a terminal of 80 columns."""
        ...

    def markdown(self) -> str:
        """A heading, a table and notes."""
        ...

    def run(self) -> bytes:
        """The rankings as a TREC run. Raises QueryError if nothing was ranked."""
        ...

    def plot(self) -> str:
        """A diagram as SVG. Raises QueryError if there is nothing to draw."""
        ...


def as_json(outcome: Outcome) -> str:
    return orjson.dumps(outcome.document(), option=orjson.OPT_INDENT_2).decode()


def save(outcome: Outcome, path: Path) -> tuple[Path, Path]:
    """Writes Markdown and JSON: ``table.md`` and ``table.json``, if `path` is either of them or neither.

    Returns both paths; raises StorageError.
    """
    stem = path.with_suffix("") if path.suffix in (".md", ".json") else path
    markdown, json = stem.with_name(stem.name + ".md"), stem.with_name(stem.name + ".json")
    replace_file(markdown, outcome.markdown().encode())
    replace_file(json, as_json(outcome).encode() + b"\n")
    return markdown, json
