"""Notes of authors that may ask for a citation, and that the readers do not take for an open one.

The text of the files is searched, whatever their format: what a reader skips, such as a comment, is among it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from citewhy.base.records import Manuscript, Place
from citewhy.drafts.files import DraftFiles, read_text
from citewhy.drafts.flow import Source
from citewhy.drafts.formats import format_named
from citewhy.text.placeholders import LACKING, REQUEST

_CITED = r"(?:cite|citation|ref|reference|source)s?\b(?![{(:])"
_TODO = r"(?:TODO|FIXME|XXX)\b"
_NOTE = re.compile(
    rf"""
    (?:<!--+|/\*|(?:^|(?<=[ \t]))\#|(?<![\\%])%{{1,9}}|(?<![:/])//)[ \t]*  # a comment
        (?:{_TODO}[^\n<*]{{0,100}}?\b{_CITED}|cite[ \t]+[^\W_]|{LACKING}|{REQUEST})[^\n<*]{{0,100}}
    |\\(?:[a-z]{{0,8}}todo[a-z]{{0,8}}|fixme|fx(?:note|warning|error|fatal))\*?(?:\[[^][{{}}]*\])?
        \{{[^{{}}]{{0,300}}?\b{_CITED}[^{{}}]{{0,300}}\}}
    |\\footnote\{{\s*(?:{_TODO}\W{{0,3}})?(?:cite\b|{LACKING}|{REQUEST})[^{{}}]{{0,200}}\}}
    |\#(?:todo|note|footnote|text\([^()]*\))\[\s*(?:cite\b|{_TODO}[^][]{{0,100}}?\b{_CITED})[^][]{{0,200}}\]
    |\^\[\s*(?:cite\b|{LACKING}|{REQUEST})[^][]{{0,200}}\]
    |(?<=[\s~])[\[(](?:TODO|XXX|who\?|says\ who\?)[\])](?!\w)
    |(?<![\w\\]){_TODO}[ \t:]{{1,3}}[^\n\\{{}}()<>]{{0,40}}?\b(?:cite|citation|ref)s?\b
        [^\n\\{{}}()<>.]{{0,60}}
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_BEGINNING = re.compile(
    r"%|<!--|//|/\*|#|\^\[|\\(?=[A-Za-z]{0,8}todo|footnote|fix|fx|TODO)|[\[(](?=TODO|todo|XXX|[Ww]ho|says)|TODO|FIXME|XXX"
)
"""How such a note begins: to look for this first is several times as fast."""
_HINT = re.compile(rb"cit|ref|source|who\?|todo|xxx", re.IGNORECASE)
_BODY = "\\begin{document}"


def with_notes(manuscript: Manuscript, files: DraftFiles) -> Manuscript:
    """The draft with `Manuscript.notes`."""
    notes = tuple(note for name in manuscript.files for note in _notes(manuscript, name, files))
    return replace(manuscript, notes=notes) if notes else manuscript


def _notes_in(text: str, start: int) -> Iterator[re.Match[str]]:
    done = start
    for beginning in _BEGINNING.finditer(text, start):
        if beginning.start() >= done and (note := _NOTE.match(text, beginning.start())):
            done = note.end()
            yield note


def _notes(manuscript: Manuscript, name: str, files: DraftFiles) -> Iterator[Place]:
    path, form = files.path(name), format_named(manuscript.format)
    if (
        not files.is_file(path)
        or path.suffix.lower() in form.companions
        or not _HINT.search(files.read(path))
    ):
        return
    text = read_text(files, path)
    read = [marker.place for marker in manuscript.markers if marker.place.file == name]
    source = Source(name, text)
    done = -1
    for note in _notes_in(text, max(text.find(_BODY), 0)):
        start, end = note.span()
        if note[0].startswith("\\") and "%" in text[text.rfind("\n", 0, start) + 1 : start]:
            continue
        between = text[done:start] if done >= 0 else "-"
        same_place, done = not between.strip() and between.count("\n") < 2, end
        # What an edit leaves directly behind the citation that it wrote is answered.
        if not same_place and not any(place.start < end and start <= place.end + 2 for place in read):
            yield source.place(start, end)
