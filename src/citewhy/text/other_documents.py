"""Documents in formats that are not read, and how to convert them to one that is."""

from __future__ import annotations

import re
from pathlib import PurePath

_PANDOC = "convert it first: pandoc {name} -o {stem}.md"
_ASCIIDOC = "convert it first: asciidoctor -b docbook {name}, then pandoc {stem}.xml -o {stem}.md"
_OTHERS = {
    ".rst": ("reStructuredText", _PANDOC),
    ".rest": ("reStructuredText", _PANDOC),
    ".adoc": ("AsciiDoc", _ASCIIDOC),
    ".asciidoc": ("AsciiDoc", _ASCIIDOC),
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
    ".lyx": ("a LyX document", "export it first: lyx --export latex {name}"),
}
"""Says what they are and what to do, by the suffix of the name."""

_SIGNS = (
    (re.compile(rb"\A\{\\rtf"), ".rtf"),
    (re.compile(rb"\APK\x03\x04.{0,60}mimetypeapplication/vnd\.oasis\.opendocument", re.DOTALL), ".odt"),
    (re.compile(rb"\APK\x03\x04.{0,4000}?word/", re.DOTALL), ".docx"),
    (re.compile(rb"\A\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b", re.IGNORECASE), ".html"),
    (re.compile(rb"\A\s*\{.{0,60000}\"nbformat\"\s*:", re.DOTALL), ".ipynb"),
    (re.compile(rb"\A#LyX "), ".lyx"),
)
"""How a file of such a format begins, whatever its name."""


def other_document(head: bytes, name: PurePath) -> tuple[str, str] | None:
    """Says what a document is, with its article, and how to convert it; None for other files. Its beginning
    `head` tells, else the suffix of its `name`."""
    suffix = next((like for sign, like in _SIGNS if sign.search(head)), name.suffix.lower())
    if suffix not in _OTHERS:
        return None
    what, advice = _OTHERS[suffix]
    return what, advice.format(name=name.name, stem=name.stem)
