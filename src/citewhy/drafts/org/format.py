"""Org: ``[cite:see @key p. 3; @other]``, and LaTeX's commands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from citewhy.base.records import Manuscript
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.files import DraftFiles, text_to_edit
from citewhy.drafts.format import NEW_BIBLIOGRAPHY, CitationText, Likeness, TextFormat
from citewhy.drafts.latex import format as latex
from citewhy.drafts.markdown import format as markdown
from citewhy.text.placeholders import notes_in, says_more

_SIGN = re.compile(
    rb"^#\+(?:title|author|bibliography|options):|\[cite(?:/[\w/]+)?:@", re.MULTILINE | re.IGNORECASE
)
_KEYWORDS = re.compile(r"(?:[ \t]*#(?:\+[\w-]+:|[ \t])[^\n]*\n)*")


class OrgFormat(TextFormat):
    name = "org"
    title = "Org"
    suffixes = (".org",)
    companions = (".bib", ".json")
    mark = "[cite:@?] or [CITE]"
    comment = "#"

    def recognise(self, head: bytes, path: PurePath) -> Likeness:
        return Likeness.LIKELY if _SIGN.search(head) else Likeness.NONE

    def read(self, files: DraftFiles, root: PurePath) -> Manuscript:
        from citewhy.drafts.org import reader

        return reader.read(root, files)

    def fill(self, citation: CitationText, keys: Sequence[str]) -> Edit:
        return citation.replaced(_filled(citation, keys))

    def rename(self, citation: CitationText, old: str, new: str) -> list[Edit]:
        return citation.edits(rf"(?<=[@&:,;{{\s]){re.escape(old)}(?![\w-])", new)

    def name_bibliography(self, manuscript: Manuscript, files: DraftFiles) -> list[Edit]:
        """``#+bibliography:`` after the keywords at the beginning."""
        keywords = _KEYWORDS.match(text_to_edit(files, manuscript.path))
        offset = keywords.end() if keywords else 0
        return [Edit(manuscript.path, offset, offset, f"#+bibliography: {NEW_BIBLIOGRAPHY}\n")]


FORMAT = OrgFormat()


def _filled(citation: CitationText, keys: Sequence[str]) -> str:
    """The text of the slot with placeholders replaced; notes stay with their keys."""
    marker = citation.marker
    if marker.command == "open":  # [CITE], [?]
        style = "cite/t" if marker.in_text else "cite"
        listed = ";".join(f"@{key}" for key in keys)
        if notes := notes_in(citation.written):
            return f"[{style}:{listed} {notes.page}]"
        cited = f"[{style}:{listed}]"
        return f"{cited} {citation.written}" if says_more(citation.written, keys) else cited
    if marker.command.startswith("\\"):
        return latex.filled(citation, keys)
    if "@" not in citation.written:  # [cite:]
        return ";".join(f"@{key}" for key in keys)
    return markdown.filled(citation, keys, str)
