"""Labelled sentences for training classifiers, from a file of JSON lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewhy.base.errors import InputError
from citewhy.base.records import SentenceInContext
from citewhy.papers.formats.jsonlines import parse
from citewhy.text.markers import TARGET
from citewhy.text.source import open_raw_lines
from citewhy_lab.evaluate.datasets.lines import Line

__all__ = ["Example", "FieldNames", "read_examples"]


@dataclass(frozen=True, slots=True)
class Example:
    sentence: SentenceInContext
    labels: tuple[str, ...]
    """The true labels, at least one; several share the example's weight."""
    group: str
    """Examples of one group, such as the sentences of a paper, are in the same fold."""


@dataclass(frozen=True, slots=True)
class FieldNames:
    """Names of the fields of a row; empty if there is none."""

    text: str
    label: str
    group: str
    previous: str = ""
    next: str = ""
    section: str = ""
    position: str = ""
    citing: str = ""
    marker: str = ""
    """``[start, end]``, characters of the citation that the label is about: it becomes ``TARGETCIT``."""


def read_examples(path: Path, names: FieldNames, only: Mapping[str, str] | None = None) -> list[Example]:
    """The rows whose fields have the values in `only`; a row without a group is a group of its own.

    Raises InputError with file and line for a row that is not a JSON object, or has no text or no label (a
    string, or a list of strings), and for a file without such rows.
    """
    found = []
    for number, raw in open_raw_lines(path):
        if not raw.strip():
            continue
        try:
            line = Line(path, number, parse(raw))
        except InputError as error:
            raise InputError(error.problem, path=path, line=number) from error
        if all(str(line.fields.get(name, "")) == value for name, value in (only or {}).items()):
            found.append(_example(line, names))
    if not found:
        wanted = ", ".join(f"{name}={value}" for name, value in (only or {}).items())
        raise InputError(f"no rows {f'with {wanted} ' if wanted else ''}are in this file", path=path)
    return found


def _example(line: Line, names: FieldNames) -> Example:
    value = line.fields.get(names.label)
    labels = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else ()
    if not labels or not all(isinstance(label, str) and label for label in labels):
        raise line.error(f"no label in {names.label!r}", hint="a string, or a list of strings, is expected")
    text = _marked(line, line.text(names.text), names.marker)
    group = line.fields.get(names.group)
    return Example(
        SentenceInContext(
            text,
            _optional(line, names.previous),
            _optional(line, names.next),
            _optional(line, names.section),
            _position(line, names.position),
            _optional(line, names.citing),
        ),
        labels,
        f"line {line.number}" if group in (None, "") else str(group),
    )


def _marked(line: Line, text: str, name: str) -> str:
    value: Any = line.fields.get(name) if name else None
    if value is None:
        return text
    if (
        not isinstance(value, list)
        or [type(each) for each in value] != [int, int]
        or not 0 <= value[0] <= value[1] <= len(text)
    ):
        raise line.error(f"{name!r} is no place in the text", hint="give [start, end], counted from 0")
    return f"{text[: value[0]]} {TARGET} {text[value[1] :]}"


def _optional(line: Line, name: str) -> str:
    """A text that may be missing, or null."""
    value: Any = line.fields.get(name, "") if name else ""
    if value is not None and not isinstance(value, str):
        raise line.error(f"{name!r} is no text", hint="give a string, or leave it out")
    return value or ""


def _position(line: Line, name: str) -> float | None:
    value: Any = line.fields.get(name) if name else None
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise line.error(f"{name!r} is no position", hint="give a share of the document, from 0 to 1")
    return float(value)
