"""Formats of other packages: objects that entry points name, imported and checked once."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Generic, NamedTuple, TypeVar

from citewhy.base.errors import InputError

F = TypeVar("F")


class Added(NamedTuple, Generic[F]):
    """Holds the formats that the entry points of other packages name."""

    formats: dict[str, F]
    broken: dict[str, InputError]
    """Why formats cannot be used, by name."""


def load_added(group: str, what: str, own: Collection[str], fault: Callable[[F, str], str]) -> Added[F]:
    """Imports what the entry points in `group` name, in the order of the names.

    A name in `own`, those of CiteWhy's formats, is passed over. `fault` says why an object is no format of a
    name, and is empty if it is one; `what` is what errors call such a format.
    """
    from importlib.metadata import entry_points

    added: Added[F] = Added({}, {})
    points = {(point.name, point.value): point for point in entry_points(group=group)}
    targets: dict[str, list[str]] = {}
    for name, target in sorted(points):
        targets.setdefault(name, []).append(target)
    for name in sorted(targets.keys() - set(own)):
        form: F | None = None
        if len(targets[name]) > 1:
            why = "is provided by several packages"
        else:
            try:
                form = points[name, targets[name][0]].load()
                why = fault(form, name)
            except Exception as error:  # whatever a stranger's module raises when it is imported
                why = f"cannot be imported ({type(error).__name__}: {error})"
        if form is None or why:
            hint = f"check the installation of the package that provides {' and '.join(targets[name])}"
            added.broken[name] = InputError(f"the {what} {name!r} {why}", hint=hint)
        else:
            added.formats[name] = form
    return added
