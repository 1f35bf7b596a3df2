"""Edits that fill an open citation with keys, in the syntax of the draft."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citewhy.base.errors import EditConflictError, QueryError
from citewhy.base.records import Manuscript, Marker, Place
from citewhy.drafts.edit import latex, markdown, org, typst
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.files import DISK, DraftFiles, read_content
from citewhy.text.source import decode

__all__ = ["fill", "is_key", "rename"]

_KEY = re.compile(r"[^\s,;{}()\[\]%#~\\\"'@<>]+")


def is_key(key: str) -> bool:
    """Whether an edit can write it as the key of an entry and of a citation."""
    return _KEY.fullmatch(key) is not None


def fill(manuscript: Manuscript, marker: Marker, keys: Sequence[str], files: DraftFiles = DISK) -> Edit:
    """The edit that makes `marker` cite `keys` in addition to those that it already cites.

    Placeholders are replaced where they stand, with their notes kept: ``\\cite{TODO,known}`` becomes
    ``\\cite{key,known}``, ``[@?, p. 3]`` becomes ``[@key, p. 3]``. Without a placeholder, the first undefined
    key gives way if the draft has a bibliography. ``\\citeneeded`` and ``[CITE]`` become the citation command
    that the draft uses most, in brackets or as a part of the sentence; in Markdown ``[@]``, ``[?]`` and
    ``[CITE]`` become ``[@key]``, or ``@key``; in Typst ``@key``, or ``#cite(<key>, form: "prose")``; in Org
    ``[cite:@key]``, or ``[cite/t:@key]``.

    `files` are the draft's files. Raises QueryError if the marker cannot be edited (it comes from a macro) or
    a key contains invalid characters; EditConflictError if the marker is no longer in the file.
    """
    for key in keys:
        if not is_key(key):
            raise QueryError(f"{key!r} is not a valid citation key")
    if not keys:
        raise QueryError("no citation keys given")
    if marker.slot is None:
        raise QueryError(
            f"the citation in {marker.place.file}, line {marker.place.line}, cannot be edited",
            hint="it comes from a macro or a link, or has notes between its keys; edit it by hand",
        )
    new = list(dict.fromkeys(keys))
    written = _written(files, manuscript, marker, marker.slot)
    slot = marker.slot
    match manuscript.format:
        case "latex":
            text = latex.filled(manuscript, marker, written, new)
        case "markdown" if "@" not in written and marker.in_text:
            slot, text = marker.place, "; ".join(f"@{markdown.braced(key)}" for key in new)
        case "markdown":
            text = markdown.filled(manuscript, marker, written, new)
        case "org":
            text = org.filled(manuscript, marker, written, new)
        case "typst":
            following = _text(files, slot.file)[slot.end : slot.end + 2]
            text = typst.filled(manuscript, marker, written, new, following)
        case "plain":
            text = f"[{'; '.join(new)}]" if marker.slot == marker.place else "; ".join(new)
    return Edit(slot.file, slot.start, slot.end, text)


def rename(manuscript: Manuscript, marker: Marker, old: str, new: str, files: DraftFiles = DISK) -> Edit:
    """The edit that writes the key `new` where `marker` has `old`, and nothing else. Raises as `fill`."""
    place = marker.place
    written = _written(files, manuscript, marker, place)
    name = re.escape(old)
    in_braces = rf"(?<=[{{,\s]){name}(?=\s*[}},%])"
    pattern, text = {
        "latex": (in_braces, new),
        "markdown": (rf"@(?:\{{{name}\}}|{name}(?!\w))", f"@{markdown.braced(new)}"),
        "org": (rf"(?<=[@&:,;{{\s]){name}(?![\w-])", new),
        "typst": (rf"(?<=[@<\"]){name}(?![\w-])", new),
        "plain": ("(?!)", ""),
    }[manuscript.format]
    found = re.search(pattern, written)
    if found is None or (manuscript.format == "typst" and not typst.is_label(new)):
        raise QueryError(
            f"the key {old!r} in {place.file}, line {place.line}, cannot be edited",
            hint="it comes from a macro; edit it by hand",
        )
    return Edit(place.file, place.start + found.start(), place.start + found.end(), text)


def _written(files: DraftFiles, manuscript: Manuscript, marker: Marker, part: Place) -> str:
    """The text of a part of the marker. Raises EditConflictError if the marker is not where it was."""
    text = _text(files, marker.place.file)
    whole = text[marker.place.start : marker.place.end]
    command = "" if marker.command == "open" else f"\\{marker.command}"
    if (manuscript.format == "latex" and not whole.startswith(command)) or any(
        key not in whole for key in marker.keys
    ):
        raise EditConflictError(
            "the citation is no longer where it was",
            path=marker.place.file,
            line=marker.place.line,
            hint="read the draft again",
        )
    return text[part.start : part.end]


def _text(files: DraftFiles, name: str) -> str:
    return decode(read_content(files, files.path(name)))[0]
