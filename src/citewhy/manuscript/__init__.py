"""Drafts: LaTeX, Markdown, plain text, read with the place of every citation; edits that fill them."""

from __future__ import annotations

import os
import re
from pathlib import Path

from citewhy.errors import InputError
from citewhy.records import Manuscript
from citewhy.text.source import read_head

__all__ = ["read"]

_LATEX = frozenset({".tex", ".ltx", ".latex"})
_MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".qmd", ".rmd"})
_HEAD = 65_536
_LATEX_SIGN = re.compile(
    rb"\\(?:documentclass|documentstyle|begin\{|(?:sub)*section\*?\{|cite[a-z]*\*?[\[{])"
)
_MARKDOWN_SIGN = re.compile(rb"\A---[ \t]*\r?\n|^#{1,6} \S|(?<![\w@])@[A-Za-z][\w:-]*\d{4}|\[@", re.MULTILINE)


def read(path: str | os.PathLike[str]) -> Manuscript:
    """A draft, read whole, in the format that its name says, else its beginning.

    Raises InputError for a file that is not there or no text, TooLargeError for one over a limit; all that is
    wrong with a draft that can be read is in its `problems`.
    """
    file = Path(path)
    if not file.is_file():
        what = "a folder" if file.is_dir() else "no such file"
        raise InputError(f"{what}, expected a draft", path=path, hint="name its root file, such as paper.tex")
    form = _format(file)
    # Only the reader that is needed: each brings a parser of its own.
    if form == "latex":
        from citewhy.manuscript.latex import reader as latex

        return latex.read(path)
    if form == "markdown":
        from citewhy.manuscript.markdown import reader as markdown

        return markdown.read(file)
    from citewhy.manuscript.plain import reader as plain

    return plain.read(file)


def _format(file: Path) -> str:
    suffix = file.suffix.lower()
    if suffix in _LATEX:
        return "latex"
    if suffix in _MARKDOWN:
        return "markdown"
    head = read_head(file, _HEAD)
    if b"\0" in head:
        raise InputError("not a text file", path=file, hint="a draft is LaTeX, Markdown or plain text")
    if _LATEX_SIGN.search(head):
        return "latex"
    return "markdown" if suffix != ".txt" and _MARKDOWN_SIGN.search(head) else "plain"
