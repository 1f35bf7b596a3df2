"""JSON-lines files of benchmarks, which are read strictly: a benchmark without one of its lines is a
different one. (Imports skip and count instead.)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from citewhy.base.errors import InputError
from citewhy.text.source import open_lines

KINDS = {
    "relevant_ids": "questions about the intents of citations (task aspects)",
    "context_id": "citing sentences (task local)",
    "topic_sentence": "topic sentences of paragraphs",
    "citance_id": "citances (linkage)",
    "cluster": "clusters (linkage)",
    "bibs": "finished drafts with their bibliographies",
    "tags": "discourse tags",
    "label": "citation intents",
    "sentences": "full texts",
    "query_id": "whole papers as queries (task global)",
    "title": "papers",
}
"""A field that identifies the kind of a file, most specific first, and the name of such files."""


class Line:
    """A JSON object of a file, with typed access to its fields; errors are InputErrors with file and line."""

    def __init__(self, path: Path, number: int, fields: Mapping[str, Any]) -> None:
        self.path, self.number, self.fields = path, number, fields

    @property
    def kind(self) -> str | None:
        """The first field of `KINDS` that it has."""
        return next((name for name in KINDS if name in self.fields), None)

    def error(self, problem: str, hint: str | None = None) -> InputError:
        return InputError(problem, path=self.path, line=self.number, hint=hint)

    def text(self, name: str) -> str:
        """Returns a non-empty string."""
        value = self.fields.get(name)
        if not isinstance(value, str) or not value.strip():
            raise self.error(f"{name!r} is {_shown(value)}, not a text")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Returns a list of at least one such string."""
        value = self.fields.get(name)
        if (
            not isinstance(value, list)
            or not value
            or not all(isinstance(v, str) and v.strip() for v in value)
        ):
            raise self.error(f"{name!r} is {_shown(value)}, not a list of ids")
        return tuple(value)

    def numbers(self, name: str) -> tuple[int, ...]:
        """Returns a list of non-negative integers; it may be empty."""
        value = self.fields.get(name)
        if not isinstance(value, list) or not all(type(v) is int and v >= 0 for v in value):
            raise self.error(f"{name!r} is {_shown(value)}, not a list of whole numbers")
        return tuple(value)

    def year(self, name: str) -> int | None:
        """Returns a year; None if the field is missing or null."""
        value = self.fields.get(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            raise self.error(f"{name!r} is {_shown(value)}, not a year")
        return value


def objects(path: Path, task: str, field: str) -> Iterator[Line]:
    """Yields the objects of a file of `task`, recognised by `field` in each; blank lines are skipped.

    Raises InputError for an empty file, a line that is not a JSON object, and a file of another kind.
    """
    has_lines = False
    for line in every_object(path):
        if line.kind != field:
            raise _mismatch(line, task, field)
        has_lines = True
        yield line
    if not has_lines:
        raise InputError("the file is empty", path=path, hint=f"task {task} expects {KINDS[field]}")


def every_object(path: Path) -> Iterator[Line]:
    """Yields the objects of a file, of whatever kind; blank lines are skipped. Raises InputError for a line
    that is not a JSON object."""
    for number, text in open_lines(path):
        if text.strip():
            yield Line(path, number, parsed_object(text, path, number))


def expect_first(path: Path, task: str, field: str) -> None:
    """Checks only the first object, for files that another reader reads."""
    next(objects(path, task, field))


def parsed_object(text: str | bytes, path: Path, number: int | None = None) -> dict[str, Any]:
    """Returns the JSON object that a file, or its line `number`, holds. Raises InputError."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError(f"not JSON ({error.msg})", path=path, line=number) from error
    if not isinstance(value, dict):
        raise InputError(f"{_shown(value)} is not a JSON object", path=path, line=number)
    return value


def _mismatch(line: Line, task: str, field: str) -> InputError:
    kind = KINDS.get(line.kind or "", "something else")
    return line.error(f"task {task} expects {KINDS[field]}, this file holds {kind}")


def _shown(value: Any) -> str:
    return "missing" if value is None else repr(value)[:60]
