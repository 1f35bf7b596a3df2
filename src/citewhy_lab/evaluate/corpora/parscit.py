"""XML of ParsCit, as published for the ACL Anthology: the output of three programs for the text of a paper.

``SectLabel`` labels each block of lines (heading, body, caption, …), ``ParsHed`` the parts of the header,
``ParsCit`` the entries of the reference list. The blocks are lines of a PDF: words are hyphenated at line
ends, and a sentence can continue after a page number or a figure.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from citewhy.base.import_report import ImportReport
from citewhy.base.records import FullText, Header, Paper, Reference, ReferenceList
from citewhy.papers.formats.fields import id_of_file
from citewhy.papers.formats.recognise import xml_root
from citewhy.papers.formats.registry import Format
from citewhy.text.author_year import Group
from citewhy.text.dates import year_of
from citewhy.text.markers import Resolver, find
from citewhy.text.names import surname
from citewhy.text.repair import repair
from citewhy.text.sentence_flow import Flow, FullTextBuilder, Mark
from citewhy.text.source import FilePath
from citewhy.text.tidy import tidy
from citewhy.text.xml_files import Element, parse_mended

NAME = "XML of ParsCit"

SOURCE = "parscit"
"""Source of the citations from these files."""

_ROOT = "algorithms"
_TEXT = ("bodyText", "listItem")
_HEADINGS = ("sectionHeader", "subsectionHeader", "subsubsectionHeader")
_KEPT = frozenset((*_TEXT, *_HEADINGS, "title", "author", "abstract", "confidence"))
_NO_SECTION = ("references",)
_BROKEN_WORD = re.compile(r"(?<!\w)(\w+)-[^\S\n]*\n\s*([a-z]\w*)")
_WORD = re.compile(r"\w+(?:-\w+)*")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl"})
_NUMBER = re.compile(r"\s*+[\[(]?(\d{1,4})[\])]?\.?\s*")


def read(path: FilePath, report: ImportReport) -> Iterator[Header | FullText | ReferenceList]:
    """Yields the paper, under the name of its file."""
    root = parse_mended(path, functools.partial(report.warn, path), (_ROOT,), NAME)
    header = root.find("algorithm[@name='ParsHed']/variant")
    blocks = root.find("algorithm[@name='SectLabel']/variant")
    title = _first(header, "title") or _first(blocks, "title")
    citations = _Citations(root)
    text = FullTextBuilder(title)
    for section, lines in _sections(() if blocks is None else blocks):
        flow = Flow()
        flow.write(lines)
        text.add(section, [(sentence, citations.marks(sentence)) for sentence, _ in flow.sentences()])
    abstract = _first(header, "abstract") or text.text_of("abstract")
    identifier = id_of_file(path)
    if title:
        authors = [] if header is None else [_line(author) for author in header.iterfind("author")]
        yield Header(Paper(identifier, title, abstract, tuple(filter(None, authors))))
    if len(text.sentences) > bool(title):
        yield FullText(identifier, tuple(text.sentences))
    else:
        report.skip(path, None, "the file has no text: it lacks what SectLabel finds")
    if citations.references:
        yield ReferenceList(identifier, citations.references, tuple(text.citing), source=SOURCE)
    parts = [*(() if header is None else header), *(() if blocks is None else blocks)]
    report.leave(NAME, sorted({f"({part.tag})" for part in parts if part.tag not in _KEPT}))


def recognise(head: str) -> bool:
    """Says whether the root element is that of ParsCit."""
    return xml_root(head) == _ROOT


FORMAT = Format(NAME, read, "what SectLabel found", "full texts", named_by_file=True, recognise=recognise)


# The text -------------------------------------------------------------------------------------------------


def _sections(blocks: Sequence[Element]) -> Iterator[tuple[str, str]]:
    """Heading and running text of each section, without interruptions such as captions."""
    raw: list[tuple[str, list[str]]] = [("", [])]
    for block in blocks:
        if block.tag in _HEADINGS:
            generic = block.get("genericHeader") or ""
            raw.append(("abstract" if generic == "abstract" else _line(block), []))
            if generic in _NO_SECTION:
                break
        elif block.tag in _TEXT:
            raw[-1][1].append("".join(block.itertext()).strip("\n"))
    texts = [repair("\n".join(lines)).translate(_LIGATURES) for _, lines in raw]
    known = Counter(word for text in texts for word in _WORD.findall(_BROKEN_WORD.sub(" ", text)))
    for (section, _), text in zip(raw, texts, strict=True):
        if text.strip():
            yield section, _BROKEN_WORD.sub(lambda word: _mended(word[1], word[2], known), text)


def _mended(head: str, tail: str, known: Counter[str]) -> str:
    """Returns a word that was hyphenated at a line end, with the hyphen only if it has one elsewhere in the
    paper."""
    hyphened = f"{head}-{tail}"
    return hyphened if known[hyphened] > known[head + tail] else head + tail


def _first(parent: Element | None, tag: str) -> str:
    return "" if parent is None or (element := parent.find(tag)) is None else _line(element)


def _line(element: Element) -> str:
    text = repair("".join(element.itertext())).translate(_LIGATURES)
    return tidy(_BROKEN_WORD.sub(r"\1\2", text))


# The references -------------------------------------------------------------------------------------------


class _Citations:
    """The entries of the reference list, and to which of them a printed citation refers."""

    def __init__(self, root: Element) -> None:
        entries = root.iterfind("algorithm[@name='ParsCit']/citationList/citation")
        self.references: tuple[Reference, ...] = ()
        self._by_number: dict[int, str] = {}
        self._by_author: dict[tuple[str, int], list[str]] = {}
        for number, entry in enumerate(entries, start=1):
            key = f"c{number}"
            paper = _cited(entry, key)
            if marker := _NUMBER.fullmatch(_first(entry, "marker")):
                self._by_number.setdefault(int(marker[1]), key)
            if paper.authors and paper.year:
                self._by_author.setdefault((surname(paper.authors[0]), paper.year), []).append(key)
            if paper.title:
                self.references += (Reference(key, paper),)
        self._resolver = Resolver(reference.paper for reference in self.references)

    def marks(self, text: str) -> list[Mark]:
        marks = []
        for marker in find(text):
            keys = tuple([key for group in marker.groups if (key := self._key(group))])
            place = (marker.start, marker.end)
            if not marker.in_text:
                place = (marker.groups[0].start, marker.groups[-1].end)
            marks.append(Mark(*place, keys))
        return marks

    def _key(self, group: Group) -> str | None:
        """Returns the only entry with this number, or by these authors in this year; None if there is none or
        several."""
        if group.number is not None:
            return self._by_number.get(group.number)
        if not group.names or group.year is None:
            return None
        keys = self._by_author.get((surname(group.names[0]), group.year), [])
        if len(keys) > 1:
            keys = [paper.id for paper in self._resolver.fits(group)]
        return keys[0] if len(keys) == 1 else None


def _cited(entry: Element, key: str) -> Paper:
    authors = [name for author in entry.iterfind("authors/author") if (name := _line(author))]
    return Paper(
        key,
        _first(entry, "title").rstrip(" .,"),
        authors=tuple(authors),
        year=year_of(_first(entry, "date")),
        venue=(_first(entry, "journal") or _first(entry, "booktitle")).rstrip(" .,"),
    )
