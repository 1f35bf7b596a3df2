"""Pandoc's Markdown: ``[see @key, p. 3; @other]``, ``@key`` in the sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePath

from citewhy.base.errors import InputError
from citewhy.base.records import Manuscript
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.files import DraftFiles, text_to_edit
from citewhy.drafts.format import NEW_BIBLIOGRAPHY, CitationText, KeyPlan, Likeness, TextFormat
from citewhy.drafts.latex import format as latex
from citewhy.text.placeholders import notes_in, says_more

_SIGN = re.compile(rb"\A---[ \t]*\r?\n|^#{1,6} \S|(?<![\w@])@[A-Za-z][\w:-]*\d{4}|\[@", re.MULTILINE)
_BARE_KEY = r"\w(?:\w|[:.#$%&+?<>~/-](?=\w))*"
_KEY = re.compile(rf"(?<![\w\\])@(?P<key>\{{[^{{}}]*\}}|{_BARE_KEY}|\?*)")


class MarkdownFormat(TextFormat):
    name = "markdown"
    title = "Markdown"
    suffixes = (".md", ".markdown", ".mdown", ".qmd", ".rmd")
    companions = (".bib", ".yaml", ".yml", ".toml", ".json", ".ris")
    mark = "[@?] or [CITE]"
    comment = "<!--"

    def recognise(self, head: bytes, path: PurePath) -> Likeness:
        return Likeness.POSSIBLE if _SIGN.search(head) else Likeness.NONE

    def read(self, files: DraftFiles, root: PurePath) -> Manuscript:
        from citewhy.drafts.markdown import reader

        return reader.read(root, files)

    def fill(self, citation: CitationText, keys: Sequence[str]) -> Edit:
        if citation.marker.command not in {"@", "open"}:  # \\citep{a,b}, {cite:p}`a,b`
            return citation.replaced(latex.filled(citation, keys))
        if "@" not in citation.whole and (notes := notes_in(citation.whole)):
            cited = "; ".join(f"@{braced(key)}" for key in keys)
            text = f"{cited} [{notes.page}]" if citation.marker.in_text else f"[{cited}, {notes.page}]"
            return citation.replaced(text, citation.marker.place)
        if "@" not in citation.whole and says_more(citation.whole, keys):
            cited = "; ".join(f"@{braced(key)}" for key in keys)
            cited = cited if citation.marker.in_text else f"[{cited}]"
            return citation.replaced(f"{cited} {citation.whole}", citation.marker.place)
        if "@" not in citation.written and citation.marker.in_text:  # [CITE] shows: brackets and all
            return citation.replaced("; ".join(f"@{braced(key)}" for key in keys), citation.marker.place)
        return citation.replaced(filled(citation, keys, braced))

    def rename(self, citation: CitationText, old: str, new: str) -> list[Edit]:
        name = re.escape(old)
        if citation.marker.command not in {"@", "open"}:
            return citation.edits(rf"(?<=[{{`,\s]){name}(?=\s*[}},`])", new)
        return citation.edits(rf"@(?:\{{{name}\}}|{name}(?!\w))", f"@{braced(new)}")

    def name_bibliography(self, manuscript: Manuscript, files: DraftFiles) -> list[Edit]:
        """A field of the metadata. Raises InputError for a chapter of a bookdown project other than the
        first: its metadata would end up in the middle of the book."""
        from citewhy.drafts.markdown.projects import first_chapter

        path = files.normal(files.path(manuscript.path))
        first = first_chapter(files, path.parent)
        if first is not None and path != first:
            raise InputError(
                "the project names no bibliography that can be read, and a chapter gets none of its own",
                path=files.name(first),
                hint=f"add a line to its metadata: bibliography: {NEW_BIBLIOGRAPHY}",
            )
        return [_in_metadata(manuscript, text_to_edit(files, manuscript.path))]


FORMAT = MarkdownFormat()


def _in_metadata(manuscript: Manuscript, text: str) -> Edit:
    line = f"bibliography: {NEW_BIBLIOGRAPHY}\n"
    fence = re.match(r"---[ \t]*(?:\r\n|\r|\n)", text)
    end = re.search(r"^(?:---|\.\.\.)[ \t]*\r?$", text[fence.end() :], re.MULTILINE) if fence else None
    if fence and end:
        bare = re.compile(r"^bibliography:(?=[ \t]*\r?$)", re.MULTILINE)
        if field := bare.search(text, fence.end(), fence.end() + end.start()):
            return Edit(manuscript.path, field.end(), field.end(), f" {NEW_BIBLIOGRAPHY}")
        return Edit(manuscript.path, fence.end(), fence.end(), line)
    return Edit(manuscript.path, 0, 0, f"---\n{line}---\n\n")


def filled(citation: CitationText, keys: Sequence[str], spelled: Callable[[str], str]) -> str:
    """The text of the slot with placeholders replaced; notes stay with their keys. `spelled` returns a key as
    it is written after ``@``."""
    written = citation.written
    items = list(_KEY.finditer(written))
    if not items:
        added = "; ".join(f"@{spelled(key)}" for key in keys)
        return f"[{added}]" if written.startswith(("(", "<")) else added  # (CITE), <!-- cite -->; [?], [CITE]
    names = [item["key"].strip("{}") for item in items]
    elsewhere = {key for key in citation.marker.keys if key not in names}  # outside of the slot
    new = [spelled(key) for key in keys if key not in elsewhere]
    if not new and len(items) == 1:
        new = [spelled(key) for key in keys]  # all are cited outside the slot, which must not become empty
    return _with_notes(written, items, KeyPlan(citation.manuscript, names, new))


def _with_notes(written: str, items: Sequence[re.Match[str]], plan: KeyPlan) -> str:
    out: list[str] = []
    done = 0
    for position, item in enumerate(items):
        new = plan.replaced.get(position)
        before = written[done : item.start()]
        if new is not None and not new and len(items) > 1 and before.strip() in {"", ";"}:
            next_start = items[position + 1].start() if position + 1 < len(items) else None
            following = written[item.end() : next_start]
            if following.strip() in {"", ";"}:  # a bare placeholder goes with its semicolon
                done = items[position + 1].start() if position == 0 else item.end()
                continue
        out += [before, "; ".join(f"@{key}" for key in new) if new else item[0]]
        done = item.end()
    rest = "".join([*out, written[done:]])
    return rest + "".join(f"; @{key}" for key in plan.added)


def braced(key: str) -> str:
    """A key as it is written after ``@``: one that starts or ends with punctuation needs braces."""
    return key if re.fullmatch(_BARE_KEY, key) else f"{{{key}}}"
