"""Citations as an edit writes them in Typst: ``@key``, ``#cite(<key>, form: "prose")``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citewhy.base.records import Manuscript, Marker
from citewhy.drafts.placeholders import is_placeholder

__all__ = ["filled", "is_label"]

_LABEL = re.compile(r"[\w.:-]*[\w-]")
_REFERENCE = re.compile(r"@(?P<key>[\w.:-]*[\w-]|\?*)")
_IN_CITE = re.compile(r"<(?P<key>[^<>\s]*)>")


def is_label(key: str) -> bool:
    """Whether a key can be written as ``@key`` and ``<key>``."""
    return _LABEL.fullmatch(key) is not None


def filled(manuscript: Manuscript, marker: Marker, written: str, keys: Sequence[str], following: str) -> str:
    """The citation `written` with the keys in place of its placeholder or first undefined key; its supplement
    stays. `following` are the characters after it."""
    shape = _IN_CITE if marker.command == "cite" else _REFERENCE
    old = shape.search(written)
    defined = {reference.key for reference in manuscript.references}
    new = [key for key in keys if key not in marker.keys] or list(keys)
    if old is None:  # [CITE], [?]
        return _several(new, in_text=marker.in_text, following=following)
    if not is_placeholder(old["key"]) and (old["key"] in defined or not defined or manuscript.unread):
        return written + "".join(f" {_one(key)}" for key in new)
    first, *others = new
    rest = written[old.end() :]
    if marker.command == "cite":
        text = f"{written[: old.start()]}{_label(first)}{rest}"
    elif is_label(first) or not rest:
        text = f"{_one(first, rest or following)}{rest}"
    else:
        text = f"#cite({_label(first)}, supplement: {rest})"
    return text + "".join(f" {_one(key)}" for key in others)


def _several(keys: Sequence[str], *, in_text: bool, following: str) -> str:
    if in_text:
        cited = [f'#cite({_label(key)}, form: "prose")' for key in keys]
        return " ".join(cited) + _end_of_call(following)
    *others, last = keys
    return " ".join([*map(_one, others), _one(last, following)])


def _one(key: str, following: str = "") -> str:
    """``@key``; as a call where the following characters would be read as a part of the key."""
    glued = re.match(r"[\w-]|[.:]\w", following) is not None
    if is_label(key) and not glued:
        return f"@{key}"
    return f"#cite({_label(key)}){_end_of_call(following)}"


def _end_of_call(following: str) -> str:
    """What separates a call from characters that would continue it."""
    return ";" if re.match(r"[\[(]|\.\w", following) else ""


def _label(key: str) -> str:
    return f"<{key}>" if is_label(key) else f'label("{key}")'
