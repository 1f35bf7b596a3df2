r"""A new citation at the end of a sentence that has none there: ``… as is known~\cite{key}.``

Where the end of a sentence is in its file, only the reader of the format knows for certain: after it may come
a formula, a footnote or the end of a macro's argument. So the draft is read with a mark of an open citation
there, and what the reader does not find in the sentence is not written.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from citewhy.base.errors import InputError
from citewhy.base.records import DraftSentence, Manuscript, Marker, Place
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.files import DraftFiles, MemoryFiles, ReadOnce, text_to_edit
from citewhy.drafts.format import CitationText, DraftFormat
from citewhy.drafts.formats import format_named

_MARK = "[CITE]"
"""Every format knows it as an open citation."""

_WORDS = "Some words stand here "
"""A beginning of a sentence, for the mark alone."""

_BEFORE = " "
"""What stands between a word and the citation, but in LaTeX, whose lines must not break there."""
_BEFORE_IN = {"latex": "~"}

_END = re.compile(r"(?:(?<![.!?:;…])[.!?:;…]++|[。．！？])(?=[)\]}*_]*+\Z)|\Z")
"""Where the citation of a sentence stands: before its stop, also within brackets; behind quotation marks."""
_STOPS = frozenset(".!?…。．！？")
_ABBREVIATED = re.compile(r"(?:\b(?:al|etc|Inc|Jr)|\.[A-Za-z])\.(?=[)\]}*_]*\Z)")
"""An end whose point belongs to the last word: the citation stands behind it, with a point of its own."""


def end_markers(
    manuscript: Manuscript, sentences: Iterable[DraftSentence], files: DraftFiles
) -> dict[Place, Marker]:
    """For sentences of a draft, by their places, an empty open citation at their ends, for `citations.fill`;
    none for a sentence at whose end no citation would be read. Raises as reading the draft does."""
    form = format_named(manuscript.format)
    texts: dict[str, str] = {}
    ends: dict[Place, Marker] = {}
    for sentence in sentences:
        place = sentence.place
        if form.read_only or place.part or not files.is_file(files.path(place.file)):
            continue
        text = texts.setdefault(place.file, text_to_edit(files, place.file))
        written = text[place.start : place.end]
        at = place.start + _end(written)
        if sentence.text[-1:] in _STOPS and sentence.text[-1] not in written:
            continue  # the end comes from a macro
        end = replace(place, start=at, end=at)
        ends[place] = Marker(end, (), True, len(sentence.text.rstrip(" .;:")), "open", end)
    read = _read_with(form, manuscript, texts, ends, files) if ends else set()
    return {
        place: marker
        for place, marker in ends.items()
        if (place.file, place.start, marker.place.start) in read
    }


def _end(written: str) -> int:
    """Where a citation stands in the text of a sentence."""
    bare = written.rstrip()
    if abbreviated := _ABBREVIATED.search(bare):
        return abbreviated.end()
    found = _END.search(bare)
    return len(bare) if found is None else found.start()


def _read_with(
    form: DraftFormat,
    manuscript: Manuscript,
    texts: Mapping[str, str],
    ends: Mapping[Place, Marker],
    files: DraftFiles,
) -> set[tuple[str, int, int]]:
    """The open citations that are found where the draft is read with a mark at each end: file, begin of the
    sentence, and end, in characters of the file as it is."""
    marked, added = ReadOnce(files), f" {_MARK}"
    begins: dict[str, list[int]] = {}
    for name, text in texts.items():
        offsets = sorted({marker.place.start for marker in ends.values() if marker.place.file == name})
        pieces = [text[start:end] for start, end in zip([0, *offsets], [*offsets, None], strict=True)]
        marked.keep(files.path(name), added.join(pieces).encode(errors="surrogatepass"))
        begins[name] = [offset + number * len(added) for number, offset in enumerate(offsets)]

    def before(name: str, offset: int) -> int:
        """An offset of a marked file in the file as it is."""
        return offset - bisect.bisect_left(begins[name], offset) * len(added)

    try:
        read = form.read(marked, files.path(manuscript.path))
    except InputError:
        return set()
    sentences = (sentence for paragraph in read.paragraphs for sentence in paragraph.sentences)
    return {
        (name, before(name, sentence.place.start), before(name, marker.place.start - 1))
        for sentence in sentences
        for marker in sentence.markers
        if (name := marker.place.file) in begins
        and sentence.place.file == name
        and marker.open
        and marker.slot is not None
        and marker.place.start - 1 in begins[name]
    }


def is_inserted(marker: Marker) -> bool:
    """Whether a marker stands for a citation that is not in the draft yet."""
    return marker.slot == marker.place and marker.place.start == marker.place.end


def inserted(
    form: DraftFormat, manuscript: Manuscript, marker: Marker, keys: Sequence[str], text: str
) -> Edit:
    """The edit that writes a citation of `keys` at a marker of `end_markers`, whose file has this `text`."""
    name, words = f"mark{form.suffixes[0]}", f"{_WORDS}{_MARK}"
    mark = form.read(MemoryFiles({name: f"{words}.\n"}), PurePath(name)).markers[0]
    place = marker.place
    citation = CitationText(manuscript, mark, f"{words}{text[place.start : place.start + 20]}")
    edit = form.fill(citation, keys)
    cited = words[len(_WORDS) : edit.start] + edit.text + words[edit.end :]
    stop = "." if text[: place.start].endswith(".") else ""
    added = _BEFORE_IN.get(form.name, _BEFORE) + cited + stop
    return replace(edit, file=place.file, start=place.start, end=place.start, text=added)
