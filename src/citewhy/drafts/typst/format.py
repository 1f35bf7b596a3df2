"""Typst: ``@key[p. 3]``, ``#cite(<key>, form: "prose")``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from citewhy.base.errors import InputError
from citewhy.base.records import Manuscript
from citewhy.drafts.edit.bibliography_file import BIBTEX, HAYAGRIVA
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.files import DraftFiles, text_to_edit
from citewhy.drafts.format import NEW_BIBLIOGRAPHY, CitationText, Likeness, TextFormat
from citewhy.text.placeholders import is_placeholder, notes_in, says_more

_SIGN = re.compile(rb"^#(?:set|show|let|import|bibliography|include)\b", re.MULTILINE)
_BIBLIOGRAPHY = re.compile(r"^(?![ \t]*//).*?(?<![\w-])bibliography[ \t]*\(", re.MULTILINE)
"""A call, not in a comment of its own line."""

_LABEL = re.compile(r"[\w.:-]*[\w-]")
_REFERENCE = re.compile(r"@(?P<key>[\w.:-]*[\w-]|\?*)")
_IN_CITE = re.compile(r"<(?P<key>[^<>\s]*)>")


class TypstFormat(TextFormat):
    name = "typst"
    title = "Typst"
    suffixes = (".typ",)
    companions = (".bib", ".yml", ".yaml")
    mark = "@TODO or [CITE]"
    comment = "//"
    bibliographies = (HAYAGRIVA, BIBTEX)

    def recognise(self, head: bytes, path: PurePath) -> Likeness:
        return Likeness.LIKELY if _SIGN.search(head) else Likeness.NONE

    def read(self, files: DraftFiles, root: PurePath) -> Manuscript:
        from citewhy.drafts.typst import reader

        return reader.read(root, files)

    def fill(self, citation: CitationText, keys: Sequence[str]) -> Edit:
        return citation.replaced(_filled(citation, keys))

    def rename(self, citation: CitationText, old: str, new: str) -> list[Edit]:
        if not _is_label(new):
            return []
        return citation.edits(rf"(?<=[@<\"]){re.escape(old)}(?![\w-])", new)

    def name_bibliography(self, manuscript: Manuscript, files: DraftFiles) -> list[Edit]:
        """``#bibliography`` at the end. Raises InputError if the draft has one that is not the name of a
        file: Typst does not compile a document with two, even if it cannot be told what is in one."""
        for name in manuscript.files:
            text = text_to_edit(files, name)
            if call := _BIBLIOGRAPHY.search(text):
                raise InputError(
                    "the bibliography is not named as a .bib or .yml file, and Typst allows no second one",
                    path=name,
                    line=text.count("\n", 0, call.end()) + 1,
                    hint='name such a file: #bibliography("references.bib")',
                )
        text = text_to_edit(files, manuscript.path)
        line = f'\n#bibliography("{NEW_BIBLIOGRAPHY}")\n'
        return [Edit(manuscript.path, len(text), len(text), line if text.endswith("\n") else f"\n{line}")]


FORMAT = TypstFormat()


def _is_label(key: str) -> bool:
    """Whether a key can be written as ``@key`` and ``<key>``."""
    return _LABEL.fullmatch(key) is not None


def _filled(citation: CitationText, keys: Sequence[str]) -> str:
    """The text of the citation with the keys in place of its placeholder or first undefined key; its
    supplement stays."""
    manuscript, marker, written = citation.manuscript, citation.marker, citation.written
    following = citation.following(2)
    old = (_IN_CITE if marker.command == "cite" else _REFERENCE).search(written)
    defined = {reference.key for reference in manuscript.references}
    new = [key for key in keys if key not in marker.keys] or list(keys)
    if old is None:  # [CITE], [?]
        if (notes := notes_in(written)) and not marker.in_text:
            return f"{_several(new, in_text=False, following='')}[{notes.page}]"
        if says_more(marker.note or written, new):
            return f"{_several(new, in_text=marker.in_text, following=' ')} {written}"
        return _several(new, in_text=marker.in_text, following=following)
    if not is_placeholder(old["key"]) and (old["key"] in defined or not defined or manuscript.unread):
        return written + "".join(f" {_one(key)}" for key in new)
    first, *others = new
    rest = written[old.end() :]
    if marker.command == "cite":
        text = f"{written[: old.start()]}{_label(first)}{rest}"
    elif _is_label(first) or not rest:
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
    if _is_label(key) and not glued:
        return f"@{key}"
    return f"#cite({_label(key)}){_end_of_call(following)}"


def _end_of_call(following: str) -> str:
    """A semicolon if the `following` characters would continue a call; else nothing."""
    return ";" if re.match(r"[\[(]|\.\w", following) else ""


def _label(key: str) -> str:
    return f"<{key}>" if _is_label(key) else f'label("{key}")'
