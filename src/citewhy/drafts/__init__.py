"""Drafts of every format (`formats`): read with all citations, and edited (`edit`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePath

from citewhy.base.errors import InputError
from citewhy.base.records import Manuscript, Paragraph
from citewhy.base.trace import traced
from citewhy.base.unforeseen import reading
from citewhy.drafts.files import DISK, DraftFiles, MemoryFiles, ReadOnce, read_text
from citewhy.drafts.footnotes import with_footnotes
from citewhy.drafts.formats import find_root, format_of
from citewhy.drafts.formats import formats as known_formats
from citewhy.drafts.notes import with_notes
from citewhy.drafts.project import ProjectFiles
from citewhy.drafts.roots import root_on_disk
from citewhy.text.source import FilePath


def read(path: FilePath, *, follow_outside: bool = False) -> Manuscript:
    """Reads a draft on disk: its root file (`roots.root_on_disk`) and everything that it includes. Files
    outside of its project (`project`) are not read, unless `follow_outside`.

    The suffix of the root tells the format; for other suffixes the beginning of the file does. Raises
    InputError if the root is missing, empty or not text, TooLargeError if a file exceeds a limit. Other
    problems, such as a missing bibliography, are in the `problems` of the result.
    """
    root = root_on_disk(path)
    if DISK.is_file(root) and not root.stat().st_size:
        raise InputError("the file is empty, expected a draft", path=path, hint="was it saved?")
    if follow_outside:
        return read_draft(DISK, root)
    files = ProjectFiles(root)
    return with_refused(read_draft(files, root), files.refused)


def with_refused(manuscript: Manuscript, refused: Iterable[str]) -> Manuscript:
    """The draft, with a problem for each file that was not read because it is outside of the project."""
    outside = tuple(
        f"{name}: outside of the draft's project; not read (--follow-outside reads it)" for name in refused
    )
    return replace(manuscript, problems=(*manuscript.problems, *outside)) if outside else manuscript


def read_files(files: Mapping[str, str | bytes], root: str | None = None) -> Manuscript:
    """Reads a draft in memory from the contents of its files by name: ``{"paper.tex": …, "refs.bib": …}``.

    `root` is optional if only one file can be the root. The result is that of `read` for the same files on
    disk, with the given names as paths. Raises what `read` raises, and InputError if no file or more than one
    can be the root.
    """
    held = MemoryFiles(files)
    path = find_root(held) if root is None else held.path(root)
    if not held.is_file(path):
        hint = f"the files given are {', '.join(files) or 'none'}"
        raise InputError("no such file, expected a draft", path=root, hint=hint)
    return read_draft(held, path)


@traced("draft read")
def read_draft(files: DraftFiles, root: PurePath) -> Manuscript:
    """Reads the draft with the root file `root` from any `files`. Raises what `read` raises."""
    with reading(files.name(root)):
        files = ReadOnce(files)
        manuscript = with_asked_paragraphs(_read_format(files, root), files)
        return with_notes(with_footnotes(manuscript, files), files)


def _read_format(files: DraftFiles, root: PurePath) -> Manuscript:
    if not files.is_file(root):
        try:
            files.read(root)
        except InputError as error:
            raise InputError(
                f"{error.problem}, expected a draft", path=files.name(root), hint=_instead(str(root))
            ) from error
    return format_of(files, root).read(files, root)


def _instead(name: str) -> str:
    """What to do where no file has this name."""
    if name == "-":  # what a draft includes and cites from is beside it: its text alone is not enough
        return "a draft is not read from standard input; save it, and name the file"
    if name.startswith(("http:", "https:")):
        return "nothing is downloaded; save the source of the paper, and name its root file"
    if " " in name and not PurePath(name).suffix:
        return "for one sentence: citewhy suggest --text SENTENCE"
    return "name its root file, such as paper.tex"


# Marks that ask for the papers of a paragraph: a comment on a line of its own, beside the paragraph or in it
#
#     % cite-paragraph            LaTeX
#     <!-- cite-paragraph -->     Markdown
#     // cite-paragraph           Typst
#     # cite-paragraph            Org

_WORD = b"cite-paragraph"


def with_asked_paragraphs(manuscript: Manuscript, files: DraftFiles) -> Manuscript:
    """The draft with `Paragraph.asked` set where a mark asks for a paragraph: the one around it, the one that
    begins on the next line, or else the one that ends on the line before. A mark beside none is a problem of
    the draft."""
    asked: set[int] = set()
    problems: list[str] = []
    for name in manuscript.files:
        path = files.path(name)
        if not files.is_file(path) or _WORD not in files.read(path):
            continue
        text = read_text(files, path)
        for mark in _marks(text):
            number = _beside(manuscript, name, text, mark.start(), mark.end())
            if number is None:
                line = text.count("\n", 0, mark.start()) + 1
                problems.append(f"{name}, line {line}: cite-paragraph without a paragraph beside it")
            else:
                asked.add(number)
    if not asked and not problems:
        return manuscript
    paragraphs = tuple(
        replace(paragraph, asked=number in asked) for number, paragraph in enumerate(manuscript.paragraphs)
    )
    return replace(manuscript, paragraphs=paragraphs, problems=(*manuscript.problems, *problems))


def _marks(text: str) -> Iterator[re.Match[str]]:
    """The lines of `text` that are such a comment, in any format: Markdown may have LaTeX in it."""
    signs = "|".join(sorted({re.escape(form.comment) for form in known_formats() if form.comment}))
    # Authors repeat the sign: "%% cite-paragraph", "/// cite-paragraph".
    mark = rf"^[ \t]*(?:{signs})[%/]*[ \t]*cite-paragraph\b[^\n]*$"
    return re.finditer(mark, text, re.MULTILINE)


def _beside(manuscript: Manuscript, name: str, text: str, start: int, end: int) -> int | None:
    """The number of the paragraph that a mark at ``[start, end)`` of `text` is about."""
    before = None
    for number, first, last in _spans(manuscript.paragraphs, name):
        if first <= start < last:
            return number
        if first >= end and _adjacent(text[end:first]):
            return number
        if last <= start and _adjacent(text[last:start]):
            before = number
    return before


def _spans(paragraphs: tuple[Paragraph, ...], name: str) -> Iterator[tuple[int, int, int]]:
    for number, paragraph in enumerate(paragraphs):
        places = [sentence.place for sentence in paragraph.sentences if sentence.place.file == name]
        if places:
            yield number, places[0].start, places[-1].end


def _adjacent(between: str) -> bool:
    """Whether there is nothing but one line end between a mark and a paragraph, and perhaps blanks."""
    return not between.strip() and between.count("\n") <= 1
