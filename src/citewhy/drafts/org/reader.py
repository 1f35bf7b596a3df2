"""Org drafts with ``[cite:@key]``, the links of org-ref, and LaTeX's commands."""

from __future__ import annotations

import bisect
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import PurePath

from citewhy.base.records import Manuscript, Paragraph
from citewhy.drafts.bibliography import references
from citewhy.drafts.files import DISK, DraftFiles, bibliography_folders, find_named
from citewhy.drafts.flow import Flow, FoundCitation, Source, abstract_of, first_year, marked, open_source
from citewhy.drafts.markdown.pandoc import Citations
from citewhy.text.placeholders import is_placeholder, open_mark

_BIBLIOGRAPHY = re.compile(
    r"(?<![\w+-])bibliography:(?P<link>[^\s\[\]]+)|\\(?:bibliography|addbibresource)\{(?P<command>[^{}\n]+)\}"
)
_AND = re.compile(r" ?(?:,|;|\band\b|\\and\b) ?")
_DEEPEST = 5
"""Maximum depth of footnotes in footnotes."""


def read(path: PurePath, files: DraftFiles = DISK) -> Manuscript:
    """Reads an Org draft and the ``.bib`` files that it names. Raises InputError.

    The `slot` of a marker is as in Markdown. Without a bibliography in the file (Org may have one for all
    files) no key counts as undefined. Links of org-ref (``cite:key``) are read, but have no `slot`.
    """
    source, remarks = open_source(files, path)
    metadata = Metadata()
    blocks = list(read_blocks(source, metadata))
    named = _bibliographies(files, path, source, metadata)
    defined, problems, unread = references(files, named)
    inline = Inline(source, {reference.key for reference in defined}, unread=bool(unread) or not named)
    paragraphs = _paragraphs(inline, blocks)
    return Manuscript(
        path=source.path,
        format="org",
        title=" ".join(" ".join(metadata.values("title")).split()),
        abstract=abstract_of(paragraphs),
        authors=tuple(
            name
            for value in metadata.values("author")
            for name in _AND.split(" ".join(value.split()))
            if name
        ),
        year=first_year(" ".join(metadata.values("date"))),
        paragraphs=tuple(paragraphs),
        references=tuple(defined),
        bibliographies=tuple(files.name(bibliography) for bibliography in named),
        unread=tuple(unread),
        files=(source.path,),
        problems=(*remarks, *problems),
    )


def _paragraphs(inline: Inline, blocks: list[Block]) -> list[Paragraph]:
    paragraphs: list[Paragraph] = []
    section = ""

    def keep(flow: Flow, under: str, aside: bool) -> None:
        paragraph = flow.paragraph(under, aside=aside)
        if paragraph is not None and (flow.cites or any(sentence.text for sentence in paragraph.sentences)):
            paragraphs.append(paragraph)

    for block in blocks:
        flow, notes = inline.flow(block.start, block.end, in_table=block.aside)
        if block.level:
            section = flow.text().strip()
        under = "Abstract" if block.section == "abstract" else section
        if not block.level or flow.cites:
            keep(flow, under, block.aside)
        for _ in range(_DEEPEST):  # footnotes, and those in them
            read = [inline.flow(*note) for note in notes]
            notes = [note for _, inner in read for note in inner]
            for note, _ in read:
                keep(note, under, aside=True)
    return paragraphs


def _bibliographies(files: DraftFiles, path: PurePath, source: Source, metadata: Metadata) -> list[PurePath]:
    """The ``.bib`` files that the draft names; where there is none of the name, one in its folder."""
    names = [value.strip("\"'") for value in metadata.values("bibliography")]
    for line in source.lines:
        if not line.lstrip().startswith(("# ", "#+")):
            for match in _BIBLIOGRAPHY.finditer(line):
                names += (match["link"] or match["command"]).split(",")
    paths: dict[PurePath, None] = {}
    for name in filter(None, map(str.strip, names)):
        full = name if name.lower().endswith((".bib", ".json")) else f"{name}.bib"
        named = find_named(files, path.parent, full, path.parent)
        elsewhere = () if files.is_file(named) else bibliography_folders(files)
        there = (files.normal(folder / full) for folder in elsewhere)
        paths[next(filter(files.is_file, there), named)] = None
    return list(paths)


# Running text: citations, links, formulas, emphasis -----------------------------------------------------

_CITATION = re.compile(r"\[(?P<command>cite(?:/[\w/-]*)?):(?P<body>(?:[^\[\]]|\[[^\[\]]*\])*)\]")
_LINKED = (
    r"[Cc]ite(?:[pt]|alp|alt|num|author|year(?:par)?|title|date|url)?|nocite|bibentry|cites|"
    r"(?:[Pp]aren|[Tt]ext|[Aa]uto|[Ss]mart|[Ff]oot|[Ss]uper)cites?|(?:foot)?fullcite|footcitetexts?|"
    r"[pft]?notecite|[pfst]?volcite"
)
"""Links of org-ref: the commands of natbib and biblatex."""

_ORG_REF = re.compile(
    rf"\[\[(?P<linked>{_LINKED})\*?:(?P<inside>[^\[\]]+)\](?:\[[^\[\]]*\])?\]|"
    rf"(?<![\w/:])(?P<command>{_LINKED})\*?:(?P<keys>&?\w(?:[\w:./+,;&-]*\w)?)"
)
_LINK_BEGINS = frozenset("[abcfnpstvACFPST")
_LATEX = re.compile(r"\\(?P<command>(?=[A-Za-z]*cite)[A-Za-z]+)\*?(?:\[[^\[\]]*\]){0,2}\{(?P<keys>[^{}]*)\}")
_LINK = re.compile(r"\[\[(?P<target>[^\[\]]+)\](?:\[(?P<shown>[^\[\]]+)\])?\]")
_NOTE = re.compile(r"\[fn:(?P<name>[\w-]*)(?::(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*))?\]")
_FORMULA = re.compile(r"\$(?=[^\s$])[^$]*+(?<=[^\s])\$(?!\w)")
_FORMULAS = {"\\(": "\\)", "\\[": "\\]", "$$": "$$"}
"""How formulas begin and end, besides ``$``."""
_SKIPPED = re.compile(
    r"@@[\w-]+:.*?@@|<<[^<>\n]+>>|[<\[]\d{4}-\d\d-\d\d[^<>\[\]\n]*[>\]]|\\(?:ref|label|eqref|autoref|cref)\{[^{}]*\}|"
    r"(?<![\w=])=(?=\S)[^=\n]*(?<=\S)=(?!\w)|(?<![\w~])~(?=\S)[^~\n]*(?<=\S)~(?!\w)|https?://[^\s<>()\[\]]+|\\\\"
)
_IN_TEXT = re.compile(
    r"(?i:cite/t(?:ext)?\b|\\?(?:new|text)?citet|\\?textcite|cite/a(?:uthor)?\b|\\?citeauthor)"
)
_MARKS = frozenset("*/_+")


class Inline:
    """Reads running text of one file into flows. `defined` are the keys of the bibliography; `unread`: there
    may be others."""

    def __init__(self, source: Source, defined: Collection[str], *, unread: bool) -> None:
        self._source = source
        self._text = source.text
        self._defined = defined
        self._unread = unread
        self._unclosed: dict[str, int] = {}
        """Where the text ends in which no formula with this opening ends."""
        self._citations = Citations(source.text, defined, unread=unread)

    def flow(self, start: int, end: int, *, in_table: bool = False) -> tuple[Flow, list[tuple[int, int]]]:
        """The text between two offsets, and the spans of the footnotes in it."""
        flow = Flow(self._source)
        notes: list[tuple[int, int]] = []
        at = start
        while at < end:
            character = self._text[at]
            mark = open_mark(self._text, at, end, in_table=in_table) if character in "[(" else None
            if mark and not _CITATION.match(self._text, at, end):
                flow.cite(marked(mark))
                at = mark.end()
            else:
                at = self._next(flow, notes, at, end)
        return flow, notes

    def _next(self, flow: Flow, notes: list[tuple[int, int]], at: int, end: int) -> int:
        """Reads what begins at `at`; returns its end."""
        text = self._text
        character = text[at]
        if character == "[":
            if cited := _CITATION.match(text, at, end):
                return self._cite(flow, cited)
            if note := _NOTE.match(text, at, end):
                if note["text"]:
                    notes.append(note.span("text"))
                return note.end()
        if character in _LINK_BEGINS and (reference := _ORG_REF.match(text, at, end)):
            inside = reference["inside"]
            keys = re.findall(r"&([\w:./+-]*\w)", inside) if inside and "&" in inside else None
            self._listed(
                flow, reference, keys if keys is not None else re.split(r"[,;]", inside or reference["keys"])
            )
            return reference.end()
        if character == "[" and (link := _LINK.match(text, at, end)):
            if link["shown"]:
                flow.add(link["shown"], link.start("shown"))
            return link.end()
        if character in "\\$" and (stop := self._formula_end(at, end)):
            flow.add_for("MATH", at, stop)
            return stop
        if character == "\\" and (latex := _LATEX.match(text, at, end)):
            self._latex(flow, latex)
            return latex.end()
        if character in "@<[\\=~h" and (skipped := _SKIPPED.match(text, at, end)):
            return skipped.end()
        if character in _MARKS and self._is_mark(at):
            return at + 1
        flow.add(" " if character in "\n\r\t|" else character, at)
        return at + 1

    def _formula_end(self, at: int, end: int) -> int:
        """The end of the formula that begins at `at`; 0 if none does."""
        opening = self._text[at : at + 2]
        closing = _FORMULAS.get(opening)
        if closing is None:
            formula = _FORMULA.match(self._text, at, end)
            return formula.end() if formula else 0
        if self._unclosed.get(opening) == end:
            return 0
        stop = self._text.find(closing, at + 2, end)
        if stop < 0:  # nor does any other that begins before `end`
            self._unclosed[opening] = end
        return stop + 2 if stop > at + 2 or (stop > 0 and opening != "$$") else 0

    def _is_mark(self, at: int) -> bool:
        """Whether a character marks emphasis: it is at one side of a word."""
        before, after = self._text[at - 1 : at], self._text[at + 1 : at + 2]
        return (not before.strip() or before in "({['\"-") != (not after.strip() or after in ")}]'\"-.,;:!?")

    # Citations --------------------------------------------------------------------------------------------

    def _cite(self, flow: Flow, cited: re.Match[str]) -> int:
        """``[cite/style:see @a p. 3; @b]``."""
        command, body = cited["command"], cited.span("body")
        in_text = _IN_TEXT.match(command) is not None
        listed = self._citations.listed(*body)
        if listed is None:
            flow.cite(
                FoundCitation(*cited.span(), (), open=True, command=command, slot=body, in_text=in_text)
            )
        else:
            keys, is_open, slot = listed
            flow.cite(FoundCitation(*cited.span(), keys, is_open, command, slot, in_text))
        return cited.end()

    def _listed(self, flow: Flow, reference: re.Match[str], written: list[str]) -> None:
        """A link of org-ref, which is read, but edited by hand."""
        command = reference["linked"] or reference["command"]
        names = [name.strip().lstrip("&") for name in written]
        keys = tuple(name for name in names if name and not self._is_placeholder(name))
        in_text = _IN_TEXT.match(command) is not None
        if command != "nocite":
            flow.cite(FoundCitation(*reference.span(), keys, self._is_open(names), command, in_text=in_text))

    def _latex(self, flow: Flow, latex: re.Match[str]) -> None:
        """``\\citep{a,b}``, which Org passes on."""
        names = [name.strip() for name in latex["keys"].split(",")]
        keys = tuple(name for name in names if not self._is_placeholder(name))
        command = f"\\{latex['command']}"
        in_text = _IN_TEXT.match(command) is not None
        slot = latex.span("keys")
        flow.cite(FoundCitation(*latex.span(), keys, self._is_open(names), command, slot, in_text))

    def _is_placeholder(self, name: str) -> bool:
        return is_placeholder(name) and name not in self._defined

    def _is_open(self, names: list[str]) -> bool:
        return any(name not in self._defined and (is_placeholder(name) or not self._unread) for name in names)


# The lines of a file: metadata, headings, and the blocks that hold running text --------------------------

_KEYWORD = re.compile(r"[ \t]*#\+(?P<name>[\w-]+)(?:\[[^\]\n]*\])?:[ \t]*(?P<value>.*)")
_BEGIN = re.compile(r"[ \t]*#\+begin_(?P<name>[\w-]+)", re.IGNORECASE)
_HEADING = re.compile(
    r"(?P<stars>\*+)[ \t]+(?:(?:TODO|DONE|NEXT|WAITING)[ \t]+)?(?:\[#\w\][ \t]+)?(?P<text>.*)"
)
_TAGS = re.compile(r":[\w@#%:]+:")
_ITEM = re.compile(r"[ \t]*(?:[-+]|\d{1,3}[.)]|(?<=[ \t])\*)[ \t]+(?:\[[ X-]\][ \t]+)?(?=\S)")
_NOTE_ITEM = re.compile(r"\[fn:[\w-]+\][ \t]*")
_DRAWER = re.compile(r"[ \t]*:[\w-]+:[ \t\r]*$")
_PLANNING = re.compile(r"\A[ \t]*(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):")
_COMMENT = re.compile(r"\A[ \t]*#(?:[ \t\r]|$)")
_FIXED = re.compile(r"\A[ \t]*:(?:[ \t\r]|$)")
_RULE = re.compile(r"\A[ \t]*(?:-{5,}|\|[-+|]*\|?)[ \t\r]*$")
_TEXT_BLOCKS = frozenset({"abstract", "quote", "center", "verse", "theorem", "proof", "definition", "lemma"})
_SPACE = " \t\r"
_NOT_EXPORTED = frozenset({"noexport", "COMMENT", "ARCHIVE"})


@dataclass(frozen=True, slots=True)
class Block:
    """Running text between offsets of the source, or a heading of a `level` above 0."""

    start: int
    end: int
    section: str = ""
    """The name of the special block that the text is in, such as ``abstract``."""
    level: int = 0
    aside: bool = False
    """Whether it is a caption or a row of a table."""


class Metadata:
    """The values of ``#+NAME: value`` lines, in order."""

    def __init__(self) -> None:
        self._values: dict[str, list[str]] = {}

    def add(self, name: str, value: str) -> None:
        self._values.setdefault(name.lower(), []).append(value)

    def values(self, name: str) -> list[str]:
        return [value for value in self._values.get(name, []) if value]


def read_blocks(source: Source, metadata: Metadata) -> Iterator[Block]:
    """The headings and the paragraphs of a file, in order; `metadata` is filled on the way. Code, examples,
    comments, drawers, and parts that are not exported are left out."""
    lines, starts = source.lines, source.starts
    ends = _ends(lines)
    text_from: int | None = None
    special: list[str] = []
    hidden = 0  # the level of a heading that is not exported
    number = 0

    def so_far(line: int) -> Iterator[Block]:
        nonlocal text_from
        if text_from is not None:
            last = line - 1
            yield Block(text_from, starts[last] + len(lines[last]), special[-1] if special else "")
        text_from = None

    while number < len(lines):
        line = lines[number]
        heading = _HEADING.match(line)
        if heading:
            yield from so_far(number)
            special.clear()
            level = len(heading["stars"])
            text, tags = _text_and_tags(heading["text"])
            if not hidden or level <= hidden:
                comment = text.startswith("COMMENT")
                hidden = level if comment or not _NOT_EXPORTED.isdisjoint(tags) else 0
            if not hidden:
                start = starts[number] + heading.start("text")
                yield Block(start, start + len(text), "", level)
        elif hidden or not line.strip():
            yield from so_far(number)
        elif begin := _BEGIN.match(line):
            yield from so_far(number)
            name = begin["name"].lower()
            if name in _TEXT_BLOCKS:
                special.append(name)
            else:
                number = _block_end(ends, number, f"#+end_{name}")
        elif line.lstrip().lower().startswith("#+end_"):
            yield from so_far(number)
            del special[-1:]
        elif keyword := _KEYWORD.match(line):
            yield from so_far(number)
            value = keyword["value"].rstrip(_SPACE)
            metadata.add(keyword["name"], value)
            if keyword["name"].lower() == "caption":
                start = starts[number] + keyword.start("value")
                yield Block(start, start + len(value), aside=True)
        elif _DRAWER.match(line):
            yield from so_far(number)
            number = _block_end(ends, number, ":end:")
        elif any(pattern.match(line) for pattern in (_COMMENT, _FIXED, _RULE, _PLANNING)):
            yield from so_far(number)
        elif line.lstrip().startswith("|"):
            yield from so_far(number)
            yield Block(starts[number], starts[number] + len(line), aside=True)
        elif item := _ITEM.match(line) or _NOTE_ITEM.match(line):
            yield from so_far(number)
            text_from = starts[number] + item.end()
        elif text_from is None:
            text_from = starts[number]
        number += 1
    yield from so_far(len(lines))


def _text_and_tags(heading: str) -> tuple[str, list[str]]:
    """The text of a heading, and the tags at its end."""
    text = heading.rstrip(_SPACE)
    *_, last = text.rsplit(None, 1)[-1:] or [""]
    if not _TAGS.fullmatch(last) or not text[: -len(last)].endswith((" ", "\t")):
        return text, []
    return text[: -len(last)].rstrip(_SPACE), last.split(":")


def _ends(lines: list[str]) -> dict[str, list[int]]:
    """The lines that end blocks and drawers, by what they say."""
    ends: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        last = line.strip().lower()
        if last.startswith(("#+end_", ":end:")):
            ends.setdefault(last, []).append(number)
    return ends


def _block_end(ends: dict[str, list[int]], number: int, last: str) -> int:
    """The line that ends the block that begins at line `number`; that line itself if none does."""
    lines = ends.get(last, [])
    position = bisect.bisect_right(lines, number)
    return lines[position] if position < len(lines) else number
