"""Org drafts with ``[cite:@key]``, the links of org-ref, and LaTeX's commands."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import PurePath

from citewhy.base.records import Manuscript, Paragraph, Reference
from citewhy.drafts.files import DISK, DraftFiles
from citewhy.drafts.flow import Flow, FoundCitation, Source, open_source
from citewhy.drafts.markdown.pandoc import Citations
from citewhy.drafts.org.blocks import Block, Metadata, read_blocks
from citewhy.drafts.placeholders import OPEN_BRACKET, is_placeholder

_BIBLIOGRAPHY = re.compile(
    r"(?<![\w+-])bibliography:(?P<link>[^\s\[\]]+)|\\(?:bibliography|addbibresource)\{(?P<command>[^{}\n]+)\}"
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
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
    references, problems, unread = _references(files, named)
    inline = Inline(source, {reference.key for reference in references}, unread=bool(unread) or not named)
    paragraphs = _paragraphs(inline, blocks)
    abstract = (
        sentence.text
        for paragraph in paragraphs
        if paragraph.section.casefold() == "abstract"
        for sentence in paragraph.sentences
    )
    date = _YEAR.search(" ".join(metadata.values("date")))
    return Manuscript(
        path=source.path,
        format="org",
        title=" ".join(" ".join(metadata.values("title")).split()),
        abstract=" ".join(abstract),
        authors=tuple(
            name
            for value in metadata.values("author")
            for name in _AND.split(" ".join(value.split()))
            if name
        ),
        year=int(date[0]) if date else None,
        paragraphs=tuple(paragraphs),
        references=tuple(references),
        bibliographies=tuple(files.name(each) for each in named),
        unread=tuple(unread),
        files=(source.path,),
        problems=(*remarks, *problems),
    )


def _paragraphs(inline: Inline, blocks: list[Block]) -> list[Paragraph]:
    found: list[Paragraph] = []
    section = ""

    def keep(flow: Flow, under: str, aside: bool) -> None:
        paragraph = flow.paragraph(under, aside=aside)
        if paragraph is not None and (flow.cites or any(each.text for each in paragraph.sentences)):
            found.append(paragraph)

    for block in blocks:
        flow, notes = inline.flow(block.start, block.end)
        if block.level:
            section = flow.text().strip()
        under = "Abstract" if block.section == "abstract" else section
        if not block.level or flow.cites:
            keep(flow, under, block.aside)
        for _ in range(_DEEPEST):  # footnotes, and those in them
            read = [inline.flow(*note) for note in notes]
            notes = [note for _, inner in read for note in inner]
            for each, _ in read:
                keep(each, under, aside=True)
    return found


def _bibliographies(files: DraftFiles, path: PurePath, source: Source, metadata: Metadata) -> list[PurePath]:
    """The ``.bib`` files that the draft names; where there is none of the name, one in its folder."""
    names = [value.strip("\"'") for value in metadata.values("bibliography")]
    for line in source.lines:
        if not line.lstrip().startswith(("# ", "#+")):
            for found in _BIBLIOGRAPHY.finditer(line):
                names += (found["link"] or found["command"]).split(",")
    paths: dict[PurePath, None] = {}
    for name in filter(None, map(str.strip, names)):
        full = name if name.lower().endswith((".bib", ".json")) else f"{name}.bib"
        named = files.normal(path.parent / full)
        beside = files.normal(path.parent / re.split(r"[/\\]", full)[-1])
        paths[beside if not files.is_file(named) and files.is_file(beside) else named] = None
    return list(paths)


def _references(files: DraftFiles, paths: list[PurePath]) -> tuple[list[Reference], list[str], list[str]]:
    """As `drafts.bibliography.references`."""
    if not paths:
        return [], [], []
    from citewhy.drafts.bibliography import references  # imports the BibTeX parser

    return references(files, paths)


# Running text: citations, links, formulas, emphasis -----------------------------------------------------

_CITATION = re.compile(r"\[(?P<command>cite(?:/[\w/-]*)?):(?P<body>(?:[^\[\]]|\[[^\[\]]*\])*)\]")
_LINKED = r"cite[pt]?|cite(?:author|year|alp|alt)|(?:paren|text|auto|foot|full)cite|[Cc]ite[tp]|nocite"
"""Links of org-ref."""

_ORG_REF = re.compile(
    rf"\[\[(?P<linked>{_LINKED})\*?:(?P<inside>[^\[\]]+)\](?:\[[^\[\]]*\])?\]|"
    rf"(?<![\w/:])(?P<command>{_LINKED})\*?:(?P<keys>&?\w(?:[\w:./+,;&-]*\w)?)"
)
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

    def flow(self, start: int, end: int) -> tuple[Flow, list[tuple[int, int]]]:
        """The text between two offsets, and the spans of the footnotes in it."""
        flow = Flow(self._source)
        notes: list[tuple[int, int]] = []
        at = start
        while at < end:
            at = self._next(flow, notes, at, end)
        return flow, notes

    def _next(self, flow: Flow, notes: list[tuple[int, int]], at: int, end: int) -> int:
        """Reads what begins at `at`; returns its end."""
        text = self._text
        character = text[at]
        if character == "[":
            if cited := _CITATION.match(text, at, end):
                return self._cite(flow, cited)
            if found := OPEN_BRACKET.match(text, at, end):
                whole = found.span()
                flow.cite(FoundCitation(*whole, (), open=True, command="open", slot=whole, note=found[0]))
                return found.end()
            if note := _NOTE.match(text, at, end):
                if note["text"]:
                    notes.append(note.span("text"))
                return note.end()
        if character in "[cptafnC" and (found := _ORG_REF.match(text, at, end)):
            inside = found["inside"]
            keys = re.findall(r"&([\w:./+-]*\w)", inside) if inside and "&" in inside else None
            self._listed(
                flow, found, keys if keys is not None else re.split(r"[,;]", inside or found["keys"])
            )
            return found.end()
        if character == "[" and (link := _LINK.match(text, at, end)):
            if link["shown"]:
                flow.add(link["shown"], link.start("shown"))
            return link.end()
        if character in "\\$" and (stop := self._formula_end(at, end)):
            flow.add_for("MATH", at, stop)
            return stop
        if character == "\\" and (found := _LATEX.match(text, at, end)):
            self._latex(flow, found)
            return found.end()
        if character in "@<[\\=~h" and (found := _SKIPPED.match(text, at, end)):
            return found.end()
        if character in _MARKS and self._is_mark(at):
            return at + 1
        flow.add(" " if character in "\n\r\t|" else character, at)
        return at + 1

    def _formula_end(self, at: int, end: int) -> int:
        """The end of the formula that begins at `at`; 0 if none does."""
        opening = self._text[at : at + 2]
        closing = _FORMULAS.get(opening)
        if closing is None:
            found = _FORMULA.match(self._text, at, end)
            return found.end() if found else 0
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

    def _listed(self, flow: Flow, found: re.Match[str], written: list[str]) -> None:
        """A link of org-ref, which is read, but edited by hand."""
        command = found["linked"] or found["command"]
        names = [name.strip().lstrip("&") for name in written]
        keys = tuple(name for name in names if name and not self._is_placeholder(name))
        in_text = _IN_TEXT.match(command) is not None
        if command != "nocite":
            flow.cite(FoundCitation(*found.span(), keys, self._is_open(names), command, in_text=in_text))

    def _latex(self, flow: Flow, found: re.Match[str]) -> None:
        """``\\citep{a,b}``, which Org passes on."""
        names = [name.strip() for name in found["keys"].split(",")]
        keys = tuple(name for name in names if not self._is_placeholder(name))
        command = f"\\{found['command']}"
        in_text = _IN_TEXT.match(command) is not None
        slot = found.span("keys")
        flow.cite(FoundCitation(*found.span(), keys, self._is_open(names), command, slot, in_text))

    def _is_placeholder(self, name: str) -> bool:
        return is_placeholder(name) and name not in self._defined

    def _is_open(self, names: list[str]) -> bool:
        return any(name not in self._defined and (is_placeholder(name) or not self._unread) for name in names)
