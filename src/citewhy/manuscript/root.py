"""The format of a draft, and which of several files is its root."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Literal

from citewhy.errors import CiteWhyError, InputError
from citewhy.manuscript.files import DISK, DraftFiles, MemoryFiles, read_content

__all__ = ["find_root", "format_of", "is_document", "is_latex", "is_markdown"]

_LATEX = frozenset({".tex", ".ltx", ".latex", ".rnw", ".snw", ".rtex"})
_MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".qmd", ".rmd"})
_PLAIN = frozenset({".txt", ""})
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
_SUBFILE = re.compile(rb"^[^%\r\n]*\\documentclass\s*(?:\[[^\]]*\]\s*)?\{subfiles\}", re.MULTILINE)


def format_of(files: DraftFiles, path: PurePath) -> Literal["latex", "markdown", "plain"]:
    """The format of a draft, by the suffix of its name or else by its first bytes.

    Raises InputError if the file is not text.
    """
    suffix = path.suffix.lower()
    if suffix in _LATEX:
        return "latex"
    if suffix in _MARKDOWN:
        return "markdown"
    head = read_content(files, path)[:_HEAD]
    if b"\0" in head:
        raise InputError(
            "not a text file", path=files.name(path), hint="a draft is LaTeX, Markdown or plain text"
        )
    if _LATEX_SIGN.search(head):
        return "latex"
    return "markdown" if suffix != ".txt" and _MARKDOWN_SIGN.search(head) else "plain"


def find_root(files: MemoryFiles) -> PurePath:
    """The only file that can be the root of a draft.

    Of several files that is the only LaTeX file with a document class; if there is none, the only LaTeX file;
    if there is none, the only Markdown file; if there is none, the only plain-text file. Raises InputError if
    no file or more than one can be the root.
    """
    paths = files.paths
    if len(paths) == 1:
        return paths[0]
    latex = _with_suffix(paths, _LATEX)
    documents = [path for path in latex if _DOCUMENT.search(files.read(path))]
    choices = (documents, latex, _with_suffix(paths, _MARKDOWN), _with_suffix(paths, _PLAIN))
    possible = next(filter(None, choices), [])
    if len(possible) == 1:
        return possible[0]
    if not possible:
        raise InputError("no draft among the files", hint="give a LaTeX, Markdown or plain-text file")
    names = ", ".join(files.name(path) for path in possible)
    raise InputError(f"several files can be the draft's root: {names}", hint="name the root file")


def is_latex(path: PurePath) -> bool:
    """By its name."""
    return path.suffix.lower() in _LATEX


def is_markdown(path: PurePath) -> bool:
    """By its name."""
    return path.suffix.lower() in _MARKDOWN


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
