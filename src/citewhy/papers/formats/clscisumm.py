"""Papers of CL-SciSumm: ``<PAPER>`` of numbered sentences, ``<S sid="7" ssid="2">``, in sections.

The files were made in various ways: encodings change within a file, entities are missing or escaped twice,
``<`` occurs unescaped, tags are not closed. XML parsers reject them. So only the four tags are searched for,
and everything between them is text; there are no document types that could be attacked.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from citewhy.base.errors import InputError
from citewhy.base.records import FullText, Header, Paper, Sentence
from citewhy.papers.formats.fields import id_of_file
from citewhy.papers.formats.report import ImportReport
from citewhy.text.repair import decode_lines, repair
from citewhy.text.source import FilePath, read_bytes
from citewhy.text.tidy import tidy

__all__ = ["MAX_PAPER", "LineOf", "read", "read_sentences"]

MAX_PAPER = 16 << 20
"""Bytes of a paper; the longest ones have about 300 kB."""

_TAG = re.compile(
    r'<(?P<close>/?)(?P<name>PAPER|ABSTRACT|SECTION|S)\b(?P<rest>(?:"[^"\n]{0,2000}"|[^<>"])*)>'
)
_SID = re.compile(r"""\bsid\s*+=\s*+["']?\s*+(\d{1,9})\b""")
_TITLE = re.compile(r'\btitle\s*=\s*"(.*?)"\s*(?:number\b|/?$)', re.DOTALL)


def read(path: FilePath, report: ImportReport) -> Iterator[Header | FullText]:
    """The paper, under the name of its file: its sentences, and their title and abstract."""
    sentences = read_sentences(path, report)
    identifier = id_of_file(path)
    title = " ".join(sentence.text for sentence in sentences if sentence.section == "title")
    abstract = " ".join(sentence.text for sentence in sentences if sentence.section == "abstract")
    if title:
        yield Header(Paper(identifier, title, abstract))
    yield FullText(identifier, sentences)


def read_sentences(path: FilePath, report: ImportReport) -> tuple[Sentence, ...]:
    """The sentences, by number.

    An unusable one is skipped with a note in `report`. `section` is ``title`` for text before all sections,
    ``abstract``, or the heading. Raises InputError for a file without a sentence.
    """
    text = decode_lines(read_bytes(path, MAX_PAPER))
    line_of = LineOf(text)
    found: dict[int, Sentence] = {}
    end = None
    for piece in _pieces(text):
        end = piece.end
        line = line_of(piece.start)
        if piece.sid is None:
            report.skip(path, line, "a sentence has no number")
        elif not piece.text:
            report.skip(path, line, f"sentence {piece.sid} has no text")
        elif piece.sid in found:
            report.skip(path, line, f"sentence {piece.sid} occurs twice; the first one is used")
        elif piece.end is None:
            report.skip(path, line, f"the file is truncated in sentence {piece.sid}")
        else:
            found[piece.sid] = Sentence(piece.sid, piece.section, piece.text)
    if not found:
        raise InputError("no sentence <S sid=…> is in the file", path=path, hint="expected CL-SciSumm XML")
    if end is not None and "</PAPER" not in text[end:]:
        report.warn(path, line_of(end), f"the paper has no end: sentence {max(found)} is the last one")
    return tuple(found[sid] for sid in sorted(found))


class LineOf:
    """The line (from 1) of an offset in a text."""

    def __init__(self, text: str) -> None:
        self._ends = [newline.start() for newline in re.finditer("\n", text)]

    def __call__(self, place: int) -> int:
        return bisect_right(self._ends, place - 1) + 1


@dataclass(frozen=True, slots=True)
class _Piece:
    """The text between two tags, the first of which opened a sentence."""

    start: int
    end: int | None
    """None if no tag follows."""
    sid: int | None
    section: str
    text: str


def _pieces(text: str) -> Iterator[_Piece]:
    section = "title"
    opened: tuple[re.Match[str], str] | None = None
    for tag in _TAG.finditer(text):
        if opened is not None:  # any tag ends the sentence, even if </S> is missing
            yield _piece(text, *opened, tag.start())
        opened = None
        if tag["name"] == "S":
            opened = None if tag["close"] else (tag, section)
        elif tag["close"]:
            section = ""
        elif tag["name"] == "ABSTRACT":
            section = "abstract"
        elif tag["name"] == "SECTION":
            title = _TITLE.search(tag["rest"])
            section = tidy(repair(title[1])) if title else ""
    if opened is not None:
        yield _piece(text, *opened, None)


def _piece(text: str, tag: re.Match[str], section: str, end: int | None) -> _Piece:
    sid = _SID.search(tag["rest"])
    content = tidy(repair(text[tag.end() : end]))
    return _Piece(tag.start(), end, int(sid[1]) if sid else None, section, content)
