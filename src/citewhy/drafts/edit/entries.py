"""Edits that add entries to the bibliography of a draft, and name a new one in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from citewhy.base.errors import InputError
from citewhy.base.records import DraftFormat, Manuscript
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.files import DISK, DraftFiles, read_content
from citewhy.drafts.markdown.projects import first_chapter
from citewhy.text.source import decode

__all__ = ["add_entries", "bibliography_for", "is_hayagriva"]

_COMMENT = re.compile(r"(?<!\\)%[^\n\r]*")
_NEW_BIBLIOGRAPHY = "references.bib"
_TYPST_BIBLIOGRAPHY = re.compile(r"^(?![ \t]*//).*?(?<![\w-])bibliography[ \t]*\(", re.MULTILINE)
"""A call in Typst, not in a comment of its own line."""


def _text(files: DraftFiles, name: str) -> str:
    return decode(read_content(files, files.path(name)))[0]


def add_entries(manuscript: Manuscript, entries: Sequence[str], files: DraftFiles = DISK) -> list[Edit]:
    """The edits that append `entries`, in the format of `bibliography_for`, to the first bibliography of the
    draft that has entries.

    If the draft names no bibliography, ``references.bib`` is created beside its root and named in it: by
    ``\\bibliography{references}`` before ``\\end{document}`` (``\\addbibresource`` if the draft loads
    biblatex), in the metadata of a Markdown or Org draft, by ``#bibliography`` at the end of one in Typst.
    Raises InputError for a LaTeX draft that contains its reference list (``thebibliography``), for one in
    Typst whose bibliography is of another format or computed, for a chapter of a bookdown project that names
    none, and as `bibliography_for`.
    """
    if not entries:
        return []
    bibliography = bibliography_for(manuscript, files)
    if bibliography is not None:
        return [_append(files, files.path(bibliography), entries)]
    new = _append(files, files.path(manuscript.path).parent / _NEW_BIBLIOGRAPHY, entries)
    text = _text(files, manuscript.path)
    if manuscript.format == "latex":
        return [
            new,
            *_name_in_latex(files, manuscript, _COMMENT.sub(lambda found: " " * len(found[0]), text)),
        ]
    if manuscript.format == "typst":
        _refuse_second_in_typst(files, manuscript)
    if manuscript.format == "markdown":
        _refuse_in_a_chapter(files, manuscript)
    name = {"markdown": _name_in_markdown, "typst": _name_in_typst, "org": _name_in_org}.get(
        manuscript.format
    )
    return [new] if name is None else [new, name(manuscript, text)]


def bibliography_for(manuscript: Manuscript, files: DraftFiles = DISK) -> str | None:
    """The file that new entries go into: the first bibliography with entries, rather than one that only
    defines abbreviations (``@string``) or is missing; None if the draft names none. It is BibTeX, or
    Hayagriva's YAML (`is_hayagriva`).

    Raises InputError if all are missing though the draft cites from them: they are elsewhere, and a new file
    of the same name would hide them. Also if all are of other formats.
    """
    named = tuple(path for path in manuscript.bibliographies if _is_edited(path, manuscript.format))
    if manuscript.bibliographies and not named:
        raise InputError(
            "the bibliography is neither BibTeX nor Hayagriva's YAML, and nothing is added to it",
            path=manuscript.bibliographies[0],
            hint="name a .bib file in the draft, beside it or in its place",
        )
    holding = {reference.place.file for reference in manuscript.references if reference.place}
    there = [path for path in named if files.is_file(files.path(path)) and path not in manuscript.unread]
    if named and not there and _cites(manuscript):
        raise InputError(
            "the bibliography is missing, and nothing is written while it is",
            path=named[0],
            hint="put the file there, or name the right one in the draft",
        )
    return next((path for path in there if path in holding), (*there, *named, None)[0])


def is_hayagriva(bibliography: str) -> bool:
    """Whether a bibliography of a Typst draft is Hayagriva's YAML, by its name."""
    return bibliography.lower().endswith((".yml", ".yaml"))


def _is_edited(bibliography: str, form: DraftFormat) -> bool:
    if is_hayagriva(bibliography):  # of other drafts, CSL in YAML
        return form == "typst"
    return not bibliography.lower().endswith((".json", ".ris"))


def _cites(manuscript: Manuscript) -> bool:
    """Does the draft have any key?"""
    return any(
        marker.keys
        for paragraph in manuscript.paragraphs
        for sentence in paragraph.sentences
        for marker in sentence.markers
    )


def _append(files: DraftFiles, bibliography: PurePath, entries: Sequence[str]) -> Edit:
    text = _text(files, files.name(bibliography)) if files.is_file(bibliography) else ""
    blank = text[-4:].replace("\r\n", "\n")
    space = "" if not text or blank.endswith("\n\n") else "\n" if blank.endswith(("\n", "\r")) else "\n\n"
    added = space + "\n".join(entry.strip() + "\n" for entry in entries)
    return Edit(files.name(bibliography), len(text), len(text), added)


def _name_in_latex(files: DraftFiles, manuscript: Manuscript, shown: str) -> list[Edit]:
    """Edits that name the new file in the root; `shown` is its text with comments blanked."""
    if manuscript.references:
        raise InputError(
            "the draft contains its own reference list",
            path=manuscript.path,
            hint="move them to a .bib file, name it with \\bibliography{…} and try again",
        )
    all_files = shown + "".join(_text(files, name) for name in manuscript.files[1:])
    if re.search(r"\\(?:usepackage|RequirePackage)\s*(?:\[[^\]]*\]\s*)?\{biblatex\}", all_files):
        edits = [
            _insert(manuscript, shown, "\\begin{document}", f"\\addbibresource{{{_NEW_BIBLIOGRAPHY}}}\n")
        ]
        if "\\printbibliography" not in all_files:
            edits.append(_insert(manuscript, shown, "\\end{document}", "\\printbibliography\n"))
        return edits
    line = f"\\bibliography{{{_NEW_BIBLIOGRAPHY.removesuffix('.bib')}}}\n"
    if "\\bibliographystyle" not in all_files:
        # BibTeX requires a style, and natbib's commands require one of its own styles.
        style = "plainnat" if re.search(r"\{natbib\}|\\cite[tp]\b", all_files) else "plain"
        line = f"\\bibliographystyle{{{style}}}\n{line}"
    return [_insert(manuscript, shown, "\\end{document}", line)]


def _insert(manuscript: Manuscript, shown: str, before: str, line: str) -> Edit:
    found = shown.find(before)
    place = len(shown) if found < 0 else found
    new_line = "" if not place or shown[place - 1] in "\r\n" else "\n"
    return Edit(manuscript.path, place, place, new_line + line)


def _name_in_markdown(manuscript: Manuscript, text: str) -> Edit:
    line = f"bibliography: {_NEW_BIBLIOGRAPHY}\n"
    fence = re.match(r"---[ \t]*(?:\r\n|\r|\n)", text)
    end = re.search(r"^(?:---|\.\.\.)[ \t]*\r?$", text[fence.end() :], re.MULTILINE) if fence else None
    if fence and end:
        bare = re.compile(r"^bibliography:(?=[ \t]*\r?$)", re.MULTILINE)
        if field := bare.search(text, fence.end(), fence.end() + end.start()):
            return Edit(manuscript.path, field.end(), field.end(), f" {_NEW_BIBLIOGRAPHY}")
        return Edit(manuscript.path, fence.end(), fence.end(), line)
    return Edit(manuscript.path, 0, 0, f"---\n{line}---\n\n")


def _refuse_second_in_typst(files: DraftFiles, manuscript: Manuscript) -> None:
    """Typst does not compile a document with two bibliographies, even if it cannot be told what is in one."""
    for name in manuscript.files:
        text = _text(files, name)
        if found := _TYPST_BIBLIOGRAPHY.search(text):
            raise InputError(
                "the bibliography is not named as a .bib or .yml file, and Typst allows no second one",
                path=name,
                line=text.count("\n", 0, found.end()) + 1,
                hint='name such a file: #bibliography("references.bib")',
            )


def _refuse_in_a_chapter(files: DraftFiles, manuscript: Manuscript) -> None:
    """Metadata in a later chapter of a bookdown project end up in the middle of the book."""
    path = files.normal(files.path(manuscript.path))
    first = first_chapter(files, path.parent)
    if first is not None and path != first:
        raise InputError(
            "the project names no bibliography that can be read, and a chapter gets none of its own",
            path=files.name(first),
            hint=f"add a line to its metadata: bibliography: {_NEW_BIBLIOGRAPHY}",
        )


def _name_in_typst(manuscript: Manuscript, text: str) -> Edit:
    line = f'#bibliography("{_NEW_BIBLIOGRAPHY}")\n'
    return Edit(manuscript.path, len(text), len(text), f"{'' if text.endswith(chr(10)) else chr(10)}\n{line}")


def _name_in_org(manuscript: Manuscript, text: str) -> Edit:
    """After the keywords at its beginning."""
    keywords = re.match(r"(?:[ \t]*#(?:\+[\w-]+:|[ \t])[^\n]*\n)*", text)
    place = keywords.end() if keywords else 0
    return Edit(manuscript.path, place, place, f"#+bibliography: {_NEW_BIBLIOGRAPHY}\n")
