"""The formats of drafts, which of them a file has, and which of several files is the root of a draft.

CiteWhy's own formats are in `OWN`. Another package adds one by an entry point of the group
``citewhy.drafts``, called like the format, which names an object as `format.DraftFormat` describes it:

    [project.entry-points."citewhy.drafts"]
    "rst" = "my_package:FORMAT"

It is imported when a file is none of CiteWhy's formats by its suffix.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from citewhy.base.entry_points import Added, load_added
from citewhy.base.errors import InputError
from citewhy.drafts.files import DraftFiles, MemoryFiles, read_content
from citewhy.drafts.format import DraftFormat
from citewhy.drafts.latex.format import FORMAT as LATEX
from citewhy.drafts.markdown.format import FORMAT as MARKDOWN
from citewhy.drafts.org.format import FORMAT as ORG
from citewhy.drafts.plain.format import FORMAT as PLAIN
from citewhy.drafts.typst.format import FORMAT as TYPST
from citewhy.text.other_documents import other_document

OWN: tuple[DraftFormat, ...] = (LATEX, MARKDOWN, TYPST, ORG, PLAIN)
"""The last is that of any text that no other format knows."""

GROUP = "citewhy.drafts"
"""Group of the entry points of other packages."""

_PDF = b"%PDF-"
_HEAD = 65_536
"""Number of bytes that are examined to recognise a format."""

_ADD = "name the text that cites from it; its papers are added with: citewhy add {name}"
_OTHERS = {
    ".pdf": ("a PDF file", "give its source, or copy its text to a .txt file"),
    ".bib": ("a bibliography", _ADD),
    ".ris": ("a bibliography", _ADD),
}
"""Files that the library reads, but that are no drafts."""

# The registry ---------------------------------------------------------------------------------------------


@functools.cache
def added_formats() -> Added[DraftFormat]:
    """The formats of other packages; a name of CiteWhy's own is not replaced."""
    return load_added(GROUP, "draft format", {form.name for form in OWN}, _fault)


def _fault(form: object, name: str) -> str:
    """Why an object is no draft format of this name; empty if it is."""
    members = [member for member in dir(DraftFormat) if not member.startswith("_")]
    if missing := sorted(member for member in members if not hasattr(form, member)):
        return f"lacks {', '.join(missing)}"
    if form.name != name:  # type: ignore[attr-defined]
        return f"calls itself {form.name!r}"  # type: ignore[attr-defined]
    suffixes = form.suffixes  # type: ignore[attr-defined]
    if isinstance(suffixes, str) or not all(
        suffix.startswith(".") and suffix == suffix.lower() for suffix in suffixes
    ):
        return f"has suffixes that are not like '.tex': {suffixes!r}"
    return ""


def formats() -> tuple[DraftFormat, ...]:
    """All formats that can be used: CiteWhy's own, those of other packages, and last plain text."""
    return (*OWN[:-1], *added_formats().formats.values(), OWN[-1])


def format_named(name: str) -> DraftFormat:
    """The format that is called so in records (`Manuscript.format`). Raises InputError if there is none, or
    if the package that provides it is broken."""
    for form in OWN:
        if form.name == name:
            return form
    added = added_formats()
    if name in added.formats:
        return added.formats[name]
    raise added.broken.get(name) or InputError(
        f"there is no draft format {name!r}",
        hint=f"known: {', '.join(form.name for form in formats())}; is a package missing that provides it?",
    )


def format_by_suffix(path: PurePath) -> DraftFormat | None:
    """The format that the suffix of a name tells for certain; None for other suffixes, and for that of plain
    text, which may hold LaTeX."""
    suffix = path.suffix.lower()
    if not suffix or suffix in PLAIN.suffixes:
        return None
    own = next((form for form in OWN if suffix in form.suffixes), None)
    return own or next((form for form in added_formats().formats.values() if suffix in form.suffixes), None)


def is_of_drafts(path: PurePath) -> bool:
    """Whether a file is, by its suffix, one that drafts consist of or read: the text itself, a bibliography,
    a style."""
    suffix = path.suffix.lower()
    return any(suffix in form.suffixes or suffix in form.companions for form in OWN) or any(
        suffix in form.suffixes or suffix in form.companions for form in added_formats().formats.values()
    )


# A draft --------------------------------------------------------------------------------------------------


def format_of(files: DraftFiles, path: PurePath) -> DraftFormat:
    """The format of a draft, by the suffix of its name, unless it is a PDF, or else by its first bytes.

    Raises InputError if no format reads such a file, or the one that should is broken.
    """
    named = format_by_suffix(path)
    if named is not None and not (files.is_file(path) and read_content(files, path).startswith(_PDF)):
        return named
    if broken := added_formats().broken.get(path.suffix.lower()[1:]):
        raise broken
    head = read_content(files, path)[:_HEAD]
    form = max(formats(), key=lambda form: form.recognise(head, path))  # the first of equals
    if form not in OWN:
        return form
    if other := _other(head, path):
        what, advice = other
        raise InputError(
            f"this is {what}, which is not read as a draft; expected {_expected()}",
            path=files.name(path),
            hint=advice,
        )
    if b"\0" in head:
        raise InputError("not a text file", path=files.name(path), hint=f"a draft is {_expected()}")
    return form


def find_root(files: MemoryFiles) -> PurePath:
    """The only file that can be the root of a draft in memory: the first of a book, or `root_among` all.
    Raises InputError if no file or more than one can be the root."""
    from citewhy.drafts.markdown.projects import CONFIGURATIONS, book_in

    for path in files.paths:
        if path.name in CONFIGURATIONS and (book := book_in(files, path.parent)):
            return book.first
    return root_among(files, files.paths)


def root_among(files: DraftFiles, paths: Sequence[PurePath]) -> PurePath:
    """The only one of some files that can be the root of a draft (`roots_among`). Raises InputError if no
    file or more than one can be the root."""
    possible = roots_among(files, paths)
    if len(possible) == 1:
        return possible[0]
    names = ", ".join(files.name(path) for path in possible)
    raise InputError(f"several files can be the draft's root: {names}", hint="name the root file")


def roots_among(files: DraftFiles, paths: Sequence[PurePath]) -> list[PurePath]:
    """Those of some files that can be the root of a draft: the only file; of several the LaTeX files with a
    document class; if there is none, all LaTeX files; if there is none, those of the next format (`formats`).
    Raises InputError if there is none."""
    if len(paths) == 1:
        return list(paths)
    for form in _one_by_one():
        suffixes = (*form.suffixes, "") if form == PLAIN else form.suffixes
        contents = {path: files.read(path) for path in paths if path.suffix.lower() in suffixes}
        if possible := form.roots(contents) or list(contents):
            return possible
    raise InputError("no draft among the files", hint=f"give {_expected()}")


def _one_by_one() -> Iterator[DraftFormat]:
    """The formats, of which those of other packages are loaded only when they are asked for."""
    yield from OWN[:-1]
    yield from formats()[len(OWN) - 1 :]


def _expected() -> str:
    """The formats and their usual suffixes, for people."""
    *titles, last = (form.title for form in formats())
    return f"{', '.join(titles)} or {last} ({', '.join(form.suffixes[0] for form in formats())})"


def _other(head: bytes, path: PurePath) -> tuple[str, str] | None:
    """Says what a file is that is no draft, and what to do; None if it may be one."""
    suffix = ".pdf" if head.startswith(_PDF) else path.suffix.lower()
    if suffix != ".pdf" and (other := other_document(head, path)):
        return other
    what, advice = _OTHERS.get(suffix, ("", ""))
    return (what, advice.format(name=path.name)) if what else None
