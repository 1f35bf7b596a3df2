"""The authors of a Markdown draft, in the many forms in which metadata list them."""

from __future__ import annotations

import re

from citewhy.text.person import from_inverted
from citewhy.text.yaml_values import Value, strings

__all__ = ["authors"]

_GIVEN = ("given", "firstname", "first_name", "first")
_FAMILY = ("family", "lastname", "last_name", "surname", "last")
_WHOLE = ("name", "literal")
_MARKS = re.compile(
    r"\^\[[^\]]{0,1000}\]|\[\^[^\]]{0,1000}\]|\^[^^]{0,1000}\^|\$[^$]{0,1000}\$|<[^>]{0,1000}>|\*"
)
"""Footnotes, superscripts, addresses and emphasis that may accompany a name."""


def authors(value: Value) -> tuple[str, ...]:
    """The names in the field ``author`` (a text, a list, or a mapping) as "First Last"."""
    if isinstance(value, str):
        names = _split(value)
    elif isinstance(value, list):
        names = [name for item in value for name in ([item] if isinstance(item, str) else _names(item))]
    else:
        names = _names(value)
    plain = (" ".join(_MARKS.sub("", name).split()) for name in names)
    return tuple(from_inverted(name) for name in plain if name)


def _split(text: str) -> list[str]:
    text = " ".join(text.split())
    parts = re.split(r" ?[;&] ?| and ", text)
    return text.split(",") if len(parts) == 1 and text.count(",") > 1 else parts  # "Ann Lee, Bo Li, Cy Ng"


def _names(item: Value) -> list[str]:
    """The names in one item of a list of authors."""
    if isinstance(item, str):
        return [item]
    if isinstance(item, list):
        return [name for part in item for name in _names(part)]
    given, family = _first(item, _GIVEN), _first(item, _FAMILY)
    if family:
        return [f"{given} {family}"]
    for field in _WHOLE:
        if item.get(field):
            return _names(item[field])
    # "Ann Lee: {institute: x}": the key is the name.
    return [name for name, value in item.items() if isinstance(value, dict | list)] or [given]


def _first(item: dict[str, Value], fields: tuple[str, ...]) -> str:
    return next((" ".join(strings(item[field])) for field in fields if item.get(field)), "")
