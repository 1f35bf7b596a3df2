"""Org drafts with ``[cite:@key]``, the links of org-ref, and LaTeX's commands."""

from __future__ import annotations

import re
from pathlib import PurePath

from citewhy.base.records import Manuscript, Paragraph, Reference
from citewhy.drafts.files import DISK, DraftFiles
from citewhy.drafts.flow import Flow, Source, open_source
from citewhy.drafts.org.blocks import Block, Metadata, read_blocks
from citewhy.drafts.org.inline import Inline

__all__ = ["read"]

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
