"""The format of a draft, and which of several files is its root."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePath

from citewhy.base.errors import CiteWhyError, InputError
from citewhy.base.records import DraftFormat
from citewhy.drafts.files import DISK, DraftFiles, MemoryFiles, read_content
from citewhy.text.other_documents import other_document

__all__ = ["find_root", "format_of", "is_document", "is_latex", "is_marked_up"]

_LATEX = frozenset({".tex", ".ltx", ".latex", ".rnw", ".snw", ".rtex"})
_MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".qmd", ".rmd"})
_TYPST = frozenset({".typ"})
_ORG = frozenset({".org"})
_PLAIN = frozenset({".txt", ""})
_ADD = "name the text that cites from it; its papers are added with: citewhy add {name}"
_OTHERS = {
    ".pdf": ("a PDF file", "give its source, or copy its text to a .txt file"),
    ".bib": ("a bibliography", _ADD),
    ".ris": ("a bibliography", _ADD),
}
"""Files that the library reads, but that are no drafts."""

_PDF = b"%PDF-"
_EXPECTED = "LaTeX, Markdown, Typst, Org or plain text"
_HEAD = 65_536
"""Number of bytes that are examined to detect a format."""

_LATEX_SIGN = re.compile(
    rb"\\(?:documentclass|documentstyle|begin\{|(?:sub)*section\*?\{|cite[a-z]*\*?[\[{])"
)
_MARKDOWN_SIGN = re.compile(rb"\A---[ \t]*\r?\n|^#{1,6} \S|(?<![\w@])@[A-Za-z][\w:-]*\d{4}|\[@", re.MULTILINE)
_DOCUMENT = re.compile(
    rb"^(?:[^%\r\n\\]|\\.)*?\\document(?:class|style)\s*(?:\[[^\]]*\]\s*)?\{(?!subfiles\})", re.MULTILINE
)

_BEGINNING = re.compile(rb"^(?:[^%\r\n\\]|\\.)*?\\begin\{document\}", re.MULTILINE)
_TYPST_SIGN = re.compile(rb"^#(?:set|show|let|import|bibliography|include)\b", re.MULTILINE)
_ORG_SIGN = re.compile(
    rb"^#\+(?:title|author|bibliography|options):|\[cite(?:/[\w/]+)?:@", re.MULTILINE | re.IGNORECASE
)
_SUBFILE = re.compile(rb"^[^%\r\n]*\\documentclass\s*(?:\[[^\]]*\]\s*)?\{subfiles\}", re.MULTILINE)


_BY_SUFFIX: dict[DraftFormat, frozenset[str]] = {
    "latex": _LATEX,
    "markdown": _MARKDOWN,
    "typst": _TYPST,
    "org": _ORG,
}


def format_of(files: DraftFiles, path: PurePath) -> DraftFormat:
    """The format of a draft, by the suffix of its name, unless it is a PDF, or else by its first bytes.

    Raises InputError if the file is not text, or has a format that cannot be edited as text.
    """
    suffix = path.suffix.lower()
    named = next((form for form, suffixes in _BY_SUFFIX.items() if suffix in suffixes), None)
    if named is not None and not (files.is_file(path) and read_content(files, path).startswith(_PDF)):
        return named
    head = read_content(files, path)[:_HEAD]
    if other := _other(head, path):
        what, advice = other
        raise InputError(
            f"this is {what}, which is not read as a draft; expected {_EXPECTED}",
            path=files.name(path),
            hint=advice,
        )
    if b"\0" in head:
        raise InputError("not a text file", path=files.name(path), hint=f"a draft is {_EXPECTED}")
    if _LATEX_SIGN.search(head):
        return "latex"
    if suffix == ".txt":
        return "plain"
    if _TYPST_SIGN.search(head):
        return "typst"
    if _ORG_SIGN.search(head):
        return "org"
    return "markdown" if _MARKDOWN_SIGN.search(head) else "plain"


def find_root(files: MemoryFiles) -> PurePath:
    """The only file that can be the root of a draft.

    Of several files that is the only LaTeX file with a document class; if there is none, the only LaTeX file;
    if there is none, the only Markdown, Typst, Org or plain-text file, in this order. Raises InputError if
    no file or more than one can be the root.
    """
    paths = files.paths
    if len(paths) == 1:
        return paths[0]
    latex = _with_suffix(paths, _LATEX)
    documents = [path for path in latex if _DOCUMENT.search(files.read(path))]
    others = (_with_suffix(paths, suffixes) for suffixes in (_MARKDOWN, _TYPST, _ORG, _PLAIN))
    possible = next(filter(None, (documents, latex, *others)), [])
    if len(possible) == 1:
        return possible[0]
    if not possible:
        raise InputError("no draft among the files", hint=f"give {_EXPECTED}")
    names = ", ".join(files.name(path) for path in possible)
    raise InputError(f"several files can be the draft's root: {names}", hint="name the root file")


def _other(head: bytes, path: PurePath) -> tuple[str, str] | None:
    """What a file is that is no draft, and what to do; None if it may be one."""
    suffix = ".pdf" if head.startswith(_PDF) else path.suffix.lower()
    if suffix != ".pdf" and (found := other_document(head, path)):
        return found
    what, advice = _OTHERS.get(suffix, ("", ""))
    return (what, advice.format(name=path.name)) if what else None


def is_latex(path: PurePath) -> bool:
    """By its name."""
    return path.suffix.lower() in _LATEX


def is_marked_up(path: PurePath) -> bool:
    """By its name: Markdown, Typst or Org."""
    return path.suffix.lower() in _MARKDOWN | _TYPST | _ORG


def is_document(path: Path) -> bool:
    """Whether a LaTeX file on disk is a root: it has a document class, or begins a document whose class is in
    a file that it includes. A subfile is none."""
    try:
        content = read_content(DISK, path)
    except CiteWhyError:
        return False
    begins = _BEGINNING.search(content) is not None and _SUBFILE.search(content) is None
    return begins or _DOCUMENT.search(content) is not None


def _with_suffix(paths: Iterable[PurePath], suffixes: frozenset[str]) -> list[PurePath]:
    return [path for path in paths if path.suffix.lower() in suffixes]
