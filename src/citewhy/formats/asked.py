"""Records of foreign formats as their readers see them: what a reader asks for is kept, and all the rest is
counted. That no field is lost without a word is thus no matter of lists that somebody has to keep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from citewhy.text.tidy import tidy

__all__ = ["Node", "Row"]


class Row:
    """An object of JSON, a line of a table, an item of a database: values by name.

    Empty values count as not there. A value of another kind than the one asked for stays unasked.
    """

    __slots__ = ("_asked", "_below", "_values", "_whole")

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._whole = ""
        self._asked: set[str] = set()
        self._below: list[tuple[str, Row]] = []

    def __contains__(self, name: str) -> bool:
        return not _is_empty(self._values.get(name))

    def names(self) -> list[str]:
        """All names, in their order."""
        return list(self._values)

    def peek(self, name: str) -> Any:
        """A value that decides something and is not kept by that; None where there is none."""
        return self._values.get(name)

    def value(self, name: str) -> Any:
        """A value of any kind; None where there is none."""
        self._asked.add(name)
        return self._values.get(name)

    def drop(self, *names: str) -> None:
        """Fields that say nothing: addresses of the service that answered, counts of what is there anyway."""
        self._asked.update(names)

    def leave_whole(self, name: str) -> None:
        """The object as a whole is not kept, and counts under this name."""
        self._whole = name

    def text(self, name: str) -> str:
        """Text or a number, tidy; empty for anything else."""
        value = self._values.get(name)
        if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            self._asked.add(name)
            return tidy(str(value))
        return ""

    def first(self, *names: str) -> str:
        """The first of several texts that is there; those after it are not asked for."""
        return next((text for name in names if (text := self.text(name))), "")

    def texts(self, name: str) -> list[str]:
        """The texts of a list, tidy, without what is no text; a single text is a list of one."""
        value = self._values.get(name)
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list):
            return []
        self._asked.add(name)
        return [text for one in value if isinstance(one, str) and (text := tidy(one))]

    def row(self, name: str) -> Row:
        """The object under `name`; one without values where there is none. Its fields count by themselves."""
        value = self._values.get(name)
        inside = Row(value if isinstance(value, dict) else {})
        if isinstance(value, dict):
            self._asked.add(name)
            self._below.append((name, inside))
        return inside

    def rows(self, name: str) -> list[Row]:
        """The objects of a list; a single object is a list of one."""
        value = self._values.get(name)
        if isinstance(value, dict):
            value = [value]
        if not isinstance(value, list):
            return []
        self._asked.add(name)
        found = [Row(one) for one in value if isinstance(one, dict)]
        self._below.extend((name, one) for one in found)
        return found

    def entries(self, name: str) -> list[tuple[str, Row]]:
        """The objects of an object whose names are keys."""
        value = self._values.get(name)
        if not isinstance(value, dict):
            return []
        self._asked.add(name)
        found = [(key, Row(one)) for key, one in value.items() if isinstance(one, dict)]
        self._below.extend((name, one) for _, one in found)
        return found

    def not_kept(self) -> set[str]:
        """Names of the values that nobody asked for; those of inner objects as ``outer.inner``."""
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
    """A record as an element of XML. Elements are named without namespaces; attributes do not count."""

    __slots__ = ("_kept", "_touched", "root")

    def __init__(self, root: Any) -> None:
        self.root = root
        self._kept: set[Any] = set()
        self._touched: set[Any] = {root}

    def keep(self, element: Any) -> None:
        """Marks an element, with all below it, as asked for."""
        self._kept.add(element)
        above = element.getparent()
        while above is not None and above not in self._touched:
            self._touched.add(above)
            above = above.getparent()

    def found(self, path: str, inside: Any = None) -> list[Any]:
        """All elements under a path, not yet asked for."""
        place = self.root if inside is None else inside
        return list(place.iterfind(path))

    def text(self, path: str, inside: Any = None) -> str:
        """The tidy text of the first element under a path that has any; empty where none has."""
        for element in self.found(path, inside):
            if text := tidy("".join(element.itertext())):
                self.keep(element)
                return text
        return ""

    def texts(self, path: str, inside: Any = None) -> list[str]:
        """The tidy texts of all elements under a path, without empty ones."""
        texts = []
        for element in self.found(path, inside):
            self.keep(element)
            if text := tidy("".join(element.itertext())):
                texts.append(text)
        return texts

    def first(self, *paths: str) -> str:
        """The text under the first of several paths that has one; those after it are not asked for."""
        return next((text for path in paths if (text := self.text(path))), "")

    def not_kept(self) -> set[str]:
        """Paths of the elements with text that nobody asked for; of a whole branch, its highest."""
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
