# ruff: noqa: E501
"""Inputs and drafts of a megabyte with ordinary content, one for every reader: the samples of the tests, repeated."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from bombs import MEGABYTE

__all__ = ["ordinary_drafts", "ordinary_inputs"]

TESTS = Path(__file__).parents[1]
SAMPLES = TESTS / "papers" / "formats" / "samples"
TOY = TESTS / "toy"

_HEADERS = {"scopus.csv", "spreadsheet.csv", "zotero.csv", "pubmed.csv", "wos_table.txt", "citations.tsv"}
_HEADERS |= {"paper_aliases.tsv"}
_SKIPPED = {"zotero.sql"}


def _times(unit: str, before: str = "", after: str = "") -> str:
    return before + unit * max(1, MEGABYTE // max(1, len(unit))) + after


def _xml(text: str) -> str:
    """The children of the root, repeated."""
    opened = re.search(r"<(?![?!])[^>]*>", text)
    closed = text.rfind("</")
    if opened is None:
        return text
    return _times(text[opened.end() : closed], text[: opened.end()], text[closed:])


def _json(text: str) -> str:
    document = json.loads(text)
    if isinstance(document, list):
        unit = text.strip()[1:-1].rstrip().rstrip(",") + ","
        return _times(unit, "[")[:-1] + "]"
    if all(isinstance(value, dict) for value in document.values()) and len(document) > 2:
        members = list(document.items())
        count = MEGABYTE // len(text) + 1
        return json.dumps({f"{key}-{n}": value for n in range(count) for key, value in members})
    lists = {key: value for key, value in document.items() if isinstance(value, list)}
    if not lists:
        return _times(json.dumps(document) + "\n")
    longest = max(lists, key=lambda key: len(json.dumps(lists[key])))
    count = MEGABYTE // len(json.dumps(lists[longest])) + 1
    return json.dumps(document | {longest: lists[longest] * count})


def _repeated(path: Path) -> str:
    text = path.read_text()
    if path.name in _HEADERS:
        header, _, rows = text.partition("\n")
        return _times(rows, header + "\n")
    if path.suffix in (".xml", ".rdf", ".atom"):
        return _xml(text)
    if path.suffix == ".json":
        return _json(text)
    return _times(text if text.endswith("\n") else text + "\n")


def ordinary_inputs() -> dict[str, str]:
    """By the names of the samples."""
    files = [path for path in [*SAMPLES.iterdir(), *TOY.rglob("*.*")] if path.is_file()]
    found = {}
    for path in sorted(files):
        if (path.suffix in (".md", ".txt", ".sql") and path.parent != SAMPLES) or path.name.startswith("."):
            continue
        if path.name in _SKIPPED or not path.stat().st_size:
            continue
        found[path.name] = _repeated(path)
    return found


_WORDS = (
    "Neural models of translation learn from aligned sentences and need large collections of text",
    "We evaluate on two languages with the usual measures and compare with earlier systems",
    "Attention has replaced recurrence in most of them, which makes training faster on long inputs",
)


def _sentences(cite: Callable[[int], str]) -> str:
    parts, size, number = [], 0, 0
    while size < MEGABYTE:
        end = "\n\n" if number % 6 == 5 else " "
        parts.append(f"{_WORDS[number % 3]} {cite(number)}.{end}")
        size += len(parts[-1])
        number += 1
    return "".join(parts)


def ordinary_drafts() -> dict[str, tuple[str, str]]:
    """By format: the name of the file, and its content."""
    references = "".join(
        f"[{n}] A. Lee and B. Li. {2000 + n % 20}. Trees and banks {n}. In Proceedings of ACL, pages 1-9.\n"
        for n in range(1, 200)
    )
    return {
        "ordinary LaTeX": (
            "a.tex",
            "\\documentclass{article}\n\\newcommand{\\tool}[1]{\\textsc{#1}}\n\\begin{document}\n\\section{One}\n"
            + _sentences(lambda n: f"\\cite{{k{n % 90}}} with \\tool{{x}}" if n % 3 else "\\cite{}")
            + "\\bibliography{refs}\n\\end{document}\n",
        ),
        "ordinary Markdown": (
            "a.md",
            "# One\n\n" + _sentences(lambda n: f"[@k{n % 90}]" if n % 3 else "[@]"),
        ),
        "ordinary text": (
            "a.txt",
            "One\n\n"
            + _sentences(lambda n: f"[{n % 190 + 1}]" if n % 3 else "[CITE]")
            + "\nReferences\n\n"
            + references,
        ),
        "ordinary Typst": ("a.typ", "= One\n\n" + _sentences(lambda n: f"@k{n % 90}" if n % 3 else "@todo")),
        "ordinary Org": (
            "a.org",
            "* One\n\n" + _sentences(lambda n: f"[cite:@k{n % 90}]" if n % 3 else "[cite:@]"),
        ),
    }
