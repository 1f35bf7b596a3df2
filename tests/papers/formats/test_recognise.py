"""What a file is, where it could be taken for something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewhy.base.errors import InputError
from citewhy.papers.formats import detect


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("@misc{a, title={A}, annote={\nTY - GEN\n%T x\nPMID- 12\n}}", "BibTeX"),
        ("Exported by X\nTY  - JOUR\nTI  - A\nN1  - @misc{a}\nER  - \n", "RIS"),
        ("TY  - JOUR\rTI  - A\rER  - \r", "RIS"),
        ("%0 Book\n%T @misc{a}\n", "EndNote tagged text (.enw)"),
        ("% a comment\n% another\n@misc{a, title={A}}", "BibTeX"),
        ("\nPMID- 1\nTI  - A\n", "PubMed format (.nbib)"),
        ("PT J\nAU Lee, A\nTI A\nER\n", "Web of Science text"),
        ("\\begin{thebibliography}{9}\n\\bibitem{a} A. B. Title.\n", "a reference list (\\bibitem)"),
        ("Results: 2\n\nid,title,year\na,A,2001\n", "a table with a header (CSV)"),
        ("references:\n- title: A\n  id: a\n", "CSL-YAML"),
        ("id,title\na,A\n", "a table with a header (CSV)"),
        ("Title\tYear\nA\t2001\n", "a table with a header (CSV)"),
        ("id\tsame_as\na\tb\n", "a table of aliases"),
        ("citing_id\tcited_id\ttitle\na\tb\tc\n", "a table of citations"),
        ("10.5555/a\n10.5555/b\n", "a list of DOIs or ids"),
        ("doi\n10.5555/a\n", "a list of DOIs or ids"),
        ("P02-1040\n# remark\nhttps://aclanthology.org/W04-1013.pdf\n", "a list of DOIs or ids"),
        ('[{"id": "a", "title": "A", "authors": ["B C"], "year": 2001}]', "papers as JSON lines"),
        ('{"id": "a", "title": "A", "year": 2001}', "papers as JSON lines"),
        ('{\n "id": "a",\n "title": "A",\n "year": 2001\n}', "papers as JSON lines"),
        ('[\n{"id": "a", "title": "A", "type": "book"}\n]', "CSL-JSON"),
        ('{"items": [{"id": "a", "title": "A", "type": "book"}]}', "CSL-JSON"),
        ('{"message": {"DOI": "10.5555/a", "title": ["A"]}, "status": "ok"}', "Crossref works"),
        ('{"DOI": "10.5555/a", "title": ["A"], "member": "1"}\n' * 2, "Crossref works"),
        ('{"results": [{"id": "https://openalex.org/W1", "title": "A"}]}\n' * 2, "OpenAlex works"),
        ('{"id": "W123", "display_name": "A", "authorships": []}', "OpenAlex works"),
        ('[null, {"paperId": "a", "title": "A"}]', "Semantic Scholar"),
        ('<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><!-- c --><mods:mods/>', "MODS XML"),
        ("<feed><id>http://arxiv.org/api/x</id></feed>", "an Atom feed of arXiv"),
    ],
)
def test_what_a_file_is(tmp_path: Path, content: str, name: str) -> None:
    """The first thing that tells a format counts, not what is quoted in a note further on."""
    path = tmp_path / "file"
    path.write_text(content, encoding="utf-8", newline="")
    assert detect(path).name == name


@pytest.mark.parametrize(
    "content",
    [
        "<feed><title>A weblog</title></feed>",
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>",
        "<xml><o:p/></xml>",
        "name,value\na,1\n",
        "A word\nand another one\n",
        "apple\nbanana\n",
        '{"a": 1}\n{"b": 2}\n',
        '{"query": "x", "results": [{"text": "y"}]}',
        "\\documentclass{article}\n\\begin{document}\nText.\n",
        "<1>\nUnique Identifier\n  77\nTitle\n  Reeds in winter.\n",  # Ovid numbers its records so
        "< 1 of 20 >\nTitle: Reeds in winter.\n",
        "<-- reeds -->\nReeds in winter.\n",
    ],
)
def test_what_is_nothing_that_is_read(tmp_path: Path, content: str) -> None:
    """Feeds, tables, lists and XML of other kinds, and texts that only begin like XML, are refused, with what
    is read."""
    path = tmp_path / "file"
    path.write_text(content)
    with pytest.raises(InputError, match=r"no known format; expected .*docs/formats\.md"):
        detect(path)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (
            "thesis.docx",
            b"PK\x03\x04 word/document.xml",
            ("a Word document", "pandoc thesis.docx -o thesis.md"),
        ),
        ("file", b"PK\x03\x04 word/document.xml", ("a Word document",)),
        ("a.txt", b"<!DOCTYPE html><p>It works.", ("an HTML page",)),
        ("a.txt", b"{\\rtf1 It works}", ("an RTF document",)),
        ("a", b'{"cells": [], "nbformat": 4}', ("a Jupyter notebook", "nbconvert")),
        ("a.rst", b"Title\n=====\n\nIt works.", ("reStructuredText", "pandoc a.rst -o a.md")),
    ],
)
def test_documents_that_are_not_read_are_named(
    tmp_path: Path, name: str, content: bytes, words: tuple[str, ...]
) -> None:
    """With the command that makes a draft of them, which the library reads."""
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        detect(path)
    for each in words:
        assert each in str(caught.value)
