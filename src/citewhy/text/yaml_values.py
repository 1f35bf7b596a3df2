"""YAML as text, lists and mappings, with bounded size and depth.

PyYAML parses it; scalars stay text as written, so that the title ``No`` is not false and ``1.10`` is not 1.1.
Tags are ignored, so that no file can name a Python object.
"""

from __future__ import annotations

from dataclasses import dataclass

import yaml

Value = str | list["Value"] | dict[str, "Value"]
"""``null`` and missing values are empty texts."""

_DEEPEST = 50
"""Maximum nesting of lists and mappings; real metadata have four or five levels."""

_MOST_VALUES = 1_000_000
"""Maximum number of values in a document; what an alias refers to is counted for every alias."""

_NULL = frozenset({"", "~", "null", "Null", "NULL"})

_Loader: type = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""libyaml if PyYAML was built with it: ten times as fast."""


class YamlError(Exception):
    """A text is not valid YAML: the problem and its line (from 0)."""

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


def load(text: str) -> tuple[Value, list[tuple[int, str]]]:
    """The value of the first document in a text, and its duplicate keys as lines (from 0) with messages.

    Of duplicate keys the last counts. Raises YamlError.
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
        raise YamlError("control character", text.count("\n", 0, error.position)) from error
    return builder.value, builder.duplicates


def strings(value: Value) -> list[str]:
    """All texts in a value, in order, except empty ones and the keys of mappings."""
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
    """A list or mapping under construction."""

    value: list[Value] | dict[str, Value]
    anchor: str | None
    values_before: int
    key: str | None = None
    """The key whose value comes next; None if a key comes next."""


class _Builder:
    """Builds a value from the parser's events."""

    def __init__(self) -> None:
        self.value: Value = ""
        self.duplicates: list[tuple[int, str]] = []
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Value, int]] = {}
        """Each anchor's value and size. Lists and mappings are added at their end: none contains itself."""
        self._count = 0

    def take(self, event: yaml.Event) -> None:
        line: int = event.start_mark.line
        if isinstance(event, yaml.ScalarEvent):
            is_null = not event.style and event.value in _NULL
            text = "" if is_null else event.value
            self._add(text, event.anchor, 1, line)
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise YamlError(f"undefined alias *{event.anchor}", line)
            value, size = self._anchors[event.anchor]
            self._add(value, None, size, line)
        elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            if len(self._open) == _DEEPEST:
                raise YamlError(f"more than {_DEEPEST} levels of nesting", line)
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
                self.duplicates.append((line, f"duplicate key {around.key!r}; the last value counts"))
        else:
            around.value[around.key] = value
            around.key = None
