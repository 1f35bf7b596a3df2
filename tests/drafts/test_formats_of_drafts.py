"""Which files are drafts, and what is said about those that are not."""

from __future__ import annotations

import io
import zipfile

import pytest

from citewhy.base.errors import InputError
from citewhy.drafts import read_files


def zipped(*names: str, first: str = "") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        if first:
            archive.writestr("mimetype", first)
        for name in names:
            archive.writestr(name, "x")
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.bib", b"@book{a, title = {A}}", ("bibliography", "citewhy add a.bib")),
        ("a.rst", b"Title\n=====\n\nIt works [CITE].", ("reStructuredText", "pandoc a.rst -o a.md")),
        ("a.adoc", b"= Title\n\nIt works [CITE].", ("AsciiDoc", "asciidoctor -b docbook a.adoc")),
        ("a.html", b"<p>It works [CITE].", ("HTML", "pandoc a.html -o a.md")),
        ("a.txt", b"<!DOCTYPE html><p>It works [CITE].", ("HTML",)),
        ("a.ipynb", b'{"cells": []}', ("Jupyter notebook", "nbconvert --to markdown a.ipynb")),
        ("a", b'{"cells": [], "nbformat": 4}', ("Jupyter notebook",)),
        ("a.rtf", b"{\\rtf1 It works}", ("RTF",)),
        ("a.txt", b"{\\rtf1 It works}", ("RTF",)),
        ("a.odt", zipped("content.xml", first="application/vnd.oasis.opendocument.text"), ("OpenDocument",)),
        ("a", zipped("content.xml", first="application/vnd.oasis.opendocument.text"), ("OpenDocument",)),
        ("a.docx", zipped("word/document.xml"), ("Word", "pandoc a.docx -o a.md")),
        ("a", b"%PDF-1.5\n", ("PDF",)),
    ],
)
def test_what_is_not_read(name: str, content: bytes, words: tuple[str, ...]) -> None:
    """It is named, with the command that converts it; it is not taken for text."""
    with pytest.raises(InputError) as caught:
        read_files({name: content})
    for word in (*words, "expected LaTeX, Markdown, Typst, Org or plain text"):
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.typ", "It works.", "typst"),
        ("a.org", "It works.", "org"),
        ("a", '#set page(width: 5cm)\nIt works @a.\n#bibliography("b.bib")', "typst"),
        ("a", "#+title: A\n\nIt works [cite:@a].", "org"),
        ("a.txt", "#+title: A", "plain"),
        ("a", "# Title\n\nIt works [@a].", "markdown"),
    ],
)
def test_by_name_or_else_by_content(name: str, text: str, expected: str) -> None:
    """A suffix decides; without one, the first lines do."""
    assert read_files({name: text}).format == expected
