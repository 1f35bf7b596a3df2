"""The format of a draft, and which of several files is its root."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePath

from citewhy.errors import CiteWhyError, InputError
from citewhy.manuscript.files import DISK, DraftFiles, MemoryFiles, read_content
from citewhy.records import DraftFormat

__all__ = ["find_root", "format_of", "is_document", "is_latex", "is_marked_up"]

_LATEX = frozenset({".tex", ".ltx", ".latex", ".rnw", ".snw", ".rtex"})
_MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".qmd", ".rmd"})
_TYPST = frozenset({".typ"})
_ORG = frozenset({".org"})
_PLAIN = frozenset({".txt", ""})
_PANDOC = "convert it first: pandoc {name} -o {stem}.md"
_ADD = "name the text that cites from it; its papers are added with: citewhy add {name}"
_OTHERS = {
    ".rst": ("reStructuredText", _PANDOC),
    ".rest": ("reStructuredText", _PANDOC),
    ".adoc": (
        "AsciiDoc",
        "convert it first: asciidoctor -b docbook {name}, then pandoc {stem}.xml -o {stem}.md",
    ),
    ".asciidoc": (
        "AsciiDoc",
        "convert it first: asciidoctor -b docbook {name}, then pandoc {stem}.xml -o {stem}.md",
    ),
    ".html": ("an HTML page", _PANDOC),
    ".htm": ("an HTML page", _PANDOC),
    ".xhtml": ("an HTML page", _PANDOC),
    ".ipynb": ("a Jupyter notebook", "convert it first: jupyter nbconvert --to markdown {name}"),
    ".rtf": ("an RTF document", _PANDOC),
    ".odt": ("an OpenDocument text", _PANDOC),
    ".fodt": ("an OpenDocument text", _PANDOC),
    ".docx": ("a Word document", _PANDOC),
    ".doc": ("a Word document", "save it as .docx, then convert it: pandoc {stem}.docx -o {stem}.md"),
    ".epub": ("an EPUB book", _PANDOC),
    ".pdf": ("a PDF file", "give its source, or copy its text to a .txt file"),
    ".lyx": ("a LyX document", "export it first: lyx --export latex {name}"),
    ".bib": ("a bibliography", _ADD),
    ".ris": ("a bibliography", _ADD),
}
"""Formats of documents that are no drafts for us, and how to convert them."""

_SIGNS = (
    (re.compile(rb"\A\{\\rtf"), ".rtf"),
    (re.compile(rb"\A%PDF-"), ".pdf"),
    (re.compile(rb"\APK\x03\x04.{0,60}mimetypeapplication/vnd\.oasis\.opendocument", re.DOTALL), ".odt"),
    (re.compile(rb"\APK\x03\x04.{0,4000}?word/", re.DOTALL), ".docx"),
    (re.compile(rb"\A\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b", re.IGNORECASE), ".html"),
    (re.compile(rb"\A\s*\{.{0,60000}\"nbformat\"\s*:", re.DOTALL), ".ipynb"),
    (re.compile(rb"\A#LyX "), ".lyx"),
)
"""How a file of such a format begins, whatever its name."""
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
    """The format of a draft, by the suffix of its name or else by its first bytes.

    Raises InputError if the file is not text, or has a format that cannot be edited as text.
    """
    suffix = path.suffix.lower()
    for form, suffixes in _BY_SUFFIX.items():
        if suffix in suffixes:
            return form
    head = read_content(files, path)[:_HEAD]
    other = next((like for sign, like in _SIGNS if sign.search(head)), suffix)
    if other in _OTHERS:
        name, advice = _OTHERS[other]
        raise InputError(
            f"this is {name}, which is not read as a draft; expected {_EXPECTED}",
            path=files.name(path),
            hint=advice.format(name=path.name, stem=path.stem),
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
