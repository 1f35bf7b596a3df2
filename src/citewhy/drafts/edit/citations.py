"""Edits of a draft's citations and of its bibliography, as its format writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from citewhy.base.errors import EditConflictError, InputError, QueryError
from citewhy.base.records import Manuscript, Marker, Paper
from citewhy.drafts.edit.edited_file import Edit
from citewhy.drafts.edit.insertion import inserted, is_inserted
from citewhy.drafts.files import DISK, DraftFiles, text_to_edit
from citewhy.drafts.format import CitationText, DraftFormat
from citewhy.drafts.formats import format_named

_KEY = re.compile(r"[^\s,;{}()\[\]%#~\\\"'@<>]+")


def is_key(key: str) -> bool:
    """Whether an edit can write it as the key of an entry and of a citation."""
    return _KEY.fullmatch(key) is not None


def editable_format(manuscript: Manuscript) -> DraftFormat:
    """The format of a draft that is going to be edited. Raises InputError, in the words of the format, if it
    is read-only."""
    form = format_named(manuscript.format)
    if form.read_only:
        raise InputError(form.read_only, path=manuscript.path)
    return form


def fill(manuscript: Manuscript, marker: Marker, keys: Sequence[str], files: DraftFiles = DISK) -> Edit:
    r"""The edit that makes `marker` cite `keys` in addition to those that it already cites.

    Placeholders are replaced where they stand, with their notes kept: ``\cite{TODO,known}`` becomes
    ``\cite{key,known}``, ``[@?, p. 3]`` becomes ``[@key, p. 3]``. Without a placeholder, the first undefined
    key gives way if the draft has a bibliography. ``\citeneeded`` and ``[CITE]`` become the citation command
    that the draft uses most, in brackets or as a part of the sentence; in Markdown ``[@]``, ``[?]`` and
    ``[CITE]`` become ``[@key]``, or ``@key``; in Typst ``@key``, or ``#cite(<key>, form: "prose")``; in Org
    ``[cite:@key]``, or ``[cite/t:@key]``. At the end of a sentence (`insertion.end_markers`) the same is
    added.

    `files` are the draft's files. Raises QueryError if the marker cannot be edited (it comes from a macro) or
    a key contains invalid characters; InputError if the format is read-only; EditConflictError if the marker
    is no longer in the file.
    """
    form = editable_format(manuscript)
    for key in keys:
        _check_key(key)
    if not keys:
        raise QueryError("no citation keys given")
    if marker.slot is None:
        raise QueryError(
            f"the citation in {marker.place.file}, line {marker.place.line}, cannot be edited",
            hint="it comes from a macro or a link, or has notes between its keys; edit it by hand",
        )
    keys = list(dict.fromkeys(keys))
    if is_inserted(marker):
        text = text_to_edit(files, marker.place.file)
        return inserted(form, manuscript, marker, keys, text)
    return form.fill(_in_file(form, manuscript, marker, files), keys)


def rename(manuscript: Manuscript, marker: Marker, old: str, new: str, files: DraftFiles = DISK) -> Edit:
    """The edit that writes the key `new` where `marker` has `old` first, and nothing else. Raises as
    `fill`."""
    return _renamed(manuscript, marker, old, new, files)[0]


def rename_key(manuscript: Manuscript, old: str, new: str, files: DraftFiles = DISK) -> list[Edit]:
    r"""The edits that write the key `new` wherever the draft cites `old`; its bibliography stays.

    Raises as `fill`, and QueryError if the draft does not cite `old`, or lists it without citing it in the
    text (``\nocite``), which is not edited.
    """
    _check_key(new)
    if old in manuscript.nocite:
        raise QueryError(
            f"the key {old!r} is also listed without a citation in the text, which is not edited",
            hint="edit it by hand (\\nocite, or nocite in the metadata)",
        )
    markers = (marker for marker in manuscript.markers if old in marker.keys)
    edits = [edit for marker in markers for edit in _renamed(manuscript, marker, old, new, files)]
    if not edits:
        raise QueryError(f"the draft does not cite {old!r}")
    return list(dict.fromkeys(edits))  # a file that is included twice


def _renamed(manuscript: Manuscript, marker: Marker, old: str, new: str, files: DraftFiles) -> list[Edit]:
    """The edits of every `old` in the marker, one or more."""
    form = editable_format(manuscript)
    edits = form.rename(_in_file(form, manuscript, marker, files), old, new)
    if not edits:
        raise QueryError(
            f"the key {old!r} in {marker.place.file}, line {marker.place.line}, cannot be edited",
            hint="it comes from a macro; edit it by hand",
        )
    return edits


def add_entries(manuscript: Manuscript, papers: Mapping[str, Paper], files: DraftFiles = DISK) -> list[Edit]:
    r"""The edits that give the draft an entry for each of the `papers`, by key: they are appended to its
    first bibliography that has entries.

    If the draft names no bibliography, ``references.bib`` is created beside its root and named in it: by
    ``\bibliography{references}`` before ``\end{document}`` (``\addbibresource`` if the draft loads biblatex),
    in the metadata of a Markdown or Org draft, by ``#bibliography`` at the end of one in Typst. Raises
    InputError where there is no place for entries: the format is read-only; a LaTeX draft contains its
    reference list (``thebibliography``); the bibliography of one in Typst is computed; a chapter of a
    bookdown project names none; the only bibliographies are missing, or of formats that are not edited.
    """
    form = editable_format(manuscript)
    return form.add_entries(manuscript, papers, files) if papers else []


def _check_key(key: str) -> None:
    if not is_key(key):
        raise QueryError(f"{key!r} is not a valid citation key")


def _in_file(form: DraftFormat, manuscript: Manuscript, marker: Marker, files: DraftFiles) -> CitationText:
    """The citation with the present text of its file. Raises EditConflictError if it is no longer there."""
    place = marker.place
    citation = CitationText(manuscript, marker, text_to_edit(files, place.file, place.part))
    if not form.is_there(citation):
        raise EditConflictError(
            "the citation is no longer where it was",
            path=place.file,
            line=place.line,
            hint="read the draft again",
        )
    return citation
