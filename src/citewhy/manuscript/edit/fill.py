"""Edits that fill an open citation: keys in its marker, entries in the bibliography."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from citewhy.errors import EditConflictError, InputError, QueryError
from citewhy.manuscript.edit.edited_file import Edit
from citewhy.manuscript.files import DISK, DraftFiles, read_content
from citewhy.manuscript.placeholders import is_placeholder
from citewhy.records import Manuscript, Marker, Place
from citewhy.text.source import decode

__all__ = ["add_entries", "fill"]

_KEY = re.compile(r"[^\s,;{}()\[\]%#~\\\"'@]+")
_COMMENT = re.compile(r"(?<!\\)%[^\n\r]*")
_BRACKET_COMMANDS = ("citep", "cite", "parencite", "autocite")
"""Commands that may replace a placeholder without one; the draft's most frequent one is used."""

_PANDOC_ITEM = re.compile(
    r"(?<![\w\\])-?@(?P<key>\{[^{}]*\}|[^\s;,\]\[]*)[^;@]*(?:(?<=\w)@[^;@]*)*"  # up to the next item
)
_NEW_BIBLIOGRAPHY = "references.bib"


# Keys in a marker -----------------------------------------------------------------------------------------


def fill(manuscript: Manuscript, marker: Marker, keys: Sequence[str], files: DraftFiles = DISK) -> Edit:
    """The edit that makes `marker` cite `keys` in addition to those that it already cites.

    Placeholders are replaced, and so are undefined keys if the draft has a bibliography:
    ``\\cite{known,TODO}`` becomes ``\\cite{known,key}``. ``\\citeneeded`` and ``[CITE]`` become the citation
    command that the draft uses most; in Markdown ``[@]``, ``[?]`` and ``[CITE]`` become ``[@key]``.

    `files` are the draft's files. Raises QueryError if the marker cannot be edited (it comes from a macro) or
    a key contains invalid characters; EditConflictError if the marker is no longer in the file.
    """
    for key in keys:
        if not _KEY.fullmatch(key):
            raise QueryError(f"{key!r} is not a valid citation key")
    if not keys:
        raise QueryError("no citation keys given")
    if marker.slot is None:
        raise QueryError(
            f"the citation in {marker.place.file}, line {marker.place.line}, cannot be edited",
            hint="it comes from a macro or has notes between its keys; edit it by hand",
        )
    new = list(dict.fromkeys(keys))
    written = _written(files, manuscript, marker, marker.slot)
    if manuscript.format == "latex":
        text = _latex(manuscript, marker, written, new)
    elif manuscript.format == "markdown":
        text = _pandoc(manuscript, marker, written, new)
    else:
        text = f"[{'; '.join(new)}]" if marker.slot == marker.place else "; ".join(new)
    return Edit(marker.slot.file, marker.slot.start, marker.slot.end, text)


def _written(files: DraftFiles, manuscript: Manuscript, marker: Marker, slot: Place) -> str:
    """The text in the marker's slot. Raises EditConflictError if the marker is not where it was."""
    text = _text(files, marker.place.file)
    whole = text[marker.place.start : marker.place.end]
    command = "" if marker.command == "open" else f"\\{marker.command}"
    if (manuscript.format == "latex" and not whole.startswith(command)) or any(
        key not in whole for key in marker.keys
    ):
        raise EditConflictError(
            "the citation is no longer where it was",
            path=marker.place.file,
            line=marker.place.line,
            hint="read the draft again",
        )
    return text[slot.start : slot.end]


def _text(files: DraftFiles, name: str) -> str:
    return decode(read_content(files, files.path(name)))[0]


def _is_replaced(manuscript: Manuscript, key: str) -> bool:
    """Whether a key is a placeholder, or undefined although the draft has a bibliography."""
    defined = {reference.key for reference in manuscript.references}
    return key not in defined and (bool(defined) or is_placeholder(key))


def _latex(manuscript: Manuscript, marker: Marker, written: str, keys: list[str]) -> str:
    if marker.slot == marker.place:  # \citeneeded, [CITE]: all of it is replaced
        return f"\\{_usual_command(manuscript)}{{{','.join(keys)}}}"
    shown = _COMMENT.sub(lambda comment: " " * len(comment[0]), written)
    pieces = [(piece.start(), piece.end()) for piece in re.finditer(r"[^,\s](?:[^,]*[^,\s])?", shown)]
    leaving = [piece for piece in pieces if _is_replaced(manuscript, shown[slice(*piece)])]
    kept = [shown[slice(*piece)] for piece in pieces if piece not in leaving]
    new = [key for key in keys if key not in kept]
    if "%" not in written:
        return (", " if re.search(r",\s", written) else ",").join([*kept, *new])
    # Keep comments between the keys: replace the first placeholder, or append the new keys.
    start, end = leaving[0] if leaving else (pieces[-1][1],) * 2 if pieces else (0, 0)
    comma = "," if new and pieces and not leaving else ""
    return written[:start] + comma + ",".join(new) + written[end:]


def _usual_command(manuscript: Manuscript) -> str:
    counts = Counter(
        marker.command
        for paragraph in manuscript.paragraphs
        for sentence in paragraph.sentences
        for marker in sentence.markers
        if marker.command in _BRACKET_COMMANDS
    )
    return counts.most_common(1)[0][0] if counts else "cite"


def _pandoc(manuscript: Manuscript, marker: Marker, written: str, keys: list[str]) -> str:
    """The items of the slot that are kept, with their notes, followed by the new keys."""
    items = [found[0].rstrip() for found in _PANDOC_ITEM.finditer(written)]
    kept = [item for item in items if not _is_replaced(manuscript, _bare(item))]
    cited = {key for key in marker.keys if not _is_replaced(manuscript, key)}  # in the slot or outside it
    new = [key for key in keys if key not in cited]
    if not new and not kept:
        new = keys  # all are cited outside the slot, which must not become empty
    return "; ".join([*kept, *(f"@{_braced(key)}" for key in new)])


def _bare(item: str) -> str:
    return re.sub(_PANDOC_ITEM, r"\g<key>", item).strip("{}")


def _braced(key: str) -> str:
    """A key in Markdown: one that starts or ends with punctuation needs braces."""
    return key if re.fullmatch(r"\w(?:\w|[:.#$%&+?<>~/-](?=\w))*", key) else f"{{{key}}}"


# Entries in the bibliography ------------------------------------------------------------------------------


def add_entries(manuscript: Manuscript, entries: Sequence[str], files: DraftFiles = DISK) -> list[Edit]:
    """The edits that append BibTeX `entries` to the first bibliography of the draft that has entries.

    If the draft names no bibliography, ``references.bib`` is created beside its root and named in it: by
    ``\\bibliography{references}`` before ``\\end{document}`` (``\\addbibresource`` if the draft loads
    biblatex), or in the metadata of a Markdown draft. Raises InputError for a LaTeX draft that contains its
    reference list (``thebibliography``).
    """
    if not entries:
        return []
    if manuscript.bibliographies:
        return [_append(files, files.path(_first_with_entries(manuscript)), entries)]
    new = _append(files, files.path(manuscript.path).parent / _NEW_BIBLIOGRAPHY, entries)
    text = _text(files, manuscript.path)
    if manuscript.format == "latex":
        return [
            new,
            *_name_in_latex(files, manuscript, _COMMENT.sub(lambda found: " " * len(found[0]), text)),
        ]
    return [new, _name_in_markdown(manuscript, text)] if manuscript.format == "markdown" else [new]


def _first_with_entries(manuscript: Manuscript) -> str:
    """The first bibliography with entries, rather than one that only defines abbreviations (``@string``)."""
    holding = {reference.place.file for reference in manuscript.references if reference.place}
    named = manuscript.bibliographies
    return next((path for path in named if path in holding), named[0])


def _append(files: DraftFiles, bibliography: PurePath, entries: Sequence[str]) -> Edit:
    text = _text(files, files.name(bibliography)) if files.is_file(bibliography) else ""
    blank = text[-4:].replace("\r\n", "\n")
    space = "" if not text or blank.endswith("\n\n") else "\n" if blank.endswith(("\n", "\r")) else "\n\n"
    added = space + "\n".join(entry.strip() + "\n" for entry in entries)
    return Edit(files.name(bibliography), len(text), len(text), added)


def _name_in_latex(files: DraftFiles, manuscript: Manuscript, shown: str) -> list[Edit]:
    """Edits that name the new file in the root; `shown` is its text with comments blanked."""
    if manuscript.references:
        raise InputError(
            "the draft contains its own reference list",
            path=manuscript.path,
            hint="move them to a .bib file, name it with \\bibliography{…} and try again",
        )
    all_files = shown + "".join(_text(files, name) for name in manuscript.files[1:])
    if re.search(r"\\(?:usepackage|RequirePackage)\s*(?:\[[^\]]*\]\s*)?\{biblatex\}", all_files):
        edits = [
            _insert(manuscript, shown, "\\begin{document}", f"\\addbibresource{{{_NEW_BIBLIOGRAPHY}}}\n")
        ]
        if "\\printbibliography" not in all_files:
            edits.append(_insert(manuscript, shown, "\\end{document}", "\\printbibliography\n"))
        return edits
    line = f"\\bibliography{{{_NEW_BIBLIOGRAPHY.removesuffix('.bib')}}}\n"
    if "\\bibliographystyle" not in all_files:
        # BibTeX requires a style, and natbib's commands require one of its own styles.
        style = "plainnat" if re.search(r"\{natbib\}|\\cite[tp]\b", all_files) else "plain"
        line = f"\\bibliographystyle{{{style}}}\n{line}"
    return [_insert(manuscript, shown, "\\end{document}", line)]


def _insert(manuscript: Manuscript, shown: str, before: str, line: str) -> Edit:
    found = shown.find(before)
    place = len(shown) if found < 0 else found
    new_line = "" if not place or shown[place - 1] in "\r\n" else "\n"
    return Edit(manuscript.path, place, place, new_line + line)


def _name_in_markdown(manuscript: Manuscript, text: str) -> Edit:
    line = f"bibliography: {_NEW_BIBLIOGRAPHY}\n"
    fence = re.match(r"---[ \t]*(?:\r\n|\r|\n)", text)
    if fence and re.search(r"^(?:---|\.\.\.)[ \t]*\r?$", text[fence.end() :], re.MULTILINE):
        return Edit(manuscript.path, fence.end(), fence.end(), line)
    return Edit(manuscript.path, 0, 0, f"---\n{line}---\n\n")
