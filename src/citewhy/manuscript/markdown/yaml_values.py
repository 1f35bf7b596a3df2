"""YAML as text, lists and mappings, within bounds.

PyYAML parses, and a scalar stays text as it is written: the title ``No`` is not false, ``1.10`` is not 1.1.
Tags are ignored, so that no file can name a Python object.
"""

from __future__ import annotations

from dataclasses import dataclass

import yaml

__all__ = ["Value", "YamlError", "load", "strings"]

Value = str | list["Value"] | dict[str, "Value"]
"""An empty text stands for ``null`` and for nothing at all."""

_DEEPEST = 50
"""Collections in each other; a header has four or five."""

_MOST_VALUES = 1_000_000
"""Values of one document, those behind an alias counted at every alias."""

_NULL = frozenset({"", "~", "null", "Null", "NULL"})

_Loader: type = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""libyaml where PyYAML was built with it: ten times as fast."""


class YamlError(Exception):
    """A text that is not YAML: why, and in which line (from 0)."""

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


def load(text: str) -> tuple[Value, list[tuple[int, str]]]:
    """The first document of a text, and its duplicated keys: of each the line (from 0) and what is wrong.

    Of two values of one key the last counts. Raises YamlError.
    """
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=_Loader):
            if isinstance(event, yaml.DocumentEndEvent):
                break
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlError(_why(error), mark.line if mark else 0) from error
    except yaml.reader.ReaderError as error:
        raise YamlError("a control character", text.count("\n", 0, error.position)) from error
    return builder.value, builder.duplicates


def strings(value: Value) -> list[str]:
    """Every text in a value, in order, without the empty ones and without the keys of mappings."""
    if isinstance(value, str):
        return [value] if value else []
    items = value.values() if isinstance(value, dict) else value
    return [text for item in items for text in strings(item)]


def _why(error: yaml.MarkedYAMLError) -> str:
    if "mapping values are not allowed" in (error.problem or ""):
        return "a value with a colon in it needs quotes"
    return ", ".join(part for part in (error.problem, error.context) if part)


@dataclass(slots=True)
class _Open:
    """A collection that is being read, with the value that it will be."""

    value: list[Value] | dict[str, Value]
    anchor: str | None
    values_before: int
    key: str | None = None
    """The key whose value comes next; None where the key itself comes next."""


class _Builder:
    """Makes values of a parser's events."""

    def __init__(self) -> None:
        self.value: Value = ""
        self.duplicates: list[tuple[int, str]] = []
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Value, int]] = {}
        """What is known by an anchor, and of how many values it consists. A collection is known at its end,
        so that none can contain itself."""
        self._count = 0

    def take(self, event: yaml.Event) -> None:
        line: int = event.start_mark.line
        if isinstance(event, yaml.ScalarEvent):
            is_null = not event.style and event.value in _NULL
            text = "" if is_null else event.value
            self._add(text, event.anchor, 1, line)
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise YamlError(f"the alias *{event.anchor} has no anchor before it", line)
            value, size = self._anchors[event.anchor]
            self._add(value, None, size, line)
        elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            if len(self._open) == _DEEPEST:
                raise YamlError(f"lists and mappings nest more than {_DEEPEST} deep", line)
            is_list = isinstance(event, yaml.SequenceStartEvent)
            self._open.append(_Open([] if is_list else {}, event.anchor, self._count))
        elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            done = self._open.pop()
            size = self._count - done.values_before
            self._count = done.values_before
            self._add(done.value, done.anchor, size + 1, line)

    def _add(self, value: Value, anchor: str | None, size: int, line: int) -> None:
        self._count += size
        if self._count > _MOST_VALUES:
            raise YamlError(f"more than {_MOST_VALUES:,} values", line)
        if anchor is not None:
            self._anchors[anchor] = (value, size)
        if not self._open:
            self.value = value
            return
        around = self._open[-1]
        if isinstance(around.value, list):
            around.value.append(value)
        elif around.key is None:
            around.key = value if isinstance(value, str) else " ".join(strings(value))
            if around.key in around.value:
                self.duplicates.append((line, f"{around.key!r} comes twice; the last one counts"))
        else:
            around.value[around.key] = value
            around.key = None
