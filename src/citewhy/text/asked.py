"""Foreign records with accounting: what a reader asks for counts as kept, everything else is counted as
dropped.

So no list of dropped fields has to be maintained by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from citewhy.text.tidy import tidy

__all__ = ["Node", "Row"]


class Row:
    """A JSON object, a row of a table or an item of a database: values by name. Empty values count as
    missing. A value of another type than requested counts as not asked for."""

    __slots__ = ("_asked", "_below", "_values", "_whole")

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._whole = ""
        self._asked: set[str] = set()
        self._below: list[tuple[str, Row]] = []

    def __contains__(self, name: str) -> bool:
        return name in self._values and not _is_empty(self._values[name])

    @property
    def values(self) -> Mapping[str, Any]:
        """All values as they are, without counting as asked for."""
        return self._values

    def names(self) -> list[str]:
        """All names, in order."""
        return list(self._values)

    def peek(self, name: str) -> Any:
        """A value that is looked at but not kept; None if it is missing."""
        return self._values.get(name)

    def value(self, name: str) -> Any:
        """A value of any type; None if it is missing."""
        self._asked.add(name)
        return self._values.get(name)

    def drop(self, *names: str) -> None:
        """Marks fields without information as asked for, such as URLs of the service that answered, or
        counts."""
        self._asked.update(names)

    def leave_whole(self, name: str) -> None:
        """Counts the object as a whole as not kept, under this name."""
        self._whole = name

    def text(self, name: str) -> str:
        """Text or a number as a tidy string; empty for values of other types."""
        value = self._values.get(name)
        if value is None:
            return ""
        if isinstance(value, str):
            self._asked.add(name)
            return tidy(value)
        if isinstance(value, int) and not isinstance(value, bool):
            self._asked.add(name)
            return str(value)
        return ""

    def first(self, *names: str) -> str:
        """The first of several texts that is present; later ones are not asked for."""
        for name in names:
            if name in self._values and (text := self.text(name)):
                return text
        return ""

    def texts(self, name: str) -> list[str]:
        """The texts of a list, tidy, without values of other types; a single text counts as a list of one."""
        value = self._values.get(name)
        if value is None:
            return []
        if isinstance(value, str):
            self._asked.add(name)
            text = tidy(value)
            return [text] if text else []
        if not isinstance(value, list):
            return []
        self._asked.add(name)
        return [text for one in value if isinstance(one, str) and (text := tidy(one))]

    def row(self, name: str) -> Row:
        """The object under `name`, or an empty one. Its fields are counted separately."""
        value = self._values.get(name)
        inside = Row(value if isinstance(value, dict) else {})
        if isinstance(value, dict):
            self._asked.add(name)
            self._below.append((name, inside))
        return inside

    def rows(self, name: str) -> list[Row]:
        """The objects of a list; a single object counts as a list of one."""
        value = self._values.get(name)
        if isinstance(value, dict):
            value = [value]
        if not isinstance(value, list):
            return []
        self._asked.add(name)
        rows = [Row(one) for one in value if isinstance(one, dict)]
        self._below.extend((name, one) for one in rows)
        return rows

    def entries(self, name: str) -> list[tuple[str, Row]]:
        """The values of an object whose names are keys of objects."""
        value = self._values.get(name)
        if not isinstance(value, dict):
            return []
        self._asked.add(name)
        entries = [(key, Row(one)) for key, one in value.items() if isinstance(one, dict)]
        self._below.extend((name, one) for _, one in entries)
        return entries

    def not_kept(self) -> set[str]:
        """Names of the values that were not asked for; those of nested objects as ``outer.inner``."""
        if self._whole:
            return {self._whole}
        names = {
            name for name, value in self._values.items() if name not in self._asked and not _is_empty(value)
        }
        for outer, inside in self._below:
            names.update(f"{outer}.{name}" for name in inside.not_kept())
        return names


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str | list | dict | tuple) and not value)


class Node:
    """A record as an XML element. Elements are named without namespaces; attributes are not counted."""

    __slots__ = ("_kept", "_touched", "root")

    def __init__(self, root: Any) -> None:
        self.root = root
        self._kept: set[Any] = set()
        self._touched: set[Any] = {root}

    def keep(self, element: Any) -> None:
        """Marks an element and everything below it as asked for."""
        self._kept.add(element)
        above = element.getparent()
        while above is not None and above not in self._touched:
            self._touched.add(above)
            above = above.getparent()

    def elements(self, path: str, inside: Any = None) -> list[Any]:
        """All elements under a path, without marking them."""
        place = self.root if inside is None else inside
        return list(place.iterfind(path))

    def text(self, path: str, inside: Any = None) -> str:
        """The tidy text of the first element under a path that has text; empty if none has."""
        for element in self.elements(path, inside):
            if text := tidy("".join(element.itertext())):
                self.keep(element)
                return text
        return ""

    def texts(self, path: str, inside: Any = None) -> list[str]:
        """The tidy texts of all elements under a path, without empty ones."""
        texts = []
        for element in self.elements(path, inside):
            self.keep(element)
            if text := tidy("".join(element.itertext())):
                texts.append(text)
        return texts

    def first(self, *paths: str) -> str:
        """The text under the first of several paths that has one; later paths are not asked for."""
        return next((text for path in paths if (text := self.text(path))), "")

    def not_kept(self) -> set[str]:
        """Paths of the elements with text that were not asked for; for a whole subtree, only its root."""
        return set(self._left(self.root, ""))

    def _left(self, element: Any, above: str) -> Iterator[str]:
        for child in element:
            if child in self._kept or not isinstance(child.tag, str):
                continue
            path = f"{above}{child.tag}"
            if child in self._touched:
                yield from self._left(child, f"{path}/")
            elif any(text.strip() for text in child.itertext()):
                yield path
